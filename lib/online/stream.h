/* The detector's parts: the known loops, and what searches find. */
#ifndef DP_ONLINE_STREAM_H
#define DP_ONLINE_STREAM_H

#include "base/lookup.h"
#include "iterate/cut.h"
#include "pattern/search.h"

/* A loop that is known, or was seen once. */
struct dp_stream_loop {
	uint32_t id;
	uint32_t *exact;  /* symbols as fed, from the boundary on, or collapsed */
	uint32_t *coarse; /* by the classes of names */
	size_t length;
	uint32_t *shown; /* if collapsed: one iteration as fed, else NULL */
	size_t shown_length;
	double confidence;
	uint64_t next_index; /* of its next iteration */
	uint64_t last;	     /* symbols fed when its last iteration closed */
};

/* Loops that share one set of names. */
struct dp_stream_loops {
	struct dp_stream_loop items[DP_PATTERNS_MAX];
	size_t count;
	struct dp_lookup names;	    /* symbol -> class */
	uint32_t classes;	    /* number of classes, including that of unnamed symbols */
	bool by_class;		    /* some class has several symbols */
	bool collapsed; /* iterations differ in how often something repeats (collapse.h) */
};

void dp_stream_loops__fini(struct dp_stream_loops *loops);

/* The class of a symbol as fed; those without a name share one, loops->classes. */
uint32_t dp_stream_loops__class(const struct dp_stream_loops *loops, uint32_t symbol);

/*
 * Appends a copy of a loop, with another id and its coarse pattern under these names, which include
 * its symbols from then on. Errors: DP_ERR_NOMEM.
 */
int dp_stream_loops__add(struct dp_stream_loops *loops, const struct dp_stream_loop *like);

/* The approximate length of an iteration, in symbols as fed. */
size_t dp_stream_loop__length(const struct dp_stream_loop *loop);

/*
 * Sets *index to the loop that has this pattern, except for its begin and a few differences, or to
 * DP_NONE. Errors: DP_ERR_NOMEM.
 */
int dp_stream_loops__same(uint32_t *index, const struct dp_stream_loops *loops,
			  const uint32_t *exact, size_t length);

/*
 * Searches symbols[0..n) as fed, whose end is no evidence; open_begin: nor is the beginning, since
 * older symbols were dropped. goes_on: uncertain loops can wait. The caller frees *found, also
 * after a failure. Errors: DP_ERR_NOMEM. Cost: that of dp_loops__find().
 */
int dp_stream__search(struct dp_stream_loops *found, const uint32_t *symbols, size_t n,
		      bool open_begin, bool goes_on);

#endif
