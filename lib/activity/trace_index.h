/* Rows of a trace by device and thread, and data that all devices share. */
#ifndef DP_ACTIVITY_TRACE_INDEX_H
#define DP_ACTIVITY_TRACE_INDEX_H

#include "activity/range_names.h"
#include "base/base.h"
#include <deepprof/trace.h>

/* Rows of a table by a key that each has, such as operations by device. */
struct dp_groups {
	uint32_t *rows; /* of key k: from first[k] to first[k + 1], in order */
	size_t *first;
	size_t keys;
};

/*
 * Row i has the key key[i], or map[key[i]] if there is a map; it is left out unless that is below
 * keys. The caller releases groups with fini, also after a failure. Errors: DP_ERR_NOMEM. Cost:
 * linear.
 */
int dp_groups__init(struct dp_groups *groups, const uint32_t *key, const uint32_t *map,
		    size_t count, size_t keys);
void dp_groups__fini(struct dp_groups *groups);

/* The rows of a key, borrowed; *count is their number. */
const uint32_t *dp_groups__rows(const struct dp_groups *groups, size_t key, size_t *count);

/* A copy's caller waited for it inside the copy's call, or in a synchronizing one that follows. */
enum { DP_WAITED_INSIDE = 1, DP_WAITED_AFTER = 2 };

/*
 * Data that all devices share, made once for a trace, so that each device costs only its own size.
 */
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
	struct dp_groups functions;   /* samples of functions, by thread */
	struct dp_range_names range_names;
	uint8_t *is_comm;	      /* per string: it names a kernel that communicates */
	uint8_t *waited;	      /* per call: DP_WAITED_AFTER or 0 */
};

/*
 * An array with a time per thread of the trace, set to before all others. The caller frees it; NULL
 * if memory runs out.
 */
int64_t *dp_trace_index__times(const struct dp_trace_index *index);

/*
 * The caller releases index with fini, also after a failure. Borrows the trace. Errors:
 * DP_ERR_NOMEM. Cost: linear in the size of the trace.
 */
int dp_trace_index__init(struct dp_trace_index *index, const struct dp_trace *trace,
			 struct dp_error *error);
void dp_trace_index__fini(struct dp_trace_index *index);

#endif
