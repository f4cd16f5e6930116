/* The streams whose operations make one sequence. */
#ifndef DP_SEQUENCE_STREAMS_H
#define DP_SEQUENCE_STREAMS_H

#include "base/base.h"
#include <deepprof/trace.h>

/* The streams of a device, which follow each other in a trace. */
struct dp_stream_range {
	size_t first, end;
};

/* Cost: logarithmic. */
struct dp_stream_range dp_stream_range__of(const struct dp_trace *trace, uint32_t device);

struct dp_stream_group {
	uint32_t stream;      /* that it was made for */
	struct dp_stream_range range; /* those of its device */
	bool *has;	      /* per stream of the device: it is a member; NULL: only that one */
	size_t streams;	      /* with kernels, that it has */
	const uint32_t *rows; /* their operations in order */
	size_t count;
	uint32_t *merged; /* the group's own rows; NULL: rows are the trace's */
	bool by_launch;	  /* the sequence is in order of launches, all of which are recorded */
};

/*
 * Makes the group of a stream and those of its device that do the same work, for example if each
 * replay of a CUDA graph is on another stream: in turn, or concurrently if launches are recorded.
 * Borrows the trace. The caller releases *group with fini, also after a failure. Errors:
 * DP_ERR_NOMEM. Cost: linear in the device's operations and streams.
 */
int dp_stream_group__init(struct dp_stream_group *group, const struct dp_trace *trace,
			  uint32_t stream);

/* The group of a stream and all computing streams of its device. Errors and cost as above. */
int dp_stream_group__all(struct dp_stream_group *group, const struct dp_trace *trace,
			 uint32_t stream);

/* The group of a single stream. Cannot fail, and costs nothing. */
void dp_stream_group__single(struct dp_stream_group *group, const struct dp_trace *trace,
			     uint32_t stream);

/*
 * The streams of another group, plus those of the device that only copy. Errors and cost as above.
 */
int dp_stream_group__with_copies(struct dp_stream_group *group, const struct dp_trace *trace,
				 const struct dp_stream_group *from);

/* Sorts operations by their launches. Errors: DP_ERR_NOMEM. Cost: n log n. */
int dp_stream_group__by_launch(uint32_t *rows, size_t count, const struct dp_trace *trace);

/* Returns true if a stream of the device is a member. */
bool dp_stream_group__has(const struct dp_stream_group *group, size_t stream);

/* Returns true if streams of the device that are not members compute. */
bool dp_stream_group__has_others(const struct dp_stream_group *group, const struct dp_trace *trace);

void dp_stream_group__fini(struct dp_stream_group *group);

#endif
