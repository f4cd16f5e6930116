/*
 * Runs with short periods. A run with period p shows where the last four symbols occurred p before;
 * it is then extended in both directions (compare the seeds of Main and Lorentz 1984). Not all runs
 * of a string are needed: one after another is enough. With a given period, only what is that far
 * apart is compared.
 *
 * Cost: O(n), times the longest period if any will do.
 */
#include "pattern/runs.h"
#include "base/parameters.h"
#include "base/repeats.h"
#include "base/sort.h"

#include <math.h>
#include <string.h>

enum { GRAM = 4 }; /* symbols that show a run when they recur: fewer often do by chance */

struct collapser {
	const uint32_t *symbols;
	size_t n;
	struct dp_runs *runs;
	size_t period; /* the only one; 0: any */
	struct dp_substrings units;
};

void dp_runs__fini(struct dp_runs *runs)
{
	free(runs->symbols);
	free(runs->position);
	free(runs->units);
	memset(runs, 0, sizeof(*runs));
}

static void put_symbol(struct dp_runs *runs, uint32_t symbol, size_t position)
{
	runs->position[runs->count] = (uint32_t)position;
	runs->symbols[runs->count++] = symbol;
}

/* The fewest symbols that are a run with period p: one of a single symbol needs five. */
static size_t fewest(size_t p)
{
	return DP_MAX(dp_param.run_times * p, GRAM + p);
}

/* Returns true if `count` symbols at a position equal those p before them. */
static bool recur(const struct collapser *c, size_t at, size_t p, size_t count)
{
	return at >= p && at + count <= c->n &&
	       !memcmp(c->symbols + at, c->symbols + at - p, count * sizeof(*c->symbols));
}

/* The period that seems to continue at a position, or 0. */
static size_t period_at(const struct collapser *c, size_t at)
{
	size_t p = DP_MAX(c->period, 1);

	while (!c->period && p <= dp_param.run_period && !recur(c, at, p, GRAM))
		p++;
	return p <= dp_param.run_period && recur(c, at, p, p) ? p : 0;
}

/*
 * Collapses in one pass; the symbols of a run that were written before it was detected are taken
 * back.
 */
static int collapse_runs(struct collapser *c, uint32_t alphabet)
{
	struct dp_runs *runs = c->runs;
	size_t low = 0, at = 0; /* no run begins before low */

	while (at < c->n) {
		size_t p = period_at(c, at), start = at - p, end = at;
		uint32_t name;
		int status;

		if (p > 0 && start >= low) {
			while (start > low && c->symbols[start - 1] == c->symbols[start - 1 + p])
				start--;
			end += dp_repeats__same(c->symbols, c->n, end, p);
		}
		if (p == 0 || end - start < fewest(p)) {
			put_symbol(runs, c->symbols[at], at);
			at++;
			continue;
		}
		status = dp_substrings__number(&name, &c->units,
					       dp_substrings__at(&c->units, start, p));
		if (status)
			return status;
		runs->count -= at - start;
		put_symbol(runs, alphabet + name, start);
		runs->runs++;
		end -= (end - start) % p;
		at = low = end;
	}
	runs->position[runs->count] = (uint32_t)c->n;
	runs->alphabet = alphabet + (uint32_t)c->units.count;
	return DP_OK;
}

/* The longest unit at `at` in the collapsed sequence, or DP_NONE. */
static uint32_t unit_at(const struct collapser *c, const uint32_t *first, const uint32_t *next,
			size_t at)
{
	const struct dp_runs *runs = c->runs;
	uint32_t best = DP_NONE, unit = first[runs->symbols[at]];
	size_t longest = 0;

	for (int tried = 0; unit != DP_NONE && tried < (int)dp_param.units_tried;
	     unit = next[unit], tried++) {
		const struct dp_substring *u = &c->units.items[unit];

		if (u->length > longest && at + u->length <= runs->count &&
		    !memcmp(runs->symbols + at, c->symbols + u->at,
			    u->length * sizeof(*c->symbols))) {
			longest = u->length;
			best = unit;
		}
	}
	return best;
}

/*
 * The unit of a run is one symbol even where it occurs less often in a row: a loop that runs until
 * some condition holds may end after the first time, and one may run once more each time.
 */
static int collapse_single(struct collapser *c, uint32_t alphabet)
{
	struct dp_runs *runs = c->runs;
	/* of each symbol the first unit that begins with it, and of each unit the next one */
	uint32_t *first = dp_alloc__array(runs->alphabet, sizeof(*first));
	uint32_t *next = dp_alloc__array(c->units.count, sizeof(*next));
	size_t count = 0;
	int status = first && next ? DP_OK : DP_ERR_NOMEM;

	if (status)
		goto out;
	memset(first, 0xff, runs->alphabet * sizeof(*first));
	for (size_t u = c->units.count; u-- > 0;) {
		uint32_t *head = &first[c->symbols[c->units.items[u].at]];

		next[u] = *head;
		*head = (uint32_t)u;
	}
	for (size_t i = 0; i < runs->count; count++) {
		uint32_t unit = unit_at(c, first, next, i), position = runs->position[i];
		uint32_t symbol = runs->symbols[i];

		if (unit == DP_NONE)
			i++;
		while (unit != DP_NONE && i < runs->count && unit_at(c, first, next, i) == unit) {
			symbol = alphabet + unit;
			i += c->units.items[unit].length;
		}
		runs->symbols[count] = symbol;
		runs->position[count] = position;
	}
	runs->position[count] = (uint32_t)c->n;
	runs->count = count;
out:
	free(next);
	free(first);
	return status;
}

/*
 * The bits for numbers that belong to one unit: each distinct one once, in Elias's gamma code, then
 * which of them each run has, by their frequencies. The numbers are sorted.
 */
static double bits_of_numbers(const int64_t *numbers, size_t n)
{
	double bits = 0;

	for (size_t i = 0, next; i < n; i = next) {
		for (next = i + 1; next < n && numbers[next] == numbers[i];)
			next++;
		bits += 2 * floor(log2(fabs((double)numbers[i]) + 1)) + 1;
		bits += (double)(next - i) * log2((double)n / (double)(next - i));
	}
	return bits;
}

/*
 * The bits for one unit's repeat counts, which are overwritten: for the counts themselves or, where
 * they grow or shrink steadily, for how each differs from the one before.
 */
static double bits_of_unit(int64_t *counts, int64_t *changes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		changes[i] = counts[i] - (i ? counts[i - 1] : 0);
	dp_sort__i64(counts, n);
	dp_sort__i64(changes, n);
	return 1 + fmin(bits_of_numbers(counts, n), bits_of_numbers(changes, n));
}

int dp_runs__bits(double *bits, const struct dp_runs *runs, uint32_t alphabet)
{
	size_t *order = dp_alloc__array(runs->count, sizeof(*order)), n = 0;
	int64_t *counts = dp_alloc__array(runs->count, 2 * sizeof(*counts));
	int status = order && counts ? DP_OK : DP_ERR_NOMEM;

	*bits = 0;
	/* the runs by unit, those of one unit as they come */
	for (size_t k = 0; k < runs->count && !status; k++)
		if (runs->symbols[k] >= alphabet)
			order[n++] = (size_t)(runs->symbols[k] - alphabet) << 32 | k;
	if (!status)
		dp_sort__size(order, n);
	for (size_t i = 0, next; i < n; i = next) {
		size_t unit = order[i] >> 32;

		for (next = i; next < n && order[next] >> 32 == unit; next++) {
			const uint32_t *position = &runs->position[(uint32_t)order[next]];

			counts[next - i] =
				(int64_t)((position[1] - position[0]) / runs->units[unit].length);
		}
		*bits += bits_of_unit(counts, counts + runs->count, next - i);
	}
	free(counts);
	free(order);
	return status;
}

/* A run: its place, that is its unit and the symbols before and after it; and its length. */
struct run {
	uint32_t unit, before, after, length;
};

static int compare_places(const struct run *a, const struct run *b)
{
	return memcmp(a, b, offsetof(struct run, length));
}

static int compare_runs(const void *x, const void *y)
{
	const struct run *a = x, *b = y;
	int order = compare_places(a, b);

	return order ? order : (a->length > b->length) - (a->length < b->length);
}

/* The symbols by which n sorted runs at one place differ from their median. */
static size_t variation_at(const struct run *runs, size_t n)
{
	size_t sum = 0;

	for (size_t i = 0; n >= dp_param.loop_least && i < n / 2; i++)
		sum += runs[n - 1 - i].length - runs[i].length;
	return sum;
}

int dp_runs__variation(size_t *variation, const struct dp_runs *runs, uint32_t alphabet)
{
	struct run *list = dp_alloc__array(runs->count, sizeof(*list));
	const uint32_t *s = runs->symbols, *position = runs->position;
	size_t n = 0, sum = 0;

	*variation = 0;
	if (!list)
		return DP_ERR_NOMEM;
	/* the first and the last run may be cut off */
	for (size_t k = 1; k + 1 < runs->count; k++)
		if (s[k] >= alphabet &&
		    position[k + 1] - position[k] >= fewest(runs->units[s[k] - alphabet].length))
			list[n++] = (struct run){ s[k], s[k - 1], s[k + 1],
						  position[k + 1] - position[k] };
	qsort(list, n, sizeof(*list), compare_runs);
	for (size_t i = 0, next; i < n; i = next) {
		for (next = i + 1; next < n && !compare_places(&list[i], &list[next]);)
			next++;
		sum = (i > 0 && list[i].unit == list[i - 1].unit ? sum : 0) +
		      variation_at(list + i, next - i);
		*variation = DP_MAX(*variation, sum);
	}
	free(list);
	return DP_OK;
}

/* The fewest symbols that collapsing the runs with period p removes. */
static size_t removed_by(const uint32_t *symbols, size_t n, size_t p)
{
	size_t removed = 0, same;

	for (size_t i = p; i < n; i += same + 1) {
		same = dp_repeats__same(symbols, n, i, p);
		if (same + p >= fewest(p))
			removed += same;
	}
	return removed;
}

size_t dp_runs__shortest_period(const uint32_t *symbols, size_t n)
{
	for (size_t p = 1; p <= dp_param.run_period && p < n; p++)
		if ((double)removed_by(symbols, n, p) > dp_param.run_share * (double)n)
			return p;
	return 0;
}

int dp_runs__collapse(struct dp_runs *runs, const uint32_t *symbols, size_t n, uint32_t alphabet,
		      size_t period, bool single)
{
	struct collapser c = { symbols, n, runs, period, dp_substrings__of(symbols) };
	int status = DP_ERR_NOMEM;

	memset(runs, 0, sizeof(*runs));
	runs->symbols = dp_alloc__array(n, sizeof(*runs->symbols));
	runs->position = dp_alloc__array(n + 1, sizeof(*runs->position));
	if (runs->symbols && runs->position)
		status = collapse_runs(&c, alphabet);
	if (!status && runs->runs && single)
		status = collapse_single(&c, alphabet);
	runs->units = c.units.items;
	c.units.items = NULL;
	dp_substrings__fini(&c.units);
	if (status)
		dp_runs__fini(runs);
	return status;
}
