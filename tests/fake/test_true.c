/* Peculiarities of the real CUPTI, each a switch of the fake (fake.h). */
#include "cupti/cupti_abi.h"
#include "run.h"
#include "../unit/test.h"

#include <string.h>
#include <sys/wait.h>

static struct run run;

/* More graph nodes than a long recording has must get their times. */
#define NODES UINT64_C(10000000)

/* A kernel that never ends holds its buffer back; the records before it are stored anyway. */
TEST_LOOP(withheld, 2)
{
	struct run_options options = { .options = _i ? "read-held=1" : "read-held=0" };

	run_app(&run, &options,
		WORDS("init", "launch=100", "odd", "launch=100", "flushed", "kill"));
	ck_assert(WIFSIGNALED(run.status));
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 201);
	ck_assert_uint_eq(run.salvaged_kernels, _i ? 101 : 201);
	ck_assert_uint_eq(run.untimed_kernels, 1);
}

/* Reading ahead loses nothing and reads nothing twice. */
TEST(read_ahead)
{
	struct run_options options = { .options = "read-held=1,slot=65536" };

	run_app(&run, &options,
		WORDS("init", "loop=300,1000", "kinds=50", "threads=4,20000", "launch=10",
		      "sleep=100", "launch=10"));
	run_check_exit(&run, 0);
	run_check_complete(&run);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 300 * 12 + 80000 + 20);
}

/* A kill loses the times of records that no flush has reached, and nothing else. */
TEST(times_come_late)
{
	struct run_options options = { .options = "flush-ms=250" };

	run_app(&run, &options, WORDS("init", "launch=1000", "flushed", "launch=50", "kill"));
	run_check_complete(&run);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 1050);
	ck_assert_uint_le(run.untimed_kernels, 50);
}

TEST(room_for_nodes)
{
	struct run_options options = { .options = "graph=node" };

	run_app(&run, &options, WORDS("init", "nodes=5000"));
	run_check_exit(&run, 0);
	run_check_complete(&run);
	ck_assert_uint_ge(run.truth.device_records, NODES);
	ck_assert_uint_eq(run.untimed_kernels, 0);
	ck_assert_ptr_null(strstr(run.messages, "[no-times]"));
}

/* The message appears while the program runs, which does not end by itself here. */
TEST(no_room_for_nodes)
{
	struct run_options options = { .options = "graph=node,slot=65536",
				       .switches = { "FAKE_CUPTI_DEVICE_RECORDS=1000" } };

	run_app(&run, &options, WORDS("init", "nodes=5000", "flushed", "kill"));
	run_check_complete(&run);
	ck_assert_uint_eq(run.untimed_kernels, 4000);
	ck_assert_ptr_nonnull(strstr(run.messages, "[no-times] CUPTI has no memory left"));
}

/* Another thread returns buffers some time after the flush; they are not lost. */
static const char *const delays[] = { "FAKE_CUPTI_DELAY_MS=0", "FAKE_CUPTI_DELAY_MS=1",
				      "FAKE_CUPTI_DELAY_MS=30", "FAKE_CUPTI_DELAY_MS=150" };

TEST_LOOP(late_completions, sizeof(delays) / sizeof(delays[0]))
{
	struct run_options options = { .switches = { delays[_i] } };

	run_app(&run, &options, WORDS("init", "threads=4,5000", "launch=1000"));
	run_check_exit(&run, 0);
	run_check_complete(&run);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 21000);
	ck_assert_ptr_null(strstr(run.messages, "[taken-over]"));
}

/*
 * They come as late as on a machine where neither that thread nor the collector's gets a processor.
 */
TEST(completions_on_a_busy_machine)
{
	struct run_options options = { .switches = { "FAKE_CUPTI_DELAY_MS=100" },
				       .trouble_fast = "20" };

	run_app(&run, &options, WORDS("init", "launch=1000"));
	run_check_exit(&run, 0);
	run_check_complete(&run);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 1000);
	ck_assert_ptr_null(strstr(run.messages, "[taken-over]"));
}

/* From 12.8 on each query of an event that has not occurred would be a record. */
TEST(queries)
{
	run_app(&run, NULL, WORDS("init", "queries=1000", "launch=10"));
	run_check_exit(&run, 0);
	run_check_complete(&run);
	ck_assert_uint_eq(run.stored[CUPTI_SYNC], 0);
}

/*
 * The calls of both APIs: PyTorch launches by the runtime, which makes no driver calls that are
 * recorded, and libraries that it calls launch by the driver.
 */
TEST_LOOP(both_apis, 2)
{
	struct run_options options = { .version = _i ? "12.4" : "12.8" };

	run_app(&run, &options, WORDS("init", "calls", "launch=1000"));
	run_check_exit(&run, 0);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 1000);
	ck_assert_uint_eq(run.stored[CUPTI_RUNTIME], 1000);
	ck_assert_uint_eq(run.stored[CUPTI_DRIVER], 1);
}

struct described {
	unsigned int count;
	char name[64];
	struct dp_spool_device device;
};

static void see_device(struct run *left, struct dp_spool *spool,
		       const struct dp_spool_record *record)
{
	struct described *described = left->user;

	if (record->type != DP_SPOOL_DEVICE)
		return;
	described->count++;
	described->device = record->device;
	strncpy(described->name, dp_spool__string(spool, record->device.name, NULL),
		sizeof(described->name) - 1);
}

/* CUPTI does not report devices that were requested within cuInit(). */
TEST(devices)
{
	struct described described = { .count = 0 };

	run.each = see_device;
	run.user = &described;
	run_app(&run, NULL, WORDS("init", "facts", "launch=10"));
	run_check_exit(&run, 0);
	ck_assert_uint_eq(described.count, 1);
	ck_assert_str_eq(described.name, "no device");
	ck_assert_uint_eq(described.device.sms, 132);
	ck_assert_uint_eq(described.device.cc_major, 9);
	ck_assert_uint_eq(described.device.uuid[1], 0xa1);
	ck_assert_uint_eq(described.device.bandwidth_kBps, UINT64_C(3352320000));
}

/*
 * Copies between devices are recorded from the second device's context on: with one device,
 * recording them would make CUDA graphs fail with CUPTI 13.0. If the device of a context is not
 * known, they are recorded.
 */
static const struct {
	const char *devices, *fail;
	uint32_t copies;
} peers[] = {
	{ "devices=0", NULL, 0 },
	{ "devices=1", NULL, 0 },
	{ "devices=2", NULL, 70 },
	{ "devices=1", "GetDeviceId=15", 70 },
};

TEST_LOOP(between_devices, sizeof(peers) / sizeof(peers[0]))
{
	struct run_options options = { .fail = peers[_i].fail };

	run_app(&run, &options,
		WORDS("init", peers[_i].devices, peers[_i].devices, "looked", "kinds=70",
		      "launch=1000"));
	run_check_exit(&run, 0);
	run_check_complete(&run);
	ck_assert_uint_eq(run.stored[CUPTI_MEMCPY2], peers[_i].copies);
	ck_assert_uint_eq(run.stored[CUPTI_MEMCPY], 70);
}

/* They stop and start with the other kinds. */
TEST(between_devices_in_ranges)
{
	struct run_options options = { .options = "capture=profiler" };

	run_app(&run, &options,
		WORDS("init", "devices=2", "looked", "kinds=70", "profiler=1", "kinds=50",
		      "profiler=0", "kinds=70", "profiler=1", "kinds=5", "profiler=0"));
	run_check_exit(&run, 0);
	run_check_complete(&run);
	ck_assert_uint_eq(run.stored[CUPTI_MEMCPY2], 55);
	ck_assert_uint_eq(run.stored[CUPTI_MEMCPY], 55);
}

TEST(kind_refused)
{
	struct run_options options = { .fail = "Kind_38=35" };

	run_app(&run, &options, WORDS("init", "launch=10"));
	run_check_exit(&run, 0);
	run_check_complete(&run);
	ck_assert_msg(strstr(run.messages, "[kind-refused] CUPTI does not record synchronization "
					   "here: a reason (35)"),
		      "%s", run.messages);
}

/* The first launch is noted, and not before it is made. */
TEST_LOOP(first_launch, 2)
{
	struct run_options options = { .options = _i ? "first=1,start=pause" : "first=1" };

	run_app(&run, &options, WORDS("init", "facts", "sleep=200"));
	run_check_exit(&run, 0);
	ck_assert_int_eq(run.first_launch_ns, 0);
	run_app(&run, &options, WORDS("init", "sleep=200", "launch=10", "looked"));
	run_check_exit(&run, 0);
	ck_assert_int_gt(run.first_launch_ns, 0);
}

/* With a driver of 13.3 another tool may have subscribed; with an older one it may not. */
static const struct {
	const char *version, *driver;
	bool together;
} subscribers[] = {
	{ "13.3", "13030", true },
	{ "13.4", "13040", true },
	{ "13.4", "13020", false },
	{ "13.1", "13030", false },
};

TEST_LOOP(subscribers_together, sizeof(subscribers) / sizeof(subscribers[0]))
{
	struct run_options options = { .version = subscribers[_i].version,
				       .driver = subscribers[_i].driver,
				       .fail = "Subscribe=39",
				       .holder = "another tool" };
	bool together = subscribers[_i].together;

	run_app(&run, &options, WORDS("init", "kinds=10", "launch=1000"));
	run_check_exit(&run, 0);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], together ? 1000 : 0);
	ck_assert_uint_eq(run.stored[CUPTI_GRAPH_TRACE], together ? 10 : 0);
	ck_assert_uint_eq(run.truth.v2, together);
	ck_assert_int_eq(strstr(run.messages, "[subscriber-taken]") != NULL, !together);
}

/* The collector's threads do not inherit the affinity of the thread that starts CUDA. */
TEST(processors)
{
	run_app(&run, NULL, WORDS("bind", "init", "launch=10", "looked", "processors"));
	run_check_exit(&run, 0);
}

/* Eleven minutes later. */
TEST_LOOP(long_run, 2)
{
	struct run_options options = { .version = _i ? "13.0" : "12.8",
				       .driver = "13000",
				       .trouble_age = "660" };

	run_app(&run, &options, WORDS("init", "launch=100", "looked", "age", "looked", "launch=100"));
	run_check_exit(&run, 0);
	run_check_complete(&run);
	ck_assert_int_eq(strstr(run.messages, "[long-run]") != NULL, _i);
}
