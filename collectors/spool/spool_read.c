/*
 * Reads spools. Anyone who may write to the folder may have written the file: every length is
 * checked, ids are bounded by the bytes that could have defined them, and a chunk counts only if
 * its checksum is right. Time is linear in the file; memory is a chunk and the definitions.
 */
#include "spool/spool_read.h"
#include "spool/crc32c.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Limits reading of chunks with wrong checksums: this many bytes, and this multiple of the file up
 * to there. A damaged file has each chunk read once; a hostile one could cause reading a megabyte
 * for every 40 bytes.
 */
#define VAIN_BYTES ((uint64_t)64 << 20)
#define VAIN_TIMES 8
#define PROGRESS_LIMIT 65536u

static int check_header(struct dp_spool_header *header)
{
	uint32_t crc = header->crc;

	if (memcmp(header->magic, DP_SPOOL_MAGIC, sizeof(header->magic)) ||
	    header->version != DP_SPOOL_VERSION || header->bytes != sizeof(*header))
		return DP_SPOOL_NOT_SPOOL;
	header->crc = 0;
	if (dp_crc32c(0, header, sizeof(*header)) != crc)
		return DP_SPOOL_NOT_SPOOL;
	header->crc = crc;
	return DP_SPOOL_OK;
}

int dp_spool__open(struct dp_spool **out, int fd)
{
	struct dp_spool *spool = calloc(1, sizeof(*spool));
	ssize_t n;
	int status;

	if (!spool)
		return DP_SPOOL_NO_MEMORY;
	spool->fd = fd;
	n = dp_read__at(fd, &spool->header, sizeof(spool->header), 0);
	if (n < 0)
		status = DP_SPOOL_IO;
	else if ((size_t)n < sizeof(spool->header))
		status = DP_SPOOL_NOT_SPOOL;
	else
		status = check_header(&spool->header);
	if (status) {
		dp_spool__close(spool);
		return status;
	}
	spool->offset = spool->header.bytes;
	spool->last_chunk = UINT64_MAX;
	*out = spool;
	return DP_SPOOL_OK;
}

void dp_spool__close(struct dp_spool *spool)
{
	if (!spool)
		return;
	dp_salvage__free(spool->salvage);
	for (size_t i = 0; i < spool->text_count; i++)
		free(spool->texts[i]);
	free(spool->texts);
	free(spool->strings);
	free(spool->places);
	free(spool->shapes);
	free(spool->addresses);
	free(spool->slots);
	free(spool->rings);
	free(spool->chunk);
	free(spool);
}

const struct dp_spool_header *dp_spool__header(const struct dp_spool *spool)
{
	return &spool->header;
}

void dp_spool__health(const struct dp_spool *spool, struct dp_spool_health *out)
{
	*out = spool->health;
	out->bytes_read = spool->offset;
}

const char *dp_spool__string(const struct dp_spool *spool, uint32_t id, size_t *length)
{
	bool there = id && id <= spool->string_count && spool->strings[id - 1].defined;

	if (length)
		*length = there ? spool->strings[id - 1].bytes : 0;
	return there ? spool->strings[id - 1].text : "";
}

/* Each definition takes at least three bytes: no valid id is larger than that allows. */
static bool plausible(const struct dp_spool *spool, uint32_t id)
{
	return id <= spool->offset / 3 + 1;
}

static void note_damage(struct dp_spool *spool, uint64_t bytes)
{
	spool->health.damaged_bytes += bytes;
}

/* Loads the chunk at the offset into spool->chunk. Returns true if it is complete and valid. */
static bool load_chunk(struct dp_spool *spool, uint64_t offset, struct dp_spool_chunk *chunk)
{
	struct dp_spool_chunk zeroed;
	size_t total;
	uint32_t crc;

	if (dp_read__at(spool->fd, chunk, sizeof(*chunk), offset) != (ssize_t)sizeof(*chunk) ||
	    chunk->magic != DP_SPOOL_CHUNK_MAGIC || chunk->bytes > DP_SPOOL_CHUNK_LIMIT)
		return false;
	total = sizeof(*chunk) + chunk->bytes;
	if (offset + total > spool->file_bytes)
		return false;
	if (!dp_read__grow((void **)&spool->chunk, &spool->chunk_room, chunk->bytes + 1u, 1)) {
		spool->failed = DP_SPOOL_NO_MEMORY;
		return false;
	}
	if (dp_read__at(spool->fd, spool->chunk, chunk->bytes, offset + sizeof(*chunk)) !=
	    (ssize_t)chunk->bytes)
		return false;
	zeroed = *chunk;
	zeroed.crc = 0;
	crc = dp_crc32c(0, &zeroed, sizeof(zeroed));
	if (dp_crc32c(crc, spool->chunk, chunk->bytes) == chunk->crc)
		return true;
	spool->vain_bytes += total;
	return false;
}

/* Finds the next valid chunk after a damaged place. Returns false if there is none. */
static bool resync(struct dp_spool *spool, struct dp_spool_chunk *chunk)
{
	static const uint32_t magic = DP_SPOOL_CHUNK_MAGIC;
	uint64_t offset = spool->offset + 1;
	uint8_t window[4096];

	while (!spool->failed) {
		ssize_t n = dp_read__at(spool->fd, window, sizeof(window), offset);
		ssize_t i;

		if (n < (ssize_t)sizeof(*chunk))
			return false;
		for (i = 0; i + 4 <= n; i++) {
			if (memcmp(window + i, &magic, 4))
				continue;
			if (spool->vain_bytes > VAIN_BYTES + VAIN_TIMES * offset)
				return false;
			if (load_chunk(spool, offset + (uint64_t)i, chunk)) {
				note_damage(spool, offset + (uint64_t)i - spool->offset);
				spool->offset = offset + (uint64_t)i;
				return true;
			}
		}
		offset += (uint64_t)n - 3;
	}
	return false;
}

/* Numbers of rings and slots are small; larger ones are ignored. */
static bool note_progress(struct dp_spool *spool, const struct dp_spool_chunk *chunk)
{
	bool ring = chunk->source & DP_SPOOL_SOURCE_RING;
	uint32_t index = chunk->source & ~DP_SPOOL_SOURCE_RING;
	struct dp_progress **list = ring ? &spool->rings : &spool->slots;
	size_t *room = ring ? &spool->ring_room : &spool->slot_room;

	if (index >= PROGRESS_LIMIT)
		return true;
	if (!dp_read__grow((void **)list, room, index + 1u, sizeof(**list)))
		return false;
	(*list)[index] = (struct dp_progress){ chunk->slot_sequence, chunk->position };
	return true;
}

/* Loads the next chunk. */
static int next_chunk(struct dp_spool *spool)
{
	struct dp_spool_chunk chunk;
	struct stat info;

	if (fstat(spool->fd, &info))
		return DP_SPOOL_IO;
	spool->file_bytes = (uint64_t)info.st_size;
	if (spool->offset >= spool->file_bytes) {
		spool->health.torn = false;
		return DP_SPOOL_END;
	}
	/* An incomplete chunk may become complete; otherwise the pool has what it contained. */
	if (!load_chunk(spool, spool->offset, &chunk) && !resync(spool, &chunk)) {
		spool->health.torn = true;
		return spool->failed ? spool->failed : DP_SPOOL_END;
	}
	spool->health.torn = false;
	spool->health.chunks++;
	spool->offset += sizeof(chunk) + chunk.bytes;
	spool->at = spool->chunk;
	spool->end = spool->chunk + chunk.bytes;
	spool->last_chunk = chunk.sequence;
	memset(spool->last_counts, 0, sizeof(spool->last_counts));
	memset(&spool->codec, 0, sizeof(spool->codec));
	return note_progress(spool, &chunk) ? DP_SPOOL_OK : DP_SPOOL_NO_MEMORY;
}

static int define_string(struct dp_spool *spool)
{
	struct dp_codec_string string;

	if (!dp_codec__get_string(&spool->at, spool->end, &string) || !plausible(spool, string.id))
		return DP_SPOOL_NOT_SPOOL;
	if (!string.alias && !dp_read__define(spool, string.id, string.text, string.bytes))
		return DP_SPOOL_NO_MEMORY;
	if (string.pointer && !dp_read__bind(spool, string.pointer, string.id))
		return DP_SPOOL_NO_MEMORY;
	return DP_SPOOL_OK;
}

static int define_place(struct dp_spool *spool)
{
	struct dp_spool_place place;
	uint32_t id;

	if (!dp_codec__get_place(&spool->at, spool->end, &id, &place) || !plausible(spool, id))
		return DP_SPOOL_NOT_SPOOL;
	if (!dp_read__grow((void **)&spool->places, &spool->place_room, id, sizeof(place)))
		return DP_SPOOL_NO_MEMORY;
	if (id > spool->place_count)
		spool->place_count = id;
	spool->places[id - 1] = place;
	return DP_SPOOL_OK;
}

static int define_shape(struct dp_spool *spool)
{
	struct dp_spool_shape shape;
	uint32_t id;

	if (!dp_codec__get_shape(&spool->at, spool->end, &id, &shape) || !plausible(spool, id))
		return DP_SPOOL_NOT_SPOOL;
	if (!dp_read__grow((void **)&spool->shapes, &spool->shape_room, id, sizeof(shape)))
		return DP_SPOOL_NO_MEMORY;
	if (id > spool->shape_count)
		spool->shape_count = id;
	spool->shapes[id - 1] = shape;
	return DP_SPOOL_OK;
}

/* Sets the record's place and shape from the dictionaries. */
static void resolve(struct dp_spool *spool, struct dp_spool_record *record,
		    const struct dp_codec_ids *ids)
{
	struct dp_spool_place *place = dp_codec__place(record);
	struct dp_spool_shape *shape = dp_codec__shape(record);

	if (place && ids->place) {
		if (ids->place <= spool->place_count)
			*place = spool->places[ids->place - 1];
		else
			spool->health.undefined++;
	}
	if (shape && ids->shape) {
		if (ids->shape <= spool->shape_count)
			*shape = spool->shapes[ids->shape - 1];
		else
			spool->health.undefined++;
	}
}

/* Keeps what salvage needs to know about the file's records. */
static void remember(struct dp_spool *spool, const struct dp_spool_record *record)
{
	uint64_t correlation = 0;

	if (record->type == DP_SPOOL_API)
		correlation = record->api.correlation;
	else if (record->type == DP_SPOOL_KERNEL)
		correlation = record->kernel.correlation;
	else if (record->type == DP_SPOOL_STATE)
		spool->health.ended |= record->state.state == DP_SPOOL_ENDED;
	if (correlation > spool->correlation)
		spool->correlation = correlation;
	spool->last_counts[dp_spool__kind(record)]++;
}

/* Decodes one record or definition of the chunk; DP_SPOOL_END after a definition. */
static int decode(struct dp_spool *spool, struct dp_spool_record *out)
{
	struct dp_codec_ids ids;
	int status;

	switch (*spool->at) {
	case DP_SPOOL_STRING:
		status = define_string(spool);
		break;
	case DP_SPOOL_PLACE:
		status = define_place(spool);
		break;
	case DP_SPOOL_SHAPE:
		status = define_shape(spool);
		break;
	default:
		if (!dp_codec__decode(&spool->codec, &spool->at, spool->end, out, &ids))
			return DP_SPOOL_NOT_SPOOL;
		resolve(spool, out, &ids);
		remember(spool, out);
		return DP_SPOOL_OK;
	}
	return status ? status : DP_SPOOL_END;
}

int dp_spool__next(struct dp_spool *spool, struct dp_spool_record *out)
{
	int status;

	while (!spool->failed) {
		if (spool->at == spool->end) {
			if (spool->salvage)
				status = dp_salvage__next(spool, out);
			else
				status = next_chunk(spool);
			if (status == DP_SPOOL_END || (spool->salvage && !status))
				return status;
			spool->failed = status;
			continue;
		}
		status = decode(spool, out);
		if (!status)
			return DP_SPOOL_OK;
		if (status == DP_SPOOL_NOT_SPOOL) {
			/* The checksum is right, the bytes are not: a later version, or forged. */
			note_damage(spool, (uint64_t)(spool->end - spool->at));
			spool->at = spool->end;
		} else if (status != DP_SPOOL_END) {
			spool->failed = status;
		}
	}
	return spool->failed;
}
