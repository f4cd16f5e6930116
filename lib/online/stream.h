/* The parts of the detector: the loops that are known, and what searches find. */
#ifndef DP_ONLINE_STREAM_H
#define DP_ONLINE_STREAM_H

#include "iterate/cut.h"
#include "pattern/search.h"

/* Names of symbols: a map from any 32-bit value to small numbers. */
struct dp_symbol_map {
	uint32_t *keys;
	uint32_t *values; /* DP_NONE: an empty slot */
	size_t mask;	  /* slots - 1 */
	size_t count;
};

void dp_symbol_map__fini(struct dp_symbol_map *names);
/* The value of a key that is there, else that of `absent`. Constant cost, expected. */
uint32_t dp_symbol_map__get(const struct dp_symbol_map *names, uint32_t key, uint32_t absent);
/* Adds a key that may be there already with this value. Errors: DP_ERR_NOMEM. */
int dp_symbol_map__put(struct dp_symbol_map *names, uint32_t key, uint32_t value);

/* A loop that is known, or was seen once. */
struct dp_stream_loop {
	uint32_t id;
	uint32_t *exact;  /* symbols as they were fed, from the boundary on, or collapsed */
	uint32_t *coarse; /* by the classes of names */
	size_t length;
	uint32_t *shown; /* where collapsed: one iteration as it was fed, else NULL */
	size_t shown_length;
	double confidence;
	bool structured;     /* there are loops inside */
	uint64_t next_index; /* of its next iteration */
	uint64_t last;	     /* symbols fed when its last iteration closed */
};

/* Loops under one set of names. */
struct dp_stream_loops {
	struct dp_stream_loop items[DP_PATTERNS_MAX];
	size_t count;
	struct dp_symbol_map names; /* symbol -> class */
	uint32_t classes;	    /* how many; that of a symbol without name, too */
	bool by_class;		    /* some class has several symbols */
	bool collapsed; /* iterations differ in how often something is repeated (collapse.h) */
	size_t longest;
};

void dp_stream_loops__fini(struct dp_stream_loops *loops);

/*
 * Appends a loop with copies of another's patterns, the coarse one under these names. Errors:
 * DP_ERR_NOMEM.
 */
int dp_stream_loops__add(struct dp_stream_loops *loops, const struct dp_stream_loop *like);

/* Symbols of an iteration, about, as they are fed. */
size_t dp_stream_loop__length(const struct dp_stream_loop *loop);

/* Gives all symbols of a pattern a name. Errors: DP_ERR_NOMEM. */
int dp_stream_loops__name(struct dp_stream_loops *loops, const uint32_t *exact, size_t length);

/*
 * Is the pattern one of the loops, up to where it begins and a few differences? Its index, or
 * DP_NONE. Errors: DP_ERR_NOMEM.
 */
int dp_stream_loops__same(uint32_t *index, const struct dp_stream_loops *loops,
			  const uint32_t *exact, size_t length);

/*
 * Searches symbols[0..n) as fed, whose end tells nothing; open_begin: nor does the beginning, as
 * the feed began before. goes_on: what is not sure yet can wait. Fills *found, which the caller
 * frees, on failure too. Errors: DP_ERR_NOMEM. Cost: that of
 * dp_loops__find().
 */
int dp_stream__search(struct dp_stream_loops *found, const uint32_t *symbols, size_t n,
		      bool open_begin, bool goes_on);

#endif
