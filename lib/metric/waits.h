/* When the threads that launch on a device wait in calls. */
#ifndef DP_METRIC_WAITS_H
#define DP_METRIC_WAITS_H

#include "metric/metric.h"

struct dp_waits {
	bool known;	       /* operations of the device have calls */
	bool *launches;	       /* per thread: it launched kernels on the device */
	uint8_t *waited;       /* per call: a copy that the caller waited for */
	struct dp_spans syncs; /* a launching thread is in a synchronizing call */
	struct dp_spans any;   /* or in that of a copy */
};

/* *waits is the caller's, to be released with fini, on failure too. Errors: DP_ERR_NOMEM. Cost:
 * linear in operations and calls. */
int dp_waits__init(struct dp_waits *waits, const struct dp_trace *trace, uint32_t device,
		   struct dp_error *error);
void dp_waits__fini(struct dp_waits *waits);

/* A place in spans, for questions whose times go up. Constant cost, amortized. */
struct dp_spans_at {
	const struct dp_spans *spans;
	size_t at;
};

/* Length of the intersection with [start, end). */
int64_t dp_spans_at__covered(struct dp_spans_at *at, int64_t start_ns, int64_t end_ns);

/* Is a time in a span, or up to slack after one? */
bool dp_spans_at__holds(struct dp_spans_at *at, int64_t time_ns, int64_t slack_ns);

#endif
