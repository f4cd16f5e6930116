/* The ranges of a trace by name, process and thread, made once for all of its sequences. */
#ifndef DP_SEQUENCE_RANGE_INDEX_H
#define DP_SEQUENCE_RANGE_INDEX_H

#include "base/base.h"
#include <deepprof/trace.h>

/* Ranges of one thread whose names have one label: rows [first, end). */
struct dp_range_group {
	uint32_t label;
	uint32_t process; /* DP_NONE if the thread is */
	uint32_t thread;
	size_t first, end;
};

struct dp_range_index {
	uint32_t *rows; /* ranges of the trace; those of a group in order, disjoint */
	struct dp_range_group *groups; /* by label, process and thread */
	size_t count;
	size_t room;
};

/*
 * Makes the index of the ranges whose name has a label: labels has one for each string of the
 * trace, DP_NONE for names to leave out. Ranges that lie inside or overlap an earlier one of their
 * group are left out. The caller releases *index, which is zero before, with fini, also after a
 * failure. Errors: DP_ERR_NOMEM. Cost: linear in the ranges, n log n in the groups.
 */
int dp_range_index__init(struct dp_range_index *index, const struct dp_trace *trace,
			 const uint32_t *labels);
void dp_range_index__fini(struct dp_range_index *index);

/*
 * Returns the group of a label, process and thread, or NULL; and the first group of a label and
 * process. Cost: binary search.
 */
const struct dp_range_group *dp_range_index__get(const struct dp_range_index *index, uint32_t label,
						 uint32_t process, uint32_t thread);
const struct dp_range_group *dp_range_index__first(const struct dp_range_index *index,
						   uint32_t label, uint32_t process);

#endif
