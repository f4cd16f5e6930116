/*
 * The whole way, timed in its parts:
 *
 *	bench_analyze [-n COUNT] FILE…        open and analyze trace files
 *	bench_analyze [-n COUNT] -g KERNELS…  analyze traces of that many kernels, made in memory
 *	bench_analyze -p [-m REGEX] FILE…     the price of all metrics and rules; -n serves, too
 *
 * Annotations are ignored, but with -m those that match are the iterations. Of -p, "paper" is an
 * analysis with the metrics of the paper only, "all" one with all and with the rules, each the
 * shortest of nine, in turn. Each row is a process of its own, so that its peak is its own.
 * "beyond" is the peak of the resident size above that of the opened trace.
 */
#include "base/base.h"
#include "trace/builder.h"
#include <deepprof/deepprof.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PERIOD 1500
#define NAMES 100

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double peak_bytes(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)usage.ru_maxrss * 1024;
}

static uint64_t random64(uint64_t *seed)
{
	uint64_t z = *seed += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* A training job: the same 1,500 kernels again and again, an upload in front, few insertions. */
static int make_trace(struct dp_trace **trace, uint64_t kernels, struct dp_error *error)
{
	struct dp_op op = { .kind = DP_OP_KERNEL };
	uint32_t names[NAMES], iteration[PERIOD];
	struct dp_builder *builder;
	uint64_t seed = 1;
	int status = dp_builder__new(&builder, error);
	char name[64];

	if (status)
		return status;
	op.stream = dp_builder__stream(builder, dp_builder__process(builder, 1), 0, 1, 7);
	for (int i = 0; i < NAMES; i++) {
		int n = snprintf(name, sizeof(name), "layer_kernel_%d", i);

		names[i] = dp_builder__kernel_name(builder, name, (size_t)n);
	}
	for (int i = 0; i < PERIOD; i++)
		iteration[i] = names[i < 60 ? (uint64_t)i : random64(&seed) % NAMES];
	for (uint64_t i = 0; !status && i < kernels; i++) {
		op.name = iteration[i % PERIOD];
		if (random64(&seed) % 5000 == 0)
			op.name = names[random64(&seed) % NAMES];
		op.start_ns = op.end_ns + (i % PERIOD ? 500 : 200000);
		op.end_ns = op.start_ns + 4000 + (int64_t)(random64(&seed) % 1000);
		status = dp_builder__op(builder, &op);
	}
	if (status) {
		dp_builder__free(builder);
		return status;
	}
	return dp_builder__finish(builder, trace, "made", "memory", false);
}

static int discard(void *ctx, const void *data, size_t size)
{
	*(uint64_t *)ctx += size;
	return 0;
}

#define PAIRS 9

static int time_analysis(double *seconds, const struct dp_trace *trace,
			 const struct dp_analysis_options *options, struct dp_error *error)
{
	struct dp_analysis *analysis = NULL;
	double begin = now_s();
	int status = dp_analysis_run(&analysis, trace, options, error);

	*seconds = DP_MIN(*seconds, now_s() - begin);
	dp_analysis_free(analysis);
	return status;
}

/* One row of -p. */
static int compare(const char *what, const char *marks, const uint64_t *count)
{
	static const char *const paper[] = { "interval_ns", "overlap", "operation_gap_ns",
					     "h2d_bytes" };
	struct dp_analysis_options all = DP_ANALYSIS_OPTIONS_INIT, few;
	struct dp_error error = DP_ERROR_INIT;
	struct dp_trace *trace = NULL;
	double all_s = 1e9, few_s = 1e9;
	int status = dp_trace_open(&trace, what, NULL, &error);
	char line[512];

	all.ignore_marks = !marks;
	all.marks = marks;
	all.iterations = count;
	all.iterations_count = count ? 1 : 0;
	few = all;
	few.metrics = paper;
	few.metrics_count = DP_COUNT(paper);
	for (int i = 0; i < PAIRS && !status; i++) {
		status = time_analysis(&few_s, trace, &few, &error);
		if (!status)
			status = time_analysis(&all_s, trace, &all, &error);
	}
	if (status) {
		dp_error_format(&error, line, sizeof(line));
		fprintf(stderr, "bench_analyze: %s\n", line);
	} else {
		printf("%-40.40s %11zu %9.1f %9.1f %6.2f\n", what, dp_trace_ops(trace)->count,
		       few_s * 1e3, all_s * 1e3, all_s / few_s);
	}
	dp_trace_free(trace);
	return status != DP_OK;
}

/* One row, in a process of its own. */
static int measure(const char *what, bool make, const char *marks, const uint64_t *count)
{
	struct dp_analysis_options options = DP_ANALYSIS_OPTIONS_INIT;
	struct dp_error error = DP_ERROR_INIT;
	struct dp_analysis *analysis = NULL;
	struct dp_trace *trace = NULL;
	uint64_t written = 0;
	struct dp_sink sink = { discard, &written };
	double begin = now_s(), opened, analyzed, reported, opened_bytes;
	int status;
	char line[512];

	options.iterations = count;
	options.iterations_count = count ? 1 : 0;
	options.ignore_marks = !marks;
	options.marks = marks;
	status = make ? make_trace(&trace, strtoull(what, NULL, 10), &error)
		      : dp_trace_open(&trace, what, NULL, &error);
	opened = now_s();
	opened_bytes = peak_bytes();
	if (!status)
		status = dp_analysis_run(&analysis, trace, &options, &error);
	analyzed = now_s();
	if (!status)
		status = dp_report_write(analysis, "json", NULL, &sink, &error);
	reported = now_s();
	if (status) {
		dp_error_format(&error, line, sizeof(line));
		fprintf(stderr, "bench_analyze: %s\n", line);
		return 1;
	}
	printf("%-28.28s %11zu %7.2f %8.2f %7.2f %8.1f %8.1f %8.0f %9.0f\n", what,
	       dp_trace_ops(trace)->count, opened - begin, analyzed - opened, reported - analyzed,
	       (analyzed - opened) * 1e9 / (double)dp_trace_ops(trace)->count,
	       (double)dp_trace_bytes(trace) / (double)dp_trace_ops(trace)->count,
	       peak_bytes() / 1e6, (peak_bytes() - opened_bytes) / 1e6);
	dp_analysis_free(analysis);
	dp_trace_free(trace);
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t count = 0;
	const char *marks = NULL;
	bool make = false, pairs = false;
	int failed = 0, status, option;

	while ((option = getopt(argc, argv, "gm:n:p")) != -1) {
		if (option == 'n')
			count = strtoull(optarg, NULL, 10);
		else if (option == 'g')
			make = true;
		else if (option == 'p')
			pairs = true;
		else if (option == 'm')
			marks = optarg;
		else
			return 2;
	}
	if (pairs)
		printf("%-40s %11s %9s %9s %6s\n", "trace", "operations", "paper ms", "all ms",
		       "ratio");
	else
		printf("%-28s %11s %7s %8s %7s %8s %8s %8s %9s\n", "trace", "operations", "open s",
		       "analyze", "report", "ns/op", "bytes/op", "peak MB", "beyond MB");
	for (int i = optind; i < argc; i++) {
		fflush(stdout);
		if (!fork()) {
			status = pairs ? compare(argv[i], marks, count ? &count : NULL)
				       : measure(argv[i], make, marks, count ? &count : NULL);
			fflush(stdout);
			_exit(status);
		}
		wait(&status);
		failed |= status;
	}
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
