/*
 * The names of annotations. Programs number them ("layer_7", "token 12, layer 7"): what a kind of
 * work costs shows only if its ranges have one name ("layer_#").
 */
#ifndef DP_ACTIVITY_RANGE_NAMES_H
#define DP_ACTIVITY_RANGE_NAMES_H

#include "base/strings.h"
#include <deepprof/trace.h>

/* Zeroed, every name stands for itself. */
struct dp_range_names {
	struct dp_strings texts; /* names without their numbers */
	uint32_t *joined;	 /* per string of the trace: its text, or DP_NONE */
	uint32_t *first;	 /* per text: the first string that has it */
	bool *several;		 /* per text: whether others have it, too */
};

/*
 * The caller releases names with fini, also after a failure. Errors: DP_ERR_NOMEM. Cost: linear in
 * ranges and strings.
 */
int dp_range_names__init(struct dp_range_names *names, const struct dp_trace *trace);
void dp_range_names__fini(struct dp_range_names *names);

/* The name that stands for all that differ from a name in numbers only; DP_NONE for DP_NONE. */
uint32_t dp_range_names__common(const struct dp_range_names *names, uint32_t name);

/* The text of such a name: its own if there is no other, else without numbers. Borrowed. */
const char *dp_range_names__text(const struct dp_range_names *names, const struct dp_trace *trace,
				 uint32_t name);

#endif
