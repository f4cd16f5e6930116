/* The call stacks of samples, as a tree of named functions that all processes share. */
#ifndef DP_RECORD_STACKS_H
#define DP_RECORD_STACKS_H

#include "record/code.h"

/* Different callers that are kept; one takes about 100 bytes in the trace file. */
#define DP_STACKS_MAX 65536

struct dp_stacks;

/* Receives each new entry of the tree. Their ids count from 1; parent 0: it has none. */
struct dp_stacks_sink {
	void (*put)(void *ctx, uint32_t parent, const struct dp_code_name *function);
	void *ctx;
};

/* Returns NULL if memory runs out. */
struct dp_stacks *dp_stacks__new(const struct dp_stacks_sink *sink);
void dp_stacks__free(struct dp_stacks *stacks); /* NULL is allowed */

/*
 * Returns the id of a stack of addresses, innermost first; equal stacks have equal ids. 0: nothing
 * of it is known, or there is no room, which is counted. process is the process's number, the same
 * in all calls. Cost: a hash look-up or two for each address that was seen before.
 */
uint32_t dp_stacks__find(struct dp_stacks *stacks, struct dp_mappings *mappings, uint32_t process,
			 const uint64_t *addresses, size_t count);

/* The number of stacks for which there was no room. */
uint64_t dp_stacks__refused(const struct dp_stacks *stacks);

#endif
