/*
 * A permutation test (Fisher 1935) with a scan over the begin, so that a rank that becomes slow
 * halfway is found like one that always was. The largest value of all ranks and begins is compared
 * with the largest of each shuffle, so that a large number of ranks makes none of them conspicuous.
 */
#include "ranks/blame.h"
#include "stats/stat.h"

#include <math.h>
#include <string.h>

/*
 * Shuffles: p is resolved down to 1 / 2000. If it is near one of the limits that verdicts have, up
 * to ten times as many reduce its standard error to .001 at .02 (compare the sequential tests of
 * Besag and Clifford 1991).
 */
enum { SHUFFLES = 1999, SHUFFLES_MOST = 19999 };
#define NEAR_LEAST 0.0025
#define NEAR_MOST 0.04
/*
 * Units are averaged to blocks: to iterations, and those to this many. This makes neighbours that
 * resemble each other independent. With fewer iterations than LEAST each unit is a block, as a
 * handful of iterations alone proves nothing.
 */
enum { BLOCKS = 64, LEAST = 8 };
/*
 * Periods of 2 to this many blocks are searched, if each is an iteration and the period occurs four
 * times.
 */
enum { EVERY_MOST = 16 };
/*
 * A larger excess, in standard deviations, counts as this: one pause of a second says nothing about
 * the next iteration.
 */
#define CLIP 6.0
/* Weight of the rest: a thousand standard deviations more are worth 7% of one. */
#define BEYOND 0.01
/*
 * A smaller spread, as a share of the median, is replaced by this: clocks tick, and simulated jobs
 * have no noise.
 */
#define LEAST_SPREAD 1e-3
#define MAD_SCALE 1.4826
/* Beyond this many times its median excess, what a rank delays others by is not typical of it. */
#define FAR_SLOWER 3.0

struct test {
	const struct dp_blame_times *times;
	size_t blocks;
	size_t *first;	   /* units of block b are first[b] to first[b + 1] */
	size_t every_most; /* 0: no recurrence can be found */
	double *excess;	   /* per block and rank; 0 if unknown */
	double *room;	   /* ranks of them */
	uint32_t *order;   /* ranks by class */
	uint64_t random;
};

/* xorshift64* (Vigna 2016): the same on all machines. */
static uint64_t draw(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(2685821657736338717);
}

static double lower_median(double *values, size_t count)
{
	return dp_stat__select(values, count, (count - 1) / 2);
}

/* The mean of a rank in a block; NaN if unknown. */
static double block_mean(const struct test *test, size_t block, size_t rank)
{
	const struct dp_blame_times *times = test->times;
	size_t count = 0;
	double sum = 0;

	for (size_t u = test->first[block]; u < test->first[block + 1]; u++) {
		double value = times->own[u * times->ranks + rank];

		if (isfinite(value)) {
			sum += value;
			count++;
		}
	}
	return count ? sum / (double)count : NAN;
}

/* The end of a class in order[], which is sorted by class. */
static size_t class_end(const struct test *test, size_t first)
{
	const uint32_t *classes = test->times->classes;
	size_t end = first + 1;

	while (end < test->times->ranks && classes[test->order[end]] == classes[test->order[first]])
		end++;
	return end;
}

/* Subtracts the median of each class from a row. */
static void subtract_medians(const struct test *test, double *row)
{
	for (size_t first = 0, end; first < test->times->ranks; first = end) {
		size_t count = 0;
		double middle;

		end = class_end(test, first);
		for (size_t i = first; i < end; i++)
			if (isfinite(row[test->order[i]]))
				test->room[count++] = row[test->order[i]];
		middle = count ? lower_median(test->room, count) : NAN;
		for (size_t i = first; i < end; i++)
			row[test->order[i]] -= middle;
	}
}

static int order_by_class(struct test *test)
{
	const struct dp_blame_times *times = test->times;
	size_t *first = dp_alloc__zeroed(times->ranks + 2, sizeof(*first));

	if (!first)
		return DP_ERR_NOMEM;
	for (size_t r = 0; r < times->ranks; r++)
		first[times->classes[r] + 1]++;
	for (size_t c = 1; c <= times->ranks; c++)
		first[c] += first[c - 1];
	for (size_t r = 0; r < times->ranks; r++)
		test->order[first[times->classes[r]]++] = (uint32_t)r;
	free(first);
	return DP_OK;
}

/*
 * Clips an excess. The rest counts a little, so that of two ranks that always exceed the limit the
 * later one wins: the tensor-parallel partner of a slow rank is slow, too, but less.
 */
static double clipped(double deviations)
{
	double beyond = fabs(deviations) - CLIP;

	return beyond > 0 ? copysign(CLIP + BEYOND * log1p(beyond), deviations) : deviations;
}

/* Computes the excess in standard deviations for all ranks and blocks. */
static int fill_excess(struct test *test)
{
	const size_t ranks = test->times->ranks, all = test->blocks * ranks;
	double *values = dp_alloc__array(all + 1, sizeof(*values));
	double typical, spread;
	size_t count = 0;

	if (!values)
		return DP_ERR_NOMEM;
	for (size_t b = 0; b < test->blocks; b++)
		for (size_t r = 0; r < ranks; r++) {
			double value = block_mean(test, b, r);

			test->excess[b * ranks + r] = value;
			if (isfinite(value))
				values[count++] = value;
		}
	typical = count ? dp_stat__median(values, count) : 0;
	for (size_t b = 0; b < test->blocks; b++)
		subtract_medians(test, test->excess + b * ranks);
	count = 0;
	for (size_t i = 0; i < all; i++)
		if (isfinite(test->excess[i]))
			values[count++] = test->excess[i];
	spread = count ? dp_stat__mad(values, count) * MAD_SCALE : 0;
	spread = fmax(spread, fmax(fabs(typical) * LEAST_SPREAD, 1e-9));
	for (size_t i = 0; i < all; i++)
		test->excess[i] = isfinite(test->excess[i]) ? clipped(test->excess[i] / spread) : 0;
	free(values);
	return DP_OK;
}

/* The same over each group of this many blocks. */
static double largest_recurring(const struct test *test, uint32_t *rank, double most)
{
	const size_t ranks = test->times->ranks;

	for (size_t every = 2; every <= test->every_most; every++)
		for (size_t first = 0; first < every; first++) {
			double scale =
				1 / sqrt((double)((test->blocks - first + every - 1) / every));

			for (size_t r = 0; r < ranks; r++)
				test->room[r] = 0;
			for (size_t b = first; b < test->blocks; b += every)
				for (size_t r = 0; r < ranks; r++)
					test->room[r] += test->excess[b * ranks + r];
			for (size_t r = 0; r < ranks; r++)
				if (test->room[r] * scale > most) {
					most = test->room[r] * scale;
					*rank = (uint32_t)r;
				}
		}
	return most;
}

/*
 * The largest sum over a rank's last blocks divided by its standard error, and whose it is. Uses
 * room.
 */
static double largest(const struct test *test, uint32_t *rank)
{
	const size_t ranks = test->times->ranks;
	double most = -INFINITY;

	for (size_t r = 0; r < ranks; r++)
		test->room[r] = 0;
	for (size_t b = test->blocks; b-- > 0;) {
		double scale = 1 / sqrt((double)(test->blocks - b));

		for (size_t r = 0; r < ranks; r++) {
			test->room[r] += test->excess[b * ranks + r];
			if (test->room[r] * scale > most) {
				most = test->room[r] * scale;
				*rank = (uint32_t)r;
			}
		}
	}
	return largest_recurring(test, rank, most);
}

/* Ranks of a class trade places, in each block. */
static void shuffle(struct test *test)
{
	const size_t ranks = test->times->ranks;

	for (size_t first = 0, end; first < ranks; first = end) {
		end = class_end(test, first);
		for (size_t b = 0; b < test->blocks; b++) {
			double *row = test->excess + b * ranks;

			for (size_t i = end - 1; i > first; i--) {
				size_t k = first + (size_t)(draw(&test->random) % (i - first + 1));
				double kept = row[test->order[i]];

				row[test->order[i]] = row[test->order[k]];
				row[test->order[k]] = kept;
			}
		}
	}
}

/* By how much the rank exceeds all others in a unit; negative if it does not, NaN if unknown. */
static double lead_of(const struct dp_blame_times *times, const double *row, size_t rank)
{
	double others = -INFINITY;

	for (size_t r = 0; r < times->ranks; r++)
		if (r != rank && row[r] > others)
			others = row[r];
	return isfinite(row[rank]) && isfinite(others) ? row[rank] - others : NAN;
}

/* The rank's excess over the median of its class in a unit; 0 if unknown. */
static double excess_of(const struct test *test, size_t unit, uint32_t rank)
{
	const struct dp_blame_times *times = test->times;
	const double *row = times->own + unit * times->ranks;
	size_t count = 0;
	double excess;

	for (size_t r = 0; r < times->ranks; r++)
		if (times->classes[r] == times->classes[rank] && isfinite(row[r]))
			test->room[count++] = row[r];
	excess = row[rank] - (count ? lower_median(test->room, count) : 0);
	return isfinite(excess) ? excess : 0;
}

static size_t highest(const double *values, size_t count)
{
	size_t at = 0;

	for (size_t i = 1; i < count; i++)
		if (values[i] > values[at])
			at = i;
	return at;
}

/* The number of iterations, up to the last one that a unit belongs to. */
static size_t iterations_of(const struct dp_blame_times *times)
{
	return (size_t)times->iteration[times->units - 1] + 1;
}

/* The rank's excess in each iteration; NaN in those that have no unit. */
static void fill_series(double *series, size_t count, const struct test *test, uint32_t rank)
{
	const struct dp_blame_times *times = test->times;

	for (size_t i = 0; i < count; i++)
		series[i] = NAN;
	for (size_t u = 0; u < times->units; u++) {
		double *at = &series[times->iteration[u]];

		*at = (isnan(*at) ? 0 : *at) + excess_of(test, u, rank);
	}
}

/* Iterations without a unit are part of the next one. Returns the first with a unit. */
static size_t fill_unknown(double *series, size_t count)
{
	size_t first = 0;

	while (first + 1 < count && isnan(series[first]))
		first++;
	for (size_t i = count - 1; i-- > first;)
		if (isnan(series[i]))
			series[i] = series[i + 1];
	return first;
}

/*
 * Describes since when, how often and by how much the rank is slow. series has room for the
 * iterations.
 */
static void describe(struct dp_blame *blame, struct test *test, double *series)
{
	const struct dp_blame_times *times = test->times;
	size_t count = iterations_of(times), first, since;

	fill_series(series, count, test, blame->rank);
	blame->every = dp_blame__every(series, count);
	first = fill_unknown(series, count);
	since = blame->every ? 0 : dp_blame__since(series + first, count - first);
	/*
	 * a single iteration before the change may be a capture's first, which lacks what ran
	 * before it
	 */
	blame->since = (uint32_t)(first + (since > 1 ? since : 0));
	blame->slowest = (uint32_t)(first + highest(series + first, count - first));
}

/* The share of shuffles, and the order found, that have a value as large as the one found. */
static double chance_of(struct test *test, double found)
{
	uint32_t other;
	size_t above = 0, count = 0;
	double p = 1;

	while (count < SHUFFLES || (count < SHUFFLES_MOST && p >= NEAR_LEAST && p <= NEAR_MOST)) {
		shuffle(test);
		above += largest(test, &other) >= found - 1e-9;
		count++;
		p = (double)(above + 1) / (double)(count + 1);
	}
	return p;
}

/*
 * Of equal ranks, one is the slowest of the largest class in all blocks with this probability: the
 * first block's slowest is slowest in each of the others, too.
 */
static double least_chance(const struct test *test)
{
	size_t largest_class = 1;

	for (size_t first = 0, end; first < test->times->ranks; first = end) {
		end = class_end(test, first);
		largest_class = DP_MAX(largest_class, end - first);
	}
	return pow((double)largest_class, 1 - (double)test->blocks);
}

/*
 * Sets the mean gains of units if the rank took as long as the slowest other. room has space for
 * the units.
 */
static void fill_gains(struct dp_blame *blame, const struct test *test, double *room)
{
	const struct dp_blame_times *times = test->times;
	size_t known = 0;
	double most;

	for (size_t u = 0; u < times->units; u++)
		if (times->iteration[u] >= blame->since &&
		    isfinite(times->own[u * times->ranks + blame->rank]))
			room[known++] = excess_of(test, u, blame->rank);
	most = known ? FAR_SLOWER * fmax(0, dp_stat__median(room, known)) : 0;
	known = 0;
	for (size_t u = 0; u < times->units; u++) {
		double lead = lead_of(times, times->own + u * times->ranks, blame->rank);

		if (times->iteration[u] < blame->since || !isfinite(lead))
			continue;
		blame->gain += fmax(0, lead);
		blame->typical_gain += fmin(fmax(0, lead), most);
		known++;
	}
	blame->gain /= fmax(1, (double)known);
	blame->typical_gain /= fmax(1, (double)known);
}

/*
 * What the slowest rank of each block, if it is of the class of the blamed one, delays the others
 * by; 0 in other blocks. Returns what the blamed rank's delays sum up to.
 */
static double fill_delays(double *delays, const struct test *test, uint32_t rank)
{
	const struct dp_blame_times *times = test->times;
	double sum = 0;

	for (size_t b = 0; b < test->blocks; b++) {
		size_t slowest = 0;
		double lead;

		for (size_t r = 0; r < times->ranks; r++)
			test->room[r] = block_mean(test, b, r);
		for (size_t r = 1; r < times->ranks; r++)
			if (!(test->room[r] <= test->room[slowest]) && isfinite(test->room[r]))
				slowest = r;
		lead = lead_of(times, test->room, slowest);
		delays[b] = lead > 0 && times->classes[slowest] == times->classes[rank] ? lead : 0;
		sum += slowest == rank ? delays[b] : 0;
	}
	return sum;
}

/*
 * Sets the share of draws, and the delays found, in which a rank's delays sum up to as much if each
 * is a random one's. delays has room for the blocks.
 */
static void fill_gain_p(struct dp_blame *blame, struct test *test, double *delays)
{
	const struct dp_blame_times *times = test->times;
	double found = fill_delays(delays, test, blame->rank) * (1 - 1e-9);
	size_t above = 0, members = 0;

	for (size_t r = 0; r < times->ranks; r++)
		members += times->classes[r] == times->classes[blame->rank];
	for (size_t i = 0; i < SHUFFLES; i++) {
		double sum = 0;

		for (size_t b = 0; b < test->blocks; b++)
			if (delays[b] > 0 && draw(&test->random) % members == 0)
				sum += delays[b];
		above += sum >= found;
	}
	blame->gain_p = (double)(above + 1) / (SHUFFLES + 1);
}

/* The block from which on a rank's mean excess differs most from the one before. */
static size_t change_of(const struct test *test, size_t rank, double *before, double *after)
{
	const double *excess = test->excess + rank;
	const size_t ranks = test->times->ranks, count = test->blocks;
	double total = 0, sum = 0, most = -1;
	size_t change = 0;

	*before = *after = 0;
	for (size_t b = 0; b < count; b++)
		total += excess[b * ranks];
	for (size_t b = 1; b < count; b++) {
		double low, high, square;

		sum += excess[(b - 1) * ranks];
		low = sum / (double)b;
		high = (total - sum) / (double)(count - b);
		square = (high - low) * (high - low) * (double)b * (double)(count - b);
		if (square > most) {
			most = square;
			change = b;
			*before = low;
			*after = high;
		}
	}
	return change;
}

/*
 * The autocorrelation of a rank's excess at a lag of one block, apart from one change: stragglers
 * may be slow from some block on. 0 if it is constant.
 */
static double autocorrelation(const struct test *test, size_t rank)
{
	const size_t ranks = test->times->ranks;
	double before, after, last = 0, products = 0, squares = 0;
	size_t change = change_of(test, rank, &before, &after);

	for (size_t b = 0; b < test->blocks; b++) {
		double at = test->excess[b * ranks + rank] - (b < change ? before : after);

		squares += at * at;
		products += at * last;
		last = at;
	}
	return squares > 0 ? products / squares : 0;
}

/*
 * Returns true if a rank that is slow in one block tends to be slow in the next, so that blocks are
 * not independent. If they are, estimates are below 0 on average, the more so as a change is
 * fitted. The lower median over the ranks ignores stragglers.
 */
static bool are_blocks_alike(const struct test *test)
{
	for (size_t r = 0; r < test->times->ranks; r++)
		test->room[r] = autocorrelation(test, r);
	return lower_median(test->room, test->times->ranks) > 0;
}

static void join_blocks(struct test *test)
{
	size_t count = test->blocks;

	test->blocks = (count + 1) / 2;
	for (size_t b = 1; b < test->blocks; b++)
		test->first[b] = test->first[2 * b];
	test->first[test->blocks] = test->times->units;
	test->every_most = 0; /* periods are of single iterations */
}

/* Joins neighbouring blocks until they are independent, or too few. */
static int make_independent(struct test *test)
{
	int status = fill_excess(test);

	while (!status && test->blocks >= 2 * LEAST && are_blocks_alike(test)) {
		join_blocks(test);
		status = fill_excess(test);
	}
	return status;
}

static int run(struct dp_blame *blame, struct test *test, double *series)
{
	int status = order_by_class(test);
	double found;

	if (!status)
		status = make_independent(test);
	if (status)
		return status;
	blame->least_p = least_chance(test);
	found = largest(test, &blame->rank);
	describe(blame, test, series);
	blame->p = chance_of(test, found);
	fill_gains(blame, test, series);
	fill_gain_p(blame, test, series);
	return DP_OK;
}

/*
 * Cuts units into pieces: iterations, or single units. Returns their number. first has room for
 * units + 1.
 */
static size_t cut_units(size_t *first, const struct dp_blame_times *times, bool iterations)
{
	size_t count = 0;

	for (size_t u = 0; u < times->units; u++)
		if (!u || !iterations || times->iteration[u] != times->iteration[u - 1])
			first[count++] = u;
	first[count] = times->units;
	return count;
}

static void cut_blocks(struct test *test)
{
	size_t count = cut_units(test->first, test->times, true);

	test->every_most = count <= BLOCKS ? DP_MIN(count / 4, EVERY_MOST) : 0;
	if (count < LEAST) {
		test->every_most = 0;
		count = cut_units(test->first, test->times, false);
	}
	test->blocks = DP_MIN(count, BLOCKS);
	for (size_t b = 1; b <= test->blocks; b++)
		test->first[b] = test->first[b * count / test->blocks];
}

/* Sums over a rank's units: of all, and of the current piece of them. */
struct rank_sums {
	size_t units, pieces, above;
	double piece;
};

/* Adds a piece, in which some ranks exceed their median. */
static void end_piece(struct rank_sums *sums, size_t ranks)
{
	for (size_t r = 0; r < ranks; r++) {
		if (isfinite(sums[r].piece)) {
			sums[r].pieces++;
			sums[r].above += sums[r].piece > 0;
		}
		sums[r].piece = NAN;
	}
}

/*
 * Adds the units from an iteration on. Pieces are iterations, or units if there is only one
 * iteration.
 */
static void sum_units(double *own, double *excess, struct rank_sums *sums, struct test *test,
		      double *row, uint32_t since)
{
	const struct dp_blame_times *times = test->times;
	bool by_unit = times->units && times->iteration[0] == times->iteration[times->units - 1];

	for (size_t u = 0; u < times->units; u++) {
		const double *from = times->own + u * times->ranks;

		if (times->iteration[u] < since)
			continue;
		if (!u || by_unit || times->iteration[u] != times->iteration[u - 1])
			end_piece(sums, times->ranks);
		memcpy(row, from, times->ranks * sizeof(*row));
		subtract_medians(test, row);
		for (size_t r = 0; r < times->ranks; r++) {
			if (!isfinite(row[r]))
				continue;
			own[r] += from[r];
			excess[r] += row[r];
			sums[r].piece = (isfinite(sums[r].piece) ? sums[r].piece : 0) + row[r];
			sums[r].units++;
		}
	}
	end_piece(sums, times->ranks);
}

int dp_blame__excess(double *own, double *excess, double *often, const struct dp_blame_times *times,
		     uint32_t since)
{
	struct test test = { .times = times };
	double *row = dp_alloc__array(times->ranks + 1, sizeof(*row));
	struct rank_sums *sums = dp_alloc__zeroed(times->ranks + 1, sizeof(*sums));
	int status = DP_ERR_NOMEM;

	test.room = dp_alloc__array(times->ranks + 1, sizeof(*test.room));
	test.order = dp_alloc__array(times->ranks + 1, sizeof(*test.order));
	if (row && sums && test.room && test.order)
		status = order_by_class(&test);
	for (size_t r = 0; r < times->ranks && !status; r++) {
		own[r] = excess[r] = 0;
		sums[r].piece = NAN;
	}
	if (!status)
		sum_units(own, excess, sums, &test, row, since);
	for (size_t r = 0; r < times->ranks && !status; r++) {
		own[r] = sums[r].units ? own[r] / (double)sums[r].units : NAN;
		excess[r] = sums[r].units ? excess[r] / (double)sums[r].units : NAN;
		often[r] = (double)sums[r].above / fmax(1, (double)sums[r].pieces);
	}
	free(row);
	free(sums);
	free(test.room);
	free(test.order);
	return status;
}

int dp_blame__run(struct dp_blame *blame, const struct dp_blame_times *times)
{
	struct test test = { .times = times, .random = UINT64_C(0x9e3779b97f4a7c15) };
	double *series;
	int status = DP_ERR_NOMEM;

	*blame = (struct dp_blame){ .rank = DP_NONE, .p = 1, .gain_p = 1 };
	if (!times->units || times->ranks < 2)
		return DP_OK;
	test.first = dp_alloc__array(times->units + 1, sizeof(*test.first));
	if (!test.first)
		return DP_ERR_NOMEM;
	cut_blocks(&test);
	test.excess = dp_alloc__array(test.blocks * times->ranks, sizeof(*test.excess));
	test.room = dp_alloc__array(times->ranks, sizeof(*test.room));
	test.order = dp_alloc__array(times->ranks, sizeof(*test.order));
	series = dp_alloc__array(DP_MAX(iterations_of(times), times->units), sizeof(*series));
	if (test.excess && test.room && test.order && series)
		status = run(blame, &test, series);
	free(test.first);
	free(test.excess);
	free(test.room);
	free(test.order);
	free(series);
	return status;
}
