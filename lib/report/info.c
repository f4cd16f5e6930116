/* dp_trace_info_write(): what a trace holds, counted. */
#include "report/info.h"

#include <stdlib.h>
#include <string.h>

static const struct dp_whole_renderer *const renderers[] = {
	&dp_info_renderer__text,
	&dp_info_renderer__json,
};

const struct dp_report_format *dp_trace_info_format(size_t index)
{
	return index < DP_COUNT(renderers) ? &renderers[index]->info : NULL;
}

static void count_kernel(struct dp_info *info, uint32_t name, int64_t duration_ns)
{
	struct dp_info_kernel *kernel = &info->names[name];

	kernel->name = name;
	kernel->count++;
	info->kernels++;
	/* each is below 2^61 ns, but a file may have any number of them */
	if (__builtin_add_overflow(kernel->total_ns, duration_ns, &kernel->total_ns))
		kernel->total_ns = INT64_MAX;
	if (__builtin_add_overflow(info->kernel_ns, duration_ns, &info->kernel_ns))
		info->kernel_ns = INT64_MAX;
}

/* Names have ids in the order of their first use, so ids break ties. */
static int compare(const void *a, const void *b)
{
	const struct dp_info_kernel *x = a, *y = b;

	if (x->total_ns != y->total_ns)
		return x->total_ns < y->total_ns ? 1 : -1;
	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return (x->name > y->name) - (x->name < y->name);
}

/* Some profilers write no synchronization records, but the calls that synchronize. */
static uint64_t count_synchronizations(const struct dp_trace *trace)
{
	const struct dp_calls *calls = dp_trace_calls(trace);
	uint64_t count = dp_trace_syncs(trace)->count;

	for (size_t i = 0; !dp_trace_syncs(trace)->count && i < calls->count; i++)
		count += calls->kind[i] == DP_CALL_SYNC;
	return count;
}

/* Most bytes of the name of a call that launches a graph. */
enum { NAME_MOST = 64 };

/* Returns true for a node of a graph: the call that launched it names graphs. */
static bool is_graph_node(const struct dp_trace *trace, size_t op)
{
	const struct dp_ops *ops = dp_trace_ops(trace);
	const struct dp_calls *calls = dp_trace_calls(trace);

	const char *name;

	if (ops->kind[op] == DP_OP_GRAPH || ops->call[op] == DP_NONE)
		return false;
	/* only names of a hostile file are long */
	name = dp_trace_string(trace, calls->name[ops->call[op]]);
	return strnlen(name, NAME_MOST) < NAME_MOST && strstr(name, "GraphLaunch");
}

static int count_all(struct dp_info *info, struct dp_error *error)
{
	const struct dp_ops *ops = dp_trace_ops(info->trace);
	size_t strings = dp_trace_string_count(info->trace);

	info->names = calloc(strings ? strings : 1, sizeof(*info->names));
	if (!info->names)
		return dp_error__nomem(error, strings * sizeof(*info->names));
	for (size_t i = 0; i < ops->count; i++) {
		if (dp_op_is_kernel(ops->kind[i]) && ops->name[i] < strings)
			count_kernel(info, ops->name[i], ops->end_ns[i] - ops->start_ns[i]);
		else if (ops->kind[i] == DP_OP_COPY &&
			 __builtin_add_overflow(info->copy_bytes, ops->bytes[i], &info->copy_bytes))
			info->copy_bytes = UINT64_MAX;
		info->copies += ops->kind[i] == DP_OP_COPY;
		info->memsets += ops->kind[i] == DP_OP_MEMSET;
		info->graphs += ops->kind[i] == DP_OP_GRAPH;
		info->graph_nodes += is_graph_node(info->trace, i);
	}
	info->synchronizations = count_synchronizations(info->trace);
	qsort(info->names, strings, sizeof(*info->names), compare);
	while (info->name_count < strings && info->names[info->name_count].count)
		info->name_count++;
	for (size_t i = 0; info->kernel_ns && i < info->name_count; i++)
		info->names[i].share = (double)info->names[i].total_ns / (double)info->kernel_ns;
	return DP_OK;
}

int dp_trace_info_write(const struct dp_trace *trace, const char *format,
			const struct dp_report_options *options, const struct dp_sink *sink,
			struct dp_error *error)
{
	struct dp_info info = { .trace = trace };
	struct dp_whole whole = {
		.renderers = renderers,
		.count = DP_COUNT(renderers),
		.what = &info,
	};
	int status = count_all(&info, error);

	if (!status)
		status = dp_whole__write(&whole, format, options, sink, error);
	free(info.names);
	return status;
}
