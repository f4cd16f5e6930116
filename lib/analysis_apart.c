/*
 * Streams whose work comes before or after that of all others that are analyzed: a program that
 * runs one algorithm after another may use a stream of its own for each. Such a stream is analyzed
 * as a sequence of its own if it has no small share of the device's kernels, and shows a program's
 * loop alone; preparations, such as a network's initialization, do not.
 *
 * Cost: for at most 20 streams, one pass over the device's operations and one search.
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

/* Returns true if no operation of a stream runs between the first and the last of another. */
static bool are_apart(const struct dp_trace *trace, size_t a, size_t b)
{
	int64_t start_ns = INT64_MAX, end_ns = INT64_MIN, from_ns = INT64_MAX, to_ns = INT64_MIN;

	extend(&start_ns, &end_ns, trace, a);
	extend(&from_ns, &to_ns, trace, b);
	return end_ns <= from_ns || to_ns <= start_ns;
}

static bool is_apart(const struct dp_analysis *analysis, struct dp_stream_range range,
		     size_t stream)
{
	for (size_t s = range.first; s < range.end; s++)
		if (analysis->streams[s].with && !are_apart(analysis->trace, s, stream))
			return false;
	return true;
}

int dp_analysis__next_apart(uint32_t *next, const struct dp_analysis *analysis,
			    struct dp_loop_search *search, uint32_t stream)
{
	const struct dp_trace *trace = search->trace;
	struct dp_stream_range range =
		dp_stream_range__of(trace, dp_trace_stream(trace, stream)->device);
	size_t kernels = 0;
	bool found = false;
	int status = DP_OK;

	*next = DP_NONE;
	for (size_t s = range.first; s < range.end; s++)
		kernels += dp_trace_stream(trace, s)->kernels;
	for (size_t s = range.first; s < range.end && !status && !found; s++) {
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
	return status;
}
