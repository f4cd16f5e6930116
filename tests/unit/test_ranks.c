/* Building blocks for comparing ranks, tested with made-up jobs. */
#include "activity/collective.h"
#include "ranks/blame.h"
#include "ranks/clock.h"
#include "ranks/match.h"
#include "ranks/summary.h"
#include "ranks/units.h"
#include "test.h"

#include <math.h>
#include <string.h>

static uint64_t seed = UINT64_C(0x2545f4914f6cdd1d);

static uint32_t below(uint32_t limit)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)((seed >> 16) % limit);
}

/* Approximately normal, with standard deviation 1. */
static double noise(void)
{
	double sum = 0;

	for (int i = 0; i < 12; i++)
		sum += (double)below(1000001) / 1e6;
	return sum - 6;
}

enum { PLACES = 5, ITERATIONS = 30, CALLS = PLACES * ITERATIONS };

/* Calls of iterations that last 10 ms and vary by a percent; all are alike. */
static void make_calls(struct dp_match_call *calls)
{
	double time = 0;

	for (size_t i = 0; i < CALLS; i++) {
		time += 2e6 + noise() * 2e4;
		calls[i] = (struct dp_match_call){ i % PLACES % 3, (int64_t)time, -1 };
	}
}

/* A second rank that has those of keep, by a clock of its own. */
static size_t second_rank(struct dp_match_call *out, const struct dp_match_call *calls,
			  const bool *keep, double offset, double drift)
{
	size_t count = 0;

	for (size_t i = 0; i < CALLS; i++)
		if (keep[i]) {
			out[count] = calls[i];
			out[count++].end_ns += (int64_t)(offset + drift * (double)calls[i].end_ns +
							 noise() * 3e3);
		}
	return count;
}

static void match(uint32_t *partner, const struct dp_match_call *a, const struct dp_match_call *b,
		  size_t m, const struct dp_match_clock *clock)
{
	struct dp_match_reference reference;

	dp_match__reference(&reference, a, CALLS);
	dp_match__run(partner, &reference, b, m, clock);
}

static void assert_matched(const bool *keep, double offset, double drift, bool numbered)
{
	struct dp_match_call a[CALLS], b[CALLS];
	struct dp_match_clock clock = { false, 0 };
	uint32_t partner[CALLS];
	size_t m, next = 0;

	make_calls(a);
	for (int64_t i = 0; numbered && i < CALLS; i++)
		a[i].sequence = 100 + i;
	m = second_rank(b, a, keep, offset, drift);
	match(partner, a, b, m, &clock);
	for (size_t i = 0; i < CALLS; i++)
		if (keep[i])
			ck_assert_uint_eq(partner[next++], i);
}

TEST(match_late)
{
	bool keep[CALLS];

	/* A capture that begins any number of calls later, whole iterations included. */
	for (size_t late = 0; late < 4 * PLACES; late++) {
		for (size_t i = 0; i < CALLS; i++)
			keep[i] = i >= late;
		assert_matched(keep, 5e7 - 1e7 * (double)late, 5e-5, late % 2);
	}
}

TEST(match_missing)
{
	bool keep[CALLS];

	for (size_t at = 1; at + 1 < ITERATIONS; at += 3) {
		for (size_t i = 0; i < CALLS; i++)
			keep[i] = i / PLACES != at && below(40);
		assert_matched(keep, -3e7, -5e-5, at % 2);
	}
}

TEST(match_clock)
{
	struct dp_match_call a[CALLS], b[CALLS];
	struct dp_match_clock clock = { true, 1000000 };
	uint32_t partner[CALLS];

	/* Without noise many shifts agree equally: then the known clock decides. */
	for (int64_t i = 0; i < CALLS; i++) {
		a[i] = (struct dp_match_call){ 1, i * 1000000, -1 };
		b[i] = a[i];
	}
	match(partner, a, b, CALLS, &clock);
	for (size_t i = 0; i < CALLS; i++)
		ck_assert_uint_eq(partner[i], i ? i - 1 : DP_NONE);
	clock.known = false;
	match(partner, a, b, CALLS, &clock);
	for (size_t i = 0; i < CALLS; i++)
		ck_assert_uint_eq(partner[i], i);
}

TEST(match_strangers)
{
	struct dp_match_call a[CALLS], b[CALLS];
	struct dp_match_clock clock = { false, 0 };
	uint32_t partner[CALLS];

	make_calls(a);
	memcpy(b, a, sizeof(b));
	for (size_t i = 0; i < CALLS; i++)
		b[i].symbol += 10;
	match(partner, a, b, CALLS, &clock);
	for (size_t i = 0; i < CALLS; i++)
		ck_assert_uint_eq(partner[i], DP_NONE);
}

enum { RANKS = 6, EVENTS = 60 };

static const double offsets[RANKS] = { 0, 5e7, -5e7, 1234567, -7, 9e6 };
static const double drifts[RANKS] = { 0, 5e-5, -5e-5, 1e-5, 0, -2e-5 };

/* Events of the ranks that see them, over some seconds; returns the number of sights. */
static size_t make_sights(struct dp_clock_sight *sights, bool (*sees)(size_t event, size_t rank))
{
	size_t count = 0;

	for (size_t e = 0; e < EVENTS; e++) {
		double time = 1e9 + (double)e * 1e8;

		for (size_t r = 0; r < RANKS; r++)
			if (sees(e, r))
				sights[count++] = (struct dp_clock_sight){
					(uint32_t)e, (uint32_t)r,
					(int64_t)(time + offsets[r] + drifts[r] * time +
						  noise() * 3e3)
				};
	}
	return count;
}

static bool all_see(size_t event, size_t rank)
{
	return true;
}

/* Two groups, and every tenth event one rank of each: a chain of groups. */
static bool groups_see(size_t event, size_t rank)
{
	return event % 10 ? rank / 3 == event % 2 : rank % 3 == 0;
}

static bool halves_see(size_t event, size_t rank)
{
	return rank / 3 == event % 2;
}

static void assert_clocks(bool (*sees)(size_t event, size_t rank), double tolerance_ns)
{
	struct dp_clock_sight sights[RANKS * EVENTS];
	struct dp_rank_clock clocks[RANKS];
	size_t count = make_sights(sights, sees);

	ck_assert_int_eq(dp_clock__fit(clocks, RANKS, sights, count), DP_OK);
	for (size_t r = 0; r < RANKS; r++) {
		ck_assert(clocks[r].known);
		ck_assert_uint_eq(clocks[r].anchor, 0);
		ck_assert_double_lt(clocks[r].resolution_ns, 8e3);
		ck_assert_double_lt(fabs(clocks[r].drift - drifts[r]), 2e-6);
		for (double time = 1e9; time < 7e9; time += 1e9) {
			int64_t shown = (int64_t)(time + offsets[r] + drifts[r] * time);
			double back = (double)dp_clock__to_anchor(&clocks[r], shown);

			ck_assert_double_lt(fabs(back - time), tolerance_ns);
		}
	}
}

TEST(clock_fit)
{
	assert_clocks(all_see, 1e4);
	assert_clocks(groups_see, 3e4);
}

TEST(clock_apart)
{
	struct dp_clock_sight sights[RANKS * EVENTS];
	struct dp_rank_clock clocks[RANKS];
	size_t count = make_sights(sights, halves_see);

	/* Groups that share nothing have a clock each, and a single rank has none. */
	ck_assert_int_eq(dp_clock__fit(clocks, RANKS, sights, count), DP_OK);
	for (size_t r = 0; r < RANKS; r++)
		ck_assert_uint_eq(clocks[r].anchor, r / 3 * 3);
	ck_assert_int_eq(dp_clock__fit(clocks, RANKS, sights, 0), DP_OK);
	for (size_t r = 0; r < RANKS; r++)
		ck_assert(!clocks[r].known);
	sights[0] = (struct dp_clock_sight){ 0, 2, 5 };
	ck_assert_int_eq(dp_clock__fit(clocks, RANKS, sights, 1), DP_OK);
	ck_assert(!clocks[2].known);
}

enum { UNITS = 20 };

static double own[UNITS * RANKS];
static uint32_t classes[RANKS];
static uint32_t iteration[UNITS];

/* Ranks that take 10 ms, by 2% more or less. */
static struct dp_blame_times healthy(void)
{
	for (uint32_t u = 0; u < UNITS; u++) {
		iteration[u] = u;
		for (size_t r = 0; r < RANKS; r++)
			own[u * RANKS + r] = 1e7 + noise() * 2e5;
	}
	memset(classes, 0, sizeof(classes));
	return (struct dp_blame_times){ own, UNITS, RANKS, classes, iteration };
}

TEST(blame_nobody)
{
	struct dp_blame blame;
	int alarms = 0;

	for (int job = 0; job < 200; job++) {
		struct dp_blame_times times = healthy();

		ck_assert_int_eq(dp_blame__run(&blame, &times), DP_OK);
		alarms += blame.p < 0.05;
	}
	/* Of 200, 10 are expected: 22 or more would be so in one of 2,000 trials, 0 in 20,000. */
	ck_assert_int_lt(alarms, 22);
	ck_assert_int_gt(alarms, 0);
}

TEST(blame_straggler)
{
	struct dp_blame blame;

	for (uint32_t first = 0; first < UNITS / 2; first += 3) {
		struct dp_blame_times times = healthy();

		for (uint32_t u = first; u < UNITS; u++)
			own[u * RANKS + 4] += 1e6;
		ck_assert_int_eq(dp_blame__run(&blame, &times), DP_OK);
		ck_assert_uint_eq(blame.rank, 4);
		ck_assert_double_lt(blame.p, 0.002);
		ck_assert_uint_eq(blame.since, first);
		ck_assert_uint_eq(blame.every, 0);
		ck_assert_double_lt(fabs(blame.gain - 7.5e5), 2.5e5);
	}
}

/* A rank that is late now and then is so from the first time on, not only the last. */
TEST(blame_since)
{
	double values[19] = { 0 };

	values[6] = values[12] = values[18] = 7e6;
	ck_assert_uint_eq(dp_blame__since(values, 19), 6);
	values[6] = values[12] = 0;
	ck_assert_uint_eq(dp_blame__since(values, 19), 18);
}

TEST(blame_every)
{
	struct dp_blame_times times = healthy();
	struct dp_blame blame;

	for (uint32_t u = 2; u < UNITS; u += 4)
		own[u * RANKS + 1] += 3e6;
	ck_assert_int_eq(dp_blame__run(&blame, &times), DP_OK);
	ck_assert_uint_eq(blame.rank, 1);
	ck_assert_double_lt(blame.p, 0.005);
	ck_assert_uint_eq(blame.every, 4);
}

/* A rank lacks an iteration: the unit after it spans two, and may be slow for either. */
TEST(blame_every_without_one)
{
	struct dp_blame_times times = healthy();
	struct dp_blame blame;

	for (uint32_t u = 0; u < UNITS; u++) {
		iteration[u] = u < 6 ? u : u + 1;
		if (iteration[u] % 3 == 0 || u == 6)
			own[u * RANKS + 1] += 3e6;
	}
	ck_assert_int_eq(dp_blame__run(&blame, &times), DP_OK);
	ck_assert_uint_eq(blame.rank, 1);
	ck_assert_uint_eq(blame.every, 3);
	ck_assert_uint_eq(blame.since, 0);
}

TEST(blame_classes)
{
	struct dp_blame_times times = healthy();
	struct dp_blame blame;

	/* A class that takes longer as a whole is no rank's fault; a single rank of it is. */
	for (uint32_t u = 0; u < UNITS; u++)
		for (size_t r = 0; r < 3; r++)
			own[u * RANKS + r] += 5e6;
	for (size_t r = 0; r < RANKS; r++)
		classes[r] = r < 3 ? 0 : 1;
	ck_assert_int_eq(dp_blame__run(&blame, &times), DP_OK);
	ck_assert_double_gt(blame.p, 0.01);
	for (uint32_t u = 0; u < UNITS; u++)
		own[u * RANKS + 5] += 1e6;
	ck_assert_int_eq(dp_blame__run(&blame, &times), DP_OK);
	ck_assert_uint_eq(blame.rank, 5);
	ck_assert_double_lt(blame.p, 0.002);
	ck_assert_double_eq(blame.gain, 0); /* the slower class hides it */
}

TEST(blame_unknown)
{
	struct dp_blame_times times = healthy();
	struct dp_blame blame;

	for (size_t i = 0; i < UNITS * RANKS; i += 7)
		own[i] = NAN;
	for (uint32_t u = 0; u < UNITS; u++)
		own[u * RANKS + 3] += 2e6;
	ck_assert_int_eq(dp_blame__run(&blame, &times), DP_OK);
	ck_assert_uint_eq(blame.rank, 3);
	times.ranks = 1;
	ck_assert_int_eq(dp_blame__run(&blame, &times), DP_OK);
	ck_assert_uint_eq(blame.rank, DP_NONE);
}

/* A rank that is slow now will be slow a moment later: nine in ten ranks' noise at half strength.
 */
TEST(blame_lasting_noise)
{
	double last[RANKS] = { 0 };
	int alarms = 0;

	for (int job = 0; job < 200; job++) {
		struct dp_blame_times times = healthy();
		struct dp_blame blame;

		for (size_t i = 0; i < UNITS * RANKS; i++) {
			last[i % RANKS] = 0.6 * last[i % RANKS] + 0.8 * noise();
			own[i] = 1e7 + last[i % RANKS] * 2e5;
		}
		ck_assert_int_eq(dp_blame__run(&blame, &times), DP_OK);
		alarms += blame.p < 0.05;
	}
	/* taken for independent, it would be more than half of the jobs */
	ck_assert_int_lt(alarms, 90);
}

/* A rank is a little late each time, and long delays hit any rank: it is not the cause of those. */
TEST(blame_delays_of_any)
{
	int proven = 0;

	for (int job = 0; job < 20; job++) {
		struct dp_blame_times times = healthy();
		struct dp_blame blame;

		for (size_t i = 0; i < UNITS * RANKS; i++)
			own[i] = 1e7 + noise() * 1e4 + (i % RANKS == 2 ? 1e5 : 0) +
				 (below(10) ? 0 : 5e6);
		ck_assert_int_eq(dp_blame__run(&blame, &times), DP_OK);
		ck_assert_uint_eq(blame.rank, 2);
		ck_assert_double_lt(blame.p, 0.005);
		ck_assert_double_lt(blame.typical_gain, 2e5);
		proven += blame.gain_p < 0.02;
	}
	ck_assert_int_le(proven, 2);
}

/* Long delays that mostly hit one rank. */
TEST(blame_delays_of_one)
{
	struct dp_blame_times times = healthy();
	struct dp_blame blame;

	for (uint32_t u = 0; u < UNITS; u++)
		own[u * RANKS + (u % 4 ? 4 : u % RANKS)] += 1e6 + below(1000) * 1e4;
	ck_assert_int_eq(dp_blame__run(&blame, &times), DP_OK);
	ck_assert_uint_eq(blame.rank, 4);
	ck_assert_double_lt(blame.gain_p, 0.002);
}

/* Two ranks are slow in all iterations, and one is in a single one, by more in total. */
TEST(blame_excess_often)
{
	struct dp_blame_times times = healthy();
	double mean[RANKS], excess[RANKS], often[RANKS];

	for (uint32_t u = 0; u < UNITS; u++)
		own[u * RANKS + 1] += 1e6, own[u * RANKS + 3] += 1e6;
	own[7 * RANKS + 5] += 1e8;
	ck_assert_int_eq(dp_blame__excess(mean, excess, often, &times, 0), DP_OK);
	ck_assert_double_gt(excess[5], excess[1]);
	ck_assert_double_eq(often[1], 1);
	ck_assert_double_eq(often[3], 1);
	ck_assert_double_lt(often[5], 0.75);
	ck_assert_double_lt(fabs(excess[1] - 1e6), 3e5);
}

TEST(names)
{
	static const struct {
		const char *path;
		int64_t rank;
	} files[] = {
		{ "rank3.json", 3 },	       { "trace_rank-12.json.gz", 12 },
		{ "rank_0/trace.json", 0 },    { "rank1/rank2.json", 2 },
		{ "node3/out.json", -1 },      { "franks5.json", -1 },
		{ "rank.json", -1 },	       { "rank12345678901.json", -1 },
		{ "", -1 },
	};
	static const struct {
		const char *name;
		enum dp_collective_kind kind;
	} kinds[] = {
		{ "allreduce", DP_COLLECTIVE_ALLREDUCE },
		{ "_allgather_base", DP_COLLECTIVE_ALLGATHER },
		{ "_reduce_scatter_base", DP_COLLECTIVE_REDUCE_SCATTER },
		{ "all_to_allv", DP_COLLECTIVE_ALL_TO_ALL },
		{ "ncclDevKernel_Broadcast_RING_LL", DP_COLLECTIVE_BROADCAST },
		{ "ncclDevKernel_SendRecv", DP_COLLECTIVE_SEND_RECEIVE },
		{ "Reduce", DP_COLLECTIVE_REDUCE },
		{ "vllm::cross_device_reduce_1stage", DP_COLLECTIVE_ALLREDUCE },
		{ "ncclDevKernel_Generic", DP_COLLECTIVE_OTHER },
	};

	for (size_t i = 0; i < DP_COUNT(files); i++)
		ck_assert_int_eq(dp_rank_name__read(files[i].path), files[i].rank);
	for (size_t i = 0; i < DP_COUNT(kinds); i++)
		ck_assert_int_eq(dp_collective__kind(kinds[i].name), kinds[i].kind);
}

/* Two pipelines of four stages: ranks s and s + 4 are of stage s. */
TEST(stages_tied)
{
	uint32_t members[][4] = {
		{ 0, 1 }, { 1, 2 }, { 2, 3 }, { 4, 5 }, { 5, 6 }, { 6, 7 }, /* sends */
		{ 0, 4 }, { 1, 5 }, { 2, 6 }, { 3, 7 },			    /* gradients */
		{ 0, 3 }, { 4, 7 },	      /* embeddings of the first and the last stage */
		{ 0, 1, 2, 3 }, { 4, 5, 6, 7 }, /* norms */
	};
	struct dp_job_group groups[DP_COUNT(members)] = { 0 };
	struct dp_job job = { .count = 8, .groups = groups, .group_count = DP_COUNT(groups) };
	struct dp_stages stages;

	for (size_t g = 0; g < DP_COUNT(groups); g++)
		groups[g] = (struct dp_job_group){ .ranks = members[g],
						   .rank_count = g < 12 ? 2 : 4,
						   .pair = g < 6,
						   .sends = g < 6,
						   .synchronizes = g >= 6 };
	ck_assert_int_eq(dp_stages__init(&stages, &job), DP_OK);
	ck_assert_uint_eq(stages.count, 4);
	for (uint32_t r = 0; r < 8; r++)
		ck_assert_uint_eq(stages.stage[r], r % 4);
	dp_stages__fini(&stages);
	/* Without sends there are no stages, whatever groups there are. */
	for (size_t g = 0; g < 6; g++)
		groups[g].pair = groups[g].sends = false;
	ck_assert_int_eq(dp_stages__init(&stages, &job), DP_OK);
	ck_assert_uint_eq(stages.count, 1);
	dp_stages__fini(&stages);
}
