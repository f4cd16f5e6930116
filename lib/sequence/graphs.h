/* CUDA graphs that a program captures again during its run, and which then have another number. */
#ifndef DP_SEQUENCE_GRAPHS_H
#define DP_SEQUENCE_GRAPHS_H

#include "base/base.h"

struct dp_sequence;

/*
 * Sets first[s], for each symbol of the sequence, to the symbol under which the same graph was
 * captured first: s itself unless it is a graph captured again. That is first launched after the
 * earlier one's last launch, with an instantiation between if the trace has any; its median
 * duration differs by at most graph_same; and where the graph captured before or after the earlier
 * one alternates with it, so does such a graph here, which takes as long as that. A graph continues
 * one other at most, and is continued by one.
 *
 * Errors: DP_ERR_NOMEM. Cost: linear in the symbols times graphs_look, and in the trace's calls.
 */
int dp_graphs__find_recaptured(uint32_t *first, const struct dp_sequence *sequence);

#endif
