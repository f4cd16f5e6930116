/*
 * Edits between two ranges, by furthest-reaching diagonals (Ukkonen 1985, Myers 1986) between
 * the common prefix and suffix. The number of edits tried is bounded by the square root of the
 * length, which makes the cost O(n + m): the rows have as many cells as its square.
 */
#include "align/diff.h"
#include "align/wave.h"
#include "base/parameters.h"

#include <math.h>

enum {
	LEAST = 16, /* edits tried, for short ranges that differ much */
	EDITS = 8,  /* more for each unit of that root: 64 cells for each symbol */
};

struct diff {
	const uint32_t *a, *b; /* symbols, pattern */
	size_t n, m;
	size_t first, from; /* the position of a[0], and the offset of b[0] */
	int *reach;	    /* row_of() */
	int most;
	struct dp_edit *edits;
	size_t count;
};

/* The symbols of a reached on each diagonal with e edits: row[k] for diagonal k, as in wave.c. */
static int *row_of(const struct diff *d, int e)
{
	return d->reach + (size_t)e * (size_t)(2 * d->most + 5) + d->most + 2;
}

static void put(struct diff *d, size_t position, size_t offset, uint32_t kind)
{
	d->edits[d->count++] =
		(struct dp_edit){ d->first + position, (uint32_t)(d->from + offset), kind };
}

static void backtrack(struct diff *d, int e, int k)
{
	d->count = (size_t)e;
	for (; e > 0; e--) {
		const int *row = row_of(d, e - 1);
		int s = dp_wave__extend(row, k, (int)d->n), t = s - k;
		uint32_t kind = dp_wave__kind(row, k, (int)d->n, s);

		d->edits[e - 1] = (struct dp_edit){
			.position = d->first + (size_t)(s - (kind != DP_EDIT_DELETED)),
			.offset = (uint32_t)(d->from + (size_t)(t - (kind != DP_EDIT_INSERTED))),
			.kind = kind,
		};
		k += kind == DP_EDIT_INSERTED ? -1 : kind == DP_EDIT_DELETED;
	}
}

/* Returns true once both ends are reached. */
static bool search(struct diff *d)
{
	int n = (int)d->n, m = (int)d->m;

	for (int k = -2; k <= 2; k++)
		row_of(d, 0)[k] = k ? DP_WAVE_OUT : 0;
	for (int e = 1; e <= d->most; e++) {
		int *row = row_of(d, e);

		row[-e - 2] = row[-e - 1] = row[e + 1] = row[e + 2] = DP_WAVE_OUT;
		for (int k = -e; k <= e; k++) {
			int s = dp_wave__extend(row_of(d, e - 1), k, n);

			/* one past the end of b would have been there with an edit less */
			row[k] = DP_WAVE_OUT;
			if (s < 0 || s < k || s - k > m)
				continue;
			while (s < n && s - k < m && d->a[s] == d->b[s - k])
				s++;
			row[k] = s;
		}
		if (n - m >= -e && n - m <= e && row[n - m] == n) {
			backtrack(d, e, n - m);
			return true;
		}
	}
	return false;
}

static void replace(struct diff *d)
{
	size_t both = DP_MIN(d->n, d->m);

	d->count = 0;
	for (size_t i = 0; i < both; i++)
		if (d->a[i] != d->b[i])
			put(d, i, i, DP_EDIT_SUBSTITUTED);
	for (size_t i = both; i < d->n; i++)
		put(d, i, d->m, DP_EDIT_INSERTED);
	for (size_t i = both; i < d->m; i++)
		put(d, d->n, i, DP_EDIT_DELETED);
}

int dp_diff__run(struct dp_edit **edits, size_t *count, const uint32_t *symbols, size_t first,
		 size_t end, const uint32_t *pattern, size_t from, size_t to)
{
	struct diff d = { .first = first, .from = from };
	size_t width, length = end - first + to - from;
	bool searched;
	int status = DP_ERR_NOMEM;

	*edits = NULL;
	*count = 0;
	for (; d.first < end && d.from < to && symbols[d.first] == pattern[d.from]; d.first++)
		d.from++;
	for (; d.first < end && d.from < to && symbols[end - 1] == pattern[to - 1]; end--)
		to--;
	if (d.first == end && d.from == to)
		return DP_OK;
	d.a = symbols + d.first;
	d.b = pattern + d.from;
	d.n = end - d.first;
	d.m = to - d.from;
	d.most = (int)DP_MIN(LEAST + EDITS * sqrt((double)length), (double)dp_param.diff_most);
	width = (size_t)(2 * d.most + 5);
	searched = d.n < INT32_MAX && d.m < INT32_MAX && d.n > 0 && d.m > 0;
	if (searched)
		d.reach = dp_alloc__array((size_t)d.most + 1, dp_size__mul(width, sizeof(int)));
	d.edits = dp_alloc__array(DP_MAX(DP_MAX(d.n, d.m), (size_t)d.most), sizeof(*d.edits));
	if (!d.edits || (searched && !d.reach))
		goto out;
	if (!searched || !search(&d))
		replace(&d);
	*edits = d.edits;
	*count = d.count;
	d.edits = NULL;
	status = DP_OK;
out:
	free(d.reach);
	free(d.edits);
	return status;
}
