/* An analysis' insides, for the facade (analysis.c) and its accessors. */
#ifndef DP_ANALYSIS_MODEL_H
#define DP_ANALYSIS_MODEL_H

#include "base/explain.h"
#include "diagnose/diagnose.h"
#include "activity/collective.h"
#include "metric/loop_stats.h"
#include "metric/loop_variants.h"
#include "metric/metric.h"
#include "loops/loops.h"
#include "sequence/sequence.h"
#include <deepprof/analysis.h>
#include <stdatomic.h>

/* The first is a stretch of time, judged as one iteration; the second ends it. */
struct dp_stretch {
	struct dp_iteration span[2];
	struct dp_metric_values values;
};

struct dp_loop_data {
	struct dp_loop info;
	uint32_t *kernels; /* names of the pattern's, info.length of them */
	struct dp_iteration *iterations;
	struct dp_edit *edits;
	size_t edit_count;
	struct dp_metric_values values;
	struct dp_loop_stats stats;
	struct dp_variant *variants; /* info.variants of them */
	/* Of the only whole iteration, if there is no period; else empty. */
	struct dp_stretch single;
};

/* Of a stream: was it looked at, and what came nearest to a loop? */
struct dp_stream_result {
	bool analyzed;
	struct dp_candidate candidate;
	bool by_launch; /* its kernels are in the order of their launches */
	size_t with; /* the stream whose loops have its kernels, + 1; 0: none has */
};

struct dp_analysis {
	struct dp_trace *trace; /* one of its owners */
	atomic_size_t more_owners; /* besides the first */
	struct dp_trace_index index;
	struct dp_scope scope;
	struct dp_loop_data *loops;
	size_t loop_count;
	size_t loop_room;
	struct dp_stream_result *streams; /* per stream of the trace */
	struct dp_findings findings;
	struct dp_collective_stats collectives;
	bool pytorch; /* advice is in its terms */
	struct dp_explain explain; /* empty unless asked for */
	bool diagnosed;		   /* rules were run */
	uint8_t *asked; /* per metric: it is to be computed; NULL: all are */
};

/* Errors: DP_ERR_ARGUMENT, for options that cannot be. */
int dp_analysis__check_options(const struct dp_analysis_options *options, struct dp_error *error);

/* Which metrics are to be computed (analysis->asked). Errors: DP_ERR_NOMEM, DP_ERR_ARGUMENT. */
int dp_analysis__choose_metrics(struct dp_analysis *analysis,
				const struct dp_analysis_options *options, struct dp_error *error);

/*
 * For nothing to analyze: sets an error that names what there is instead. A device or a stream that
 * has no kernels, DP_OK where neither was asked for; marks that match no range with kernels.
 */
int dp_analysis__nothing_wanted(const struct dp_trace *trace,
				const struct dp_analysis_options *options, struct dp_error *error);
int dp_analysis__no_marks(const struct dp_trace *trace, const char *marks, struct dp_error *error);

/* Fills a loop's iterations, of which there are info.iterations, and what is counted of them. */
void dp_analysis__iterations(struct dp_loop_data *loop, const struct dp_sequence_loop *from,
			     const struct dp_sequence *sequence, const struct dp_breaks *breaks);

/*
 * The streams that are analyzed with one, and the sequence of their kernels. Both are the caller's,
 * to be released with their fini (also after a failure). Errors: DP_ERR_NOMEM, DP_ERR_ARGUMENT (a
 * regex that is none).
 */
int dp_analysis__sequence(struct dp_sequence *sequence, struct dp_stream_group *group,
			  const struct dp_trace *trace, uint32_t stream,
			  const struct dp_analysis_options *options, struct dp_error *error);

/* A sequence whose loops are wanted. */
struct dp_loop_search {
	const struct dp_sequence *sequence;
	const struct dp_stream_group *group; /* whose kernels the sequence has */
	const struct dp_analysis_options *options;
	struct dp_explain *explain; /* NULL: not asked for */
	struct dp_error *error;
	bool has_others; /* more streams are analyzed, which may have what this one lacks */
	bool marked;	 /* set where annotations mark iterations */
};

/*
 * Finds the loops of a sequence: by annotations where they are wanted and there, else from the
 * operations. *loops is the caller's, to be freed with dp_loops__free(); it may hold none. Errors:
 * DP_ERR_NOMEM, DP_ERR_ARGUMENT.
 */
int dp_analysis__find_loops(struct dp_loops **loops, struct dp_loop_search *search);

/* To look for loops in a sequence unaided. */
struct dp_loops_request dp_analysis__request(const struct dp_sequence *sequence);

/*
 * Measures a loop's only whole iteration as a stretch, where the loop has no period; else *stretch
 * stays empty. input is that of the loop's own metrics. To be released with fini, also after a
 * failure. Errors: DP_ERR_NOMEM.
 */
int dp_stretch__measure_single(struct dp_stretch *stretch, const struct dp_loop_data *loop,
			       const struct dp_metric_input *input, struct dp_error *error);
void dp_stretch__fini(struct dp_stretch *stretch);

/* Adds what rules find in a loop's only whole iteration. Errors: DP_ERR_NOMEM. */
int dp_stretch__judge_single(struct dp_findings *findings, const struct dp_loop_data *loop,
			     const struct dp_analysis_options *options, bool pytorch,
			     struct dp_error *error);

/*
 * Adds what rules find in the captures of devices that were analyzed and have no loop at the level
 * of the report. Where recording was paused nothing is judged: nobody knows what the device did.
 * Errors: DP_ERR_NOMEM. Cost: linear in the operations and calls of each such device.
 */
int dp_stretch__judge_captures(struct dp_findings *findings, const struct dp_analysis *analysis,
			       const struct dp_analysis_options *options, struct dp_error *error);

/*
 * Where kernels alone are too few to tell: puts loops with the copies of each iteration in place of
 * those found, or the loop that a single kernel is, if there are such. Errors: DP_ERR_NOMEM. Cost:
 * a search in the operations where there are few kernels' names, else none. explain may be NULL.
 */
int dp_analysis__operations(struct dp_loops **loops, const struct dp_sequence *kernels,
			    const struct dp_stream_group *streams,
			    const struct dp_analysis_options *options, struct dp_explain *explain,
			    struct dp_error *error);

/* The same where numbers of iterations are known and no loop of kernels has one: puts the loop in its
 * place if it has. */
int dp_analysis__counted(struct dp_loops **loops, const struct dp_loops_request *request,
			 const struct dp_sequence *kernels, const struct dp_stream_group *streams,
			 const struct dp_analysis_options *options, struct dp_error *error);

/* Warns of each requested number of iterations that no loop has. Cost: numbers times loops. */
void dp_analysis__missing_counts(const struct dp_analysis_options *options,
				 const struct dp_stream *stream, const struct dp_loops *loops);

#endif
