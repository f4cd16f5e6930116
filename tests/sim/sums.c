/*
 * What has to sum to what, in any trace, to the nanosecond: sim-sums EVERY TURN FILE...
 *
 * Causes of idle time to idle time, the breakdown to the period, kernels' and operators' times to
 * those of the iterations' kernels. Metrics that are computed alone are what they are among all;
 * what a trace is reported to lack is what has no values. One metric of EVERY is computed alone, so
 * that as many turns (and files) have them all.
 */
#include <deepprof/deepprof.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct subject {
	const char *path;
	struct dp_trace *trace;
	struct dp_analysis *analysis;
	size_t loop;
	int failures;
	size_t checks;
	size_t every, turn; /* of the metrics to be computed alone */
};

static void fail(struct subject *subject, size_t k, const char *what, double have, double want)
{
	subject->failures++;
	printf("FAILED: %s, loop %zu, iteration %zu: %s is %.17g, not %.17g\n", subject->path,
	       subject->loop, k, what, have, want);
}

static void check(struct subject *subject, size_t k, const char *what, double have, double want)
{
	subject->checks++;
	if (!(have >= want && have <= want))
		fail(subject, k, what, have, want);
}

static size_t metric_index(const char *name)
{
	const struct dp_metric_info *info;

	for (size_t i = 0; (info = dp_metric(i)); i++)
		if (!strcmp(info->name, name))
			return i;
	fprintf(stderr, "no metric %s\n", name);
	exit(2);
}

static double value(const struct subject *subject, const char *name, size_t k)
{
	return dp_analysis_loop_metric(subject->analysis, subject->loop, metric_index(name), k);
}

static double sum(const struct subject *subject, size_t k, const char *const *names)
{
	double all = 0;

	for (; *names; names++)
		all += value(subject, *names, k);
	return all;
}

/* Values that are shares, and values of which one is at most the other. */
static void check_bounds(struct subject *subject, size_t k)
{
	static const char *const shares[] = { "utilization",  "queue_empty",	"overlap",
					      "comm_overlap", "pageable_share", "throttled" };
	static const char *const pairs[][2] = {
		{ "short_gaps_ns", "idle_ns" },
		{ "longest_gap_ns", "idle_ns" },
		{ "host_stall_ns", "idle_host_ns" },
		{ "input_wait_ns", "idle_host_ns" },
		{ "sync_lost_ns", "idle_ns" },
		{ "compute_ns", "busy_ns" },
		{ "comm_exposed_ns", "comm_ns" },
		{ "copy_exposed_ns", "copy_ns" },
		{ "launch_delay_p50_ns", "launch_delay_p99_ns" },
		{ "host_outside_ns", "period_ns" },
		{ "live_bytes", "peak_bytes" },
	};

	for (size_t i = 0; i < sizeof(shares) / sizeof(*shares); i++) {
		double share = value(subject, shares[i], k);

		if (!isnan(share) && !(share >= 0 && share <= 1))
			fail(subject, k, shares[i], share, share > 1);
	}
	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		double low = value(subject, pairs[i][0], k), high = value(subject, pairs[i][1], k);

		if (low > high)
			fail(subject, k, pairs[i][0], low, high);
	}
}

static void check_iteration(struct subject *subject, size_t k)
{
	static const char *const causes[] = { "idle_host_ns",	"idle_sync_ns",	 "idle_copy_ns",
					      "idle_launch_ns", "idle_other_ns", NULL };
	static const char *const parts[] = { "compute_ns", "comm_exposed_ns", "copy_exposed_ns",
					     "idle_ns", NULL };
	static const char *const whole[] = { "busy_ns", "idle_ns", NULL };
	double period_ns = value(subject, "period_ns", k);

	if (isnan(period_ns))
		return;
	if (!isnan(value(subject, "idle_host_ns", k)))
		check(subject, k, "the sum of idle time's causes", sum(subject, k, causes),
		      value(subject, "idle_ns", k));
	check(subject, k, "the breakdown", sum(subject, k, parts), period_ns);
	check(subject, k, "busy and idle time", sum(subject, k, whole), period_ns);
	check_bounds(subject, k);
}

/* Durations of the kernels of complete iterations, from the trace. */
static double kernel_sum(const struct subject *subject, const struct dp_loop *loop)
{
	const struct dp_ops *ops = dp_trace_ops(subject->trace);
	size_t count, kernel = 0, k = 0;
	const uint32_t *rows = dp_trace_stream_ops(subject->trace, loop->stream, &count);
	double total_ns = 0;

	for (size_t i = 0; i < count; i++) {
		const struct dp_iteration *at;

		if (!dp_op_is_kernel(ops->kind[rows[i]]))
			continue;
		while ((at = dp_analysis_loop_iteration(subject->analysis, subject->loop, k)) &&
		       kernel >= at->first_kernel + at->kernels)
			k++;
		if (at && kernel >= at->first_kernel && !at->partial && !at->warmup)
			total_ns += (double)(ops->end_ns[rows[i]] - ops->start_ns[rows[i]]);
		kernel++;
	}
	return total_ns;
}

static double total(const struct subject *subject,
		    const struct dp_time_stat *(*get)(const struct dp_analysis *, size_t, size_t))
{
	const struct dp_time_stat *stat;
	double total_ns = 0;

	for (size_t i = 0; (stat = get(subject->analysis, subject->loop, i)); i++)
		total_ns += stat->total_ns;
	return total_ns;
}

static void check_kernels(struct subject *subject, const struct dp_loop *loop)
{
	double want = kernel_sum(subject, loop);

	check(subject, 0, "the sum of kernels' times", total(subject, dp_analysis_loop_kernel_stat),
	      want);
	check(subject, 0, "the sum of operators' times",
	      total(subject, dp_analysis_loop_operator_stat), want);
	/* Inserted kernels have no position. */
	if (total(subject, dp_analysis_loop_position_stat) > want)
		fail(subject, 0, "the sum of places' times",
		     total(subject, dp_analysis_loop_position_stat), want);
}

/* A metric without values although the trace lacks nothing that it needs, or the reverse. */
static void check_needs(struct subject *subject, const struct dp_loop *loop)
{
	const struct dp_metric_info *info;

	for (size_t m = 0; (info = dp_metric(m)); m++) {
		bool lacks = dp_trace_lacks(subject->trace, info->need), any = false;

		for (size_t k = 0; k < loop->iterations; k++)
			any |= !isnan(
				dp_analysis_loop_metric(subject->analysis, subject->loop, m, k));
		if (any && lacks)
			fail(subject, 0, info->name, 1, 0);
		/* A share of nothing has no value, whatever the trace holds; devices differ. */
		if (!any && !lacks && info->need == DP_NEED_LAUNCHES && loop->complete > 2 &&
		    dp_trace_device_count(subject->trace) == 1)
			fail(subject, 0, info->name, 0, 1);
	}
}

static bool same(double a, double b)
{
	return isnan(a) ? isnan(b) : a >= b && a <= b;
}

/*
 * A metric that is computed alone has the same values as among all, and nothing else is computed
 * with it.
 */
static void check_alone(struct subject *subject)
{
	struct dp_analysis_options options = DP_ANALYSIS_OPTIONS_INIT;
	const struct dp_metric_info *info;

	for (size_t m = subject->turn % subject->every; (info = dp_metric(m));
	     m += subject->every) {
		struct dp_analysis *alone = NULL;
		const struct dp_loop *loop;
		size_t had = 0;

		options.metrics = &info->name;
		options.metrics_count = 1;
		if (dp_analysis_run(&alone, subject->trace, &options, NULL)) {
			fail(subject, 0, info->name, 0, 1);
			continue;
		}
		for (size_t l = 0; (loop = dp_analysis_loop(alone, l)); l++)
			for (size_t k = 0; k < loop->iterations; k++)
				if (!same(dp_analysis_loop_metric(alone, l, m, k),
					  dp_analysis_loop_metric(subject->analysis, l, m, k)))
					fail(subject, k, info->name,
					     dp_analysis_loop_metric(alone, l, m, k),
					     dp_analysis_loop_metric(subject->analysis, l, m, k));
		for (size_t i = 0; dp_metric(i); i++)
			had += dp_analysis_loop_has_metric(alone, 0, i);
		if (had > 4 || dp_analysis_finding_count(alone))
			fail(subject, 0, "what is computed next to", (double)had, 4);
		dp_analysis_free(alone);
	}
}

static int check_file(struct subject *subject)
{
	struct dp_error error = DP_ERROR_INIT;
	const struct dp_loop *loop;
	char line[512];
	int status = dp_trace_open(&subject->trace, subject->path, NULL, &error);

	if (status == DP_ERR_NO_GPU || status == DP_ERR_UNSUPPORTED) {
		printf("%s: no GPU, or no format that is read\n", subject->path);
		return 0;
	}
	if (!status)
		status = dp_analysis_run(&subject->analysis, subject->trace, NULL, &error);
	if (status) {
		dp_error_format(&error, line, sizeof(line));
		printf("FAILED: %s: %s\n", subject->path, line);
	}
	for (size_t l = 0; !status && (loop = dp_analysis_loop(subject->analysis, l)); l++) {
		subject->loop = l;
		if (!loop->selected)
			continue;
		for (size_t k = 0; k < loop->iterations; k++)
			check_iteration(subject, k);
		check_kernels(subject, loop);
		check_needs(subject, loop);
	}
	if (!status && dp_analysis_loop_count(subject->analysis) &&
	    dp_trace_ops(subject->trace)->count < 50000)
		check_alone(subject);
	printf("%s: %zu sums, %d failures\n", subject->path, subject->checks, subject->failures);
	dp_analysis_free(subject->analysis);
	dp_trace_free(subject->trace);
	return status || subject->failures;
}

int main(int argc, char **argv)
{
	size_t every = argc > 2 ? strtoul(argv[1], NULL, 10) : 0;
	int failed = every == 0;

	for (int i = 3; i < argc && every > 0; i++) {
		struct subject subject = {
			.path = argv[i],
			.every = every,
			.turn = strtoul(argv[2], NULL, 10) + (size_t)i,
		};

		failed |= check_file(&subject);
	}
	return failed;
}
