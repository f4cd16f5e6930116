/* Which ranks are named in a job of a single pass: kernels that differ, and a collective after
 * each. */
#include "rank_trace.h"
#include "test.h"

#include <deepprof/ranks.h>
#include <math.h>
#include <string.h>

enum { RANKS = 6, CALLS = 72 };

static uint64_t seed = UINT64_C(0x2545f4914f6cdd1d);

static int below(int limit)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (int)((seed >> 16) % (unsigned int)limit);
}

/* When a rank reaches each collective, in µs after the previous one. */
static int work[CALLS][RANKS];

static void make_noise(void)
{
	for (int i = 0; i < CALLS; i++)
		for (int r = 0; r < RANKS; r++)
			work[i][r] = 1000 + 37 * (i % 11) + below(20);
}

static struct dp_analysis *analyze(int rank)
{
	struct rank_trace trace;
	int time_us = 100;

	begin_trace(&trace, rank);
	for (int i = 0; i < CALLS; i++) {
		int most = 0, came_us = time_us + work[i][rank];

		for (int r = 0; r < RANKS; r++)
			most = most < work[i][r] ? work[i][r] : most;
		fprintf(trace.file,
			"%s{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm_%d\",\"pid\":0,"
			"\"tid\":7,\"ts\":%d,\"dur\":%d,\"args\":{\"device\":0,\"stream\":7}}",
			i ? "," : "", i * i, time_us + 5, work[i][rank] - 10);
		time_us += most + 600;
		fprintf(trace.file,
			",{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclDevKernel_AllReduce\","
			"\"pid\":0,\"tid\":8,\"ts\":%d,\"dur\":%d,\"args\":{\"device\":0,"
			"\"stream\":8}}",
			came_us, time_us - came_us);
	}
	return analyze_trace(&trace);
}

static struct dp_ranks *compare(void)
{
	struct dp_summary *summaries[RANKS];
	struct dp_ranks *ranks = NULL;

	for (int r = 0; r < RANKS; r++) {
		struct dp_summary_source source = DP_SUMMARY_SOURCE_INIT;
		struct dp_analysis *analysis = analyze(r);

		source.name = "pass.json";
		ck_assert_int_eq(dp_summary_run(&summaries[r], analysis, &source, NULL), DP_OK);
		dp_analysis_free(analysis);
	}
	ck_assert_int_eq(dp_ranks_run(&ranks, summaries, RANKS, NULL, NULL), DP_OK);
	for (int r = 0; r < RANKS; r++)
		dp_summary_free(summaries[r]);
	ck_assert_uint_eq(dp_ranks_iteration_count(ranks), 0);
	return ranks;
}

struct text {
	char bytes[1 << 16];
	size_t used;
};

static int append(void *ctx, const void *data, size_t size)
{
	struct text *text = ctx;

	ck_assert_uint_lt(text->used + size, sizeof(text->bytes));
	memcpy(text->bytes + text->used, data, size);
	text->used += size;
	text->bytes[text->used] = '\0';
	return 0;
}

static void write_as(struct text *text, const struct dp_ranks *ranks, const char *format)
{
	struct dp_sink sink = { append, text };

	text->used = 0;
	ck_assert_int_eq(dp_ranks_write(ranks, format, NULL, &sink, NULL), DP_OK);
}

TEST(noise)
{
	for (int job = 0; job < 5; job++) {
		struct dp_ranks *ranks;

		make_noise();
		ranks = compare();
		ck_assert_int_eq(dp_ranks_verdict(ranks)->kind, DP_VERDICT_NONE);
		ck_assert_ptr_null(dp_ranks_straggler(ranks, 0));
		dp_ranks_free(ranks);
	}
}

/* Any rank may be late by milliseconds; one is late by little each time, too. */
TEST(delays_of_any)
{
	for (int job = 0; job < 5; job++) {
		struct dp_ranks *ranks;

		make_noise();
		for (int i = 0; i < CALLS; i++) {
			work[i][2] += 25;
			for (int r = 0; r < RANKS; r++)
				work[i][r] += below(12) ? 0 : 1000 + below(10000);
		}
		ranks = compare();
		ck_assert_int_eq(dp_ranks_verdict(ranks)->kind, DP_VERDICT_NONE);
		dp_ranks_free(ranks);
	}
}

/* Two ranks are late in turn, the second more often, but by less. */
TEST(two)
{
	const struct dp_ranks_straggler *first, *second;
	const struct dp_ranks_verdict *verdict;
	struct dp_ranks *ranks;
	static struct text text;
	double late[2] = { 0, 0 };

	make_noise();
	for (int i = 1; i < CALLS; i++) {
		if (i * 7 % 10 < 3) {
			work[i][4] += 2000 + 100 * (i % 13);
			late[0] += 2000e3 + 100e3 * (i % 13);
		} else if (i * 7 % 10 < 8) {
			work[i][1] += 700 + 10 * (i % 17);
			late[1] += 700e3 + 10e3 * (i % 17);
		}
	}
	ranks = compare();
	verdict = dp_ranks_verdict(ranks);
	ck_assert_int_eq(verdict->kind, DP_VERDICT_STRAGGLER);
	ck_assert_uint_eq(verdict->rank_count, 2);
	ck_assert_uint_eq(verdict->ranks[0], 1);
	ck_assert_uint_eq(verdict->ranks[1], 4);
	ck_assert_uint_eq(verdict->collectives, CALLS - 1);
	first = dp_ranks_straggler(ranks, 0);
	second = dp_ranks_straggler(ranks, 1);
	ck_assert_ptr_nonnull(second);
	ck_assert_ptr_null(dp_ranks_straggler(ranks, 2));
	ck_assert_uint_eq(first->rank, 4);
	ck_assert_uint_eq(second->rank, 1);
	ck_assert_double_le(second->p_value, 0.001);
	ck_assert_double_lt(fabs(first->cost_ns * (CALLS - 1) / late[0] - 1), 0.05);
	ck_assert_double_lt(fabs(second->cost_ns * (CALLS - 1) / late[1] - 1), 0.05);
	ck_assert_double_lt(fabs(verdict->cost_ns * (CALLS - 1) / (late[0] + late[1]) - 1), 0.05);
	ck_assert_double_gt(verdict->collective_ns, 1.6e6);
	ck_assert_uint_eq(verdict->last, first->last);
	write_as(&text, ranks, "text");
	ck_assert_ptr_nonnull(strstr(text.bytes, "no iterations found"));
	ck_assert_ptr_nonnull(strstr(text.bytes, "per collective"));
	ck_assert_ptr_nonnull(strstr(text.bytes, "rank 4 alone"));
	ck_assert_ptr_null(strstr(text.bytes, "per iteration"));
	write_as(&text, ranks, "json");
	ck_assert_ptr_nonnull(
		strstr(text.bytes, "\"cost_per\": \"collective\", \"collectives\": 71"));
	dp_ranks_free(ranks);
}

/* A single one, whose costs are those of the verdict. */
TEST(one)
{
	const struct dp_ranks_verdict *verdict;
	struct dp_ranks *ranks;

	make_noise();
	for (int i = 0; i < CALLS; i++)
		work[i][3] += i % 3 ? 0 : 1500;
	ranks = compare();
	verdict = dp_ranks_verdict(ranks);
	ck_assert_int_eq(verdict->kind, DP_VERDICT_STRAGGLER);
	ck_assert_uint_eq(verdict->rank_count, 1);
	ck_assert_uint_eq(dp_ranks_straggler(ranks, 0)->rank, 3);
	ck_assert_double_eq(dp_ranks_straggler(ranks, 0)->cost_ns, verdict->cost_ns);
	ck_assert_double_eq(dp_ranks_straggler(ranks, 0)->p_value, verdict->p_value);
	ck_assert_ptr_null(dp_ranks_straggler(ranks, 1));
	dp_ranks_free(ranks);
}
