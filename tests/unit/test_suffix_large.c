/* Large suffix trees of hard families, checked in linear time. */
#include "suffix_checks.h"
#include "test.h"

#include <string.h>

/*
 * Checks a large tree in linear time: the suffix array is a permutation in which neighbours are in
 * order by their first symbols and the ranks of what follows; the LCP by Kasai et al. 2001.
 */
static void check_large_arrays(const struct dp_suffix_tree *tree, const uint32_t *text,
			       size_t count)
{
	size_t *rank = dp_alloc__array(count + 1, sizeof(*rank)), length = 0;

	ck_assert_ptr_nonnull(rank);
	memset(rank, 0xff, count * sizeof(*rank));
	rank[count] = 0;
	for (size_t i = 0; i < count; i++) {
		size_t at = dp_suffix_tree_suffix(tree, i);

		CHECK_EQ(at < count, true);
		CHECK_EQ(rank[at], SIZE_MAX);
		rank[at] = i + 1;
	}
	for (size_t i = 1; i < count; i++) {
		size_t a = dp_suffix_tree_suffix(tree, i - 1), b = dp_suffix_tree_suffix(tree, i);

		CHECK_EQ(text[a] < text[b] || (text[a] == text[b] && rank[a + 1] < rank[b + 1]),
			 true);
	}
	for (size_t i = 0; i < count; i++) {
		size_t place = rank[i] - 1;

		if (place) {
			size_t other = dp_suffix_tree_suffix(tree, place - 1);

			while (DP_MAX(i, other) + length < count &&
			       text[i + length] == text[other + length])
				length++;
		} else {
			length = 0;
		}
		CHECK_EQ(dp_suffix_tree_lcp(tree, place), length);
		length -= length > 0;
	}
	free(rank);
}

struct sums {
	size_t nodes;
	uint64_t shape; /* of depths and leaf counts, whatever the order */
};

static int sum(void *ctx, const struct dp_suffix_node *node, size_t parent_depth)
{
	struct sums *sums = ctx;
	uint64_t z = node->depth * 0x9e3779b97f4a7c15 + dp_suffix_node_leaves(node);

	z = (z ^ z >> 29) * 0xbf58476d1ce4e5b9 + parent_depth;
	sums->nodes++;
	sums->shape += (z ^ z >> 32) * 0x94d049bb133111eb;
	return 0;
}

/* Children of a few nodes on a way from the root down, and back up. */
static void check_way_down(struct dp_suffix_tree *tree)
{
	struct dp_suffix_node node = dp_suffix_tree_root(tree), child, next, parent;

	for (size_t step = 0; step < 100; step++) {
		size_t skip = random_below(3);

		if (dp_suffix_child_first(tree, &node, &child) != 1)
			break;
		for (next = child; skip > 0 && dp_suffix_child_next(tree, &node, &next) == 1;
		     skip--)
			child = next;
		CHECK_EQ(dp_suffix_node_parent(tree, &child, &parent), 1);
		check_same(&parent, &node);
		node = child;
	}
}

/* An open node of a traversal whose stack is kept as it is. */
struct kept {
	size_t left, depth;
};

/* What the traversal should visit, from the LCP values alone, with a plain stack. */
static uint64_t visited(const struct dp_suffix_tree *tree)
{
	size_t count = dp_suffix_tree_count(tree), open = 1;
	struct kept *stack = malloc((count + 1) * sizeof(*stack));
	uint64_t hash = 0;

	ck_assert_ptr_nonnull(stack);
	stack[0] = (struct kept){ 0, 0 };
	for (size_t i = 1; i <= count; i++) {
		size_t depth = i < count ? dp_suffix_tree_lcp(tree, i) : 0, left = i - 1;

		for (; stack[open - 1].depth > depth; open--) {
			left = stack[open - 1].left;
			hash = hash * 31 + left;
			hash = hash * 31 + i;
			hash = hash * 31 + stack[open - 1].depth;
			hash = hash * 31 + DP_MAX(depth, stack[open - 2].depth);
		}
		if (depth > stack[open - 1].depth)
			stack[open++] = (struct kept){ left, depth };
	}
	free(stack);
	return hash;
}

static int visit_in_order(void *ctx, const struct dp_suffix_node *node, size_t parent_depth)
{
	uint64_t *hash = ctx;

	if (!node->depth)
		return 0;
	*hash = *hash * 31 + node->left;
	*hash = *hash * 31 + node->right;
	*hash = *hash * 31 + node->depth;
	*hash = *hash * 31 + parent_depth;
	return 0;
}

static struct sums check_large(const uint32_t *text, size_t count, unsigned flags)
{
	struct sums sums = { 0 };
	struct dp_suffix_tree *tree;
	uint64_t hash = 0;

	ck_assert_int_eq(dp_suffix__build(&tree, text, count, NULL, flags, NULL), DP_OK);
	check_large_arrays(tree, text, count);
	ck_assert_int_eq(dp_suffix_tree_traverse(tree, visit_in_order, &hash), 0);
	ck_assert(hash == visited(tree));
	ck_assert_int_eq(dp_suffix_tree_traverse(tree, sum, &sums), 0);
	ck_assert_uint_le(sums.nodes, count);
	for (size_t i = 0; i < 20; i++)
		check_way_down(tree);
	dp_suffix_tree_free(tree);
	return sums;
}

/* All widths; and symbols renamed: the tree has the same nodes. */
static void check_family(uint32_t *text, size_t count)
{
	struct sums sums = check_large(text, count, 0), again;

	check_large(text, count, DP_SUFFIX_WIDE_TEXT);
	check_large(text, count, DP_SUFFIX_WIDE_INDEX);
	for (size_t i = 0; i < count; i++)
		text[i] = text[i] * 2654435761u + 12345;
	again = check_large(text, count, DP_SUFFIX_WIDE_TEXT | DP_SUFFIX_WIDE_INDEX);
	ck_assert_uint_eq(again.nodes, sums.nodes);
	ck_assert_uint_eq(again.shape, sums.shape);
}

#define LARGE 120000

static void make_constant(uint32_t *text)
{
	memset(text, 0, LARGE * sizeof(*text));
}

static void make_fibonacci(uint32_t *text)
{
	size_t a = 1, b = 2;

	text[0] = 0;
	text[1] = 1;
	while (b < LARGE) {
		size_t add = DP_MIN(a, LARGE - b);

		memcpy(text + b, text, add * sizeof(*text));
		a = b;
		b += add;
	}
}

static void make_thue_morse(uint32_t *text)
{
	for (size_t i = 0; i < LARGE; i++)
		text[i] = (uint32_t)__builtin_popcountll(i) % 2;
}

static void make_ruler(uint32_t *text)
{
	for (size_t i = 0; i < LARGE; i++)
		text[i] = (uint32_t)__builtin_ctzll(i + 1);
}

/* Every word of 16 bits once, by a shift register with feedback (x^16 + x^14 + x^13 + x^11 + 1). */
static void make_de_bruijn(uint32_t *text)
{
	unsigned state = 1;

	for (size_t i = 0; i < LARGE; i++) {
		text[i] = state & 1;
		state = state >> 1 | ((state ^ state >> 2 ^ state >> 3 ^ state >> 5) & 1) << 15;
	}
}

static void make_powers(uint32_t *text)
{
	for (size_t i = 0; i < LARGE; i++)
		text[i] = i < 1499 ? random_below(100) : text[i - 1499];
}

static void make_trace(uint32_t *text)
{
	make_powers(text);
	for (size_t i = 0; i < LARGE; i++)
		if (!random_below(300))
			text[i] = random_below(100);
}

/* The dictionary of names is filled halfway in vain. */
static void make_half_random(uint32_t *text)
{
	make_powers(text);
	for (size_t i = LARGE / 2; i < LARGE; i++)
		text[i] = random_below(100);
}

/* 0 0 … 0 1 with more and more zeros: few, but long substrings that are prefixes of each other. */
static void make_runs(uint32_t *text)
{
	size_t run = 0, left = 0;

	for (size_t i = 0; i < LARGE; i++, left--) {
		text[i] = left > 0 ? 0 : 1;
		if (!left)
			left = ++run + 1;
	}
}

static void make_up(uint32_t *text)
{
	for (size_t i = 0; i < LARGE; i++)
		text[i] = (uint32_t)i;
}

static void make_down(uint32_t *text)
{
	for (size_t i = 0; i < LARGE; i++)
		text[i] = (uint32_t)(LARGE - i);
}

/* As many local minima as there can be, all different. */
static void make_zigzag(uint32_t *text)
{
	for (size_t i = 0; i < LARGE; i++)
		text[i] = i % 2 ? (uint32_t)(LARGE + i) : random_below(LARGE);
}

static void make_words(uint32_t *text)
{
	for (size_t i = 0; i < LARGE; i++)
		text[i] = random_below(2) + (i % 64 == 0);
}

static void make_wide(uint32_t *text)
{
	for (size_t i = 0; i < LARGE; i++)
		text[i] = i < 50000 ? random_below(UINT32_MAX) : text[i - 50000 + i % 3];
}

static void (*const families[])(uint32_t *text) = {
	make_constant, make_fibonacci, make_thue_morse,	 make_ruler, make_de_bruijn,
	make_powers,   make_trace,     make_half_random, make_runs,  make_up,
	make_down,     make_zigzag,    make_words,	 make_wide,
};

TEST_LOOP(large_families, DP_COUNT(families))
{
	uint32_t *text = malloc(LARGE * sizeof(*text));

	ck_assert_ptr_nonnull(text);
	families[_i](text);
	check_family(text, LARGE);
	free(text);
}

/* Around the number of symbols that 16 bits can name. */
TEST(alphabet_boundary)
{
	uint32_t *text = malloc(LARGE * sizeof(*text));

	ck_assert_ptr_nonnull(text);
	for (uint32_t alphabet = 65535; alphabet <= 65537; alphabet++) {
		struct dp_suffix_tree *tree;

		for (size_t i = 0; i < LARGE; i++)
			text[i] = i < alphabet ? (uint32_t)i : random_below(alphabet);
		ck_assert_int_eq(dp_suffix_tree_new(&tree, text, LARGE, NULL), DP_OK);
		ck_assert_int_eq(tree->wide_text, alphabet > 65536);
		check_large_arrays(tree, text, LARGE);
		dp_suffix_tree_free(tree);
	}
	free(text);
}
