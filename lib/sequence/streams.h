/* The streams whose operations make one sequence. */
#ifndef DP_SEQUENCE_STREAMS_H
#define DP_SEQUENCE_STREAMS_H

#include "base/base.h"
#include <deepprof/trace.h>

struct dp_stream_group {
	uint32_t stream;      /* that it was made for */
	bool *has;	      /* of each stream of the trace; NULL: it has that one only */
	size_t streams;	      /* with kernels, that it has */
	const uint32_t *rows; /* their operations in order */
	size_t count;
	uint32_t *merged; /* the group's own rows; NULL: they are the trace's */
	bool by_launch;	  /* the streams run at once: their sequence is in order of launches */
};

/*
 * A stream and those of its device that do the same work as it, for example where each replay of a
 * CUDA graph is on another stream: in turn with it, or at once where launches are recorded. Borrows
 * the trace; *group is the caller's, to be released with fini (also after a failure). Errors:
 * DP_ERR_NOMEM. Cost: linear in the device's operations, and in all of them where there are several
 * streams.
 */
int dp_stream_group__init(struct dp_stream_group *group, const struct dp_trace *trace,
			  uint32_t stream, struct dp_error *error);

/* A stream and all those of its device that compute. Errors and cost as those of init. */
int dp_stream_group__all(struct dp_stream_group *group, const struct dp_trace *trace,
			 uint32_t stream, struct dp_error *error);

/* Of one stream alone. No cost, and nothing to fail. */
void dp_stream_group__single(struct dp_stream_group *group, const struct dp_trace *trace,
			     uint32_t stream);

/*
 * The same streams as those of another group, and those of the device that only copy. Errors and
 * cost as those of init.
 */
int dp_stream_group__with_copies(struct dp_stream_group *group, const struct dp_trace *trace,
				 const struct dp_stream_group *from, struct dp_error *error);

/* Puts operations into the order of their launches. Errors: DP_ERR_NOMEM. Cost: n log n. */
int dp_stream_group__by_launch(uint32_t *rows, size_t count, const struct dp_trace *trace);

void dp_stream_group__fini(struct dp_stream_group *group);

#endif
