/*
 * Communication kernels with the recorded data of their calls: recorded with the kernel itself
 * (Kineto), with the host's call that launched it (NCCL's NVTX ranges), or only as the kernel's
 * name.
 */
#include "activity/collective.h"
#include "base/base.h"
#include "base/communication.h"
#include "base/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Host calls before a launch that may enclose it: groups nest, but not deeper. */
enum { HOST_CALLS = 32 };

enum dp_collective_kind dp_collective__kind(const char *name)
{
	/* In lower case without separators; longer words precede those that they contain. */
	static const struct {
		const char *word;
		enum dp_collective_kind kind;
	} known[] = {
		{ "allreduce", DP_COLLECTIVE_ALLREDUCE },
		{ "crossdevicereduce", DP_COLLECTIVE_ALLREDUCE }, /* vLLM, SGLang, AITER */
		{ "allgather", DP_COLLECTIVE_ALLGATHER },
		{ "reducescatter", DP_COLLECTIVE_REDUCE_SCATTER },
		{ "alltoall", DP_COLLECTIVE_ALL_TO_ALL },
		{ "barrier", DP_COLLECTIVE_BARRIER },
		{ "broadcast", DP_COLLECTIVE_BROADCAST },
		{ "sendrecv", DP_COLLECTIVE_SEND_RECEIVE },
		{ "send", DP_COLLECTIVE_SEND_RECEIVE },
		{ "recv", DP_COLLECTIVE_SEND_RECEIVE },
		{ "scatter", DP_COLLECTIVE_SCATTER },
		{ "gather", DP_COLLECTIVE_GATHER },
		{ "reduce", DP_COLLECTIVE_REDUCE },
	};
	char plain[128];
	size_t length = 0;

	for (const char *at = name; *at && length + 1 < sizeof(plain); at++)
		if (*at != '_' && *at != '-' && *at != ' ')
			plain[length++] = (char)(*at >= 'A' && *at <= 'Z' ? *at | 0x20 : *at);
	plain[length] = '\0';
	for (size_t i = 0; i < DP_COUNT(known); i++)
		if (strstr(plain, known[i].word))
			return known[i].kind;
	return DP_COLLECTIVE_OTHER;
}

const char *dp_collective_kind_name(enum dp_collective_kind kind)
{
	static const char *const names[DP_COLLECTIVE_KINDS] = {
		"other",     "allreduce", "allgather", "reduce-scatter", "all-to-all",	 "barrier",
		"broadcast", "reduce",	  "gather",    "scatter",	 "send-receive",
	};

	return (size_t)kind < DP_COUNT(names) ? names[kind] : "unknown";
}

double dp_collective__bus_factor(enum dp_collective_kind kind, double members)
{
	switch (kind) {
	case DP_COLLECTIVE_ALLREDUCE:
		return 2 * (members - 1) / members;
	case DP_COLLECTIVE_ALLGATHER:
	case DP_COLLECTIVE_REDUCE_SCATTER:
	case DP_COLLECTIVE_ALL_TO_ALL:
		return (members - 1) / members;
	default:
		return 1;
	}
}

/* The host's call on the launching thread that encloses the launch, or DP_NONE. */
static size_t host_call(const struct dp_trace *trace, uint32_t op)
{
	const struct dp_collectives *from = dp_trace_collectives(trace);
	const struct dp_calls *calls = dp_trace_calls(trace);
	uint32_t call = dp_trace_ops(trace)->call[op];
	size_t low;

	if (call == DP_NONE)
		return DP_NONE;
	DP_FIND(low, 0, from->count, from->start_ns[low] > calls->start_ns[call]);
	for (size_t back = 0; back < HOST_CALLS && low-- > 0; back++)
		if (from->thread[low] != DP_NONE && from->thread[low] == calls->thread[call] &&
		    from->end_ns[low] >= calls->start_ns[call])
			return low;
	return DP_NONE;
}

/* The record of a kernel itself: both are in order of start, and records then of stream. */
static size_t own_record(const struct dp_trace *trace, uint32_t op, size_t *at)
{
	const struct dp_collectives *from = dp_trace_collectives(trace);
	const struct dp_ops *ops = dp_trace_ops(trace);
	size_t step = 1, low;

	/* a device's next kernel may be many records of other devices away */
	while (*at + step < from->count && from->start_ns[*at + step] < ops->start_ns[op])
		step *= 2;
	DP_FIND(low, *at, DP_MIN(from->count, *at + step + 1),
		from->start_ns[low] >= ops->start_ns[op]);
	*at = low;
	DP_FIND(low, *at, from->count,
		from->start_ns[low] > ops->start_ns[op] || from->stream[low] >= ops->stream[op]);
	return low < from->count && from->start_ns[low] == ops->start_ns[op] &&
			       from->stream[low] == ops->stream[op]
		       ? low
		       : DP_NONE;
}

size_t dp_collective__record(const struct dp_trace *trace, uint32_t op, size_t *at)
{
	size_t record = own_record(trace, op, at);

	return record == DP_NONE ? host_call(trace, op) : record;
}

struct kernel {
	uint32_t device, group_size;
	uint8_t kind;
	uint64_t bytes;
	int64_t ns;
};

/* By what makes a row. */
static int compare_keys(const struct kernel *one, const struct kernel *two)
{
	if (one->device != two->device)
		return one->device < two->device ? -1 : 1;
	if (one->kind != two->kind)
		return one->kind < two->kind ? -1 : 1;
	if (one->bytes != two->bytes)
		return one->bytes < two->bytes ? -1 : 1;
	return (one->group_size > two->group_size) - (one->group_size < two->group_size);
}

static int compare_kernels(const void *a, const void *b)
{
	const struct kernel *one = a, *two = b;
	int order = compare_keys(one, two);

	return order ? order : (one->ns > two->ns) - (one->ns < two->ns);
}

/* Longest total first; rows always differ in the remaining members. */
static int compare_rows(const void *a, const void *b)
{
	const struct dp_collective_stat *one = a, *two = b;

	if (one->total_ns < two->total_ns || one->total_ns > two->total_ns)
		return one->total_ns > two->total_ns ? -1 : 1;
	if (one->device != two->device)
		return one->device < two->device ? -1 : 1;
	if (one->kind != two->kind)
		return one->kind < two->kind ? -1 : 1;
	if (one->bytes != two->bytes)
		return one->bytes > two->bytes ? -1 : 1;
	return (one->group_size > two->group_size) - (one->group_size < two->group_size);
}

/* kernels: those of the row, shortest first. */
static struct dp_collective_stat row_of(const struct kernel *kernels, size_t count)
{
	struct dp_collective_stat row = {
		.device = kernels->device,
		.kind = (enum dp_collective_kind)kernels->kind,
		.bytes = kernels->bytes,
		.group_size = kernels->group_size,
		.count = count,
		.min_ns = (double)kernels->ns,
		.median_ns =
			((double)kernels[(count - 1) / 2].ns + (double)kernels[count / 2].ns) / 2,
		.algorithm_bandwidth = (double)NAN,
		.bus_bandwidth = (double)NAN,
	};

	for (size_t i = 0; i < count; i++)
		row.total_ns += (double)kernels[i].ns;
	if (row.bytes && row.median_ns > 0)
		row.algorithm_bandwidth = (double)row.bytes * 1e9 / row.median_ns;
	if (row.group_size)
		row.bus_bandwidth = row.algorithm_bandwidth *
				    dp_collective__bus_factor(row.kind, row.group_size);
	return row;
}

static struct kernel kernel_of(const struct dp_trace *trace, uint32_t op, size_t *at)
{
	const struct dp_collectives *from = dp_trace_collectives(trace);
	const struct dp_ops *ops = dp_trace_ops(trace);
	size_t record = dp_collective__record(trace, op, at);
	bool known = record != DP_NONE;
	const char *name = dp_trace_string(trace, known ? from->name[record] : ops->name[op]);

	return (struct kernel){
		.device = dp_trace_stream(trace, ops->stream[op])->device,
		.group_size = known ? from->group_size[record] : 0,
		.kind = (uint8_t)dp_collective__kind(name),
		.bytes = known ? from->bytes[record] : 0,
		.ns = ops->end_ns[op] - ops->start_ns[op],
	};
}

/* The caller frees the result. NULL if memory runs out. */
static struct kernel *gather(size_t *count, const struct dp_trace *trace)
{
	const struct dp_ops *ops = dp_trace_ops(trace);
	uint8_t *known = dp_alloc__zeroed(dp_trace_string_count(trace) + 1, 1);
	struct kernel *kernels = NULL;
	size_t at = 0, room = 0;
	int status = known ? DP_OK : DP_ERR_NOMEM;

	*count = 0;
	for (size_t i = 0; !status && i < ops->count; i++) {
		uint32_t name = ops->name[i];

		if (!dp_op_is_kernel(ops->kind[i]))
			continue;
		if (!known[name])
			known[name] =
				dp_communication__is_kernel(dp_trace_string(trace, name)) ? 2 : 1;
		if (known[name] == 1)
			continue;
		status = dp_array__reserve(&kernels, &room, *count + 1, sizeof(*kernels));
		if (!status)
			kernels[(*count)++] = kernel_of(trace, (uint32_t)i, &at);
	}
	free(known);
	if (!status && !kernels)
		kernels = dp_alloc__zeroed(1, sizeof(*kernels));
	if (!status)
		return kernels;
	free(kernels);
	return NULL;
}

int dp_collective_stats__init(struct dp_collective_stats *out, const struct dp_trace *trace,
			      struct dp_error *error)
{
	size_t count, end;
	struct kernel *kernels = gather(&count, trace);
	int status = kernels ? DP_OK : DP_ERR_NOMEM;

	*out = (struct dp_collective_stats){ 0 };
	if (kernels && count)
		qsort(kernels, count, sizeof(*kernels), compare_kernels);
	for (size_t i = 0; !status && i < count; i = end) {
		for (end = i + 1; end < count && !compare_keys(&kernels[i], &kernels[end]); end++)
			;
		status = dp_array__reserve(&out->rows, &out->room, out->count + 1,
					   sizeof(*out->rows));
		if (!status)
			out->rows[out->count++] = row_of(&kernels[i], end - i);
	}
	if (out->count)
		qsort(out->rows, out->count, sizeof(*out->rows), compare_rows);
	free(kernels);
	return status ? dp_error__nomem(error, 0) : DP_OK;
}

void dp_collective_stats__fini(struct dp_collective_stats *stats)
{
	free(stats->rows);
}
