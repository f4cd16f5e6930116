/* Accessors of a finished analysis. */
#include "analysis_model.h"
#include "activity/gaps.h"
#include "activity/slices.h"

#include <math.h>

const char *dp_found_by_name(enum dp_found_by found_by)
{
	static const char *const names[] = { [DP_FOUND_BY_COUNT] = "count",
					     [DP_FOUND_BY_MARKS] = "marks",
					     [DP_FOUND_BY_AUTO] = "auto" };

	return (size_t)found_by < DP_COUNT(names) ? names[found_by] : "auto";
}

const char *dp_phase_name(enum dp_phase_evidence phase)
{
	static const char *const names[] = {
		[DP_PHASE_NONE] = "none",
		[DP_PHASE_KERNEL_GAP] = "kernel-gap",
		[DP_PHASE_FINISH_KERNEL] = "finish-kernel",
		[DP_PHASE_INPUT_COPY] = "input-copy",
		[DP_PHASE_LAUNCH_GAP] = "launch-gap",
		[DP_PHASE_FIRST_LAUNCH] = "first-launch",
		[DP_PHASE_COMPLETE] = "complete",
		[DP_PHASE_MARKS] = "marks",
	};

	return (size_t)phase < DP_COUNT(names) ? names[phase] : "none";
}

const struct dp_trace *dp_analysis_trace(const struct dp_analysis *analysis)
{
	return analysis->trace;
}

const struct dp_scope *dp_analysis_scope(const struct dp_analysis *analysis)
{
	return &analysis->scope;
}

bool dp_analysis_is_diagnosed(const struct dp_analysis *analysis)
{
	return analysis->diagnosed;
}

double dp_analysis_threshold(const struct dp_analysis *analysis, size_t rule)
{
	const struct dp_rule_info *info = dp_rule(rule);

	if (!info)
		return (double)NAN;
	return analysis->thresholds ? analysis->thresholds[rule] : info->threshold;
}

size_t dp_analysis_loop_count(const struct dp_analysis *analysis)
{
	return analysis->loop_count;
}

static const struct dp_loop_data *loop_at(const struct dp_analysis *analysis, size_t loop)
{
	return loop < analysis->loop_count ? &analysis->loops[loop] : NULL;
}

const struct dp_loop *dp_analysis_loop(const struct dp_analysis *analysis, size_t loop)
{
	const struct dp_loop_data *at = loop_at(analysis, loop);

	return at ? &at->info : NULL;
}

const char *dp_analysis_loop_kernel(const struct dp_analysis *analysis, size_t loop, size_t index)
{
	const struct dp_loop_data *at = loop_at(analysis, loop);

	return at && index < at->info.length ? dp_trace_string(analysis->trace, at->kernels[index])
					     : "";
}

const struct dp_iteration *dp_analysis_loop_iteration(const struct dp_analysis *analysis,
						      size_t loop, size_t iteration)
{
	const struct dp_loop_data *at = loop_at(analysis, loop);

	return at && iteration < at->info.iterations ? &at->iterations[iteration] : NULL;
}

/* The next iteration, if no other kernels and no interruption of recording are in between. */
static const struct dp_iteration *next_to(const struct dp_loop_data *loop, size_t iteration)
{
	const struct dp_iteration *next = &loop->iterations[iteration] + 1;

	if (iteration + 1 >= loop->info.iterations || next->resumed || next->foreign_kernels)
		return NULL;
	return next;
}

bool dp_analysis_loop_is_steady(const struct dp_analysis *analysis, size_t loop, size_t iteration)
{
	const struct dp_loop_data *at = loop_at(analysis, loop);
	const struct dp_iteration *now;

	if (!at || iteration >= at->info.iterations)
		return false;
	now = &at->iterations[iteration];
	return !now->partial && !now->warmup && next_to(at, iteration);
}

const struct dp_edit *dp_analysis_loop_edit(const struct dp_analysis *analysis, size_t loop,
					    size_t edit)
{
	const struct dp_loop_data *at = loop_at(analysis, loop);

	return at && edit < at->edit_count ? &at->edits[edit] : NULL;
}

const struct dp_variant *dp_analysis_loop_variant(const struct dp_analysis *analysis, size_t loop,
						  size_t variant)
{
	const struct dp_loop_data *at = loop_at(analysis, loop);

	return at && variant < at->info.variants ? &at->variants[variant] : NULL;
}

const struct dp_explanation *dp_analysis_explanation(const struct dp_analysis *analysis,
						     size_t index)
{
	return index < analysis->explain.count ? &analysis->explain.entries[index] : NULL;
}

const struct dp_stream_candidate *dp_analysis_candidate(const struct dp_analysis *analysis,
							size_t stream)
{
	if (stream >= dp_trace_stream_count(analysis->trace) || !analysis->streams[stream].analyzed)
		return NULL;
	for (size_t i = 0; i < analysis->loop_count; i++)
		if (analysis->loops[i].info.stream == stream)
			return NULL;
	return &analysis->streams[stream].candidate;
}

bool dp_analysis_loop_has_stream(const struct dp_analysis *analysis, size_t loop, size_t stream)
{
	const struct dp_loop_data *at = loop_at(analysis, loop);

	return at && stream < dp_trace_stream_count(analysis->trace) &&
	       (stream == at->info.stream ||
		analysis->streams[stream].with == (size_t)at->info.stream + 1);
}

int dp_analysis_loop_operations(const struct dp_analysis *analysis, size_t loop, uint32_t **ops,
				size_t *count, struct dp_error *error)
{
	const struct dp_ops *all = dp_trace_ops(analysis->trace);
	const struct dp_loop_data *at = loop_at(analysis, loop);
	const struct dp_scope *scope = &analysis->scope;
	uint32_t *rows;
	size_t n = 0;

	if (!at)
		return dp_error__set(error, DP_ERR_ARGUMENT, "no loop has number %zu", loop);
	rows = dp_alloc__array(all->count, sizeof(*rows));
	for (uint32_t i = 0; rows && i < all->count; i++)
		if (dp_op_is_kernel(all->kind[i]) && all->start_ns[i] >= scope->range_start_ns &&
		    all->start_ns[i] < scope->range_end_ns &&
		    dp_analysis_loop_has_stream(analysis, loop, all->stream[i]))
			rows[n++] = i;
	if (!rows || (analysis->streams[at->info.stream].by_launch &&
		      dp_stream_group__by_launch(rows, n, analysis->trace))) {
		free(rows);
		return dp_error__nomem(error, dp_size__mul(all->count, sizeof(*rows)));
	}
	*ops = rows;
	*count = n;
	return DP_OK;
}

const double *dp_analysis_loop_metric_values(const struct dp_analysis *analysis, size_t loop,
					     size_t metric)
{
	const struct dp_loop_data *at = loop_at(analysis, loop);

	return at && dp_metric(metric) ? dp_metric_values__row(&at->values, metric) : NULL;
}

double dp_analysis_loop_metric(const struct dp_analysis *analysis, size_t loop, size_t metric,
			       size_t iteration)
{
	const double *row = dp_analysis_loop_metric_values(analysis, loop, metric);

	return row && iteration < analysis->loops[loop].info.iterations ? row[iteration]
									: (double)NAN;
}

bool dp_analysis_loop_has_metric(const struct dp_analysis *analysis, size_t loop, size_t metric)
{
	return dp_analysis_loop_metric_values(analysis, loop, metric);
}

double dp_analysis_loop_summary(const struct dp_analysis *analysis, size_t loop, size_t metric)
{
	const struct dp_loop_data *at = loop_at(analysis, loop);

	/* An analysis that is read has only those of its report. */
	if (!at || !at->values.summary || !dp_summary_metric(metric))
		return (double)NAN;
	return at->values.summary[metric];
}

size_t dp_analysis_finding_count(const struct dp_analysis *analysis)
{
	return analysis->findings.count;
}

const struct dp_finding *dp_analysis_finding(const struct dp_analysis *analysis, size_t finding)
{
	return finding < analysis->findings.count ? &analysis->findings.findings[finding].finding
						  : NULL;
}

bool dp_finding_concerns(const struct dp_finding *finding, uint32_t loop)
{
	for (size_t i = 0; i < finding->loop_count; i++)
		if (finding->loops[i] == loop)
			return true;
	return false;
}

double dp_finding_cost(const struct dp_finding *finding, uint32_t loop)
{
	for (size_t i = 0; i < finding->loop_count; i++)
		if (finding->loops[i] == loop)
			return finding->costs_ns[i];
	return (double)NAN;
}

static const struct dp_time_stat *stat_at(const struct dp_time_stats *stats, size_t index)
{
	return index < stats->count ? &stats->stats[index] : NULL;
}

const struct dp_time_stat *dp_analysis_loop_kernel_stat(const struct dp_analysis *analysis,
							size_t loop, size_t index)
{
	const struct dp_loop_data *at = loop_at(analysis, loop);

	return at ? stat_at(&at->stats.kernels, index) : NULL;
}

const struct dp_time_stat *dp_analysis_loop_operator_stat(const struct dp_analysis *analysis,
							  size_t loop, size_t index)
{
	const struct dp_loop_data *at = loop_at(analysis, loop);

	return at ? stat_at(&at->stats.operators, index) : NULL;
}

const struct dp_time_stat *dp_analysis_loop_position_stat(const struct dp_analysis *analysis,
							  size_t loop, size_t index)
{
	const struct dp_loop_data *at = loop_at(analysis, loop);

	return at ? stat_at(&at->stats.positions, index) : NULL;
}

const struct dp_host_range *dp_analysis_loop_host_range(const struct dp_analysis *analysis,
							size_t loop, size_t index)
{
	const struct dp_loop_data *at = loop_at(analysis, loop);

	return at && index < at->values.ranges.count ? &at->values.ranges.ranges[index] : NULL;
}

const struct dp_stream_wait *dp_analysis_loop_stream_wait(const struct dp_analysis *analysis,
							  size_t loop, size_t index)
{
	const struct dp_loop_data *at = loop_at(analysis, loop);

	return at && index < at->values.waits.count ? &at->values.waits.waits[index].info : NULL;
}

const struct dp_path_stat *dp_analysis_loop_path_stat(const struct dp_analysis *analysis,
						      size_t loop, size_t index)
{
	const struct dp_loop_data *at = loop_at(analysis, loop);

	return at && index < at->values.replay.path_count ? &at->values.replay.path[index] : NULL;
}

size_t dp_analysis_loop_path_iterations(const struct dp_analysis *analysis, size_t loop,
					size_t *first)
{
	const struct dp_loop_data *at = loop_at(analysis, loop);

	if (!at || !at->values.replay.path_count)
		return 0;
	*first = at->values.replay.path_first;
	return at->values.replay.path_end - at->values.replay.path_first;
}

const struct dp_collective_stat *dp_analysis_collective(const struct dp_analysis *analysis,
							size_t index)
{
	return index < analysis->collectives.count ? &analysis->collectives.rows[index] : NULL;
}

const char *dp_path_part_name(enum dp_path_part part)
{
	static const char *const names[] = { "compute", "communication", "copies",
					     "host",	"calls",	 "launch" };

	return (size_t)part < DP_COUNT(names) ? names[part] : "host";
}

const char *dp_host_activity_name(enum dp_host_activity activity)
{
	static const char *const names[] = { "wait", "input", "sync", "wait_sampled",
					     "input_sampled" };

	return (size_t)activity < DP_COUNT(names) ? names[activity] : "wait";
}

int dp_analysis_foreach_idle(const struct dp_analysis *analysis, uint32_t device, int64_t start_ns,
			     int64_t end_ns, int (*each)(void *ctx, const struct dp_idle *idle),
			     void *ctx, struct dp_error *error)
{
	struct dp_idle_window window = { &analysis->index, device, start_ns, end_ns };

	return dp_idle__foreach(&window, each, ctx, error);
}

int dp_analysis_utilization(const struct dp_analysis *analysis, uint32_t device, int64_t start_ns,
			    int64_t end_ns, double *shares, size_t count, struct dp_error *error)
{
	struct dp_device_timeline timeline = { 0 };
	int status = dp_device_timeline__init(&timeline, &analysis->index, device, error);

	if (!status)
		dp_slices__busy(shares, count, &timeline, start_ns, end_ns);
	for (size_t i = 0; i < count && !status; i++)
		shares[i] *= end_ns > start_ns ? (double)count / (double)(end_ns - start_ns) : 0;
	dp_device_timeline__fini(&timeline);
	return status;
}

const char *dp_severity_name(enum dp_severity severity)
{
	static const char *const names[] = { "info", "warning", "critical" };

	return (size_t)severity < DP_COUNT(names) ? names[severity] : "info";
}

const char *dp_idle_cause_name(enum dp_idle_cause cause)
{
	static const char *const names[] = { "host", "sync", "copy", "launch", "other" };

	return (size_t)cause < DP_COUNT(names) ? names[cause] : "other";
}
