/*
 * The contents of a pool whose process died between any two steps of its writer: each record is
 * found once, in order, and the sums include it.
 */
#include "cupti/cupti_abi.h"
#include "spool/pool.h"
#include "spool/spool_write.h"
#include "test.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SLOTS = 3, RINGS = 2, PART = 4096, PID = 4242 };
enum { STORED = 8, COMPLETED = 20, ALL = 30 }; /* calls: stored, in the first buffer, in both */
enum { EVENTS = 6, EVENTS_STORED = 2 };
enum { SLOT_TABLE = 8192, RING_TABLE = 12288, SLOT_DATA = 16384 };

#define RING_DATA (SLOT_DATA + SLOTS * PART)

static struct dp_pool_header head;
static struct dp_spool_writer writer;

/* CUPTI's number of the n-th call, from 1 on; 32 bits overflow after four. */
static uint64_t number_of(unsigned int n)
{
	return ((uint64_t)1 << 32) - 5 + n + (n > 4);
}

static void put(int fd, const void *data, size_t bytes, uint64_t offset)
{
	ck_assert_int_eq(pwrite(fd, data, bytes, (off_t)offset), bytes);
}

static void put_calls(int pool, uint32_t slot, unsigned int from, unsigned int to)
{
	for (unsigned int n = from; n <= to; n++) {
		struct cupti_api api = { .kind = CUPTI_RUNTIME, .start = 1000 * n, .thread = 77 };

		api.end = api.start + 100;
		api.correlation = (uint32_t)number_of(n);
		put(pool, &api, sizeof(api), SLOT_DATA + slot * PART + (n - from) * sizeof(api));
	}
}

/* The first buffer is in the second slot, given back; the one after it in the first slot, held. */
static void put_slots(int pool)
{
	struct dp_pool_slot slots[SLOTS] = {
		{ .state = DP_SLOT_HELD, .sequence = 2 },
		{ .state = DP_SLOT_COMPLETED,
		  .sequence = 1,
		  .valid_bytes = COMPLETED * sizeof(struct cupti_api) },
		{ .state = DP_SLOT_FREE, .sequence = 3 },
	};

	put(pool, slots, sizeof(slots), SLOT_TABLE);
	put_calls(pool, 1, 1, COMPLETED);
	put_calls(pool, 0, COMPLETED + 1, ALL);
	put_calls(pool, 2, 1, ALL);
}

static void put_ring(int pool)
{
	struct dp_pool_ring rings[RINGS] = {
		{ .tid = PID },
		{ .tid = 77,
		  .head = EVENTS * sizeof(struct dp_pool_event),
		  .lost = 5,
		  .lost_counted = 2 },
	};

	put(pool, rings, sizeof(rings), RING_TABLE);
	for (uint64_t i = 0; i < EVENTS; i++) {
		struct dp_pool_event event = { .bytes = sizeof(event),
					       .type = DP_SPOOL_NVTX_MARK,
					       .monotonic_ns = i + 1 };

		put(pool, &event, sizeof(event), RING_DATA + PART + i * sizeof(event));
	}
}

static int make_pool(void)
{
	int pool = memfd_create("pool", MFD_CLOEXEC);

	ck_assert_int_ge(pool, 0);
	memset(&head, 0, sizeof(head));
	memcpy(head.magic, DP_POOL_MAGIC, sizeof(head.magic));
	head.version = DP_POOL_VERSION;
	head.bytes = sizeof(head);
	head.pid = PID;
	head.slots = SLOTS;
	head.rings = RINGS;
	head.slot_bytes = head.ring_bytes = PART;
	head.slot_table = SLOT_TABLE;
	head.ring_table = RING_TABLE;
	head.slot_data = SLOT_DATA;
	head.ring_data = RING_DATA;
	head.pool_bytes = RING_DATA + RINGS * PART;
	head.strides[CUPTI_RUNTIME] = sizeof(struct cupti_api);
	ck_assert_uint_le(sizeof(head), SLOT_TABLE);
	ck_assert_int_eq(ftruncate(pool, (off_t)head.pool_bytes), 0);
	return pool;
}

static int make_spool(void)
{
	struct dp_spool_header header = { .magic = DP_SPOOL_MAGIC,
					  .version = DP_SPOOL_VERSION,
					  .bytes = sizeof(header),
					  .pid = PID };
	int spool = memfd_create("spool", MFD_CLOEXEC);

	ck_assert_int_ge(spool, 0);
	memset(&writer, 0, sizeof(writer));
	ck_assert(dp_writer__open(&writer, spool, &header, &head));
	return spool;
}

/* The spool's one chunk; counted: also in the sums. */
static void end_chunk(int pool, uint32_t source, uint64_t sequence, uint64_t position, bool counted)
{
	dp_writer__source(&writer, source, sequence, position);
	dp_writer__flush(&writer);
	dp_writer__fini(&writer);
	if (!counted)
		head.bank = 0;
	put(pool, &head, sizeof(head), 0);
}

struct found {
	unsigned int calls, events;
	struct dp_spool_count counts[DP_SPOOL_KINDS];
	struct dp_spool_loss loss;
};

static void take(struct found *found, struct dp_spool *spool)
{
	struct dp_spool_record record;
	int status;

	while (!(status = dp_spool__next(spool, &record))) {
		if (record.type == DP_SPOOL_API) {
			found->calls++;
			ck_assert_uint_eq(record.api.correlation, number_of(found->calls));
			ck_assert_uint_eq(record.api.start, 1000 * found->calls);
			ck_assert(record.salvaged == (found->calls > STORED));
		} else if (record.type == DP_SPOOL_NVTX) {
			found->events++;
			ck_assert_uint_eq(record.nvtx.monotonic_ns, found->events);
			ck_assert(record.salvaged == (found->events > EVENTS_STORED));
		} else if (record.type == DP_SPOOL_COUNT) {
			found->counts[record.count.kind] = record.count;
		} else {
			ck_assert_int_eq(record.type, DP_SPOOL_LOSS);
			found->loss = record.loss;
			ck_assert_str_eq(dp_spool__string(spool, record.loss.reason, NULL),
					 "nvtx-ring-full");
		}
	}
	ck_assert_int_eq(status, DP_SPOOL_END);
}

static struct found salvage(int fd, int pool)
{
	struct found found = { 0 };
	struct dp_spool *spool;

	ck_assert_int_eq(dp_spool__open(&spool, fd), DP_SPOOL_OK);
	take(&found, spool);
	ck_assert_int_eq(dp_spool__salvage(spool, pool), DP_SPOOL_OK);
	take(&found, spool);
	dp_spool__close(spool);
	close(fd);
	close(pool);
	return found;
}

static void check_count(const struct dp_spool_count *count, uint64_t completed, uint64_t lost)
{
	ck_assert_uint_eq(count->completed, completed);
	ck_assert_uint_eq(count->stored, completed - lost);
	ck_assert_uint_eq(count->lost, lost);
}

/* A chunk of a buffer was written; whether it was counted, the buffer was not noted as stored. */
TEST_LOOP(in_a_buffer, 2)
{
	int pool = make_pool(), spool = make_spool();
	struct found found;

	put_slots(pool);
	for (unsigned int n = 1; n <= STORED; n++) {
		struct dp_spool_record record = { .type = DP_SPOOL_API };

		record.api.start = 1000 * n;
		record.api.end = record.api.start + 100;
		record.api.correlation = number_of(n);
		record.api.tid = 77;
		record.api.domain = CUPTI_DOMAIN_RUNTIME;
		dp_writer__add(&writer, &record, true);
	}
	end_chunk(pool, 1, 1, STORED * sizeof(struct cupti_api), _i);
	found = salvage(spool, pool);
	ck_assert_uint_eq(found.calls, ALL);
	check_count(&found.counts[CUPTI_RUNTIME], ALL, 0);
}

/* The same of a ring; what found no room in it is counted once. */
TEST_LOOP(in_a_ring, 2)
{
	int pool = make_pool(), spool = make_spool();
	struct found found;

	put_ring(pool);
	for (unsigned int n = 1; n <= EVENTS_STORED; n++) {
		struct dp_spool_record record = { .type = DP_SPOOL_NVTX };

		record.nvtx.type = DP_SPOOL_NVTX_MARK;
		record.nvtx.monotonic_ns = (int64_t)n;
		dp_writer__add(&writer, &record, true);
	}
	end_chunk(pool, DP_SPOOL_SOURCE_RING | 1, 0, EVENTS_STORED * sizeof(struct dp_pool_event),
		  _i);
	found = salvage(spool, pool);
	ck_assert_uint_eq(found.events, EVENTS);
	ck_assert_uint_eq(found.loss.records, 3);
	check_count(&found.counts[DP_SPOOL_KIND_NVTX], EVENTS + 3, 3);
}

/* The pool of another process, which may have had the same id, or no pool. */
TEST_LOOP(of_another, 4)
{
	struct dp_spool *spool;
	int pool = make_pool(), fd = make_spool();

	end_chunk(pool, DP_SPOOL_SOURCE_NONE, 0, 0, true);
	ck_assert_int_eq(dp_spool__open(&spool, fd), DP_SPOOL_OK);
	head.pid = _i == 0 ? PID + 1 : PID;
	head.serial = _i == 1;
	head.magic[0] = _i == 2 ? 'x' : head.magic[0];
	put(pool, &head, sizeof(head), 0);
	ck_assert_int_eq(dp_spool__salvage(spool, pool), _i < 3 ? DP_SPOOL_NOT_SPOOL : DP_SPOOL_OK);
	dp_spool__close(spool);
	close(pool);
	close(fd);
}
