/* What a capture as a whole shows of a device. */
#ifndef DP_REPORT_CAPTURE_H
#define DP_REPORT_CAPTURE_H

#include "report/report.h"

#define DP_CAPTURE_TOP 3

struct dp_capture {
	double idle;	  /* share of the time in which the device was idle; NaN: unknown */
	double kernel_ns; /* of all kernels together */
	size_t count;	  /* names below, by time, longest first */
	uint32_t names[DP_CAPTURE_TOP]; /* for dp_trace_string() */
	double time_ns[DP_CAPTURE_TOP];
};

/*
 * The share of the scope's range, or of the whole trace, in which the device runs an operation of
 * any of its streams, without the time in which recording was off; NaN if unknown. Cost: linear in
 * the operations.
 */
double dp_capture__busy(const struct dp_trace *trace, const struct dp_scope *scope,
			uint32_t device);

/*
 * Measures the device's idle time in the scope's range, or in the whole trace, and the kernels that
 * start there, on the scope's stream if it has one. Cost: linear in the operations and in the
 * strings. Errors: DP_ERR_NOMEM.
 */
int dp_capture__measure(struct dp_capture *capture, const struct dp_trace *trace,
			const struct dp_scope *scope, uint32_t device, struct dp_error *error);

/* What a device does: nothing, or kinds of operations, which may overlap. */
enum dp_capture_part {
	DP_CAPTURE_KERNELS_RUN,
	DP_CAPTURE_UPLOADS,
	DP_CAPTURE_DOWNLOADS,
	DP_CAPTURE_OTHER, /* other copies, memsets */
	DP_CAPTURE_IDLE,
	DP_CAPTURE_PARTS
};

/*
 * Measures what the device does in the scope's range, or in the whole trace, before and after
 * [start_ns, end_ns): shares of that time. Returns false if there is none, or if the recording was
 * paused. Cost: linear in the operations.
 */
bool dp_capture__outside(double shares[DP_CAPTURE_PARTS], const struct dp_trace *trace,
			 const struct dp_scope *scope, uint32_t device, int64_t start_ns,
			 int64_t end_ns);

#define DP_CAPTURE_DOUBTS 2

/* Sets why the trace's times are inexact, borrowed from it. Returns how many reasons there are. */
size_t dp_capture__doubts(const char *doubts[DP_CAPTURE_DOUBTS], const struct dp_trace *trace);

/* How long recording was off, in the process that lacks most. */
struct dp_paused {
	size_t times;
	int64_t longest_ns; /* of the trace's duration */
	size_t processes;   /* in which recording was off at all */
};

bool dp_capture__paused(struct dp_paused *paused, const struct dp_trace *trace);

#endif
