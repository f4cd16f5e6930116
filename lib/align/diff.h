/* The edits between a range of a sequence and a range of a pattern, end to end. */
#ifndef DP_ALIGN_DIFF_H
#define DP_ALIGN_DIFF_H

#include "base/base.h"
#include <deepprof/loop.h>

/* A range of a sequence or a pattern. */
struct dp_diff_range {
	const uint32_t *symbols;
	size_t first, end;
};

/*
 * Writes the edits that turn range b, of a pattern, into range a, of a sequence, to *edits, a new
 * array with *count elements. The edits are the fewest possible if these are few; otherwise
 * everything between the first and the last difference is replaced. Errors: DP_ERR_NOMEM. Cost:
 * linear in both lengths.
 */
int dp_diff__run(struct dp_edit **edits, size_t *count, struct dp_diff_range a,
		 struct dp_diff_range b);

#endif
