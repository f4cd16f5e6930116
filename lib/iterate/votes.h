/*
 * Votes on where an iteration begins. A cyclic pattern matches a sequence under every rotation;
 * other evidence, each kind of which may be missing or wrong, decides which of its offsets begins
 * an iteration. Each vote maps the gathered evidence (struct dp_ballot) to a score per offset; the
 * weighted sum decides (phase.c). A new kind of evidence is one more row.
 */
#ifndef DP_ITERATE_VOTES_H
#define DP_ITERATE_VOTES_H

#include "iterate/offsets.h"
#include "iterate/optimizer.h"
#include "iterate/phase.h"

/* The ends of one span of the pattern that holds at least one iteration. */
struct dp_span_ends {
	size_t before, after;  /* symbols of the sequence before it, and after it */
	size_t begin, end;     /* the offset at which it begins, and the one that would come next */
	size_t first, last;    /* the same for the whole sequence, if the pattern filled it */
	bool leads;	    /* no span comes before it */
	bool meets;	    /* it ends where the next span begins, with which it overlapped */
};

/* All that votes look at. */
struct dp_ballot {
	const struct dp_alignment *alignment;
	const uint32_t *sequence; /* [0, n) */
	const uint32_t *symbols;  /* the pattern's, [0, m) */
	size_t n, m;
	uint32_t pattern;
	struct dp_evidence evidence;
	bool clipped_begin;  /* evidence.clipped_begin, or there is a first_launch */
	bool clipped_end;    /* evidence.clipped_end */
	struct dp_phase_hints hints;
	double *hinted; /* the share of the hints at each offset; NULL: there are none */
	bool observed; /* offsets is set; it is not with hints, or without evidence */
	struct dp_offsets offsets;
	size_t first_launch;	   /* first position with a launch after some without; 0: none */
	struct dp_span_ends *spans;
	size_t span_count;
	double loss; /* stretches of symbols that the spans lack, for each symbol that they have */
	struct dp_optimizer optimizer;
	int64_t *scratch; /* room for m + 1 */
};

#define DP_NO_OFFSET SIZE_MAX

struct dp_vote {
	const char *name;
	enum dp_phase_evidence evidence;
	const double *weight; /* log-odds of a score of 1 */
	const char *why;      /* NULL: that of the hints */
	/* sets score[0..m), which is 0 before */
	void (*score)(const struct dp_ballot *ballot, double *score);
};

extern const struct dp_vote dp_votes[];
extern const size_t dp_vote_count;

/* Collects the span ends of a ballot; spans has room for alignment->span_count of them. */
void dp_votes__span_ends(struct dp_ballot *ballot, struct dp_span_ends *spans);

/*
 * Adds the share of each hint to the first offset at or after it; hinted[0..m) is 0 before. Cost: a
 * walk through the alignment.
 */
void dp_votes__hinted(const struct dp_ballot *ballot, double *hinted);

/*
 * Returns true if an iteration has an input or a result: uploads, or downloads of more than counts,
 * at no more than half of the offsets.
 */
bool dp_votes__has_data(const struct dp_ballot *ballot);

/*
 * Returns true if an iteration has what a step has and a layer has not: an input or a result; one
 * download or wait, or several in a pattern of at least step_long symbols; or an optimizer, known
 * by its name.
 */
bool dp_votes__is_step(const struct dp_ballot *ballot);

#endif
