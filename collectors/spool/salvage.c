/*
 * What a process had not stored when it died: CUPTI's records in slots of the pool, NVTX events in
 * rings. The pool is read as a file and trusted as little as the spool. Addresses of names are no
 * longer valid; the spool has the names that its writer had seen.
 */
#include "spool/spool_read.h"
#include "spool/table.h"

#include <stdlib.h>
#include <string.h>

enum phase { RINGS, SLOTS, LOSSES, COUNTS, DONE };

/* A slot with records. */
struct left {
	uint64_t sequence;
	uint32_t index;
	uint32_t from;
	uint32_t to;
	bool held;
};

struct dp_salvage {
	int fd;
	enum phase phase;
	struct dp_pool_header pool;
	struct dp_pool_bank sums;
	struct dp_translate translate;
	struct dp_spool_table addresses;
	struct dp_spool_table texts;
	bool no_memory;
	struct left *slots;
	size_t slot_count;
	/* The current slot or ring. */
	size_t next;
	uint8_t *data;
	size_t data_room;
	size_t at;
	size_t end;
	bool held;
	uint32_t tid;
};

void dp_salvage__free(struct dp_salvage *salvage)
{
	if (!salvage)
		return;
	dp_spool_table__fini(&salvage->addresses);
	dp_spool_table__fini(&salvage->texts);
	free(salvage->slots);
	free(salvage->data);
	free(salvage);
}

static bool read_at(int fd, void *out, size_t bytes, uint64_t offset)
{
	return dp_read__at(fd, out, bytes, offset) == (ssize_t)bytes;
}

/* Ids of salvaged strings continue after those of the spool. */
static uint32_t text(void *owner, const char *bytes, size_t length)
{
	struct dp_spool *spool = owner;
	struct dp_salvage *salvage = spool->salvage;
	struct dp_spool_key key;
	uint32_t id;

	if (!length)
		return 0;
	if (length > DP_SPOOL_STRING_LIMIT)
		length = DP_SPOOL_STRING_LIMIT;
	key = dp_spool_key__of(bytes, length);
	id = dp_spool_table__get(&salvage->texts, key);
	if (id)
		return id;
	id = (uint32_t)spool->string_count + 1;
	if (!dp_read__define(spool, id, bytes, length)) {
		salvage->no_memory = true;
		return 0;
	}
	dp_spool_table__put(&salvage->texts, key, id);
	return id;
}

static uint32_t address(void *owner, uint64_t where)
{
	struct dp_spool *spool = owner;
	uint32_t id;

	id = dp_spool_table__get(&spool->salvage->addresses, (struct dp_spool_key){ where, 0 });
	if (!id)
		spool->health.undefined++;
	return id;
}

static void number(void *owner, uint64_t where, const char *bytes, size_t length)
{
	struct dp_spool *spool = owner;
	uint32_t id = text(owner, bytes, length);

	if (id)
		dp_spool_table__put(&spool->salvage->addresses, (struct dp_spool_key){ where, 0 },
				    id);
}

static int by_sequence(const void *a, const void *b)
{
	const struct left *left = a, *right = b;

	if (left->sequence != right->sequence)
		return left->sequence < right->sequence ? -1 : 1;
	return left->index < right->index ? -1 : left->index > right->index;
}

/* Lists the slots with records that the spool lacks. */
static int list_slots(struct dp_spool *spool, struct dp_salvage *salvage)
{
	const struct dp_pool_header *pool = &salvage->pool;
	struct dp_pool_slot *table;
	size_t bytes = pool->slots * sizeof(*table);

	if (!pool->slots)
		return DP_SPOOL_OK;
	table = malloc(bytes);
	salvage->slots = calloc(pool->slots, sizeof(*salvage->slots));
	if (!table || !salvage->slots) {
		free(table);
		return DP_SPOOL_NO_MEMORY;
	}
	if (!read_at(salvage->fd, table, bytes, pool->slot_table)) {
		free(table);
		return DP_SPOOL_IO;
	}
	for (uint32_t i = 0; i < pool->slots; i++) {
		struct left *left = &salvage->slots[salvage->slot_count];
		uint64_t from = table[i].consumed_bytes;

		if (table[i].state != DP_SLOT_HELD && table[i].state != DP_SLOT_COMPLETED)
			continue;
		if (i < spool->slot_room && spool->slots[i].sequence == table[i].sequence &&
		    spool->slots[i].position > from)
			from = spool->slots[i].position;
		left->held = table[i].state == DP_SLOT_HELD;
		left->to = left->held ? pool->slot_bytes : table[i].valid_bytes;
		if (left->to > pool->slot_bytes)
			left->to = pool->slot_bytes;
		if (from >= left->to)
			continue;
		left->from = (uint32_t)from;
		left->index = i;
		left->sequence = table[i].sequence;
		salvage->slot_count++;
	}
	free(table);
	qsort(salvage->slots, salvage->slot_count, sizeof(*salvage->slots), by_sequence);
	return DP_SPOOL_OK;
}

/* Sets the sums up to the spool's end: its last chunk may have been written but not counted. */
static void start_sums(struct dp_spool *spool, struct dp_salvage *salvage)
{
	salvage->sums = salvage->pool.banks[salvage->pool.bank & 1];
	if (spool->last_chunk == UINT64_MAX || spool->last_chunk < salvage->sums.chunks)
		return;
	for (int i = 0; i < DP_SPOOL_KINDS; i++) {
		salvage->sums.completed[i] += spool->last_counts[i];
		salvage->sums.stored[i] += spool->last_counts[i];
	}
}

int dp_spool__salvage(struct dp_spool *spool, int pool_fd)
{
	struct dp_salvage *salvage;
	int status = DP_SPOOL_OK;

	if (spool->failed || spool->salvage)
		return spool->failed;
	salvage = calloc(1, sizeof(*salvage));
	if (!salvage)
		return DP_SPOOL_NO_MEMORY;
	salvage->fd = pool_fd;
	if (!dp_pool__read(pool_fd, &salvage->pool) || salvage->pool.pid != spool->header.pid ||
	    salvage->pool.serial != spool->header.serial) {
		dp_salvage__free(salvage);
		return DP_SPOOL_NOT_SPOOL;
	}
	if (salvage->pool.state == DP_POOL_ENDED)
		salvage->phase = DONE;
	else
		status = list_slots(spool, salvage);
	for (size_t i = 0; i < spool->address_count && !status; i++)
		if (!dp_spool_table__put(&salvage->addresses,
					 (struct dp_spool_key){ spool->addresses[i].address, 0 },
					 spool->addresses[i].id))
			status = DP_SPOOL_NO_MEMORY;
	if (status) {
		dp_salvage__free(salvage);
		return status;
	}
	start_sums(spool, salvage);
	salvage->translate = (struct dp_translate){
		.correlation = spool->correlation,
		.owner = spool,
		.text = text,
		.address = address,
		.number = number,
	};
	spool->salvage = salvage;
	return DP_SPOOL_OK;
}

static void lose(struct dp_salvage *salvage, unsigned int reason, uint32_t kind, uint64_t records,
		 uint64_t bytes)
{
	salvage->sums.completed[kind] += records;
	salvage->sums.lost[kind] += records;
	salvage->sums.lost_records[reason] += records;
	salvage->sums.lost_bytes[reason] += bytes;
}

/* Reads the rest of a ring, unwrapped, into salvage->data. */
static int load_ring(struct dp_spool *spool, uint32_t index)
{
	struct dp_salvage *salvage = spool->salvage;
	const struct dp_pool_header *pool = &salvage->pool;
	uint64_t data = pool->ring_data + (uint64_t)index * pool->ring_bytes, tail;
	struct dp_pool_ring ring;
	size_t from, first;

	if (!read_at(salvage->fd, &ring, sizeof(ring), pool->ring_table + index * sizeof(ring)))
		return DP_SPOOL_IO;
	if (ring.lost > ring.lost_counted)
		lose(salvage, DP_LOSS_RING_FULL, DP_SPOOL_KIND_NVTX, ring.lost - ring.lost_counted,
		     0);
	tail = ring.tail;
	if (index < spool->ring_room && spool->rings[index].position > tail)
		tail = spool->rings[index].position;
	salvage->at = salvage->end = 0;
	salvage->tid = ring.tid;
	if (ring.head <= tail || ring.head - tail > pool->ring_bytes)
		return DP_SPOOL_OK;
	salvage->end = (size_t)(ring.head - tail);
	from = (size_t)(tail & (pool->ring_bytes - 1));
	first = pool->ring_bytes - from < salvage->end ? pool->ring_bytes - from : salvage->end;
	if (!dp_read__grow((void **)&salvage->data, &salvage->data_room, pool->ring_bytes, 1))
		return DP_SPOOL_NO_MEMORY;
	if (!read_at(salvage->fd, salvage->data, first, data + from) ||
	    !read_at(salvage->fd, salvage->data + first, salvage->end - first, data))
		return DP_SPOOL_IO;
	return DP_SPOOL_OK;
}

static int load_slot(struct dp_salvage *salvage, const struct left *slot)
{
	const struct dp_pool_header *pool = &salvage->pool;

	salvage->at = slot->from;
	salvage->end = slot->to;
	salvage->held = slot->held;
	if (!dp_read__grow((void **)&salvage->data, &salvage->data_room, pool->slot_bytes, 1))
		return DP_SPOOL_NO_MEMORY;
	if (!read_at(salvage->fd, salvage->data, slot->to,
		     pool->slot_data + (uint64_t)slot->index * pool->slot_bytes))
		return DP_SPOOL_IO;
	return DP_SPOOL_OK;
}

static void deliver(struct dp_salvage *salvage, struct dp_spool_record *out, bool counted)
{
	uint32_t kind = dp_spool__kind(out);

	out->salvaged = true;
	if (counted) {
		salvage->sums.completed[kind]++;
		salvage->sums.stored[kind]++;
	}
}

static bool next_event(struct dp_spool *spool, struct dp_spool_record *out)
{
	struct dp_salvage *salvage = spool->salvage;

	while (salvage->at < salvage->end) {
		const uint8_t *raw = salvage->data + salvage->at;
		size_t bytes = dp_translate__event_bytes(raw, salvage->end - salvage->at);

		if (!bytes) {
			lose(salvage, DP_LOSS_DAMAGED, DP_SPOOL_KIND_NVTX, 1,
			     salvage->end - salvage->at);
			salvage->at = salvage->end;
			break;
		}
		salvage->at += bytes;
		if (dp_translate__event(&salvage->translate, out, raw, salvage->tid)) {
			deliver(salvage, out, out->type == DP_SPOOL_NVTX);
			return true;
		}
	}
	return false;
}

static bool next_activity(struct dp_spool *spool, struct dp_spool_record *out)
{
	struct dp_salvage *salvage = spool->salvage;
	size_t left = salvage->end - salvage->at, bytes;
	uint32_t kind = 0;

	if (left >= 8)
		memcpy(&kind, salvage->data + salvage->at, 4);
	if (!left || (!kind && salvage->held))
		return false;
	bytes = kind < DP_SPOOL_KINDS ? salvage->pool.strides[kind] : 0;
	if (bytes < 8 || bytes > left) {
		lose(salvage, DP_LOSS_DAMAGED, DP_SPOOL_KIND_UNKNOWN, 1, left);
		salvage->at = salvage->end;
		return false;
	}
	dp_translate__activity(&salvage->translate, out, salvage->data + salvage->at, bytes);
	salvage->at += bytes;
	deliver(salvage, out, true);
	return true;
}

static void next_phase(struct dp_salvage *salvage, enum phase phase)
{
	salvage->phase = phase;
	salvage->next = salvage->at = salvage->end = 0;
}

static int rings(struct dp_spool *spool, struct dp_spool_record *out)
{
	struct dp_salvage *salvage = spool->salvage;
	int status;

	while (!next_event(spool, out)) {
		if (salvage->next == salvage->pool.rings) {
			next_phase(salvage, SLOTS);
			return DP_SPOOL_END;
		}
		status = load_ring(spool, (uint32_t)salvage->next++);
		if (status)
			return status;
	}
	return DP_SPOOL_OK;
}

static int slots(struct dp_spool *spool, struct dp_spool_record *out)
{
	struct dp_salvage *salvage = spool->salvage;
	int status;

	while (!next_activity(spool, out)) {
		if (salvage->next == salvage->slot_count) {
			next_phase(salvage, LOSSES);
			return DP_SPOOL_END;
		}
		status = load_slot(salvage, &salvage->slots[salvage->next++]);
		if (status)
			return status;
	}
	return DP_SPOOL_OK;
}

static int losses(struct dp_spool *spool, struct dp_spool_record *out)
{
	struct dp_salvage *salvage = spool->salvage;
	const struct dp_pool_bank *sums = &salvage->sums;
	const char *word;

	for (; salvage->next < DP_LOSS_REASONS; salvage->next++) {
		if (!sums->lost_records[salvage->next] && !sums->lost_bytes[salvage->next])
			continue;
		memset(out, 0, sizeof(*out));
		word = dp_pool__loss_word((unsigned int)salvage->next);
		out->type = DP_SPOOL_LOSS;
		out->loss.reason = text(spool, word, strlen(word));
		out->loss.records = sums->lost_records[salvage->next];
		out->loss.bytes = sums->lost_bytes[salvage->next++];
		out->salvaged = true;
		return DP_SPOOL_OK;
	}
	next_phase(salvage, COUNTS);
	return DP_SPOOL_END;
}

static int counts(struct dp_spool *spool, struct dp_spool_record *out)
{
	struct dp_salvage *salvage = spool->salvage;
	const struct dp_pool_bank *sums = &salvage->sums;

	for (; salvage->next < DP_SPOOL_KINDS; salvage->next++) {
		if (!sums->completed[salvage->next])
			continue;
		memset(out, 0, sizeof(*out));
		out->type = DP_SPOOL_COUNT;
		out->count = (struct dp_spool_count){
			(uint32_t)salvage->next,
			sums->completed[salvage->next],
			sums->stored[salvage->next],
			sums->lost[salvage->next],
		};
		out->salvaged = true;
		salvage->next++;
		return DP_SPOOL_OK;
	}
	next_phase(salvage, DONE);
	return DP_SPOOL_END;
}

int dp_salvage__next(struct dp_spool *spool, struct dp_spool_record *out)
{
	static int (*const steps[])(struct dp_spool *, struct dp_spool_record *) = {
		rings,
		slots,
		losses,
		counts,
	};
	int status = DP_SPOOL_END;

	while (status == DP_SPOOL_END && spool->salvage->phase != DONE) {
		status = steps[spool->salvage->phase](spool, out);
		if (spool->salvage->no_memory)
			return DP_SPOOL_NO_MEMORY;
	}
	return status;
}
