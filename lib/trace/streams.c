/*
 * Groups operations by stream, and classifies streams by the paper's rules (section IV-A: a stream
 * with framework kernels is a main stream, one that only copies is a copy stream, the rest assist).
 * "Framework kernels" is read as "most of the kernel time of its process and device, excluding
 * communication": in a pipeline-parallel job, the stream that sends and receives has twice the
 * kernels of the one that computes.
 */
#include "trace/model.h"
#include "base/communication.h"

/* Counting sort by stream. It is stable, so each stream keeps the order of start. */
static int group(struct dp_trace *trace, struct dp_error *error)
{
	size_t count = trace->ops.count, streams = trace->stream_count;
	size_t *first = dp_alloc__zeroed(streams + 2, sizeof(*first));
	uint32_t *rows = dp_alloc__array(count, sizeof(*rows));

	if (!first || !rows) {
		free(first);
		free(rows);
		return dp_error__nomem(error, count * sizeof(*rows));
	}
	for (size_t i = 0; i < count; i++)
		first[trace->ops.stream[i] + 2]++;
	for (size_t s = 2; s < streams + 2; s++)
		first[s] += first[s - 1];
	for (size_t i = 0; i < count; i++)
		rows[first[trace->ops.stream[i] + 1]++] = (uint32_t)i;
	trace->stream_ops = rows;
	trace->stream_first = first;
	return DP_OK;
}

/* Adds the time of an operation that no earlier one covers. */
static void add_time(int64_t *sum_ns, int64_t *until_ns, int64_t start_ns, int64_t end_ns)
{
	if (end_ns <= *until_ns)
		return;
	*sum_ns += end_ns - DP_MAX(start_ns, *until_ns);
	*until_ns = end_ns;
}

static bool is_compute(const struct dp_trace *trace, const bool *communicates, uint32_t op)
{
	uint32_t name = trace->ops.name[op];

	return dp_op_is_kernel(trace->ops.kind[op]) &&
	       (name >= trace->strings.count || !communicates[name]);
}

static void count_stream(struct dp_trace *trace, struct dp_stream *stream, const uint32_t *rows,
			 size_t count, const bool *communicates)
{
	int64_t until_ns = INT64_MIN, compute_until_ns = INT64_MIN;

	for (size_t i = 0; i < count; i++) {
		int64_t start_ns = trace->ops.start_ns[rows[i]];
		int64_t end_ns = trace->ops.end_ns[rows[i]];
		uint8_t kind = trace->ops.kind[rows[i]];

		stream->kernels += dp_op_is_kernel(kind);
		stream->copies += kind == DP_OP_COPY;
		stream->memsets += kind == DP_OP_MEMSET;
		add_time(&stream->busy_ns, &until_ns, start_ns, end_ns);
		if (is_compute(trace, communicates, rows[i]))
			add_time(&stream->compute_ns, &compute_until_ns, start_ns, end_ns);
	}
}

static bool beats(const struct dp_stream *a, const struct dp_stream *b)
{
	if (a->compute_ns != b->compute_ns)
		return a->compute_ns > b->compute_ns;
	return a->kernels != b->kernels ? a->kernels > b->kernels : a->busy_ns > b->busy_ns;
}

/* Returns the stream with most time, of those whose longest kernel is kernel; NULL if none. */
static struct dp_stream *busiest(struct dp_stream *streams, size_t count, const uint32_t *longest,
				 uint32_t kernel)
{
	struct dp_stream *best = NULL;

	for (size_t i = 0; i < count; i++)
		if (streams[i].kernels && (!longest || longest[i] == kernel) &&
		    (!best || beats(&streams[i], best)))
			best = &streams[i];
	return best;
}

/* Returns the name of the kernel with most time in a stream. time[] is all 0 before and after. */
static uint32_t longest_kernel(const struct dp_trace *trace, size_t stream,
			       const bool *communicates, double *time)
{
	size_t count;
	const uint32_t *rows = dp_trace_stream_ops(trace, stream, &count);
	uint32_t best = DP_NONE;

	for (size_t i = 0; i < count; i++) {
		uint32_t name = trace->ops.name[rows[i]];

		if (name >= trace->strings.count || !is_compute(trace, communicates, rows[i]))
			continue;
		time[name] += (double)(trace->ops.end_ns[rows[i]] - trace->ops.start_ns[rows[i]]);
		if (best == DP_NONE || time[name] > time[best])
			best = name;
	}
	for (size_t i = 0; i < count; i++)
		if (trace->ops.name[rows[i]] < trace->strings.count)
			time[trace->ops.name[rows[i]]] = 0;
	return best;
}

/*
 * If no stream has half of the time, work may be spread over many: the times of streams that spend
 * most of it in the same kernel are added up, and the busiest of them is main.
 */
static int spread_main(struct dp_stream **main_stream, const struct dp_trace *trace,
		       struct dp_stream *streams, size_t count, const bool *communicates)
{
	double *time = dp_alloc__zeroed(trace->strings.count, sizeof(*time)), most = 0;
	double *shared = dp_alloc__zeroed(trace->strings.count, sizeof(*shared));
	uint32_t *longest = dp_alloc__array(count, sizeof(*longest)), kernel = DP_NONE;
	int status = time && shared && longest ? DP_OK : DP_ERR_NOMEM;

	for (size_t i = 0; !status && i < count; i++) {
		longest[i] = longest_kernel(trace, (size_t)(streams - trace->streams) + i,
					    communicates, time);
		if (longest[i] == DP_NONE)
			continue;
		shared[longest[i]] += (double)streams[i].compute_ns;
		if (shared[longest[i]] > most) {
			most = shared[longest[i]];
			kernel = longest[i];
		}
	}
	if (!status && kernel != DP_NONE)
		*main_stream = busiest(streams, count, longest, kernel);
	free(longest);
	free(shared);
	free(time);
	return status;
}

/* Streams of one device are adjacent; of equals the first is main. */
static int classify(const struct dp_trace *trace, struct dp_stream *streams, size_t count,
		    const bool *communicates)
{
	struct dp_stream *main_stream = busiest(streams, count, NULL, 0);
	double all_ns = 0;
	int status = DP_OK;

	for (size_t i = 0; i < count; i++) {
		all_ns += (double)streams[i].compute_ns;
		streams[i].stream_class = streams[i].kernels || !streams[i].copies
						  ? DP_STREAM_ASSIST
						  : DP_STREAM_COPY;
	}
	if (main_stream && (double)main_stream->compute_ns * 2 < all_ns)
		status = spread_main(&main_stream, trace, streams, count, communicates);
	if (main_stream)
		main_stream->stream_class = DP_STREAM_MAIN;
	return status;
}

static int count_and_classify(struct dp_trace *trace, const bool *communicates)
{
	const uint32_t *rows;
	size_t count, end;
	int status = DP_OK;

	for (size_t s = 0; s < trace->stream_count; s++) {
		rows = dp_trace_stream_ops(trace, s, &count);
		count_stream(trace, &trace->streams[s], rows, count, communicates);
	}
	for (size_t s = 0; !status && s < trace->stream_count; s = end) {
		for (end = s + 1; end < trace->stream_count; end++)
			if (trace->streams[end].device != trace->streams[s].device)
				break;
		status = classify(trace, trace->streams + s, end - s, communicates);
	}
	return status;
}

int dp_trace__index_streams(struct dp_trace *trace, struct dp_error *error)
{
	bool *communicates;
	int status = group(trace, error);

	if (status)
		return status;
	communicates = dp_alloc__array(trace->strings.count, sizeof(*communicates));
	for (size_t i = 0; communicates && i < trace->strings.count; i++)
		communicates[i] = dp_communication__is_kernel(dp_trace_string(trace, (uint32_t)i));
	status = communicates ? count_and_classify(trace, communicates) : DP_ERR_NOMEM;
	free(communicates);
	return status ? dp_error__nomem(error, trace->strings.count) : DP_OK;
}

size_t dp_trace_bytes(const struct dp_trace *trace)
{
	return trace->ops.count * 48 + trace->calls.count * 29 + trace->syncs.count * 25 +
	       trace->memory.count * 20 + trace->samples.count * 32 + trace->ranges.count * 25 +
	       trace->activity.count * 32 +
	       trace->strings.bytes + trace->strings.room * sizeof(*trace->strings.text) +
	       trace->strings.slot_count * sizeof(*trace->strings.slots) +
	       trace->stream_count * sizeof(*trace->streams);
}
