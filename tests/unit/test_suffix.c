/* The suffix tree against a brute-force oracle, on all small strings and on hard larger ones. */
#include "suffix/tree.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

/* Check notes every assertion in a pipe: too slow for millions that hold. */
#define CHECK_EQ(a, b)                               \
	do {                                         \
		if ((a) != (b))                      \
			ck_assert_uint_eq((a), (b)); \
	} while (0)

/* Strings up to here are compared with the oracle in full. */
#define MAX_COUNT 512

static const uint32_t *oracle_text;
static size_t oracle_count;

static int compare_at(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	for (; x < oracle_count && y < oracle_count; x++, y++)
		if (oracle_text[x] != oracle_text[y])
			return oracle_text[x] < oracle_text[y] ? -1 : 1;
	return x < y ? 1 : -1;
}

static size_t common_prefix(const uint32_t *text, size_t count, size_t a, size_t b)
{
	size_t length = 0;

	while (DP_MAX(a, b) + length < count && text[a + length] == text[b + length])
		length++;
	return length;
}

struct oracle {
	const uint32_t *text;
	size_t count;
	size_t sa[MAX_COUNT];
	size_t lcp[MAX_COUNT + 1]; /* the last is 0 */
};

static void oracle_init(struct oracle *oracle, const uint32_t *text, size_t count)
{
	oracle->text = text;
	oracle->count = count;
	for (size_t i = 0; i < count; i++)
		oracle->sa[i] = i;
	oracle_text = text;
	oracle_count = count;
	qsort(oracle->sa, count, sizeof(*oracle->sa), compare_at);
	oracle->lcp[0] = oracle->lcp[count] = 0;
	for (size_t i = 1; i < count; i++)
		oracle->lcp[i] = common_prefix(text, count, oracle->sa[i - 1], oracle->sa[i]);
}

/* The widest range around place whose suffixes share depth symbols, by looking at each. */
static struct dp_suffix_node range_of(const struct oracle *oracle, size_t place, size_t depth)
{
	struct dp_suffix_node node = { place, place + 1, depth, 0 };

	while (node.left > 0 && oracle->lcp[node.left] >= depth)
		node.left--;
	while (node.right < oracle->count && oracle->lcp[node.right] >= depth)
		node.right++;
	node.position = oracle->sa[node.left];
	return node;
}

static void check_same(const struct dp_suffix_node *a, const struct dp_suffix_node *b)
{
	CHECK_EQ(a->left, b->left);
	CHECK_EQ(a->right, b->right);
	CHECK_EQ(a->depth, b->depth);
	CHECK_EQ(a->position, b->position);
}

static void check_arrays(const struct dp_suffix_tree *tree, const struct oracle *oracle)
{
	CHECK_EQ(dp_suffix_tree_count(tree), oracle->count);
	for (size_t i = 0; i < oracle->count; i++) {
		CHECK_EQ(dp_suffix_tree_suffix(tree, i), oracle->sa[i]);
		CHECK_EQ(dp_suffix_tree_lcp(tree, i), oracle->lcp[i]);
	}
}

/* The depth of the parent of a node: the larger LCP at its two ends. */
static size_t depth_above(const struct oracle *oracle, size_t left, size_t right)
{
	return DP_MAX(oracle->lcp[left], oracle->lcp[right]);
}

struct seen {
	const struct oracle *oracle;
	struct dp_suffix_node nodes[MAX_COUNT + 1];
	size_t count;
};

static int see(void *ctx, const struct dp_suffix_node *node, size_t parent_depth)
{
	struct seen *seen = ctx;
	const struct oracle *oracle = seen->oracle;
	struct dp_suffix_node real;
	size_t above = 0;

	CHECK_EQ(seen->count < DP_COUNT(seen->nodes), true);
	if (node->depth > 0) {
		real = range_of(oracle, node->left, node->depth);
		check_same(node, &real);
		CHECK_EQ(dp_suffix_node_leaves(node) >= 2, true);
		above = depth_above(oracle, node->left, node->right);
		/* A node branches: the label is as long as all of its leaves share. */
		for (size_t i = node->left + 1; i <= node->right; i++) {
			CHECK_EQ(i != node->right, true);
			if (oracle->lcp[i] == node->depth)
				break;
		}
	}
	CHECK_EQ(parent_depth, above);
	/* Children come first, siblings in order. */
	for (size_t i = 0; i < seen->count; i++)
		CHECK_EQ(seen->nodes[i].right <= node->left ||
				 (seen->nodes[i].left >= node->left &&
				  seen->nodes[i].right <= node->right &&
				  seen->nodes[i].depth > node->depth),
			 true);
	seen->nodes[seen->count++] = *node;
	return 0;
}

/* How many internal nodes there are, the root included: distinct (range, depth) of all places. */
static size_t count_nodes(const struct oracle *oracle)
{
	size_t count = 1;

	for (size_t i = 1; i < oracle->count; i++) {
		size_t k = i;

		if (!oracle->lcp[i])
			continue;
		/* Counted at the first place of its range that has its depth. */
		while (k > 1 && oracle->lcp[k - 1] > oracle->lcp[i])
			k--;
		count += k <= 1 || oracle->lcp[k - 1] < oracle->lcp[i];
	}
	return count;
}

static void check_traversal(const struct dp_suffix_tree *tree, const struct oracle *oracle,
			    struct seen *seen)
{
	struct dp_suffix_node root = dp_suffix_tree_root(tree);

	seen->oracle = oracle;
	seen->count = 0;
	CHECK_EQ(dp_suffix_tree_traverse(tree, see, seen), 0);
	CHECK_EQ(seen->count, count_nodes(oracle));
	check_same(&seen->nodes[seen->count - 1], &root);
	CHECK_EQ(root.left, 0);
	CHECK_EQ(root.right, oracle->count);
	CHECK_EQ(root.depth, 0);
}

/* The children partition the node's places where the LCP is the node's depth; parents lead back. */
static void check_children(struct dp_suffix_tree *tree, const struct oracle *oracle,
			   const struct dp_suffix_node *node)
{
	struct dp_suffix_node child, parent;
	size_t at = node->left;
	int status;

	for (status = dp_suffix_child_first(tree, node, &child); status == 1;
	     status = dp_suffix_child_next(tree, node, &child)) {
		size_t end = at + 1, depth = SIZE_MAX;

		for (; end < node->right && oracle->lcp[end] > node->depth; end++)
			depth = DP_MIN(depth, oracle->lcp[end]);
		if (end == at + 1)
			depth = oracle->count - oracle->sa[at];
		CHECK_EQ(child.left, at);
		CHECK_EQ(child.right, end);
		CHECK_EQ(child.depth, depth);
		CHECK_EQ(child.position, oracle->sa[at]);
		CHECK_EQ(dp_suffix_node_parent(tree, &child, &parent), 1);
		check_same(&parent, node);
		if (end == at + 1)
			CHECK_EQ(dp_suffix_child_first(tree, &child, &parent), 0);
		at = end;
	}
	CHECK_EQ(status, 0);
	CHECK_EQ(at, node->right);
}

static void check_find(const struct dp_suffix_tree *tree, const struct oracle *oracle,
		       const uint32_t *pattern, size_t length)
{
	struct dp_suffix_node node = { 7, 7, 7, 7 };
	size_t at[MAX_COUNT], positions[MAX_COUNT], hits = 0, shared = SIZE_MAX;
	bool found = dp_suffix_tree_find(tree, pattern, length, &node);

	if (!length) {
		struct dp_suffix_node root = dp_suffix_tree_root(tree);

		CHECK_EQ(found, true);
		check_same(&node, &root);
		return;
	}
	for (size_t i = 0; i + length <= oracle->count; i++)
		if (!memcmp(oracle->text + i, pattern, length * sizeof(*pattern)))
			at[hits++] = i;
	CHECK_EQ(found, hits > 0);
	if (!found) {
		CHECK_EQ(node.left, 7);
		return;
	}
	CHECK_EQ(dp_suffix_node_positions(tree, &node, positions, MAX_COUNT), hits);
	for (size_t i = 0; i < hits; i++)
		CHECK_EQ(positions[i], at[i]);
	for (size_t i = node.left + 1; i < node.right; i++)
		shared = DP_MIN(shared, oracle->lcp[i]);
	if (hits == 1)
		shared = oracle->count - at[0];
	CHECK_EQ(node.depth, shared);
	CHECK_EQ(node.position, oracle->sa[node.left]);
}

static void check_repeat(const struct dp_suffix_tree *tree, const struct seen *seen, size_t least,
			 size_t most)
{
	const struct dp_suffix_node *best = NULL;
	struct dp_error error = DP_ERROR_INIT;
	struct dp_suffix_node node;
	bool found = dp_suffix_tree_longest_repeat(tree, least, most, &node, &error);

	for (size_t i = 0; i < seen->count; i++) {
		const struct dp_suffix_node *one = &seen->nodes[i];
		size_t leaves = dp_suffix_node_leaves(one);

		if (!one->depth || leaves < least || leaves > most)
			continue;
		if (!best || one->depth > best->depth ||
		    (one->depth == best->depth && one->left < best->left))
			best = one;
	}
	CHECK_EQ(found, best != NULL);
	CHECK_EQ(error.status, 0);
	if (best)
		check_same(&node, best);
}

static void check_tree(struct dp_suffix_tree *tree, const uint32_t *text, size_t count,
		       bool all_patterns)
{
	static struct oracle oracle;
	static struct seen seen;
	uint32_t absent[2] = { count ? text[0] : 5, 1234567 };

	oracle_init(&oracle, text, count);
	check_arrays(tree, &oracle);
	check_traversal(tree, &oracle, &seen);
	for (size_t i = 0; i < count; i += all_patterns ? 1 : count / 7 + 1)
		for (size_t n = 0; i + n <= count; n += all_patterns ? 1 : count / 5 + 1)
			check_find(tree, &oracle, text + i, n);
	check_find(tree, &oracle, absent, 2);
	check_find(tree, &oracle, absent, 0);
	for (size_t i = 0; i < seen.count; i++)
		check_children(tree, &oracle, &seen.nodes[i]);
	/* Again, with the index that the children built. */
	for (size_t i = 0; i < count; i += count / 3 + 1)
		check_find(tree, &oracle, text + i, (count - i + 1) / 2);
	check_repeat(tree, &seen, 2, SIZE_MAX);
	check_repeat(tree, &seen, 3, 4);
	check_repeat(tree, &seen, count, count);
	CHECK_EQ(dp_suffix_tree_bytes(tree) >= 10 * count, true);
}

/* Both widths of text and of index. */
static void check_string(const uint32_t *text, size_t count, bool all_patterns)
{
	struct dp_error error = DP_ERROR_INIT;

	for (unsigned flags = 0; flags < 4; flags++) {
		struct dp_suffix_tree *tree = NULL;

		CHECK_EQ(dp_suffix__build(&tree, text, count, NULL, flags, &error), 0);
		CHECK_EQ(tree->wide_text, flags & DP_SUFFIX_WIDE_TEXT ? 1 : 0);
		CHECK_EQ(tree->wide_index, flags & DP_SUFFIX_WIDE_INDEX ? 1 : 0);
		check_tree(tree, text, count, all_patterns && !flags);
		dp_suffix_tree_free(tree);
	}
}

START_TEST(every_short_string)
{
	size_t strings = 1;

	for (size_t count = 0; count <= 9; count++, strings *= 3) {
		for (size_t k = 0; k < strings; k++) {
			uint32_t text[10] = { 0 };
			size_t rest = k;

			for (size_t i = 0; i < count; i++, rest /= 3)
				text[i] = (uint32_t)(rest % 3);
			check_string(text, count, count <= 7);
		}
	}
}
END_TEST

static uint64_t seed;

/* SplitMix64 (Steele, Lea, Flood 2014). */
static uint32_t random_below(uint32_t limit)
{
	uint64_t z = seed += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (uint32_t)(((z ^ z >> 31) >> 32) * limit >> 32);
}

START_TEST(random_strings)
{
	static const uint32_t alphabets[] = { 1, 2, 3, 5, 30, 400, 1000000 };

	for (size_t round = 0; round < 70; round++) {
		uint32_t text[MAX_COUNT], alphabet = alphabets[round % DP_COUNT(alphabets)];
		size_t count = random_below(MAX_COUNT + 1);

		for (size_t i = 0; i < count; i++)
			text[i] = random_below(alphabet);
		/* Every other one repeats itself with a few changes. */
		for (size_t i = count / 5; round % 2 && i < count; i++)
			if (random_below(50))
				text[i] = text[i - count / 5];
		check_string(text, count, false);
	}
}
END_TEST

START_TEST(extreme_values)
{
	uint32_t text[300];

	for (size_t i = 0; i < DP_COUNT(text); i++)
		text[i] = i % 3 ? UINT32_MAX - (uint32_t)(i % 5) : (uint32_t)(i % 4) * 70000;
	check_string(text, DP_COUNT(text), false);
	check_string(text, 1, true);
	check_string(text, 2, true);
}
END_TEST

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

/* What the traversal should visit, from the LCP values alone, in memory that is as it comes. */
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

/* 0 0 … 0 1 with ever more zeros: few, but long substrings that start with each other. */
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

START_TEST(large_families)
{
	uint32_t *text = malloc(LARGE * sizeof(*text));

	ck_assert_ptr_nonnull(text);
	families[_i](text);
	check_family(text, LARGE);
	free(text);
}
END_TEST

/* Around the number of symbols that 16 bits can name. */
START_TEST(alphabet_boundary)
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
END_TEST

START_TEST(take_frees_the_symbols)
{
	struct dp_error error = DP_ERROR_INIT;
	uint32_t *text = malloc(1000 * sizeof(*text)), zero = 0;
	struct dp_suffix_tree *tree;
	struct dp_suffix_node node;

	ck_assert_ptr_nonnull(text);
	for (size_t i = 0; i < 1000; i++)
		text[i] = (uint32_t)(i % 10);
	ck_assert_int_eq(dp_suffix_tree_take(&tree, text, 1000, &error), DP_OK);
	ck_assert(dp_suffix_tree_find(tree, &zero, 1, &node));
	ck_assert_uint_eq(dp_suffix_node_leaves(&node), 100);
	dp_suffix_tree_free(tree);
	ck_assert_int_eq(dp_suffix_tree_take(&tree, NULL, 0, &error), DP_OK);
	ck_assert_uint_eq(dp_suffix_tree_count(tree), 0);
	dp_suffix_tree_free(tree);
	dp_suffix_tree_free(NULL);
}
END_TEST

static int stop_at_depth(void *ctx, const struct dp_suffix_node *node, size_t parent_depth)
{
	return node->depth == *(const size_t *)ctx ? 42 : 0;
}

START_TEST(traversal_can_be_ended)
{
	uint32_t text[] = { 1, 2, 1, 2, 1 };
	struct dp_suffix_tree *tree;
	size_t depth;

	ck_assert_int_eq(dp_suffix_tree_new(&tree, text, DP_COUNT(text), NULL), DP_OK);
	for (depth = 0; depth < 5; depth++)
		ck_assert_int_eq(dp_suffix_tree_traverse(tree, stop_at_depth, &depth),
				 depth < 4 ? 42 : 0);
	dp_suffix_tree_free(tree);
}
END_TEST

START_TEST(positions_in_little_room)
{
	uint32_t text[] = { 1, 2, 1, 2, 1 }, one = 1;
	size_t positions[3] = { 9, 9, 9 };
	struct dp_suffix_tree *tree;
	struct dp_suffix_node node;

	ck_assert_int_eq(dp_suffix_tree_new(&tree, text, DP_COUNT(text), NULL), DP_OK);
	ck_assert(dp_suffix_tree_find(tree, &one, 1, &node));
	ck_assert_uint_eq(dp_suffix_node_positions(tree, &node, NULL, 0), 3);
	ck_assert_uint_eq(dp_suffix_node_positions(tree, &node, positions, 2), 3);
	ck_assert_uint_eq(positions[0], 4);
	ck_assert_uint_eq(positions[1], 2);
	ck_assert_uint_eq(positions[2], 9);
	dp_suffix_tree_free(tree);
}
END_TEST

static void fill(TCase *tests)
{
	tcase_add_test(tests, every_short_string);
	tcase_add_test(tests, random_strings);
	tcase_add_test(tests, extreme_values);
	tcase_add_loop_test(tests, large_families, 0, (int)DP_COUNT(families));
	tcase_add_test(tests, alphabet_boundary);
	tcase_add_test(tests, take_frees_the_symbols);
	tcase_add_test(tests, traversal_can_be_ended);
	tcase_add_test(tests, positions_in_little_room);
}

#include "test_main.h"
