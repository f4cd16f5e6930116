/* Why a device has no loop, and what is known nevertheless. */
#include "base/text.h"
#include "report/capture.h"
#include "report/text.h"

#include <math.h>

#define NAME_COLUMNS 32

#define LARGE 0.5      /* coverage by which a candidate describes the capture */
#define SMALL 0.25     /* smaller ones do not */
#define TOO_FEW 2      /* kernels of a stream that cannot show a repetition */
#define LIKELY 0.5     /* confidence of what would be listed, but for an annotation */
#define LAYER_LEAST 3  /* kernels of a network's layer: fewer are rarely one */
#define DESCRIBED_MOST 2 /* devices without a loop, unless it is verbose; */
#define NAMED_MOST 4	 /* of the others */

/* Returns true if a stream's class does not distinguish it from other analyzed streams. */
static bool needs_name(const struct dp_trace *trace, size_t index)
{
	return dp_trace_stream(trace, index)->stream_class != DP_STREAM_MAIN &&
	       dp_trace_stream(trace, index)->stream >= 0;
}

bool dp_text__has_range(const struct dp_render *render)
{
	const struct dp_scope *scope = dp_analysis_scope(render->analysis);

	return scope->range_start_ns != INT64_MIN || scope->range_end_ns != INT64_MAX;
}

const char *dp_text__whole(const struct dp_render *render)
{
	return dp_text__has_range(render) ? "range" : "capture";
}

/* Returns false if the capture cannot be measured; render->status is the reason. */
static bool measure(struct dp_capture *capture, struct dp_render *render, uint32_t device)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	int status = dp_capture__measure(capture, trace, dp_analysis_scope(render->analysis),
					 device, render->error);

	if (status)
		render->status = render->status ? render->status : status;
	return !status;
}

static void add_top(struct dp_words *words, struct dp_render *render,
		    const struct dp_capture *capture)
{
	const struct dp_scope *scope = dp_analysis_scope(render->analysis);
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	char name[DP_LABEL_SIZE], number[DP_NUMBER_SIZE];
	const char *names[DP_CAPTURE_TOP];
	size_t places[DP_CAPTURE_TOP];
	int status;

	for (size_t i = 0; i < capture->count; i++)
		names[i] = dp_trace_string(trace, capture->names[i]);
	status = dp_label__tell_apart(places, names, capture->count, NAME_COLUMNS,
				      render->options->ascii);
	if (status)
		render->status = dp_error__nomem(render->error, capture->count);
	if (capture->count && scope->stream >= 0)
		dp_words__add(words, " Most kernel time of stream %lld:", (long long)scope->stream);
	else if (capture->count)
		dp_words__add(words, " Most kernel time:");
	for (size_t i = 0; i < capture->count && !status; i++) {
		dp_label__kernel_at(name, names[i], places[i], NAME_COLUMNS,
				    render->options->ascii);
		dp_words__add(words, "%s %s %s", i ? ";" : "", name,
			      dp_human__share(number, capture->time_ns[i] / capture->kernel_ns));
	}
	dp_words__add(words, capture->count ? "." : "");
}

void dp_text__capture(struct dp_words *words, struct dp_render *render, uint32_t device)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	char name[DP_LABEL_SIZE], number[DP_NUMBER_SIZE];
	struct dp_capture capture;

	if (!measure(&capture, render, device))
		return;
	if (isfinite(capture.idle))
		dp_words__add(words, "%s was idle %s of the %s.",
			      dp_text__device(name, trace, device),
			      dp_human__share(number, capture.idle), dp_text__whole(render));
	add_top(words, render, &capture);
}

void dp_text__top_kernels(struct dp_words *words, struct dp_render *render, uint32_t device)
{
	struct dp_capture capture;

	if (measure(&capture, render, device))
		add_top(words, render, &capture);
}

size_t dp_text__graphs(const struct dp_trace *trace, size_t stream)
{
	const struct dp_ops *ops = dp_trace_ops(trace);
	size_t count, graphs = 0;
	const uint32_t *rows = dp_trace_stream_ops(trace, (uint32_t)stream, &count);

	for (size_t i = 0; i < count; i++)
		graphs += ops->kind[rows[i]] == DP_OP_GRAPH;
	return graphs;
}

/* Returns true if a candidate may be the layers of a pass that makes up most of the capture. */
static bool is_pass(const struct dp_stream_candidate *candidate)
{
	return candidate->layers && candidate->coverage >= SMALL;
}

/* So few kernels are a layer of a network only if they were judged, and are unlikely iterations. */
static bool is_short(const struct dp_stream_candidate *candidate)
{
	return candidate->length < LAYER_LEAST && !isfinite(candidate->confidence);
}

/* They may as well be iterations, or parts of something else. */
static void add_short(struct dp_words *words, const struct dp_stream_candidate *candidate,
		      const char *streams)
{
	char number[DP_NUMBER_SIZE];

	dp_words__add(words, "%s", dp_text__plural(number, candidate->iterations, "repetition"));
	dp_words__add(words, " of %s", dp_text__plural(number, candidate->length, "kernel"));
	dp_words__add(words,
		      " are %s of the %s: iterations of a short loop, or parts of a single pass. ",
		      dp_human__share(number, candidate->coverage), streams);
}

/* The repetitions look like layers, so the capture has no second iteration to compare. */
static void add_layers(struct dp_words *words, const struct dp_render *render,
		       const struct dp_stream_candidate *candidate, const char *streams)
{
	bool sure = candidate->coverage > LARGE && isfinite(candidate->confidence);
	char number[DP_NUMBER_SIZE];

	if (is_short(candidate)) {
		add_short(words, candidate, streams);
		return;
	}
	dp_words__add(words, "The %s %s a single pass through a network: %s",
		      dp_text__whole(render), sure ? "looks like" : "may be",
		      dp_text__plural(number, candidate->iterations, "repetition"));
	dp_words__add(words, " of %s", dp_text__plural(number, candidate->length, "kernel"));
	dp_words__add(words, " (%s of the %s) look%s like its layers",
		      dp_human__share(number, candidate->coverage), streams,
		      candidate->iterations == 1 ? "s" : "");
	if (isfinite(candidate->confidence))
		dp_words__add(words, " (%s confidence that they are iterations)",
			      dp_text__percent(number, candidate->confidence));
	dp_words__add(words, ". ");
}

/* Returns true if repetitions inside a marked iteration are too few for layers or iterations. */
static bool is_too_little(const struct dp_stream_candidate *candidate)
{
	return candidate->single && candidate->confidence >= LIKELY && candidate->coverage <= LARGE;
}

/*
 * A likely loop inside the only marked iteration has not replaced it. It may be the layers of that
 * iteration if it covers most of it.
 */
static void add_inside(struct dp_words *words, const struct dp_stream_candidate *candidate)
{
	char number[DP_NUMBER_SIZE];

	dp_words__add(words, "Inside, %s",
		      dp_text__plural(number, candidate->iterations, "repetition"));
	dp_words__add(words, " of %s", dp_text__plural(number, candidate->length, "kernel"));
	dp_words__add(words, " cover%s %s of it", candidate->iterations == 1 ? "s" : "",
		      dp_human__share(number, candidate->coverage));
	if (!is_too_little(candidate))
		dp_words__add(words,
			      ": its layers, or iterations themselves (%s confidence that they "
			      "are). ",
			      dp_text__percent(number, candidate->confidence));
	else
		dp_words__add(words, ", too little for its layers, or for iterations. ");
}

void dp_text__add_graphs(struct dp_words *words, size_t graphs)
{
	char number[DP_NUMBER_SIZE];

	dp_words__add(words,
		      " %s CUDA graph launch%s recorded as one operation%s; to see the kernels "
		      "inside, record with --cuda-graph=node (nsys: --cuda-graph-trace=node).",
		      dp_label_count(number, sizeof(number), graphs),
		      graphs == 1 ? " is" : "es are", graphs == 1 ? "" : " each");
}

void dp_text__nothing(struct dp_words *words, struct dp_render *render, size_t stream)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	const struct dp_stream_candidate *candidate =
		dp_analysis_candidate(render->analysis, stream);
	char number[DP_NUMBER_SIZE], streams[DP_NUMBER_SIZE] = "stream";
	size_t graphs = dp_text__graphs(trace, stream);

	if (candidate->streams > 1)
		dp_text__plural(streams, candidate->streams, "stream");
	if (candidate->single)
		dp_words__add(words,
			      "An annotation marks nearly all of the %s as a single iteration. ",
			      streams);
	if (candidate->kernels <= TOO_FEW) {
		dp_words__add(words, "Its %s %s only %s: too few to show a loop. ", streams,
			      candidate->streams > 1 ? "have" : "has",
			      dp_text__plural(number, candidate->kernels, "kernel"));
	} else if (candidate->confidence >= LIKELY && candidate->single) {
		add_inside(words, candidate);
	} else if (is_pass(candidate)) {
		add_layers(words, render, candidate, streams);
	} else if (candidate->length) {
		dp_words__add(words, "The best candidate has %s",
			      dp_text__plural(number, candidate->length, "kernel"));
		dp_words__add(words, " and covers %s of the %s",
			      dp_human__share(number, candidate->coverage), streams);
		dp_words__add(words, " (%s confidence: too low to report). ",
			      dp_text__percent(number, candidate->confidence));
	} else if (candidate->suggested) {
		dp_words__add(words, "On its %s, one kernel runs up to %s times in a row. ",
			      streams, dp_text__count(number, candidate->in_row));
	} else {
		dp_words__add(words, "No part of its %s repeats often and regularly enough. ",
			      streams);
	}
	dp_text__capture(words, render, dp_trace_stream(trace, stream)->device);
	if (candidate->suggested && !candidate->length)
		dp_words__add(words,
			      " If each launch of such a row is an iteration, pass the number of "
			      "launches, such as -n %zu.",
			      candidate->suggested);
	else if (candidate->suggested && !is_too_little(candidate))
		dp_words__add(words,
			      " If each of the %s repetitions is an iteration%s, pass -n %zu.",
			      dp_text__count(number, candidate->iterations),
			      is_short(candidate) ? "" : ", and not a layer of a network",
			      candidate->suggested);
	if (graphs)
		dp_text__add_graphs(words, graphs);
}

/* Returns true if the trace has host ranges that are not a framework's operators. */
static bool has_annotations(const struct dp_render *render)
{
	const struct dp_ranges *ranges = dp_trace_ranges(dp_analysis_trace(render->analysis));

	for (size_t i = 0; i < ranges->count; i++)
		if (ranges->kind[i] != DP_RANGE_OPERATOR)
			return true;
	return false;
}

const char *dp_text__nothing_advice(const struct dp_render *render, size_t stream)
{
	/* for a single pass, and by what annotations there are: used ones, none, others */
	static const char *const advice[][3] = {
		{ "If you know the number of iterations, pass it (-n N); or record a longer part "
		  "of the run.",
		  "If you know the number of iterations, pass it (-n N); or record a longer part "
		  "of the run, or one with annotations (--marks).",
		  "If you know the number of iterations, pass it (-n N), or name annotations "
		  "around them, if there are any (--marks); or record a longer part of the run." },
		{ "Record several iterations, so that the whole pass repeats. If it does already, "
		  "pass their number (-n N).",
		  "Record several iterations, so that the whole pass repeats. If it does already, "
		  "pass their number (-n N), or record it with annotations (--marks).",
		  "Record several iterations, so that the whole pass repeats. If it does already, "
		  "pass their number (-n N), or name annotations around them, if there are any "
		  "(--marks)." },
	};
	const struct dp_stream_candidate *candidate =
		dp_analysis_candidate(render->analysis, stream);

	if (candidate->kernels <= TOO_FEW)
		return "Record a longer part of the run.";
	if (candidate->counted)
		return "No likely loop has the number of iterations that -n gives: record a longer "
		       "part of the run, or one with annotations (--marks).";
	return advice[is_pass(candidate) && !is_short(candidate)]
		     [candidate->marked ? 0 : 1 + has_annotations(render)];
}

static void write_nothing(struct dp_render *render, size_t stream)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	char name[DP_LABEL_SIZE];
	struct dp_words words = { 0 };

	dp_text__style_begin(render, DP_STYLE_YELLOW);
	dp_render__format(render, "\nNo stable iteration found on %s",
			  dp_text__device(name, trace, dp_trace_stream(trace, stream)->device));
	if (needs_name(trace, stream))
		dp_render__format(render, ", stream %lld",
				  (long long)dp_trace_stream(trace, stream)->stream);
	dp_render__text(render, ".");
	dp_text__style_end(render);
	dp_render__text(render, "\n  ");
	dp_text__nothing(&words, render, stream);
	dp_text__wrap(render, 2, 2, words.text);
	dp_render__text(render, "  ");
	dp_text__wrap(render, 2, 2, dp_text__nothing_advice(render, stream));
}

/* Names devices without a loop that are not described. */
static void write_named(struct dp_render *render, const size_t *streams, size_t count, size_t more)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	struct dp_words words = { 0 };
	char name[DP_LABEL_SIZE];

	dp_words__add(&words, "No stable iteration found on ");
	for (size_t i = 0; i < count; i++) {
		const struct dp_stream *stream = dp_trace_stream(trace, streams[i]);

		dp_words__add(&words, "%s%s",
			      !i		      ? ""
			      : i + 1 < count || more ? ", "
						      : " and ",
			      dp_text__device(name, trace, stream->device));
		if (needs_name(trace, streams[i]))
			dp_words__add(&words, " (stream %lld)", (long long)stream->stream);
	}
	if (more)
		dp_words__add(&words, " and %zu more", more);
	dp_words__add(&words, " either.");
	dp_render__text(render, "\n");
	dp_text__wrap(render, 0, 0, words.text);
}

void dp_text__without(struct dp_render *render)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	size_t loops = dp_analysis_loop_count(render->analysis), shown = 0;
	size_t named[NAMED_MOST], count = 0;

	for (size_t i = 0; i < dp_trace_stream_count(trace); i++) {
		const struct dp_stream_candidate *candidate =
			dp_analysis_candidate(render->analysis, i);

		if (!candidate || (loops && !candidate->length))
			continue;
		if (shown++ < DESCRIBED_MOST || render->options->verbose)
			write_nothing(render, i);
		else if (count < NAMED_MOST)
			named[count++] = i;
	}
	if (count)
		write_named(render, named, count, shown - DESCRIBED_MOST - count);
	if (shown && !loops && !dp_analysis_finding_count(render->analysis))
		dp_text__clean(render);
	if (!shown && !loops)
		dp_render__text(render, "\nNo kernels: there are no iterations to find.\n");
}
