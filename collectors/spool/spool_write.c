#include "spool/spool_write.h"
#include "spool/crc32c.h"
#include "spool/translate.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define HEAD sizeof(struct dp_spool_chunk)
#define PAYLOAD_ROOM ((size_t)512 << 10)
/* A record, and the three longest texts that it may define, fit behind this. */
#define PAYLOAD_FULL (PAYLOAD_ROOM - 3 * (DP_SPOOL_STRING_LIMIT + 64) - 4 * DP_CODEC_LONGEST)
#define BUFFER_BYTES (HEAD + PAYLOAD_ROOM)
/* Beyond these, a text is written again instead of remembered. */
#define STRINGS_REMEMBERED ((size_t)1 << 20)

_Static_assert(PAYLOAD_ROOM <= DP_SPOOL_CHUNK_LIMIT, "chunks that the reader refuses");

static bool write_all(struct dp_spool_writer *w, const void *data, size_t bytes)
{
	int fd = dp_descriptor__get(&w->file);
	const char *p = data;
	size_t left = bytes;

	while (left) {
		ssize_t n = write(fd, p, left);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			w->fail_errno = n < 0 ? errno : ENOSPC;
			return false;
		}
		p += n;
		left -= (size_t)n;
	}
	w->file_bytes += bytes;
	return true;
}

bool dp_writer__open(struct dp_spool_writer *w, int fd, const struct dp_spool_header *header,
		     struct dp_pool_header *pool)
{
	struct dp_spool_header head = *header;

	dp_descriptor__note(&w->file, fd);
	w->source = DP_SPOOL_SOURCE_NONE;
	w->pool = pool;
	w->strings.limit = w->addresses.limit = STRINGS_REMEMBERED;
	w->buffer = dp_pages__new(BUFFER_BYTES);
	w->scratch = dp_pages__new(DP_SPOOL_STRING_LIMIT + 1);
	if (!w->buffer || !w->scratch)
		return false;
	head.crc = 0;
	head.crc = dp_crc32c(0, &head, sizeof(head));
	return write_all(w, &head, sizeof(head));
}

void dp_writer__fini(struct dp_spool_writer *w)
{
	dp_pages__free(w->buffer, BUFFER_BYTES);
	dp_pages__free(w->scratch, DP_SPOOL_STRING_LIMIT + 1);
	dp_spool_table__fini(&w->strings);
	dp_spool_table__fini(&w->addresses);
	dp_spool_table__fini(&w->places);
	dp_spool_table__fini(&w->shapes);
	memset(w, 0, sizeof(*w));
	w->file.fd = -1;
}

static bool full(const struct dp_spool_writer *w)
{
	return w->used > PAYLOAD_FULL;
}

static uint8_t *end_of(struct dp_spool_writer *w)
{
	return w->buffer + HEAD + w->used;
}

static void moved(struct dp_spool_writer *w, const uint8_t *end)
{
	w->used = (size_t)(end - w->buffer) - HEAD;
	w->records++;
}

static uint32_t place_id(struct dp_spool_writer *w, const struct dp_spool_place *place)
{
	struct dp_spool_key key = { (uint64_t)place->device << 32 | place->context, place->stream };
	uint32_t id;

	if (!place->device && !place->context && !place->stream)
		return 0;
	if (w->last_place_id && !memcmp(place, &w->last_place, sizeof(*place)))
		return w->last_place_id;
	id = dp_spool_table__get(&w->places, key);
	if (!id) {
		id = ++w->place_count;
		dp_spool_table__put(&w->places, key, id);
		moved(w, dp_codec__put_place(end_of(w), id, place));
	}
	w->last_place = *place;
	w->last_place_id = id;
	return id;
}

static uint32_t shape_id(struct dp_spool_writer *w, const struct dp_spool_shape *shape)
{
	/* Kernels of a program alternate between few shapes, most of which differ in these. */
	uint32_t sum = shape->grid[0] + 3 * shape->grid[1] + 5 * shape->block[0] +
		       7 * shape->registers + shape->smem_dynamic / 64;
	struct dp_writer_recent *recent = &w->recent[sum % DP_WRITER_RECENT];
	struct dp_spool_key key;
	uint32_t id;

	if (recent->id && !memcmp(shape, &recent->shape, sizeof(*shape)))
		return recent->id;
	key = dp_spool_key__of(shape, sizeof(*shape));
	id = dp_spool_table__get(&w->shapes, key);
	if (!id) {
		id = ++w->shape_count;
		dp_spool_table__put(&w->shapes, key, id);
		moved(w, dp_codec__put_shape(end_of(w), id, shape));
	}
	*recent = (struct dp_writer_recent){ *shape, id };
	return id;
}

void dp_writer__add(struct dp_spool_writer *w, const struct dp_spool_record *record, bool counted)
{
	struct dp_spool_record *loose = (struct dp_spool_record *)(uintptr_t)record;
	struct dp_codec_ids ids = { 0, 0 };
	struct dp_spool_place *place;
	struct dp_spool_shape *shape;

	/* Before it is counted: the chunk written here does not contain it. */
	if (full(w))
		dp_writer__flush(w);
	if (counted)
		w->pending[dp_spool__kind(record)]++;
	if (w->failed)
		return;
	place = dp_codec__place(loose);
	if (place)
		ids.place = place_id(w, place);
	shape = dp_codec__shape(loose);
	if (shape)
		ids.shape = shape_id(w, shape);
	moved(w, dp_codec__encode(&w->codec, end_of(w), record, &ids));
}

static void finish_chunk(struct dp_spool_writer *w, bool stored)
{
	struct dp_pool_header *pool = w->pool;
	uint32_t now = atomic_load_explicit(&pool->bank, memory_order_relaxed) & 1;
	const struct dp_pool_bank *from = &pool->banks[now];
	struct dp_pool_bank *to = &pool->banks[!now];

	*to = *from;
	to->chunks = w->chunks;
	for (int i = 0; i < DP_SPOOL_KINDS; i++) {
		to->completed[i] += w->pending[i] + w->pending_lost[i];
		to->lost[i] += w->pending_lost[i];
		if (stored) {
			to->stored[i] += w->pending[i];
		} else {
			to->lost[i] += w->pending[i];
			to->lost_records[w->fail_reason] += w->pending[i];
		}
	}
	for (int i = 0; i < DP_LOSS_REASONS; i++) {
		to->lost_records[i] += w->pending_lost_records[i];
		to->lost_bytes[i] += w->pending_lost_bytes[i];
	}
	memset(w->pending, 0, sizeof(w->pending));
	memset(w->pending_lost, 0, sizeof(w->pending_lost));
	memset(w->pending_lost_records, 0, sizeof(w->pending_lost_records));
	memset(w->pending_lost_bytes, 0, sizeof(w->pending_lost_bytes));
	w->lost_some = false;
	atomic_store_explicit(&pool->spool_bytes, w->file_bytes, memory_order_relaxed);
	atomic_store_explicit(&pool->bank, !now, memory_order_release);
}

static void cut(const struct dp_descriptor *file, uint64_t bytes)
{
	while (ftruncate(dp_descriptor__get(file), (off_t)bytes) && errno == EINTR)
		;
}

/* No part of a chunk that was not written completely may stay. */
static void fail(struct dp_spool_writer *w, unsigned int reason)
{
	w->failed = true;
	w->fail_reason = reason;
	cut(&w->file, w->file_bytes);
}

void dp_writer__empty(struct dp_spool_writer *w)
{
	struct dp_descriptor file = w->file;

	dp_writer__fini(w);
	w->failed = true;
	cut(&file, 0);
}

void dp_writer__flush(struct dp_spool_writer *w)
{
	struct dp_spool_chunk chunk = {
		.magic = DP_SPOOL_CHUNK_MAGIC,
		.bytes = (uint32_t)w->used,
		.records = w->records,
		.sequence = w->chunks,
		.source = w->source,
		.slot_sequence = w->slot_sequence,
		.position = w->position,
	};

	if (!w->failed && w->records) {
		memcpy(w->buffer, &chunk, HEAD);
		chunk.crc = dp_crc32c(0, w->buffer, HEAD + w->used);
		memcpy(w->buffer, &chunk, HEAD);
		if (w->limit && w->file_bytes + HEAD + w->used > w->limit)
			fail(w, DP_LOSS_SPOOL_LIMIT);
		else if (!write_all(w, w->buffer, HEAD + w->used))
			fail(w, DP_LOSS_DISK);
		else
			w->chunks++;
		finish_chunk(w, !w->failed);
	} else if (w->failed || w->lost_some) {
		finish_chunk(w, false);
	}
	w->used = 0;
	w->records = 0;
	memset(&w->codec, 0, sizeof(w->codec));
}

void dp_writer__lose(struct dp_spool_writer *w, unsigned int reason, uint32_t kind,
		     uint64_t records, uint64_t bytes)
{
	if (!records && !bytes)
		return;
	w->pending_lost[kind < DP_SPOOL_KINDS ? kind : DP_SPOOL_KIND_UNKNOWN] += records;
	w->pending_lost_records[reason] += records;
	w->pending_lost_bytes[reason] += bytes;
	w->lost_some = true;
}

/* Defines a string, or another address of it. */
static uint32_t define(struct dp_spool_writer *w, uint64_t pointer, const char *text, size_t bytes)
{
	struct dp_spool_key key;
	uint32_t id;
	bool known;

	if (bytes > DP_SPOOL_STRING_LIMIT)
		bytes = DP_SPOOL_STRING_LIMIT;
	key = dp_spool_key__of(text, bytes);
	id = dp_spool_table__get(&w->strings, key);
	known = id != 0;
	if (!known) {
		id = ++w->string_count;
		dp_spool_table__put(&w->strings, key, id);
	}
	if ((!known || pointer) && !w->failed) {
		struct dp_codec_string string = { id, known, pointer, text, bytes };

		/* Callers check for room before a record, not before each of its strings. */
		if (w->used + bytes + 64 > PAYLOAD_ROOM - DP_CODEC_LONGEST)
			dp_writer__flush(w);
		moved(w, dp_codec__put_string(end_of(w), &string));
	}
	return id;
}

uint32_t dp_writer__text(void *writer, const char *text, size_t bytes)
{
	return bytes ? define(writer, 0, text, bytes) : 0;
}

uint32_t dp_writer__address(void *writer, uint64_t address)
{
	struct dp_spool_writer *w = writer;
	struct dp_spool_key key = { address, 0 };
	uint32_t id = dp_spool_table__get(&w->addresses, key);
	long bytes;

	if (id || address >= DP_NUMBER_DOMAIN || !w->read_text)
		return id;
	bytes = w->read_text(w->owner, address, w->scratch, DP_SPOOL_STRING_LIMIT);
	if (bytes <= 0)
		return 0;
	id = define(w, address, w->scratch, (size_t)bytes);
	dp_spool_table__put(&w->addresses, key, id);
	return id;
}

void dp_writer__number(void *writer, uint64_t number, const char *text, size_t bytes)
{
	struct dp_spool_writer *w = writer;

	dp_spool_table__put(&w->addresses, (struct dp_spool_key){ number, 0 },
			    define(w, number, text, bytes));
}

static bool is_number(struct dp_spool_key key)
{
	return key.a >= DP_NUMBER_DOMAIN;
}

void dp_writer__forget(struct dp_spool_writer *w)
{
	dp_spool_table__sift(&w->addresses, is_number);
}

static void put_text(struct dp_spool_writer *w, uint32_t *id, const char *text)
{
	*id = dp_writer__text(w, text, strlen(text));
}

void dp_writer__sums(struct dp_spool_writer *w, int64_t realtime_ns)
{
	const struct dp_pool_bank *bank;
	struct dp_spool_record record;

	dp_writer__flush(w);
	dp_writer__source(w, DP_SPOOL_SOURCE_NONE, 0, 0);
	bank = &w->pool->banks[atomic_load_explicit(&w->pool->bank, memory_order_relaxed) & 1];
	for (unsigned int i = 0; i < DP_LOSS_REASONS; i++) {
		if (!bank->lost_records[i] && !bank->lost_bytes[i])
			continue;
		record = (struct dp_spool_record){ .type = DP_SPOOL_LOSS };
		record.loss = (struct dp_spool_loss){ .realtime_ns = realtime_ns,
						      .records = bank->lost_records[i],
						      .bytes = bank->lost_bytes[i] };
		put_text(w, &record.loss.reason, dp_pool__loss_word(i));
		dp_writer__add(w, &record, false);
	}
	for (uint32_t i = 0; i < DP_SPOOL_KINDS; i++) {
		if (!bank->completed[i])
			continue;
		record = (struct dp_spool_record){ .type = DP_SPOOL_COUNT };
		record.count = (struct dp_spool_count){ i, bank->completed[i], bank->stored[i],
							bank->lost[i] };
		dp_writer__add(w, &record, false);
	}
}
