/*
 * The internals of an analysis, for the facade (analysis.c) and its accessors. What runs out of
 * memory returns DP_ERR_NOMEM; dp_analysis_run() and dp_analysis_read() report it.
 */
#ifndef DP_ANALYSIS_MODEL_H
#define DP_ANALYSIS_MODEL_H

#include "base/explain.h"
#include "diagnose/diagnose.h"
#include "activity/collective.h"
#include "metric/loop_stats.h"
#include "metric/loop_variants.h"
#include "metric/metric.h"
#include "loops/loops.h"
#include "sequence/interruptions.h"
#include "sequence/marks.h"
#include "sequence/sequence.h"
#include <deepprof/analysis.h>
#include <stdatomic.h>

/* The first is a stretch of time that is judged as one iteration; the second marks its end. */
struct dp_stretch {
	struct dp_iteration span[2];
	struct dp_metric_values values;
};

struct dp_loop_data {
	struct dp_loop info;
	uint32_t *kernels; /* names of the pattern's kernels, info.length of them */
	struct dp_iteration *iterations;
	struct dp_edit *edits;
	size_t edit_count;
	struct dp_metric_values values;
	struct dp_loop_stats stats;
	double period_ns;	     /* typical */
	double time_ns;		     /* see dp_analysis_loop_time() */
	struct dp_variant *variants; /* info.variants of them */
	/* Of the only whole iteration, if there is no period; else empty. */
	struct dp_stretch single;
};

/* Per stream: whether it was analyzed, and its best candidate. */
struct dp_stream_result {
	bool analyzed;
	struct dp_stream_candidate candidate;
	bool by_launch; /* its kernels are in the order of their launches */
	size_t with;	/* the stream whose loops include its kernels, + 1; 0: none */
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
	enum dp_terms terms; /* of advice */
	bool hip;	     /* of its functions */
	struct dp_explain explain; /* empty unless requested */
	bool diagnosed;		   /* rules were run */
	uint8_t *asked;		   /* per metric, whether it was requested; NULL: all were */
	double *thresholds;	   /* per rule; NULL: each has its own */
};

/* Checks options. Errors: DP_ERR_ARGUMENT. */
int dp_analysis__check_options(const struct dp_analysis_options *options, struct dp_error *error);

/* Sets analysis->asked to the requested metrics. Errors: DP_ERR_NOMEM, DP_ERR_ARGUMENT. */
int dp_analysis__choose_metrics(struct dp_analysis *analysis,
				const struct dp_analysis_options *options, struct dp_error *error);

/* Sets a rule's threshold. Errors: DP_ERR_NOMEM. */
int dp_analysis__set_threshold(struct dp_analysis *analysis, size_t rule, double share);

/*
 * Called if there is nothing to analyze. Reports an error that names what exists instead if a
 * device or stream without kernels was requested, or marks that match no range with kernels.
 * Returns DP_OK if nothing was requested.
 */
int dp_analysis__nothing_wanted(const struct dp_trace *trace,
				const struct dp_analysis_options *options, struct dp_error *error);
int dp_analysis__no_marks(const struct dp_trace *trace, const char *marks, struct dp_error *error);

/* Sets the times of loops with iterations. Errors: DP_ERR_NOMEM. Cost: linear in these. */
int dp_analysis__set_times(struct dp_analysis *analysis);

/* The same, and numbers the loops in the order in which reports show them. */
int dp_analysis__number_loops(struct dp_analysis *analysis);

/*
 * Sets a loop's iterations, of which there are info.iterations, and their counts. nested: there is
 * a loop inside or around it.
 */
void dp_analysis__iterations(struct dp_loop_data *loop, const struct dp_sequence_loop *from,
			     const struct dp_sequence *sequence, const struct dp_breaks *breaks,
			     bool nested);

/* The input and the results of finding the loops of a sequence. */
struct dp_loop_search {
	const struct dp_trace *trace;
	const struct dp_sequence *sequence;  /* of the trace, */
	const struct dp_stream_group *group; /* the streams whose kernels it has, */
	struct dp_loops_request request;     /* and the request for its loops */
	const struct dp_analysis_options *options;
	struct dp_annotations *annotations;
	struct dp_explain *explain; /* NULL: not requested */
	struct dp_error *error;
	bool has_others; /* more streams are analyzed, which may have what this one lacks */
	bool alone;	 /* of the stream itself, without those that do the same work */
	bool marked;	 /* set if annotations mark iterations, */
	size_t marked_count; /* and if -n was looked up among them, how many they mark */
	bool replaced;	 /* set if a marked iteration of nearly all kernels gave way to loops inside
			  */
	size_t searches; /* of streams alone, in all so far */
	struct dp_loads *loads; /* of all streams */
};

/* The streams of a device that are analyzed together, their sequence, and its loops. */
struct dp_searched {
	struct dp_stream_group group;
	struct dp_sequence sequence;
	struct dp_loops *loops;
};

void dp_searched__fini(struct dp_searched *searched);

/*
 * Makes the group of streams that are analyzed together with one, and the sequence of their
 * kernels. *searched is empty before. Errors: DP_ERR_NOMEM, DP_ERR_ARGUMENT (an invalid regex).
 */
int dp_analysis__sequence(struct dp_searched *searched, const struct dp_loop_search *search,
			  uint32_t stream);

/*
 * Finds the loops of a sequence: from annotations if requested and present, else from the
 * operations. The caller frees *loops with dp_loops__free(); it may be empty. Errors: DP_ERR_NOMEM,
 * DP_ERR_ARGUMENT.
 */
int dp_analysis__find_loops(struct dp_loops **loops, struct dp_loop_search *search);

/*
 * Warns of known numbers of iterations that the loops of a finished search do not have, or that
 * contradict what would be found without them.
 */
void dp_analysis__warn_counts(const struct dp_loop_search *search, struct dp_loops *loops);

/* Returns true if this number of iterations was requested. */
bool dp_analysis__is_requested(const struct dp_analysis_options *options, size_t iterations);

/* Returns true if no known number of iterations exceeds the number of kernels. */
bool dp_analysis__counts_fit(const struct dp_analysis_options *options, size_t kernels);

/*
 * Finds the loops of a main stream and those that are analyzed with it, or of another stream of its
 * device (analysis_search.c). *searched is empty before. The caller releases it with fini, also
 * after a failure. Errors: DP_ERR_NOMEM, DP_ERR_ARGUMENT.
 */
int dp_analysis__search(struct dp_searched *searched, struct dp_loop_search *search,
			uint32_t stream);

/* Returns true if other streams than the main ones may show the program's loop. */
bool dp_analysis__may_be_on_others(const struct dp_loop_search *search);

/*
 * Sets *has to whether a stream alone shows a loop that is likely a program's. Errors:
 * DP_ERR_NOMEM, DP_ERR_ARGUMENT. Cost: one search.
 */
int dp_analysis__has_program(bool *has, const struct dp_loop_search *search, uint32_t stream);

/*
 * Sets *next to the first stream from `from` on that shows a program's loop before or after all
 * work of those streams of its device that were analyzed, one of which is given; to DP_NONE if
 * there is none. Errors: DP_ERR_NOMEM, DP_ERR_ARGUMENT.
 */
int dp_analysis__next_apart(uint32_t *next, const struct dp_analysis *analysis,
			    struct dp_loop_search *search, uint32_t stream, size_t from);

/*
 * Sets candidate->suggested; the rest of the candidate is that of the same search of the stream, in
 * which no loop was found. Errors: DP_ERR_NOMEM, DP_ERR_ARGUMENT.
 */
int dp_analysis__suggest(struct dp_stream_candidate *candidate, const struct dp_loop_search *search,
			 uint32_t stream);

/*
 * If no loop was found, or any that loads code in most iterations: if the longest stretch of
 * kernels in which the process loads none lies mostly after that loop, and after loads of kernels
 * that ran before, and has loops, they replace all others. Errors: DP_ERR_NOMEM.
 */
int dp_analysis__after_startup(struct dp_searched *searched, struct dp_loop_search *search);

/* A request to find the loops of a sequence unaided. */
struct dp_loops_request dp_analysis__request(const struct dp_sequence *sequence);

/*
 * Measures a loop's only whole iteration as a stretch if the loop has no period; otherwise *stretch
 * stays empty. input is that of the loop's own metrics. The caller releases *stretch with fini,
 * also after a failure. Errors: DP_ERR_NOMEM.
 */
int dp_stretch__measure_single(struct dp_stretch *stretch, const struct dp_loop_data *loop,
			       const struct dp_metric_input *input, struct dp_error *error);
void dp_stretch__fini(struct dp_stretch *stretch);

/* Adds the findings for a loop's only whole iteration. Errors: DP_ERR_NOMEM. */
int dp_stretch__judge_single(struct dp_analysis *analysis, const struct dp_loop_data *loop,
			     struct dp_error *error);

/*
 * Adds the findings for the captures of analyzed devices without a loop at the level of the report.
 * A capture in which recording was paused is not judged, as the device's work in the pause is
 * unknown. Errors: DP_ERR_NOMEM. Cost: linear in the operations and calls of each such device.
 */
int dp_stretch__judge_captures(struct dp_analysis *analysis, struct dp_error *error);

/*
 * If kernels alone cannot show iterations, or show halves of them, replaces the loops by loops with
 * the copies of each iteration, or by the loop of a single kernel, if there are such. If there
 * is none either, rows of kernels that repeat as often as options say take their place. Errors:
 * DP_ERR_NOMEM. Cost: a search in the operations if there are few kernel names or
 * every other iteration has an upload, else at most a few passes.
 */
int dp_analysis__operations(struct dp_loops **loops, const struct dp_loop_search *search);

/*
 * The same for known numbers of iterations if no likely loop of kernels has one: replaces the loops
 * if the new main loop does.
 */
int dp_analysis__counted(struct dp_loops **loops, const struct dp_loop_search *search);

/*
 * Warns of each requested number of iterations that no loop has. marked: how many annotations mark,
 * which are not used; 0: none. Cost: numbers times loops.
 */
void dp_analysis__missing_counts(const struct dp_analysis_options *options,
				 const struct dp_stream *stream, const struct dp_loops *loops,
				 size_t marked);

#endif
