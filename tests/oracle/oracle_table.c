/*
 * Periods, intervals and uploads of real traces against numbers that were computed from the files
 * with other means. With arguments FILE and N: that trace's JSON report for N iterations, for
 * oracle_metrics.py. The traces lie next to the project; where they don't, there is nothing to
 * test.
 */
#include <deepprof/deepprof.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FEW 8
#define SKIPPED 77

struct oracle {
	const char *file;
	uint64_t iterations;
	double period_ms[FEW];	 /* to a hundredth */
	double interval_ms[FEW]; /* to a thousandth; that of iteration 1 first */
	size_t copies;
	uint64_t bytes;
	double uploaded; /* bytes of all iterations together */
};

static const struct oracle oracles[] = {
	{ "kineto-resnet50-workers0.pt.trace.json.gz",
	  6,
	  { 176.22, 178.71, 174.99, 180.74, 168.15 },
	  { 59.729, 63.286, 58.546, 64.718, 50.691 },
	  12,
	  115607040,
	  115607040 },
	{ "kineto-resnet50-workers4.pt.trace.json.gz",
	  6,
	  { 138.76, 124.00, 128.04, 128.86, 161.11 },
	  { 5.682, 3.502, 4.357, 10.242, 7.824 },
	  12,
	  115607040,
	  115607040 },
	{ "kineto-resnet50-partial-a.json.gz",
	  6,
	  { 157.85, 149.57, 161.34, 138.56, 152.32 },
	  { 40.239, 31.306, 52.307, 27.744, 38.655 },
	  12,
	  115607040,
	  115607040 },
	{ "hta-diff-control.json.gz",
	  6,
	  { 75.53, 76.91, 76.27, 76.82, 78.43 },
	  { 1.580, 1.702, 1.681, 1.752, 1.711 },
	  150,
	  423923260,
	  -1 },
	{ "hta-ns-resolution.json.gz",
	  5,
	  { 97.66, 95.74, 95.57, 95.66 },
	  { 0.001, 0.001, 0.001, 0.001 },
	  0,
	  0,
	  0 },
};

static int failures;

static void check(const char *file, const char *what, size_t k, double have, double want,
		  double tolerance)
{
	if (fabs(have - want) <= tolerance)
		return;
	printf("%s: %s of iteration %zu is %.4f, not %.4f\n", file, what, k, have, want);
	failures++;
}

static void check_loop(const struct oracle *oracle, const struct dp_analysis *analysis)
{
	size_t period = dp_metric_find("period_ns"), interval = dp_metric_find("interval_ns"),
	       n = 0;
	const struct dp_loop *loop = dp_analysis_loop(analysis, 0);
	double uploaded = 0;

	for (size_t k = 0; loop && k < loop->iterations; k++) {
		if (dp_analysis_loop_iteration(analysis, 0, k)->partial)
			continue;
		uploaded += dp_analysis_loop_metric(analysis, 0, dp_metric_find("h2d_bytes"), k);
		if (n + 1 < oracle->iterations)
			check(oracle->file, "period", n,
			      dp_analysis_loop_metric(analysis, 0, period, k) / 1e6,
			      oracle->period_ms[n], 0.00501);
		if (n)
			check(oracle->file, "interval", n,
			      dp_analysis_loop_metric(analysis, 0, interval, k) / 1e6,
			      oracle->interval_ms[n - 1], 0.000501);
		n++;
	}
	check(oracle->file, "number", 0, (double)n, (double)oracle->iterations, 0);
	if (oracle->uploaded >= 0)
		check(oracle->file, "uploads", 0, uploaded, oracle->uploaded, 0);
}

static void check_copies(const struct oracle *oracle, const struct dp_trace *trace)
{
	const struct dp_ops *ops = dp_trace_ops(trace);
	uint64_t bytes = 0;
	size_t copies = 0;

	for (size_t i = 0; i < ops->count; i++) {
		if (ops->kind[i] != DP_OP_COPY || ops->copy_kind[i] != DP_COPY_HTOD)
			continue;
		copies++;
		bytes += ops->bytes[i];
	}
	check(oracle->file, "copies", 0, (double)copies, (double)oracle->copies, 0);
	check(oracle->file, "bytes", 0, (double)bytes, (double)oracle->bytes, 0);
}

static int say(const struct dp_error *error)
{
	char line[512];

	dp_error_format(error, line, sizeof(line));
	printf("%s\n", line);
	failures++;
	return 1;
}

/* By marks or unaided, and by the count from the kernels alone. */
static void check_trace(const struct oracle *oracle, const char *folder)
{
	struct dp_error error = DP_ERROR_INIT;
	struct dp_trace *trace;
	char path[1024];

	snprintf(path, sizeof(path), "%s/%s", folder, oracle->file);
	if (dp_trace_open(&trace, path, NULL, &error)) {
		say(&error);
		return;
	}
	check_copies(oracle, trace);
	for (int round = 0; round < 2; round++) {
		struct dp_analysis_options options = DP_ANALYSIS_OPTIONS_INIT;
		struct dp_analysis *analysis;

		if (round) {
			options.iterations = &oracle->iterations;
			options.iterations_count = 1;
			options.ignore_marks = true;
		}
		if (dp_analysis_run(&analysis, trace, &options, &error)) {
			say(&error);
			break;
		}
		check_loop(oracle, analysis);
		dp_analysis_free(analysis);
	}
	dp_trace_free(trace);
}

static int write_out(void *ctx, const void *data, size_t size)
{
	return fwrite(data, 1, size, ctx) != size;
}

static int report(const char *path, const char *count)
{
	struct dp_analysis_options options = DP_ANALYSIS_OPTIONS_INIT;
	struct dp_sink sink = { write_out, stdout };
	struct dp_error error = DP_ERROR_INIT;
	uint64_t iterations = strtoull(count, NULL, 10);
	struct dp_analysis *analysis = NULL;
	struct dp_trace *trace = NULL;
	int status;

	options.iterations = &iterations;
	options.iterations_count = 1;
	status = dp_trace_open(&trace, path, NULL, &error);
	if (!status)
		status = dp_analysis_run(&analysis, trace, &options, &error);
	if (!status)
		status = dp_report_write(analysis, "json", NULL, &sink, &error);
	dp_analysis_free(analysis);
	dp_trace_free(trace);
	return status ? say(&error) : 0;
}

int main(int argc, char **argv)
{
	const char *folder = getenv("DEEPPROF_TRACES");
	char path[1024];
	FILE *file;

	if (argc == 3)
		return report(argv[1], argv[2]);
	if (!folder)
		folder = DP_SOURCE_ROOT "/../shared/traces";
	snprintf(path, sizeof(path), "%s/%s", folder, oracles[0].file);
	file = fopen(path, "rb");
	if (!file) {
		printf("no traces in %s\n", folder);
		return SKIPPED;
	}
	fclose(file);
	for (size_t i = 0; i < sizeof(oracles) / sizeof(oracles[0]); i++)
		check_trace(&oracles[i], folder);
	return failures ? 1 : 0;
}
