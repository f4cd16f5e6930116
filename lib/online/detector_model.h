/* The detector's parts: its state, how it aligns new symbols, and how it searches. */
#ifndef DP_ONLINE_DETECTOR_MODEL_H
#define DP_ONLINE_DETECTOR_MODEL_H

#include "base/parameters.h"
#include "online/stream.h"
#include <deepprof/detector.h>

#define DP_DETECTOR_NEVER UINT64_MAX

/*
 * What happens to new symbols, and when:
 *
 *            until look_at               at look_at                       at search_at
 * no loop    kept, if in the window      (never)                          search
 * in step    compared with the pattern   align, or if clean just report   search
 * otherwise  gathered                    align                            search
 *
 * A symbol that differs ends being in step, and an alignment decides whether it begins. After one,
 * `patience` foreign symbols make a search due at once, and so do alternations: where one loop ends
 * and another begins shows where their iterations do. Every search is followed by an alignment from
 * `reported` on.
 */
struct dp_detector {
	struct dp_detector_options options;
	size_t window;
	int status; /* of the call that failed */
	bool finished;

	uint32_t *buffer; /* symbols from base on */
	size_t room;
	uint64_t base, fed;

	struct dp_stream_loops known, seen; /* seen: found by the last search, not reported yet */
	struct dp_aligner *aligner;
	uint32_t next_id;
	uint32_t *ids; /* classes of the symbols to align */
	size_t ids_room;

	uint64_t reported;	     /* all iterations before this symbol were reported */
	bool placed;		     /* an iteration of start.pattern begins there */
	struct dp_align_start start; /* where `reported` is */

	bool in_step;	  /* the last symbol matched, and new ones are compared with a pattern: */
	uint32_t pattern; /* … this one */
	size_t offset;	  /* of the next symbol */
	bool clean;	  /* no difference since reported */
	uint64_t look_at; /* when to align */
	uint64_t looked;  /* the last time */

	uint64_t search_at; /* when to search at the latest */
	uint64_t searched; /* the last one */
	uint64_t foreign;  /* symbols in no iteration since the last search */
	uint64_t loose;	   /* those behind reported that matched nothing when last aligned */
	uint64_t patience; /* how many foreign and loose ones trigger another search */
	uint64_t spent;	   /* symbols searched so far, by all searches */
	uint32_t latest;   /* id of the loop whose iteration was reported last, or DP_NONE */
	uint64_t alternations;		/* how often the iteration of another loop followed */
	uint64_t alternations_searched; /* those before the last search */
	bool confirming;   /* the next search is early, to confirm what the last one found */
};

static inline const uint32_t *dp_detector__at(const struct dp_detector *d, uint64_t position)
{
	return d->buffer + (size_t)(position - d->base);
}

/* The number of symbols since the last search that match nothing. */
static inline uint64_t dp_detector__foreign(const struct dp_detector *d)
{
	return d->foreign + DP_MIN(d->loose, d->fed - d->searched);
}

/* Returns true if searches have cost little so far, so that one may be early. */
static inline bool dp_detector__may_search(const struct dp_detector *d)
{
	return d->spent < dp_param.online_eager * d->fed;
}

/* Reports the iterations that are final; if `final` is set, all of them. Errors: DP_ERR_NOMEM. */
int dp_detector__look(struct dp_detector *detector, bool final);

/* Reports an iteration without a difference, which has just been closed. */
void dp_detector__close(struct dp_detector *detector);

/*
 * Searches the window, decides which loops are known, and aligns again. final: no more symbols will
 * come. Errors: DP_ERR_NOMEM.
 */
int dp_detector__search(struct dp_detector *detector, bool final);

#endif
