/* What a capture shows of a device where there are no iterations to report. */
#ifndef DP_REPORT_CAPTURE_H
#define DP_REPORT_CAPTURE_H

#include "report/report.h"

#define DP_CAPTURE_TOP 3

struct dp_capture {
	double idle;	  /* share of the time in which the device did nothing; NaN: unknown */
	double kernel_ns; /* of all kernels together */
	size_t count;	  /* names below, the one that took most time first */
	uint32_t names[DP_CAPTURE_TOP]; /* for dp_trace_string() */
	double time_ns[DP_CAPTURE_TOP];
};

/*
 * Idle time is that of the device in the scope's range, or in all of the trace; kernels are those
 * that start there, of the scope's stream if it has one. Cost: linear in the operations and in the
 * strings. Errors: DP_ERR_NOMEM.
 */
int dp_capture__measure(struct dp_capture *capture, const struct dp_trace *trace,
			const struct dp_scope *scope, uint32_t device, struct dp_error *error);

/* How long recording was off, in the process that lacks most; false where it never was. */
struct dp_paused {
	size_t times;
	int64_t longest_ns; /* of the trace's duration */
	size_t processes;   /* in which it was off at all */
};

bool dp_capture__paused(struct dp_paused *paused, const struct dp_trace *trace);

#endif
