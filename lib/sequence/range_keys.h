/* Annotations that repeat: ranges with the same name, ignoring numbers in it ("train step 17"). */
#ifndef DP_SEQUENCE_RANGE_KEYS_H
#define DP_SEQUENCE_RANGE_KEYS_H

#include "base/base.h"
#include "base/strings.h"
#include <deepprof/trace.h>

/* Ranges of one name. texts holds the name by the same id, with '#' for each number. */
struct dp_range_key {
	uint32_t id;
	size_t count;
	int64_t total_ns;
};

struct dp_range_keys {
	uint32_t *of; /* key of each string of the trace; DP_NONE: no range has that name */
	size_t strings;
	struct dp_range_key *keys; /* in order of first appearance */
	size_t count;
	size_t room;
	struct dp_strings texts;
	char *text;
	size_t text_room;
};

/*
 * Counts a trace's ranges: either those of operators, or all others. The caller releases *keys with
 * fini, also after a failure. Errors: DP_ERR_NOMEM.
 */
int dp_range_keys__count(struct dp_range_keys *keys, const struct dp_trace *trace, bool operators);
void dp_range_keys__fini(struct dp_range_keys *keys);

#endif
