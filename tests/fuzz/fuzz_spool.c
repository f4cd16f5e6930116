/*
 * The spool's reader, and salvage. An input is a spool, and a pool from where the pool's magic
 * begins, if it does. Checksums are set right first: they stop accidents, not enemies.
 */
#define _GNU_SOURCE
#include "fuzz.h"
#include "spool/crc32c.h"
#include "spool/pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HOLDS(condition) \
	((condition) ? (void)0 : (fprintf(stderr, "broken: %s\n", #condition), abort()))

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

static int file_of(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	HOLDS(fd >= 0);
	HOLDS(write(fd, data, size) == (ssize_t)size);
	return fd;
}

static uint64_t drain(struct dp_spool *spool, size_t size)
{
	struct dp_spool_record record;
	uint64_t records = 0;
	size_t length;
	int status;

	while (!(status = dp_spool__next(spool, &record))) {
		const char *text = "";

		HOLDS(record.type > 0 && record.type < DP_SPOOL_TYPE_COUNT);
		if (record.type == DP_SPOOL_KERNEL)
			text = dp_spool__string(spool, record.kernel.name, &length);
		else if (record.type == DP_SPOOL_NVTX)
			text = dp_spool__string(spool, record.nvtx.blob, &length);
		else
			text = dp_spool__string(spool, record.info.value, &length);
		HOLDS(length <= DP_SPOOL_STRING_LIMIT && !text[length]);
		records++;
	}
	/* No byte makes more than one record; sums and losses come on top. */
	HOLDS(records <= size + DP_SPOOL_KINDS + DP_LOSS_REASONS);
	HOLDS(status == DP_SPOOL_END || status == DP_SPOOL_IO || status == DP_SPOOL_NO_MEMORY);
	return records;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *spool_bytes = malloc(size + 1);
	struct dp_spool *spool = NULL;
	const uint8_t *pool_bytes = NULL;
	size_t spool_size = size;
	int spool_fd, pool_fd;

	HOLDS(spool_bytes);
	if (size)
		pool_bytes = memmem(data, size, DP_POOL_MAGIC, 8);
	if (pool_bytes)
		spool_size = (size_t)(pool_bytes - data);
	if (size)
		memcpy(spool_bytes, data, size);
	set_sums(spool_bytes, spool_size);
	spool_fd = file_of(spool_bytes, spool_size);
	if (!dp_spool__open(&spool, spool_fd)) {
		drain(spool, size);
		if (pool_bytes) {
			pool_fd = file_of(pool_bytes, size - spool_size);
			if (!dp_spool__salvage(spool, pool_fd))
				drain(spool, size);
			close(pool_fd);
		}
		dp_spool__close(spool);
	}
	close(spool_fd);
	free(spool_bytes);
	return 0;
}
