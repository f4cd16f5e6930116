/*
 * Spools: their records are read, changed as records, and written again, so that the code behind
 * the codec is reached. A pool that follows stays as it is.
 */
#define _GNU_SOURCE
#include "mutate.h"
#include "spool/crc32c.h"
#include "spool/pool.h"
#include "spool/spool_write.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { RECORDS_MOST = 2000, STRINGS_MOST = 500 };

struct records {
	struct dp_spool_header header;
	struct dp_spool_record all[RECORDS_MOST];
	size_t count;
};

static int file_of(const void *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd >= 0 && write(fd, data, size) != (ssize_t)size) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static void swap(struct fuzz_input *input, struct records *records)
{
	size_t a = fuzz_below(input, records->count), b = fuzz_below(input, records->count);
	struct dp_spool_record kept = records->all[a];

	records->all[a] = records->all[b];
	records->all[b] = kept;
}

static void delete (struct fuzz_input *input, struct records *records)
{
	size_t at = fuzz_below(input, records->count);

	memmove(&records->all[at], &records->all[at + 1],
		(records->count - at - 1) * sizeof(records->all[0]));
	records->count--;
}

static void repeat(struct fuzz_input *input, struct records *records)
{
	size_t at = fuzz_below(input, records->count);
	size_t times = fuzz_below(input, 8) ? 1 : fuzz_below(input, 200);

	while (times-- && records->count < RECORDS_MOST)
		records->all[records->count++] = records->all[at];
}

/* A field gets an unusual number, or that of another record. */
static void change(struct fuzz_input *input, struct records *records)
{
	struct dp_spool_record *record = &records->all[fuzz_below(input, records->count)];
	const struct dp_spool_record *other = &records->all[fuzz_below(input, records->count)];
	size_t first = offsetof(struct dp_spool_record, info);
	size_t width = fuzz_below(input, 2) ? 8 : 4;
	size_t at = first + width * fuzz_below(input, (sizeof(*record) - first) / width);
	int64_t number = fuzz_number(input);

	if (fuzz_below(input, 3))
		memcpy((char *)record + at, &number, width);
	else
		memcpy((char *)record + at, (const char *)other + at, width);
}

static void change_type(struct fuzz_input *input, struct records *records)
{
	records->all[fuzz_below(input, records->count)].type =
		(enum dp_spool_type)(1 + fuzz_below(input, DP_SPOOL_TYPE_COUNT - 1));
}

/* Pushes, pops, starts and ends of few threads, domains and numbers, in any order. */
static void add_ranges(struct fuzz_input *input, struct records *records)
{
	static const uint32_t types[] = { DP_SPOOL_NVTX_PUSH, DP_SPOOL_NVTX_POP,
					  DP_SPOOL_NVTX_START, DP_SPOOL_NVTX_END,
					  DP_SPOOL_NVTX_MARK };

	for (size_t left = fuzz_below(input, 300); left && records->count < RECORDS_MOST; left--) {
		struct dp_spool_record *record = &records->all[records->count++];

		memset(record, 0, sizeof(*record));
		record->type = DP_SPOOL_NVTX;
		record->nvtx = (struct dp_spool_nvtx){
			.monotonic_ns = fuzz_below(input, 4) ? records->count * 1000
							     : (uint64_t)fuzz_number(input),
			.type = types[fuzz_below(input, 5)],
			.tid = (uint32_t)fuzz_below(input, 3),
			.domain = (uint32_t)fuzz_below(input, 3),
			.range = fuzz_below(input, 4),
			.name = (uint32_t)fuzz_below(input, 10),
			.schema = fuzz_below(input, 3) ? 0 : 98 + fuzz_below(input, 2),
			.blob = (uint32_t)fuzz_below(input, 10),
		};
	}
}

/* The writer trusts its caller: the only boolean among the fields must be one. */
static void fix(struct dp_spool_record *record)
{
	unsigned char byte;

	memcpy(&byte, &record->memcpy.peer, 1);
	if (record->type == DP_SPOOL_MEMCPY)
		record->memcpy.peer = byte & 1;
}

static void read_records(struct records *records, struct dp_spool *spool)
{
	records->count = 0;
	while (records->count < RECORDS_MOST &&
	       !dp_spool__next(spool, &records->all[records->count]))
		records->count++;
}

/* Texts come first and in order, so that most of them keep their numbers. */
static void write_records(struct dp_spool_writer *writer, const struct records *records,
			  const struct dp_spool *spool)
{
	size_t length;

	for (uint32_t id = 1; id < STRINGS_MOST; id++) {
		const char *text = dp_spool__string(spool, id, &length);

		if (text && *text)
			dp_writer__text(writer, text, length);
	}
	for (size_t i = 0; i < records->count; i++)
		dp_writer__add(writer, &records->all[i], true);
	dp_writer__flush(writer);
}

static void rewrite(struct fuzz_input *input, size_t size, struct records *records,
		    const struct dp_spool *spool)
{
	struct dp_pool_header *pool = calloc(1, sizeof(*pool));
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct dp_spool_writer writer = { 0 };
	uint8_t *bytes = NULL;
	off_t length;

	if (pool && fd >= 0 && dp_writer__open(&writer, fd, &records->header, pool)) {
		write_records(&writer, records, spool);
		length = lseek(fd, 0, SEEK_END);
		bytes = length > 0 ? malloc((size_t)length) : NULL;
		if (bytes && pread(fd, bytes, (size_t)length, 0) == length)
			fuzz_splice(input, 0, size, bytes, (size_t)length);
	}
	dp_writer__fini(&writer);
	free(bytes);
	free(pool);
	if (fd >= 0)
		close(fd);
}

void fuzz_grammar(struct fuzz_input *input)
{
	static void (*const ways[])(struct fuzz_input *, struct records *) = {
		change, change, change, change, change_type, swap, delete, repeat, add_ranges
	};
	static struct records records;
	const uint8_t *pool = memmem(input->data, input->size, DP_POOL_MAGIC, 8);
	size_t size = pool ? (size_t)(pool - input->data) : input->size;
	struct dp_spool *spool = NULL;
	int fd = file_of(input->data, size);

	if (fd < 0)
		return;
	if (!dp_spool__open(&spool, fd)) {
		records.header = *dp_spool__header(spool);
		read_records(&records, spool);
		for (size_t left = 1 + fuzz_below(input, 8); left && records.count; left--)
			ways[fuzz_below(input, sizeof(ways) / sizeof(ways[0]))](input, &records);
		for (size_t i = 0; i < records.count; i++)
			fix(&records.all[i]);
		rewrite(input, size, &records, spool);
		dp_spool__close(spool);
	}
	close(fd);
}

static void set_sums(uint8_t *data, size_t size)
{
	struct dp_spool_chunk chunk;
	struct dp_spool_header head;
	size_t at = sizeof(head);

	if (size < sizeof(head))
		return;
	memcpy(&head, data, sizeof(head));
	head.crc = 0;
	head.crc = dp_crc32c(0, &head, sizeof(head));
	memcpy(data, &head, sizeof(head));
	while (size - at >= sizeof(chunk)) {
		memcpy(&chunk, data + at, sizeof(chunk));
		if (chunk.magic != DP_SPOOL_CHUNK_MAGIC || chunk.bytes > size - at - sizeof(chunk))
			return;
		chunk.crc = 0;
		chunk.crc = dp_crc32c(0, &chunk, sizeof(chunk));
		chunk.crc = dp_crc32c(chunk.crc, data + at + sizeof(chunk), chunk.bytes);
		memcpy(data + at, &chunk, sizeof(chunk));
		at += sizeof(chunk) + chunk.bytes;
	}
}

void fuzz_spool_files(const uint8_t *data, size_t size, int *spool, int *pool)
{
	const uint8_t *pool_at = size ? memmem(data, size, DP_POOL_MAGIC, 8) : NULL;
	size_t spool_size = pool_at ? (size_t)(pool_at - data) : size;
	uint8_t *bytes = malloc(spool_size + 1);

	if (!bytes)
		abort();
	if (spool_size)
		memcpy(bytes, data, spool_size);
	set_sums(bytes, spool_size);
	*spool = file_of(bytes, spool_size);
	*pool = pool_at ? file_of(pool_at, size - spool_size) : -1;
	free(bytes);
	if (*spool < 0 || (pool_at && *pool < 0))
		abort();
}
