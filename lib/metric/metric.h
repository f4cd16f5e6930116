/*
 * The interface of the metrics. A metric is a row of a family; a family is one file with one struct
 * dp_metric_family named dp_family__<word>, and its word in the list in lib/metric/meson.build.
 * metric/family.h has what rows share. Definitions: DeepProf (arXiv 1707.03750), section IV-D, made
 * exact.
 */
#ifndef DP_METRIC_METRIC_H
#define DP_METRIC_METRIC_H

#include "activity/parts.h"
#include "activity/stream_waits.h"
#include "activity/transfers.h"
#include <deepprof/analysis.h>

/* One loop, prepared for all metrics. Arrays are borrowed. */
struct dp_metric_input {
	const struct dp_trace *trace;
	uint32_t device;
	uint32_t stream;
	const uint32_t *ops; /* operations: the kernels of the iterations' sequence, in order */
	size_t op_count;
	const uint32_t *rows; /* all operations of their streams; NULL: those of the stream */
	size_t row_count;
	const struct dp_iteration *iterations;
	size_t count;
	uint64_t batch_size;  /* samples in an iteration, 0: unknown */
	double flops;	      /* of an iteration, 0: unknown */
	bool brief;	      /* only metrics that read nothing but iterations */
	bool stretch;	      /* one stretch of time is the only "iteration" */
	const uint8_t *asked; /* per metric, whether it is requested; NULL: all */
	const struct dp_attribution *attribution; /* of launches; NULL: unknown */
	/* Of the device, for all of its loops; NULL: made for this call. */
	const struct dp_device_timeline *timeline;
	/* Set by dp_metric__compute_all(). */
	/*
	 * The interval before iteration k: from the end of its predecessor's last kernel to the
	 * start of its first, empty if that is earlier. Both are INT64_MIN if either iteration is
	 * partial or missing, or if recording was off between them.
	 */
	const int64_t *interval_start_ns;
	const int64_t *interval_end_ns;
	struct dp_parts parts; /* of periods */
	double *scratch;       /* for reduce: room for count values */
};

/* Which iterations with a value a summary covers. */
enum dp_summarized {
	DP_OVER_STEADY,	       /* neither warm-up nor interrupted by other kernels */
	DP_OVER_WARM,	       /* no warm-up */
	DP_OVER_ALL,	       /* like the paper's averages inside iterations */
	DP_OVER_UNINTERRUPTED, /* without other kernels before them, for intervals */
};

struct dp_metric_summary {
	struct dp_metric_info info;
	enum dp_summarized over;
	/* Of their values, whose order it may change; NaN: none. */
	double (*stat)(double *values, size_t count);
	/* Alternatively, from all values, one per iteration. May use input->scratch. */
	double (*reduce)(const struct dp_metric_input *input, const double *values);
};

/* What a metric is computed from. */
enum dp_metric_reads {
	DP_READS_PARTS,
	DP_READS_TIMELINE,   /* no parts */
	DP_READS_ITERATIONS, /* neither: it costs little, and loops of every level have it */
};

/* How a metric follows from parts of periods: */
enum dp_metric_form {
	DP_FORM_PART,	 /* the part, */
	DP_FORM_REST,	 /* the rest of the period, */
	DP_FORM_WITHOUT, /* the part without another that it includes, */
	DP_FORM_SHARE,	 /* the part divided by the period, */
	DP_FORM_RATIO,	 /* by another, */
	DP_FORM_RATE,	 /* and per second, by another part in ns */
};

struct dp_metric {
	struct dp_metric_info info;
	const struct dp_metric_summary *summaries; /* ends with a NULL name */
	/* Sets values[input->count], NaN for none. Errors: DP_ERR_NOMEM. */
	int (*compute)(double *values, const struct dp_metric_input *input,
		       const struct dp_metric *row, struct dp_error *error);
	/* For compute: how it follows from parts of periods; */
	enum dp_metric_form form;
	enum dp_part part;
	enum dp_part other;
	int which;   /* an argument of the function: a state, an amount; */
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
 * All values of one loop: metrics in rows of count, summaries in the table's order. Partial
 * iterations have none. Brief ones have rows only for metrics that read nothing but iterations, and
 * NaN for other summaries.
 */
struct dp_metric_values {
	double *values;
	double *summary;
	size_t count;
	bool brief;
	const uint8_t *asked; /* borrowed */
	struct dp_stalls stalls;
	struct dp_host_ranges ranges;
	struct dp_range_names range_names; /* of these, if their index was made for them */
	struct dp_stream_waits waits; /* empty unless all metrics were computed */
	struct dp_transfers transfers; /* likewise */
	struct dp_replay replay; /* of some typical iterations; NaN without those, or unless all
				  * metrics were computed */
};

/* A metric's row, or NULL. */
const double *dp_metric_values__row(const struct dp_metric_values *values, size_t metric);

/*
 * The caller releases out with fini. Errors: DP_ERR_NOMEM. Cost: linear in the trace's operations
 * and the iterations, plus binary searches; for a brief one, linear in the iterations.
 */
int dp_metric__compute_all(struct dp_metric_values *out, const struct dp_metric_input *input,
			   struct dp_error *error);
void dp_metric_values__fini(struct dp_metric_values *values);

/* Returns true if iteration k has an interval. */
bool dp_metric__has_interval(const struct dp_metric_input *input, size_t k);

/* The length of the period of iteration k; NaN if it has none. */
double dp_metric__period_ns(const struct dp_metric_input *input, size_t k);

#endif
