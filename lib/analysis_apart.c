/*
 * Streams whose work comes before or after that of all others that are analyzed: a program that
 * runs one algorithm after another may use a stream of its own for each. Such a stream is analyzed
 * as a sequence of its own if it has no small share of the device's kernels, and shows a program's
 * loop alone; preparations, such as a network's initialization, do not.
 *
 * Cost: for each of at most 20 streams, one pass over the operations of the analyzed streams and
 * one search; a second search of each stream that is taken.
 */
#include "analysis_model.h"
#include "base/parameters.h"

/* Extends a time by that from a stream's first operation to the end of its last one. */
static void extend(int64_t *start_ns, int64_t *end_ns, const struct dp_trace *trace, size_t stream)
{
	const struct dp_ops *ops = dp_trace_ops(trace);
	size_t count;
	const uint32_t *rows = dp_trace_stream_ops(trace, stream, &count);

	for (size_t i = 0; i < count; i++) {
		*start_ns = DP_MIN(*start_ns, ops->start_ns[rows[i]]);
		*end_ns = DP_MAX(*end_ns, ops->end_ns[rows[i]]);
	}
}

/* Returns true if a stream's work is before or after that of each analyzed one of its device. */
static bool is_apart(const struct dp_analysis *analysis, struct dp_stream_range range,
		     size_t stream)
{
	int64_t start_ns = INT64_MAX, end_ns = INT64_MIN;

	extend(&start_ns, &end_ns, analysis->trace, stream);
	for (size_t s = range.first; s < range.end; s++) {
		int64_t from_ns = INT64_MAX, to_ns = INT64_MIN;

		if (!analysis->streams[s].with)
			continue;
		extend(&from_ns, &to_ns, analysis->trace, s);
		if (start_ns < to_ns && from_ns < end_ns)
			return false;
	}
	return true;
}

static void explain(struct dp_loop_search *search, uint32_t stream)
{
	dp_explain__begin(search->explain, stream);
	dp_explain__add(
		search->explain, "stream", DP_FACTS({ "streams", "count", 1 }),
		"all work of this stream is before or after that of the streams analyzed so "
		"far, and it shows a loop of steps: it is analyzed, too, alone");
	dp_explain__end(search->explain);
}

int dp_analysis__next_apart(uint32_t *next, const struct dp_analysis *analysis,
			    struct dp_loop_search *search, uint32_t stream, size_t from)
{
	const struct dp_trace *trace = search->trace;
	struct dp_stream_range range =
		dp_stream_range__of(trace, dp_trace_stream(trace, stream)->device);
	size_t kernels = 0;
	bool found = false;
	int status = DP_OK;

	*next = DP_NONE;
	if (!dp_analysis__may_be_on_others(search))
		return DP_OK;
	for (size_t s = range.first; s < range.end; s++)
		kernels += dp_trace_stream(trace, s)->kernels;
	for (size_t s = DP_MAX(range.first, from); s < range.end && !status && !found; s++) {
		const struct dp_stream *other = dp_trace_stream(trace, s);

		if (!(other->compute_ns > 0) || analysis->streams[s].with ||
		    (double)other->kernels < dp_param.alone_least * (double)kernels ||
		    search->searches >= dp_param.searches_most || !is_apart(analysis, range, s))
			continue;
		search->searches++;
		status = dp_analysis__has_program(&found, search, (uint32_t)s);
		if (found)
			*next = (uint32_t)s;
	}
	if (found)
		explain(search, *next);
	return status;
}
