/*
 * Variants of a loop: how often, how regularly, at what cost.
 *
 * The period of a variant is the most frequent distance between its consecutive iterations, found
 * by a majority vote (Boyer, Moore 1981). It is accepted if encoding the iterations with it takes
 * fewer bits than listing them individually (Rissanen 1978), by enough that only one in thirty
 * loops would have such a variant by chance.
 */
#include "metric/loop_variants.h"
#include "activity/periods.h"
#include "stats/stat.h"

#include <math.h>

enum { FEWEST = 3 }; /* iterations that determine a period */

static const double surprise_bits = 5;

/* Distances between the iterations of one variant. */
struct distances {
	bool seen;
	size_t last;	      /* iteration, plus 1 */
	size_t lead, votes;   /* the candidate of the vote */
	size_t on, late, off; /* the lead itself, a multiple of it, others */
};

static void gather(struct dp_variant *variants, struct distances *distances,
		   const struct dp_iteration *iterations, size_t count)
{
	for (size_t k = 0; k < count; k++) {
		const struct dp_iteration *at = &iterations[k];
		struct dp_variant *v = &variants[at->variant];
		struct distances *d = &distances[at->variant];

		if (!d->seen) {
			d->seen = true;
			v->first = k;
			v->inserted = at->inserted;
			v->deleted = at->deleted;
			v->substituted = at->substituted;
		}
		if (!at->partial) {
			v->count++;
			if (d->last && d->votes == 0)
				d->lead = k + 1 - d->last;
			if (d->last)
				d->votes += d->lead == k + 1 - d->last ? 1 : (size_t)-1;
			d->last = k + 1;
		}
	}
}

static void count_distances(struct distances *distances, size_t variants,
			    const struct dp_iteration *iterations, size_t count)
{
	for (size_t v = 0; v < variants; v++)
		distances[v].last = 0;
	for (size_t k = 0; k < count; k++) {
		struct distances *d = &distances[iterations[k].variant];
		size_t distance = k + 1 - d->last;

		if (iterations[k].partial)
			continue;
		if (d->last && d->lead > 0) {
			d->on += distance == d->lead;
			d->late += distance != d->lead && distance % d->lead == 0;
			d->off += distance % d->lead != 0;
		}
		d->last = k + 1;
	}
}

/* Bits to encode which k of n. Cost: k. */
static double choice_bits(size_t n, size_t k)
{
	double bits = 0;

	for (size_t i = 0; i < k; i++)
		bits += log2((double)(n - i) / (double)(i + 1));
	return bits;
}

static bool is_periodic(const struct dp_variant *v, const struct distances *d, size_t iterations,
			double threshold)
{
	size_t gaps = v->count - 1, period = d->lead;
	double bits;

	if (v->count < FEWEST || period < 2 || d->on * 2 <= gaps || d->off > 1 + gaps / 20 ||
	    v->count * 4 < iterations / period * 3)
		return false;
	bits = log2(1 + (double)iterations / (double)v->count) + log2((double)period);
	bits += choice_bits(gaps, d->late) + choice_bits(gaps - d->late, d->off);
	bits += (double)d->late + (double)d->off * log2((double)iterations);
	return choice_bits(iterations, v->count) - bits >= threshold;
}

static void find_periods(struct dp_variant *variants, const struct distances *distances,
			 size_t count, size_t iterations)
{
	double several = 1;

	for (size_t v = 1; v < count; v++)
		several += variants[v].count >= FEWEST;
	for (size_t v = 0; v < count; v++)
		if (is_periodic(&variants[v], &distances[v], iterations,
				surprise_bits + log2(several)))
			variants[v].period = distances[v].lead;
}

/* Computes the medians. times are sorted by variant first, those of variant v from begin[v] on. */
static void measure(struct dp_variant *variants, size_t count, double *times, size_t *begin,
		    const struct dp_iteration *iterations, size_t n)
{
	size_t most = 0, sum = 0;
	double usual_ns;

	for (size_t k = 0; k < n; k++)
		begin[iterations[k].variant] += !isnan(dp_period__steady_ns(iterations, n, k));
	for (size_t v = 0; v < count; v++) {
		size_t here = begin[v];

		begin[v] = sum;
		sum += here;
	}
	begin[count] = sum;
	/* each begin moves to its end, which is the next one's begin */
	for (size_t k = 0; k < n; k++) {
		double period_ns = dp_period__steady_ns(iterations, n, k);

		if (!isnan(period_ns))
			times[begin[iterations[k].variant]++] = period_ns;
	}
	for (size_t v = 0; v < count; v++) {
		size_t from = v ? begin[v - 1] : 0;

		variants[v].extra_ns = dp_stat__median(times + from, begin[v] - from);
		if (variants[v].count > variants[most].count)
			most = v;
	}
	usual_ns = variants[most].extra_ns;
	for (size_t v = 0; v < count; v++)
		variants[v].extra_ns -= usual_ns;
}

int dp_loop_variants__make(struct dp_variant **variants, const struct dp_loop *loop,
			   const struct dp_iteration *iterations, struct dp_error *error)
{
	size_t count = loop->variants, n = loop->iterations;
	struct dp_variant *made = dp_alloc__zeroed(DP_MAX(count, 1), sizeof(*made));
	struct distances *distances = dp_alloc__zeroed(DP_MAX(count, 1), sizeof(*distances));
	double *times = dp_alloc__array(DP_MAX(n, 1), sizeof(*times));
	size_t *begin = dp_alloc__zeroed(count + 1, sizeof(*begin));
	int status = DP_OK;

	if (!made || !distances || !times || !begin) {
		status = dp_error__nomem(error, 0);
		goto out;
	}
	gather(made, distances, iterations, n);
	count_distances(distances, count, iterations, n);
	find_periods(made, distances, count, n);
	measure(made, count, times, begin, iterations, n);
	*variants = made;
	made = NULL;
out:
	free(begin);
	free(times);
	free(distances);
	free(made);
	return status;
}
