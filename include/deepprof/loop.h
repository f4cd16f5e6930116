/* The vocabulary of loops, shared by analyses and detectors. */
#ifndef DEEPPROF_LOOP_H
#define DEEPPROF_LOOP_H

#include <deepprof/common.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum dp_found_by { DP_FOUND_BY_COUNT, DP_FOUND_BY_AUTO, DP_FOUND_BY_MARKS };

/*
 * What decided where an iteration begins: the kind of evidence with the largest margin; of equal
 * ones, the last.
 */
enum dp_phase_evidence {
	DP_PHASE_NONE,		/* nothing: the first possible position */
	DP_PHASE_KERNEL_GAP,	/* the GPU's largest recurring gap */
	DP_PHASE_FINISH_KERNEL, /* kernels that finish a step (an optimizer's) */
	DP_PHASE_INPUT_COPY,	/* the first upload of an input */
	DP_PHASE_LAUNCH_GAP,	/* the launching thread's recurring gap */
	DP_PHASE_FIRST_LAUNCH,	/* the first kernel whose launch call was recorded */
	DP_PHASE_COMPLETE,	/* both ends of the loop or capture, or loops inside or around it */
	DP_PHASE_MARKS,		/* annotations */
};

/* How an iteration's kernel differs from the pattern. */
enum dp_edit_kind { DP_EDIT_INSERTED, DP_EDIT_DELETED, DP_EDIT_SUBSTITUTED };

struct dp_edit {
	uint64_t position; /* in the sequence: the kernel inserted or substituted; for a deletion,
			      the kernel before which one is missing */
	uint32_t offset;   /* in the pattern: the kernel deleted or replaced, or before which one
			      was inserted */
	uint32_t kind;	   /* enum dp_edit_kind */
};

/*
 * Iterations of the same kernels, which differ from the pattern. A variant has a period if its
 * iterations are too regular for chance, apart from a few misses: the program repeats that work at
 * this period.
 */
struct dp_variant {
	size_t count;	   /* complete iterations that have it; may be 0 */
	size_t first;	   /* index of the first iteration that has it, partial or not */
	size_t period;	   /* its period in iterations; 0: it is irregular */
	uint32_t inserted; /* in the first of them */
	uint32_t deleted;
	uint32_t substituted;
	double extra_ns; /* median period, less that of the most frequent variant; without
			    warm-up; NaN if there is none */
};

/* A number that a stage of the detection used. Both strings are static. */
struct dp_stage_fact {
	const char *name; /* "length" */
	const char *unit; /* "count" (whole), "number", "bits", "1" for a share, "log-odds" */
	double value;
};

/* What a stage of the detection observed or decided. */
struct dp_explanation {
	uint32_t stream;   /* for dp_trace_stream() */
	const char *stage; /* "pattern": see deepprof-detection(7). Static */
	const char *text;  /* one sentence that contains the facts */
	size_t fact_count;
	const struct dp_stage_fact *facts;
};

/* "count", "auto", "marks". Static storage. */
DP_API const char *dp_found_by_name(enum dp_found_by found_by);

/* "complete", "launch-gap" … Static storage. */
DP_API const char *dp_phase_name(enum dp_phase_evidence phase);

#ifdef __cplusplus
}
#endif

#endif
