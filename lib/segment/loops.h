/*
 * Loops of a sequence of symbols: what one iteration is, and where each begins and ends. Pure:
 * integers in, integers out. The one entry to lib/pattern and lib/segment for the facade.
 */
#ifndef DP_SEGMENT_LOOPS_H
#define DP_SEGMENT_LOOPS_H

#include "base/base.h"
#include <deepprof/loop.h>

/* One iteration: symbols [first, end) of the sequence. */
struct dp_segment {
	size_t first;
	size_t end;
	size_t edits; /* index of its first edit in dp_segmented_loop.edits; it has inserted +
			 deleted + substituted of them, in order of position */
	uint32_t inserted;
	uint32_t deleted; /* symbols missing before or after a capture's cut are not counted */
	uint32_t substituted;
	uint32_t variant; /* equal edit scripts (kind, offset and symbols) share one; 0 is the
			     pattern itself, others are numbered in order of appearance */
	bool partial;	  /* cut off by the capture's beginning or end */
};

/* One loop. Loops come outermost first; siblings in order of their first iteration. */
struct dp_segmented_loop {
	uint32_t parent; /* index of the loop that encloses it, or DP_NONE */
	enum dp_found_by found_by;
	enum dp_phase_evidence phase;
	double confidence; /* 0 to 1 */
	bool few;	   /* turns, of what may be a layer: nothing in it is done once per step */
	bool chosen;	   /* of the level that is the program's iteration, shown by default */
	bool in_row;	   /* one of several after each other that together have a known number */
	uint32_t *pattern; /* one iteration's symbols */
	size_t length;
	size_t occurrences; /* exact ones in the sequence, those that do not overlap */
	struct dp_segment *segments;
	size_t count;
	struct dp_edit *edits;
	size_t edit_count;
};

struct dp_loops {
	struct dp_segmented_loop *loops;
	size_t count;
	/* Where no loop was good enough: the best candidate, for an honest report. */
	size_t best_length;   /* symbols, 0: no candidate */
	double best_coverage; /* 0 to 1 */
	double best_confidence;
};

/* What is known of one symbol beside its name; -1 and false where it is not known. */
struct dp_evidence_at {
	int64_t kernel_gap_ns;	/* from the previous kernel's end to this one's start */
	int64_t launch_gap_ns;	/* host time outside of API calls between the previous kernel's
				   launch call and this one's */
	int64_t launch_wait_ns; /* the same with the calls: between the beginnings of the two */
	bool has_launch;	/* its launch call was recorded */
	bool after_upload;  /* a host-to-device copy starts between the previous kernel and it */
	bool after_sync;    /* the host synchronized between the previous launch and its */
	bool finishes_step; /* its name is one of an optimizer's */
	bool moves_data;    /* its name is that of a copy, a cast or a fill: it updates nothing */
};

/*
 * Beside the symbols. at() fills *out for the symbol at an index of the sequence; it is called
 * for a sample of symbols only and may be slow (a microsecond). at may be NULL.
 */
struct dp_evidence {
	void (*at)(void *ctx, size_t index, struct dp_evidence_at *out);
	void *ctx;
	bool launches_recorded; /* the trace has launch calls at all */
	bool open_begin;	/* the sequence is a part: where it begins or ends is chance */
	bool open_end;
	bool goes_on;	/* more will come: a loop that is not sure yet can wait */
	bool cut_begin; /* the same, of a part of a trace that at() tells of beyond it, too */
	bool cut_end;
	bool loose_begin; /* what is cut at the beginning may look like something else: a loop
			     that seems to begin shortly after may have begun before */
};

struct dp_loops_request {
	const uint32_t *symbols; /* dense, 0 … alphabet - 1, of exact kernel names */
	size_t count;
	uint32_t alphabet;
	/*
	 * For each symbol of the alphabet the id of its family (the kernel's name without tile
	 * sizes and the like), dense, or NULL: every symbol is its own.
	 */
	const uint32_t *family;
	const uint64_t *counts; /* known numbers of iterations, one per loop; NULL: unaided */
	size_t counts_count;
	bool paper;		/* the paper's algorithm to the letter; needs counts */
	uint64_t epsilon;	/* the paper's ε, 1 or more */
	uint64_t max_unmatched; /* the paper's k0 */
	struct dp_evidence evidence;
};

/*
 * Finds the loops. *loops is the caller's, to be freed with dp_loops__free(); it may hold none.
 * Errors: DP_ERR_NOMEM, DP_ERR_ARGUMENT (a count of 0, or above the number of symbols).
 * Cost: linear in count; --paper's matching is O(count · length) as published.
 */
int dp_loops__find(struct dp_loops **loops, const struct dp_loops_request *request,
		   struct dp_error *error);

/*
 * Boundaries that are known from elsewhere (annotations): iteration i is the symbols
 * [starts[i], ends[i]), ascending and disjoint; symbols between them are of no iteration.
 */
struct dp_boundaries {
	const size_t *starts;
	const size_t *ends;
	size_t count;
	bool cut_first; /* the first one began before the sequence does */
	bool cut_last;	/* the last one goes on behind its end */
};

/*
 * The same for these. The pattern is the most frequent whole iteration (of equals the first), edit
 * scripts are relative to it.
 */
int dp_loops__from_marks(struct dp_loops **loops, const struct dp_loops_request *request,
			 const struct dp_boundaries *boundaries, struct dp_error *error);

/*
 * Adds to the loop that marks gave what else a tree tells of: loops inside its iterations, around
 * several of them, and beside them. Those are taken from the tree. Errors: DP_ERR_NOMEM, after
 * which both are as they were. Cost: linear in iterations, for each loop.
 */
int dp_loops__beside(struct dp_loops *marked, struct dp_loops *tree);

/* The same, but only loops inside its iterations. */
int dp_loops__inside(struct dp_loops *told, struct dp_loops *tree);

void dp_loops__free(struct dp_loops *loops);

#endif
