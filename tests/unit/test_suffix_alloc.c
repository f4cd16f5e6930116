/* The suffix tree survives the failure of every one of its allocations. */
#include "alloc_fail.h"
#include "suffix/tree.h"

#include <check.h>
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
	/* Giving back what was too much after the radix sort may fail. */
	ck_assert_uint_le(survived, 1);
}

START_TEST(build)
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
END_TEST

/* So many symbols that the arrays come from aligned memory. */
START_TEST(build_large)
{
	size_t count = (size_t)9 << 18;
	uint32_t *text = malloc(count * sizeof(*text));

	ck_assert_ptr_nonnull(text);
	fill_text(text, count, 1);
	sweep_build(text, count, 0, false);
	free(text);
}
END_TEST

static int count_nodes(void *ctx, const struct dp_suffix_node *node, size_t parent_depth)
{
	++*(size_t *)ctx;
	return 0;
}

/* A tree of aaa… is as deep as it is long: the stack of open nodes has to grow. */
START_TEST(traverse)
{
	uint32_t text[5000] = { 0 };
	struct dp_suffix_tree *tree;
	size_t more = 1;

	ck_assert_int_eq(dp_suffix_tree_new(&tree, text, DP_COUNT(text), NULL), DP_OK);
	for (size_t k = 0; more; k++) {
		struct dp_error error = DP_ERROR_INIT;
		struct dp_suffix_node node;
		size_t count = 0;
		bool found;
		int status;

		alloc_fail_after(k);
		status = dp_suffix_tree_traverse(tree, count_nodes, &count);
		more = alloc_fail_stop();
		ck_assert_int_eq(status, more ? DP_ERR_NOMEM : DP_OK);
		ck_assert(more || count == DP_COUNT(text));
		alloc_fail_after(k);
		found = dp_suffix_tree_longest_repeat(tree, 2, 2, &node, &error);
		ck_assert_int_eq(alloc_fail_stop(), more);
		ck_assert_int_eq(found, !more);
		ck_assert_int_eq(error.status, status);
	}
	dp_suffix_tree_free(tree);
}
END_TEST

START_TEST(children)
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
END_TEST

static void fill(TCase *tests)
{
	tcase_add_test(tests, build);
	tcase_add_test(tests, build_large);
	tcase_add_test(tests, traverse);
	tcase_add_test(tests, children);
}

#include "test_main.h"
