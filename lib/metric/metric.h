/*
 * The seam of the metrics. A metric is one file with one struct dp_metric named
 * dp_metric__<word>, and its word in the list in lib/metric/meson.build. Definitions: DeepProf
 * (arXiv 1707.03750), section IV-D, made exact.
 */
#ifndef DP_METRIC_METRIC_H
#define DP_METRIC_METRIC_H

#include "base/base.h"
#include <deepprof/analysis.h>

/* Disjoint spans of time in ascending order, with the length of all before each. */
struct dp_spans {
	size_t count;
	int64_t *start_ns;
	int64_t *end_ns;
	int64_t *before_ns;
};

/* One loop, prepared for all metrics. Arrays are borrowed. */
struct dp_metric_input {
	const struct dp_trace *trace;
	uint32_t device;
	uint32_t stream;
	const uint32_t *ops; /* the stream's kernels in order: indices of operations */
	size_t op_count;
	const struct dp_iteration *iterations;
	size_t count;
	/*
	 * The interval before iteration k: from the end of its predecessor's last kernel to the
	 * start of its first. Both NaN-like INT64_MIN where it has no complete predecessor.
	 */
	const int64_t *interval_start_ns;
	const int64_t *interval_end_ns;
	struct dp_spans uploads; /* union of the device's H2D copies */
};

struct dp_metric_summary {
	struct dp_metric_info info;
	/* From the metric's values, one per iteration. NaN: none. */
	double (*reduce)(const struct dp_metric_input *input, const double *values);
};

struct dp_metric {
	struct dp_metric_info info;
	/* Fills values[input->count], NaN where there is none. Errors: DP_ERR_NOMEM. */
	int (*compute)(const struct dp_metric_input *input, double *values, struct dp_error *error);
	const struct dp_metric_summary *summaries; /* ends with a NULL reduce; NULL: none */
};

/* The table; NULL beyond the end. */
const struct dp_metric *dp_metric__at(size_t index);

/* All values of one loop: metrics in rows of input->count, summaries in order of the table. */
struct dp_metric_values {
	double *values;
	double *summary;
};

/* *out is the caller's, to be released with fini. Errors: DP_ERR_NOMEM. */
int dp_metric__compute_all(struct dp_metric_values *out, struct dp_metric_input *input,
			   struct dp_error *error);
void dp_metric_values__fini(struct dp_metric_values *values);

/* True where iteration k has an interval, and one that nothing else's kernels interrupt. */
bool dp_metric__has_interval(const struct dp_metric_input *input, size_t k);
bool dp_metric__uninterrupted(const struct dp_metric_input *input, size_t k);

/* Length of the intersection of spans with [start, end). Cost: logarithmic. */
int64_t dp_spans__covered(const struct dp_spans *spans, int64_t start_ns, int64_t end_ns);

#endif
