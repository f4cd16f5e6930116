/*
 * The ranges of a trace by name, process and thread, made once for all of its sequences; and names
 * that differ only in numbers ("train step 17").
 */
#ifndef DP_SEQUENCE_RANGE_INDEX_H
#define DP_SEQUENCE_RANGE_INDEX_H

#include "base/strings.h"
#include <deepprof/trace.h>

struct dp_range_row {
	uint32_t label;
	uint32_t process, thread; /* DP_NONE if the thread is unknown */
	uint32_t range;		  /* index of a range of the trace */
};

struct dp_range_index {
	struct dp_range_row *rows; /* in the order of their members; NULL: not made yet */
	size_t count;
};

/* The rows of one label and thread: ranges in order, and disjoint. */
struct dp_range_group {
	const struct dp_range_row *rows;
	size_t count;
};

/*
 * Makes the index of the ranges whose name has a label: labels has one for each string of the
 * trace, at most their number, or DP_NONE for names to leave out. Ranges that lie inside or overlap
 * an earlier one of their group are left out. The caller releases *index, which is zero before,
 * with fini. Errors: DP_ERR_NOMEM. Cost: linear, n log n in the ranges of a label that several
 * threads have.
 */
int dp_range_index__init(struct dp_range_index *index, const struct dp_trace *trace,
			 const uint32_t *labels);
void dp_range_index__fini(struct dp_range_index *index);

/*
 * Return the group of a label, process and thread, and the first group of a label and process;
 * empty if there is none. Cost: binary search.
 */
struct dp_range_group dp_range_index__get(const struct dp_range_index *index, uint32_t label,
					  uint32_t process, uint32_t thread);
struct dp_range_group dp_range_index__first(const struct dp_range_index *index, uint32_t label,
					    uint32_t process);

/* Ranges of one name. texts holds the name by the same id, with '#' for each number. */
struct dp_range_key {
	uint32_t id;
	size_t count;
	int64_t total_ns;
};

struct dp_range_keys {
	uint32_t *of; /* key of each string of the trace; DP_NONE: no range has that name */
	size_t strings;
	struct dp_range_key *keys; /* longest in total first */
	size_t count;
	size_t room;
	struct dp_strings texts;
};

/*
 * Counts a trace's ranges by name: either those of operators, or all others. The caller releases
 * *keys with fini, also after a failure. Errors: DP_ERR_NOMEM. Cost: linear in the ranges, and in
 * the bytes of their names, and n log n in these.
 */
int dp_range_keys__count(struct dp_range_keys *keys, const struct dp_trace *trace, bool operators);
void dp_range_keys__fini(struct dp_range_keys *keys);

#endif
