/*
 * One iteration as a timeline: what its device did until the next one began, stream by stream; what
 * the thread that launched it was in; and where nothing ran. Where there is more than a page may
 * hold, neighbours that are too small to be told apart become one.
 */
#include "report/html.h"

#include <string.h>

#define LANES 24
#define GAPS 400
#define DEPTH 6
#define THREADS 8
#define SHORT_GAP_NS 30000 /* shorter ones are what a launch takes */

/* Something on a lane. class: of an operation enum op_class, of a call enum dp_call_kind. */
struct block {
	int64_t start_ns, end_ns;
	uint32_t name;
	uint32_t count; /* how many it stands for */
	uint64_t bytes;
	uint8_t class;
};

enum op_class { OP_COMPUTE, OP_COMM, OP_HTOD, OP_DTOH, OP_COPY, OP_SET, OP_GRAPH };

struct window {
	const struct dp_trace *trace;
	int64_t start_ns, end_ns;
	uint32_t device, stream;
	struct block *blocks;
	size_t count, room;
	size_t *lanes; /* places in blocks where those of a lane begin; one more than lanes */
	uint32_t streams[LANES];
	size_t lane_count;
};

/* "ncclDevKernel_…", "void ncclKernel<…>": the libraries for communication (HTA). */
static bool is_comm(const char *name)
{
	return strstr(name, "nccl") == name || strstr(name, "rccl") == name ||
	       strstr(name, "hccl") == name || strstr(name, " nccl") || strstr(name, " rccl");
}

static uint8_t class_of(const struct dp_trace *trace, size_t op)
{
	const struct dp_ops *ops = dp_trace_ops(trace);

	switch ((enum dp_op_kind)ops->kind[op]) {
	case DP_OP_GRAPH:
		return OP_GRAPH;
	case DP_OP_SET:
		return OP_SET;
	case DP_OP_COPY:
		return ops->copy_kind[op] == DP_COPY_HTOD   ? OP_HTOD
		       : ops->copy_kind[op] == DP_COPY_DTOH ? OP_DTOH
							    : OP_COPY;
	case DP_OP_KERNEL:
		break;
	}
	return is_comm(dp_trace_string(trace, ops->name[op])) ? OP_COMM : OP_COMPUTE;
}

static int add(struct window *window, const struct block *block)
{
	if (dp_array__reserve(&window->blocks, &window->room, window->count + 1, sizeof(*block)))
		return DP_ERR_NOMEM;
	window->blocks[window->count++] = *block;
	return DP_OK;
}

/* A stream's operations that reach into the window. In a stream one ends before the next begins,
 * or nearly so. */
static int add_stream(struct window *window, size_t stream)
{
	const struct dp_ops *ops = dp_trace_ops(window->trace);
	size_t total, low = 0, high, middle;
	const uint32_t *rows = dp_trace_stream_ops(window->trace, stream, &total);

	for (high = total; low < high;) {
		middle = low + (high - low) / 2;
		if (ops->start_ns[rows[middle]] < window->start_ns)
			low = middle + 1;
		else
			high = middle;
	}
	while (low && ops->end_ns[rows[low - 1]] > window->start_ns)
		low--;
	for (size_t i = low; i < total && ops->start_ns[rows[i]] < window->end_ns; i++) {
		size_t op = rows[i];
		struct block block = { DP_MAX(ops->start_ns[op], window->start_ns),
				       DP_MIN(ops->end_ns[op], window->end_ns),
				       ops->name[op],
				       1,
				       ops->bytes[op],
				       class_of(window->trace, op) };

		if (add(window, &block))
			return DP_ERR_NOMEM;
	}
	return DP_OK;
}

/* The loop's stream first, then the others of the device. */
static int add_streams(struct window *window)
{
	size_t streams = dp_trace_stream_count(window->trace), before;

	for (size_t i = 0; i <= streams && window->lane_count < LANES; i++) {
		size_t stream = i ? i - 1 : window->stream;

		if (i && (stream == window->stream ||
			  dp_trace_stream(window->trace, stream)->device != window->device))
			continue;
		before = window->count;
		if (add_stream(window, stream))
			return DP_ERR_NOMEM;
		if (i && window->count == before)
			continue;
		window->lanes[window->lane_count] = before;
		window->streams[window->lane_count++] = (uint32_t)stream;
		window->lanes[window->lane_count] = window->count;
	}
	return DP_OK;
}

/*
 * Of blocks [from, to) those that are near each other, short and of a class become one. Returns
 * where they end.
 */
static size_t merge(struct block *blocks, size_t from, size_t to, size_t into, int64_t step_ns)
{
	size_t begin = into;

	for (size_t i = from; i < to; i++) {
		struct block *last = into > begin ? &blocks[into - 1] : NULL;
		const struct block *next = &blocks[i];

		if (last && last->class == next->class &&
		    next->start_ns - last->end_ns <= step_ns &&
		    last->end_ns - last->start_ns <= 16 * step_ns &&
		    next->end_ns - next->start_ns <= step_ns) {
			last->end_ns = DP_MAX(last->end_ns, next->end_ns);
			last->count += next->count;
			last->bytes += next->bytes;
		} else {
			blocks[into++] = *next;
		}
	}
	return into;
}

/* Coarser and coarser, until few enough blocks are left; what is over then is cut. */
static void thin(struct window *window, size_t most)
{
	int64_t step_ns = DP_MAX((window->end_ns - window->start_ns) / 8192, 1);

	for (int i = 0; i < 14 && window->count > most; i++, step_ns *= 2) {
		size_t from = 0, into = 0, to;

		for (size_t lane = 0; lane < window->lane_count; lane++) {
			to = window->lanes[lane + 1];
			into = merge(window->blocks, from, to, into, step_ns);
			from = to;
			window->lanes[lane + 1] = into;
		}
		window->count = into;
	}
	if (window->count <= most)
		return;
	window->count = most;
	for (size_t lane = 0; lane <= window->lane_count; lane++)
		window->lanes[lane] = DP_MIN(window->lanes[lane], most);
}

static void write_block(struct dp_render *render, const struct window *window,
			const struct block *block)
{
	dp_render__format(render, "%lld,%lld,", (long long)(block->start_ns - window->start_ns),
			  (long long)(block->end_ns - block->start_ns));
	if (block->count > 1)
		dp_render__text(render, "-1");
	else
		dp_html__name(render, block->name);
	dp_render__format(render, ",%u,%u,%llu", block->class, block->count,
			  (unsigned long long)block->bytes);
}

static void write_lanes(struct dp_render *render, const struct window *window)
{
	dp_render__text(render, ",\n\"lanes\":[");
	for (size_t lane = 0; lane < window->lane_count; lane++) {
		dp_render__format(render, "%s{\"stream\":%u,\"ops\":[", lane ? ",\n" : "",
				  window->streams[lane]);
		for (size_t i = window->lanes[lane]; i < window->lanes[lane + 1]; i++) {
			dp_render__text(render, i > window->lanes[lane] ? "," : "");
			write_block(render, window, &window->blocks[i]);
		}
		dp_render__text(render, "]}");
	}
	dp_render__text(render, "]");
}

/* The thread that launched most of what the loop's stream ran; DP_NONE where none is known. */
static uint32_t launching_thread(const struct window *window)
{
	const struct dp_ops *ops = dp_trace_ops(window->trace);
	const struct dp_calls *calls = dp_trace_calls(window->trace);
	uint32_t threads[THREADS];
	size_t votes[THREADS], known = 0, best = 0, total, i, t;
	const uint32_t *rows = dp_trace_stream_ops(window->trace, window->stream, &total);

	for (i = 0; i < total && ops->start_ns[rows[i]] < window->end_ns; i++) {
		uint32_t call = ops->call[rows[i]];

		if (ops->start_ns[rows[i]] < window->start_ns || call == DP_NONE)
			continue;
		for (t = 0; t < known && threads[t] != calls->thread[call];)
			t++;
		if (t == known && known < THREADS) {
			threads[known] = calls->thread[call];
			votes[known++] = 0;
		}
		if (t < known)
			votes[t]++;
	}
	for (t = 1; t < known; t++)
		if (votes[t] > votes[best])
			best = t;
	return known ? threads[best] : DP_NONE;
}

/* Without launches on record: the thread of the first range in the window. */
static uint32_t ranging_thread(const struct window *window)
{
	const struct dp_ranges *ranges = dp_trace_ranges(window->trace);

	for (size_t i = 0; i < ranges->count && ranges->start_ns[i] < window->end_ns; i++)
		if (ranges->end_ns[i] > window->start_ns)
			return ranges->thread[i];
	return DP_NONE;
}

/*
 * The thread's ranges, from the outside in, no deeper than DEPTH and none shorter than least_ns.
 * Returns their number; writes them where render is not NULL.
 */
static size_t walk_ranges(struct dp_render *render, const struct window *window, uint32_t thread,
			  int64_t least_ns)
{
	const struct dp_ranges *ranges = dp_trace_ranges(window->trace);
	int64_t ends_ns[DEPTH];
	size_t depth = 0, count = 0;

	for (size_t i = 0; i < ranges->count && ranges->start_ns[i] < window->end_ns; i++) {
		if (ranges->end_ns[i] <= window->start_ns || ranges->thread[i] != thread ||
		    ranges->end_ns[i] - ranges->start_ns[i] < least_ns)
			continue;
		while (depth && ends_ns[depth - 1] <= ranges->start_ns[i])
			depth--;
		if (depth == DEPTH)
			continue;
		ends_ns[depth] = ranges->end_ns[i];
		if (render) {
			dp_render__format(render, "%s%lld,%lld,", count ? "," : "",
					  (long long)(ranges->start_ns[i] - window->start_ns),
					  (long long)(ranges->end_ns[i] - ranges->start_ns[i]));
			dp_html__name(render, ranges->name[i]);
			dp_render__format(render, ",%u,%zu", ranges->kind[i], depth);
		}
		depth++;
		count++;
	}
	return count;
}

static void write_ranges(struct dp_render *render, const struct window *window, uint32_t thread)
{
	int64_t least_ns = DP_MAX((window->end_ns - window->start_ns) / 4096, 1);

	for (int i = 0; i < 12; i++, least_ns *= 2)
		if (walk_ranges(NULL, window, thread, least_ns) <= DP_HTML_RANGES)
			break;
	dp_render__text(render, ",\n\"ranges\":[");
	walk_ranges(render, window, thread, least_ns);
	dp_render__text(render, "]");
}

/* The thread's calls, merged as operations are. */
static int write_calls(struct dp_render *render, const struct window *of, uint32_t thread)
{
	const struct dp_calls *calls = dp_trace_calls(of->trace);
	size_t lanes[2] = { 0, 0 };
	struct window window = *of;

	window.blocks = NULL;
	window.count = window.room = 0;
	window.lanes = lanes;
	window.lane_count = 1;
	for (size_t i = 0; i < calls->count && calls->start_ns[i] < of->end_ns; i++) {
		struct block block = { calls->start_ns[i], calls->end_ns[i], calls->name[i], 1, 0,
				       calls->kind[i] };

		if (calls->end_ns[i] <= of->start_ns || calls->thread[i] != thread)
			continue;
		if (add(&window, &block)) {
			free(window.blocks);
			return dp_error__nomem(render->error, 0);
		}
	}
	lanes[1] = window.count;
	thin(&window, DP_HTML_RANGES);
	dp_render__text(render, ",\n\"calls\":[");
	for (size_t i = 0; i < window.count; i++) {
		dp_render__text(render, i ? "," : "");
		write_block(render, &window, &window.blocks[i]);
	}
	dp_render__text(render, "]");
	free(window.blocks);
	return DP_OK;
}

static int compare_blocks(const void *a, const void *b)
{
	const struct block *x = a, *y = b;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return (x->end_ns > y->end_ns) - (x->end_ns < y->end_ns);
}

/* Where nothing of the device runs. Orders the blocks by time: lanes are lost. */
static void write_gaps(struct dp_render *render, const struct window *window, struct block *blocks)
{
	int64_t least_ns = (window->end_ns - window->start_ns) / 2000;
	int64_t until_ns = window->start_ns, idle_ns = 0;
	size_t written = 0;

	if (window->count)
		qsort(blocks, window->count, sizeof(*blocks), compare_blocks);
	dp_render__text(render, ",\n\"gaps\":[");
	for (size_t i = 0; i <= window->count; i++) {
		int64_t next_ns = i < window->count ? blocks[i].start_ns : window->end_ns;
		int64_t gap_ns = next_ns - until_ns;

		if (gap_ns > 0)
			idle_ns += gap_ns;
		if (gap_ns > least_ns && written < GAPS)
			dp_render__format(render, "%s%lld,%lld", written++ ? "," : "",
					  (long long)(until_ns - window->start_ns),
					  (long long)gap_ns);
		if (i < window->count)
			until_ns = DP_MAX(until_ns, blocks[i].end_ns);
	}
	dp_render__format(render, "],\"idle\":%lld", (long long)idle_ns);
}

static int write_all(struct dp_render *render, struct window *window)
{
	uint32_t thread = launching_thread(window);
	struct block *copy;
	int status;

	if (thread == DP_NONE)
		thread = ranging_thread(window);
	if (add_streams(window))
		return dp_error__nomem(render->error, 0);
	copy = dp_alloc__array(window->count + 1, sizeof(*copy));
	if (!copy)
		return dp_error__nomem(render->error, window->count);
	if (window->count)
		memcpy(copy, window->blocks, window->count * sizeof(*copy));
	write_gaps(render, window, copy);
	free(copy);
	thin(window, DP_HTML_OPS);
	write_lanes(render, window);
	write_ranges(render, window, thread);
	status = write_calls(render, window, thread);
	if (thread != DP_NONE) {
		const struct dp_thread *at = dp_trace_thread(window->trace, thread);

		dp_render__text(render, ",\"thread\":");
		if (at->name != DP_NONE)
			dp_html__string(render, dp_trace_string(window->trace, at->name));
		else
			dp_render__format(render, "\"thread %lld\"", (long long)at->tid);
	}
	return status;
}

void dp_html__timeline(struct dp_render *render, size_t loop, size_t k)
{
	const struct dp_loop *info = dp_analysis_loop(render->analysis, loop);
	const struct dp_iteration *at = dp_loop_iteration(render->analysis, loop, k);
	const struct dp_iteration *next = dp_loop_iteration(render->analysis, loop, k + 1);
	struct window window = { .trace = dp_analysis_trace(render->analysis),
				 .start_ns = at->start_ns,
				 .end_ns = next ? next->start_ns : at->end_ns,
				 .device = info->device,
				 .stream = info->stream };
	size_t lanes[LANES + 1] = { 0 };
	int status;

	window.end_ns = DP_MAX(window.end_ns, window.start_ns + 1);
	window.lanes = lanes;
	dp_render__format(render, "{\"k\":%zu,\"start\":%lld,\"length\":%lld,\"end\":%lld", k,
			  (long long)window.start_ns, (long long)(window.end_ns - window.start_ns),
			  (long long)(at->end_ns - window.start_ns));
	status = write_all(render, &window);
	if (status && !render->status)
		render->status = status;
	dp_render__text(render, "}");
	free(window.blocks);
}
