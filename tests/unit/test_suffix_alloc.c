/* The suffix tree survives the failure of every one of its allocations. */
#include "alloc_fail.h"
#include "suffix/parse.h"
#include "suffix/tree.h"
#include "test.h"

#include <string.h>

/* Deep, so that the sorting recurses, with values that need the radix sort where scale is large. */
static void fill_text(uint32_t *text, size_t count, uint32_t scale)
{
	for (size_t i = 0; i < count; i++)
		text[i] = scale * (uint32_t)(__builtin_popcountll(i) % 2 + i % 7 / 5);
}

static void sweep_build(const uint32_t *text, size_t count, unsigned flags, bool owned)
{
	size_t more = 1, survived = 0;

	for (size_t k = 0; more; k++) {
		struct dp_error error = DP_ERROR_INIT;
		struct dp_suffix_tree *tree = NULL;
		uint32_t *copy = NULL;
		int status;

		if (owned) {
			copy = malloc(count * sizeof(*copy));
			ck_assert_ptr_nonnull(copy);
			memcpy(copy, text, count * sizeof(*copy));
		}
		alloc_fail_after(k);
		status = dp_suffix__build(&tree, owned ? copy : text, count, copy, flags, &error);
		more = alloc_fail_stop();
		survived += more && !status;
		ck_assert(status == DP_ERR_NOMEM || status == DP_OK);
		ck_assert(more || !status);
		ck_assert_int_eq(error.status, status);
		ck_assert_int_eq(tree == NULL, status != DP_OK);
		dp_suffix_tree_free(tree);
		ck_assert_uint_lt(k, 1000);
	}
	/* releasing the excess after the radix sort may fail */
	ck_assert_uint_le(survived, 1);
}

TEST(build)
{
	uint32_t text[3000];

	for (uint32_t scale = 1; scale; scale = scale == 1 ? 100000000 : 0) {
		fill_text(text, DP_COUNT(text), scale);
		for (unsigned flags = 0; flags < 4; flags++) {
			sweep_build(text, DP_COUNT(text), flags, false);
			sweep_build(text, DP_COUNT(text), flags, true);
		}
		sweep_build(text, 0, 0, false);
		sweep_build(text, 1, 0, false);
	}
}

/* Enough symbols that the arrays come from aligned memory. */
TEST(build_large)
{
	size_t count = (size_t)9 << 18;
	uint32_t *text = malloc(count * sizeof(*text));

	ck_assert_ptr_nonnull(text);
	fill_text(text, count, 1);
	sweep_build(text, count, 0, false);
	free(text);
}

static int count_nodes(void *ctx, const struct dp_suffix_node *node, size_t parent_depth)
{
	++*(size_t *)ctx;
	return 0;
}

/* A tree of aaa… is as deep as it is long: the stack of open nodes has to grow. */
TEST(traverse)
{
	uint32_t text[5000] = { 0 };
	struct dp_suffix_tree *tree;
	size_t more = 1;

	ck_assert_int_eq(dp_suffix_tree_new(&tree, text, DP_COUNT(text), NULL), DP_OK);
	for (size_t k = 0; more; k++) {
		struct dp_error error = DP_ERROR_INIT;
		struct dp_suffix_node node;
		size_t count = 0;
		int found;
		int status;

		alloc_fail_after(k);
		status = dp_suffix_tree_traverse(tree, count_nodes, &count);
		more = alloc_fail_stop();
		ck_assert_int_eq(status, more ? DP_ERR_NOMEM : DP_OK);
		ck_assert(more || count == DP_COUNT(text));
		alloc_fail_after(k);
		found = dp_suffix_tree_longest_repeat(tree, 2, 2, &node, &error);
		ck_assert_int_eq(alloc_fail_stop(), more);
		ck_assert_int_eq(found, more ? DP_ERR_NOMEM : 1);
		ck_assert_int_eq(error.status, status);
	}
	dp_suffix_tree_free(tree);
}

TEST(children)
{
	struct dp_suffix_node root, child, parent;
	struct dp_suffix_tree *tree;
	uint32_t text[5000];
	size_t more = 1;

	fill_text(text, DP_COUNT(text), 1);
	for (size_t k = 0; more; k++) {
		int first, next, up;

		ck_assert_int_eq(dp_suffix_tree_new(&tree, text, DP_COUNT(text), NULL), DP_OK);
		root = dp_suffix_tree_root(tree);
		child = root;
		child.right = 1;
		alloc_fail_from(k);
		first = dp_suffix_child_first(tree, &root, &child);
		next = dp_suffix_child_next(tree, &root, &child);
		up = dp_suffix_node_parent(tree, &child, &parent);
		more = alloc_fail_stop();
		ck_assert_int_eq(first, more ? DP_ERR_NOMEM : 1);
		ck_assert_int_eq(next, more ? DP_ERR_NOMEM : 1);
		ck_assert_int_eq(up, more ? DP_ERR_NOMEM : 1);
		/* It can be tried again. */
		ck_assert_int_eq(dp_suffix_child_first(tree, &root, &child), 1);
		dp_suffix_tree_free(tree);
	}
}

#define MANY 1000000

static uint64_t seed = 1;

/* SplitMix64 (Steele, Lea, Flood 2014). */
static uint32_t random_below(uint32_t limit)
{
	uint64_t z = seed += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (uint32_t)(((z ^ z >> 31) >> 32) * limit >> 32);
}

static uint32_t constant(const uint32_t *text, size_t i)
{
	return 7;
}

static uint32_t alternating(const uint32_t *text, size_t i)
{
	return i % 2;
}

/* Each the Fibonacci word before it, and the one before that. */
static uint32_t fibonacci(const uint32_t *text, size_t i)
{
	size_t a = 1, b = 2;

	for (; b <= i; b += a)
		a = b - a;
	return i < 2 ? (uint32_t)i : text[i - (b - a)];
}

/* ab, aab, aaab, …: the deepest nodes lie at ever larger steps. */
static uint32_t growing_runs(const uint32_t *text, size_t i)
{
	static size_t length, left;

	if (!i)
		length = left = 0;
	if (left) {
		left--;
		return 0;
	}
	left = ++length;
	return 1;
}

/* An iteration of 1,500, one kernel in 500 another. */
static uint32_t trace_like(const uint32_t *text, size_t i)
{
	return i < 1500 || !random_below(500) ? random_below(100) : text[i - 1500];
}

/* The same, none another: as deep as there are iterations. */
static uint32_t clean(const uint32_t *text, size_t i)
{
	return i < 150 ? random_below(100) : text[i - 150];
}

static uint32_t random_few(const uint32_t *text, size_t i)
{
	return random_below(4);
}

static uint32_t random_many(const uint32_t *text, size_t i)
{
	return random_below(4000);
}

/* The public promise: the text's two bytes, the suffix array's four, and the LCP's. */
TEST_LOOP(ten_bytes_per_symbol, 8)
{
	static uint32_t (*const makers[])(const uint32_t *text,
					  size_t i) = { constant,     alternating, fibonacci,
							growing_runs, trace_like,  clean,
							random_few,   random_many };
	size_t before = alloc_held(), nodes = 0;
	struct dp_suffix_tree *tree;
	uint32_t *text = malloc(MANY * sizeof(*text));

	ck_assert_ptr_nonnull(text);
	for (size_t i = 0; i < MANY; i++)
		text[i] = makers[_i](text, i);
	ck_assert_int_eq(dp_suffix_tree_take(&tree, text, MANY, NULL), DP_OK);
	ck_assert_int_eq(dp_suffix_tree_traverse(tree, count_nodes, &nodes), DP_OK);
	ck_assert_uint_gt(nodes, 1);
	ck_assert_uint_lt(alloc_most_held() - before, MANY * 101ull / 10);
	dp_suffix_tree_free(tree);
	ck_assert_uint_eq(alloc_held(), before);
}

TEST(parse)
{
	uint32_t text[3000];
	size_t more = 1;

	fill_text(text, DP_COUNT(text), 1);
	for (size_t k = 0; more; k++) {
		struct dp_parse made;
		int status;

		alloc_fail_after(k);
		status = dp_parse__make(&made, text, DP_COUNT(text), 4);
		more = alloc_fail_stop();
		ck_assert_int_eq(status, more ? DP_ERR_NOMEM : DP_OK);
		ck_assert(!more || (!made.names && !made.begin && !made.grams));
		dp_parse__fini(&made);
	}
}
