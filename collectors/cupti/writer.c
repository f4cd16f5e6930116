/*
 * The thread that stores. It reads completed buffers and rings, translates their records and writes
 * them; a buffer is free again only once its last record has been written. It also keeps all sums.
 */
#include "cupti/collector.h"

#include <stdio.h>
#include <string.h>

#define TICK_MS 20
#define CBIDS 4096u
#define TIDS 1024u
#define TID_PLACES 8u

/* For how long a record in a buffer that CUPTI holds may still change, at most. */
#define REST_NS INT64_C(20000000)

static struct {
	uint64_t cbids[3][CBIDS / 64]; /* names that are in the spool */
	uint32_t tids[TIDS];	       /* threads that are in the spool: a cache */
	uint32_t unloads;
	bool versions;
	bool announced; /* that the spool cannot be written */
	uint32_t began; /* the last state: DP_SPOOL_STARTED, or NVTX alone */
	int64_t next_second_ns;
	uint32_t slots[SLOTS_MOST];
	struct {
		uint64_t sequence;
		uint32_t at;	  /* the names of records before it are known */
		uint32_t settled; /* records before it have been there for a while */
		uint32_t stored;  /* records before it are in the spool */
		int64_t settled_ns;
	} looked[SLOTS_MOST]; /* held buffers */
	bool described;	      /* devices were described */
	bool no_times;	      /* missing times were reported */
} my;

static void name_new_call(struct collector *c, const struct dp_spool_api *api)
{
	struct dp_spool_record record = { .type = DP_SPOOL_CBID };
	const char *name = NULL;

	if (!cupti_answers() || c->cupti.GetCallbackName(api->domain, api->cbid, &name) || !name)
		return;
	record.cbid = (struct dp_spool_cbid){ api->domain, api->cbid,
					      dp_writer__text(&c->writer, name, strlen(name)) };
	dp_writer__add(&c->writer, &record, false);
}

static void name_call(struct collector *c, const struct dp_spool_api *api)
{
	uint64_t *named, bit;

	if (api->domain > 2 || api->cbid >= CBIDS)
		return;
	named = &my.cbids[api->domain][api->cbid / 64];
	bit = (uint64_t)1 << (api->cbid % 64);
	if (*named & bit)
		return;
	*named |= bit;
	name_new_call(c, api);
}

/*
 * If two threads shared one place in the cache and their records alternated, each record would cost
 * a system call: so each has several places.
 */
static void name_thread(struct collector *c, uint32_t tid)
{
	uint32_t *known = NULL;

	if (!tid)
		return;
	for (uint32_t i = 0; i < TID_PLACES; i++) {
		known = &my.tids[(tid + i) % TIDS];
		if (*known == tid)
			return;
		if (!*known)
			break;
	}
	*known = tid;
	dp_info__thread(&c->writer, tid);
}

/* Returns the size of the record, 0 if unknown. CUPTI may have kinds unknown here. */
static size_t size_at(struct collector *c, uint8_t *data, size_t valid, uint32_t kind)
{
	void *next = data;
	uintptr_t bytes;

	if (kind >= DP_SPOOL_KINDS)
		return 0;
	if (c->strides[kind])
		return c->strides[kind];
	if (!cupti_answers() || dp_cupti__next(&c->cupti, data, valid, &next) || !next)
		return 0;
	bytes = (uintptr_t)next - (uintptr_t)data;
	if (bytes < 8 || bytes % 8 || bytes > UINT16_MAX)
		return 0;
	c->strides[kind] = c->pool->strides[kind] = (uint16_t)bytes;
	return (size_t)bytes;
}

/* Returns false if CUPTI has not filled in the times of a record yet. */
static bool has_times(const uint8_t *data, uint32_t kind)
{
	size_t start_at, end_at;
	uint64_t start, end;

	switch (kind) {
	case CUPTI_KERNEL:
		start_at = offsetof(struct cupti_kernel, start);
		end_at = offsetof(struct cupti_kernel, end);
		break;
	case CUPTI_MEMCPY:
		start_at = offsetof(struct cupti_memcpy, start);
		end_at = offsetof(struct cupti_memcpy, end);
		break;
	case CUPTI_MEMCPY2:
		start_at = offsetof(struct cupti_memcpy2, start);
		end_at = offsetof(struct cupti_memcpy2, end);
		break;
	case CUPTI_MEMSET:
		start_at = offsetof(struct cupti_memset, start);
		end_at = offsetof(struct cupti_memset, end);
		break;
	case CUPTI_GRAPH_TRACE:
		start_at = offsetof(struct cupti_graph_trace, start);
		end_at = offsetof(struct cupti_graph_trace, end);
		break;
	default:
		return true;
	}
	memcpy(&start, data + start_at, sizeof(start));
	memcpy(&end, data + end_at, sizeof(end));
	return start && end >= start;
}

/* Reports that CUPTI returned a buffer without the times of its records. */
static void report_no_times(struct collector *c)
{
	if (my.no_times || atomic_load(&c->final))
		return;
	my.no_times = true;
	dp_message__say(DP_SPOOL_WARNING, "no-times",
			"CUPTI has no memory left on the GPU for the times of kernels: from now on "
			"kernels are recorded without times%s",
			c->options.graph_nodes
				? "; record without --cuda-graph=node, which needs far "
				  "less, or end earlier with --duration or -n"
				: "");
}

/* A buffer, or the rest of one. */
struct part {
	uint8_t *data;
	size_t from, to;
	uint32_t source;
	uint64_t sequence;
	bool held;     /* ends at the first kind of 0 */
	bool finished; /* ends before the first record without times */
};

static void store_record(struct collector *c, const uint8_t *data, size_t bytes)
{
	struct dp_spool_record record;

	dp_translate__activity(&c->translate, &record, data, bytes);
	if (record.type == DP_SPOOL_API) {
		if (!c->options.all_calls && !dp_calls__is_used(record.api.domain, record.api.cbid))
			return;
		name_call(c, &record.api);
		name_thread(c, record.api.tid);
	}
	dp_writer__add(&c->writer, &record, true);
}

/* Stores the records of a part. Returns how far it got. */
static size_t store_records(struct collector *c, const struct part *part)
{
	size_t at = part->from, bytes;
	uint32_t kind;

	while (part->to - at >= 8) {
		memcpy(&kind, part->data + at, 4);
		if (!kind && part->held)
			break;
		bytes = size_at(c, part->data + at, part->to - at, kind);
		if (!bytes || bytes > part->to - at)
			break;
		if (!has_times(part->data + at, kind)) {
			if (part->finished)
				break;
			if (!part->held)
				report_no_times(c);
		}
		store_record(c, part->data + at, bytes);
		at += bytes;
		dp_writer__source(&c->writer, part->source, part->sequence, at);
	}
	return at;
}

/* Stores a part, and counts a rest that cannot be read as lost. */
static void store_rest(struct collector *c, const struct part *part)
{
	size_t at = store_records(c, part);

	if (at < part->to && !part->held)
		dp_writer__lose(&c->writer, DP_LOSS_DAMAGED, DP_SPOOL_KIND_UNKNOWN, 1,
				part->to - at);
	dp_writer__source(&c->writer, part->source, part->sequence, part->to);
	dp_writer__flush(&c->writer);
	dp_writer__source(&c->writer, DP_SPOOL_SOURCE_NONE, 0, 0);
}

static void ask_dropped(struct collector *c)
{
	size_t dropped = 0;

	if (!cupti_answers() || dp_cupti__dropped(&dropped))
		return;
	dp_writer__lose(&c->writer, DP_LOSS_CUPTI, DP_SPOOL_KIND_UNKNOWN, dropped, 0);
}

/* Resets what is known about a slot if it is used again. */
static void look_again(const struct collector *c, uint32_t index)
{
	uint64_t sequence = atomic_load(&c->slots[index].sequence);

	if (my.looked[index].sequence == sequence)
		return;
	memset(&my.looked[index], 0, sizeof(my.looked[index]));
	my.looked[index].sequence = sequence;
}

static struct part part_of(const struct collector *c, uint32_t index, bool held)
{
	look_again(c, index);
	return (struct part){
		.data = dp_pool__data(index),
		.from = my.looked[index].stored,
		.to = held ? c->pool->slot_bytes : atomic_load(&c->slots[index].valid_bytes),
		.source = index,
		.sequence = my.looked[index].sequence,
		.held = held,
	};
}

static void store_slot(struct collector *c, uint32_t index, bool held)
{
	struct dp_pool_slot *slot = &c->slots[index];
	struct part part = part_of(c, index, held);

	if (part.from > part.to)
		part.from = part.to;
	dp_writer__flush(&c->writer);
	store_rest(c, &part);
	atomic_store(&slot->consumed_bytes, c->pool->slot_bytes);
	ask_dropped(c);
	dp_writer__flush(&c->writer);
	/* CUPTI may still write to a slot taken from it: it must not be reused. */
	if (held)
		return;
	memset(part.data, 0, c->pool->slot_bytes);
	memset(&my.looked[index], 0, sizeof(my.looked[index]));
	dp_pool__release(index);
}

/*
 * Stores finished records of a buffer that CUPTI holds: it holds one until everything in it has
 * ended, and in a busy program until it is full. Records that were not there at the last look are
 * left, as they may be incomplete.
 */
static void store_finished(struct collector *c, uint32_t index)
{
	int64_t now = clock_ns(CLOCK_MONOTONIC);
	struct part part = part_of(c, index, true);

	if (now - my.looked[index].settled_ns < REST_NS)
		return;
	part.to = my.looked[index].settled;
	part.finished = true;
	if (part.from < part.to) {
		dp_writer__flush(&c->writer);
		my.looked[index].stored = (uint32_t)store_records(c, &part);
		dp_writer__flush(&c->writer);
		dp_writer__source(&c->writer, DP_SPOOL_SOURCE_NONE, 0, 0);
	}
	my.looked[index].settled = my.looked[index].at;
	my.looked[index].settled_ns = now;
}

/* CUPTI may answer now that it records. */
static void measure_again(struct collector *c)
{
	uint16_t strides[DP_SPOOL_KINDS];

	if (c->measured || !cupti_answers())
		return;
	c->measured = true;
	if (!dp_sizes__measure(&c->cupti, strides))
		return;
	memcpy(c->strides, strides, sizeof(strides));
	memcpy(c->pool->strides, strides, sizeof(strides));
}

/* Stores completed slots in the order in which they were handed out. */
static bool store_slots(struct collector *c, bool last)
{
	uint32_t count = 0, i, j;
	bool held;

	for (i = 0; i < c->pool->slots; i++) {
		uint32_t state = atomic_load_explicit(&c->slots[i].state, memory_order_acquire);
		uint64_t sequence = atomic_load(&c->slots[i].sequence);

		if (state != DP_SLOT_COMPLETED && !(last && state == DP_SLOT_HELD))
			continue;
		for (j = count++; j && atomic_load(&c->slots[my.slots[j - 1]].sequence) > sequence;
		     j--)
			my.slots[j] = my.slots[j - 1];
		my.slots[j] = i;
	}
	if (count)
		measure_again(c);
	for (i = 0; i < count; i++) {
		uint32_t state = DP_SLOT_HELD;

		/* Takes what CUPTI has not returned in time. */
		held = atomic_compare_exchange_strong(&c->slots[my.slots[i]].state, &state,
						      DP_SLOT_COMPLETED);
		store_slot(c, my.slots[i], held);
	}
	return count;
}

/* Counts the records of a buffer used when the pool was full; valid: its length. */
static void count_discard(struct collector *c, const struct discard *discard, size_t valid)
{
	size_t at = 0, bytes;
	uint32_t kind;

	while (valid - at >= 8) {
		memcpy(&kind, discard->data + at, 4);
		bytes = size_at(c, discard->data + at, valid - at, kind);
		if (!bytes || bytes > valid - at)
			break;
		dp_writer__lose(&c->writer, DP_LOSS_POOL_FULL, kind, 1, bytes);
		at += bytes;
	}
	if (at < valid)
		dp_writer__lose(&c->writer, DP_LOSS_DAMAGED, DP_SPOOL_KIND_UNKNOWN, 1, valid - at);
}

/* Returns how far a buffer that CUPTI holds has records. */
static size_t held_bytes(const struct collector *c, const struct discard *discard)
{
	size_t at = 0;
	uint32_t kind;

	while (DISCARD_BYTES - at >= 8) {
		memcpy(&kind, discard->data + at, 4);
		if (!kind || kind >= DP_SPOOL_KINDS || !c->strides[kind] ||
		    c->strides[kind] > DISCARD_BYTES - at)
			break;
		at += c->strides[kind];
	}
	return at;
}

/* Also counts those that CUPTI has not returned in time. */
static void count_discards(struct collector *c, bool last)
{
	uint64_t trashed = atomic_exchange(&c->trashed, 0);

	if (last)
		trashed += atomic_load(&c->trash_lent);
	dp_writer__lose(&c->writer, DP_LOSS_POOL_FULL, DP_SPOOL_KIND_UNKNOWN, trashed, 0);
	for (int i = 0; i < DISCARDS; i++) {
		struct discard *discard = &c->discards[i];
		uint32_t state = atomic_load(&discard->state);

		if (last && state == DISCARD_HELD)
			count_discard(c, discard, held_bytes(c, discard));
		if (state != DISCARD_DONE)
			continue;
		count_discard(c, discard, atomic_load(&discard->valid_bytes));
		memset(discard->data, 0, DISCARD_BYTES);
		atomic_store(&discard->state, DISCARD_FREE);
	}
}

/* Stores one event of a ring. Returns its size, 0 if the ring is damaged. */
static size_t store_event(struct collector *c, const uint8_t *raw, size_t available, uint32_t tid)
{
	size_t bytes = dp_translate__event_bytes(raw, available);
	struct dp_spool_record record;

	if (bytes && dp_translate__event(&c->translate, &record, raw, tid))
		dp_writer__add(&c->writer, &record, record.type == DP_SPOOL_NVTX);
	return bytes;
}

static bool store_ring(struct collector *c, uint32_t index, uint64_t head)
{
	struct dp_pool_ring *ring = &c->rings[index];
	uint64_t tail = atomic_load(&ring->tail), lost, size = c->pool->ring_bytes;
	uint32_t tid = atomic_load(&ring->tid), source = DP_SPOOL_SOURCE_RING | index;
	uint8_t *data = c->ring_data + index * size;
	bool any = tail != head;

	if (any) {
		dp_writer__flush(&c->writer);
		name_thread(c, tid);
	}
	while (tail < head) {
		size_t at = (size_t)(tail & (size - 1)), bytes;
		size_t room = size - at < head - tail ? size - at : (size_t)(head - tail);

		bytes = store_event(c, data + at, room, tid);
		if (!bytes) {
			dp_writer__lose(&c->writer, DP_LOSS_DAMAGED, DP_SPOOL_KIND_NVTX, 1,
					head - tail);
			bytes = (size_t)(head - tail);
		}
		tail += bytes;
		dp_writer__source(&c->writer, source, 0, tail);
	}
	lost = atomic_load(&ring->lost);
	if (lost > atomic_load(&ring->lost_counted)) {
		dp_writer__lose(&c->writer, DP_LOSS_RING_FULL, DP_SPOOL_KIND_NVTX,
				lost - atomic_load(&ring->lost_counted), 0);
		dp_writer__flush(&c->writer);
		atomic_store(&ring->lost_counted, lost);
	}
	if (any) {
		dp_writer__flush(&c->writer);
		atomic_store_explicit(&ring->tail, tail, memory_order_release);
	}
	dp_writer__source(&c->writer, DP_SPOOL_SOURCE_NONE, 0, 0);
	/* The next thread may have it. */
	if (atomic_load(&ring->done) && atomic_load(&ring->head) == tail) {
		atomic_store(&ring->done, 0);
		atomic_store_explicit(&ring->tid, 0, memory_order_release);
	}
	return any;
}

/* Stores definitions, ring 0, before what refers to them; so they are read later. */
static bool store_rings(struct collector *c)
{
	static uint64_t heads[DP_POOL_RINGS_LIMIT];
	bool any = false;

	for (uint32_t i = 1; i < c->pool->rings; i++)
		heads[i] = atomic_load_explicit(&c->rings[i].head, memory_order_acquire);
	for (uint32_t i = 0; i < c->pool->rings; i++)
		any |= store_ring(
			c, i,
			i ? heads[i]
			  : atomic_load_explicit(&c->rings[0].head, memory_order_acquire));
	return any;
}

static void store_notes(struct collector *c)
{
	struct dp_spool_record record = { .type = DP_SPOOL_MESSAGE };

	for (int i = 0; i < NOTES; i++) {
		struct note *note = &c->notes[i];

		if (atomic_load(&note->ready) != 1)
			continue;
		record.message = (struct dp_spool_message){
			.realtime_ns = note->realtime_ns,
			.level = note->level,
			.code = dp_writer__text(&c->writer, note->code, strlen(note->code)),
			.text = dp_writer__text(&c->writer, note->text, strlen(note->text)),
		};
		dp_writer__add(&c->writer, &record, false);
		atomic_store(&note->ready, 2);
	}
}

/*
 * Reads the names in buffers that CUPTI still fills, so that if the process dies its kernels have
 * names: the launcher can then read the records, but not what they point to.
 */
static void read_names(struct collector *c, uint32_t index)
{
	uint8_t *data = dp_pool__data(index);
	struct cupti_kernel kernel;
	uint32_t kind, bytes, *at = &my.looked[index].at;

	look_again(c, index);
	while (c->pool->slot_bytes - *at >= 8) {
		kind = __atomic_load_n((uint32_t *)(void *)(data + *at), __ATOMIC_ACQUIRE);
		bytes = kind < DP_SPOOL_KINDS ? c->strides[kind] : 0;
		if (!bytes || bytes > c->pool->slot_bytes - *at)
			break;
		if (kind == CUPTI_KERNEL && bytes > offsetof(struct cupti_kernel, queued)) {
			memcpy(&kernel.name, data + *at + offsetof(struct cupti_kernel, name), 8);
			if (kernel.name)
				dp_writer__address(&c->writer, kernel.name);
		}
		*at += bytes;
	}
}

static void look_at_held(struct collector *c)
{
	for (uint32_t i = 0; i < c->pool->slots; i++) {
		if (atomic_load_explicit(&c->slots[i].state, memory_order_acquire) != DP_SLOT_HELD)
			continue;
		read_names(c, i);
		if (c->options.read_held)
			store_finished(c, i);
	}
}

/* Once CUPTI has requested a buffer, there are devices to describe, or soon will be. */
static void describe_devices(struct collector *c)
{
	if (!my.described && atomic_load(&c->requested))
		my.described = dp_device__describe(&c->writer);
}

static void each_second(struct collector *c)
{
	int64_t now = clock_ns(CLOCK_MONOTONIC);

	if (now < my.next_second_ns)
		return;
	my.next_second_ns = now + 1000000000;
	dp_info__clock(&c->writer);
}

static void put_state(struct collector *c, uint32_t state, int64_t realtime_ns)
{
	struct dp_spool_record record = { .type = DP_SPOOL_STATE };

	record.state = (struct dp_spool_state){ realtime_ns, state };
	dp_writer__add(&c->writer, &record, false);
}

/* Stores when recording started, paused and resumed. */
static void note_state(struct collector *c)
{
	uint32_t began = c->cupti.attached ? DP_SPOOL_STARTED : DP_SPOOL_NVTX_ON;
	struct moment at;

	while (dp_switches__take(&at))
		put_state(c, at.on ? DP_SPOOL_RESUMED : DP_SPOOL_PAUSED, at.realtime_ns);
	if (atomic_load(&c->pool->state) != DP_POOL_RUNNING || began == my.began)
		return;
	my.began = began;
	put_state(c, began, clock_ns(CLOCK_REALTIME));
}

static void put_versions(struct collector *c)
{
	char text[32];

	if (!c->cupti.attached || my.versions)
		return;
	my.versions = true;
	/* From here on, CUPTI's clock can be set: this reads it before. */
	dp_info__clock(&c->writer);
	snprintf(text, sizeof(text), "%u", c->cupti.version);
	dp_info__put(&c->writer, "cupti.version", text);
	dp_info__put(&c->writer, "cupti.path", c->cupti.path);
	snprintf(text, sizeof(text), "%d", c->cupti.driver_version);
	if (c->cupti.driver_version)
		dp_info__put(&c->writer, "driver.version", text);
}

static void pass_lost_threads(struct collector *c)
{
	dp_writer__lose(&c->writer, DP_LOSS_THREADS, DP_SPOOL_KIND_NVTX,
			atomic_exchange(&c->thread_lost, 0), 0);
}

static bool pass(struct collector *c, bool last)
{
	uint32_t unloads = atomic_load(&c->unloads);
	bool any = store_rings(c);

	any |= store_slots(c, last);
	count_discards(c, last);
	pass_lost_threads(c);
	store_notes(c);
	put_versions(c);
	note_state(c);
	each_second(c);
	look_at_held(c);
	describe_devices(c);
	dp_pool__grow();
	if (unloads != my.unloads) {
		my.unloads = unloads;
		dp_writer__forget(&c->writer);
	}
	dp_writer__flush(&c->writer);
	return any;
}

static void tell_failure(struct collector *c)
{
	if (!c->writer.failed || my.announced)
		return;
	my.announced = true;
	if (c->writer.fail_reason == DP_LOSS_SPOOL_LIMIT)
		dp_message__say(DP_SPOOL_ERROR, "spool-limit",
				"--max-spool was reached: later records are counted, not kept");
	else
		dp_message__say(
			DP_SPOOL_ERROR, dp_pool__loss_word(c->writer.fail_reason),
			"the spool in %s cannot be written (%s): later records are counted, not kept",
			c->folder, strerror(c->writer.fail_errno));
}

/* Stores everything that is left, the sums, and the end. */
static void end(struct collector *c)
{
	int64_t now = clock_ns(CLOCK_REALTIME);

	pass(c, true);
	dp_info__clock(&c->writer);
	for (size_t i = 0; i < TIDS; i++)
		if (my.tids[i])
			dp_info__thread(&c->writer, my.tids[i]);
	store_notes(c);
	dp_writer__sums(&c->writer, now);
	put_state(c, DP_SPOOL_ENDED, now);
	dp_writer__flush(&c->writer);
	if (!c->writer.failed)
		atomic_store(&c->pool->state, DP_POOL_ENDED);
}

void *dp_writer_thread(void *unused)
{
	struct collector *c = &dp_collector;

	memset(&my, 0, sizeof(my));
	dp_threads__use_all_processors();
	dp_info__process(&c->writer);
	dp_writer__flush(&c->writer);
	while (!atomic_load(&c->writer_quit)) {
		uint32_t wake = atomic_load(&c->writer_wake);

		if (!pass(c, false))
			dp_wait(&c->writer_wake, wake, TICK_MS);
		tell_failure(c);
	}
	if (atomic_load(&c->given_up)) {
		dp_writer__empty(&c->writer);
		dp_pool__give_back();
	} else {
		end(c);
	}
	atomic_store(&c->writer_done, 1);
	dp_wake(&c->writer_done);
	return NULL;
}
