/* CUDA graphs that a program records again during its run, and which then have another number. */
#ifndef DP_SEQUENCE_GRAPHS_H
#define DP_SEQUENCE_GRAPHS_H

#include "base/base.h"

struct dp_sequence;

/*
 * Sets first[s], for each symbol of the sequence, to the symbol under which the same graph was
 * recorded first: s itself unless it is a graph recorded again. That is launched only after the
 * last launch of the earlier one and takes equally long (the parameter graph_same); where graphs
 * before or after the earlier one alternate with it, so do such graphs here, which take as long as
 * those. No two graphs continue the same one.
 *
 * Errors: DP_ERR_NOMEM. Cost: linear in the symbols.
 */
int dp_graphs__find_again(uint32_t *first, const struct dp_sequence *sequence);

#endif
