/*
 * The time that host threads spend in operators and ranges while a loop runs: total, and self,
 * which excludes the ranges inside. Cost: linear in the ranges, times their depth of nesting.
 */
#include "report/html.h"

#include <string.h>

#define DEEP 64 /* levels that are searched for a range of the same name */

struct row {
	uint32_t name;
	uint64_t calls;
	int64_t total_ns, self_ns;
};

struct walk {
	const struct dp_trace *trace;
	const struct dp_ranges *ranges;
	int64_t start_ns, end_ns;
	struct row *rows; /* by id of the name */
	uint32_t *top;	  /* by thread: the innermost open range, or DP_NONE */
	uint32_t *around; /* by range: the one that encloses it */
	uint32_t step;	  /* the name of the first step */
};

/* Of the loop's time. */
static int64_t length_of(const struct walk *walk, size_t i)
{
	return DP_MIN(walk->ranges->end_ns[i], walk->end_ns) -
	       DP_MAX(walk->ranges->start_ns[i], walk->start_ns);
}

static bool is_recursion(const struct walk *walk, uint32_t around, uint32_t name)
{
	for (size_t depth = 0; around != DP_NONE && depth < DEEP; depth++) {
		if (walk->ranges->name[around] == name)
			return true;
		around = walk->around[around];
	}
	return false;
}

/* PyTorch numbers its steps; they share one row. */
static uint32_t name_of(struct walk *walk, size_t i)
{
	static const char step[] = "ProfilerStep#";
	uint32_t name = walk->ranges->name[i];

	if (strncmp(dp_trace_string(walk->trace, name), step, sizeof(step) - 1) != 0)
		return name;
	if (walk->step == DP_NONE)
		walk->step = name;
	return walk->step;
}

static void add(struct walk *walk, uint32_t i)
{
	const struct dp_ranges *ranges = walk->ranges;
	uint32_t *top = &walk->top[ranges->thread[i]];
	uint32_t name = name_of(walk, i);
	struct row *row = &walk->rows[name];
	int64_t length_ns = length_of(walk, i);

	while (*top != DP_NONE && ranges->end_ns[*top] <= ranges->start_ns[i])
		*top = walk->around[*top];
	walk->around[i] = *top;
	*top = i;
	row->name = name;
	row->calls++;
	row->self_ns = dp_sum__i64(row->self_ns, length_ns);
	if (!is_recursion(walk, walk->around[i], row->name))
		row->total_ns = dp_sum__i64(row->total_ns, length_ns);
	if (walk->around[i] == DP_NONE)
		return;
	row = &walk->rows[name_of(walk, walk->around[i])];
	row->self_ns = dp_sum__i64(row->self_ns,
				   -DP_MIN(length_ns, length_of(walk, walk->around[i])));
}

static int compare(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->self_ns != y->self_ns)
		return x->self_ns > y->self_ns ? -1 : 1;
	return (x->name > y->name) - (x->name < y->name);
}

static void write_rows(struct dp_render *render, struct row *rows, size_t names)
{
	size_t used = 0;

	for (size_t i = 0; i < names; i++)
		if (rows[i].calls)
			rows[used++] = rows[i];
	if (used)
		qsort(rows, used, sizeof(*rows), compare);
	for (size_t i = 0; i < DP_MIN(used, (size_t)DP_HTML_OPERATORS); i++) {
		dp_render__text(render, i ? ",\n[" : "\n[");
		dp_html__name(render, rows[i].name);
		dp_render__format(render, ",%llu,%lld,%lld]", (unsigned long long)rows[i].calls,
				  (long long)rows[i].total_ns, (long long)rows[i].self_ns);
	}
}

void dp_html__host_operators(struct dp_render *render, size_t loop)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	const struct dp_ranges *ranges = dp_trace_ranges(trace);
	size_t names = dp_trace_string_count(trace), threads = dp_trace_thread_count(trace);
	size_t last = dp_analysis_loop(render->analysis, loop)->iterations - 1;
	struct walk walk = {
		.trace = trace,
		.ranges = ranges,
		.start_ns = dp_analysis_loop_iteration(render->analysis, loop, 0)->start_ns,
		.end_ns = dp_analysis_loop_iteration(render->analysis, loop, last)->end_ns,
		.step = DP_NONE,
	};

	dp_render__text(render, ",\n\"host_operators\":[");
	if (!ranges->count || ranges->count > DP_HTML_EVENTS)
		goto out;
	walk.rows = dp_alloc__zeroed(names + 1, sizeof(*walk.rows));
	walk.top = dp_alloc__array(threads + 1, sizeof(*walk.top));
	walk.around = dp_alloc__array(ranges->count, sizeof(*walk.around));
	if (!walk.rows || !walk.top || !walk.around) {
		if (!render->status)
			render->status = dp_error__nomem(render->error, ranges->count);
		goto out;
	}
	memset(walk.top, 0xff, (threads + 1) * sizeof(*walk.top));
	for (size_t i = 0; i < ranges->count && ranges->start_ns[i] < walk.end_ns; i++)
		if (ranges->end_ns[i] > walk.start_ns && ranges->thread[i] < threads)
			add(&walk, (uint32_t)i);
	write_rows(render, walk.rows, names);
out:
	dp_render__text(render, "]");
	free(walk.rows);
	free(walk.top);
	free(walk.around);
}
