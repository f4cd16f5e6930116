/*
 * Edits between two ranges, by furthest-reaching diagonals (Ukkonen 1985, Myers 1986) between
 * the common prefix and suffix. The number of edits tried is bounded by the square root of the
 * length, which makes the cost O(n + m): the rows have as many cells as its square.
 */
#include "align/diff.h"
#include "align/wave.h"
#include "base/parameters.h"

#include <math.h>

struct diff {
	const uint32_t *a, *b; /* symbols, pattern */
	size_t n, m;
	struct dp_reach reach;
	struct dp_edit *edits;
	size_t count;
};

static void put_edit(struct diff *d, size_t position, size_t offset, uint32_t kind)
{
	d->edits[d->count++] = (struct dp_edit){ position, (uint32_t)offset, kind };
}

/* Returns true once both ends are reached. */
static bool search_edits(struct diff *d)
{
	const struct dp_reach *reach = &d->reach;
	int n = (int)d->n, m = (int)d->m;

	dp_reach__begin(reach, 0)[0] = 0;
	for (int e = 1; e <= reach->most; e++) {
		int *row = dp_reach__begin(reach, e);

		for (int k = -e; k <= e; k++) {
			int s = dp_reach__extend(dp_reach__row(reach, e - 1), k, n);

			/* one past the end of b would have been there with an edit less */
			row[k] = DP_WAVE_OUT;
			if (s < 0 || s < k || s - k > m)
				continue;
			while (s < n && s - k < m && d->a[s] == d->b[s - k])
				s++;
			row[k] = s;
		}
		if (n - m < -e || n - m > e || row[n - m] < n)
			continue;
		dp_reach__trace(d->edits, reach, e, n - m);
		d->count = (size_t)e;
		return true;
	}
	return false;
}

static void replace_all(struct diff *d)
{
	size_t both = DP_MIN(d->n, d->m);

	for (size_t i = 0; i < both; i++)
		if (d->a[i] != d->b[i])
			put_edit(d, i, i, DP_EDIT_SUBSTITUTED);
	for (size_t i = both; i < d->n; i++)
		put_edit(d, i, d->m, DP_EDIT_INSERTED);
	for (size_t i = both; i < d->m; i++)
		put_edit(d, d->n, i, DP_EDIT_DELETED);
}

int dp_diff__run(struct dp_edit **edits, size_t *count, struct dp_diff_range a,
		 struct dp_diff_range b)
{
	struct diff d = { .count = 0 };
	size_t length = a.end - a.first + b.end - b.first;
	bool searched;
	int status = DP_ERR_NOMEM;

	*edits = NULL;
	*count = 0;
	while (a.first < a.end && b.first < b.end && a.symbols[a.first] == b.symbols[b.first]) {
		a.first++;
		b.first++;
	}
	while (a.first < a.end && b.first < b.end && a.symbols[a.end - 1] == b.symbols[b.end - 1]) {
		a.end--;
		b.end--;
	}
	d.a = a.symbols + a.first;
	d.b = b.symbols + b.first;
	d.n = a.end - a.first;
	d.m = b.end - b.first;
	if (d.n + d.m == 0)
		return DP_OK;
	d.reach.most = (int)DP_MIN((double)dp_param.diff_least +
					   dp_param.diff_edits * sqrt((double)length),
				   (double)dp_param.diff_most);
	d.reach.limit = (int)DP_MIN(d.n, (size_t)INT32_MAX);
	searched = d.n < INT32_MAX && d.m < INT32_MAX && d.n > 0 && d.m > 0;
	if (searched)
		d.reach.rows = dp_alloc__array(DP_REACH_SIZE(d.reach.most), sizeof(int));
	d.edits = dp_alloc__array(DP_MAX(DP_MAX(d.n, d.m), (size_t)d.reach.most), sizeof(*d.edits));
	if (!d.edits || (searched && !d.reach.rows))
		goto out;
	if (!searched || !search_edits(&d))
		replace_all(&d);
	for (size_t i = 0; i < d.count; i++) {
		d.edits[i].position += a.first;
		d.edits[i].offset += (uint32_t)b.first;
	}
	*edits = d.edits;
	*count = d.count;
	d.edits = NULL;
	status = DP_OK;
out:
	free(d.reach.rows);
	free(d.edits);
	return status;
}
