/*
 * The paper's numbers for iterations whose boundaries are known: the library takes them from the
 * annotations that the simulator recorded, and must then compute what the truth says.
 */
#include "held.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* How many were compared, to notice if none was. */
static size_t compared;

static void differ_number(const char *what, const json_t *iteration, double expected, double found)
{
	compared++;
	if (fabs(expected - found) <= 1e-9 * fabs(expected))
		return;
	fprintf(stderr, "%s of iteration %" PRId64 ": %.17g planted, %.17g computed\n", what,
		held_integer(iteration, "index"), expected, found);
	held_failures++;
}

static void check_iteration(const struct dp_analysis *analysis, size_t loop, size_t index,
			    const json_t *planted, bool follows)
{
	double interval = (double)held_integer(planted, "interval_ns");
	double gaps = (double)held_integer(planted, "operation_gaps");

	/* after other kernels it is unknown */
	if (!dp_analysis_loop_iteration(analysis, loop, index)->foreign_kernels)
		differ_number("h2d_bytes", planted, (double)held_integer(planted, "h2d_bytes"),
			      dp_analysis_loop_metric(analysis, loop, dp_metric_find("h2d_bytes"),
						      index));
	if (gaps > 0)
		differ_number("operation_gap_ns", planted,
			      (double)held_integer(planted, "operation_gap_sum_ns") / gaps,
			      dp_analysis_loop_metric(analysis, loop,
						      dp_metric_find("operation_gap_ns"), index));
	if (!follows)
		return;
	differ_number(
		"interval_ns", planted, interval,
		dp_analysis_loop_metric(analysis, loop, dp_metric_find("interval_ns"), index));
	if (interval > 0)
		differ_number(
			"overlap", planted, (double)held_integer(planted, "overlap_ns") / interval,
			dp_analysis_loop_metric(analysis, loop, dp_metric_find("overlap"), index));
}

static const struct dp_iteration *starting_at(const struct dp_analysis *analysis, size_t loop,
					      int64_t first_kernel)
{
	const struct dp_iteration *iteration;

	for (size_t i = 0; (iteration = dp_analysis_loop_iteration(analysis, loop, i)); i++)
		if ((int64_t)iteration->first_kernel == first_kernel)
			return iteration;
	return NULL;
}

static bool partial(const json_t *iteration)
{
	return json_is_true(json_object_get(iteration, "partial"));
}

/* Iterations without an annotation of their own were not begun within the capture. */
static void check_loop(const struct dp_analysis *analysis, size_t loop, const json_t *planted)
{
	const json_t *iterations = json_object_get(planted, "iterations"), *iteration, *last = NULL;
	bool seen = false;
	size_t index;

	json_array_foreach(iterations, index, iteration)
	{
		const struct dp_iteration *found =
			starting_at(analysis, loop, held_integer(iteration, "first_kernel"));
		bool follows = last && !partial(last) && seen;

		last = iteration;
		seen = found;
		if (!found || partial(iteration))
			continue;
		held_differ("an iteration's kernels",
			    held_integer(iteration, "end_kernel") -
				    held_integer(iteration, "first_kernel"),
			    (int64_t)found->kernels);
		held_differ("foreign kernels before an iteration",
			    follows ? held_integer(iteration, "foreign_kernels")
				    : (int64_t)found->foreign_kernels,
			    (int64_t)found->foreign_kernels);
		check_iteration(analysis, loop, found->index, iteration, follows);
	}
}

static void check_marked(const struct dp_trace *trace, const json_t *planted)
{
	struct dp_analysis_options options = DP_ANALYSIS_OPTIONS_INIT;
	struct dp_analysis *analysis = NULL;
	struct dp_error error = DP_ERROR_INIT;
	const struct dp_loop *loop;
	int64_t checked = 0;
	char marks[64], text[512];

	snprintf(marks, sizeof(marks), "^%s#[0-9]+$",
		 json_string_value(json_object_get(planted, "mark")));
	options.marks = marks;
	if (dp_analysis_run(&analysis, trace, &options, &error)) {
		dp_error_format(&error, text, sizeof(text));
		fprintf(stderr, "%s: %s\n", marks, text);
		held_failures++;
		return;
	}
	for (size_t i = 0; (loop = dp_analysis_loop(analysis, i)); i++) {
		if (loop->found_by != DP_FOUND_BY_MARKS ||
		    !held_is_at(trace, dp_trace_stream(trace, loop->stream), planted))
			continue;
		check_loop(analysis, i, planted);
		checked++;
	}
	held_differ("loops of marks", 1, checked);
	dp_analysis_free(analysis);
}

/* Threads of several devices of a process annotate at once; the library uses any of them. */
static bool shares_process(const json_t *truth, const json_t *loop)
{
	const json_t *other;
	size_t index;

	json_array_foreach(json_object_get(truth, "loops"), index, other)
	{
		if (held_integer(other, "process") == held_integer(loop, "process") &&
		    held_integer(other, "device") != held_integer(loop, "device"))
			return true;
	}
	return false;
}

void held_check_metrics(const struct dp_trace *trace, const json_t *truth)
{
	const json_t *loop;
	size_t index, marked = 0;

	json_array_foreach(json_object_get(truth, "loops"), index, loop)
	{
		const char *mark = json_string_value(json_object_get(loop, "mark"));

		if (!mark || !*mark || !dp_trace_ranges(trace)->count ||
		    shares_process(truth, loop))
			continue;
		marked++;
		check_marked(trace, loop);
	}
	held_differ("metrics were compared", marked > 0, compared > 0);
}
