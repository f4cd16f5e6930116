/*
 * A device's communication kernels with the recorded data of their calls: recorded with the kernel
 * (Kineto) or with the host's call that launched it (NCCL's NVTX ranges), or else derived from the
 * kernel's name and its stream.
 */
#include "base/communication.h"
#include "base/search.h"
#include "base/strings.h"
#include "activity/collective.h"
#include "activity/spans.h"
#include "activity/trace_index.h"
#include "ranks/summary.h"

#include <stdio.h>
#include <string.h>

/* Of the operations launched by a call or an earlier one, that which ends last. */
struct computed {
	uint32_t call;
	uint32_t op;
};

/* What is per device is that of the current one. */
struct dp_call_reader {
	const struct dp_trace *trace;
	struct dp_groups ops;	   /* by device */
	uint8_t *is_communication; /* per kernel name: 0 unknown, 1 no, 2 yes */
	uint32_t *places;	   /* per stream: its index among the device's */
	int64_t *stream_ns;	   /* per stream: when the communication on it ends */
	uint32_t device;
	struct dp_rank_summary *rank;
	struct dp_strings names; /* of groups: their ids are the groups' indices */
	uint32_t *rows;		 /* operations that compute; room for all */
	size_t row_count;
	struct computed *computed; /* by call; room for all operations */
	size_t computed_count;
};

/*
 * A start within this time after the end of the stream's previous operation may be due to that. A
 * stream's next kernel starts within a microsecond or two.
 */
enum { QUEUED_NS = 10000 };

static bool communicates(struct dp_call_reader *reader, uint32_t name)
{
	uint8_t *known = &reader->is_communication[name];

	if (!*known)
		*known = dp_communication__is_kernel(dp_trace_string(reader->trace, name)) ? 2 : 1;
	return *known == 2;
}

static uint32_t add_group(struct dp_call_reader *reader, const char *name, uint32_t size)
{
	struct dp_rank_summary *rank = reader->rank;
	uint32_t id = dp_strings__intern(&reader->names, name, strlen(name));

	if (id == DP_NONE || id < rank->group_count)
		return id;
	if (dp_array__reserve(&rank->groups, &rank->group_room, rank->group_count + 1,
			      sizeof(*rank->groups)))
		return DP_NONE;
	rank->groups[rank->group_count].name = dp_rank_summary__text(rank, name);
	rank->groups[rank->group_count].size = size;
	if (!rank->groups[rank->group_count].name)
		return DP_NONE;
	rank->group_count++;
	return id;
}

/*
 * The group by its name in the trace, or by its stream: the first that communicates, the second …
 */
static uint32_t group_of(struct dp_call_reader *reader, uint32_t name, uint32_t size,
			 uint32_t stream)
{
	char text[64];

	if (name != DP_NONE)
		return add_group(reader, dp_trace_string(reader->trace, name), size);
	snprintf(text, sizeof(text), "stream %u", (unsigned int)reader->places[stream]);
	return add_group(reader, text, 0);
}

static bool sends(const char *name)
{
	return (name[0] | 0x20) == 's';
}

static int by_call(const void *a, const void *b)
{
	const struct computed *x = a, *y = b;

	if (x->call != y->call)
		return x->call < y->call ? -1 : 1;
	return (x->op > y->op) - (x->op < y->op);
}

static void find_computed(struct dp_call_reader *reader)
{
	const struct dp_ops *ops = dp_trace_ops(reader->trace);
	struct computed *computed = reader->computed;
	bool ordered = true;
	size_t count = 0;

	for (size_t i = 0; i < reader->row_count; i++) {
		uint32_t op = reader->rows[i];

		if (ops->call[op] == DP_NONE)
			continue;
		ordered &= !count || computed[count - 1].call <= ops->call[op];
		computed[count++] = (struct computed){ ops->call[op], op };
	}
	if (!ordered)
		qsort(computed, count, sizeof(*computed), by_call);
	for (size_t i = 1; i < count; i++)
		if (ops->end_ns[computed[i - 1].op] > ops->end_ns[computed[i].op])
			computed[i].op = computed[i - 1].op;
	reader->computed_count = count;
}

/* When everything ends that was launched by a call or an earlier one. */
static int64_t computed_by(const struct dp_call_reader *reader, uint32_t call)
{
	size_t next;

	DP_FIND(next, 0, reader->computed_count, reader->computed[next].call > call);
	return next ? dp_trace_ops(reader->trace)->end_ns[reader->computed[next - 1].op]
		    : INT64_MIN;
}

/*
 * How long a communication kernel waited for the previous one on its stream. It is ready when it is
 * launched and everything launched before it is computed, unless that was still running when it
 * started.
 */
static int64_t queued_time(struct dp_call_reader *reader, uint32_t op)
{
	const struct dp_ops *ops = dp_trace_ops(reader->trace);
	int64_t *before_ns = &reader->stream_ns[ops->stream[op]];
	int64_t start_ns = ops->start_ns[op], ready_ns, computed_ns;
	bool behind = *before_ns != INT64_MIN && start_ns - *before_ns < QUEUED_NS;
	uint32_t call = ops->call[op];

	*before_ns = DP_MAX(*before_ns, ops->end_ns[op]);
	if (!behind)
		return 0;
	if (call == DP_NONE)
		return -1;
	ready_ns = dp_trace_calls(reader->trace)->end_ns[call];
	computed_ns = computed_by(reader, call);
	if (computed_ns <= start_ns)
		ready_ns = DP_MAX(ready_ns, computed_ns);
	return DP_MAX(0, start_ns - ready_ns);
}

static int add_call(struct dp_call_reader *reader, uint32_t op, size_t record)
{
	const struct dp_collectives *from = dp_trace_collectives(reader->trace);
	const struct dp_ops *ops = dp_trace_ops(reader->trace);
	struct dp_rank_summary *rank = reader->rank;
	bool known = record != DP_NONE;
	const char *name =
		dp_trace_string(reader->trace, known ? from->name[record] : ops->name[op]);
	struct dp_call_summary call = {
		.start_ns = ops->start_ns[op],
		.end_ns = ops->end_ns[op],
		.queued_ns = queued_time(reader, op),
		.bytes = known ? from->bytes[record] : 0,
		.sequence = known ? from->sequence[record] : -1,
		.iteration = DP_NONE,
		.peer = known ? from->peer[record] : -1,
		.self = known ? from->self[record] : -1,
		.kind = (uint8_t)dp_collective__kind(name),
		.sends = known && sends(name),
	};

	call.group = group_of(reader, known ? from->group[record] : DP_NONE,
			      known ? from->group_size[record] : 0, ops->stream[op]);
	if (call.group == DP_NONE || dp_array__reserve(&rank->calls, &rank->call_room,
						       rank->call_count + 1, sizeof(call)))
		return DP_ERR_NOMEM;
	rank->calls[rank->call_count++] = call;
	return DP_OK;
}

static int read_operations(struct dp_call_reader *reader)
{
	const struct dp_ops *ops = dp_trace_ops(reader->trace);
	size_t at = 0, count, record;
	const uint32_t *rows = dp_groups__rows(&reader->ops, reader->device, &count);
	int status = DP_OK;

	reader->row_count = 0;
	for (size_t i = 0; i < count; i++)
		if (dp_op_is_kernel(ops->kind[rows[i]]) &&
		    !communicates(reader, ops->name[rows[i]]))
			reader->rows[reader->row_count++] = rows[i];
	find_computed(reader);
	for (size_t i = 0; i < count && !status; i++) {
		if (!dp_op_is_kernel(ops->kind[rows[i]]) ||
		    !communicates(reader, ops->name[rows[i]]))
			continue;
		record = dp_collective__record(reader->trace, rows[i], &at);
		status = add_call(reader, rows[i], record);
	}
	return status;
}

/* How long nothing computes right before a call ends: until then the rank waits for it. */
static int64_t blocked_time(const struct dp_spans *compute, const struct dp_call_summary *call)
{
	size_t next;

	DP_FIND(next, 0, compute->count, compute->start_ns[next] >= call->end_ns);
	return next ? DP_MAX(0, call->end_ns - DP_MAX(compute->end_ns[next - 1], call->start_ns))
		    : call->end_ns - call->start_ns;
}

/* Requires calls in order of start. */
static int find_exposed(struct dp_call_reader *reader)
{
	struct dp_rank_summary *rank = reader->rank;
	struct dp_spans compute = { 0 };
	struct dp_spans_at at = { &compute, 0 };
	int64_t busy_ns = INT64_MIN;
	int status = dp_spans__init(&compute, dp_trace_ops(reader->trace), reader->rows,
				    reader->row_count, NULL);

	for (size_t i = 0; i < rank->call_count && !status; i++) {
		struct dp_call_summary *call = &rank->calls[i];
		int64_t from_ns = DP_MAX(call->start_ns, busy_ns);

		if (call->end_ns > from_ns)
			call->exposed_ns =
				call->end_ns - from_ns -
				dp_spans_at__covered(&at, from_ns, call->end_ns);
		call->blocks_ns = blocked_time(&compute, call);
		if (rank->untimed)
			call->exposed_ns = call->blocks_ns = call->end_ns - call->start_ns;
		busy_ns = DP_MAX(busy_ns, call->end_ns);
	}
	dp_spans__fini(&compute);
	return status;
}

/* Groups the operations by device, and numbers the streams of each. */
static int init_streams(struct dp_call_reader *reader)
{
	const struct dp_trace *trace = reader->trace;
	size_t streams = dp_trace_stream_count(trace), devices = dp_trace_device_count(trace);
	const struct dp_ops *ops = dp_trace_ops(trace);
	uint32_t *device_of = dp_alloc__array(streams + 1, sizeof(*device_of));
	uint32_t *counts = dp_alloc__zeroed(devices + 1, sizeof(*counts));
	int status = DP_ERR_NOMEM;

	for (size_t s = 0; device_of && counts && s < streams; s++) {
		device_of[s] = dp_trace_stream(trace, s)->device;
		reader->stream_ns[s] = INT64_MIN;
		reader->places[s] = counts[device_of[s]]++;
	}
	if (device_of && counts)
		status = dp_groups__init(&reader->ops, ops->stream, device_of, ops->count, devices);
	free(counts);
	free(device_of);
	return status;
}

int dp_call_reader__new(struct dp_call_reader **out, const struct dp_trace *trace)
{
	struct dp_call_reader *reader = dp_alloc__zeroed(1, sizeof(*reader));
	size_t names = dp_trace_string_count(trace), streams = dp_trace_stream_count(trace);
	size_t ops = dp_trace_ops(trace)->count;

	if (!reader)
		return DP_ERR_NOMEM;
	reader->trace = trace;
	reader->is_communication = dp_alloc__zeroed(names + 1, 1);
	reader->places = dp_alloc__array(streams + 1, sizeof(*reader->places));
	reader->stream_ns = dp_alloc__array(streams + 1, sizeof(*reader->stream_ns));
	reader->rows = dp_alloc__array(ops + 1, sizeof(*reader->rows));
	reader->computed = dp_alloc__array(ops + 1, sizeof(*reader->computed));
	if (!reader->is_communication || !reader->places || !reader->stream_ns || !reader->rows ||
	    !reader->computed || init_streams(reader)) {
		dp_call_reader__free(reader);
		return DP_ERR_NOMEM;
	}
	*out = reader;
	return DP_OK;
}

void dp_call_reader__free(struct dp_call_reader *reader)
{
	if (!reader)
		return;
	dp_groups__fini(&reader->ops);
	free(reader->is_communication);
	free(reader->places);
	free(reader->stream_ns);
	free(reader->rows);
	free(reader->computed);
	free(reader);
}

static int compare_calls(const void *a, const void *b)
{
	const struct dp_call_summary *one = a, *two = b;

	if (one->end_ns != two->end_ns)
		return one->end_ns < two->end_ns ? -1 : 1;
	if (one->start_ns != two->start_ns)
		return one->start_ns < two->start_ns ? -1 : 1;
	return one->group < two->group ? -1 : one->group > two->group;
}

int dp_summary__calls(struct dp_rank_summary *rank, struct dp_call_reader *reader, uint32_t device)
{
	int status;

	reader->rank = rank;
	reader->device = device;
	status = read_operations(reader);
	if (!status)
		status = find_exposed(reader);
	if (!status && rank->call_count)
		qsort(rank->calls, rank->call_count, sizeof(*rank->calls), compare_calls);
	dp_strings__fini(&reader->names);
	return status;
}
