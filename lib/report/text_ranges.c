/* What the host did while the GPU was idle, and where it waited, in the verbose text report. */
#include "base/text.h"
#include "report/text.h"

#include <stdio.h>
#include <string.h>

#define ROWS_MOST 10
#define NUMBERS 20 /* columns before a name */
#define PATH_NUMBERS 35
#define WAIT_COLUMNS 40
#define BANDWIDTHS 96 /* columns from which on both bandwidths fit */

/* The share of the period from which on a wait is shown without -v: where costs become warnings. */
#define LEAST_WAIT 0.05

static const char *const titles[] = {
	[DP_HOST_WAIT] = "during host wait",
	[DP_HOST_INPUT] = "during input wait",
	[DP_HOST_SYNC] = "synchronized in",
	[DP_HOST_WAIT_SAMPLED] = "running in host wait (samples)",
	[DP_HOST_INPUT_SAMPLED] = "running in input wait (samples)",
};

/* Fewer samples do not show a share; findings need as many (DP_SAMPLES_LEAST). */
#define SAMPLES_LEAST 20

/* Whether an activity's functions were sampled, but too few times. */
static bool is_hardly_sampled(struct dp_render *render, size_t loop, enum dp_host_activity activity)
{
	const struct dp_host_range *at;
	double samples = 0;

	for (size_t i = 0; (at = dp_analysis_loop_host_range(render->analysis, loop, i)); i++)
		if (at->activity == activity)
			samples += at->calls;
	return activity >= DP_HOST_WAIT_SAMPLED && samples < SAMPLES_LEAST;
}

static double sum_of(const struct dp_render *render, size_t loop, enum dp_host_activity activity)
{
	const struct dp_host_range *at;
	double sum_ns = 0;

	for (size_t i = 0; (at = dp_analysis_loop_host_range(render->analysis, loop, i)); i++)
		if (at->activity == activity && !at->inner)
			sum_ns += at->typical_ns;
	return sum_ns;
}

static void write_row(struct dp_render *render, const struct dp_host_range *at, double sum_ns)
{
	size_t width = ((struct dp_text *)render->state)->width;
	size_t room = DP_MAX(width, NUMBERS + 20) - NUMBERS;
	char number[DP_NUMBER_SIZE], label[DP_LABEL_SIZE];
	bool ascii = render->options->ascii;

	dp_text__column(render, dp_human__share(number, at->typical_ns / sum_ns), -7);
	dp_text__cell(render, dp_human__duration(number, at->typical_ns, ascii), 11);
	dp_render__format(render, "  %s\n",
			  at->activity < DP_HOST_WAIT_SAMPLED
				  ? dp_text__range(label, render, at->outer, room)
				  : dp_label__kernel(label, at->outer, room, ascii));
}

/* Writes the title of a table and, if that fits, the sum that its shares are of. */
static void write_head(struct dp_render *render, enum dp_host_activity activity, double sum_ns)
{
	size_t width = ((struct dp_text *)render->state)->width;
	char number[DP_NUMBER_SIZE];
	struct dp_words sum = { 0 };

	dp_words__add(&sum, " (%s in all)",
		      dp_human__duration(number, sum_ns, render->options->ascii));
	dp_text__style_begin(render, DP_STYLE_DIM);
	dp_render__format(render, "\n%7s%11s  %s", "share", "iteration", titles[activity]);
	if (NUMBERS + strlen(titles[activity]) + dp_label_width(sum.text) <= width)
		dp_render__text(render, sum.text);
	dp_text__style_end(render);
	dp_render__text(render, "\n");
}

static void write_activity(struct dp_render *render, size_t loop, enum dp_host_activity activity)
{
	double sum_ns = sum_of(render, loop, activity);
	const struct dp_host_range *at;
	size_t shown = 0, more = 0;
	char number[DP_NUMBER_SIZE];

	if (is_hardly_sampled(render, loop, activity))
		return;
	for (size_t i = 0;
	     sum_ns > 0 && (at = dp_analysis_loop_host_range(render->analysis, loop, i)); i++) {
		if (at->activity != activity || at->inner || !(at->typical_ns > 0))
			continue;
		if (shown >= ROWS_MOST && !render->options->all) {
			more++;
			continue;
		}
		if (!shown++)
			write_head(render, activity, sum_ns);
		write_row(render, at, sum_ns);
	}
	if (more)
		dp_render__format(render, "and %s (-vv shows all)\n",
				  dp_text__plural(number, more,
						  activity < DP_HOST_WAIT_SAMPLED
							  ? "more range"
							  : "more function"));
}

char *dp_text__path_iterations(char buf[DP_NUMBER_SIZE], const struct dp_render *render,
			       size_t loop)
{
	size_t first = 0, count = dp_analysis_loop_path_iterations(render->analysis, loop, &first);
	char one[DP_TEXT_SIZE], other[DP_TEXT_SIZE];

	dp_text__count(one, first);
	if (count > 1)
		snprintf(buf, DP_NUMBER_SIZE, "iterations %.20s to %.20s", one,
			 dp_text__count(other, first + count - 1));
	else
		snprintf(buf, DP_NUMBER_SIZE, "iteration %.20s", one);
	return buf;
}

const char *dp_text__path_part(const struct dp_render *render, enum dp_path_part part)
{
	if (part == DP_PATH_HOST)
		return "host up to";
	if (part != DP_PATH_LAUNCH)
		return dp_path_part_name(part);
	return dp_trace_lacks(dp_analysis_trace(render->analysis), DP_NEED_LAUNCHES)
		       ? "idle up to"
		       : "launch up to";
}

static void write_path_head(struct dp_render *render, size_t loop)
{
	char range[DP_NUMBER_SIZE];

	dp_text__style_begin(render, DP_STYLE_DIM);
	dp_render__format(render, "\n%7s%11s  critical path of %s\n", "share", "mean",
			  dp_text__path_iterations(range, render, loop));
	dp_text__style_end(render);
}

/*
 * Writes the critical path of an iteration, step by step: only shorter steps on it shorten the
 * iteration.
 */
static void write_path(struct dp_render *render, size_t loop)
{
	size_t width = ((struct dp_text *)render->state)->width, more = 0;
	const struct dp_path_stat *at;
	char number[DP_NUMBER_SIZE], label[DP_LABEL_SIZE];
	bool ascii = render->options->ascii;
	double sum_ns = 0;

	for (size_t i = 0; (at = dp_analysis_loop_path_stat(render->analysis, loop, i)); i++)
		sum_ns += at->ns;
	for (size_t i = 0; (at = dp_analysis_loop_path_stat(render->analysis, loop, i)); i++) {
		if (i >= ROWS_MOST && !render->options->all) {
			more++;
			continue;
		}
		if (!i)
			write_path_head(render, loop);
		dp_text__column(render, dp_human__share(number, at->ns / sum_ns), -7);
		dp_text__cell(render, dp_human__duration(number, at->ns, ascii), 11);
		dp_render__format(render, "  %-13s  %s\n", dp_text__path_part(render, at->part),
				  dp_text__range(label, render, at->name,
						 DP_MAX(width, PATH_NUMBERS + 5) - PATH_NUMBERS));
	}
	if (more)
		dp_render__format(render, "and %s (-vv shows all)\n",
				  dp_text__plural(number, more, "more row"));
}

/* An operation of another stream: "gather on stream 20 (event 3)". */
static void add_wait(struct dp_words *words, const struct dp_render *render, size_t loop,
		     const struct dp_stream_wait *at)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	const struct dp_stream *stream = dp_trace_stream(trace, at->stream);
	char number[DP_NUMBER_SIZE], label[DP_LABEL_SIZE];
	bool ascii = render->options->ascii;

	dp_words__add(words, "%s%s for %s on ", words->used ? ", " : "",
		      dp_human__duration(number, at->ns, ascii),
		      dp_label__kernel(label, at->name, WAIT_COLUMNS, ascii));
	if (stream->device != dp_analysis_loop(render->analysis, loop)->device)
		dp_words__add(words, "%s, ", dp_text__device(label, trace, stream->device));
	dp_words__add(words, "stream %lld", (long long)stream->stream);
	if (at->event)
		dp_words__add(words, " (event %lu)", (unsigned long)at->event);
}

void dp_text__stream_waits(struct dp_render *render, size_t loop)
{
	double least_ns = LEAST_WAIT * dp_text__summary(render, loop, "avg_period_ns");
	bool all = render->options->verbose;
	struct dp_words words = { 0 };
	const struct dp_stream_wait *at;

	for (size_t i = 0; (at = dp_analysis_loop_stream_wait(render->analysis, loop, i)); i++)
		if (at->ns > 0 && (all || at->ns >= least_ns))
			add_wait(&words, render, loop, at);
	if (!words.used)
		return;
	dp_text__label(render, "waits");
	dp_text__wrap(render, DP_TEXT_BODY, DP_TEXT_BODY, words.text);
}

void dp_text__ranges(struct dp_render *render, size_t loop)
{
	static const enum dp_host_activity order[] = { DP_HOST_INPUT, DP_HOST_INPUT_SAMPLED,
						       DP_HOST_WAIT, DP_HOST_WAIT_SAMPLED,
						       DP_HOST_SYNC };

	for (size_t i = 0; i < DP_COUNT(order); i++)
		write_activity(render, loop, order[i]);
	write_path(render, loop);
}

/* Returns true if communication of several devices is listed. */
static bool has_several_devices(const struct dp_render *render)
{
	const struct dp_collective_stat *first = dp_analysis_collective(render->analysis, 0), *at;

	for (size_t i = 1; (at = dp_analysis_collective(render->analysis, i)); i++)
		if (at->device != first->device)
			return true;
	return false;
}

static void write_collective(struct dp_render *render, const struct dp_collective_stat *at,
			     bool wide, bool devices)
{
	char number[DP_NUMBER_SIZE], label[DP_LABEL_SIZE];
	bool ascii = render->options->ascii;

	dp_text__column(render, dp_text__count(number, at->count), -7);
	dp_text__cell(render, dp_human__duration(number, at->total_ns, ascii), 10);
	dp_text__cell(render, dp_human__duration(number, at->median_ns, ascii), 10);
	if (wide)
		dp_text__column(render,
				dp_human__value(number, at->algorithm_bandwidth, "bytes/s", ascii),
				-14);
	dp_text__column(render, dp_human__value(number, at->bus_bandwidth, "bytes/s", ascii), -12);
	dp_render__format(render, "  %s", dp_collective_kind_name(at->kind));
	if (at->bytes)
		dp_render__format(render, " %s", dp_human__bytes(number, (double)at->bytes));
	if (at->group_size)
		dp_render__format(render, " %s %u ranks", ascii ? "x" : "\xc3\x97", at->group_size);
	if (devices)
		dp_render__format(
			render, ", %s",
			dp_text__device(label, dp_analysis_trace(render->analysis), at->device));
	dp_render__text(render, "\n");
}

void dp_text__collectives(struct dp_render *render)
{
	bool wide = ((struct dp_text *)render->state)->width >= BANDWIDTHS;
	bool devices = has_several_devices(render);
	const struct dp_collective_stat *at;
	char number[DP_NUMBER_SIZE];
	size_t i;

	for (i = 0; (at = dp_analysis_collective(render->analysis, i)); i++) {
		if (i >= ROWS_MOST && !render->options->all)
			continue;
		if (!i) {
			dp_text__style_begin(render, DP_STYLE_DIM);
			dp_render__format(
				render, "\n%7s%10s%10s%s%12s  communication, including waits\n",
				"count", "total", "median", wide ? "  algorithm bw" : "", "bus bw");
			dp_text__style_end(render);
		}
		write_collective(render, at, wide, devices);
	}
	if (i > ROWS_MOST && !render->options->all)
		dp_render__format(render, "and %s (-vv shows all)\n",
				  dp_text__plural(number, i - ROWS_MOST, "more row"));
}
