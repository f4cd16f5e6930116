/*
 * Loops of a sequence of symbols: what one iteration is, and where each begins and ends. Pure:
 * integers in, integers out. The facade searches for loops through this header only.
 */
#ifndef DP_LOOPS_LOOPS_H
#define DP_LOOPS_LOOPS_H

#include "base/evidence.h"
#include "base/explain.h"
#include "iterate/iteration.h"
#include "loops/confidence.h"

/* One loop. Loops come outermost first; siblings in order of their first iteration. */
struct dp_sequence_loop {
	uint32_t parent; /* index of the loop that encloses it, or DP_NONE */
	enum dp_found_by found_by;
	enum dp_phase_evidence phase_by; /* what decided its phase */
	struct dp_confidence confidence;
	bool may_be_pass; /* its few iterations may be a pass's layers: nothing shows a step */
	bool chosen;	  /* at the level of the program's iteration, shown by default */
	bool matches_in_sequence; /* one of several in sequence that together have a known number */
	uint32_t *pattern; /* one iteration's symbols */
	size_t length;
	uint32_t annotation; /* caller's id of the annotation that set the boundaries, or DP_NONE */
	bool mixed;	     /* annotations of other names set some of them */
	size_t copies;	     /* copies and memsets per iteration, if operations were searched */
	size_t memsets;
	/*
	 * Exact occurrences of the pattern: non-overlapping ones, except that the paper's algorithm
	 * counts those that overlap, too.
	 */
	size_t occurrences;
	struct dp_sequence_iteration *iterations;
	size_t count;
	struct dp_edit *edits;
	size_t edit_count;
};

/* What reports show of a loop that is not listed. */
struct dp_unlisted {
	size_t length;	   /* symbols; 0: there is none */
	double coverage;   /* 0 to 1 */
	double confidence; /* NaN: refused since it may be layers of a single pass */
	size_t iterations; /* whole ones */
	bool layers;	   /* its iterations look like the layers of a single pass */
};

struct dp_loops {
	struct dp_sequence_loop *loops;
	size_t count;
	size_t room; /* loops that the list can hold before it is enlarged */
	struct dp_unlisted best; /* if no loop was listed: the best of those that were not */
	/*
	 * If no listed loop that is found unaided has the given number of iterations: the most
	 * likely one of those with another number.
	 */
	struct dp_unlisted likely;
};

struct dp_loops_request {
	const uint32_t *symbols; /* dense, 0 … alphabet - 1, of exact kernel names */
	size_t count;
	uint32_t alphabet;
	/*
	 * The family of each symbol of the alphabet (the kernel's name without tile sizes and the
	 * like), dense. NULL: every symbol is a family of its own.
	 */
	const uint32_t *family;
	const uint64_t *counts; /* known numbers of iterations, one per loop; NULL: unaided */
	size_t counts_count;
	bool paper;		/* the paper's algorithm to the letter; needs counts */
	uint64_t epsilon;	/* the paper's ε, 1 or more */
	uint64_t max_unmatched; /* the paper's k0 */
	struct dp_evidence evidence;
	struct dp_explain *explain; /* receives what each stage saw and chose, or NULL */
};

/* Defined in loops.c. */

/*
 * Finds the loops; there may be none. The caller frees *loops with dp_loops__free(). Errors:
 * DP_ERR_NOMEM, DP_ERR_ARGUMENT (a count of 0, or above the number of symbols). Cost: linear in
 * count; matching for --paper is O(count · length) as published.
 */
int dp_loops__find(struct dp_loops **loops, const struct dp_loops_request *request,
		   struct dp_error *error);

/* Defined in marks.c. */

/*
 * Appends a loop of n known iterations, found by marks with a confidence of 1. Its pattern is the
 * most frequent whole one (of equals, the first; if no two are equal, one of median length), to
 * which edits are relative. Of iterations[] only the first and the end count, and what is partial;
 * they are ascending and disjoint, and symbols between them belong to none. Returns NULL if memory
 * runs out. Cost: linear, and a sort of the iterations.
 */
struct dp_sequence_loop *dp_loops__add_known(struct dp_loops *loops, const uint32_t *symbols,
					     const struct dp_sequence_iteration *iterations,
					     size_t n);

/*
 * Makes loops of another sequence loops of symbols[], with new patterns and edits: position[] has
 * the new position of each symbol of that sequence and of its end. Iterations that become empty are
 * left out, and loops without iterations. Errors: DP_ERR_NOMEM. Cost: that of
 * dp_loops__add_known() for each.
 */
int dp_loops__map(struct dp_loops *loops, const uint32_t *position, const uint32_t *symbols);

/* Defined in merge_trees.c. */

/*
 * Adds the loops of a tree to the loop that marks gave, which has iterations: those inside these,
 * around several of them, and next to them. They are moved from the tree. Errors: DP_ERR_NOMEM,
 * after which loops of the tree may have other parents. Cost: linear in iterations, per loop.
 */
int dp_loops__add_adjacent(struct dp_loops *marked, struct dp_loops *tree);

/* The same, but only loops inside its iterations. */
int dp_loops__inside(struct dp_loops *marked, struct dp_loops *tree);

/* Defined in features.c. */

/*
 * Recomputes the confidence of a loop whose iterations did not come from a search: updates the
 * features that follow from them, and keeps the others.
 */
void dp_loops__judge(struct dp_sequence_loop *loop);

/* Defined in loop_list.c. */

/*
 * The number of whole iterations of a loop, of those that equal its pattern, and of the symbols in
 * all its iterations.
 */
size_t dp_loops__whole(const struct dp_sequence_loop *loop);
size_t dp_loops__equal(const struct dp_sequence_loop *loop);
size_t dp_loops__covered(const struct dp_sequence_loop *loop);

/* Appends an empty loop. Returns NULL if memory runs out. */
struct dp_sequence_loop *dp_loops__add(struct dp_loops *loops);

/* What reports show of a loop if it is not listed; n is the number of symbols of the sequence. */
struct dp_unlisted dp_loops__describe(const struct dp_sequence_loop *loop, size_t n);

/* The chosen loop that covers most symbols; NULL if none is chosen. */
const struct dp_sequence_loop *dp_loops__main(const struct dp_loops *loops);

/* Moves loop i to made[i], or frees it if that is DP_NONE. Errors: DP_ERR_NOMEM. */
int dp_loops__reorder(struct dp_loops *loops, const uint32_t *made);

/* Moves the list of one to another, whose own list is freed, but not the loops in it. */
void dp_loops__move(struct dp_loops *to, struct dp_loops *from);

/* Exchanges two lists. */
static inline void dp_loops__swap(struct dp_loops **a, struct dp_loops **b)
{
	struct dp_loops *swap = *a;

	*a = *b;
	*b = swap;
}

/*
 * clear frees the loops but keeps their list for new ones; fini frees the list, too; free frees
 * *loops as well.
 */
void dp_loops__clear(struct dp_loops *loops);
void dp_loops__fini(struct dp_loops *loops);
void dp_loops__free(struct dp_loops *loops);

#endif
