/* The suffix tree against a brute-force oracle, on all small strings and on random ones. */
#include "suffix_checks.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

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

/* The widest range around place whose suffixes share depth symbols, by comparing each. */
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
	int found = dp_suffix_tree_longest_repeat(tree, least, most, &node, &error);

	for (size_t i = 0; i < seen->count; i++) {
		const struct dp_suffix_node *one = &seen->nodes[i];
		size_t leaves = dp_suffix_node_leaves(one);

		if (!one->depth || leaves < least || leaves > most)
			continue;
		if (!best || one->depth > best->depth ||
		    (one->depth == best->depth && one->left < best->left))
			best = one;
	}
	CHECK_EQ(found, best ? 1 : 0);
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

TEST(every_short_string)
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

TEST(random_strings)
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

TEST(extreme_values)
{
	uint32_t text[300];

	for (size_t i = 0; i < DP_COUNT(text); i++)
		text[i] = i % 3 ? UINT32_MAX - (uint32_t)(i % 5) : (uint32_t)(i % 4) * 70000;
	check_string(text, DP_COUNT(text), false);
	check_string(text, 1, true);
	check_string(text, 2, true);
}

TEST(take_frees_the_symbols)
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

static int stop_at_depth(void *ctx, const struct dp_suffix_node *node, size_t parent_depth)
{
	return node->depth == *(const size_t *)ctx ? 42 : 0;
}

TEST(traversal_can_be_ended)
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

TEST(positions_in_little_room)
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
