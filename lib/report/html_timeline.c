/*
 * One iteration as a timeline: what its device did until the next one began, stream by stream; what
 * the launching thread was doing; and where nothing ran. If there is more than a page may hold,
 * adjacent blocks that are too small to be distinguished are merged.
 */
#include "report/html.h"
#include "base/communication.h"
#include "base/search.h"

#define LANES 24
#define DEPTH 6
#define THREADS 8 /* that are considered, and that are shown */
#define SHOWN_THREADS 3
#define GAPS 1500 /* pieces of idle time */
#define LESS 4	  /* fraction of the detail in what is not shown at first */

/* A block on a lane. class: of an operation enum op_class, of a call enum dp_call_kind. */
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
	size_t *lanes; /* where the blocks of each lane begin, and where the last ones end */
	uint32_t streams[LANES];
	size_t lane_count;
	size_t share;	    /* the window's share of the room is 1 / share */
	size_t most_ranges; /* of a thread, and calls */
	uint8_t *classes;   /* of kernels, plus one, by name; 0: not known yet */
};

static uint8_t kernel_class(const struct window *window, uint32_t name)
{
	uint8_t *known = &window->classes[name];

	if (!*known)
		*known = 1 + (dp_communication__is_kernel(dp_trace_string(window->trace, name))
				      ? OP_COMM
				      : OP_COMPUTE);
	return *known - 1;
}

static uint8_t class_of(const struct window *window, size_t op)
{
	const struct dp_ops *ops = dp_trace_ops(window->trace);

	switch ((enum dp_op_kind)ops->kind[op]) {
	case DP_OP_GRAPH:
		return OP_GRAPH;
	case DP_OP_MEMSET:
		return OP_SET;
	case DP_OP_COPY:
		return ops->copy_kind[op] == DP_COPY_HTOD   ? OP_HTOD
		       : ops->copy_kind[op] == DP_COPY_DTOH ? OP_DTOH
							    : OP_COPY;
	case DP_OP_KERNEL:
		break;
	}
	return kernel_class(window, ops->name[op]);
}

static int add(struct window *window, const struct block *block)
{
	if (dp_array__reserve(&window->blocks, &window->room, window->count + 1, sizeof(*block)))
		return DP_ERR_NOMEM;
	window->blocks[window->count++] = *block;
	return DP_OK;
}

/*
 * Adds a stream's operations that overlap the window. In a stream, one ends before the next begins,
 * or nearly so.
 */
static int add_stream(struct window *window, size_t stream)
{
	const struct dp_ops *ops = dp_trace_ops(window->trace);
	size_t total, first;
	const uint32_t *rows = dp_trace_stream_ops(window->trace, stream, &total);

	DP_FIND(first, 0, total, ops->start_ns[rows[first]] >= window->start_ns);
	while (first && ops->end_ns[rows[first - 1]] > window->start_ns)
		first--;
	for (size_t i = first; i < total && ops->start_ns[rows[i]] < window->end_ns; i++) {
		size_t op = rows[i];
		struct block block = { DP_MAX(ops->start_ns[op], window->start_ns),
				       DP_MIN(ops->end_ns[op], window->end_ns),
				       ops->name[op],
				       1,
				       ops->bytes[op],
				       class_of(window, op) };

		if (add(window, &block))
			return DP_ERR_NOMEM;
	}
	return DP_OK;
}

/* Adds the loop's stream first, then the others of the device. */
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

/* Merges blocks [from, to) that are close, short and of one class. Returns where they end. */
static size_t merge(struct block *blocks, size_t from, size_t to, size_t into, int64_t step_ns)
{
	int64_t longest_ns = step_ns < INT64_MAX / 16 ? 16 * step_ns : INT64_MAX;
	size_t begin = into;

	for (size_t i = from; i < to; i++) {
		struct block *last = into > begin ? &blocks[into - 1] : NULL;
		const struct block *next = &blocks[i];

		if (last && last->class == next->class &&
		    next->start_ns - last->end_ns <= step_ns &&
		    last->end_ns - last->start_ns <= longest_ns &&
		    next->end_ns - next->start_ns <= step_ns) {
			last->end_ns = DP_MAX(last->end_ns, next->end_ns);
			last->count += next->count;
			last->bytes = dp_sum__u64(last->bytes, next->bytes);
		} else {
			blocks[into++] = *next;
		}
	}
	return into;
}

/* Merges more and more coarsely until few enough blocks are left; the excess after that is cut. */
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

/* A host thread, and how many of the stream's operations in the window it launched. */
struct launcher {
	uint32_t thread;
	size_t launches;
};

static int compare_launchers(const void *a, const void *b)
{
	const struct launcher *x = a, *y = b;

	if (x->launches != y->launches)
		return x->launches > y->launches ? -1 : 1;
	return (x->thread > y->thread) - (x->thread < y->thread);
}

/*
 * The threads that launched the operations of the loop's stream, by their number, without those
 * that launched hardly any.
 */
static size_t find_launchers(const struct window *window, struct launcher found[THREADS])
{
	const struct dp_ops *ops = dp_trace_ops(window->trace);
	const struct dp_calls *calls = dp_trace_calls(window->trace);
	size_t known = 0, total, i, t;
	const uint32_t *rows = dp_trace_stream_ops(window->trace, window->stream, &total);

	for (i = 0; i < total && ops->start_ns[rows[i]] < window->end_ns; i++) {
		uint32_t call = ops->call[rows[i]];

		if (ops->start_ns[rows[i]] < window->start_ns || call == DP_NONE ||
		    calls->thread[call] == DP_NONE)
			continue;
		for (t = 0; t < known && found[t].thread != calls->thread[call];)
			t++;
		if (t == known && known < THREADS)
			found[known++] = (struct launcher){ calls->thread[call], 0 };
		if (t < known)
			found[t].launches++;
	}
	if (known)
		qsort(found, known, sizeof(*found), compare_launchers);
	known = DP_MIN(known, SHOWN_THREADS);
	while (known > 1 && found[known - 1].launches * 50 < found[0].launches)
		known--;
	return known;
}

/* If no launches are recorded: the thread of the first range in the window. */
static uint32_t ranging_thread(const struct window *window)
{
	const struct dp_ranges *ranges = dp_trace_ranges(window->trace);

	for (size_t i = 0; i < ranges->count && ranges->start_ns[i] < window->end_ns; i++)
		if (ranges->end_ns[i] > window->start_ns)
			return ranges->thread[i];
	return DP_NONE;
}

/*
 * Walks the thread's ranges from the outside in, at most DEPTH deep and at least least_ns long.
 * Returns their number; writes them unless render is NULL.
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
		if (walk_ranges(NULL, window, thread, least_ns) <= window->most_ranges)
			break;
	dp_render__text(render, ",\n\"ranges\":[");
	walk_ranges(render, window, thread, least_ns);
	dp_render__text(render, "]");
}

/* Writes the thread's calls, merged like operations. */
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
	thin(&window, of->most_ranges);
	dp_render__text(render, ",\n\"calls\":[");
	for (size_t i = 0; i < window.count; i++) {
		dp_render__text(render, i ? "," : "");
		write_block(render, &window, &window.blocks[i]);
	}
	dp_render__text(render, "]");
	free(window.blocks);
	return DP_OK;
}

static int write_thread(struct dp_render *render, const struct window *window, uint32_t thread)
{
	const struct dp_thread *at = dp_trace_thread(window->trace, thread);

	dp_render__text(render, "{\"name\":");
	if (at && at->name != DP_NONE)
		dp_html__string(render, dp_trace_string(window->trace, at->name));
	else
		dp_render__format(render, "\"thread %lld\"", at ? (long long)at->tid : -1LL);
	write_ranges(render, window, thread);
	if (write_calls(render, window, thread))
		return DP_ERR_NOMEM;
	dp_render__text(render, "}");
	return DP_OK;
}

/* Writes the lanes above the streams. */
static int write_threads(struct dp_render *render, struct window *window)
{
	struct launcher found[THREADS] = { { ranging_thread(window), 0 } };
	size_t count = find_launchers(window, found);
	int status = DP_OK;

	if (!count && found[0].thread != DP_NONE)
		count = 1;
	window->most_ranges = DP_HTML_RANGES / window->share / DP_MAX(count, 1);
	dp_render__text(render, ",\n\"threads\":[");
	for (size_t i = 0; i < count && !status; i++) {
		dp_render__text(render, i ? ",\n" : "");
		status = write_thread(render, window, found[i].thread);
	}
	dp_render__text(render, "]");
	return status;
}

static int write_all(struct dp_render *render, struct window *window)
{
	window->classes = dp_alloc__zeroed(dp_trace_string_count(window->trace) + 1, 1);
	if (!window->classes || add_streams(window))
		return dp_error__nomem(render->error, 0);
	thin(window, DP_HTML_OPS / window->share);
	write_lanes(render, window);
	return write_threads(render, window);
}

/* The stream of the loop that has most of its operations in a time range. */
static uint32_t stream_of(const struct dp_analysis *analysis, const struct dp_loop *loop,
			  int64_t start_ns, int64_t end_ns)
{
	const struct dp_trace *trace = dp_analysis_trace(analysis);
	const int64_t *starts_ns = dp_trace_ops(trace)->start_ns;
	uint32_t best = loop->stream;
	size_t most = 0, total;

	for (uint32_t s = 0; s < dp_trace_stream_count(trace); s++) {
		const uint32_t *rows = dp_trace_stream_ops(trace, s, &total);
		size_t own = 0;

		if (!dp_analysis_loop_has_stream(analysis, loop->id, s))
			continue;
		for (size_t i = 0; i < total && starts_ns[rows[i]] < end_ns; i++)
			own += starts_ns[rows[i]] >= start_ns;
		best = own > most ? s : best;
		most = DP_MAX(most, own);
	}
	return best;
}

static void write_timeline(struct dp_render *render, const struct dp_loop *loop, size_t k,
			   const struct dp_html_idle *idle)
{
	const struct dp_iteration *at = dp_analysis_loop_iteration(render->analysis, loop->id, k);
	struct window window = { .trace = dp_analysis_trace(render->analysis),
				 .start_ns = idle->start_ns,
				 .end_ns = idle->end_ns,
				 .device = loop->device,
				 .stream = stream_of(render->analysis, loop, idle->start_ns,
						     idle->end_ns) };
	size_t lanes[LANES + 1] = { 0 };
	int status;

	window.lanes = lanes;
	window.share = GAPS / idle->most;
	dp_render__format(render, "{\"k\":%zu,\"start\":%lld,\"length\":%lld,\"end\":%lld", k,
			  (long long)window.start_ns, (long long)(window.end_ns - window.start_ns),
			  (long long)(at->end_ns - window.start_ns));
	dp_html__idle_write(render, idle);
	status = write_all(render, &window);
	if (status && !render->status)
		render->status = status;
	dp_render__text(render, "}");
	free(window.blocks);
	free(window.classes);
}

void dp_html__timelines(struct dp_render *render, size_t id, const size_t *iterations, size_t count)
{
	const struct dp_loop *loop = dp_analysis_loop(render->analysis, id);
	struct dp_html_idle idles[DP_HTML_SHOWN] = { { 0 } };
	size_t input = dp_html__metric("input_wait_ns");
	int status;

	for (size_t i = 0; i < count; i++) {
		const struct dp_iteration *at =
			dp_analysis_loop_iteration(render->analysis, id, iterations[i]);
		const struct dp_iteration *next =
			dp_analysis_loop_iteration(render->analysis, id, iterations[i] + 1);

		idles[i].most = i < DP_HTML_WHOLE ? GAPS : GAPS / LESS;
		idles[i].start_ns = at->start_ns;
		idles[i].input =
			dp_analysis_loop_metric(render->analysis, id, input, iterations[i]) > 0;
		idles[i].end_ns = DP_MAX(next ? next->start_ns : at->end_ns, at->start_ns + 1);
	}
	status = dp_html__idle(render, loop->device, idles, count);
	if (status && !render->status)
		render->status = status;
	dp_render__text(render, ",\n\"timelines\":[");
	for (size_t i = 0; i < count && !status; i++) {
		dp_render__text(render, i ? ",\n" : "");
		write_timeline(render, loop, iterations[i], &idles[i]);
	}
	dp_render__text(render, "]");
	for (size_t i = 0; i < DP_HTML_SHOWN; i++)
		free(idles[i].pieces);
}
