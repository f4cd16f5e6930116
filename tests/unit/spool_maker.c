#include "spool_maker.h"
#include "spool/spool_write.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct dp_spool_writer writer;

static uint32_t text(const char *word)
{
	return dp_writer__text(&writer, word, strlen(word));
}

static void add(struct dp_spool_record record)
{
	static const bool uncounted[DP_SPOOL_TYPE_COUNT] = {
		[DP_SPOOL_INFO] = true,	 [DP_SPOOL_SCHEMA] = true,  [DP_SPOOL_THREAD] = true,
		[DP_SPOOL_CBID] = true,	 [DP_SPOOL_CLOCK] = true,   [DP_SPOOL_LOSS] = true,
		[DP_SPOOL_COUNT] = true, [DP_SPOOL_MESSAGE] = true, [DP_SPOOL_STATE] = true,
	};

	dp_writer__add(&writer, &record, !uncounted[record.type]);
}

#define ADD(name, member, ...)                      \
	add((struct dp_spool_record){ .type = name, \
				      .member = (struct dp_spool_##member){ __VA_ARGS__ } })

static void clock_at(int64_t time)
{
	ADD(DP_SPOOL_CLOCK, clock, CUPTI(time), MAKER_REALTIME + time, MAKER_ZERO + time,
	    MAKER_ZERO + time + 7);
}

static void describe(void)
{
	struct dp_spool_device device = { .name = text("NVIDIA H100"),
					  .uuid = { 0xde, 0xad, 0xbe, 0xef, 1 },
					  .cc_major = 9,
					  .sms = 132,
					  .clock_khz = 1980000,
					  .memory_bytes = 85899345920,
					  .bandwidth_kBps = 3352320000 };

	ADD(DP_SPOOL_INFO, info, text("cmdline"), text("python\ntrain.py"));
	ADD(DP_SPOOL_INFO, info, text("env.RANK"), text("3"));
	ADD(DP_SPOOL_INFO, info, text("env.LOCAL_RANK"), text("1"));
	ADD(DP_SPOOL_INFO, info, text("env.WORLD_SIZE"), text("8"));
	ADD(DP_SPOOL_INFO, info, text("cupti.version"), text("130001"));
	ADD(DP_SPOOL_INFO, info, text("driver.version"), text("13010"));
	ADD(DP_SPOOL_INFO, info, text("graph_mode"), text("graph"));
	add((struct dp_spool_record){ .type = DP_SPOOL_DEVICE, .device = device });
	ADD(DP_SPOOL_CONTEXT, context, .context = 1, .null_stream = 7);
	ADD(DP_SPOOL_STREAM, stream, .context = 1, .stream = 7, .priority = -5, .flags = 2);
	ADD(DP_SPOOL_NAME, name, 5, { 0, 1, 7 }, text("compute"));
	ADD(DP_SPOOL_THREAD, thread, 77, text("python"));
	ADD(DP_SPOOL_NAME, name, 2, { MAKER_PID, 78, 0 }, text("loader"));
	ADD(DP_SPOOL_CBID, cbid, 2, 211, text("cudaLaunchKernel_v7000"));
	ADD(DP_SPOOL_STATE, state, MAKER_REALTIME + 100, DP_SPOOL_STARTED);
	ADD(DP_SPOOL_STATE, state, MAKER_REALTIME + 3000, DP_SPOOL_PAUSED);
	ADD(DP_SPOOL_STATE, state, MAKER_REALTIME + 3500, DP_SPOOL_PAUSED);
	ADD(DP_SPOOL_STATE, state, MAKER_REALTIME + 5000, DP_SPOOL_RESUMED);
	ADD(DP_SPOOL_STATE, state, MAKER_REALTIME + 6000, DP_SPOOL_RESUMED);
	ADD(DP_SPOOL_STATE, state, MAKER_REALTIME + 1500000000, DP_SPOOL_PAUSED);
}

static struct dp_spool_record kernel_at(int64_t start, int64_t end, uint64_t correlation)
{
	struct dp_spool_record record = { .type = DP_SPOOL_KERNEL };

	record.kernel.place = (struct dp_spool_place){ 0, 1, 7 };
	record.kernel.shape.grid[0] = 4;
	record.kernel.shape.grid[1] = 2;
	record.kernel.shape.grid[2] = 1;
	record.kernel.shape.block[0] = 128;
	record.kernel.shape.block[1] = record.kernel.shape.block[2] = 1;
	record.kernel.shape.registers = 40;
	record.kernel.shape.smem_static = 1024;
	record.kernel.shape.smem_dynamic = 2048;
	record.kernel.start = CUPTI(start);
	record.kernel.end = end ? CUPTI(end) : 0;
	record.kernel.correlation = correlation;
	record.kernel.name = text("_Z4gemmPfS_i");
	return record;
}

/*
 * A kernel with a cluster, of a graph, with times of its queue, in the second epoch; one that was
 * still running.
 */
static void kernels(void)
{
	struct dp_spool_record record = kernel_at(1000, 3000, 5);

	add(record);
	record = kernel_at(4000, 5000, (uint64_t)1 << 32 | 6);
	record.kernel.shape.cluster[0] = 2;
	record.kernel.shape.cluster[1] = record.kernel.shape.cluster[2] = 1;
	record.kernel.graph = 9;
	record.kernel.graph_node = 33;
	record.kernel.queued = CUPTI(3500);
	record.kernel.submitted = CUPTI(3700);
	add(record);
	record = kernel_at(6000, 0, (uint64_t)1 << 32 | 7);
	add(record);
	/* CUPTI lost its end time */
	add(kernel_at(8000, 7500, (uint64_t)1 << 32 | 8));
	/* the times of these are unknown */
	record = kernel_at(0, 0, 8);
	record.kernel.start = 0;
	add(record);
	/* After its kernel. */
	ADD(DP_SPOOL_EXT_CORR, ext_corr, 123456789012, 5, 2);
}

static void operations(void)
{
	const struct dp_spool_place place = { 0, 1, 7 };

	ADD(DP_SPOOL_MEMCPY, memcpy, .place = place, .start = CUPTI(100), .end = CUPTI(300),
	    .bytes = 4096, .correlation = 3, .kind = 1, .src_kind = 2, .dst_kind = 3, .flags = 1);
	ADD(DP_SPOOL_MEMCPY, memcpy, .place = place, .start = CUPTI(400), .end = CUPTI(450),
	    .bytes = 64, .kind = 10, .src_kind = 3, .dst_kind = 3, .peer = true, .src_device = 1,
	    .dst_device = 0);
	ADD(DP_SPOOL_MEMSET, memset, .place = place, .start = CUPTI(500), .end = CUPTI(510),
	    .bytes = 256, .correlation = 4, .value = 171, .memory_kind = 3);
	ADD(DP_SPOOL_GRAPH, graph, .place = place, .start = CUPTI(7000), .end = CUPTI(9000),
	    .correlation = 10, .graph = 9);
	ADD(DP_SPOOL_API, api, CUPTI(900), CUPTI(950), 5, 77, 2, 211, 0);
	ADD(DP_SPOOL_API, api, CUPTI(960), CUPTI(990), 9, 77, 1, 307, 700);
	ADD(DP_SPOOL_SYNC, sync, .start = CUPTI(3000), .end = CUPTI(3100), .correlation = 11,
	    .kind = 3, .context = 1, .stream = 7, .event = UINT32_MAX);
	ADD(DP_SPOOL_SYNC, sync, .start = CUPTI(3200), .end = CUPTI(3300), .kind = 1,
	    .context = UINT32_MAX, .stream = UINT32_MAX, .event = 12);
	ADD(DP_SPOOL_MEM_OP, mem_op, .time = CUPTI(50), .address = 0x7f0000000000, .bytes = 1 << 20,
	    .correlation = 2, .op = 1, .kind = 3, .stream = UINT32_MAX);
	ADD(DP_SPOOL_MEM_OP, mem_op, .time = CUPTI(60), .address = 0x7f0000100000, .bytes = 512,
	    .op = 2, .kind = 3, .stream = 7, .async = 1, .pool_kind = 1,
	    .pool_address = 0x7e0000000000);
	ADD(DP_SPOOL_MEM_POOL, mem_pool, .time = CUPTI(40), .address = 0x7e0000000000,
	    .bytes = 1 << 25, .min_bytes = 1, .threshold = 2, .used = 3, .correlation = 1, .op = 1,
	    .kind = 1);
	ADD(DP_SPOOL_OVERHEAD, overhead, .start = CUPTI(9500), .end = CUPTI(9600), .kind = 65536,
	    .object = 2, .ids = { MAKER_PID, 77, 0 });
	ADD(DP_SPOOL_OVERHEAD, overhead, .start = CUPTI(9700), .end = CUPTI(9800), .kind = 1 << 18,
	    .object = 1, .ids = { MAKER_PID, 0, 0 });
	ADD(DP_SPOOL_JIT, jit, .start = CUPTI(20), .end = CUPTI(30), .correlation = 1,
	    .cache_bytes = 777, .kind = 1, .op = 3, .tid = 77, .cache_path = text("/cache"));
	ADD(DP_SPOOL_RAW, raw, 61, text("whatever it is"));
}

static void nvtx(int64_t time, uint32_t type, uint32_t domain, const char *name)
{
	ADD(DP_SPOOL_NVTX, nvtx, .monotonic_ns = MONOTONIC(time), .tid = 77, .type = type,
	    .domain = domain, .name = name ? text(name) : 0);
}

/* Domains interleave; one pop has no push. */
static void ranges(void)
{
	uint32_t other = text("a domain");
	float third = 0.25f;
	double real = 1.5;
	uint64_t bits = 0;

	nvtx(10, DP_SPOOL_NVTX_POP, 0, NULL);
	nvtx(1000, DP_SPOOL_NVTX_PUSH, 0, "step");
	nvtx(1100, DP_SPOOL_NVTX_PUSH, other, "inner");
	nvtx(1200, DP_SPOOL_NVTX_PUSH, 0, "forward");
	nvtx(1300, DP_SPOOL_NVTX_POP, other, NULL);
	nvtx(1400, DP_SPOOL_NVTX_POP, 0, NULL);
	nvtx(2000, DP_SPOOL_NVTX_POP, 0, NULL);
	ADD(DP_SPOOL_NVTX, nvtx, .monotonic_ns = MONOTONIC(2100), .range = 5, .tid = 77,
	    .type = DP_SPOOL_NVTX_START, .name = text("async"), .payload_type = 5,
	    .payload = (uint32_t)-3);
	ADD(DP_SPOOL_NVTX, nvtx, .monotonic_ns = MONOTONIC(2600), .range = 5, .tid = 78,
	    .type = DP_SPOOL_NVTX_END);
	memcpy(&bits, &real, sizeof(real));
	ADD(DP_SPOOL_NVTX, nvtx, .monotonic_ns = MONOTONIC(2700), .tid = 78,
	    .type = DP_SPOOL_NVTX_MARK, .name = text("mark"), .payload_type = 3, .payload = bits);
	bits = 0;
	memcpy(&bits, &third, sizeof(third));
	ADD(DP_SPOOL_NVTX, nvtx, .monotonic_ns = MONOTONIC(2800), .tid = 78,
	    .type = DP_SPOOL_NVTX_MARK, .name = text("single"), .payload_type = 6, .payload = bits);
}

/* a payload as NCCL describes AllReduce; and a range that never ends */
static void nccl(void)
{
	static const char *const fields[] = { "NCCL communicator ID", "Message size [bytes]",
					      "Reduction operation" };
	static const char *const made[] = { "NCCL communicator ID", "No. of ranks" };
	static const uint64_t types[] = { 18, 17, 7 }, sizes[] = { 8, 8, 4 };
	struct {
		uint64_t comm;
		uint64_t bytes;
		int32_t reduction;
	} blob = { 0x1234567890abcdef, 1 << 22, 2 };
	uint32_t domain = text("NCCL");

	for (uint32_t i = 0; i < 3; i++)
		ADD(DP_SPOOL_SCHEMA, schema, .schema = 99, .domain = domain, .index = i, .count = 3,
		    .field = text(fields[i]), .type = types[i], .offset = 8 * i, .bytes = sizes[i]);
	ADD(DP_SPOOL_NVTX, nvtx, .monotonic_ns = MONOTONIC(5000), .tid = 77,
	    .type = DP_SPOOL_NVTX_PUSH, .domain = domain, .name = text("ncclAllReduce"),
	    .schema = 99, .blob = dp_writer__text(&writer, (const char *)&blob, sizeof(blob)));
	nvtx(5500, DP_SPOOL_NVTX_POP, domain, NULL);
	/* a communicator is known once it is created */
	for (uint32_t i = 0; i < 2; i++)
		ADD(DP_SPOOL_SCHEMA, schema, .schema = 98, .domain = domain, .index = i, .count = 2,
		    .field = text(made[i]), .type = types[i], .offset = 8 * i, .bytes = sizes[i]);
	nvtx(6000, DP_SPOOL_NVTX_PUSH, domain, "ncclCommInitRank");
	ADD(DP_SPOOL_NVTX, nvtx, .monotonic_ns = MONOTONIC(6500), .tid = 77,
	    .type = DP_SPOOL_NVTX_POP, .domain = domain, .schema = 98,
	    .blob = dp_writer__text(&writer, (const char *)&blob, 16));
	nvtx(9000, DP_SPOOL_NVTX_PUSH, 0, "open");
}

static void finish(struct dp_pool_header *pool, bool ended)
{
	ADD(DP_SPOOL_MESSAGE, message, MAKER_REALTIME + 42, DP_SPOOL_NOTE, text("attached"),
	    text("CUPTI 130001 from somewhere"));
	clock_at(1000000000);
	dp_writer__lose(&writer, DP_LOSS_POOL_FULL, 10, 17, 3400);
	dp_writer__flush(&writer);
	if (ended) {
		dp_writer__sums(&writer, MAKER_REALTIME + 2000000000);
		ADD(DP_SPOOL_STATE, state, MAKER_REALTIME + 2000000000, DP_SPOOL_ENDED);
	}
	dp_writer__flush(&writer);
	ck_assert(!writer.failed);
	dp_writer__fini(&writer);
	free(pool);
}

static int create(const char *folder, const char *name)
{
	char path[400];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	ck_assert_int_ge(fd, 0);
	return fd;
}

static void begin(const char *folder, int spool, struct dp_pool_header *pool)
{
	struct dp_spool_header header = { .magic = DP_SPOOL_MAGIC,
					  .version = DP_SPOOL_VERSION,
					  .bytes = sizeof(header),
					  .pid = MAKER_PID,
					  .ppid = 4000,
					  .realtime_ns = MAKER_REALTIME,
					  .monotonic_ns = MAKER_ZERO };
	int zero = create(folder, "begin");

	ck_assert_ptr_nonnull(pool);
	ck_assert_int_gt(dprintf(zero, "deepprof recording 1\n%lld %lld\n",
				 (long long)MAKER_REALTIME, (long long)MAKER_ZERO),
			 0);
	close(zero);
	memset(&writer, 0, sizeof(writer));
	ck_assert(dp_writer__open(&writer, spool, &header, pool));
}

void spool_make(const char *folder, bool ended)
{
	struct dp_pool_header *pool = calloc(1, sizeof(*pool));
	int spool = create(folder, "4242.0.spool");

	begin(folder, spool, pool);
	describe();
	clock_at(0);
	operations();
	kernels();
	ranges();
	nccl();
	finish(pool, ended);
	close(spool);
}

void spool_make_many(const char *folder, uint32_t count)
{
	struct dp_pool_header *pool = calloc(1, sizeof(*pool));
	int spool = create(folder, "4242.0.spool");

	begin(folder, spool, pool);
	for (uint32_t i = 1; i <= count; i++) {
		ADD(DP_SPOOL_STREAM, stream, .context = 1, .stream = i);
		ADD(DP_SPOOL_NVTX, nvtx, .monotonic_ns = MONOTONIC(i), .tid = i,
		    .type = DP_SPOOL_NVTX_PUSH);
	}
	finish(pool, true);
	close(spool);
}

/*
 * Half of the ranges are started and end in the order of their starts; the others are pushed in
 * two domains of a thread by turns, and popped one domain after the other. As many schemas come
 * with them.
 */
void spool_make_open(const char *folder, uint32_t count)
{
	struct dp_pool_header *pool = calloc(1, sizeof(*pool));
	int spool = create(folder, "4242.0.spool");
	uint32_t domain, field;
	int64_t blob = 5;

	begin(folder, spool, pool);
	domain = text("NCCL");
	field = text("Root");
	for (uint32_t i = 1; i <= count; i++) {
		ADD(DP_SPOOL_SCHEMA, schema, .schema = i, .domain = domain, .count = 1,
		    .field = field, .type = 18, .bytes = 8);
		nvtx(i, DP_SPOOL_NVTX_PUSH, i % 2 ? domain : 0, NULL);
		ADD(DP_SPOOL_NVTX, nvtx, .monotonic_ns = MONOTONIC(i), .range = i,
		    .type = DP_SPOOL_NVTX_START);
	}
	for (uint32_t i = 1; i <= count; i++) {
		ADD(DP_SPOOL_NVTX, nvtx, .monotonic_ns = MONOTONIC(2 * count), .tid = 77,
		    .type = DP_SPOOL_NVTX_POP, .domain = i > count / 2 ? domain : 0, .schema = 1,
		    .blob = dp_writer__text(&writer, (const char *)&blob, sizeof(blob)));
		ADD(DP_SPOOL_NVTX, nvtx, .monotonic_ns = MONOTONIC(count + i), .range = i,
		    .type = DP_SPOOL_NVTX_END);
	}
	finish(pool, true);
	close(spool);
}

void spool_make_variables(const char *folder)
{
	struct dp_pool_header *pool = calloc(1, sizeof(*pool));
	int spool = create(folder, "4242.0.spool");

	begin(folder, spool, pool);
	ADD(DP_SPOOL_INFO, info, text("env.SLURM_JWT"), text("eyJ"));
	ADD(DP_SPOOL_INFO, info, text("env.RANK_"), text("1"));
	ADD(DP_SPOOL_INFO, info, text("env."), text("1"));
	ADD(DP_SPOOL_INFO, info, text("env.CUDA_VISIBLE_DEVICES"), text("0,1"));
	ADD(DP_SPOOL_INFO, info, text("env.RANK"), text("3"));
	ADD(DP_SPOOL_INFO, info, text("env.RANK"), text("5"));
	ADD(DP_SPOOL_INFO, info, text("cupti.version"), text("130001"));
	ADD(DP_SPOOL_INFO, info, text("cupti.path"), text("/libcupti.so"));
	ADD(DP_SPOOL_INFO, info, text("driver.version"), text("13010"));
	ADD(DP_SPOOL_INFO, info, text("graph_mode"), text("graph"));
	finish(pool, true);
	close(spool);
}
