/*
 * The bridge between a trace and integers: the kernels, or all operations, of one or several
 * streams as symbols, the evidence about each, and the way back from symbols to operations and
 * names.
 */
#ifndef DP_SEQUENCE_SEQUENCE_H
#define DP_SEQUENCE_SEQUENCE_H

#include "base/base.h"
#include "base/explain.h"
#include "sequence/family.h"
#include "sequence/range_index.h"
#include "sequence/streams.h"
#include "iterate/iteration.h"
#include <deepprof/trace.h>

struct dp_sequence {
	const struct dp_trace *trace;
	uint32_t stream;
	uint32_t *symbols; /* dense, in order of first appearance */
	uint32_t *ops;	   /* for each the operation */
	size_t count;
	uint32_t *names;   /* of each different symbol, for reports; a graph's first one */
	uint32_t *family;  /* its family, by name: the search takes symbols of one for the same */
	uint8_t *kind;	   /* what it does, by name, for evidence: enum dp_kernel_kind */
	uint8_t *op_kind;  /* a kernel, a graph, a copy or a memset: enum dp_op_kind */
	uint32_t alphabet; /* number of different symbols */
	bool launches;	 /* some kernel has its launch call */
	bool has_copies; /* the device has some */
	uint32_t before; /* the last kernel before the requested time, and the first after it, */
	uint32_t behind; /* as operations; DP_NONE if there is none */
};

/*
 * What becomes symbols: kernels by name, or also copies by direction, and memsets. Page migrations
 * of unified memory are left out, since the program does not request them.
 */
enum dp_symbol_source { DP_SYMBOLS_OF_KERNELS, DP_SYMBOLS_OF_OPERATIONS };

/*
 * Makes the sequence of a group's operations that start in [start_ns, end_ns), with eight bytes for
 * each; source is which of them become symbols. The group may be released after the call. The
 * caller releases *sequence with fini, also after a failure. Errors: DP_ERR_NOMEM.
 */
int dp_sequence__init(struct dp_sequence *sequence, const struct dp_trace *trace,
		      const struct dp_stream_group *group, enum dp_symbol_source source,
		      int64_t start_ns, int64_t end_ns, struct dp_error *error);
void dp_sequence__fini(struct dp_sequence *sequence);

/* The names of a sequence's symbols, for explanations; borrows it. */
struct dp_explain_names dp_sequence__names(const struct dp_sequence *sequence);

/* When a symbol's operation was launched; its start if that is earlier or not known. */
int64_t dp_sequence__launched_ns(const struct dp_sequence *sequence, size_t index);

/* The evidence for a sequence's symbols; borrows it. */
struct dp_evidence dp_sequence__evidence(const struct dp_sequence *sequence);

/*
 * Where recording was off between two kernels of a sequence: the indices of the second ones,
 * ascending, above 0 and below its count.
 */
struct dp_breaks {
	size_t *first; /* NULL where there is none */
	size_t count;
};

/*
 * Finds the breaks of a sequence. The caller frees breaks->first with free(). Errors: DP_ERR_NOMEM.
 * Cost: linear in the kernels and the process's pauses.
 */
int dp_sequence__breaks(struct dp_breaks *breaks, const struct dp_sequence *sequence,
			struct dp_error *error);

/*
 * When processes load code, found when a sequence first needs it and kept for the others. Zero it
 * before; one thread uses it at a time.
 */
struct dp_loads {
	struct dp_load {
		uint32_t process;
		int64_t time_ns;
	} * items; /* by process, then time */
	size_t count;
	bool found;
};

/*
 * Sets *at, a new array for free(), to whether the sequence's process has loaded code between the
 * launch of the symbol before each one and its own; to NULL if it has loaded none. Errors:
 * DP_ERR_NOMEM. Cost: linear in the calls the first time; then in the symbols and the loads.
 */
int dp_sequence__loads(bool **at, const struct dp_sequence *sequence, struct dp_loads *loads);
void dp_loads__fini(struct dp_loads *loads);

/* Iterations from annotations: kernels [starts[i], ends[i]) were launched inside range i. */
struct dp_marks {
	size_t *starts;
	size_t *ends;
	size_t count;
	size_t ranges;	/* matching ranges, with kernels or without */
	bool clipped_first; /* the first range also has kernels before the sequence */
	bool clipped_last;  /* the last one after it */
	bool inside;	/* set by dp_sequence__repeated() */
	uint32_t name;	/* of the first one, a string of the trace, or DP_NONE */
};

/*
 * A trace's ranges that may mark iterations, found when a sequence first needs them and kept for
 * the others. Set regex and zero the rest; one thread uses it at a time.
 */
struct dp_annotations {
	const char *regex; /* POSIX extended; NULL: names that profilers mark steps with */
	struct dp_range_index steps;
	struct dp_range_keys keys; /* of ranges that are not operators, longest in total first */
	struct dp_range_index repeated; /* their ranges, by the id of the key */
	size_t *launches; /* of each thread; zero between uses */
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

#endif
