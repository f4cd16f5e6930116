/*
 * The seam of the metrics. A metric is one file with one struct dp_metric named
 * dp_metric__<word>, and its word in the list in lib/metric/meson.build. Definitions: DeepProf
 * (arXiv 1707.03750), section IV-D, made exact.
 */
#ifndef DP_METRIC_METRIC_H
#define DP_METRIC_METRIC_H

#include "metric/parts.h"
#include "metric/stream_waits.h"
#include <deepprof/analysis.h>

/* One loop, prepared for all metrics. Arrays are borrowed. */
struct dp_metric_input {
	const struct dp_trace *trace;
	uint32_t device;
	uint32_t stream;
	const uint32_t *ops; /* the kernels that iterations are of, in order: operations' indices */
	size_t op_count;
	const uint32_t *rows; /* all operations of their streams; NULL: those of the stream */
	size_t row_count;
	const struct dp_iteration *iterations;
	size_t count;
	uint64_t batch_size;  /* samples in an iteration, 0: unknown */
	double flops;	      /* of an iteration, 0: not known */
	bool brief;	      /* only metrics that are had everywhere */
	bool stretch;	      /* of one stretch of time, whose only "iteration" it is */
	const uint8_t *asked; /* of others only these, per metric; NULL: all */
	const struct dp_owners *owners; /* of launches; NULL: not known */
	/* Of the device, for all of its loops; NULL: made for the call. */
	const struct dp_work *work;
	/* What follows is dp_metric__compute_all()'s to fill. */
	/*
	 * The interval before iteration k: from the end of its predecessor's last kernel to the
	 * start of its first, empty where that is earlier. Both INT64_MIN where either of the two
	 * is partial or not there, or recording was off between them.
	 */
	const int64_t *interval_start_ns;
	const int64_t *interval_end_ns;
	struct dp_parts parts; /* of periods */
	double *scratch;       /* for reduce: room for count values */
};

struct dp_metric_summary {
	struct dp_metric_info info;
	/* From the metric's values, one per iteration. NaN: none. May use input->scratch. */
	double (*reduce)(const struct dp_metric_input *input, const double *values);
};

struct dp_metric {
	struct dp_metric_info info;
	/* Fills values[input->count], NaN where there is none. Errors: DP_ERR_NOMEM. */
	int (*compute)(const struct dp_metric_input *input, double *values, struct dp_error *error);
	const struct dp_metric_summary *summaries; /* ends with a NULL reduce; NULL: none */
	/* For loops of every level: it costs next to nothing, and neither work nor parts are read.
	 */
	bool everywhere;
	bool without_parts; /* it reads no parts */
};

/* The table; NULL beyond the end. */
const struct dp_metric *dp_metric__at(size_t index);

/*
 * All values of one loop: metrics in rows of count, summaries in order of the table. Partial
 * iterations have none. Brief ones have rows only for the metrics that are had everywhere, and NaN
 * for the others' summaries.
 */
struct dp_metric_values {
	double *values;
	double *summary;
	size_t count;
	bool brief;
	const uint8_t *asked; /* borrowed */
	struct dp_stalls stalls;
	struct dp_host_ranges ranges;
	struct dp_stream_waits waits; /* none where not all metrics are had */
	struct dp_replay replay; /* of some typical iterations; NaN where there are none, or where
				  * not all metrics are had */
};

/* A metric's row, NULL where it has none. */
const double *dp_metric_values__row(const struct dp_metric_values *values, size_t metric);

/*
 * *out is the caller's, to be released with fini. Errors: DP_ERR_NOMEM. Cost: linear in the trace's
 * operations and the iterations, but for binary searches; of a brief one, in the iterations.
 */
int dp_metric__compute_all(struct dp_metric_values *out, const struct dp_metric_input *input,
			   struct dp_error *error);
void dp_metric_values__fini(struct dp_metric_values *values);

/* True where iteration k has an interval, and one that nothing else's kernels interrupt. */
bool dp_metric__has_interval(const struct dp_metric_input *input, size_t k);
bool dp_metric__uninterrupted(const struct dp_metric_input *input, size_t k);

/* Part of the periods; null where it needs launch records and there are none. */
void dp_metric__part(const struct dp_metric_input *input, enum dp_part part, double *values);
void dp_metric__part_launched(const struct dp_metric_input *input, enum dp_part part,
			      double *values);

/* One part divided by another, or by the period; null where that is 0. */
void dp_metric__ratio(const struct dp_metric_input *input, enum dp_part part, enum dp_part of,
		      double *values);
void dp_metric__share(const struct dp_metric_input *input, enum dp_part part, double *values);

/*
 * Of the times of an iteration's kernels: their mean where rank is negative, else the value that a
 * share of them are not above. Errors: DP_ERR_NOMEM. Cost: linear in the kernels.
 */
enum dp_kernel_value { DP_KERNEL_TIME, DP_KERNEL_DELAY };

int dp_metric__per_kernel(const struct dp_metric_input *input, enum dp_kernel_value which,
			  double rank, double *values, struct dp_error *error);

/* Length of the period of iteration k, NaN where it has none. */
double dp_metric__period_ns(const struct dp_metric_input *input, size_t k);

/*
 * The place in a stream's operations (as of dp_trace_stream_ops()) of the first that is not before
 * an operation. Cost: logarithmic.
 */
size_t dp_metric__place(const uint32_t *rows, size_t count, uint32_t op);

#endif
