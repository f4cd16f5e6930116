/*
 * The facade: the only file that knows the whole pipeline. Per device: the main stream's kernels as
 * a sequence, its loops by count, marks or unaided, their iterations in the trace's times, then
 * metrics and findings.
 */
#include "analysis_model.h"
#include "base/parameters.h"
#include "metric/warmup.h"
#include "sequence/sequence.h"

#include <string.h>

/* Each stream is a walk over what the host did: a file that claims any number of devices must not
 * make that as many. */
#define STREAMS_MOST 4096

/*
 * A device's metrics read all calls of the threads that launch on it. Machines have up to 72 GPUs
 * to a process; with so many times the trace's calls nobody has to wait for minutes, either.
 */
#define CALLS_MOST 256

/* A mark around so many of the stream's kernels is around everything. */
#define EVERYTHING 0.95

/* One analysis under way. */
struct run {
	struct dp_analysis *analysis;
	const struct dp_trace *trace;
	const struct dp_analysis_options *options;
	struct dp_error *error;
	struct dp_owners owners;
	size_t kernels;		 /* of all sequences */
	size_t streams;		 /* to be analyzed */
	uint64_t calls;		 /* read for the devices so far */
	size_t marked;		 /* of those, with ranges that match options->marks */
	struct dp_stream_group group; /* streams of the sequence at hand, */
	struct dp_breaks breaks;      /* and its breaks */
};

/* Where entries go, if they are asked for. */
static struct dp_explain *recorder(struct run *run)
{
	return run->options->explain ? &run->analysis->explain : NULL;
}

void dp_analysis_free(struct dp_analysis *analysis)
{
	if (!analysis || atomic_fetch_sub(&analysis->more_owners, 1))
		return;
	for (size_t i = 0; i < analysis->loop_count; i++) {
		struct dp_loop_data *loop = &analysis->loops[i];

		free(loop->kernels);
		free(loop->iterations);
		free(loop->edits);
		dp_metric_values__fini(&loop->values);
		dp_loop_stats__fini(&loop->stats);
		free(loop->variants);
		dp_stretch__fini(&loop->single);
	}
	free(analysis->loops);
	free(analysis->asked);
	free(analysis->streams);
	dp_work_index__fini(&analysis->index);
	dp_findings__fini(&analysis->findings);
	dp_explain__fini(&analysis->explain);
	dp_trace_free(analysis->own);
	free(analysis);
}

struct dp_analysis *dp_analysis_retain(const struct dp_analysis *analysis)
{
	struct dp_analysis *owned = (struct dp_analysis *)analysis;

	atomic_fetch_add(&owned->more_owners, 1);
	return owned;
}

int dp_analysis_take_trace(struct dp_analysis *analysis, struct dp_trace *trace,
			   struct dp_error *error)
{
	if (trace != analysis->trace || analysis->own)
		return dp_error__set(error, DP_ERR_ARGUMENT, "not the trace of this analysis");
	analysis->own = trace;
	return DP_OK;
}

/* Moves what was found into a loop of the analysis; the edits change owners. */
static int convert_loop(struct run *run, struct dp_sequence_loop *from,
			const struct dp_sequence *sequence, size_t base)
{
	struct dp_analysis *analysis = run->analysis;
	struct dp_loop_data *loop;

	if (dp_array__reserve(&analysis->loops, &analysis->loop_room, analysis->loop_count + 1,
			      sizeof(*analysis->loops)))
		return dp_error__nomem(run->error, 0);
	loop = &analysis->loops[analysis->loop_count];
	memset(loop, 0, sizeof(*loop));
	loop->kernels = dp_alloc__array(from->length, sizeof(*loop->kernels));
	loop->iterations = dp_alloc__array(from->count, sizeof(*loop->iterations));
	analysis->loop_count++;
	if (!loop->kernels || !loop->iterations)
		return dp_error__nomem(run->error, from->count * sizeof(*loop->iterations));
	loop->info = (struct dp_loop){
		.id = (uint32_t)(analysis->loop_count - 1),
		.parent = from->parent == DP_NONE ? DP_NONE : (uint32_t)(base + from->parent),
		.device = dp_trace_stream(run->trace, sequence->stream)->device,
		.stream = sequence->stream,
		.found_by = from->found_by,
		.phase = from->phase,
		.confidence = dp_confidence__of(&from->confidence),
		.at_level = from->chosen,
		.in_row = from->in_row,
		.length = from->length,
		.copies = from->copies,
		.sets = from->sets,
		.occurrences = from->occurrences,
		.iterations = from->count,
	};
	for (size_t i = 0; i < from->length; i++)
		loop->kernels[i] = sequence->names[from->pattern[i]];
	for (size_t i = 0; i < run->options->iterations_count; i++)
		loop->info.fits |=
			from->in_row || run->options->iterations[i] == dp_loops__whole(from);
	loop->edits = from->edits;
	loop->edit_count = from->edit_count;
	from->edits = NULL;
	from->edit_count = 0;
	dp_analysis__iterations(loop, from, sequence, &run->breaks);
	return DP_OK;
}

/* The loops that a level chooses, of those from base on: parents come before their children. */
static void choose_level(struct dp_analysis *analysis, size_t base, enum dp_level level)
{
	for (size_t i = base; i < analysis->loop_count && level != DP_LEVEL_DEFAULT; i++) {
		struct dp_loop *loop = &analysis->loops[i].info;

		loop->at_level = level == DP_LEVEL_INNERMOST || loop->parent == DP_NONE;
		if (level == DP_LEVEL_INNERMOST && loop->parent != DP_NONE)
			analysis->loops[loop->parent].info.at_level = false;
	}
}

static int compute_metrics(struct run *run, struct dp_loop_data *loop,
			   const struct dp_sequence *sequence, const struct dp_work *work)
{
	struct dp_metric_input input = {
		.trace = run->trace,
		.device = loop->info.device,
		.stream = loop->info.stream,
		.ops = sequence->ops,
		.op_count = sequence->count,
		.rows = run->group.rows,
		.row_count = run->group.count,
		.iterations = loop->iterations,
		.count = loop->info.iterations,
		.batch_size = run->options->batch_size,
		.brief = !loop->info.at_level,
		.asked = run->analysis->asked,
		.owners = &run->owners,
		.work = work,
	};
	struct dp_loop_kernels kernels = {
		.trace = run->trace,
		.ops = sequence->ops,
		.op_count = sequence->count,
		.iterations = loop->iterations,
		.count = loop->info.iterations,
		.pattern = loop->kernels,
		.length = loop->info.length,
		.edits = loop->edits,
		.edit_count = loop->edit_count,
	};
	int status = dp_warmup__mark(loop->iterations, loop->info.iterations, run->error);

	if (!status)
		status = dp_metric__compute_all(&loop->values, &input, run->error);
	if (!status)
		status = dp_loop_variants__make(&loop->variants, &loop->info, loop->iterations,
						&loop->values, run->error);
	if (!status && loop->info.at_level && !run->analysis->asked)
		status = dp_stretch__measure_single(&loop->single, loop, &input, run->error);
	if (!status && loop->info.at_level && !run->analysis->asked)
		status = dp_loop_stats__init(&loop->stats, &kernels, &run->owners, run->error);
	return status;
}

/* Threads that launch on thousands of devices would make the work that many times the trace. */
static int count_calls(struct run *run, const struct dp_work *work)
{
	run->calls += work->call_count;
	if (run->calls / CALLS_MOST <= dp_trace_calls(run->trace)->count)
		return DP_OK;
	return dp_error__set(run->error, DP_ERR_LIMIT,
			     "the same threads launch on more than %d devices: choose a device",
			     CALLS_MOST);
}

/* Of the loops from base on, which are of one stream. */
static int measure_loops(struct run *run, size_t base, const struct dp_sequence *sequence)
{
	struct dp_analysis *analysis = run->analysis;
	struct dp_work work = { 0 };
	int status = DP_OK;

	choose_level(analysis, base, run->options->level);
	if (analysis->loop_count > base)
		status = dp_work__init(&work, &analysis->index, analysis->loops[base].info.device,
				       run->error);
	if (!status)
		status = count_calls(run, &work);
	for (size_t i = base; !status && i < analysis->loop_count; i++)
		status = compute_metrics(run, &analysis->loops[i], sequence, &work);
	dp_work__fini(&work);
	return status;
}

static bool counts_fit(const struct dp_analysis_options *options, size_t kernels)
{
	for (size_t i = 0; i < options->iterations_count; i++)
		if (options->iterations[i] > kernels)
			return false;
	return true;
}

/*
 * Marked iterations at the ends of what is analyzed may be cut by it: the range asked for leaves
 * some of their kernels out, the file is known to have lost what came after, or they lack kernels.
 * What is cut off is in no average.
 */
static int loops_of_marks(struct run *run, const struct dp_sequence *sequence,
			  const struct dp_loops_request *request, const struct dp_marks *marks,
			  struct dp_loops **loops)
{
	bool at_end = marks->ends[marks->count - 1] == sequence->count;
	struct dp_boundaries boundaries = {
		.starts = marks->starts,
		.ends = marks->ends,
		.count = marks->count,
		.cut_first = marks->cut_first,
		.cut_last = marks->cut_last || (at_end && dp_trace_loss_count(run->trace)),
	};
	int status = dp_loops__from_marks(loops, request, &boundaries, run->error);
	struct dp_sequence_loop *loop;

	if (status)
		return status;
	loop = &(*loops)->loops[0];
	if (loop->iterations[0].first == 0 && loop->iterations[0].deleted > loop->length / 20)
		loop->iterations[0].partial = true;
	if (at_end && loop->iterations[loop->count - 1].deleted > loop->length / 20)
		loop->iterations[loop->count - 1].partial = true;
	return DP_OK;
}

/* Gives a loop the boundaries of annotations; it stays where it is in the tree. */
static int take_marks(struct run *run, const struct dp_sequence *sequence,
		      const struct dp_loops_request *request, const struct dp_marks *marks,
		      struct dp_sequence_loop *loop)
{
	struct dp_loops *by_marks;
	struct dp_sequence_loop swap = *loop;
	int status = loops_of_marks(run, sequence, request, marks, &by_marks);

	if (status)
		return status;
	*loop = by_marks->loops[0];
	loop->parent = swap.parent;
	loop->chosen = swap.chosen;
	loop->few = swap.few;
	loop->copies = swap.copies;
	loop->sets = swap.sets;
	by_marks->loops[0] = swap;
	dp_loops__free(by_marks);
	return DP_OK;
}

/*
 * Loops that were found unaided, and that annotations repeat with, have their boundaries; or they
 * are surer where each iteration has one annotation that marks less than it.
 */
static int use_repeated(struct run *run, const struct dp_sequence *sequence,
			const struct dp_loops_request *request, struct dp_loops *loops)
{
	int status = DP_OK;

	for (size_t i = 0; i < loops->count && !status; i++) {
		struct dp_sequence_loop *loop = &loops->loops[i];
		struct dp_marks marks;

		if (!loop->chosen)
			continue;
		if (dp_sequence__repeated(&marks, sequence, loop->iterations, loop->count))
			return dp_error__nomem(run->error, 0);
		if (marks.count)
			dp_explain__add(recorder(run), "annotations",
					DP_FACTS({ "ranges", "count", (double)marks.count },
						 { "iterations", "count", (double)loop->count },
						 { "inside", "count", marks.inside }),
					"{ranges:annotation} of one name repeat as the loop with "
					"{iterations:iteration} does: %s",
					marks.inside ? "each lies inside an iteration, which "
						       "confirms the loop"
						     : "they are its boundaries");
		if (marks.count && marks.inside) {
			loop->confidence.feature[DP_FEATURE_ANNOTATED] = 1;
			dp_confidence__judge(&loop->confidence);
			loop->few = false;
		} else if (marks.count) {
			status = take_marks(run, sequence, request, &marks, loop);
		}
		dp_marks__fini(&marks);
	}
	return status;
}

/* One of several streams has nothing to show: that is no reason to fail the others. */
static int no_loops(struct run *run, struct dp_loops **loops)
{
	*loops = dp_alloc__zeroed(1, sizeof(**loops));
	return *loops ? DP_OK : dp_error__nomem(run->error, sizeof(**loops));
}

/* Loops that were found from the operations, with the boundaries of annotations that repeat so. */
static int find_unaided(struct run *run, const struct dp_sequence *sequence,
			const struct dp_loops_request *request, struct dp_loops **loops)
{
	/* without a number the order of one symbol tells nothing */
	bool single = sequence->alphabet == 1 && !request->counts_count;
	int status = single ? no_loops(run, loops) : dp_loops__find(loops, request, run->error);

	if (!status && request->counts_count)
		return dp_analysis__counted(loops, request, sequence, &run->group, run->options,
					    run->error);
	if (!status)
		status = dp_analysis__operations(loops, sequence, &run->group, run->options,
						 recorder(run), run->error);
	if (!status && !run->options->ignore_marks)
		status = use_repeated(run, sequence, request, *loops);
	return status;
}

/* Are there two whole iterations to compare, of a loop at the level of the report? */
static bool has_several(const struct dp_loops *loops)
{
	for (size_t l = 0; l < loops->count; l++)
		if (loops->loops[l].chosen && dp_loops__whole(&loops->loops[l]) > 1)
			return true;
	return false;
}

/* Several iterations of most kernels, and hardly the layers of the single one that is marked. */
static bool is_surer(const struct dp_loops *loops, const struct dp_sequence *sequence)
{
	const struct dp_sequence_loop *loop = dp_loops__main(loops);

	return loop && loop->confidence.loop > dp_param.surer && !loop->few &&
	       has_several(loops) && dp_loops__covered(loop) * 2 > sequence->count;
}

/* One mark around everything is no iteration: it tells when the profiler was on. In a part of a
 * capture it may be of one that goes on. */
static bool is_everything(const struct dp_loops *loops, const struct dp_sequence *sequence)
{
	return loops->count == 1 && loops->loops[0].count == 1 &&
	       !loops->loops[0].iterations[0].partial &&
	       (double)dp_loops__covered(&loops->loops[0]) >=
		       EVERYTHING * (double)sequence->count;
}

/* No loops, but what came nearest to one. */
static int only_candidate(struct run *run, struct dp_loops **loops, const struct dp_loops *tree)
{
	const struct dp_sequence_loop *nearest = dp_loops__main(tree);
	size_t all = dp_loops__covered(&(*loops)->loops[0]);

	dp_loops__free(*loops);
	*loops = NULL;
	if (no_loops(run, loops))
		return DP_ERR_NOMEM;
	(*loops)->best_length = nearest ? nearest->length : tree->best_length;
	(*loops)->best_confidence = nearest ? dp_confidence__of(&nearest->confidence)
					    : tree->best_confidence;
	(*loops)->best_coverage = nearest ? (double)dp_loops__covered(nearest) / (double)all
					  : tree->best_coverage;
	return DP_OK;
}

/*
 * What the kernels tell of beside the iterations that are marked. Annotations that nobody asked for
 * and that mark a single iteration leave nothing to compare, as where a profiler was told to record
 * one step. What repeats inside of it, be it by other annotations, is worth more.
 */
static int find_beside(struct run *run, const struct dp_sequence *sequence,
		       const struct dp_loops_request *request, struct dp_loops **loops)
{
	struct dp_loops_request unaided = *request;
	struct dp_loops *tree = NULL, *worse;
	const struct dp_sequence_loop *found;
	bool several = run->options->marks || has_several(*loops);
	int status;

	unaided.counts = NULL;
	unaided.counts_count = 0;
	unaided.paper = false;
	status = several ? dp_loops__find(&tree, &unaided, run->error)
			 : find_unaided(run, sequence, request, &tree);
	if (status)
		return status;
	worse = tree;
	found = dp_loops__main(tree);
	if (!several && is_surer(tree, sequence)) {
		dp_log__write(&run->options->log, DP_LOG_WARNING,
			      "stream %lld: annotations mark fewer than two whole iterations; "
			      "reported are those %s",
			      (long long)dp_trace_stream(run->trace, sequence->stream)->stream,
			      found->found_by == DP_FOUND_BY_MARKS
				      ? "that other annotations mark"
				      : "found from the kernels");
		dp_explain__add(recorder(run), "annotations",
				DP_FACTS({ "confidence", "1",
					   dp_confidence__of(&found->confidence) }),
				"the annotations mark fewer than two whole iterations; the loop "
				"found without them has {confidence} confidence and replaces them");
		worse = *loops;
		*loops = tree;
	} else if (!several && is_everything(*loops, sequence)) {
		status = only_candidate(run, loops, tree);
	} else if (dp_loops__beside(*loops, tree)) {
		status = dp_error__nomem(run->error, 0);
	}
	dp_loops__free(worse);
	return status;
}

/* A number that fits, where another loop is likely, is worth a warning. The same pattern found a few
 * times more or less often is the same loop. */
static void warn_likely(const struct run *run, const struct dp_sequence *sequence,
			const struct dp_loops *loops)
{
	uint64_t given = run->options->iterations[0];

	if (!loops->likely_iterations || given < 2 || !loops->count ||
	    dp_loops__whole(&loops->loops[0]) != given ||
	    loops->loops[0].length == loops->likely_length)
		return;
	dp_log__write(&run->options->log, DP_LOG_WARNING,
		      "stream %lld: %llu iterations can be found, but without -n %zu iterations "
		      "of %zu kernels are (%.1f%% confidence)",
		      (long long)dp_trace_stream(run->trace, sequence->stream)->stream,
		      (unsigned long long)given, loops->likely_iterations, loops->likely_length,
		      loops->likely_confidence * 100);
}

static void tell_missing(const struct run *run, const struct dp_sequence *sequence,
			 const struct dp_loops *loops)
{
	dp_analysis__missing_counts(run->options, dp_trace_stream(run->trace, sequence->stream),
				    loops);
}

/* Loops of one sequence: by annotations where they are wanted and there, else from kernels. */
static int find_loops(struct run *run, const struct dp_sequence *sequence, struct dp_loops **loops)
{
	const struct dp_analysis_options *options = run->options;
	struct dp_loops_request request = dp_analysis__request(sequence);
	struct dp_marks marks = { 0 };
	int status = DP_OK;

	request.counts = options->iterations;
	request.counts_count = options->iterations_count;
	request.paper = options->paper;
	request.epsilon = options->epsilon;
	request.max_unmatched = options->max_unmatched;
	request.explain = recorder(run);
	if (options->marks || (!options->iterations_count && !options->ignore_marks))
		status = dp_sequence__marks(&marks, sequence, options->marks, run->error);
	if (!status && marks.count) {
		run->marked++;
		dp_explain__add(recorder(run), "annotations",
				DP_FACTS({ "iterations", "count", (double)marks.count }),
				"annotations mark {iterations:iteration}");
		status = loops_of_marks(run, sequence, &request, &marks, loops);
		if (!status)
			status = find_beside(run, sequence, &request, loops);
	} else if (!status && options->marks) {
		status = no_loops(run, loops);
	} else if (!status && run->streams > 1 && !counts_fit(options, sequence->count)) {
		status = no_loops(run, loops);
		if (!status)
			tell_missing(run, sequence, *loops);
	} else if (!status) {
		status = find_unaided(run, sequence, &request, loops);
		if (!status)
			tell_missing(run, sequence, *loops);
		if (!status && options->iterations_count)
			warn_likely(run, sequence, *loops);
	}
	dp_marks__fini(&marks);
	return status;
}

/* Streams that run at once, and whose launches show no loop: as if the first were alone. */
static int find_alone(struct run *run, struct dp_sequence *sequence, struct dp_loops **loops)
{
	const struct dp_analysis_options *options = run->options;
	uint32_t stream = sequence->stream;
	int status;

	dp_explain__add(recorder(run), "stream", DP_FACTS({ "streams", "count", 1 }),
			"in the order of launches no loop is found: {streams:stream} is searched");
	dp_loops__free(*loops);
	*loops = NULL;
	dp_sequence__fini(sequence);
	dp_stream_group__fini(&run->group);
	dp_stream_group__single(&run->group, run->trace, stream);
	status = dp_sequence__init(sequence, run->trace, &run->group, DP_ALPHABET_KERNELS,
				   options->range_start_ns, options->range_end_ns, run->error);
	return status ? status : find_loops(run, sequence, loops);
}

/* What the sequence is made of. */
static void explain_stream(struct run *run, const struct dp_sequence *sequence)
{
	size_t streams = 0;

	dp_explain__begin(recorder(run), sequence->stream);
	for (size_t s = 0; run->group.has && s < dp_trace_stream_count(run->trace); s++)
		streams += run->group.has[s];
	dp_explain__add(recorder(run), "stream",
			DP_FACTS({ "kernels", "count", (double)sequence->count },
				 { "streams", "count", (double)DP_MAX(streams, 1) },
				 { "by_launch", "count", run->group.by_launch }),
			"{kernels:kernel} of {streams:stream}%s, in the order %s, make the sequence",
			streams > 1 ? " that do the same work" : "",
			run->group.by_launch ? "of their launches, since these streams run at once"
					     : "in which they start");
}

static int analyze_stream(struct run *run, uint32_t stream)
{
	const struct dp_analysis_options *options = run->options;
	struct dp_analysis *analysis = run->analysis;
	size_t base = analysis->loop_count;
	struct dp_loops *loops = NULL;
	struct dp_sequence sequence;
	int status;

	status = dp_analysis__sequence(&sequence, &run->group, run->trace, stream, options,
				       run->error);
	run->kernels += status ? 0 : sequence.count;
	if (!status)
		explain_stream(run, &sequence);
	if (!status)
		status = find_loops(run, &sequence, &loops);
	if (!status && run->group.by_launch && !dp_loops__main(loops))
		status = find_alone(run, &sequence, &loops);
	if (!status)
		status = dp_sequence__breaks(&run->breaks, &sequence, run->error);
	for (size_t s = 0; run->group.has && s < dp_trace_stream_count(run->trace); s++)
		if (run->group.has[s])
			analysis->streams[s].with = (size_t)stream + 1;
	for (size_t i = 0; !status && i < loops->count; i++)
		status = convert_loop(run, &loops->loops[i], &sequence, base);
	if (!status)
		analysis->streams[stream] = (struct dp_stream_result){
			true,
			{ loops->best_length, loops->best_coverage, loops->best_confidence },
			run->group.by_launch,
			(size_t)stream + 1
		};
	dp_loops__free(loops);
	dp_explain__end(recorder(run));
	if (!status && run->analysis->explain.status)
		status = dp_error__nomem(run->error, 0);
	if (!status)
		status = measure_loops(run, base, &sequence);
	dp_sequence__fini(&sequence);
	dp_stream_group__fini(&run->group);
	free(run->breaks.first);
	run->breaks = (struct dp_breaks){ 0 };
	return status;
}

/* Is a stream one to analyze? */
static bool is_wanted(const struct run *run, const struct dp_stream *stream)
{
	const struct dp_analysis_options *options = run->options;
	const struct dp_device *device = dp_trace_device(run->trace, stream->device);

	if (options->device >= 0 && device->id != options->device)
		return false;
	if (options->stream >= 0)
		return stream->stream == options->stream && stream->kernels;
	return stream->stream_class == DP_STREAM_MAIN;
}

/* Verdicts are of iterations: loops at the chosen level, not the layers inside them. */
static int diagnose(struct run *run)
{
	struct dp_analysis *analysis = run->analysis;
	int status = DP_OK;

	analysis->pytorch = dp_advice__is_pytorch(run->trace);
	for (size_t i = 0; !status && i < analysis->loop_count; i++) {
		const struct dp_loop_data *loop = &analysis->loops[i];
		struct dp_rule_input input = {
			.loop = &loop->info,
			.iterations = loop->iterations,
			.values = loop->values.values,
			.summary = loop->values.summary,
			.thresholds = run->options->thresholds,
			.thresholds_count = run->options->thresholds_count,
			.stalls = &loop->values.stalls,
			.ranges = &loop->values.ranges,
			.stats = &loop->stats,
			.replay = &loop->values.replay,
			.waits = &loop->values.waits,
			.pytorch = analysis->pytorch,
		};

		if (!loop->info.at_level)
			continue;
		status = dp_diagnose__loop(&analysis->findings, &input, run->error);
		if (!status)
			status = dp_stretch__judge_single(&analysis->findings, loop, run->options,
							  analysis->pytorch, run->error);
	}
	if (!status)
		status = dp_stretch__judge_captures(&analysis->findings, analysis, run->options,
						    run->error);
	if (!status)
		dp_diagnose__rank(&analysis->findings);
	return status;
}

/* Marks that match nothing anywhere are a mistake; that some streams have none is only told. */
static int check_marks(const struct run *run)
{
	struct dp_candidate none;

	if (run->streams && !run->marked)
		return dp_analysis__no_marks(run->trace, run->options->marks, run->error);
	for (size_t s = 0; s < dp_trace_stream_count(run->trace); s++) {
		const struct dp_stream *stream = dp_trace_stream(run->trace, s);

		if (dp_analysis_candidate(run->analysis, s, &none))
			dp_log__write(&run->options->log, DP_LOG_WARNING,
				      "device %lld, stream %lld: no range with kernels matches the "
				      "marks '%s'",
				      (long long)dp_trace_device(run->trace, stream->device)->id,
				      (long long)stream->stream, run->options->marks);
	}
	return DP_OK;
}

static int analyze(struct run *run)
{
	const struct dp_analysis_options *options = run->options;
	int status = DP_OK;

	for (size_t s = 0; s < dp_trace_stream_count(run->trace); s++)
		run->streams += is_wanted(run, dp_trace_stream(run->trace, s));
	if (run->streams > STREAMS_MOST)
		status = dp_error__set(run->error, DP_ERR_LIMIT,
				       "%zu devices have kernels: at most %d are analyzed at once",
				       run->streams, STREAMS_MOST);
	for (size_t s = 0; !status && s < dp_trace_stream_count(run->trace); s++)
		if (is_wanted(run, dp_trace_stream(run->trace, s)))
			status = analyze_stream(run, (uint32_t)s);
	if (!status && !run->streams)
		status = dp_analysis__nothing_wanted(run->trace, options, run->error);
	if (!status && run->streams && !run->kernels)
		status = dp_error__set(run->error, DP_ERR_ARGUMENT, "no kernels in the range");
	if (!status && run->options->marks)
		status = check_marks(run);
	if (status)
		return status;
	return run->analysis->asked ? DP_OK : diagnose(run);
}

/* Which metrics are to be computed. */
static int choose_metrics(struct run *run)
{
	const struct dp_analysis_options *options = run->options;
	const struct dp_metric_info *info;
	size_t count = 0;
	uint8_t *asked;

	if (!options->metrics)
		return DP_OK;
	while (dp_metric(count))
		count++;
	run->analysis->asked = asked = dp_alloc__zeroed(count, sizeof(*asked));
	if (!asked)
		return dp_error__nomem(run->error, count);
	for (size_t i = 0; i < options->metrics_count; i++) {
		const char *name = options->metrics[i];
		size_t m = 0;

		for (size_t s = 0; (info = dp_summary_metric(s)); s++)
			if (!strcmp(info->name, name))
				name = info->of;
		while (m < count && strcmp(dp_metric(m)->name, name))
			m++;
		if (m == count)
			return dp_error__set(run->error, DP_ERR_ARGUMENT, "no metric '%s'", name);
		asked[m] = 1;
	}
	return DP_OK;
}

int dp_analysis_run(struct dp_analysis **analysis, const struct dp_trace *trace,
		    const struct dp_analysis_options *options, struct dp_error *error)
{
	struct dp_analysis_options all = DP_ANALYSIS_OPTIONS_INIT;
	struct run run = { .trace = trace, .options = &all, .error = error };
	int status;

	if (options)
		memcpy(&all, options, DP_MIN(options->size, sizeof(all)));
	status = dp_analysis__check_options(&all, error);
	if (status)
		return status;
	run.analysis = dp_alloc__zeroed(1, sizeof(*run.analysis));
	if (!run.analysis)
		return dp_error__nomem(error, sizeof(*run.analysis));
	run.analysis->trace = trace;
	run.analysis->scope =
		(struct dp_scope){ all.device, all.stream, all.range_start_ns, all.range_end_ns };
	run.analysis->streams =
		dp_alloc__zeroed(dp_trace_stream_count(trace), sizeof(*run.analysis->streams));
	status = run.analysis->streams ? choose_metrics(&run) : dp_error__nomem(error, 0);
	if (!status)
		status = dp_work_index__init(&run.analysis->index, trace, error);
	if (!status && !run.analysis->asked)
		status = dp_owners__init(&run.owners, trace, error);
	if (!status)
		status = analyze(&run);
	dp_owners__fini(&run.owners);
	if (status)
		dp_analysis_free(run.analysis);
	else
		*analysis = run.analysis;
	return status;
}
