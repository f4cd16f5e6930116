/*
 * Judges what has no second iteration to compare with: the only whole iteration of a loop, and the
 * captures of devices without a loop. Each is one stretch of time, measured like an iteration.
 */
#include "analysis_model.h"
#include "trace/model.h"

#include <math.h>

void dp_stretch__fini(struct dp_stretch *stretch)
{
	dp_metric_values__fini(&stretch->values);
}

static void set_span(struct dp_stretch *stretch, int64_t start_ns, int64_t end_ns)
{
	stretch->span[0] = (struct dp_iteration){ .start_ns = start_ns, .end_ns = end_ns };
	stretch->span[1] = (struct dp_iteration){
		.index = 1, .start_ns = end_ns, .end_ns = end_ns, .partial = true
	};
}

/* The only whole iteration; NULL if there is none, or more than one. */
static const struct dp_iteration *only_whole(const struct dp_loop_data *loop)
{
	const struct dp_iteration *only = NULL;

	for (size_t k = 0; k < loop->info.iterations && loop->info.complete == 1; k++)
		if (!loop->iterations[k].partial)
			only = &loop->iterations[k];
	return only;
}

static bool has_period(const struct dp_loop_data *loop)
{
	const double *period_ns = dp_metric_values__row(&loop->values, dp_metric_find("period_ns"));

	for (size_t k = 0; k < loop->info.iterations; k++)
		if (!isnan(period_ns[k]))
			return true;
	return false;
}

int dp_stretch__measure_single(struct dp_stretch *stretch, const struct dp_loop_data *loop,
			       const struct dp_metric_input *input, struct dp_error *error)
{
	const struct dp_iteration *only = only_whole(loop);
	struct dp_metric_input single = *input;

	if (!only || has_period(loop) || only->end_ns <= only->start_ns)
		return DP_OK;
	set_span(stretch, only->start_ns, only->end_ns);
	stretch->span[0].first_kernel = only->first_kernel;
	stretch->span[0].kernels = only->kernels;
	single.iterations = stretch->span;
	single.count = 2;
	single.stretch = true;
	return dp_metric__compute_all(&stretch->values, &single, error);
}

/* The metrics of a stretch as input for rules. */
static struct dp_rule_input rule_input(const struct dp_stretch *stretch, const struct dp_loop *loop,
				       const struct dp_analysis *analysis)
{
	return (struct dp_rule_input){
		.loop = loop,
		.iterations = stretch->span,
		.values = stretch->values.values,
		.summary = stretch->values.summary,
		.thresholds = analysis->thresholds,
		.stalls = &stretch->values.stalls,
		.ranges = &stretch->values.ranges,
		.transfers = &stretch->values.transfers,
		.replayed = analysis->trace->replayed,
		.terms = analysis->terms,
		.hip = analysis->hip,
	};
}

int dp_stretch__judge_single(struct dp_analysis *analysis, const struct dp_loop_data *loop,
			     struct dp_error *error)
{
	struct dp_loop info = loop->info;
	struct dp_rule_input input;

	if (!loop->single.values.values)
		return DP_OK;
	info.iterations = 2;
	input = rule_input(&loop->single, &info, analysis);
	input.scope = DP_SCOPE_ITERATION;
	input.first_iteration = only_whole(loop)->index;
	input.stats = &loop->stats;
	return dp_diagnose__loop(&analysis->findings, NULL, &input, error);
}

/* From a device's first operation to the end of its last, within the requested range. */
static bool find_capture(struct dp_stretch *stretch, const struct dp_device_timeline *timeline,
			 const struct dp_scope *scope)
{
	const struct dp_ops *ops = dp_trace_ops(timeline->trace);
	int64_t start_ns = INT64_MAX, end_ns = INT64_MIN;

	for (size_t i = 0; i < timeline->count; i++) {
		size_t op = timeline->rows[i];

		start_ns = DP_MIN(start_ns, ops->start_ns[op]);
		end_ns = DP_MAX(end_ns, ops->end_ns[op]);
	}
	start_ns = DP_MAX(start_ns, scope->range_start_ns);
	end_ns = DP_MIN(end_ns, scope->range_end_ns);
	if (start_ns < end_ns)
		set_span(stretch, start_ns, end_ns);
	return start_ns < end_ns;
}

static bool is_paused(const struct dp_trace *trace, uint32_t device, const struct dp_stretch *at)
{
	uint32_t process = dp_trace_device(trace, device)->process;
	const struct dp_pause *pause;

	for (size_t i = 0; (pause = dp_trace_pause(trace, i)); i++)
		if (pause->process == process && pause->start_ns < at->span[0].end_ns &&
		    pause->end_ns > at->span[0].start_ns)
			return true;
	return false;
}

/* Returns true for a kernel that starts in a stretch. */
static bool starts_in(const struct dp_stretch *stretch, const struct dp_ops *ops, uint32_t op)
{
	return dp_op_is_kernel(ops->kind[op]) && ops->start_ns[op] >= stretch->span[0].start_ns &&
	       ops->start_ns[op] < stretch->span[0].end_ns;
}

/* Collects the kernels of a stream that start in a stretch. */
static int gather_kernels(uint32_t **kernels, struct dp_stretch *stretch,
			  const struct dp_metric_input *input)
{
	const struct dp_ops *ops = dp_trace_ops(input->trace);
	size_t count, used = 0;
	const uint32_t *rows = dp_trace_stream_ops(input->trace, input->stream, &count);

	*kernels = dp_alloc__array(count, sizeof(**kernels));
	if (!*kernels)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < count; i++)
		if (starts_in(stretch, ops, rows[i]))
			(*kernels)[used++] = rows[i];
	stretch->span[0].kernels = used;
	return DP_OK;
}

/*
 * Finds the call of a launching thread that takes most of the longest gap, and what ends that gap.
 */
static void name_longest_gap(struct dp_rule_slices *slices,
			     const struct dp_device_timeline *timeline)
{
	const struct dp_calls *calls = dp_trace_calls(timeline->trace);
	const struct dp_ops *ops = dp_trace_ops(timeline->trace);
	int64_t start_ns = slices->gaps.longest_start_ns;
	int64_t end_ns = start_ns + (int64_t)slices->gaps.longest_ns;

	slices->before = slices->call = NULL;
	slices->call_ns = slices->launched_ns = 0;
	slices->call_kind = DP_CALL_OTHER;
	if (slices->gaps.longest_before != SIZE_MAX) {
		uint32_t launch = ops->call[slices->gaps.longest_before];

		slices->before =
			dp_trace_string(timeline->trace, ops->name[slices->gaps.longest_before]);
		if (launch != DP_NONE && calls->end_ns[launch] < end_ns)
			slices->launched_ns =
				(double)(end_ns - DP_MAX(start_ns, calls->end_ns[launch]));
	}
	for (size_t i = 0; i < timeline->call_count; i++) {
		size_t call = timeline->calls[i];
		double in_gap_ns = (double)(DP_MIN(calls->end_ns[call], end_ns) -
					    DP_MAX(calls->start_ns[call], start_ns));

		if (in_gap_ns <= slices->call_ns)
			continue;
		slices->call_ns = in_gap_ns;
		slices->call_kind = calls->kind[call];
		slices->call = dp_trace_string(timeline->trace, calls->name[call]);
	}
}

/* Measures equal slices of time, for rules about the device as a whole. */
static void measure_slices(struct dp_rule_slices *slices, const struct dp_stretch *stretch,
			   const struct dp_device_timeline *timeline)
{
	int64_t start_ns = stretch->span[0].start_ns, end_ns = stretch->span[0].end_ns;

	slices->length_ns = (double)(end_ns - start_ns) / DP_RULE_SLICES;
	slices->operations = timeline->count;
	dp_slices__busy(slices->busy_ns, DP_RULE_SLICES, timeline, start_ns, end_ns);
	dp_slices__gaps(&slices->gaps, timeline, start_ns, end_ns, DP_LONG_GAP_NS);
	name_longest_gap(slices, timeline);
}

/* The kernels of a device that start in a stretch, whatever their stream. */
static size_t count_kernels(const struct dp_device_timeline *timeline,
			    const struct dp_stretch *stretch)
{
	size_t count = 0;

	for (size_t i = 0; i < timeline->count; i++)
		count += starts_in(stretch, dp_trace_ops(timeline->trace), timeline->rows[i]);
	return count;
}

static int judge_capture(struct dp_analysis *analysis, uint32_t stream, struct dp_error *error)
{
	uint32_t device = dp_trace_stream(analysis->trace, stream)->device;
	struct dp_loop none = { .id = DP_NONE,
				.device = device,
				.stream = stream,
				.confidence = 1,
				.iterations = 2,
				.complete = 1 };
	struct dp_metric_input metrics = { .trace = analysis->trace,
					   .device = device,
					   .stream = stream,
					   .count = 2,
					   .stretch = true };
	struct dp_stretch stretch = { .values = { 0 } };
	struct dp_rule_slices slices;
	struct dp_rule_input input;
	struct dp_device_timeline timeline = { 0 };
	uint32_t *kernels = NULL;
	int status = dp_device_timeline__init(&timeline, &analysis->index, device, error);

	if (status || !find_capture(&stretch, &timeline, &analysis->scope) ||
	    is_paused(analysis->trace, device, &stretch) ||
	    count_kernels(&timeline, &stretch) < DP_CAPTURE_KERNELS)
		goto out;
	status = gather_kernels(&kernels, &stretch, &metrics);
	if (status)
		goto out;
	metrics.iterations = stretch.span;
	metrics.ops = kernels;
	metrics.op_count = stretch.span[0].kernels;
	metrics.timeline = &timeline;
	status = dp_metric__compute_all(&stretch.values, &metrics, error);
	if (status)
		goto out;
	measure_slices(&slices, &stretch, &timeline);
	input = rule_input(&stretch, &none, analysis);
	input.scope = DP_SCOPE_CAPTURE;
	input.slices = &slices;
	status = dp_diagnose__loop(&analysis->findings, NULL, &input, error);
out:
	free(kernels);
	dp_stretch__fini(&stretch);
	dp_device_timeline__fini(&timeline);
	return status;
}

static bool has_loop(const struct dp_analysis *analysis, uint32_t device)
{
	for (size_t i = 0; i < analysis->loop_count; i++)
		if (analysis->loops[i].info.selected && analysis->loops[i].info.device == device)
			return true;
	return false;
}

int dp_stretch__judge_captures(struct dp_analysis *analysis, struct dp_error *error)
{
	uint32_t last = DP_NONE;
	int status = DP_OK;

	for (uint32_t s = 0; s < dp_trace_stream_count(analysis->trace) && !status; s++) {
		uint32_t device = dp_trace_stream(analysis->trace, s)->device;

		/* the first analyzed stream of a device represents it */
		if (!analysis->streams[s].analyzed || device == last)
			continue;
		last = device;
		if (!has_loop(analysis, device))
			status = judge_capture(analysis, s, error);
	}
	return status;
}
