/*
 * Loops of a sequence of symbols: what one iteration is, and where each begins and ends. Pure:
 * integers in, integers out. The one entry to lib/pattern and lib/iterate for the facade.
 */
#ifndef DP_LOOPS_LOOPS_H
#define DP_LOOPS_LOOPS_H

#include "base/explain.h"
#include "iterate/iteration.h"
#include "loops/confidence.h"

/* One loop. Loops come outermost first; siblings in order of their first iteration. */
struct dp_sequence_loop {
	uint32_t parent; /* index of the loop that encloses it, or DP_NONE */
	enum dp_found_by found_by;
	enum dp_phase_evidence phase;
	struct dp_confidence confidence;
	double agreement; /* of its iterations with the pattern, 0 to 1 */
	bool few;	  /* iterations, and it may be a layer: nothing is done once per step */
	bool chosen;	   /* of the level that is the program's iteration, shown by default */
	bool matches_in_sequence; /* one of several after each other that together have a known
				     number */
	uint32_t *pattern; /* one iteration's symbols */
	size_t length;
	uint32_t annotation; /* the name of the caller's that its boundaries are of, or DP_NONE */
	size_t copies;	     /* and memsets, besides the symbols: where operations were looked at */
	size_t sets;
	size_t occurrences; /* exact ones in the sequence, those that do not overlap */
	struct dp_repetition *iterations;
	size_t count;
	struct dp_edit *edits;
	size_t edit_count;
};

struct dp_loops {
	struct dp_sequence_loop *loops;
	size_t count;
	/* Where no loop was good enough: the best candidate, for an honest report. */
	size_t best_length;   /* symbols, 0: no candidate */
	double best_coverage; /* 0 to 1 */
	double best_confidence;
	/*
	 * Where a number of iterations was given that no loop has which is found without it: the
	 * most likely loop of those, whose number is another; 0 iterations: none.
	 */
	size_t likely_iterations;
	size_t likely_length;
	double likely_confidence;
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
	struct dp_explain *explain; /* gets what each stage saw and chose; NULL: not asked for */
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
	uint32_t name;	/* kept as the loop's annotation: the caller's number, or DP_NONE */
};

/*
 * The same for these. The pattern is the most frequent whole iteration (of equals the first), edit
 * scripts are relative to it.
 */
int dp_loops__from_marks(struct dp_loops **loops, const struct dp_loops_request *request,
			 const struct dp_boundaries *boundaries, struct dp_error *error);

/*
 * Adds to the loop that marks gave what else a tree has: loops inside its iterations, around
 * several of them, and next to them. Those are taken from the tree. Errors: DP_ERR_NOMEM, after
 * which both are as they were. Cost: linear in iterations, for each loop.
 */
int dp_loops__add_adjacent(struct dp_loops *marked, struct dp_loops *tree);

/* The same, but only loops inside its iterations. */
int dp_loops__inside(struct dp_loops *known, struct dp_loops *tree);

/* A sequence of operations, as it lies over the sequence of its kernels. */
enum dp_symbol_kind { DP_SYMBOL_KERNEL, DP_SYMBOL_COPY, DP_SYMBOL_SET };

struct dp_projection {
	const uint32_t *kernels_before; /* of each operation, and of the end */
	const uint8_t *kind;		/* of each symbol of the operations: enum dp_symbol_kind */
	const uint32_t *kernels;	/* the other sequence's symbols */
};

/*
 * Loops of operations as loops of kernels; of loops without any there are none. *loops is the
 * caller's, to be freed with dp_loops__free(). Errors: DP_ERR_NOMEM. Cost: linear.
 */
int dp_loops__project(struct dp_loops **loops, const struct dp_loops *from,
		      const struct dp_projection *by, struct dp_error *error);

/*
 * For boundaries that are known: gives the loop a pattern, which is the most frequent of the n
 * iterations (or, where no two are equal, one of median length), and the iterations with their edit
 * scripts. On failure the loop may hold some of it. Errors: DP_ERR_NOMEM. Cost: linear.
 */
int dp_marks__script(struct dp_sequence_loop *loop, const uint32_t *symbols,
		     const struct dp_repetition *iterations, size_t n);

/* Iterations of a loop that are whole, and symbols in all of them. */
size_t dp_loops__whole(const struct dp_sequence_loop *loop);
size_t dp_loops__covered(const struct dp_sequence_loop *loop);

/* The chosen loop that covers most symbols; NULL: none is chosen. */
const struct dp_sequence_loop *dp_loops__main(const struct dp_loops *loops);

/*
 * The confidence of a loop whose iterations were made or changed by other means than a search: by
 * the features that follow from them, and the others as they are.
 */
void dp_loops__judge(struct dp_sequence_loop *loop);

/* Frees the loops, of which there may be new ones; also their list; also *loops. */
void dp_loops__clear(struct dp_loops *loops);
void dp_loops__fini(struct dp_loops *loops);
void dp_loops__free(struct dp_loops *loops);

#endif
