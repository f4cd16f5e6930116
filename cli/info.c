/* What a trace holds, counted. */
#include "info.h"

#include <stdlib.h>

const char *info_class_name(enum dp_stream_class stream_class)
{
	switch (stream_class) {
	case DP_STREAM_MAIN:
		return "main";
	case DP_STREAM_COPY:
		return "copy";
	case DP_STREAM_ASSIST:
	default:
		return "assist";
	}
}

static void count_kernel(struct info *info, uint32_t name, int64_t duration_ns)
{
	struct info_kernel *kernel = &info->names[name];

	kernel->name = name;
	kernel->count++;
	info->kernels++;
	/* Each is below 2^61 ns; a file may have any number of them. */
	if (__builtin_add_overflow(kernel->total_ns, duration_ns, &kernel->total_ns))
		kernel->total_ns = INT64_MAX;
	if (__builtin_add_overflow(info->kernel_ns, duration_ns, &info->kernel_ns))
		info->kernel_ns = INT64_MAX;
}

static void count_copy(struct info *info, uint64_t bytes)
{
	if (__builtin_add_overflow(info->copy_bytes, bytes, &info->copy_bytes))
		info->copy_bytes = UINT64_MAX;
}

/* Names get ids in the order of their first use, so the ids break ties. */
static int compare(const void *a, const void *b)
{
	const struct info_kernel *x = a, *y = b;

	if (x->total_ns != y->total_ns)
		return x->total_ns < y->total_ns ? 1 : -1;
	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return (x->name > y->name) - (x->name < y->name);
}

/* Not all profilers write records of synchronizations; the calls that make them are there. */
static uint64_t count_synchronizations(const struct dp_trace *trace)
{
	const struct dp_calls *calls = dp_trace_calls(trace);
	uint64_t count = dp_trace_syncs(trace)->count;

	for (size_t i = 0; !dp_trace_syncs(trace)->count && i < calls->count; i++)
		count += calls->kind[i] == DP_CALL_SYNC;
	return count;
}

bool info_init(struct info *info, const struct dp_trace *trace, const char *path, size_t top)
{
	const struct dp_ops *ops = dp_trace_ops(trace);
	size_t strings = dp_trace_string_count(trace);

	*info = (struct info){ .trace = trace, .path = path, .top = top };
	info->names = calloc(strings ? strings : 1, sizeof(*info->names));
	if (!info->names)
		return false;
	for (size_t i = 0; i < ops->count; i++) {
		if (dp_op_is_kernel(ops->kind[i]) && ops->name[i] < strings)
			count_kernel(info, ops->name[i], ops->end_ns[i] - ops->start_ns[i]);
		else if (ops->kind[i] == DP_OP_COPY)
			count_copy(info, ops->bytes[i]);
		info->copies += ops->kind[i] == DP_OP_COPY;
		info->sets += ops->kind[i] == DP_OP_SET;
	}
	info->synchronizations = count_synchronizations(trace);
	qsort(info->names, strings, sizeof(*info->names), compare);
	while (info->name_count < strings && info->names[info->name_count].count)
		info->name_count++;
	if (info->top > info->name_count)
		info->top = info->name_count;
	return true;
}

void info_fini(struct info *info)
{
	free(info->names);
	info->names = NULL;
}
