/*
 * The open nodes of a traversal: a stack that is as deep as the tree, in little memory.
 *
 * A tree that is as deep as its text is long (that of a^n) would need as many bytes for its open
 * nodes as for its LCP values. But the nodes on one way to the root are prefixes of one suffix,
 * each of which occurs elsewhere with another symbol after it: more of them than about the root
 * of the text's length only fit where the occurrences overlap, so where the suffix is periodic
 * (Fine, Wilf, "Uniqueness theorems for periodic functions", 1965), and there depth and left end
 * grow by the same steps again and again. So only the top of the stack is kept node by node, and
 * what lies below as arithmetic progressions. Cost: constant per push and pop, amortized; a fixed
 * array, and a progression per change of step below it.
 */
#ifndef DP_SUFFIX_OPEN_H
#define DP_SUFFIX_OPEN_H

#include "base/base.h"

/* An open node: it starts at left, and its end is not known yet. */
struct dp_open {
	size_t left;
	size_t depth;
};

struct dp_open_run;

struct dp_open_nodes {
	struct dp_open *top;
	size_t count; /* of top */
	size_t room;
	struct dp_open_run *runs; /* what lies below */
	size_t run_count;
	size_t run_room;
};

/* For at most limit nodes. DP_OK or DP_ERR_NOMEM; freed with dp_open__fini() in either case. */
int dp_open__init(struct dp_open_nodes *nodes, size_t limit);

void dp_open__fini(struct dp_open_nodes *nodes);

/* Moves half of a full top below it. DP_OK or DP_ERR_NOMEM. */
int dp_open__spill(struct dp_open_nodes *nodes);

/* Moves nodes from below to the top, which has one left. */
void dp_open__refill(struct dp_open_nodes *nodes);

static inline const struct dp_open *dp_open__last(const struct dp_open_nodes *nodes)
{
	return &nodes->top[nodes->count - 1];
}

static inline int dp_open__push(struct dp_open_nodes *nodes, size_t left, size_t depth)
{
	if (nodes->count == nodes->room && dp_open__spill(nodes))
		return DP_ERR_NOMEM;
	nodes->top[nodes->count++] = (struct dp_open){ left, depth };
	return DP_OK;
}

/* Takes the last one of at least two. */
static inline struct dp_open dp_open__pop(struct dp_open_nodes *nodes)
{
	if (nodes->count == 1)
		dp_open__refill(nodes);
	return nodes->top[--nodes->count];
}

#endif
