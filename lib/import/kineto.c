/*
 * Kineto's traces (PyTorch's profiler, "*.pt.trace.json"), from 2021 on, on CUDA and ROCm, and the
 * export of PyTorch's older autograd profiler. Events go to the builder as they are read; only
 * names, and what kineto_deferred.h lists, are kept.
 *
 * GPU events carry no process, and the number of a device may be that of a process. As Kineto
 * traces one process, they are assigned to the process of the first host event. In a file merged
 * from several traces, kineto_merged.h finds the process; if it cannot, each device is assigned to
 * the process that launched its operations.
 */
#include "import/kineto.h"
#include "import/chrome.h"
#include "import/copy_name.h"
#include "import/kineto_deferred.h"
#include "import/kineto_devices.h"
#include "import/kineto_class.h"
#include "import/kineto_collective.h"
#include "import/kineto_merged.h"
#include "import/kineto_mtia.h"
#include "import/kineto_names.h"
#include "import/kineto_npu.h"
#include "import/kineto_rocprof.h"
#include "import/kineto_rows.h"
#include "import/kineto_xla.h"
#include "import/xla_details.h"

#include <string.h>

#define CACHE 64
/* Processes, devices and names beyond these numbers are damage and get no names. */
#define MOST_VALUES 1024
#define MOST_NAMED 65536

struct thread_slot {
	int64_t pid, tid;
	uint32_t thread;
	bool used;
};

struct stream_slot {
	struct dp_key place;
	uint32_t id;
	bool used;
};

/* A name from a metadata event. */
struct named {
	int64_t pid, tid;
	uint32_t name;
	bool is_thread;
};

struct kineto {
	struct dp_chrome chrome;
	struct dp_builder *builder;
	enum dp_kineto_class class; /* of the last category requested */
	struct dp_kineto_names names;
	uint32_t process; /* of GPU events; DP_NONE until needed */
	int64_t main_pid;
	bool main_known;
	int64_t *pids; /* of host events */
	size_t pid_count, pid_room;
	int64_t *gpu_pids; /* rows that a label marks as a GPU */
	size_t gpu_pid_count, gpu_pid_room;
	struct dp_kineto_devices devices;
	struct dp_kineto_merged merged;
	bool filed; /* GPU events of a process other than the first */
	struct dp_kineto_rows rows;
	struct dp_kineto_rocprof rocprof;
	struct dp_kineto_xla xla;
	struct thread_slot threads[CACHE];
	struct stream_slot streams[CACHE];
	struct named *named;
	size_t named_count, named_room;
	struct dp_lookup by_place; /* device, context, stream, process */
	struct dp_kineto_deferred deferred;
	struct dp_kineto_memory memory;
	int64_t epoch_votes; /* operations that start at a time since 1970, minus the others */
	struct dp_kineto_npu npu;
	bool legacy, foreign;
	int failed; /* DP_ERR_NOMEM from functions that cannot return it */
	uint64_t without_start, host_without_start, without_duration;
};

static int nomem(struct kineto *kineto)
{
	kineto->failed = DP_ERR_NOMEM;
	return dp_error__nomem(kineto->chrome.import->error, 0);
}

/* Converts the status of deferring an event. */
static int kept(struct kineto *kineto, int status)
{
	return status ? nomem(kineto) : DP_OK;
}

static uint32_t want(void *ctx, const char *category, size_t length)
{
	static const uint32_t wanted[] = {
		[DP_KINETO_NONE] = DP_CHROME_ARGS,
		[DP_KINETO_KERNEL] = DP_CHROME_DEVICE | DP_CHROME_CONTEXT | DP_CHROME_STREAM |
				     DP_CHROME_CORRELATION | DP_CHROME_OCCUPANCY,
		[DP_KINETO_COPY] = DP_CHROME_DEVICE | DP_CHROME_CONTEXT | DP_CHROME_STREAM |
				   DP_CHROME_CORRELATION | DP_CHROME_BYTES,
		[DP_KINETO_MEMSET] = DP_CHROME_DEVICE | DP_CHROME_CONTEXT | DP_CHROME_STREAM |
				     DP_CHROME_CORRELATION | DP_CHROME_BYTES,
		[DP_KINETO_CALL] = DP_CHROME_CORRELATION | DP_CHROME_SIZE,
		[DP_KINETO_SYNC] = DP_CHROME_DEVICE | DP_CHROME_CONTEXT | DP_CHROME_STREAM |
				   DP_CHROME_CORRELATION | DP_CHROME_WAIT_STREAM |
				   DP_CHROME_WAIT_RECORD | DP_CHROME_WAIT_EVENT,
		[DP_KINETO_ANNOTATION] = 0,
		[DP_KINETO_OPERATOR] = 0,
		[DP_KINETO_NVTX] = 0,
		[DP_KINETO_INSTANT] = DP_CHROME_DEVICE | DP_CHROME_DEVICE_TYPE | DP_CHROME_BYTES,
		[DP_KINETO_MTIA] = DP_KINETO_MTIA_ARGS,
		[DP_KINETO_FOREIGN] = DP_CHROME_SKIP,
		[DP_KINETO_SKIP] = DP_CHROME_SKIP,
	};
	struct kineto *kineto = ctx;

	kineto->class = dp_kineto__class(category, length);
	kineto->foreign |= kineto->class == DP_KINETO_FOREIGN || kineto->class == DP_KINETO_MTIA;
	return wanted[kineto->class];
}

/* Returns the id of a name; DP_NONE and sets the error on failure. */
static uint32_t name_of(struct kineto *kineto, const struct dp_json_text *text, bool kernel)
{
	bool short_of = false;
	uint32_t id = dp_kineto_names__id(&kineto->names, kineto->builder, text, kernel, &short_of);

	if (short_of)
		nomem(kineto);
	return id;
}

/* Adds value to a set of numbers, of no more than MOST_VALUES. */
static int remember(int64_t **values, size_t *count, size_t *room, int64_t value)
{
	for (size_t i = *count; i-- > 0;)
		if ((*values)[i] == value)
			return DP_OK;
	if (*count >= MOST_VALUES)
		return DP_OK;
	if (dp_array__reserve(values, room, *count + 1, sizeof(value)))
		return DP_ERR_NOMEM;
	(*values)[(*count)++] = value;
	return DP_OK;
}

static bool is_member(const int64_t *values, size_t count, int64_t value)
{
	for (size_t i = 0; i < count; i++)
		if (values[i] == value)
			return true;
	return false;
}

static uint32_t gpu_process(struct kineto *kineto)
{
	if (kineto->process == DP_NONE)
		kineto->process = dp_builder__process(kineto->builder, -1);
	return kineto->process;
}

static uint32_t host_process(struct kineto *kineto, int64_t pid)
{
	if (!kineto->main_known) {
		kineto->main_known = true;
		kineto->main_pid = pid;
	}
	dp_kineto_merged__use(&kineto->merged, pid);
	if (pid == kineto->main_pid)
		return gpu_process(kineto);
	return dp_builder__process(kineto->builder, pid);
}

/* Returns the process of a GPU event; DP_NONE: the first. */
static uint32_t owner_of(struct kineto *kineto, const struct dp_chrome_event *event)
{
	uint32_t process = DP_NONE;
	int64_t pid;

	if (dp_kineto_merged__owner(&kineto->merged, event, &pid))
		process = host_process(kineto, pid);
	return process == kineto->process ? DP_NONE : process;
}

static size_t slot_of(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t h = (a * 3 + b * 5 + c) * UINT64_C(0x9e3779b97f4a7c15);

	return (size_t)(h >> 58) % CACHE;
}

/* Returns the event's thread, or DP_NONE if it does not name one by number. */
static uint32_t thread_of(struct kineto *kineto, const struct dp_chrome_event *event)
{
	int64_t pid = event->has & DP_CHROME_PID ? event->pid : -1;
	struct dp_kineto_row row;
	struct thread_slot *slot;

	if (event->has & DP_CHROME_PID && (pid != kineto->merged.pid || !kineto->merged.known))
		dp_kineto_merged__host(&kineto->merged, event,
				       !is_member(kineto->pids, kineto->pid_count, pid));
	if (!(event->has & DP_CHROME_TID))
		return DP_NONE;
	slot = &kineto->threads[slot_of((uint64_t)pid, (uint64_t)event->tid, 0)];
	if (slot->used && slot->pid == pid && slot->tid == event->tid)
		return slot->thread;
	if (remember(&kineto->pids, &kineto->pid_count, &kineto->pid_room, pid) ||
	    dp_kineto_rows__find(&kineto->rows, pid, event->tid, &row)) {
		nomem(kineto);
		return DP_NONE;
	}
	*slot = (struct thread_slot){ pid, event->tid, DP_NONE, true };
	if (row.known)
		slot->thread =
			dp_builder__thread(kineto->builder, host_process(kineto, pid), row.tid);
	return slot->thread;
}

/* Returns the device, context and stream of the event or of its row, and the process. */
static struct dp_key place_of(struct kineto *kineto, const struct dp_chrome_event *event)
{
	uint32_t has = event->has;
	bool numbered = has & DP_CHROME_PID && !event->pid_text.length;
	int64_t device = has & DP_CHROME_DEVICE ? event->device
			 : numbered		? event->pid
						: dp_json__last_number(&event->pid_text);
	int64_t stream = has & DP_CHROME_STREAM ? event->stream
			 : has & DP_CHROME_TID	? event->tid
						: dp_json__last_number(&event->tid_text);
	int64_t context = has & DP_CHROME_CONTEXT ? event->context : -1;
	uint32_t process = owner_of(kineto, event);

	kineto->merged.has_gpu = true;
	kineto->filed |= process != DP_NONE;
	return (struct dp_key){ { device, context, stream,
				  process == DP_NONE ? gpu_process(kineto) : process } };
}

static uint32_t stream_of(struct kineto *kineto, const struct dp_chrome_event *event)
{
	struct dp_key place = place_of(kineto, event);
	const int64_t *part = place.part;
	struct stream_slot *slot =
		&kineto->streams[slot_of((uint64_t)part[0], (uint64_t)part[2], (uint64_t)part[1]) ^
				 (part[3] & (CACHE - 1))];

	if (slot->used && !memcmp(&slot->place, &place, sizeof(place)))
		return slot->id;
	*slot = (struct stream_slot){ place, DP_NONE, true };
	slot->id =
		dp_builder__stream(kineto->builder, (uint32_t)part[3], part[0], part[1], part[2]);
	if (dp_kineto_devices__use(&kineto->devices, (uint32_t)part[3], part[0]) ||
	    dp_lookup__set(&kineto->by_place, &place, slot->id)) {
		nomem(kineto);
		return DP_NONE;
	}
	return slot->id;
}

/* Returns false if the event has no time. The builder counts ends before their starts. */
static bool times(const struct dp_chrome_event *event, int64_t *start_ns, int64_t *end_ns)
{
	int64_t duration_ns = event->has & DP_CHROME_DURATION ? event->duration_ns : 0;

	*start_ns = event->start_ns;
	return event->has & DP_CHROME_START &&
	       !__builtin_add_overflow(event->start_ns, duration_ns, end_ns);
}

/* Sets the kind by category and name: ROCm's tracer files copies as kernels. */
static void judge(struct dp_op *op, const struct dp_chrome_event *event, enum dp_kineto_class class)
{
	struct dp_copy_name found = { .op = DP_OP_KERNEL };

	if (event->has & DP_CHROME_NAME)
		found = dp_copy_name__read(event->name.at, event->name.length);
	op->kind = class == DP_KINETO_COPY     ? DP_OP_COPY
		   : class == DP_KINETO_MEMSET ? DP_OP_MEMSET
					       : found.op;
	if (op->kind == DP_OP_KERNEL)
		return;
	op->copy_kind = found.kind;
	op->src_kind = found.src;
	op->dst_kind = found.dst;
	if (event->has & DP_CHROME_DETAILS)
		dp_xla_details__describe(op, event->details.at, event->details.length);
}

/* Between 2001 and 2043, in ns: a clock that counts from boot never shows this. */
static bool is_epoch(int64_t time_ns)
{
	return time_ns >= INT64_C(1000000000000000000) && time_ns <= INT64_C(2305843009213693952);
}

static int gpu_event(struct kineto *kineto, const struct dp_chrome_event *event,
		     enum dp_kineto_class class)
{
	struct dp_op op = { 0 };

	if (!times(event, &op.start_ns, &op.end_ns)) {
		kineto->without_start++;
		return DP_OK;
	}
	kineto->without_duration += !(event->has & DP_CHROME_DURATION);
	judge(&op, event, class);
	op.stream = stream_of(kineto, event);
	op.name = event->has & DP_CHROME_NAME
			  ? name_of(kineto, &event->name, op.kind == DP_OP_KERNEL)
			  : dp_builder__string(kineto->builder, "(no name)", 9);
	if (op.stream == DP_NONE || op.name == DP_NONE)
		return DP_ERR_NOMEM;
	op.correlation = dp_chrome__correlation(event);
	if (event->has & DP_CHROME_BYTES && event->bytes > 0 && op.kind != DP_OP_KERNEL)
		op.bytes = (uint64_t)event->bytes;
	/* Kineto also writes 0 if it cannot estimate the occupancy. */
	if (event->has & DP_CHROME_OCCUPANCY && event->occupancy > 0 && event->occupancy <= 100)
		op.occupancy = (uint8_t)event->occupancy;
	kineto->epoch_votes += is_epoch(op.start_ns) ? 1 : -1;
	if (event->has & DP_CHROME_COLLECTIVE && op.kind == DP_OP_KERNEL &&
	    dp_kineto_collective__add(kineto->builder, event, &op))
		return DP_ERR_NOMEM;
	if (op.kind != DP_OP_KERNEL && op.correlation &&
	    !(event->has & (DP_CHROME_BYTES | DP_CHROME_DETAILS)))
		return kept(kineto, dp_kineto_deferred__op(&kineto->deferred, &op));
	return dp_builder__op(kineto->builder, &op);
}

static int call_event(struct kineto *kineto, const struct dp_chrome_event *event)
{
	struct dp_call call = { .thread = thread_of(kineto, event) };

	if (!times(event, &call.start_ns, &call.end_ns) || !(event->has & DP_CHROME_NAME)) {
		kineto->host_without_start++;
		return DP_OK;
	}
	call.correlation = dp_chrome__correlation(event);
	call.name = name_of(kineto, &event->name, false);
	if (call.name == DP_NONE ||
	    kept(kineto, dp_kineto_deferred__size(&kineto->deferred, event)))
		return DP_ERR_NOMEM;
	return dp_builder__add_call(kineto->builder, &call);
}

static int sync_event(struct kineto *kineto, const struct dp_chrome_event *event)
{
	struct dp_sync sync = { .stream = DP_NONE };
	struct dp_key place;

	if (!times(event, &sync.start_ns, &sync.end_ns)) {
		kineto->host_without_start++;
		return DP_OK;
	}
	if (event->has & DP_CHROME_NAME)
		sync.kind = dp_kineto__sync_kind(event->name.at, event->name.length);
	sync.correlation = dp_chrome__correlation(event);
	if (event->has & DP_CHROME_STREAM && event->stream >= 0 && event->stream < UINT32_MAX) {
		place = place_of(kineto, event);
		return kept(kineto,
			    dp_kineto_deferred__sync(&kineto->deferred, &sync, &place, event));
	}
	return dp_builder__add_sync(kineto->builder, &sync);
}

static int range_event(struct kineto *kineto, const struct dp_chrome_event *event,
		       enum dp_range_kind kind)
{
	static const char step[] = "ProfilerStep#";
	struct dp_range range = { .kind = kind, .thread = thread_of(kineto, event) };

	if (!times(event, &range.start_ns, &range.end_ns) || !(event->has & DP_CHROME_NAME)) {
		kineto->host_without_start++;
		return DP_OK;
	}
	/* In 2021 the profiler's steps were filed among the operators. */
	if (event->name.length > sizeof(step) - 1 &&
	    !memcmp(event->name.at, step, sizeof(step) - 1))
		range.kind = DP_RANGE_ANNOTATION;
	range.name = name_of(kineto, &event->name, false);
	if (range.name == DP_NONE)
		return DP_ERR_NOMEM;
	return dp_builder__add_range(kineto->builder, &range);
}

static bool starts(const struct dp_json_text *text, const char *prefix)
{
	size_t length = strlen(prefix);

	return text->length >= length && !memcmp(text->at, prefix, length);
}

/*
 * Without a category the row decides: "CUDA functions" (the autograd export, whose tid is the
 * device), "GPU 0", "stream 7", or a pid that a label marked as a GPU.
 */
static int row_event(struct kineto *kineto, const struct dp_chrome_event *event)
{
	struct dp_chrome_event moved = *event;
	enum dp_kineto_class class;

	if (dp_kineto_npu__read(&kineto->npu, &moved, &class))
		return nomem(kineto);
	if (class != DP_KINETO_NONE)
		return class == DP_KINETO_SKIP ? DP_OK : gpu_event(kineto, &moved, class);
	if (starts(&event->pid_text, "CUDA functions")) {
		moved.has &= ~(uint32_t)(DP_CHROME_TID | DP_CHROME_STREAM);
		if (event->has & DP_CHROME_TID) {
			moved.has |= DP_CHROME_DEVICE;
			moved.device = event->tid;
		}
		kineto->legacy = true;
		return gpu_event(kineto, &moved, DP_KINETO_NONE);
	}
	if (starts(&event->pid_text, "GPU") || starts(&event->pid_text, "Device ") ||
	    starts(&event->tid_text, "stream ") || starts(&event->tid_text, "Stream ") ||
	    (event->has & DP_CHROME_PID && !event->pid_text.length &&
	     is_member(kineto->gpu_pids, kineto->gpu_pid_count, event->pid)))
		return gpu_event(kineto, event, DP_KINETO_NONE);
	return range_event(kineto, event, DP_RANGE_OPERATOR);
}

/* Keeps names of rows for the end, when it is known which rows are processes and threads. */
static int metadata_event(struct kineto *kineto, const struct dp_chrome_event *event)
{
	uint32_t need = DP_CHROME_NAME | DP_CHROME_PID;
	struct named named = { event->pid, event->tid, DP_NONE, false };

	if ((event->has & need) != need)
		return DP_OK;
	if (!event->pid_text.length &&
	    (dp_kineto_rows__note(&kineto->rows, event) ||
	     dp_kineto_xla__note(&kineto->xla, event) || dp_kineto_npu__note(&kineto->npu, event)))
		return nomem(kineto);
	if (!event->pid_text.length)
		dp_kineto_rocprof__note(&kineto->rocprof, event);
	if (starts(&event->name, "process_labels") && event->has & DP_CHROME_LABELS &&
	    starts(&event->labels, "GPU"))
		return remember(&kineto->gpu_pids, &kineto->gpu_pid_count, &kineto->gpu_pid_room,
				event->pid)
			       ? nomem(kineto)
			       : DP_OK;
	if (!(event->has & DP_CHROME_ARG_NAME) || kineto->named_count >= MOST_NAMED)
		return DP_OK;
	if (dp_kineto_xla__is_host(&kineto->xla, event->pid))
		named.pid = -1;
	named.is_thread = starts(&event->name, "thread_name");
	if (named.is_thread ? !(event->has & DP_CHROME_TID) || starts(&event->arg_name, "stream ")
			    : !starts(&event->name, "process_name"))
		return DP_OK;
	named.name = name_of(kineto, &event->arg_name, false);
	if (named.name == DP_NONE)
		return DP_ERR_NOMEM;
	if (dp_array__reserve(&kineto->named, &kineto->named_room, kineto->named_count + 1,
			      sizeof(named)))
		return nomem(kineto);
	kineto->named[kineto->named_count++] = named;
	return DP_OK;
}

/* Handles an event of a known class. */
static int class_event(struct kineto *kineto, const struct dp_chrome_event *event,
		       enum dp_kineto_class class)
{
	dp_kineto_merged__start(&kineto->merged, event);
	switch (class) {
	case DP_KINETO_KERNEL:
	case DP_KINETO_COPY:
	case DP_KINETO_MEMSET:
		return gpu_event(kineto, event, class);
	case DP_KINETO_CALL:
		return call_event(kineto, event);
	case DP_KINETO_SYNC:
		return sync_event(kineto, event);
	case DP_KINETO_ANNOTATION:
		return range_event(kineto, event, DP_RANGE_ANNOTATION);
	case DP_KINETO_OPERATOR:
		return range_event(kineto, event, DP_RANGE_OPERATOR);
	case DP_KINETO_NVTX:
		return range_event(kineto, event, DP_RANGE_NVTX);
	case DP_KINETO_NONE:
		return row_event(kineto, event);
	case DP_KINETO_INSTANT:
	case DP_KINETO_MTIA:
	case DP_KINETO_FOREIGN:
	case DP_KINETO_SKIP:
		break;
	}
	return DP_OK;
}

static int dispatch(struct kineto *kineto, const struct dp_chrome_event *event)
{
	struct dp_chrome_event moved;
	enum dp_kineto_class class;

	if (event->phase == 'M')
		return metadata_event(kineto, event);
	if (event->phase == 'i' && dp_kineto_memory__is(event))
		return kept(kineto, dp_kineto_memory__note(&kineto->memory, event,
							   owner_of(kineto, event)));
	if (event->phase == 'i')
		return DP_OK;
	if (event->has & DP_CHROME_CATEGORY && kineto->class == DP_KINETO_MTIA) {
		moved = *event;
		class = dp_kineto_mtia__read(&moved);
		return class_event(kineto, &moved, class);
	}
	if (event->has & DP_CHROME_CATEGORY)
		return class_event(kineto, event, kineto->class);
	if (!kineto->rocprof.count && !kineto->xla.pids.count)
		return row_event(kineto, event);
	moved = *event;
	class = kineto->rocprof.count ? dp_kineto_rocprof__read(&kineto->rocprof, &moved)
				      : dp_kineto_xla__read(&kineto->xla, &moved);
	return class_event(kineto, &moved, class);
}

static int on_event(void *ctx, const struct dp_chrome_event *event)
{
	struct kineto *kineto = ctx;
	struct dp_chrome_event labelled;
	int status;

	if (event->pid_text.length) {
		labelled = *event;
		if (dp_kineto_merged__label(&kineto->merged, &labelled))
			return nomem(kineto);
		event = &labelled;
	}
	status = dispatch(kineto, event);
	return status ? status : kineto->failed;
}

static int on_device(void *ctx, const struct dp_chrome_device *device)
{
	struct kineto *kineto = ctx;
	uint32_t name = DP_NONE;

	if (device->name.length) {
		name = name_of(kineto, &device->name, false);
		if (name == DP_NONE)
			return DP_ERR_NOMEM;
	}
	return kept(kineto, dp_kineto_devices__describe(&kineto->devices, device, name));
}

/* Ignores the name of a row if it is not the thread's. */
static int name_thread(struct kineto *kineto, uint32_t process, const struct named *named)
{
	struct dp_kineto_row row;

	if (dp_kineto_rows__find(&kineto->rows, named->pid, named->tid, &row))
		return nomem(kineto);
	if (row.known && !row.unnamed)
		dp_builder__name_thread(kineto->builder,
					dp_builder__thread(kineto->builder, process, row.tid),
					named->name);
	return DP_OK;
}

static int give_names(struct kineto *kineto)
{
	struct dp_builder *builder = kineto->builder;
	uint32_t process;

	if (kineto->process != DP_NONE) {
		dp_builder__pid(builder, kineto->process,
				kineto->main_known
					? dp_kineto_merged__pid(&kineto->merged, kineto->main_pid)
					: -1);
		dp_builder__name_process(builder, kineto->process, DP_NONE, kineto->chrome.rank);
	}
	for (size_t i = 0; i < kineto->merged.labels.count; i++) {
		const int64_t pid = INT64_MIN + (int64_t)i, number = kineto->merged.numbers[i];

		if (number > -2)
			dp_builder__pid(builder, host_process(kineto, pid), number);
	}
	for (size_t i = 0; i < kineto->named_count; i++) {
		const struct named *named = &kineto->named[i];

		if (!is_member(kineto->pids, kineto->pid_count, named->pid))
			continue;
		process = host_process(kineto, named->pid);
		if (!named->is_thread)
			dp_builder__name_process(builder, process, named->name,
						 process == kineto->process ? kineto->chrome.rank
									    : -1);
		else if (name_thread(kineto, process, named))
			return DP_ERR_NOMEM;
	}
	return DP_OK;
}

static int finish(struct kineto *kineto)
{
	struct dp_builder *builder = kineto->builder;
	int status = dp_kineto_deferred__push(&kineto->deferred, builder, &kineto->by_place);

	if (!status)
		status = dp_kineto_devices__push(&kineto->devices, builder, &kineto->memory,
						 kineto->process);
	if (!status)
		status = give_names(kineto);
	if (status)
		return status;
	if (kineto->foreign && !dp_builder__op_count(builder) &&
	    !kineto->chrome.import->options->allow_no_gpu)
		return dp_error__set(
			kineto->chrome.import->error, DP_ERR_UNSUPPORTED,
			"a Kineto trace of MTIA accelerators without kernels: no event has the "
			"row of a grid in its args");
	if (kineto->pid_count > 1 && !kineto->filed)
		status = dp_builder__claim_devices(builder, kineto->process);
	if (kineto->epoch_votes > 0 || kineto->chrome.base_known)
		dp_builder__epoch(builder, kineto->epoch_votes > 0 ? 0 : kineto->chrome.base_ns);
	if (kineto->legacy)
		dp_builder__detail(builder, "autograd profiler's export");
	if (!status && dp_kineto_xla__is_capped(&kineto->xla))
		status = dp_builder__loss(
			builder,
			"trace.json.gz is full: JAX and TensorFlow stop at 1,000,000 or 5,000,000 "
			"events; read the .xplane.pb next to it",
			0, 0);
	if (!status && kineto->without_start)
		status = dp_builder__loss(builder, "GPU events without a start",
					  kineto->without_start, 0);
	if (!status && kineto->host_without_start)
		status = dp_builder__loss(builder, "host events without a start or a name",
					  kineto->host_without_start, 0);
	if (!status && kineto->without_duration)
		dp_log__write(&kineto->chrome.import->options->log, DP_LOG_WARNING,
			      "%llu GPU events without a duration were set to 0",
			      (unsigned long long)kineto->without_duration);
	return status;
}

static void release(struct kineto *kineto)
{
	dp_kineto_names__fini(&kineto->names);
	free(kineto->pids);
	free(kineto->gpu_pids);
	dp_kineto_npu__fini(&kineto->npu);
	dp_kineto_devices__fini(&kineto->devices);
	dp_kineto_merged__fini(&kineto->merged);
	free(kineto->named);
	dp_lookup__fini(&kineto->by_place);
	dp_kineto_deferred__fini(&kineto->deferred);
	dp_kineto_memory__fini(&kineto->memory);
	dp_kineto_rows__fini(&kineto->rows);
	dp_kineto_xla__fini(&kineto->xla);
	free(kineto);
}

int dp_kineto__read(struct dp_import *import)
{
	struct kineto *kineto = dp_alloc__zeroed(1, sizeof(*kineto));
	int status;

	if (!kineto)
		return dp_error__nomem(import->error, sizeof(*kineto));
	kineto->builder = import->builder;
	kineto->process = DP_NONE;
	kineto->chrome = (struct dp_chrome){
		.import = import,
		.ctx = kineto,
		.want = want,
		.instants = true,
		.event = on_event,
		.device = on_device,
	};
	status = dp_chrome__read(&kineto->chrome);
	if (!status)
		status = finish(kineto);
	release(kineto);
	return status;
}

static int probe_kineto(const struct dp_probe *probe)
{
	struct dp_chrome_look look;

	dp_chrome__look(&look, probe);
	if (look.events)
		return 80;
	return look.kineto ? 70 : look.json ? 10 : 0;
}

const struct dp_importer dp_importer__kineto = {
	.info = { "kineto", "PyTorch profiler (Kineto) or other Chrome trace, JSON" },
	.how_to_record = "ProfilerActivity.CUDA and .CPU around GPU work",
	.how_to_get_kernels = DP_KINETO_GET_KERNELS,
	.probe = probe_kineto,
	.read = dp_kineto__read,
};
