/*
 * The seam of the metrics. A metric is a row of a family; a family is one file with one struct
 * dp_metric_family named dp_family__<word>, and its word in the list in lib/metric/meson.build.
 * What rows share is in metric/family.h. Definitions: DeepProf (arXiv 1707.03750), section IV-D,
 * made exact.
 */
#ifndef DP_METRIC_METRIC_H
#define DP_METRIC_METRIC_H

#include "activity/parts.h"
#include "activity/stream_waits.h"
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
	bool brief;	      /* only metrics that read iterations alone */
	bool stretch;	      /* of one stretch of time, whose only "iteration" it is */
	const uint8_t *asked; /* of others only these, per metric; NULL: all */
	const struct dp_attribution *attribution; /* of launches; NULL: not known */
	/* Of the device, for all of its loops; NULL: made for the call. */
	const struct dp_device_timeline *timeline;
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

/* Of the iterations that have a value, those that a summary is over. */
enum dp_summarized {
	DP_OVER_STEADY,	       /* neither warm-up nor a period with other kernels in it */
	DP_OVER_WARM,	       /* no warm-up */
	DP_OVER_ALL,	       /* as the paper's averages of what lies inside iterations */
	DP_OVER_UNINTERRUPTED, /* without other kernels before them: those of intervals */
};

struct dp_metric_summary {
	struct dp_metric_info info;
	enum dp_summarized over;
	/* Of their values, whose order it may change; NaN: none. */
	double (*stat)(double *values, size_t count);
	/* Instead: from all values, one per iteration. May use input->scratch. */
	double (*reduce)(const struct dp_metric_input *input, const double *values);
};

/* What a metric is computed from. */
enum dp_metric_reads {
	DP_READS_PARTS,
	DP_READS_TIMELINE,   /* no parts */
	DP_READS_ITERATIONS, /* neither: it costs next to nothing, and loops of every level have it
			      */
};

/* What is made of parts of periods: */
enum dp_metric_form {
	DP_FORM_PART,	 /* the part, */
	DP_FORM_REST,	 /* the rest of the period, */
	DP_FORM_WITHOUT, /* the part without another that it holds, */
	DP_FORM_SHARE,	 /* the part divided by the period, */
	DP_FORM_RATIO,	 /* by another, */
	DP_FORM_RATE,	 /* and by another, in ns, per second */
};

struct dp_metric {
	struct dp_metric_info info;
	const struct dp_metric_summary *summaries; /* ends with a NULL name */
	/* Fills values[input->count], NaN where there is none. Errors: DP_ERR_NOMEM. */
	int (*compute)(double *values, const struct dp_metric_input *input,
		       const struct dp_metric *row, struct dp_error *error);
	/* For compute: what is made of parts of periods; */
	enum dp_metric_form form;
	enum dp_part part;
	enum dp_part other;
	int which;   /* as the function has it: a state, an amount; */
	double rank; /* of kernels' times */
	enum dp_metric_reads reads;
};

struct dp_metric_family {
	const struct dp_metric *rows;
	size_t count;
};

/* The table; NULL beyond the end. */
const struct dp_metric *dp_metric__at(size_t index);

/*
 * All values of one loop: metrics in rows of count, summaries in order of the table. Partial
 * iterations have none. Brief ones have rows only for the metrics that read iterations alone, and
 * NaN for the others' summaries.
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

/* True where iteration k has an interval. */
bool dp_metric__has_interval(const struct dp_metric_input *input, size_t k);

/* Length of the period of iteration k, NaN where it has none. */
double dp_metric__period_ns(const struct dp_metric_input *input, size_t k);

#endif
