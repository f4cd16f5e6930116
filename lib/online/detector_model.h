/* The detector's parts: what it holds, how it looks at what came, and how it searches. */
#ifndef DP_ONLINE_DETECTOR_MODEL_H
#define DP_ONLINE_DETECTOR_MODEL_H

#include "online/stream.h"
#include <deepprof/detector.h>

#define DP_DETECTOR_NEVER UINT64_MAX

struct dp_detector {
	struct dp_detector_options options;
	size_t window;
	int status; /* of the call that failed */
	bool finished;

	uint32_t *buffer; /* symbols from base on */
	size_t room;
	uint64_t base, fed;

	struct dp_stream_loops known, seen; /* seen: by the last search, not reported yet */
	struct dp_aligner *aligner;
	uint32_t next_id;
	uint32_t *ids; /* classes of what is aligned */
	size_t ids_room;

	uint64_t reported;	     /* iterations before this symbol were reported */
	bool placed;		     /* an iteration begins there, of start.pattern */
	struct dp_align_start start; /* where `reported` is */

	bool in_step;	   /* the last symbol fits, and what comes is compared with a pattern: */
	uint32_t pattern;  /* … this one */
	size_t offset;	   /* of the next symbol */
	bool clean;	   /* no difference since reported */
	uint64_t close_at; /* when to look, in step */
	uint64_t try_at;   /* when to look, out of it */
	uint64_t tried;	   /* the last look */

	uint64_t search_at;
	uint64_t searched; /* the last one */
	uint64_t foreign;  /* symbols in no iteration since the last search */
	uint64_t loose;	   /* those after reported that fit nothing, by the last look */
	uint64_t patience; /* how many of them make another one */
	uint64_t spent;	   /* symbols that were searched, by all searches */
	bool again;	   /* the next one is to confirm what the last one found */
};

static inline const uint32_t *dp_detector__at(const struct dp_detector *d, uint64_t position)
{
	return d->buffer + (size_t)(position - d->base);
}

/* Symbols that fit nothing, since the last search. */
static inline uint64_t dp_detector__foreign(const struct dp_detector *d)
{
	return d->foreign + DP_MIN(d->loose, d->fed - d->searched);
}

/* Reports the iterations that are settled; final: of all. Errors: DP_ERR_NOMEM. */
int dp_detector__look(struct dp_detector *detector, bool final);

/* Reports an iteration without a difference, which has just been closed. */
void dp_detector__close(struct dp_detector *detector);

/*
 * Searches the window, makes known what is to be, and looks again. final: nothing more will come.
 * Errors: DP_ERR_NOMEM.
 */
int dp_detector__search(struct dp_detector *detector, bool final);

#endif
