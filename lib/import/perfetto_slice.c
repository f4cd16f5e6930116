/* Slices of a Perfetto trace: see perfetto_slice.h. Cost: constant for each, expected. */
#include "import/perfetto_slice.h"
#include "base/text.h"

#include <string.h>
#include <strings.h>

/* Field numbers of a TrackDescriptor. */
enum { TRACK_ID = 1, TRACK_NAME = 2, TRACK_PROCESS = 3, TRACK_THREAD = 4, TRACK_PARENT = 5 };
enum { TRACK_STATIC_NAME = 10, OWNER_PID = 1, THREAD_TID = 2 };

/* Nested tracks that are followed; deeper ones are damage. */
#define MOST_LEVELS 16

static const struct dp_slice_track no_track = { 0, -1, -1, -1, -1, -1 };

static int nomem(const struct dp_slices *slices)
{
	return dp_error__nomem(slices->import->error, 0);
}

static int failed(const struct dp_slices *slices)
{
	return slices->import->error->status;
}

int64_t dp_slice__number(const char *text, size_t length, const char *word)
{
	size_t n = strlen(word), at;
	int64_t number = 0;

	for (size_t i = 0; i + n < length; i++) {
		if (strncasecmp(text + i, word, n))
			continue;
		for (at = i + n;
		     at < length && (text[at] == ' ' || text[at] == '[' || text[at] == '-'); at++)
			continue;
		if (at == length || text[at] < '0' || text[at] > '9') {
			i = DP_MAX(at, i + 1) - 1; /* no word begins in between */
			continue;
		}
		for (; at < length && text[at] >= '0' && text[at] <= '9' && number < 1LL << 59;
		     at++)
			number = number * 10 + (text[at] - '0');
		return number;
	}
	return -1;
}

enum dp_slice_kind dp_slice__kind(const char *text, size_t length)
{
	static const enum dp_slice_kind regions[] = { [DP_ROCM_OTHER] = DP_SLICE_OTHER,
						      [DP_ROCM_CALL] = DP_SLICE_CALL,
						      [DP_ROCM_MARKER] = DP_SLICE_MARKER,
						      [DP_ROCM_OPERATOR] = DP_SLICE_OPERATOR };

	if (dp_rocm__contains(text, length, "kernel_dispatch"))
		return DP_SLICE_KERNEL;
	if (dp_rocm__contains(text, length, "memory_copy"))
		return DP_SLICE_COPY;
	if (dp_rocm__contains(text, length, "hip_stream"))
		return DP_SLICE_STREAM;
	return dp_rocm__contains(text, length, "deepprof") ? DP_SLICE_OWN
							   : regions[dp_rocm__region(text, length)];
}

enum dp_slice_note dp_slice__note(const char *text, size_t length)
{
	static const char *const names[DP_NOTES][2] = {
		[DP_NOTE_CORRELATION] = { "corr_id", "stack_id" },
		[DP_NOTE_AGENT] = { "agent", "node_id" },
		[DP_NOTE_SRC_AGENT] = { "src_agent", "src_agent_id" },
		[DP_NOTE_QUEUE] = { "queue", "" },
		[DP_NOTE_DST_AGENT] = { "dst_agent", "dst_agent_id" },
		[DP_NOTE_STREAM] = { "stream_id", "" },
		[DP_NOTE_BYTES] = { "copy_bytes", "bytes" },
		[DP_NOTE_TID] = { "tid", "" },
	};

	for (size_t i = 0; length && i < 2 * (size_t)DP_NOTES; i++)
		if (dp_text__is(text, length, names[i / 2][i % 2]))
			return (enum dp_slice_note)(i / 2);
	return DP_NOTES;
}

uint32_t dp_slices__place(struct dp_lookup *places, uint64_t id, void *data, size_t *room,
			  size_t *count, size_t size)
{
	struct dp_key key = { { (int64_t)id } };
	uint32_t place = dp_lookup__get(places, &key);

	if (place != DP_NONE)
		return place;
	if (dp_array__reserve(data, room, *count + 1, size) ||
	    dp_lookup__set(places, &key, (uint32_t)*count))
		return DP_NONE;
	return (uint32_t)(*count)++;
}

static const struct dp_slice_track *find_track(const struct dp_slices *slices, uint64_t id)
{
	struct dp_key key = { { (int64_t)id } };
	uint32_t index = dp_lookup__get(&slices->track_ids, &key);

	return index == DP_NONE ? &no_track : &slices->tracks[index];
}

/* Reads "COMPUTE AGENT [1] STREAM [7] (GPU)", "GPU Kernel Dispatch [0] Queue 1", … */
static void read_track_name(struct dp_slice_track *track, const char *name, size_t length)
{
	static const char *const agents[] = { "agent", "gpu", "dispatch", "device" };

	for (size_t i = 0; track->agent < 0 && i < DP_COUNT(agents); i++)
		track->agent = dp_slice__number(name, length, agents[i]);
	track->stream = dp_slice__number(name, length, "stream");
	track->queue = dp_slice__number(name, length, "queue");
}

int dp_slices__track(struct dp_slices *slices, struct dp_wire_cursor cursor)
{
	struct dp_slice_track track = no_track;
	struct dp_wire_message message, owner;
	bool thread;
	uint32_t index;
	size_t length;
	const char *name;

	dp_wire__message(&message, cursor);
	track.parent = dp_wire__value(&message, TRACK_PARENT);
	name = dp_wire__text(&message,
			     dp_wire__has(&message, TRACK_NAME) ? TRACK_NAME : TRACK_STATIC_NAME,
			     &length);
	if (name)
		read_track_name(&track, name, length);
	thread = dp_wire__has(&message, TRACK_THREAD);
	dp_wire__message(&owner, dp_wire__inside(&message, thread ? TRACK_THREAD : TRACK_PROCESS));
	if (dp_wire__has(&owner, OWNER_PID))
		track.pid = slices->pid = (int32_t)dp_wire__value(&owner, OWNER_PID);
	if (thread && dp_wire__has(&owner, THREAD_TID))
		track.tid = (int64_t)dp_wire__value(&owner, THREAD_TID);
	index = dp_slices__place(&slices->track_ids, dp_wire__value(&message, TRACK_ID),
				 &slices->tracks, &slices->track_room, &slices->track_count,
				 sizeof(track));
	if (index == DP_NONE)
		return nomem(slices);
	slices->tracks[index] = track;
	return DP_OK;
}

/* Returns a track's process: its own, or that of the enclosing track. */
static int64_t process_of(const struct dp_slices *slices, const struct dp_slice_track *track)
{
	for (int level = 0; level < MOST_LEVELS && track->pid < 0 && track->parent; level++)
		track = find_track(slices, track->parent);
	return track->pid >= 0 ? track->pid : slices->pid;
}

/* A flow is the correlation id mixed with the process: its lower half serves as the id, too. */
static uint32_t correlation_of(const struct dp_perfetto_slice *slice)
{
	int64_t id = slice->note[DP_NOTE_CORRELATION];

	if (id < 0)
		return (uint32_t)slice->flow;
	return id <= UINT32_MAX ? (uint32_t)id : 0;
}

/* The stream is HIP's; without one, the queue takes its place. */
static uint32_t stream_of(struct dp_slices *slices, const struct dp_perfetto_slice *slice,
			  int64_t agent)
{
	const struct dp_slice_track *track = find_track(slices, slice->track);
	int64_t stream = track->stream;

	if (stream < 0)
		stream = slice->note[DP_NOTE_STREAM];
	if (stream < 0)
		stream =
			slice->note[DP_NOTE_QUEUE] >= 0 ? slice->note[DP_NOTE_QUEUE] : track->queue;
	return dp_places__stream(&slices->places, process_of(slices, track),
				 agent >= 0 ? agent : track->agent, -1, stream);
}

static const char *name_of(const struct dp_slices *slices, const struct dp_perfetto_slice *slice)
{
	return slice->name == DP_NONE ? "" : dp_texts__get(&slices->texts, slice->name);
}

static bool has_word(const char *name, const char *word)
{
	return dp_rocm__contains(name, dp_texts__head(name), word);
}

/* Copies are named MEMORY_COPY_HOST_TO_DEVICE and the like. */
static int push_copy(struct dp_slices *slices, const struct dp_perfetto_slice *slice,
		     struct dp_op *op)
{
	int64_t src = slice->note[DP_NOTE_SRC_AGENT], dst = slice->note[DP_NOTE_DST_AGENT];
	const char *name = name_of(slices, slice);
	bool from = has_word(name, "DEVICE_TO_"), to = has_word(name, "_TO_DEVICE");

	dp_rocm__set_copy(op, from, to, src >= 0 && dst >= 0 && src != dst);
	if (!has_word(name, "_TO_"))
		op->copy_kind = DP_COPY_UNKNOWN;
	op->bytes = (uint64_t)DP_MAX(slice->note[DP_NOTE_BYTES], 0);
	op->name = dp_builder__copy_name(slices->import->builder, op->copy_kind);
	op->stream = stream_of(slices, slice, from ? src : dst);
	if (op->name == DP_NONE || op->stream == DP_NONE)
		return failed(slices);
	return dp_builder__op(slices->import->builder, op);
}

static int push_host(struct dp_slices *slices, const struct dp_perfetto_slice *slice, uint32_t name,
		     int64_t end_ns)
{
	const struct dp_slice_track *track = find_track(slices, slice->track);
	int64_t tid = track->tid >= 0 ? track->tid : slice->note[DP_NOTE_TID];
	struct dp_call call = { slice->start_ns, end_ns, name, DP_NONE, correlation_of(slice) };
	struct dp_range range = { slice->start_ns, end_ns, name, DP_NONE, DP_RANGE_OPERATOR };

	/* A mark has no duration. */
	if (slice->kind == DP_SLICE_MARKER && end_ns == slice->start_ns)
		return DP_OK;
	if (tid >= 0) {
		call.thread = dp_places__thread(&slices->places, process_of(slices, track), tid);
		if (call.thread == DP_NONE)
			return failed(slices);
	}
	if (slice->kind == DP_SLICE_CALL)
		return dp_builder__add_call(slices->import->builder, &call);
	range.thread = call.thread;
	range.kind = slice->kind == DP_SLICE_MARKER ? DP_RANGE_NVTX : DP_RANGE_OPERATOR;
	return dp_builder__add_range(slices->import->builder, &range);
}

int dp_slices__push(struct dp_slices *slices, const struct dp_perfetto_slice *slice, int64_t end_ns)
{
	struct dp_op op = { .start_ns = slice->start_ns,
			    .end_ns = end_ns,
			    .correlation = correlation_of(slice) };
	uint32_t name;

	if (slice->kind == DP_SLICE_OTHER)
		return DP_OK;
	if (slice->kind == DP_SLICE_COPY ||
	    (slice->kind == DP_SLICE_STREAM && has_word(name_of(slices, slice), "MEMORY_COPY")))
		return push_copy(slices, slice, &op);
	name = slice->name == DP_NONE
		       ? dp_builder__string(slices->import->builder, "[unnamed]", 9)
		       : dp_texts__use(&slices->texts, slices->import->builder, slice->name);
	if (name == DP_NONE)
		return failed(slices);
	if (slice->kind != DP_SLICE_KERNEL && slice->kind != DP_SLICE_STREAM)
		return push_host(slices, slice, name, end_ns);
	op.name = name;
	op.stream = stream_of(slices, slice, slice->note[DP_NOTE_AGENT]);
	return op.stream == DP_NONE ? failed(slices) : dp_builder__op(slices->import->builder, &op);
}

void dp_slices__init(struct dp_slices *slices, const struct dp_import *import)
{
	memset(slices, 0, sizeof(*slices));
	slices->import = import;
	slices->texts.kernels = true;
	slices->pid = -1;
	dp_places__init(&slices->places, import->builder, import->error);
}

void dp_slices__fini(struct dp_slices *slices)
{
	free(slices->tracks);
	dp_lookup__fini(&slices->track_ids);
	dp_places__fini(&slices->places);
	dp_texts__fini(&slices->texts);
}
