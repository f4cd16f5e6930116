/* Rows of a trace by device and thread, and what all devices share. */
#ifndef DP_ACTIVITY_TRACE_INDEX_H
#define DP_ACTIVITY_TRACE_INDEX_H

#include "base/base.h"
#include <deepprof/trace.h>

/* Rows of a table by a key that each has, such as operations by device. */
struct dp_groups {
	uint32_t *rows; /* of key k: from first[k] to first[k + 1], in order */
	size_t *first;
	size_t keys;
};

/*
 * *groups is the caller's, to be released with fini, on failure too. Row i has the key key[i], or
 * map[key[i]] where there is a map; it is left out where that is not below keys. Errors:
 * DP_ERR_NOMEM. Cost: linear.
 */
int dp_groups__init(struct dp_groups *groups, const uint32_t *key, const uint32_t *map,
		    size_t count, size_t keys);
void dp_groups__fini(struct dp_groups *groups);

/* The rows of a key, borrowed; *count of them. */
const uint32_t *dp_groups__rows(const struct dp_groups *groups, size_t key, size_t *count);

/* A copy's caller waited for it in the copy's call, or in a synchronizing one that follows it. */
enum { DP_WAITED_INSIDE = 1, DP_WAITED_AFTER = 2 };

/* What all devices share, so that each costs what it has itself: made once for a trace. */
struct dp_trace_index {
	const struct dp_trace *trace;
	struct dp_groups ops;	      /* by device */
	struct dp_groups calls;	      /* by thread */
	struct dp_groups ranges;      /* by thread */
	struct dp_groups loaders;     /* ranges that fetch input, by thread */
	struct dp_groups samples;     /* by device */
	struct dp_groups memory;      /* by device */
	struct dp_groups activity;    /* by device */
	struct dp_groups cpu_samples; /* by thread */
	struct dp_groups off_cpu;     /* by thread */
	uint8_t *is_comm;	      /* per string: it names a kernel that communicates */
	uint8_t *waited;	      /* per call: DP_WAITED_AFTER or 0 */
};

/* A time per thread of the trace, for latest ends: before all others. To be freed; NULL: no memory.
 */
int64_t *dp_trace_index__times(const struct dp_trace_index *index);

/* *index is the caller's, to be released with fini, on failure too. Borrows the trace. Errors:
 * DP_ERR_NOMEM. Cost: linear in all that the trace has. */
int dp_trace_index__init(struct dp_trace_index *index, const struct dp_trace *trace,
			 struct dp_error *error);
void dp_trace_index__fini(struct dp_trace_index *index);

#endif
