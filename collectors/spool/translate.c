#include "spool/translate.h"
#include "cupti/cupti_abi.h"

#include <string.h>

/* Copies the record, with zeros after the part that the loaded library writes. */
#define COPY(record, raw, bytes)                                                    \
	do {                                                                        \
		size_t known = (bytes) < sizeof(record) ? (bytes) : sizeof(record); \
                                                                                    \
		memcpy(&(record), raw, known);                                      \
		memset((char *)&(record) + known, 0, sizeof(record) - known);       \
	} while (0)

uint32_t dp_spool__kind(const struct dp_spool_record *record)
{
	static const uint8_t kinds[DP_SPOOL_TYPE_COUNT] = {
		[DP_SPOOL_KERNEL] = CUPTI_KERNEL,     [DP_SPOOL_MEMSET] = CUPTI_MEMSET,
		[DP_SPOOL_GRAPH] = CUPTI_GRAPH_TRACE, [DP_SPOOL_SYNC] = CUPTI_SYNC,
		[DP_SPOOL_MEM_OP] = CUPTI_MEMORY2,    [DP_SPOOL_MEM_POOL] = CUPTI_MEMORY_POOL,
		[DP_SPOOL_EXT_CORR] = CUPTI_EXT_CORR, [DP_SPOOL_NVTX] = DP_SPOOL_KIND_NVTX,
		[DP_SPOOL_DEVICE] = CUPTI_DEVICE,     [DP_SPOOL_CONTEXT] = CUPTI_CONTEXT,
		[DP_SPOOL_STREAM] = CUPTI_STREAM,     [DP_SPOOL_NAME] = CUPTI_NAME,
		[DP_SPOOL_JIT] = CUPTI_JIT,	      [DP_SPOOL_OVERHEAD] = CUPTI_OVERHEAD,
		[DP_SPOOL_EVENT] = CUPTI_EVENT,
	};

	switch (record->type) {
	case DP_SPOOL_API:
		return record->api.domain == CUPTI_DOMAIN_DRIVER ? CUPTI_DRIVER : CUPTI_RUNTIME;
	case DP_SPOOL_MEMCPY:
		return record->memcpy.peer ? CUPTI_MEMCPY2 : CUPTI_MEMCPY;
	case DP_SPOOL_RAW:
		return record->raw.kind < DP_SPOOL_KIND_NVTX ? record->raw.kind
							     : DP_SPOOL_KIND_UNKNOWN;
	default:
		return kinds[record->type];
	}
}

/* CUPTI counts in 32 bits; threads may be out of order, but never by half of the range. */
static uint64_t unwrap(struct dp_translate *t, uint32_t correlation)
{
	uint64_t value;

	if (!correlation)
		return 0;
	if (!t->correlation) {
		t->correlation = correlation;
		return correlation;
	}
	/* Unsigned: in salvage, the highest so far is anything that the spool contains. */
	value = t->correlation + (uint64_t)(int32_t)(correlation - (uint32_t)t->correlation);
	if (!value || value > INT64_MAX)
		return correlation;
	if (value > t->correlation)
		t->correlation = value;
	return value;
}

static uint32_t at(struct dp_translate *t, uint64_t address)
{
	return address ? t->address(t->owner, address) : 0;
}

static void kernel(struct dp_translate *t, struct dp_spool_kernel *out, const void *raw,
		   size_t bytes)
{
	struct cupti_kernel in;

	COPY(in, raw, bytes);
	out->place = (struct dp_spool_place){ in.device, in.context, in.stream };
	for (int i = 0; i < 3; i++) {
		out->shape.grid[i] = (uint32_t)in.grid[i];
		out->shape.block[i] = (uint32_t)in.block[i];
		out->shape.cluster[i] = in.cluster[i];
	}
	out->shape.registers = in.registers;
	out->shape.smem_static = (uint32_t)in.smem_static;
	out->shape.smem_dynamic = (uint32_t)in.smem_dynamic;
	out->shape.local_per_thread = in.local_per_thread;
	out->start = in.start;
	out->end = in.end;
	out->completed = in.completed;
	out->queued = in.queued;
	out->submitted = in.submitted;
	out->correlation = unwrap(t, in.correlation);
	out->graph_node = in.graph_node;
	out->graph = in.graph;
	out->name = at(t, in.name);
	out->launch_type = in.launch_type;
	out->priority = in.priority;
}

static void copy(struct dp_translate *t, struct dp_spool_memcpy *out, const void *raw, size_t bytes)
{
	struct cupti_memcpy in;

	COPY(in, raw, bytes);
	*out = (struct dp_spool_memcpy){
		.place = { in.device, in.context, in.stream },
		.start = in.start,
		.end = in.end,
		.bytes = in.bytes,
		.correlation = unwrap(t, in.correlation),
		.graph_node = in.graph_node,
		.count = in.count,
		.graph = in.graph,
		.kind = in.copy_kind,
		.src_kind = in.src_kind,
		.dst_kind = in.dst_kind,
		.flags = in.flags,
	};
}

static void copy_peer(struct dp_translate *t, struct dp_spool_memcpy *out, const void *raw,
		      size_t bytes)
{
	struct cupti_memcpy2 in;

	COPY(in, raw, bytes);
	*out = (struct dp_spool_memcpy){
		.place = { in.device, in.context, in.stream },
		.start = in.start,
		.end = in.end,
		.bytes = in.bytes,
		.correlation = unwrap(t, in.correlation),
		.graph_node = in.graph_node,
		.graph = in.graph,
		.kind = in.copy_kind,
		.src_kind = in.src_kind,
		.dst_kind = in.dst_kind,
		.flags = in.flags,
		.peer = true,
		.src_device = in.src_device,
		.src_context = in.src_context,
		.dst_device = in.dst_device,
		.dst_context = in.dst_context,
	};
}

static void set(struct dp_translate *t, struct dp_spool_memset *out, const void *raw, size_t bytes)
{
	struct cupti_memset in;

	COPY(in, raw, bytes);
	*out = (struct dp_spool_memset){
		.place = { in.device, in.context, in.stream },
		.start = in.start,
		.end = in.end,
		.bytes = in.bytes,
		.correlation = unwrap(t, in.correlation),
		.graph_node = in.graph_node,
		.graph = in.graph,
		.value = in.value,
		.flags = in.flags,
		.memory_kind = in.memory_kind,
	};
}

static void graph(struct dp_translate *t, struct dp_spool_graph *out, const void *raw, size_t bytes)
{
	struct cupti_graph_trace in;

	COPY(in, raw, bytes);
	*out = (struct dp_spool_graph){
		.place = { in.device, in.context, in.stream },
		.start = in.start,
		.end = in.end,
		.correlation = unwrap(t, in.correlation),
		.graph = in.graph,
		.end_device = in.end_device,
		.end_context = in.end_context,
	};
}

static void api(struct dp_translate *t, struct dp_spool_api *out, const void *raw, size_t bytes)
{
	struct cupti_api in;

	COPY(in, raw, bytes);
	*out = (struct dp_spool_api){
		.start = in.start,
		.end = in.end,
		.correlation = unwrap(t, in.correlation),
		.tid = in.thread,
		.domain = in.kind == CUPTI_DRIVER ? CUPTI_DOMAIN_DRIVER : CUPTI_DOMAIN_RUNTIME,
		.cbid = in.cbid,
		.ret = in.result,
	};
}

static void sync_record(struct dp_translate *t, struct dp_spool_sync *out, const void *raw,
			size_t bytes)
{
	struct cupti_sync in;

	COPY(in, raw, bytes);
	*out = (struct dp_spool_sync){
		.start = in.start,
		.end = in.end,
		.correlation = unwrap(t, in.correlation),
		.kind = in.type,
		.context = in.context,
		.stream = in.stream,
		.event = in.event,
		.event_sync = in.event_sync,
		.ret = in.result,
	};
}

static void event_record(struct dp_translate *t, struct dp_spool_event *out, const void *raw,
			 size_t bytes)
{
	struct cupti_event in;

	COPY(in, raw, bytes);
	*out = (struct dp_spool_event){
		.correlation = unwrap(t, in.correlation),
		.context = in.context,
		.stream = in.stream,
		.event = in.event,
		.event_sync = in.event_sync,
	};
}

static void mem_op(struct dp_translate *t, struct dp_spool_mem_op *out, const void *raw,
		   size_t bytes)
{
	struct cupti_memory2 in;

	COPY(in, raw, bytes);
	*out = (struct dp_spool_mem_op){
		.time = in.time,
		.address = in.address,
		.bytes = in.bytes,
		.pc = in.pc,
		.correlation = unwrap(t, in.correlation),
		.op = in.op,
		.kind = in.memory_kind,
		.device = in.device,
		.context = in.context,
		.stream = in.stream,
		.async = in.async,
		.name = at(t, in.name),
		.pool_kind = in.pool_kind,
		.pool_address = in.pool_address,
		.pool_threshold = in.pool_threshold,
		.pool_size = in.pool_size,
		.pool_used = in.pool_used,
	};
}

static void mem_pool(struct dp_translate *t, struct dp_spool_mem_pool *out, const void *raw,
		     size_t bytes)
{
	struct cupti_memory_pool in;

	COPY(in, raw, bytes);
	*out = (struct dp_spool_mem_pool){
		.time = in.time,
		.address = in.address,
		.bytes = in.size,
		.min_bytes = in.min_bytes,
		.threshold = in.threshold,
		.used = in.used,
		.correlation = unwrap(t, in.correlation),
		.op = in.op,
		.kind = in.pool_kind,
		.device = in.device,
	};
}

static void device(struct dp_translate *t, struct dp_spool_device *out, const void *raw,
		   size_t bytes)
{
	struct cupti_device in;

	COPY(in, raw, bytes);
	*out = (struct dp_spool_device){
		.device = in.id,
		.name = at(t, in.name),
		.cc_major = in.cc_major,
		.cc_minor = in.cc_minor,
		.sms = in.sms,
		.clock_khz = in.clock_khz,
		.memory_bytes = in.memory_bytes,
		.bandwidth_kBps = in.bandwidth_kBps,
		.copy_engines = in.copy_engines,
		.l2_bytes = in.l2_bytes,
	};
	memcpy(out->uuid, in.uuid, sizeof(out->uuid));
}

static void jit(struct dp_translate *t, struct dp_spool_jit *out, const void *raw, size_t bytes)
{
	struct cupti_jit in;

	COPY(in, raw, bytes);
	*out = (struct dp_spool_jit){
		.start = in.start,
		.end = in.end,
		.correlation = unwrap(t, in.correlation),
		.operation = in.operation,
		.cache_bytes = in.cache_bytes,
		.kind = in.entry,
		.op = in.op,
		.device = in.device,
		.tid = in.thread,
		.cache_path = at(t, in.cache_path),
	};
}

static void overhead(struct dp_translate *t, struct dp_spool_overhead *out, const void *raw,
		     size_t bytes)
{
	struct cupti_overhead in;

	COPY(in, raw, bytes);
	*out = (struct dp_spool_overhead){
		.start = in.start,
		.end = in.end,
		.correlation = unwrap(t, in.correlation),
		.kind = in.overhead,
		.object = in.object,
		.ids = { in.ids[0], in.ids[1], in.ids[2] },
	};
}

/* Translates what a process names or describes; rare. */
static bool describe(struct dp_translate *t, struct dp_spool_record *out, const void *raw,
		     size_t bytes, uint32_t kind)
{
	struct cupti_context context;
	struct cupti_stream stream;
	struct cupti_name name;
	struct cupti_ext_corr external;

	switch (kind) {
	case CUPTI_CONTEXT:
		COPY(context, raw, bytes);
		out->type = DP_SPOOL_CONTEXT;
		out->context = (struct dp_spool_context){
			context.context,     context.device, context.api,
			context.null_stream, context.parent, context.sms,
		};
		return true;
	case CUPTI_STREAM:
		COPY(stream, raw, bytes);
		out->type = DP_SPOOL_STREAM;
		out->stream = (struct dp_spool_stream){
			stream.context,
			stream.stream,
			(int32_t)stream.priority,
			stream.flag,
			unwrap(t, stream.correlation),
		};
		return true;
	case CUPTI_NAME:
		COPY(name, raw, bytes);
		out->type = DP_SPOOL_NAME;
		out->name = (struct dp_spool_name){
			name.object,
			{ name.ids[0], name.ids[1], name.ids[2] },
			at(t, name.name),
		};
		return true;
	case CUPTI_EXT_CORR:
		COPY(external, raw, bytes);
		out->type = DP_SPOOL_EXT_CORR;
		out->ext_corr = (struct dp_spool_ext_corr){
			external.external,
			unwrap(t, external.correlation),
			external.external_kind,
		};
		return true;
	default:
		return false;
	}
}

#define CASE(kind, name, field, function)             \
	case kind:                                    \
		out->type = name;                     \
		function(t, &out->field, raw, bytes); \
		return

void dp_translate__activity(struct dp_translate *t, struct dp_spool_record *out, const void *raw,
			    size_t bytes)
{
	uint32_t kind;

	memcpy(&kind, raw, 4);
	out->salvaged = false;
	switch (kind) {
		CASE(CUPTI_KERNEL, DP_SPOOL_KERNEL, kernel, kernel);
		CASE(CUPTI_KERNEL_SERIAL, DP_SPOOL_KERNEL, kernel, kernel);
		CASE(CUPTI_RUNTIME, DP_SPOOL_API, api, api);
		CASE(CUPTI_DRIVER, DP_SPOOL_API, api, api);
		CASE(CUPTI_MEMCPY, DP_SPOOL_MEMCPY, memcpy, copy);
		CASE(CUPTI_MEMCPY2, DP_SPOOL_MEMCPY, memcpy, copy_peer);
		CASE(CUPTI_MEMSET, DP_SPOOL_MEMSET, memset, set);
		CASE(CUPTI_GRAPH_TRACE, DP_SPOOL_GRAPH, graph, graph);
		CASE(CUPTI_SYNC, DP_SPOOL_SYNC, sync, sync_record);
		CASE(CUPTI_EVENT, DP_SPOOL_EVENT, event, event_record);
		CASE(CUPTI_MEMORY2, DP_SPOOL_MEM_OP, mem_op, mem_op);
		CASE(CUPTI_MEMORY_POOL, DP_SPOOL_MEM_POOL, mem_pool, mem_pool);
		CASE(CUPTI_DEVICE, DP_SPOOL_DEVICE, device, device);
		CASE(CUPTI_JIT, DP_SPOOL_JIT, jit, jit);
		CASE(CUPTI_OVERHEAD, DP_SPOOL_OVERHEAD, overhead, overhead);
	default:
		break;
	}
	if (describe(t, out, raw, bytes, kind))
		return;
	out->type = DP_SPOOL_RAW;
	out->raw = (struct dp_spool_raw){ kind, t->text(t->owner, raw, bytes) };
}

size_t dp_translate__event_bytes(const void *raw, size_t available)
{
	struct dp_pool_event event;

	/* A pad may be as small as its first word. */
	if (available < 8)
		return 0;
	memset(&event, 0, sizeof(event));
	memcpy(&event, raw, available < sizeof(event) ? available : sizeof(event));
	if (event.bytes < 8 || event.bytes % 8 || event.bytes > available)
		return 0;
	if (event.type == DP_EVENT_PAD)
		return event.bytes;
	if (event.bytes < sizeof(event) || event.text_bytes > event.bytes - sizeof(event) ||
	    event.payload_bytes > event.bytes - sizeof(event) - event.text_bytes)
		return 0;
	return event.bytes;
}

static bool schema(struct dp_translate *t, struct dp_spool_record *out,
		   const struct dp_pool_event *event, const char *text)
{
	struct dp_pool_schema in;

	if (event->text_bytes < sizeof(in))
		return false;
	memcpy(&in, text, sizeof(in));
	text += sizeof(in);
	if (in.name_bytes > event->text_bytes - sizeof(in) ||
	    in.field_bytes > event->text_bytes - sizeof(in) - in.name_bytes)
		return false;
	out->type = DP_SPOOL_SCHEMA;
	out->schema = (struct dp_spool_schema){
		.schema = in.schema,
		.domain = event->domain ? at(t, DP_NUMBER_DOMAIN | event->domain) : 0,
		.name = in.name_bytes ? t->text(t->owner, text, in.name_bytes) : 0,
		.index = in.index,
		.count = in.count,
		.type = in.type,
		.flags = in.flags,
		.offset = in.offset,
		.bytes = in.size,
	};
	if (in.field_bytes)
		out->schema.field = t->text(t->owner, text + in.name_bytes, in.field_bytes);
	return true;
}

static bool define(struct dp_translate *t, struct dp_spool_record *out,
		   const struct dp_pool_event *event, const char *text)
{
	switch (event->type) {
	case DP_EVENT_STRING:
		t->number(t->owner, DP_NUMBER_STRING | (uint32_t)event->value, text,
			  event->text_bytes);
		return false;
	case DP_EVENT_DOMAIN:
		t->number(t->owner, DP_NUMBER_DOMAIN | (uint32_t)event->value, text,
			  event->text_bytes);
		return false;
	case DP_EVENT_SCHEMA:
		return schema(t, out, event, text);
	case DP_EVENT_NAME:
		out->type = DP_SPOOL_THREAD;
		out->thread = (struct dp_spool_thread){
			(uint32_t)event->value,
			t->text(t->owner, text, event->text_bytes),
		};
		return true;
	default:
		return false;
	}
}

bool dp_translate__event(struct dp_translate *t, struct dp_spool_record *out, const void *raw,
			 uint32_t tid)
{
	const char *text = (const char *)raw + sizeof(struct dp_pool_event);
	struct dp_pool_event event;

	memset(&event, 0, sizeof(event));
	memcpy(&event, raw, 8);
	if (event.type == DP_EVENT_PAD)
		return false;
	memcpy(&event, raw, sizeof(event));
	out->salvaged = false;
	if (event.type >= DP_EVENT_PAD)
		return define(t, out, &event, text);
	out->type = DP_SPOOL_NVTX;
	out->nvtx = (struct dp_spool_nvtx){
		.monotonic_ns = event.monotonic_ns,
		.range = event.value,
		.payload = event.payload,
		.schema = event.schema,
		.tid = tid,
		.type = event.type,
		.domain = event.domain ? at(t, DP_NUMBER_DOMAIN | event.domain) : 0,
		.name = event.string ? at(t, DP_NUMBER_STRING | event.string) : 0,
		.category = event.category,
		.color = event.color,
		.payload_type = event.payload_type,
	};
	if (event.text_bytes)
		out->nvtx.name = t->text(t->owner, text, event.text_bytes);
	if (event.payload_bytes)
		out->nvtx.blob = t->text(t->owner, text + event.text_bytes, event.payload_bytes);
	return true;
}
