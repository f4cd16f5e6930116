/* Receives what importers push; builder_finish.c makes the trace of it. */
#include "trace/builder_model.h"
#include "base/utf8.h"
#include "trace/call_kind.h"
#include "trace/demangle.h"

#include <stdio.h>
#include <string.h>

/* More bytes of names fail with DP_ERR_LIMIT. */
#define NAMES_BYTES ((uint64_t)2 << 30)

/* Beyond this many plain forms, names stay mangled: only a hostile file has as many. */
#define DEMANGLED_BYTES ((uint64_t)512 << 20)

#define KERNEL_MOST 16384 /* recorded ones have up to 5,000 bytes */

/* Reasons of losses that are distinguished; more are counted together. */
#define LOSSES_MOST 64

static const uint8_t op_widths[] = { 8, 8, 8, 4, 4, 4, 4, 1, 1, 1, 1, 1 };
static const uint8_t call_widths[] = { 8, 8, 4, 4, 4, 1 };
static const uint8_t sync_widths[] = { 8, 8, 4, 4, 1, 4, 4, 4 };
static const uint8_t collective_widths[] = { 8, 8, 8, 8, 4, 4, 4, 4, 4, 4, 4 };
static const uint8_t range_widths[] = { 8, 8, 4, 4, 1 };
static const uint8_t memory_widths[] = { 8, 8, 4 };
static const uint8_t sample_widths[] = { 8, 8, 4, 4, 4, 4 };
static const uint8_t activity_widths[] = { 8, 8, 4, 4, 4, 4 };
static const uint8_t cpu_widths[] = { 8, 8, 8, 8, 4 };
static const uint8_t off_widths[] = { 8, 8, 4, 1 };
static const uint8_t function_widths[] = { 8, 4, 4, 4 };
static const uint8_t throttling_widths[] = { 8, 8, 4 };

int dp_builder__new(struct dp_builder **builder, struct dp_error *error)
{
	struct dp_builder *made = dp_alloc__zeroed(1, sizeof(*made));

	if (!made)
		return dp_error__nomem(error, sizeof(*made));
	made->error = error;
	dp_columns__init(&made->ops, op_widths, DP_COUNT(op_widths));
	dp_columns__init(&made->calls, call_widths, DP_COUNT(call_widths));
	dp_columns__init(&made->syncs, sync_widths, DP_COUNT(sync_widths));
	dp_columns__init(&made->collectives, collective_widths, DP_COUNT(collective_widths));
	dp_columns__init(&made->ranges, range_widths, DP_COUNT(range_widths));
	dp_columns__init(&made->memory, memory_widths, DP_COUNT(memory_widths));
	dp_columns__init(&made->samples, sample_widths, DP_COUNT(sample_widths));
	dp_columns__init(&made->activity, activity_widths, DP_COUNT(activity_widths));
	dp_columns__init(&made->cpu_samples, cpu_widths, DP_COUNT(cpu_widths));
	dp_columns__init(&made->off_cpu, off_widths, DP_COUNT(off_widths));
	dp_columns__init(&made->function_samples, function_widths, DP_COUNT(function_widths));
	dp_columns__init(&made->throttling, throttling_widths, DP_COUNT(throttling_widths));
	*builder = made;
	return DP_OK;
}

void dp_builder__free(struct dp_builder *builder)
{
	if (!builder)
		return;
	dp_columns__fini(&builder->ops);
	dp_columns__fini(&builder->calls);
	dp_columns__fini(&builder->syncs);
	dp_columns__fini(&builder->collectives);
	dp_columns__fini(&builder->ranges);
	dp_columns__fini(&builder->memory);
	dp_columns__fini(&builder->samples);
	dp_columns__fini(&builder->activity);
	dp_columns__fini(&builder->cpu_samples);
	dp_columns__fini(&builder->off_cpu);
	dp_columns__fini(&builder->function_samples);
	dp_columns__fini(&builder->throttling);
	dp_strings__fini(&builder->strings);
	dp_strings__fini(&builder->mangled);
	dp_strings__fini(&builder->keys);
	for (size_t i = 0; i < builder->loss_count; i++)
		free((char *)builder->losses[i].reason);
	free(builder->losses);
	free(builder->demangled);
	free(builder->call_kinds);
	free(builder->key_index);
	free(builder->streams);
	free(builder->devices);
	free(builder->processes);
	free(builder->threads);
	free(builder->pauses);
	free(builder);
}

int dp_builder__fail(struct dp_builder *builder, int status)
{
	if (!builder->status)
		builder->status = status;
	if (status == DP_ERR_NOMEM)
		return dp_error__nomem(builder->error, 0);
	return dp_error__set(builder->error, status,
			     "more than 4 billion events of one kind in one file");
}

/* Compressed names can be a thousand times as long as the file, so they are limited. */
static uint32_t intern(struct dp_builder *builder, struct dp_strings *strings, const char *text,
		       size_t length)
{
	uint32_t id = DP_NONE;

	if (strings->bytes > NAMES_BYTES) {
		dp_error__set(builder->error, DP_ERR_LIMIT, "more than 2 GiB of names");
		dp_builder__fail(builder, DP_ERR_LIMIT);
		return DP_NONE;
	}
	id = dp_strings__intern(strings, text, length);
	if (id == DP_NONE)
		dp_builder__fail(builder, DP_ERR_NOMEM);
	return id;
}

/* Interns `most` of length bytes without NUL. */
static uint32_t intern_valid(struct dp_builder *builder, const char *text, size_t length,
			     size_t most)
{
	char *repaired = NULL;
	uint32_t id;

	length = dp_utf8__cut(text, length, most);
	if (!dp_utf8__valid(text, length)) {
		repaired = dp_utf8__repair(text, length, &length);
		if (!repaired) {
			dp_builder__fail(builder, DP_ERR_NOMEM);
			return DP_NONE;
		}
		text = repaired;
	}
	id = intern(builder, &builder->strings, text, length);
	free(repaired);
	return id;
}

uint32_t dp_builder__string(struct dp_builder *builder, const char *text, size_t length)
{
	if (builder->status)
		return DP_NONE;
	return intern_valid(builder, text, strnlen(text, length), DP_BUILDER_TEXT_MOST);
}

const char *dp_builder__text(const struct dp_builder *builder, uint32_t id)
{
	return dp_strings__get(&builder->strings, id);
}

/* Returns the id of a name, demangled once: raw names are interned apart, with their results. */
static uint32_t demangled(struct dp_builder *builder, const char *text, size_t length)
{
	size_t before = builder->mangled.count;
	uint32_t raw = intern(builder, &builder->mangled, text, length), id;
	char *plain = NULL;

	if (raw == DP_NONE)
		return DP_NONE;
	if (dp_array__reserve(&builder->demangled, &builder->demangled_room, builder->mangled.count,
			      sizeof(*builder->demangled))) {
		dp_builder__fail(builder, DP_ERR_NOMEM);
		return DP_NONE;
	}
	if (raw < before)
		return builder->demangled[raw];
	if (builder->demangled_bytes < DEMANGLED_BYTES &&
	    dp_name__demangle(&plain, dp_strings__get(&builder->mangled, raw))) {
		dp_builder__fail(builder, DP_ERR_NOMEM);
		return DP_NONE;
	}
	builder->demangled_bytes += plain ? strlen(plain) : 0;
	id = plain ? intern_valid(builder, plain, strlen(plain), KERNEL_MOST)
		   : intern_valid(builder, text, length, KERNEL_MOST);
	free(plain);
	builder->demangled[raw] = id;
	return id;
}

/* On AMD's GPUs, the symbol of a kernel is that of its descriptor, ".kd". */
static size_t without_descriptor(const char *text, size_t length)
{
	static const char *const ends[] = { " [clone .kd]", " (.kd)", ".kd" };

	for (size_t i = 0; i < DP_COUNT(ends); i++) {
		size_t n = strlen(ends[i]);

		if (length > n && !memcmp(text + length - n, ends[i], n))
			return length - n;
	}
	return length;
}

uint32_t dp_builder__kernel_name(struct dp_builder *builder, const char *text, size_t length)
{
	if (builder->status)
		return DP_NONE;
	length = without_descriptor(text, strnlen(text, length));
	if (length > 2 && text[0] == '_' && text[1] == 'Z')
		return demangled(builder, text, length);
	return intern_valid(builder, text, length, KERNEL_MOST);
}

uint32_t dp_builder__copy_name(struct dp_builder *builder, enum dp_copy_kind kind)
{
	static const char *const names[] = {
		"[CUDA memcpy]",	 "[CUDA memcpy HtoD]",	  "[CUDA memcpy DtoH]",
		"[CUDA memcpy HtoA]",	 "[CUDA memcpy AtoH]",	  "[CUDA memcpy AtoA]",
		"[CUDA memcpy AtoD]",	 "[CUDA memcpy DtoA]",	  "[CUDA memcpy DtoD]",
		"[CUDA memcpy HtoH]",	 "[CUDA memcpy PtoP]",	  "[Unified memory HtoD]",
		"[Unified memory DtoH]", "[Unified memory DtoD]",
	};
	const char *name = (size_t)kind < DP_COUNT(names) ? names[kind] : names[0];

	return dp_builder__string(builder, name, strlen(name));
}

uint32_t dp_builder__set_name(struct dp_builder *builder)
{
	return dp_builder__string(builder, "[CUDA memset]", strlen("[CUDA memset]"));
}

/*
 * Returns the index of a key of five numbers, or next if the key is new. One hash (the string
 * table, with keys as hexadecimal text) serves processes, threads, devices and streams.
 */
static uint32_t find_key(struct dp_builder *builder, char kind, uint32_t process, int64_t a,
			 int64_t b, int64_t c, size_t next, bool *added)
{
	char key[96];
	size_t before = builder->keys.count;
	int n = snprintf(key, sizeof(key), "%c%x %llx %llx %llx", kind, process,
			 (unsigned long long)a, (unsigned long long)b, (unsigned long long)c);
	uint32_t id = dp_strings__intern(&builder->keys, key, (size_t)n);

	*added = false;
	if (id == DP_NONE || dp_array__reserve(&builder->key_index, &builder->key_index_room,
					       builder->keys.count, sizeof(uint32_t))) {
		dp_builder__fail(builder, DP_ERR_NOMEM);
		return DP_NONE;
	}
	if (id < before)
		return builder->key_index[id];
	*added = true;
	builder->key_index[id] = (uint32_t)next;
	return (uint32_t)next;
}

uint32_t dp_builder__process(struct dp_builder *builder, int64_t pid)
{
	bool added;
	uint32_t id;

	if (builder->status)
		return DP_NONE;
	if (builder->process_count && builder->processes[builder->last_process].pid == pid)
		return builder->last_process;
	id = find_key(builder, 'p', 0, pid, 0, 0, builder->process_count, &added);
	if (!added)
		return id == DP_NONE ? id : (builder->last_process = id);
	if (dp_array__reserve(&builder->processes, &builder->process_room, id + (size_t)1,
			      sizeof(*builder->processes))) {
		dp_builder__fail(builder, DP_ERR_NOMEM);
		return DP_NONE;
	}
	builder->processes[id] = (struct dp_process){ .pid = pid, .rank = -1, .name = DP_NONE };
	builder->process_count++;
	return builder->last_process = id;
}

uint32_t dp_builder__thread(struct dp_builder *builder, uint32_t process, int64_t tid)
{
	const struct dp_thread *last;
	bool added;
	uint32_t id;

	if (builder->status || process >= builder->process_count)
		return DP_NONE;
	if (builder->thread_count) {
		last = &builder->threads[builder->last_thread];
		if (last->tid == tid && last->process == process)
			return builder->last_thread;
	}
	id = find_key(builder, 't', process, tid, 0, 0, builder->thread_count, &added);
	if (!added)
		return id == DP_NONE ? id : (builder->last_thread = id);
	if (dp_array__reserve(&builder->threads, &builder->thread_room, id + (size_t)1,
			      sizeof(*builder->threads))) {
		dp_builder__fail(builder, DP_ERR_NOMEM);
		return DP_NONE;
	}
	builder->threads[id] = (struct dp_thread){ process, tid, DP_NONE };
	builder->thread_count++;
	return builder->last_thread = id;
}

uint32_t dp_builder__device(struct dp_builder *builder, uint32_t process, int64_t device)
{
	bool added;
	uint32_t id;

	if (builder->status || process >= builder->process_count)
		return DP_NONE;
	id = find_key(builder, 'd', process, device, 0, 0, builder->device_count, &added);
	if (!added)
		return id;
	if (dp_array__reserve(&builder->devices, &builder->device_room, id + (size_t)1,
			      sizeof(*builder->devices))) {
		dp_builder__fail(builder, DP_ERR_NOMEM);
		return DP_NONE;
	}
	builder->devices[id] = (struct dp_device){ process, device, DP_NONE, 0, DP_NONE };
	builder->device_count++;
	return id;
}

static bool is_stream(const struct dp_builder *builder, uint32_t id, uint32_t process,
		      int64_t device, int64_t context, int64_t stream)
{
	const struct dp_stream *at = &builder->streams[id];

	return at->stream == stream && at->context == context && at->process == process &&
	       builder->devices[at->device].id == device;
}

uint32_t dp_builder__stream(struct dp_builder *builder, uint32_t process, int64_t device,
			    int64_t context, int64_t stream)
{
	uint32_t id, of;
	bool added;

	if (builder->status || process >= builder->process_count)
		return DP_NONE;
	if (builder->stream_count &&
	    is_stream(builder, builder->last_stream, process, device, context, stream))
		return builder->last_stream;
	of = dp_builder__device(builder, process, device);
	if (of == DP_NONE)
		return DP_NONE;
	id = find_key(builder, 's', of, context, stream, 0, builder->stream_count, &added);
	if (!added)
		return id == DP_NONE ? id : (builder->last_stream = id);
	if (dp_array__reserve(&builder->streams, &builder->stream_room, id + (size_t)1,
			      sizeof(*builder->streams))) {
		dp_builder__fail(builder, DP_ERR_NOMEM);
		return DP_NONE;
	}
	builder->streams[id] = (struct dp_stream){
		.process = process,
		.device = of,
		.context = context,
		.stream = stream,
	};
	builder->stream_count++;
	return builder->last_stream = id;
}

void dp_builder__pid(struct dp_builder *builder, uint32_t process, int64_t pid)
{
	if (process < builder->process_count)
		builder->processes[process].pid = pid;
}

void dp_builder__name_process(struct dp_builder *builder, uint32_t process, uint32_t name,
			      int64_t rank)
{
	if (process >= builder->process_count)
		return;
	builder->processes[process].name = name;
	builder->processes[process].rank = rank;
}

void dp_builder__name_thread(struct dp_builder *builder, uint32_t thread, uint32_t name)
{
	if (thread < builder->thread_count)
		builder->threads[thread].name = name;
}

void dp_builder__name_device(struct dp_builder *builder, uint32_t device, const struct dp_gpu *gpu)
{
	if (device >= builder->device_count)
		return;
	builder->devices[device].name = gpu->name;
	if (gpu->total_bytes < DP_BYTES_LIMIT)
		builder->devices[device].total_bytes = gpu->total_bytes;
	builder->devices[device].uuid = gpu->uuid;
}

uint32_t dp_builder__uuid(struct dp_builder *builder, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (strchr("123456789abcdefABCDEF", text[i]) && text[i])
			return dp_builder__string(builder, text, length);
	return DP_NONE;
}

static bool is_time(int64_t time_ns)
{
	return time_ns >= -DP_TIME_LIMIT && time_ns <= DP_TIME_LIMIT;
}

bool dp_builder__good_times(struct dp_builder *builder, int64_t start_ns, int64_t *end_ns)
{
	if (!is_time(start_ns) || !is_time(*end_ns) || *end_ns - start_ns >= DP_TIME_LIMIT) {
		dp_builder__loss(builder, DP_LOST_TIMES, 1, 0);
		return false;
	}
	if (*end_ns < start_ns) {
		*end_ns = start_ns;
		builder->clamped++;
	}
	builder->first_ns = DP_MIN(builder->first_ns, start_ns);
	builder->last_ns = DP_MAX(builder->last_ns, *end_ns);
	return true;
}

bool dp_builder__push(struct dp_builder *builder, struct dp_columns *rows, int64_t start_ns,
		      int64_t *end_ns)
{
	int status;

	if (builder->status || !dp_builder__good_times(builder, start_ns, end_ns))
		return false;
	status = dp_columns__push(rows);
	if (status)
		dp_builder__fail(builder, status);
	return !status;
}

static bool good_bytes(struct dp_builder *builder, uint64_t bytes)
{
	if (bytes < DP_BYTES_LIMIT)
		return true;
	dp_builder__loss(builder, "events with impossible sizes", 1, 0);
	return false;
}

int dp_builder__op(struct dp_builder *builder, const struct dp_op *op)
{
	struct dp_columns *ops = &builder->ops;
	int64_t end_ns = op->end_ns;
	size_t at = ops->count;

	if (op->stream >= builder->stream_count || !good_bytes(builder, op->bytes) ||
	    !dp_builder__push(builder, ops, op->start_ns, &end_ns))
		return builder->status;
	DP_CELL(ops, int64_t, OP_START, at) = op->start_ns;
	DP_CELL(ops, int64_t, OP_END, at) = end_ns;
	DP_CELL(ops, uint64_t, OP_BYTES, at) = op->bytes;
	DP_CELL(ops, uint32_t, OP_NAME, at) = op->name;
	DP_CELL(ops, uint32_t, OP_STREAM, at) = op->stream;
	DP_CELL(ops, uint32_t, OP_CORRELATION, at) = op->correlation;
	DP_CELL(ops, uint32_t, OP_CALL, at) = DP_NONE;
	DP_CELL(ops, uint8_t, OP_KIND, at) = (uint8_t)op->kind;
	DP_CELL(ops, uint8_t, OP_COPY_KIND, at) = (uint8_t)op->copy_kind;
	DP_CELL(ops, uint8_t, OP_SRC_KIND, at) = (uint8_t)op->src_kind;
	DP_CELL(ops, uint8_t, OP_DST_KIND, at) = (uint8_t)op->dst_kind;
	DP_CELL(ops, uint8_t, OP_OCCUPANCY, at) = op->occupancy;
	return DP_OK;
}

/* Finds the kind of a call by its name, once per name. */
static int call_kind(struct dp_builder *builder, uint32_t name, uint8_t *kind)
{
	size_t before = builder->call_kind_count;

	*kind = DP_CALL_OTHER;
	if (name == DP_NONE)
		return DP_OK;
	if (name >= before) {
		if (dp_array__reserve(&builder->call_kinds, &builder->call_kind_room,
				      name + (size_t)1, 1))
			return DP_ERR_NOMEM;
		memset(builder->call_kinds + before, UINT8_MAX, name + (size_t)1 - before);
		builder->call_kind_count = name + (size_t)1;
	}
	if (builder->call_kinds[name] == UINT8_MAX)
		builder->call_kinds[name] =
			(uint8_t)dp_call__kind(dp_strings__get(&builder->strings, name));
	*kind = builder->call_kinds[name];
	return DP_OK;
}

int dp_builder__add_call(struct dp_builder *builder, const struct dp_call *call)
{
	struct dp_columns *calls = &builder->calls;
	int64_t end_ns = call->end_ns;
	size_t at = calls->count;
	uint8_t kind;

	if (!dp_builder__push(builder, calls, call->start_ns, &end_ns))
		return builder->status;
	if (call_kind(builder, call->name, &kind))
		return dp_builder__fail(builder, DP_ERR_NOMEM);
	DP_CELL(calls, int64_t, CALL_START, at) = call->start_ns;
	DP_CELL(calls, int64_t, CALL_END, at) = end_ns;
	DP_CELL(calls, uint32_t, CALL_NAME, at) = call->name;
	DP_CELL(calls, uint32_t, CALL_THREAD, at) = call->thread;
	DP_CELL(calls, uint32_t, CALL_CORRELATION, at) = call->correlation;
	DP_CELL(calls, uint8_t, CALL_KIND, at) = kind;
	return DP_OK;
}

int dp_builder__add_sync(struct dp_builder *builder, const struct dp_sync *sync)
{
	struct dp_columns *syncs = &builder->syncs;
	int64_t end_ns = sync->end_ns;
	size_t at = syncs->count;

	if (!dp_builder__push(builder, syncs, sync->start_ns, &end_ns))
		return builder->status;
	DP_CELL(syncs, int64_t, SYNC_START, at) = sync->start_ns;
	DP_CELL(syncs, int64_t, SYNC_END, at) = end_ns;
	DP_CELL(syncs, uint32_t, SYNC_STREAM, at) = sync->stream;
	DP_CELL(syncs, uint32_t, SYNC_CORRELATION, at) = sync->correlation;
	DP_CELL(syncs, uint8_t, SYNC_KIND, at) = (uint8_t)sync->kind;
	DP_CELL(syncs, uint32_t, SYNC_SOURCE, at) = sync->linked ? sync->source : DP_NONE;
	DP_CELL(syncs, uint32_t, SYNC_SOURCE_CORRELATION, at) = sync->source_correlation;
	DP_CELL(syncs, uint32_t, SYNC_EVENT, at) = sync->event;
	return DP_OK;
}

int dp_builder__add_collective(struct dp_builder *builder, const struct dp_collective *collective)
{
	struct dp_columns *rows = &builder->collectives;
	int64_t end_ns = collective->end_ns;
	size_t at = rows->count;

	if (!dp_builder__push(builder, rows, collective->start_ns, &end_ns))
		return builder->status;
	DP_CELL(rows, int64_t, COLLECTIVE_START, at) = collective->start_ns;
	DP_CELL(rows, int64_t, COLLECTIVE_END, at) = end_ns;
	DP_CELL(rows, uint64_t, COLLECTIVE_BYTES, at) = collective->bytes;
	DP_CELL(rows, int64_t, COLLECTIVE_SEQUENCE, at) = collective->sequence;
	DP_CELL(rows, uint32_t, COLLECTIVE_STREAM, at) = collective->stream;
	DP_CELL(rows, uint32_t, COLLECTIVE_THREAD, at) = collective->thread;
	DP_CELL(rows, uint32_t, COLLECTIVE_NAME, at) = collective->name;
	DP_CELL(rows, uint32_t, COLLECTIVE_GROUP, at) = collective->group;
	DP_CELL(rows, uint32_t, COLLECTIVE_GROUP_SIZE, at) = collective->group_size;
	DP_CELL(rows, int32_t, COLLECTIVE_PEER, at) = collective->peer;
	DP_CELL(rows, int32_t, COLLECTIVE_SELF, at) = collective->self;
	return DP_OK;
}

/*
 * PyTorch writes the number of each call into the names of its ranges ("aten::mul, seq = 5, op_id =
 * 9"): without it, all calls of an operator have the same name.
 */
static uint32_t unnumbered(struct dp_builder *builder, uint32_t name)
{
	static const char *const numbers[] = { ", seq = ", ", op_id = " };
	const char *text = dp_strings__get(&builder->strings, name), *end = NULL;
	char begin[272]; /* bounded, as many ranges may have long names */
	size_t length = strnlen(text, sizeof(begin) - 1);

	memcpy(begin, text, length);
	begin[length] = '\0';
	for (size_t i = 0; i < DP_COUNT(numbers) && !end; i++)
		end = strstr(begin, numbers[i]);
	if (!end || end == begin)
		return name;
	return dp_builder__string(builder, begin, (size_t)(end - begin));
}

int dp_builder__add_range(struct dp_builder *builder, const struct dp_range *range)
{
	struct dp_columns *ranges = &builder->ranges;
	int64_t end_ns = range->end_ns;
	uint32_t name = range->name;
	size_t at = ranges->count;

	if (!dp_builder__push(builder, ranges, range->start_ns, &end_ns))
		return builder->status;
	if (range->kind == DP_RANGE_NVTX)
		name = unnumbered(builder, name);
	DP_CELL(ranges, int64_t, RANGE_START, at) = range->start_ns;
	DP_CELL(ranges, int64_t, RANGE_END, at) = end_ns;
	DP_CELL(ranges, uint32_t, RANGE_NAME, at) = name;
	DP_CELL(ranges, uint32_t, RANGE_THREAD, at) = range->thread;
	DP_CELL(ranges, uint8_t, RANGE_KIND, at) = (uint8_t)range->kind;
	builder->range_kinds[range->kind]++;
	return DP_OK;
}

int dp_builder__add_memory(struct dp_builder *builder, int64_t time_ns, uint32_t device,
			   int64_t delta_bytes)
{
	struct dp_columns *memory = &builder->memory;
	int64_t end_ns = time_ns;
	size_t at = memory->count;

	if (device >= builder->device_count ||
	    !good_bytes(builder,
			delta_bytes < 0 ? -(uint64_t)delta_bytes : (uint64_t)delta_bytes) ||
	    !dp_builder__push(builder, memory, time_ns, &end_ns))
		return builder->status;
	DP_CELL(memory, int64_t, MEMORY_TIME, at) = time_ns;
	DP_CELL(memory, int64_t, MEMORY_BYTES, at) = delta_bytes;
	DP_CELL(memory, uint32_t, MEMORY_DEVICE, at) = device;
	return DP_OK;
}

int dp_builder__add_sample(struct dp_builder *builder, const struct dp_sample *sample)
{
	struct dp_columns *samples = &builder->samples;
	int64_t end_ns = sample->time_ns;
	size_t at = samples->count;

	if (sample->device >= builder->device_count ||
	    !dp_builder__push(builder, samples, sample->time_ns, &end_ns))
		return builder->status;
	DP_CELL(samples, int64_t, SAMPLE_TIME, at) = sample->time_ns;
	DP_CELL(samples, uint64_t, SAMPLE_ENERGY, at) = sample->energy_mj;
	DP_CELL(samples, uint32_t, SAMPLE_POWER, at) = sample->power_mw;
	DP_CELL(samples, uint32_t, SAMPLE_CLOCK, at) = sample->clock_mhz;
	DP_CELL(samples, uint32_t, SAMPLE_THROTTLE, at) = sample->throttle;
	DP_CELL(samples, uint32_t, SAMPLE_DEVICE, at) = sample->device;
	return DP_OK;
}

size_t dp_builder__op_count(const struct dp_builder *builder)
{
	return builder->ops.count;
}

size_t dp_builder__call_count(const struct dp_builder *builder)
{
	return builder->calls.count;
}

size_t dp_builder__range_count(const struct dp_builder *builder)
{
	return builder->ranges.count;
}

int dp_builder__loss(struct dp_builder *builder, const char *reason, uint64_t records,
		     uint64_t offset)
{
	struct dp_loss *loss;
	char *copy;

	/* A file can invent any number of reasons, and each is compared with all before it. */
	if (builder->loss_count >= LOSSES_MOST)
		reason = "other losses";
	for (size_t i = 0; i < builder->loss_count; i++) {
		loss = &builder->losses[i];
		if (strcmp(loss->reason, reason))
			continue;
		/* An unknown count stays unknown, whatever else is lost for the same reason. */
		if (!loss->records || !records)
			loss->records = 0;
		else if (__builtin_add_overflow(loss->records, records, &loss->records))
			loss->records = UINT64_MAX;
		return DP_OK;
	}
	copy = malloc(strlen(reason) + 1);
	if (!copy || dp_array__reserve(&builder->losses, &builder->loss_room,
				       builder->loss_count + 1, sizeof(*loss))) {
		free(copy);
		return dp_builder__fail(builder, DP_ERR_NOMEM);
	}
	strcpy(copy, reason);
	builder->losses[builder->loss_count++] = (struct dp_loss){ copy, records, offset };
	return DP_OK;
}

int dp_builder__fact(struct dp_builder *builder, const char *name, const char *value, size_t length)
{
	uint32_t id;

	if (builder->status || !length || builder->fact_count == DP_FACTS_MOST)
		return builder->status;
	for (size_t i = 0; i < builder->fact_count; i++)
		if (!strcmp(builder->facts[i].name, name))
			return DP_OK;
	id = dp_builder__string(builder, value, length);
	if (id == DP_NONE)
		return builder->status;
	builder->facts[builder->fact_count].name = name;
	builder->fact_values[builder->fact_count++] = id;
	return DP_OK;
}

void dp_builder__epoch(struct dp_builder *builder, int64_t epoch_ns)
{
	builder->epoch_ns = epoch_ns;
	builder->epoch_known = true;
}

void dp_builder__resolution(struct dp_builder *builder, int64_t resolution_ns)
{
	builder->resolution_ns = resolution_ns;
}
