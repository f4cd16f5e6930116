/* Moves boundaries that lie at the end of a run because runs were collapsed. */
#ifndef DP_ITERATE_EXPAND_H
#define DP_ITERATE_EXPAND_H

#include "iterate/iteration.h"

/*
 * If an iteration begins with the same repeated symbols that the one before ends with, both are one
 * run in the collapsed sequence, and a boundary can only lie before it or after it. By the host's
 * gaps, those between two iterations are moved to where the program's own are, up to 64 symbols
 * away. iterations[0..count) are those of the collapsed sequence, whose symbol i stands for the
 * symbols from position[i] to position[i + 1]; they become those of the sequence. Returns the
 * number left: a partial one may lose all its symbols to its neighbour. Cost: linear in iterations,
 * and a few thousand calls of evidence->at.
 */
size_t dp_expand__iterations(struct dp_sequence_iteration *iterations, size_t count,
			     const uint32_t *position, const struct dp_evidence *evidence);

#endif
