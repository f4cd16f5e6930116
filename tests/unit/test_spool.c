/*
 * The spool as a file: incomplete chunks are not trusted, nor is what follows them. The same bytes
 * are read wherever they were torn, and while they are still being written.
 */
#include "spool/pool.h"
#include "spool/spool_write.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNKS = 5, EACH = 12, KERNEL_KIND = 10 };

static struct dp_spool_writer writer;
static uint64_t ends[CHUNKS + 1]; /* of the header, and of each chunk */

static void add_chunk(int number)
{
	struct dp_spool_record record = { .type = DP_SPOOL_KERNEL };

	record.kernel.place = (struct dp_spool_place){ 0, 1, 7 };
	record.kernel.shape.grid[0] = 4;
	record.kernel.name = dp_writer__text(&writer, "_Z4gemmPfS_i", 12);
	for (int i = 0; i < EACH; i++) {
		record.kernel.correlation = (uint64_t)(number * EACH + i + 1);
		record.kernel.start = 1000 * record.kernel.correlation;
		record.kernel.end = record.kernel.start + 500;
		dp_writer__add(&writer, &record, true);
	}
	dp_writer__flush(&writer);
	ends[number + 1] = writer.file_bytes;
}

static int begin(struct dp_pool_header *pool)
{
	struct dp_spool_header header = { .magic = DP_SPOOL_MAGIC,
					  .version = DP_SPOOL_VERSION,
					  .bytes = sizeof(header),
					  .pid = 4242 };
	int fd = memfd_create("spool", MFD_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	memset(pool, 0, sizeof(*pool));
	memset(&writer, 0, sizeof(writer));
	ck_assert(dp_writer__open(&writer, fd, &header, pool));
	ends[0] = writer.file_bytes;
	return fd;
}

static int make(void)
{
	static struct dp_pool_header pool;
	int fd = begin(&pool);

	for (int i = 0; i < CHUNKS; i++)
		add_chunk(i);
	ck_assert_uint_eq(pool.banks[pool.bank & 1].stored[KERNEL_KIND], CHUNKS * EACH);
	dp_writer__fini(&writer);
	return fd;
}

/* What a reader finds of each chunk's kernels: all, or none. */
struct found {
	bool chunk[CHUNKS];
	struct dp_spool_health health;
};

static void take(struct dp_spool *spool, unsigned int counts[CHUNKS])
{
	struct dp_spool_record record;
	int status;

	while (!(status = dp_spool__next(spool, &record))) {
		uint64_t number = record.kernel.correlation - 1;

		ck_assert_int_eq(record.type, DP_SPOOL_KERNEL);
		ck_assert_uint_lt(number, CHUNKS * EACH);
		ck_assert_uint_eq(record.kernel.start, 1000 * (number + 1));
		ck_assert_uint_eq(record.kernel.end, record.kernel.start + 500);
		counts[number / EACH]++;
	}
	ck_assert_int_eq(status, DP_SPOOL_END);
}

static struct found read_all(int fd)
{
	unsigned int counts[CHUNKS] = { 0 };
	struct found found;
	struct dp_spool *spool;

	ck_assert_int_eq(dp_spool__open(&spool, fd), DP_SPOOL_OK);
	take(spool, counts);
	dp_spool__health(spool, &found.health);
	dp_spool__close(spool);
	for (int i = 0; i < CHUNKS; i++) {
		ck_assert(!counts[i] || counts[i] == EACH);
		found.chunk[i] = counts[i];
	}
	return found;
}

static void flip(int fd, uint64_t offset)
{
	uint8_t byte;

	ck_assert_int_eq(pread(fd, &byte, 1, (off_t)offset), 1);
	byte ^= (uint8_t)(1u << offset % 8);
	ck_assert_int_eq(pwrite(fd, &byte, 1, (off_t)offset), 1);
}

TEST(whole)
{
	int fd = make();
	struct found found = read_all(fd);

	for (int i = 0; i < CHUNKS; i++)
		ck_assert(found.chunk[i]);
	ck_assert_uint_eq(found.health.chunks, CHUNKS);
	ck_assert_uint_eq(found.health.damaged_bytes, 0);
	ck_assert(!found.health.torn);
	close(fd);
}

/* One bit anywhere: its chunk is left out, is known as damaged, and all others are there. */
TEST_LOOP(one_bit, CHUNKS)
{
	int fd = make(), chunk = _i;

	for (uint64_t at = ends[chunk]; at < ends[chunk + 1]; at++) {
		struct found found;

		flip(fd, at);
		found = read_all(fd);
		for (int i = 0; i < CHUNKS; i++)
			ck_assert_msg(found.chunk[i] == (i != chunk), "byte %llu, chunk %d",
				      (unsigned long long)at, i);
		/* The last one may be in the midst of being written. */
		ck_assert(found.health.torn == (chunk == CHUNKS - 1));
		ck_assert_uint_eq(found.health.damaged_bytes,
				  found.health.torn ? 0 : ends[chunk + 1] - ends[chunk]);
		flip(fd, at);
	}
	close(fd);
}

TEST(one_bit_of_the_header)
{
	struct dp_spool *spool;
	int fd = make();

	for (uint64_t at = 0; at < ends[0]; at++) {
		flip(fd, at);
		ck_assert_int_eq(dp_spool__open(&spool, fd), DP_SPOOL_NOT_SPOOL);
		flip(fd, at);
	}
	close(fd);
}

/* Cut off anywhere: all whole chunks are read. */
TEST(torn)
{
	struct dp_spool *spool;
	int fd = make();

	for (uint64_t bytes = ends[CHUNKS]; bytes-- > ends[0];) {
		struct found found;
		bool between = false;

		ck_assert_int_eq(ftruncate(fd, (off_t)bytes), 0);
		found = read_all(fd);
		for (int i = 0; i < CHUNKS; i++) {
			ck_assert(found.chunk[i] == (ends[i + 1] <= bytes));
			between |= ends[i] == bytes;
		}
		ck_assert(found.health.torn == !between);
		ck_assert_uint_eq(found.health.damaged_bytes, 0);
	}
	for (uint64_t bytes = ends[0]; bytes--;) {
		ck_assert_int_eq(ftruncate(fd, (off_t)bytes), 0);
		ck_assert_int_eq(dp_spool__open(&spool, fd), DP_SPOOL_NOT_SPOOL);
	}
	close(fd);
}

/* A reader at the end continues when there is more. */
TEST(still_written)
{
	static struct dp_pool_header pool;
	unsigned int counts[CHUNKS] = { 0 };
	struct dp_spool *spool;
	int fd = begin(&pool);

	ck_assert_int_eq(dp_spool__open(&spool, fd), DP_SPOOL_OK);
	for (int i = 0; i < CHUNKS; i++) {
		take(spool, counts);
		ck_assert_uint_eq(counts[i], 0);
		add_chunk(i);
		take(spool, counts);
		ck_assert_uint_eq(counts[i], EACH);
	}
	dp_spool__close(spool);
	dp_writer__fini(&writer);
	close(fd);
}
