/* One iteration as a range of symbols. */
#ifndef DP_ITERATE_ITERATION_H
#define DP_ITERATE_ITERATION_H

#include "base/base.h"
#include <deepprof/loop.h>

/* One iteration: symbols [first, end) of the sequence. */
struct dp_sequence_iteration {
	size_t first;
	size_t end;
	size_t edits; /* index of its first edit in dp_sequence_loop.edits; it has inserted +
			 deleted + substituted edits, in order of position */
	uint32_t inserted;
	uint32_t deleted; /* not those missing because the capture begins or ends */
	uint32_t substituted;
	uint32_t variant; /* the same for iterations of the same symbols; 0 is the pattern itself,
			     others are numbered in order of appearance */
	bool partial;	  /* cut off by the beginning or end of the capture */
};

static inline size_t dp_iteration__edit_count(const struct dp_sequence_iteration *s)
{
	return (size_t)s->inserted + s->deleted + s->substituted;
}

/* The number of whole ones among iterations. */
static inline size_t dp_iterations__whole(const struct dp_sequence_iteration *s, size_t count)
{
	size_t whole = 0;

	for (size_t i = 0; i < count; i++)
		whole += !s[i].partial;
	return whole;
}

/* The number of symbols in iterations. */
static inline size_t dp_iterations__covered(const struct dp_sequence_iteration *s, size_t count)
{
	size_t symbols = 0;

	for (size_t i = 0; i < count; i++)
		symbols += s[i].end - s[i].first;
	return symbols;
}

/* The offset that is `by` symbols after another of a cyclic pattern, or before it if dir < 0. */
static inline size_t dp_offset__move(size_t offset, size_t by, size_t m, int dir)
{
	return (offset + (dir < 0 ? m - by % m : by)) % m;
}

#endif
