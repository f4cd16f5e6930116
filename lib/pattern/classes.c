/*
 * Classes of symbols. The occurrences of an anchor (anchors.h) at one distance lay the sequence out
 * as a table, one iteration per row; symbols in the same column are joined (Tarjan's union-find).
 * Only symbols that occur twice in a column are. Description length decides whether the classes are
 * any good.
 */
#include "pattern/classes.h"
#include "base/parameters.h"
#include "pattern/anchors.h"

#include <string.h>

/* The best three of each depth: the first one that joins symbols decides, so few are read. */
enum { CANDIDATES = 3 * DP_ANCHOR_DEPTHS };

struct table {
	const uint32_t *symbols;
	size_t n;
	size_t *rows; /* where each begins; the last ends with the sequence if that is earlier */
	size_t count, length;
};

static uint32_t find_root(uint32_t *parent, uint32_t x)
{
	while (parent[x] != x) {
		parent[x] = parent[parent[x]];
		x = parent[x];
	}
	return x;
}

/* The smaller symbol stands for both. */
static void join_classes(uint32_t *parent, uint32_t a, uint32_t b)
{
	a = find_root(parent, a);
	b = find_root(parent, b);
	if (a < b)
		parent[b] = a;
	else
		parent[a] = b;
}

/*
 * Rows: from one occurrence of the anchor to the next, if that is the common length, and what
 * follows the last one, which counts as a row though it may end with the sequence.
 */
static void lay_out(struct table *t, const struct dp_candidate *c, size_t n)
{
	const uint32_t *anchor = t->symbols + c->at;
	size_t most = DP_MAX(dp_param.tree_leaves, dp_param.named_sample * c->length);
	size_t before = SIZE_MAX, rows = 0, pairs = 0;
	size_t first = n > most ? DP_MIN(c->first, n - most) : 0;

	n = DP_MIN(n, first + most);
	t->length = c->length;
	t->count = 0;
	for (size_t p = first; p + c->anchor <= n; p++) {
		if (t->symbols[p] != anchor[0] ||
		    memcmp(t->symbols + p, anchor, c->anchor * sizeof(*anchor)))
			continue;
		if (before != SIZE_MAX) {
			pairs++;
			if (p - before == t->length) {
				rows++;
				if (t->count < dp_param.named_sample)
					t->rows[t->count++] = before;
			}
		}
		before = p;
	}
	if (before != SIZE_MAX && t->count < dp_param.named_sample)
		t->rows[t->count++] = before;
	if (rows * 2 < pairs)
		t->count = 0;
}

/* Joins the symbols that occur at least twice in the same column. */
static bool join_columns(const struct table *t, uint32_t *parent, uint32_t *counts)
{
	bool joined = false;

	for (size_t o = 0; o < t->length; o++) {
		uint32_t first = DP_NONE;

		for (size_t r = 0; r < t->count && t->rows[r] + o < t->n; r++) {
			uint32_t x = t->symbols[t->rows[r] + o];

			if (++counts[x] != 2)
				continue;
			if (first == DP_NONE)
				first = x;
			else if (find_root(parent, first) != find_root(parent, x)) {
				join_classes(parent, first, x);
				joined = true;
			}
		}
		for (size_t r = 0; r < t->count && t->rows[r] + o < t->n; r++)
			counts[t->symbols[t->rows[r] + o]] = 0;
	}
	return joined;
}

static void number_classes(uint32_t *class_of, uint32_t *class_count, uint32_t *parent,
			   uint32_t alphabet)
{
	uint32_t next = 0;

	for (uint32_t x = 0; x < alphabet; x++) {
		uint32_t root = find_root(parent, x);

		class_of[x] = root == x ? next++ : class_of[root];
	}
	*class_count = next;
}

int dp_classes__derive(uint32_t *class_of, uint32_t *class_count,
		       struct dp_search_sequence *sequence)
{
	struct dp_candidate candidates[CANDIDATES];
	struct table t = { .symbols = sequence->symbols, .n = sequence->n };
	uint32_t alphabet = sequence->alphabet;
	uint32_t *parent = dp_alloc__array(alphabet, sizeof(*parent));
	uint32_t *counts = dp_alloc__zeroed(alphabet, sizeof(*counts));
	int status = DP_ERR_NOMEM, count;

	t.rows = dp_alloc__array(dp_param.named_sample, sizeof(*t.rows));
	if (!parent || !counts || !t.rows)
		goto out;
	for (uint32_t x = 0; x < alphabet; x++)
		parent[x] = x;
	status = dp_search_sequence__tree(sequence);
	if (status)
		goto out;
	count = dp_anchors__candidates(candidates, CANDIDATES, sequence->tree, dp_param.class_rows,
				       0, NULL);
	status = count < 0 ? count : DP_OK;
	for (int i = 0; i < count; i++) {
		lay_out(&t, &candidates[i], sequence->n);
		if (t.count >= dp_param.class_rows && join_columns(&t, parent, counts))
			break;
	}
	if (!status)
		number_classes(class_of, class_count, parent, alphabet);
out:
	free(t.rows);
	free(counts);
	free(parent);
	return status;
}
