/* Boundaries that came to lie at the end of a repetition when its repetitions were collapsed. */
#ifndef DP_ITERATE_EXPAND_H
#define DP_ITERATE_EXPAND_H

#include "iterate/iteration.h"

/*
 * Where an iteration begins with what the one before it ends with, over and over, both are one
 * repetition in the collapsed sequence, and a boundary can only lie in front of it or behind it. By
 * the host's gaps each is moved to where the program's own is, up to 64 symbols away.
 * iterations[0..count) are those of the collapsed sequence, whose symbol i stands for
 * symbols[position[i], position[i + 1]) of symbols[0..n); they become those of the sequence.
 * Returns how many are left: a partial one may consist of nothing but what its neighbour gets.
 * Cost: linear in iterations, and a few thousand calls of evidence->at.
 */
size_t dp_expand__iterations(struct dp_repetition *iterations, size_t count,
			     const uint32_t *symbols, size_t n, const uint32_t *position,
			     const struct dp_evidence *evidence);

#endif
