/* Comparing the ranks of a job survives the failure of every one of its allocations. */
#include "alloc_fail.h"
#include "rank_trace.h"
#include "test.h"

#include <deepprof/ranks.h>

enum { RANKS = 4, ITERATIONS = 12 };

/* Iterations of a kernel, an all-reduce and a send to the next rank; the last ranks are late. */
static struct dp_analysis *analyze(int rank, int late)
{
	struct rank_trace trace;
	int time_us = 100;

	begin_trace(&trace, rank);
	for (int i = 0; i < ITERATIONS; i++, time_us += 200) {
		int late_us = rank >= RANKS - late ? 20 : 0;

		fprintf(trace.file,
			"%s{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":0,\"tid\":7,"
			"\"ts\":%d,\"dur\":%d,\"args\":{\"device\":0,\"stream\":7}}",
			i ? "," : "", time_us, 40 + late_us);
		fprintf(trace.file,
			",{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclDevKernel_AllReduce\","
			"\"pid\":0,\"tid\":8,\"ts\":%d,\"dur\":%d,\"args\":{\"device\":0,"
			"\"stream\":8,\"Collective name\":\"allreduce\",\"In msg nelems\":256,"
			"\"dtype\":\"Float\",\"Process Group Name\":\"0\",\"Group size\":%d,"
			"\"Seq\":%d}}",
			time_us + 50 + late_us, 60 - late_us, RANKS, i);
		fprintf(trace.file,
			",{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclDevKernel_SendRecv\","
			"\"pid\":0,\"tid\":9,\"ts\":%d,\"dur\":9,\"args\":{\"device\":0,"
			"\"stream\":9}}",
			time_us + 130);
	}
	return analyze_trace(&trace);
}

static struct dp_summary *summarize(const struct dp_analysis *analysis, const char *name)
{
	struct dp_summary_source source = DP_SUMMARY_SOURCE_INIT;
	struct dp_summary *summary = NULL;
	bool more = true;

	source.name = name;
	for (size_t k = 0; more; k++) {
		struct dp_error error = DP_ERROR_INIT;
		int status;

		alloc_fail_after(k);
		status = dp_summary_run(&summary, analysis, &source, &error);
		more = alloc_fail_stop();
		/* Memory that is given back at the end may stay: that is no failure. */
		ck_assert(!status || (status == DP_ERR_NOMEM && more));
		ck_assert_int_eq(error.status, status);
		ck_assert(!status == !!summary);
		if (more) {
			dp_summary_free(summary);
			summary = NULL;
		}
		ck_assert_uint_lt(k, 2000);
	}
	return summary;
}

static struct dp_ranks *compare(struct dp_summary *const *summaries)
{
	struct dp_ranks *ranks = NULL;
	bool more = true;

	for (size_t k = 0; more; k++) {
		struct dp_error error = DP_ERROR_INIT;
		int status;

		alloc_fail_after(k);
		status = dp_ranks_run(&ranks, summaries, RANKS, NULL, &error);
		more = alloc_fail_stop();
		ck_assert_int_eq(status, more ? DP_ERR_NOMEM : DP_OK);
		ck_assert_int_eq(error.status, status);
		ck_assert_uint_lt(k, 2000);
	}
	return ranks;
}

static int count(void *ctx, const void *data, size_t size)
{
	*(size_t *)ctx += size;
	return 0;
}

static void write_all(const struct dp_ranks *ranks, const char *format)
{
	size_t written = 0;
	struct dp_sink sink = { count, &written };
	bool more = true;

	for (size_t k = 0; more; k++) {
		struct dp_error error = DP_ERROR_INIT;
		int status;

		alloc_fail_after(k);
		status = dp_ranks_write(ranks, format, NULL, &sink, &error);
		more = alloc_fail_stop();
		ck_assert_msg(status == (more ? DP_ERR_NOMEM : DP_OK), "%s, allocation %zu: %d",
			      format, k, status);
		ck_assert_int_eq(error.status, status);
		ck_assert_uint_lt(k, 2000);
	}
	ck_assert_uint_gt(written, 0);
}

/* With one late rank, and with two. */
TEST_LOOP(every_step, 2)
{
	struct dp_summary *summaries[RANKS];
	const struct dp_report_format *format;
	struct dp_ranks *ranks;

	for (int r = 0; r < RANKS; r++) {
		struct dp_analysis *analysis = analyze(r, _i + 1);

		summaries[r] = summarize(analysis, r ? "rank1.json" : "rank0.json");
		dp_analysis_free(analysis);
	}
	ranks = compare(summaries);
	ck_assert_uint_eq(dp_ranks_count(ranks), RANKS);
	ck_assert_uint_ge(dp_ranks_matching(ranks)->matched, RANKS * ITERATIONS);
	ck_assert_uint_eq(dp_ranks_verdict(ranks)->rank_count, (size_t)_i + 1);
	for (size_t f = 0; (format = dp_ranks_format(f)); f++)
		write_all(ranks, format->name);
	dp_ranks_free(ranks);
	for (int r = 0; r < RANKS; r++)
		dp_summary_free(summaries[r]);
}
