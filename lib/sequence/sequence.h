/*
 * The bridge between a trace and integers: the kernels, or all operations, of a stream or of
 * several as symbols, what else is known of each, and the way back from symbols to operations and
 * names.
 */
#ifndef DP_SEQUENCE_SEQUENCE_H
#define DP_SEQUENCE_SEQUENCE_H

#include "base/base.h"
#include "base/explain.h"
#include "sequence/family.h"
#include "sequence/streams.h"
#include "iterate/iteration.h"
#include <deepprof/trace.h>

struct dp_sequence {
	const struct dp_trace *trace;
	uint32_t stream;
	uint32_t *symbols; /* dense, in order of first appearance */
	uint32_t *ops;	   /* for each the operation */
	size_t count;
	uint32_t *names;  /* for each symbol of the alphabet the name */
	uint32_t *family; /* and its family: see dp_family__name() */
	uint8_t *kind;	  /* and what it does: enum dp_kernel_kind */
	uint8_t *op_kind; /* and what kind of operation it is: enum dp_op_kind */
	uint32_t alphabet;
	bool launches;	 /* any kernel has its launch call */
	bool has_copies; /* the device */
	uint32_t before; /* the kernels next to it that are outside of the time asked for, */
	uint32_t behind; /* operations; DP_NONE: there is none */
};

/* What becomes symbols: kernels by name, or with them copies by their direction, and memsets. Page
 * migrations of unified memory are not the program's. */
enum dp_alphabet { DP_ALPHABET_KERNELS, DP_ALPHABET_OPERATIONS };

/*
 * What of a group's operations starts in [start_ns, end_ns). Eight bytes for each; the group is not
 * needed behind the call. *sequence is the caller's, to be released with fini (also after a
 * failure). Errors: DP_ERR_NOMEM.
 */
int dp_sequence__init(struct dp_sequence *sequence, const struct dp_trace *trace,
		      const struct dp_stream_group *group, enum dp_alphabet alphabet,
		      int64_t start_ns, int64_t end_ns, struct dp_error *error);
void dp_sequence__fini(struct dp_sequence *sequence);

/* Names for texts of a sequence; borrows it. */
struct dp_explain_names dp_sequence__names(const struct dp_sequence *sequence);

/* Evidence for phases; borrows the sequence. */
struct dp_evidence dp_sequence__evidence(const struct dp_sequence *sequence);

/* Where recording was off between two kernels of a sequence: indices of the second ones, rising,
 * above 0 and below its count. */
struct dp_breaks {
	size_t *first; /* NULL where there is none */
	size_t count;
};

/*
 * breaks->first is the caller's, to be released with free(). Errors: DP_ERR_NOMEM. Cost: linear in
 * the kernels and the process's pauses.
 */
int dp_sequence__breaks(struct dp_breaks *breaks, const struct dp_sequence *sequence,
			struct dp_error *error);

/* Iterations from annotations: kernels [starts[i], ends[i]) were launched inside range i. */
struct dp_marks {
	size_t *starts;
	size_t *ends;
	size_t count;
	size_t ranges;	/* that match, with kernels or without */
	bool cut_first; /* the first range has kernels before the sequence, too */
	bool cut_last;	/* the last one behind it */
	bool inside;	/* of repeated ones: see dp_sequence__repeated() */
	uint32_t name;	/* of the first one, a string of the trace; DP_NONE where there is none */
};

/*
 * Ranges on the stream's process whose name matches regex (POSIX extended), or where it is NULL
 * those that profilers mark steps with (ProfilerStep#…). Nested matches: the outermost counts.
 * A kernel belongs to the range in which it was launched, or began where no launch was recorded;
 * ranges without any kernel are left out. *marks is the caller's; it may be empty.
 * Errors: DP_ERR_ARGUMENT (the regex), DP_ERR_NOMEM.
 */
int dp_sequence__marks(struct dp_marks *marks, const struct dp_sequence *sequence,
		       const char *regex, struct dp_error *error);
void dp_marks__fini(struct dp_marks *marks);

/*
 * The same for ranges whose name's verdict is 2; verdicts has one for each string of the trace, 1
 * for those that do not count. Errors: DP_ERR_NOMEM, after which *marks is empty.
 */
int dp_marks__by_name(struct dp_marks *marks, const struct dp_sequence *sequence,
		      uint8_t *verdicts);

/*
 * Ranges that repeat as a loop does whose iterations are known: of one name, ignoring numbers in
 * it, about as many, and nearly all kernels of the loop were launched in them. Ranges around
 * several iterations, or around parts of one, are no such; of several names the one that covers
 * most, then the one whose boundaries agree most. *marks is the caller's; it is empty where there
 * are none.
 *
 * Where such ranges leave kernels between them that are of the loop (a model's input is prepared
 * before its range begins), they mark less than an iteration. If there is one in each iteration,
 * marks->inside is true: the loop's own boundaries are better. If not, each range lasts until the
 * next one.
 *
 * Errors: DP_ERR_NOMEM. Cost: linear in ranges, and in kernels for a few names.
 */
int dp_sequence__repeated(struct dp_marks *marks, const struct dp_sequence *sequence,
			  const struct dp_repetition *iterations, size_t count);

#endif
