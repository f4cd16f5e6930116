/*
 * The bridge between a trace and integers: the kernels, or all operations, of one or several
 * streams as symbols, the evidence about each, and the way back from symbols to operations and
 * names.
 *
 * streams.c collects the operations of the streams, in order. sequence.c decides which of them are
 * symbols, and which are the same symbol; graphs.c joins those of a graph that is captured again,
 * family.c those that the search takes for the same. evidence.c reports what the trace has about
 * one of them; marks.c, repeated.c and interruptions.c find annotations and interruptions.
 *
 * Each symbol is one operation (struct dp_ops), by whose index its times, metrics, evidence and
 * annotations are found. One that stands for several, such as a launch of a CUDA graph whose
 * kernels are recorded one by one, is not made here, but of the sequence of these, as runs are
 * (pattern/runs.h, loops/collapsing.h). "A new kind of symbol" in deepprof-detection(7) has
 * what else to change.
 */
#ifndef DP_SEQUENCE_SEQUENCE_H
#define DP_SEQUENCE_SEQUENCE_H

#include "base/base.h"
#include "base/evidence.h"
#include "base/explain.h"
#include "sequence/streams.h"
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
		      int64_t start_ns, int64_t end_ns);
void dp_sequence__fini(struct dp_sequence *sequence);

/* The names of a sequence's symbols, for explanations; borrows it. */
struct dp_explain_names dp_sequence__names(const struct dp_sequence *sequence);

/* When a symbol's operation was launched; its start if that is earlier or not known. */
int64_t dp_sequence__launched_ns(const struct dp_sequence *sequence, size_t index);

/* The evidence for a sequence's symbols; borrows it. */
struct dp_evidence dp_sequence__evidence(const struct dp_sequence *sequence);

#endif
