/* Limits of the spool: sums that hold at any moment, numbers of any size, files made to be slow. */
#include "cupti/cupti_abi.h"
#include "spool/crc32c.h"
#include "spool/spool_read.h"
#include "spool/spool_write.h"
#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct dp_spool_header a_header(void)
{
	struct dp_spool_header header = { .magic = DP_SPOOL_MAGIC,
					  .version = DP_SPOOL_VERSION,
					  .bytes = sizeof(header),
					  .pid = 42 };

	return header;
}

static int temporary(void)
{
	FILE *file = tmpfile();
	int fd = file ? dup(fileno(file)) : -1;

	ck_assert_int_ge(fd, 0);
	fclose(file);
	return fd;
}

static uint64_t records_in(int fd, enum dp_spool_type type)
{
	struct dp_spool_record record;
	struct dp_spool *spool;
	uint64_t count = 0;

	ck_assert_int_eq(dp_spool__open(&spool, fd), DP_SPOOL_OK);
	while (dp_spool__next(spool, &record) == DP_SPOOL_OK)
		count += record.type == type;
	dp_spool__close(spool);
	return count;
}

/* Whenever a process is killed, the file has what is counted as stored. */
TEST(sums_are_the_files)
{
	struct dp_pool_header *pool = calloc(1, sizeof(*pool));
	struct dp_spool_header header = a_header();
	static struct dp_spool_writer writer;
	uint64_t chunks = 0, looks = 0;
	int fd = temporary();

	ck_assert_ptr_nonnull(pool);
	memset(&writer, 0, sizeof(writer));
	ck_assert(dp_writer__open(&writer, fd, &header, pool));
	for (uint64_t i = 1; looks < 4; i++) {
		struct dp_spool_record record = { .type = DP_SPOOL_KERNEL };

		record.kernel.start = i * 1000;
		record.kernel.end = i * 1000 + 900;
		record.kernel.correlation = i;
		dp_writer__add(&writer, &record, true);
		if (writer.chunks == chunks)
			continue;
		chunks = writer.chunks;
		looks++;
		ck_assert_uint_eq(pool->banks[pool->bank].stored[10],
				  records_in(fd, DP_SPOOL_KERNEL));
	}
	dp_writer__fini(&writer);
	close(fd);
	free(pool);
}

static uint32_t no_text(void *owner, const char *text, size_t bytes)
{
	return 0;
}

static uint32_t no_address(void *owner, uint64_t address)
{
	return 0;
}

/* The highest so far comes from the spool, where it may be any. */
TEST(correlations_of_any_size)
{
	static const struct {
		uint64_t highest;
		uint32_t next;
		uint64_t expected;
	} cases[] = {
		{ 7, 8, 8 },
		{ 0xfffffff0u, 5, 0x100000005u },
		{ 0x100000005u, 0xfffffff0u, 0xfffffff0u },
		{ 5, 0xfffffff0u, 0xfffffff0u },
		{ INT64_MAX, 5, 5 },
		{ UINT64_MAX, 5, 5 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dp_translate translate = { .correlation = cases[i].highest,
						  .text = no_text,
						  .address = no_address };
		struct dp_spool_record record;
		struct cupti_api call = { .kind = CUPTI_RUNTIME, .correlation = cases[i].next };

		dp_translate__activity(&translate, &record, &call, sizeof(call));
		ck_assert_int_eq(record.type, DP_SPOOL_API);
		ck_assert_uint_eq(record.api.correlation, cases[i].expected);
	}
}

static void put(int fd, const void *data, size_t bytes)
{
	ck_assert_int_eq(write(fd, data, bytes), (ssize_t)bytes);
}

/* A chunk's header every 40 bytes, each of a megabyte: to sum all of them up takes minutes. */
TEST(chunks_that_are_none)
{
	struct dp_spool_chunk chunk = { .magic = DP_SPOOL_CHUNK_MAGIC,
					.bytes = DP_SPOOL_CHUNK_LIMIT };
	struct dp_spool_header header = a_header();
	struct dp_spool_record record;
	struct dp_spool *spool;
	int fd = temporary();

	header.crc = dp_crc32c(0, &header, sizeof(header));
	put(fd, &header, sizeof(header));
	for (int i = 0; i < 200000; i++)
		put(fd, &chunk, sizeof(chunk));
	ck_assert_int_eq(dp_spool__open(&spool, fd), DP_SPOOL_OK);
	ck_assert_int_eq(dp_spool__next(spool, &record), DP_SPOOL_END);
	ck_assert_uint_lt(spool->vain_bytes, (uint64_t)200 << 20);
	dp_spool__close(spool);
	close(fd);
}

/* A process may pass anything as its pool: that is detected before it is read. */
TEST(pools_that_are_none)
{
	struct dp_pool_status status;
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	ck_assert(!dp_pool__status(ends[0], &status));
	ck_assert(!dp_pool__control(ends[0], DP_POOL_STOP));
	close(ends[0]);
	close(ends[1]);
	ends[0] = open("/dev/zero", O_RDWR | O_CLOEXEC);
	ck_assert(!dp_pool__status(ends[0], &status));
	close(ends[0]);
}
