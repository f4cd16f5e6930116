/*
 * The facade: calls the whole pipeline. For each device: the kernels of its main streams, or of
 * another stream or all streams if these show the program's loop, as a sequence; its loops by
 * count, by annotations or unaided; their iterations in the trace's times; then metrics and
 * findings.
 */
#include "analysis_model.h"
#include "base/options.h"
#include "base/repeats.h"
#include "base/text.h"
#include "activity/warmup.h"
#include "metric/loop_contents.h"
#include "trace/model.h"

#include <string.h>

/*
 * Analyzing a stream walks over all of the host's calls: a hostile file with millions of streams
 * must not make that quadratic.
 */
#define STREAMS_MOST 4096

/*
 * A device's metrics read all calls of the threads that launch on it. Machines have up to 72 GPUs
 * per process; even at this many times the trace's calls the analysis takes less than minutes.
 */
#define CALLS_MOST 256

/* One analysis under way. */
struct run {
	struct dp_analysis *analysis;
	const struct dp_trace *trace;
	const struct dp_analysis_options *options;
	struct dp_error *error;
	struct dp_attribution attribution;
	struct dp_annotations annotations;
	struct dp_loads loads;
	size_t kernels;			      /* of all sequences */
	size_t streams;			      /* to be analyzed */
	size_t searches;		      /* of other streams alone */
	uint64_t calls;			      /* read for the devices so far */
	size_t paper_device;		      /* plus 1, for which: */
	const struct dp_stream *paper_stream; /* with most kernels */
	size_t marked;		     /* of those streams, with ranges that match options->marks */
	struct dp_searched searched; /* the current sequence */
	struct dp_breaks breaks;     /* of it */
};

/* Where entries go, or NULL if explanations were not requested. */
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
	free(analysis->thresholds);
	free(analysis->streams);
	dp_trace_index__fini(&analysis->index);
	dp_findings__fini(&analysis->findings);
	dp_collective_stats__fini(&analysis->collectives);
	dp_explain__fini(&analysis->explain);
	dp_trace_free(analysis->trace);
	free(analysis);
}

struct dp_analysis *dp_analysis_retain(const struct dp_analysis *analysis)
{
	struct dp_analysis *owned = (struct dp_analysis *)analysis;

	atomic_fetch_add(&owned->more_owners, 1);
	return owned;
}

/* Returns true if there is a loop inside or around one. */
static bool is_nested(const struct dp_loops *loops, const struct dp_sequence_loop *loop)
{
	bool nested = loop->parent != DP_NONE;

	for (size_t i = 0; i < loops->count; i++)
		nested |= loops->loops[i].parent == (size_t)(loop - loops->loops);
	return nested;
}

/* Moves a loop that was found into a loop of the analysis, with its edits. */
static int convert_loop(struct run *run, struct dp_sequence_loop *from, size_t base, bool single)
{
	const struct dp_sequence *sequence = &run->searched.sequence;
	struct dp_analysis *analysis = run->analysis;
	struct dp_loop_data *loop;

	if (dp_array__reserve(&analysis->loops, &analysis->loop_room, analysis->loop_count + 1,
			      sizeof(*analysis->loops)))
		return DP_ERR_NOMEM;
	loop = &analysis->loops[analysis->loop_count];
	memset(loop, 0, sizeof(*loop));
	loop->kernels = dp_alloc__array(from->length, sizeof(*loop->kernels));
	loop->iterations = dp_alloc__array(from->count, sizeof(*loop->iterations));
	analysis->loop_count++;
	if (!loop->kernels || !loop->iterations)
		return DP_ERR_NOMEM;
	loop->info = (struct dp_loop){
		.id = (uint32_t)(analysis->loop_count - 1),
		.parent = from->parent == DP_NONE ? DP_NONE : (uint32_t)(base + from->parent),
		.device = dp_trace_stream(run->trace, sequence->stream)->device,
		.stream = sequence->stream,
		.found_by = from->found_by,
		.phase = from->phase_by,
		.confidence = dp_confidence__of(&from->confidence),
		.selected = from->chosen,
		.matches_in_sequence = from->matches_in_sequence,
		.length = from->length,
		.copies = from->copies,
		.memsets = from->memsets,
		.annotation = from->annotation == DP_NONE
				      ? NULL
				      : dp_trace_string(run->trace, from->annotation),
		.mixed = from->mixed,
		.single = single && from->may_be_pass && from->chosen,
		.occurrences = from->occurrences,
		.iterations = from->count,
		.matches_count = from->matches_in_sequence ||
				 dp_analysis__is_requested(run->options, dp_loops__whole(from)),
	};
	for (size_t i = 0; i < from->length; i++)
		loop->kernels[i] = sequence->names[from->pattern[i]];
	loop->edits = from->edits;
	loop->edit_count = from->edit_count;
	from->edits = NULL;
	from->edit_count = 0;
	dp_analysis__iterations(loop, from, sequence, &run->breaks,
				is_nested(run->searched.loops, from));
	return DP_OK;
}

/* Selects the loops of a level among those from base on. Parents come before their children. */
static void choose_level(struct dp_analysis *analysis, size_t base, enum dp_level level)
{
	for (size_t i = base; i < analysis->loop_count && level != DP_LEVEL_DEFAULT; i++) {
		struct dp_loop *loop = &analysis->loops[i].info;

		loop->selected = level == DP_LEVEL_INNERMOST || loop->parent == DP_NONE;
		if (level == DP_LEVEL_INNERMOST && loop->parent != DP_NONE)
			analysis->loops[loop->parent].info.selected = false;
	}
}

static int compute_metrics(struct run *run, struct dp_loop_data *loop,
			   const struct dp_device_timeline *timeline)
{
	const struct dp_stream_group *group = &run->searched.group;
	const struct dp_sequence *sequence = &run->searched.sequence;
	struct dp_metric_input input = {
		.trace = run->trace,
		.device = loop->info.device,
		.stream = loop->info.stream,
		.ops = sequence->ops,
		.op_count = sequence->count,
		.rows = group->rows,
		.row_count = group->count,
		.iterations = loop->iterations,
		.count = loop->info.iterations,
		.batch_size = run->options->batch_size,
		.flops = run->options->flops,
		.brief = !loop->info.selected,
		.asked = run->analysis->asked,
		.attribution = &run->attribution,
		.timeline = timeline,
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
		.timeline = timeline,
	};
	int status = dp_warmup__mark(loop->iterations, loop->info.iterations, run->error);

	dp_loop_contents__kernels(&loop->info, loop->iterations);
	dp_loop_contents__copies(&loop->info, loop->iterations, dp_trace_ops(run->trace),
				 group->rows, group->count);
	if (!status)
		status = dp_metric__compute_all(&loop->values, &input, run->error);
	if (!status)
		status = dp_loop_variants__make(&loop->variants, &loop->info, loop->iterations,
						run->error);
	if (!status && loop->info.selected && !run->analysis->asked)
		status = dp_stretch__measure_single(&loop->single, loop, &input, run->error);
	if (!status && loop->info.selected && !run->analysis->asked)
		status = dp_loop_stats__init(&loop->stats, &kernels, &run->attribution, run->error);
	return status;
}

/* Refuses threads that launch on thousands of devices: each device reads all of their calls. */
static int count_calls(struct run *run, const struct dp_device_timeline *timeline)
{
	run->calls += timeline->call_count;
	if (run->calls / CALLS_MOST <= dp_trace_calls(run->trace)->count)
		return DP_OK;
	return dp_error__set(run->error, DP_ERR_LIMIT,
			     "the same threads launch on more than %d devices: choose a device",
			     CALLS_MOST);
}

/* Measures the loops from base on, which belong to one stream. */
static int measure_loops(struct run *run, size_t base)
{
	struct dp_analysis *analysis = run->analysis;
	struct dp_device_timeline timeline = { 0 };
	int status = DP_OK;

	choose_level(analysis, base, run->options->level);
	if (analysis->loop_count > base)
		status = dp_device_timeline__init(&timeline, &analysis->index,
						  analysis->loops[base].info.device, run->error);
	if (!status)
		status = count_calls(run, &timeline);
	for (size_t i = base; !status && i < analysis->loop_count; i++)
		status = compute_metrics(run, &analysis->loops[i], &timeline);
	dp_device_timeline__fini(&timeline);
	return status;
}

static size_t most_in_row(const struct dp_sequence *sequence)
{
	size_t first;

	return dp_repeats__most(&first, sequence->symbols, sequence->count, 1);
}

static struct dp_loop_search search_of(struct run *run)
{
	return (struct dp_loop_search){
		.trace = run->trace,
		.options = run->options,
		.annotations = &run->annotations,
		.loads = &run->loads,
		.explain = recorder(run),
		.error = run->error,
		.has_others = run->streams > 1,
		.searches = run->searches,
	};
}

/* Analyzes a stream: alone, or with those that do the same work. */
static int analyze_stream(struct run *run, uint32_t stream, bool alone)
{
	struct dp_analysis *analysis = run->analysis;
	size_t base = analysis->loop_count;
	struct dp_searched *searched = &run->searched;
	const struct dp_stream_group *group = &searched->group;
	struct dp_loop_search search = search_of(run);
	const struct dp_loops *loops;
	uint32_t first = stream;
	int status;

	search.alone = alone;
	status = dp_analysis__search(searched, &search, stream);
	loops = searched->loops;
	run->kernels += searched->sequence.count;
	run->marked += search.marked;
	run->searches = search.searches;
	stream = searched->sequence.stream;
	if (!status)
		status = dp_sequence__breaks(&run->breaks, &searched->sequence);
	for (size_t s = group->range.first; group->has && s < group->range.end; s++)
		if (dp_stream_group__has(group, s))
			analysis->streams[s].with = (size_t)stream + 1;
	for (size_t i = 0; !status && i < loops->count; i++)
		status = convert_loop(run, &searched->loops->loops[i], base, search.replaced);
	if (!status)
		analysis->streams[stream] = (struct dp_stream_result){
			true,
			{ loops->best.length, loops->best.coverage, loops->best.confidence,
			  loops->best.iterations, run->options->iterations_count > 0,
			  searched->sequence.count, searched->group.streams,
			  search.marked || run->options->ignore_marks, loops->best.layers,
			  search.marked, loops->best.length ? 0 : most_in_row(&searched->sequence),
			  0 },
			searched->group.by_launch,
			(size_t)stream + 1
		};
	if (!status && !loops->count)
		status = dp_analysis__suggest(&analysis->streams[stream].candidate, &search, first);
	if (!status)
		status = run->analysis->explain.status;
	if (!status)
		status = measure_loops(run, base);
	dp_searched__fini(searched);
	free(run->breaks.first);
	run->breaks = (struct dp_breaks){ 0 };
	return status;
}

/*
 * Analyzes a main stream, and alone those of its device that show loops before or after its work
 * and that of each other. -n, --marks and annotated steps are about the main stream's loops, so
 * with them there are no others.
 */
static int analyze_device(struct run *run, uint32_t stream)
{
	size_t marked = run->marked;
	uint32_t next = DP_NONE;
	int status = analyze_stream(run, stream, false);

	do {
		struct dp_loop_search search = search_of(run);
		size_t from = next == DP_NONE ? 0 : (size_t)next + 1;

		search.marked = run->marked > marked;
		if (!status)
			status = dp_analysis__next_apart(&next, run->analysis, &search, stream,
							 from);
		run->searches = search.searches;
		if (!status && next != DP_NONE)
			status = analyze_stream(run, next, true);
	} while (!status && next != DP_NONE);
	return status;
}

/*
 * The paper's main stream of a device, which has most of its kernels; of equals the busiest, then
 * the first. NULL if there are no kernels.
 */
static const struct dp_stream *with_most_kernels(const struct dp_trace *trace, uint32_t device)
{
	struct dp_stream_range range = dp_stream_range__of(trace, device);
	const struct dp_stream *best = NULL, *other;

	for (size_t s = range.first; s < range.end; s++) {
		other = dp_trace_stream(trace, s);
		if (other->kernels > (best ? best->kernels : 0) ||
		    (best && other->kernels == best->kernels && other->busy_ns > best->busy_ns))
			best = other;
	}
	return best;
}

/* Returns true if a stream is to be analyzed. */
static bool is_wanted(struct run *run, const struct dp_stream *stream)
{
	const struct dp_analysis_options *options = run->options;
	const struct dp_device *device = dp_trace_device(run->trace, stream->device);

	if (options->device >= 0 && device->id != options->device)
		return false;
	if (options->stream >= 0)
		return stream->stream == options->stream && stream->kernels;
	if (!options->paper)
		return stream->stream_class == DP_STREAM_MAIN;
	if (run->paper_device != (size_t)stream->device + 1)
		run->paper_stream = with_most_kernels(run->trace, stream->device);
	run->paper_device = (size_t)stream->device + 1;
	return stream == run->paper_stream;
}

/* Returns true if collectives involve other ranks, as far as the sizes of groups are recorded. */
static bool has_peers(const struct dp_analysis *analysis)
{
	for (size_t i = 0; i < analysis->collectives.count; i++)
		if (analysis->collectives.rows[i].group_size != 1)
			return true;
	return false;
}

/*
 * Returns true if a group has more members than the trace has loops that communicate. If the sizes
 * of groups are not recorded, several such loops are taken for all.
 */
static bool has_remote(const struct dp_analysis *analysis, size_t loops)
{
	for (size_t i = 0; i < analysis->collectives.count; i++) {
		uint32_t members = analysis->collectives.rows[i].group_size;

		if (members ? members > loops : loops < 2)
			return true;
	}
	return false;
}

/* Metrics of loops that are not reported are not computed. */
static bool communicates(const struct dp_loop_data *loop)
{
	size_t count = loop->info.iterations;
	const double *comm_ns;

	if (!loop->info.selected || !loop->values.values)
		return false;
	comm_ns = loop->values.values + dp_metric_find("comm_ns") * count;
	for (size_t k = 0; k < count; k++)
		if (comm_ns[k] > 0)
			return true;
	return false;
}

/* Collects the loops that communicate with other ranks. */
static int find_peers(struct dp_peers *out, const struct dp_analysis *analysis)
{
	*out = (struct dp_peers){ .any = has_peers(analysis) };
	if (!out->any)
		return DP_OK;
	out->peers = dp_alloc__array(analysis->loop_count, sizeof(*out->peers));
	if (!out->peers)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < analysis->loop_count; i++) {
		const struct dp_loop_data *loop = &analysis->loops[i];
		const struct dp_replay *replay = &loop->values.replay;

		if (communicates(loop))
			out->peers[out->count++] =
				(struct dp_peer){ loop->info.id, loop->info.device,
						  replay->period_ns,
						  replay->without_ns[DP_REPLAY_PEERS] };
	}
	out->remote = has_remote(analysis, out->count);
	return DP_OK;
}

/* Applies the rules to loops at the selected level, not to the layers inside them. */
static int diagnose(struct run *run)
{
	struct dp_analysis *analysis = run->analysis;
	struct dp_peers peers = { 0 };
	int status = DP_OK;

	analysis->terms = dp_advice__terms(run->trace);
	analysis->hip = dp_advice__is_hip(run->trace);
	for (size_t i = 0; !status && i < analysis->loop_count; i++) {
		struct dp_loop_data *loop = &analysis->loops[i];
		struct dp_rule_input input = {
			.loop = &loop->info,
			.iterations = loop->iterations,
			.resolution_ns = (double)dp_trace_resolution_ns(run->trace),
			.capture_ns = (double)dp_trace_duration_ns(run->trace),
			.replayed = run->trace->replayed,
			.values = loop->values.values,
			.summary = loop->values.summary,
			.thresholds = analysis->thresholds,
			.stalls = &loop->values.stalls,
			.ranges = &loop->values.ranges,
			.stats = &loop->stats,
			.replay = &loop->values.replay,
			.waits = &loop->values.waits,
			.transfers = &loop->values.transfers,
			.terms = analysis->terms,
			.hip = analysis->hip,
		};

		if (!loop->info.selected)
			continue;
		status = dp_diagnose__loop(&analysis->findings, loop->iterations, &input,
					   run->error);
		if (!status)
			status = dp_stretch__judge_single(analysis, loop, run->error);
	}
	if (!status)
		status = dp_stretch__judge_captures(analysis, run->error);
	if (!status)
		status = find_peers(&peers, analysis);
	if (!status)
		dp_diagnose__rank(&analysis->findings, &peers);
	free(peers.peers);
	analysis->diagnosed = !status;
	return status;
}

/*
 * Reports an error if the marks match no range in any stream; streams without a match are only
 * logged.
 */
static int check_marks(const struct run *run)
{
	if (run->streams && !run->marked)
		return dp_analysis__no_marks(run->trace, run->options->marks, run->error);
	for (size_t s = 0; s < dp_trace_stream_count(run->trace); s++) {
		const struct dp_stream *stream = dp_trace_stream(run->trace, s);

		if (dp_analysis_candidate(run->analysis, s))
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
	char seconds[DP_TEXT_SIZE];
	int status = DP_OK;

	for (size_t s = 0; s < dp_trace_stream_count(run->trace); s++)
		run->streams += is_wanted(run, dp_trace_stream(run->trace, s));
	if (run->streams > STREAMS_MOST)
		status = dp_error__set(run->error, DP_ERR_LIMIT,
				       "%zu devices have kernels: at most %d are analyzed at once",
				       run->streams, STREAMS_MOST);
	for (size_t s = 0; !status && s < dp_trace_stream_count(run->trace); s++)
		if (is_wanted(run, dp_trace_stream(run->trace, s)))
			status = analyze_device(run, (uint32_t)s);
	if (!status && !run->streams)
		status = dp_analysis__nothing_wanted(run->trace, options, run->error);
	if (!status && run->streams && !run->kernels)
		status = dp_error__set(
			run->error, DP_ERR_ARGUMENT,
			"no kernels in the range; the capture is %s s long",
			dp_text__fixed(seconds, 1e-9 * (double)dp_trace_duration_ns(run->trace),
				       6));
	if (!status && run->options->marks)
		status = check_marks(run);
	if (!status)
		status = dp_analysis__number_loops(run->analysis);
	return status || run->analysis->asked ? status : diagnose(run);
}

int dp_analysis_run(struct dp_analysis **analysis, const struct dp_trace *trace,
		    const struct dp_analysis_options *options, struct dp_error *error)
{
	struct dp_analysis_options all = DP_ANALYSIS_OPTIONS_INIT;
	struct run run = { .trace = trace, .options = &all, .error = error };
	int status;

	if (dp_options__take(&all, sizeof(all), options, error))
		return DP_ERR_ARGUMENT;
	status = dp_analysis__check_options(&all, error);
	if (status)
		return status;
	run.analysis = dp_alloc__zeroed(1, sizeof(*run.analysis));
	if (!run.analysis)
		return dp_error__nomem(error, 0);
	run.analysis->trace = dp_trace__retain(trace);
	run.analysis->scope =
		(struct dp_scope){ all.device, all.stream, all.range_start_ns, all.range_end_ns };
	run.analysis->streams =
		dp_alloc__zeroed(dp_trace_stream_count(trace), sizeof(*run.analysis->streams));
	status = run.analysis->streams ? dp_analysis__choose_metrics(run.analysis, &all, error)
				       : DP_ERR_NOMEM;
	for (size_t i = 0; i < all.thresholds_count && !status; i++)
		status = dp_analysis__set_threshold(run.analysis,
						    dp_rule_find(all.thresholds[i].rule),
						    all.thresholds[i].share);
	if (!status)
		status = dp_trace_index__init(&run.analysis->index, trace, error);
	if (!status && !run.analysis->asked)
		status = dp_attribution__init(&run.attribution, trace, error);
	if (!status && !run.analysis->asked)
		status = dp_collective_stats__init(&run.analysis->collectives, trace, error);
	run.annotations.regex = all.marks;
	if (!status)
		status = analyze(&run);
	dp_annotations__fini(&run.annotations);
	dp_loads__fini(&run.loads);
	dp_attribution__fini(&run.attribution);
	if (status == DP_ERR_NOMEM)
		dp_error__nomem(error, 0);
	if (status)
		dp_analysis_free(run.analysis);
	else
		*analysis = run.analysis;
	return status;
}
