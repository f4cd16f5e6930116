/* What a loop's stream waited for: work of other streams, by waits for events. */
#ifndef DP_ACTIVITY_STREAM_WAITS_H
#define DP_ACTIVITY_STREAM_WAITS_H

#include "base/base.h"
#include <deepprof/analysis.h>

/* Most kernels of other streams that are distinguished; the others are not listed. */
#define DP_STREAM_WAITS_MOST 16

/* For the last operation that an event stands for, on the stream in which it was recorded. */
struct dp_stream_waited {
	struct dp_stream_wait info;
	uint32_t name;	/* the operation's */
	size_t row;	/* in ns */
	char text[144]; /* "gather on stream 20 (event 3)", with the first such event */
};

struct dp_stream_waits {
	struct dp_stream_waited waits[DP_STREAM_WAITS_MOST]; /* the longest first */
	size_t count;
	size_t iterations;
	double *ns; /* rows of iterations */
};

/* Whose loop it is. */
struct dp_stream_waits_input {
	const struct dp_trace *trace;
	uint32_t stream;
	const struct dp_iteration *iterations;
	size_t count;
};

/*
 * Finds the time in which the stream was idle, its next operation was launched, and the work that
 * an event stands for had not ended. Zero *waits first; release it with fini. Errors: DP_ERR_NOMEM.
 * Cost: n log n in the waits.
 */
int dp_stream_waits__find(struct dp_stream_waits *waits, const struct dp_stream_waits_input *input);
void dp_stream_waits__fini(struct dp_stream_waits *waits);

#endif
