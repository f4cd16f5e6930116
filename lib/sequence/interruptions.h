/* Where a sequence is interrupted: recording was off, or its process loaded code. */
#ifndef DP_SEQUENCE_INTERRUPTIONS_H
#define DP_SEQUENCE_INTERRUPTIONS_H

#include "sequence/sequence.h"

/*
 * Where recording was off between two kernels of a sequence: the indices of the second ones,
 * ascending, above 0 and below its count.
 */
struct dp_breaks {
	size_t *first; /* NULL where there is none */
	size_t count;
};

/*
 * Finds the breaks of a sequence. The caller frees breaks->first with free(). Errors: DP_ERR_NOMEM.
 * Cost: linear in the kernels and the process's pauses.
 */
int dp_sequence__breaks(struct dp_breaks *breaks, const struct dp_sequence *sequence);

/*
 * When processes load code, found when a sequence first needs it and kept for the others. Zero it
 * before; one thread uses it at a time.
 */
struct dp_loads {
	struct dp_load {
		uint32_t process;
		int64_t time_ns;
	} * items; /* by process, then time */
	size_t count;
	bool found;
};

/*
 * Sets *at, a new array for free(), to whether the sequence's process has loaded code between the
 * launch of the symbol before each one and its own; to NULL if it has loaded none. Errors:
 * DP_ERR_NOMEM. Cost: linear in the calls the first time; then in the symbols and the loads.
 */
int dp_sequence__loads(bool **at, const struct dp_sequence *sequence, struct dp_loads *loads);
void dp_loads__fini(struct dp_loads *loads);

#endif
