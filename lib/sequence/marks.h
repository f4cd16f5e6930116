/* Iterations of a sequence from annotations. */
#ifndef DP_SEQUENCE_MARKS_H
#define DP_SEQUENCE_MARKS_H

#include "iterate/iteration.h"
#include "sequence/range_index.h"
#include "sequence/sequence.h"

/*
 * Iterations from annotations: their kernels were launched inside the ranges, in order. The first
 * is partial if its range also has kernels before the sequence, and the last if it has some after.
 */
struct dp_marks {
	struct dp_sequence_iteration *iterations;
	size_t count;
	size_t ranges; /* matching ranges, with kernels or without */
	bool inside;   /* set by dp_sequence__repeated() */
	bool mixed;    /* names of others differ from it, and not only in numbers */
	uint32_t name; /* of the first one, a string of the trace, or DP_NONE */
};

/*
 * A trace's ranges that may mark iterations, found when a sequence first needs them and kept for
 * the others. Set regex and zero the rest; one thread uses it at a time.
 */
struct dp_annotations {
	const char *regex; /* POSIX extended; NULL: names that profilers mark steps with */
	struct dp_range_index steps;
	struct dp_range_keys keys;	/* of ranges that are not operators */
	struct dp_range_index repeated; /* their ranges, by the id of the key */
	size_t *launches;		/* of each thread; zero between uses */
};

void dp_annotations__fini(struct dp_annotations *annotations);

/*
 * Collects the ranges of the stream's process whose name matches annotations->regex or, if that is
 * NULL, those that profilers mark steps with (ProfilerStep#…). Of nested matches the outermost
 * counts. A kernel belongs to the range in which it was launched, or in which it began if no launch
 * was recorded; ranges without kernels are left out. The caller releases *marks with fini; it may
 * be empty. Errors: DP_ERR_ARGUMENT (the regex), DP_ERR_NOMEM. Cost: linear in the trace's ranges
 * the first time; then in the kernels, times the logarithm of the ranges.
 */
int dp_sequence__marks(struct dp_marks *marks, const struct dp_sequence *sequence,
		       struct dp_annotations *annotations, struct dp_error *error);
void dp_marks__fini(struct dp_marks *marks);

/* The same for the ranges that have a label in an index of the annotations. */
int dp_marks__labeled(struct dp_marks *marks, const struct dp_sequence *sequence,
		      struct dp_annotations *annotations, const struct dp_range_index *index,
		      uint32_t label);

/*
 * Finds ranges that repeat like a loop with known iterations: they have one name, ignoring numbers
 * in it, are about as many, and nearly all kernels of the loop were launched in them. Ranges around
 * several iterations or around parts of one do not count. Of several names, the one that covers
 * most is taken, then the one whose boundaries agree best. The caller releases *marks with fini; it
 * is empty if there are no such ranges.
 *
 * If kernels of the loop lie between such ranges (a model's input is prepared before its range
 * begins), the ranges mark less than an iteration. If each iteration holds one range, marks->inside
 * is true: the loop's own boundaries are better. Otherwise each range is extended to the next one.
 *
 * Errors: DP_ERR_NOMEM. Cost: as that of dp_sequence__marks(), for a few names.
 */
int dp_sequence__repeated(struct dp_marks *marks, const struct dp_sequence *sequence,
			  struct dp_annotations *annotations,
			  const struct dp_sequence_iteration *iterations, size_t count);

/*
 * Finds ranges of one name, ignoring numbers in it, that each hold several whole iterations of a
 * loop, and together nearly all: the tokens whose layers repeat, or the epochs of steps. Of several
 * names, the one with the most ranges is taken: it is the next level. Otherwise as
 * dp_sequence__repeated().
 */
int dp_sequence__around(struct dp_marks *marks, const struct dp_sequence *sequence,
			struct dp_annotations *annotations,
			const struct dp_sequence_iteration *iterations, size_t count);

#endif
