/* Metrics with numbers that were computed by hand, statistics against sorting, rules. */
#include "diagnose/diagnose.h"
#include "stats/stat.h"
#include "metric_trace.h"
#include "test.h"

#include <deepprof/deepprof.h>
#include <math.h>

struct fixture {
	struct dp_trace *trace;
	uint32_t ops[16];
	struct dp_iteration iterations[METRIC_ITERATIONS];
	struct dp_metric_input input;
	struct dp_metric_values values;
};

static void start(struct fixture *at)
{
	memset(at, 0, sizeof(*at));
	at->trace = metric_trace();
	at->input.trace = at->trace;
	at->input.ops = at->ops;
	at->input.op_count = metric_kernels(at->trace, 0, at->ops);
	ck_assert_uint_eq(at->input.op_count, 10);
	at->input.iterations = at->iterations;
	at->input.count = METRIC_ITERATIONS;
	metric_iterations(at->iterations, at->trace, at->ops);
}

static void compute(struct fixture *at)
{
	struct dp_error error = DP_ERROR_INIT;

	ck_assert_int_eq(dp_metric__compute_all(&at->values, &at->input, &error), DP_OK);
}

static void finish(struct fixture *at)
{
	dp_metric_values__fini(&at->values);
	dp_trace_free(at->trace);
}

static const double *row(const struct fixture *at, const char *name)
{
	for (size_t i = 0; dp_metric(i); i++)
		if (!strcmp(dp_metric(i)->name, name))
			return at->values.values + i * at->input.count;
	ck_abort_msg("no metric %s", name);
	return NULL;
}

static double summary(const struct fixture *at, const char *name)
{
	for (size_t i = 0; dp_summary_metric(i); i++)
		if (!strcmp(dp_summary_metric(i)->name, name))
			return at->values.summary[i];
	ck_abort_msg("no summary %s", name);
	return 0;
}

/* NaN in want stands for no value. */
static void check_row(const struct fixture *at, const char *name, const double *want)
{
	const double *have = row(at, name);

	for (size_t k = 0; k < at->input.count; k++) {
		ck_assert_msg(isnan(have[k]) == isnan(want[k]), "%s of %zu is %g, not %g", name, k,
			      have[k], want[k]);
		if (!isnan(want[k]))
			ck_assert_msg(fabs(have[k] - want[k]) < 1e-9, "%s of %zu is %g, not %g",
				      name, k, have[k], want[k]);
	}
}

/* The first operation of a number of bytes. */
static size_t find_op(const struct fixture *at, uint64_t bytes)
{
	const struct dp_ops *ops = dp_trace_ops(at->trace);
	size_t op = 0;

	while (op < ops->count && ops->bytes[op] != bytes)
		op++;
	ck_assert_uint_lt(op, ops->count);
	return op;
}

#define NONE ((double)NAN)

/* Uploads of a stream without kernels; an array is uploaded after the only download. */
TEST(shows_how_uploads_run)
{
	struct fixture at;

	start(&at);
	compute(&at);
	ck_assert_uint_eq(at.values.transfers.upload_streams, 1);
	ck_assert_double_eq(at.values.transfers.upload_apart, 1);
	ck_assert_double_eq(at.values.transfers.upload_hidden, 20.0 / 110);
	ck_assert_double_eq(at.values.transfers.returned, 105.0 / 1129);
	ck_assert_uint_eq(at.values.transfers.migrations, 1);
	ck_assert_int_eq(at.values.transfers.migrated_ns, 1110);
	ck_assert_uint_eq(at.values.transfers.kernel_streams, 1);
	finish(&at);
}

TEST(the_papers_table)
{
	static const double interval[] = { NONE, 200, 200, 0, NONE };
	static const double overlap[] = { NONE, 0.4, 0.05, NONE, NONE };
	static const double gap[] = { 50, 20, 0, 0, NONE };
	static const double bytes[] = { 7, 1029, NONE, 0, NONE };
	struct fixture at;

	start(&at);
	compute(&at);
	check_row(&at, "interval_ns", interval);
	check_row(&at, "overlap", overlap);
	check_row(&at, "operation_gap_ns", gap);
	check_row(&at, "h2d_bytes", bytes);
	ck_assert_double_eq_tol(summary(&at, "avg_interval_ns"), 100, 1e-9);
	ck_assert_double_eq_tol(summary(&at, "max_interval_ns"), 200, 1e-9);
	ck_assert_double_eq_tol(summary(&at, "avg_overlap"), 0.4, 1e-9);
	ck_assert_double_eq_tol(summary(&at, "avg_operation_ns"), 17.5, 1e-9);
	ck_assert_double_eq_tol(summary(&at, "avg_size_bytes"), 1036.0 / 3, 1e-9);
	finish(&at);
}

/* The upload of 24 bytes has no size, and the download has none: what includes them is unknown. */
TEST(copies_of_unknown_size)
{
	static const double uploaded[] = { 7, NONE, NONE, 0, NONE };
	/* copies to arrays and page migrations are uploads, too */
	static const double upload_rate[] = { NONE, 2.5e8, 1e10, NONE, NONE };
	static const double downloaded[] = { NONE, 0, 0, 0, NONE };
	static const double moved[] = { 0, 64, 0, 0, NONE };
	struct fixture at;

	start(&at);
	((uint64_t *)dp_trace_ops(at.trace)->bytes)[find_op(&at, 24)] = 0;
	((uint64_t *)dp_trace_ops(at.trace)->bytes)[find_op(&at, 4096)] = 0;
	compute(&at);
	check_row(&at, "h2d_bytes", uploaded);
	check_row(&at, "h2d_bandwidth", upload_rate);
	check_row(&at, "d2h_bytes", downloaded);
	check_row(&at, "d2d_bytes", moved);
	ck_assert_double_eq_tol(summary(&at, "avg_size_bytes"), 3.5, 1e-9);
	finish(&at);
}

/*
 * A copy to an array is as slow as other copies from pageable memory; a migration is not one.
 * Copies of a few bytes take as long from pinned memory.
 */
TEST(copies_to_arrays_may_be_pageable)
{
	static const double pageable[2][5] = { { NONE, 0, 0, 0, NONE }, { NONE, 20, 0, 0, NONE } };
	static const double share[] = { NONE, 1, 0, NONE, NONE };
	struct fixture at;

	for (int large = 0; large < 2; large++) {
		size_t op;

		start(&at);
		op = find_op(&at, 5);
		((uint8_t *)dp_trace_ops(at.trace)->src_kind)[op] = DP_MEMORY_PAGEABLE;
		((uint64_t *)dp_trace_ops(at.trace)->bytes)[op] = large ? 4096 : 4095;
		compute(&at);
		check_row(&at, "pageable_copy_ns", pageable[large]);
		check_row(&at, "pageable_share", share);
		finish(&at);
	}
}

/* Whose uploads these are, the kernel E's or the iteration's after it, is not known. */
TEST(uploads_next_to_other_kernels_are_not_attributed)
{
	static const double alone[] = { 7, 1024, 105, 0, NONE };
	static const double after[] = { 7, 1024, NONE, 0, NONE };
	struct fixture at;

	start(&at);
	((int64_t *)dp_trace_ops(at.trace)->start_ns)[find_op(&at, 5)] = 755;
	at.iterations[2].foreign_kernels = 0;
	compute(&at);
	check_row(&at, "h2d_bytes", alone);
	dp_metric_values__fini(&at.values);
	at.iterations[2].foreign_kernels = 1;
	compute(&at);
	check_row(&at, "h2d_bytes", after);
	ck_assert_double_eq_tol(summary(&at, "avg_size_bytes"), 1031.0 / 3, 1e-9);
	finish(&at);
}

TEST(periods_and_durations)
{
	static const double period[] = { 400, 500, 190, 310, NONE };
	static const double duration[] = { 200, 300, 200, 210, NONE };
	struct fixture at;

	start(&at);
	compute(&at);
	check_row(&at, "period_ns", period);
	check_row(&at, "duration_ns", duration);
	ck_assert_double_eq_tol(summary(&at, "median_period_ns"), 310, 1e-9);
	ck_assert_double_eq_tol(summary(&at, "avg_period_ns"), 300, 1e-9);
	ck_assert_double_eq_tol(summary(&at, "p95_period_ns"), 400, 1e-9);
	ck_assert_double_eq_tol(summary(&at, "min_period_ns"), 190, 1e-9);
	ck_assert_double_eq_tol(summary(&at, "max_period_ns"), 400, 1e-9);
	ck_assert_double_eq_tol(summary(&at, "mad_period_ns"), 90, 1e-9);
	ck_assert_double_eq_tol(summary(&at, "median_duration_ns"), 205, 1e-9);
	finish(&at);
}

/* Cut off at the beginning: the one after has no interval, its uploads count from that one's end.
 */
TEST(after_a_partial_iteration)
{
	static const double interval[] = { NONE, NONE, 200, 0, NONE };
	static const double bytes[] = { NONE, 1029, NONE, 0, NONE };
	static const double period[] = { NONE, 500, 190, 310, NONE };
	struct fixture at;

	start(&at);
	at.iterations[0].partial = true;
	compute(&at);
	check_row(&at, "interval_ns", interval);
	check_row(&at, "h2d_bytes", bytes);
	check_row(&at, "period_ns", period);
	ck_assert_double_eq_tol(summary(&at, "avg_interval_ns"), 0, 1e-9);
	ck_assert(isnan(summary(&at, "avg_overlap")));
	finish(&at);
}

TEST(warmup_is_in_the_papers_table_only)
{
	struct fixture at;

	start(&at);
	at.iterations[0].warmup = true;
	compute(&at);
	ck_assert_double_eq_tol(summary(&at, "avg_interval_ns"), 100, 1e-9);
	ck_assert_double_eq_tol(summary(&at, "median_period_ns"), 250, 1e-9);
	ck_assert_double_eq_tol(summary(&at, "median_duration_ns"), 210, 1e-9);
	finish(&at);
}

TEST(one_kernel_has_no_gap)
{
	struct fixture at;

	start(&at);
	at.input.count = 1;
	at.iterations[0].kernels = 1;
	compute(&at);
	ck_assert(isnan(row(&at, "operation_gap_ns")[0]));
	ck_assert(isnan(row(&at, "period_ns")[0]));
	ck_assert(isnan(summary(&at, "avg_operation_ns")));
	ck_assert(isnan(summary(&at, "mad_period_ns")));
	finish(&at);
}

TEST(nothing_to_measure)
{
	struct fixture at;

	start(&at);
	at.input.count = 0;
	compute(&at);
	for (size_t i = 0; dp_summary_metric(i); i++)
		ck_assert(isnan(at.values.summary[i]));
	finish(&at);
}

/* Every metric and summary says what it is, once, and names its parent. */
TEST(tables_are_complete)
{
	const struct dp_metric_info *info, *other;
	bool found;

	for (size_t i = 0; (info = dp_metric(i)); i++) {
		ck_assert(info->name[0] && info->unit[0] && info->help[0] && !info->of);
		for (size_t k = 0; k < i; k++)
			ck_assert_str_ne(dp_metric(k)->name, info->name);
	}
	for (size_t i = 0; (info = dp_summary_metric(i)); i++) {
		ck_assert(info->name[0] && info->unit[0] && info->help[0] && info->of);
		found = false;
		for (size_t k = 0; (other = dp_metric(k)); k++) {
			ck_assert_str_ne(other->name, info->name);
			found |= !strcmp(other->name, info->of);
		}
		ck_assert_msg(found, "%s is of %s, which is not there", info->name, info->of);
		for (size_t k = 0; k < i; k++)
			ck_assert_str_ne(dp_summary_metric(k)->name, info->name);
	}
	for (size_t i = 0; dp_rule(i); i++)
		ck_assert(dp_rule(i)->id[0] && dp_rule(i)->help[0]);
	ck_assert_ptr_null(dp_metric(100000));
	ck_assert_ptr_null(dp_rule(100000));
}

static uint32_t random_state;

static uint32_t random_below(uint32_t limit)
{
	random_state = random_state * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)random_state * limit >> 32);
}

/* The union's parts against a map of every nanosecond. */
TEST(unions_are_exact)
{
	enum { LENGTH = 300, COUNT = 24 };

	for (random_state = 1; random_state < 400; random_state++) {
		int64_t start_ns[COUNT], end_ns[COUNT], at_ns = 0;
		struct dp_ops ops = { .start_ns = start_ns, .end_ns = end_ns };
		uint32_t rows[COUNT], seed = random_state;
		bool covered[LENGTH] = { false };
		struct dp_spans spans;

		for (uint32_t i = 0; i < COUNT; i++) {
			at_ns += random_below(14);
			rows[i] = i;
			start_ns[i] = DP_MIN(at_ns, LENGTH);
			end_ns[i] = DP_MIN(start_ns[i] + random_below(20), LENGTH);
			for (int64_t t = start_ns[i]; t < end_ns[i]; t++)
				covered[t] = true;
		}
		ck_assert_int_eq(dp_spans__init(&spans, &ops, rows, random_below(COUNT + 1), NULL),
				 DP_OK);
		dp_spans__fini(&spans);
		ck_assert_int_eq(dp_spans__init(&spans, &ops, rows, COUNT, NULL), DP_OK);
		for (int round = 0; round < 200; round++) {
			int64_t from = random_below(LENGTH + 20) - 10;
			int64_t to = random_below(LENGTH + 20) - 10, sum = 0;

			for (int64_t t = DP_MAX(from, 0); t < DP_MIN(to, LENGTH); t++)
				sum += covered[t];
			if (dp_spans__covered(&spans, from, to) != sum)
				ck_assert_int_eq(dp_spans__covered(&spans, from, to), sum);
		}
		dp_spans__fini(&spans);
		random_state = seed;
	}
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

TEST(order_statistics_are_those_of_sorting)
{
	double values[97], sorted[97];

	random_state = 7;
	for (size_t count = 1; count <= DP_COUNT(values); count++) {
		for (size_t i = 0; i < count; i++)
			sorted[i] = values[i] =
				(double)random_below(50) * (i % 3 ? 1.0 : -1e9) + i % 2 * 0.25;
		qsort(sorted, count, sizeof(*sorted), by_value);
		for (size_t i = 0; i < count; i++)
			ck_assert_double_eq(dp_stat__select(values, count, i), sorted[i]);
		ck_assert_double_eq(dp_stat__min(values, count), sorted[0]);
		ck_assert_double_eq(dp_stat__max(values, count), sorted[count - 1]);
		ck_assert_double_eq(dp_stat__median(values, count),
				    (sorted[(count - 1) / 2] + sorted[count / 2]) / 2);
		ck_assert_double_eq(dp_stat__p95(values, count),
				    sorted[(size_t)ceil(0.95 * (double)count - 1e-9) - 1]);
	}
}

/* A loop with equal intervals and periods, for the rule. */
static bool host_bound(double interval_ns, double overlap, struct dp_rule_finding *finding,
		       bool interrupted)
{
	enum { COUNT = 5, MOST = 500 };
	struct dp_iteration iterations[COUNT] = { { 0 } };
	struct dp_loop loop = { .iterations = COUNT, .complete = COUNT, .confidence = 1 };
	double values[MOST * COUNT], summary[MOST] = { 0 };
	struct dp_rule_input input = { &loop, iterations, values, summary };

	ck_assert(!dp_metric(MOST) && !dp_summary_metric(MOST));
	for (size_t i = 0; dp_metric(i); i++)
		for (size_t k = 0; k < COUNT; k++)
			values[i * COUNT + k] = NONE;
	for (size_t k = 0; k < COUNT; k++) {
		iterations[k].foreign_kernels = interrupted;
		if (k) {
			((double *)dp_rule__metric(&input, "interval_ns"))[k] = interval_ns;
			((double *)dp_rule__metric(&input, "overlap"))[k] = overlap;
			((double *)dp_rule__metric(&input, "period_ns"))[k - 1] = 1000;
		}
	}
	memset(finding, 0, sizeof(*finding));
	return dp_rule__at(0)->check(&input, finding);
}

TEST(host_bound_has_its_thresholds)
{
	struct dp_rule_finding finding;

	ck_assert_str_eq(dp_rule(0)->id, "host-bound");
	ck_assert(!host_bound(49, 0, &finding, false));
	ck_assert(!host_bound(NONE, NONE, &finding, false));
	ck_assert(!host_bound(500, 0, &finding, true));
	ck_assert(!host_bound(500, 0.91, &finding, false));
	ck_assert(host_bound(50, NONE, &finding, false));
	ck_assert_int_eq(finding.finding.severity, DP_SEVERITY_WARNING);
	ck_assert(host_bound(199, 0, &finding, false));
	ck_assert_int_eq(finding.finding.severity, DP_SEVERITY_WARNING);
	ck_assert(host_bound(400, 0.5, &finding, false));
	ck_assert_int_eq(finding.finding.severity, DP_SEVERITY_CRITICAL);
	ck_assert_double_eq_tol(finding.finding.recoverable_ns, 200, 1e-9);
	ck_assert_uint_eq(finding.finding.first_iteration, 1);
	ck_assert_uint_eq(finding.finding.last_iteration, 4);
	ck_assert_str_eq(finding.values[0].name, "waited_share");
	ck_assert_double_eq_tol(finding.values[0].value, 0.2, 1e-9);
	ck_assert_double_eq_tol(finding.finding.confidence, 0.64, 1e-9);
}

TEST(findings_are_ranked_by_what_they_cost)
{
	static const double total[] = { 5, NAN, 900, 5, NAN };
	static const uint32_t order[] = { 3, 4, 2, 0, 1 };
	struct dp_rule_finding list[DP_COUNT(total)];
	struct dp_findings findings = { list, DP_COUNT(total), DP_COUNT(total) };

	memset(list, 0, sizeof(list));
	for (uint32_t i = 0; i < DP_COUNT(total); i++) {
		list[i].finding.rule = "host-bound";
		list[i].finding.loop = list[i].devices[0] = i;
		list[i].total_ns = total[i];
		list[i].finding.severity = i < 3 ? DP_SEVERITY_INFO : DP_SEVERITY_WARNING;
		for (uint32_t n = 0; n < 2 * DP_EVIDENCE_MOST; n++)
			dp_rule__evidence(&list[i], dp_metric_name(n), "count", i);
	}
	dp_diagnose__rank(&findings, NULL);
	for (size_t i = 0; i < DP_COUNT(total); i++) {
		ck_assert_uint_eq(list[i].finding.loop, order[i]);
		ck_assert_uint_eq(list[i].finding.evidence_count, DP_EVIDENCE_MOST);
		ck_assert_double_eq(list[i].finding.evidence[0].value, order[i]);
	}
}

/* Requests for what does not exist are refused; a share is 1. */
TEST(options_are_checked)
{
	static const char *const names[] = { "interval_ns", "avg_overlap", "nothing" };
	struct dp_threshold threshold = { "host-bound", 0.1 };
	struct dp_analysis_options options = DP_ANALYSIS_OPTIONS_INIT;
	struct dp_analysis *analysis = NULL;
	struct dp_trace *trace = metric_trace();

	options.metrics = names;
	options.metrics_count = 3;
	ck_assert_int_eq(dp_analysis_run(&analysis, trace, &options, NULL), DP_ERR_ARGUMENT);
	options.metrics_count = 2;
	options.thresholds = &threshold;
	options.thresholds_count = 1;
	ck_assert_int_eq(dp_analysis_run(&analysis, trace, &options, NULL), DP_OK);
	for (size_t i = 0; dp_rule(i); i++)
		ck_assert_double_eq(dp_analysis_threshold(analysis, i),
				    i == dp_rule_find("host-bound") ? 0.1 : dp_rule(i)->threshold);
	ck_assert(isnan(dp_analysis_threshold(analysis, dp_rule_count())));
	dp_analysis_free(analysis);
	threshold.share = 1.5;
	ck_assert_int_eq(dp_analysis_run(&analysis, trace, &options, NULL), DP_ERR_ARGUMENT);
	threshold.share = (double)NAN;
	ck_assert_int_eq(dp_analysis_run(&analysis, trace, &options, NULL), DP_ERR_ARGUMENT);
	threshold = (struct dp_threshold){ "throttled", 0.1 };
	ck_assert_int_eq(dp_analysis_run(&analysis, trace, &options, NULL), DP_ERR_ARGUMENT);
	threshold.rule = "nothing";
	ck_assert_int_eq(dp_analysis_run(&analysis, trace, &options, NULL), DP_ERR_ARGUMENT);
	dp_trace_free(trace);
}

/* The message for an unknown name starts with the nearest one. */
TEST(unknown_names_are_listed)
{
	static const char *const names[] = { "perod_ns" };
	struct dp_threshold threshold = { "host-boud", 0.1 };
	struct dp_analysis_options options = DP_ANALYSIS_OPTIONS_INIT;
	struct dp_error error = DP_ERROR_INIT, other = DP_ERROR_INIT;
	struct dp_analysis *analysis = NULL;
	struct dp_trace *trace = metric_trace();

	options.metrics = names;
	options.metrics_count = 1;
	ck_assert_int_eq(dp_analysis_run(&analysis, trace, &options, &error), DP_ERR_ARGUMENT);
	ck_assert_ptr_nonnull(strstr(error.message, "unknown metric 'perod_ns'; choose period_ns"));
	options.metrics = NULL;
	options.thresholds = &threshold;
	options.thresholds_count = 1;
	ck_assert_int_eq(dp_analysis_run(&analysis, trace, &options, &other), DP_ERR_ARGUMENT);
	ck_assert_ptr_nonnull(strstr(other.message, "'host-boud'; choose host-bound"));
	dp_trace_free(trace);
}

/* If only some metrics are computed, rules are not run, since summaries would lack parts. */
TEST(rules_are_run_with_all_metrics_only)
{
	static const char *const names[] = { "period_ns" };
	struct dp_analysis_options options = DP_ANALYSIS_OPTIONS_INIT;
	struct dp_summary_source source = DP_SUMMARY_SOURCE_INIT;
	struct dp_analysis *all = NULL, *some = NULL;
	struct dp_trace *trace = metric_trace();
	struct dp_summary *summary = NULL;

	options.metrics = names;
	options.metrics_count = 1;
	ck_assert_int_eq(dp_analysis_run(&all, trace, NULL, NULL), DP_OK);
	ck_assert_int_eq(dp_analysis_run(&some, trace, &options, NULL), DP_OK);
	ck_assert(dp_analysis_is_diagnosed(all));
	ck_assert(!dp_analysis_is_diagnosed(some));
	ck_assert_int_eq(dp_summary_run(&summary, some, &source, NULL), DP_ERR_ARGUMENT);
	dp_analysis_free(all);
	dp_analysis_free(some);
	dp_trace_free(trace);
}
