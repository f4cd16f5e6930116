/* The collector in a program that has no GPU: every record accounted for, whatever happens. */
#include "run.h"
#include "cupti/cupti_abi.h"
#include "../unit/test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct run run;

static const char *const versions[] = { "11.8", "12.0", "12.3", "12.4", "12.8",
					"13.0", "13.1", "13.2", "13.3", "13.4" };

static unsigned int clocks; /* points of CUPTI's */

static void see_kernel(struct run *left, struct dp_spool *spool,
		       const struct dp_spool_record *record)
{
	const struct dp_spool_kernel *kernel = &record->kernel;
	const char *version = left->user;
	uint32_t low = (uint32_t)kernel->correlation;

	if (record->type == DP_SPOOL_CLOCK && record->clock.cupti)
		clocks++;
	if (record->type != DP_SPOOL_KERNEL || record->salvaged)
		return;
	ck_assert_uint_eq(kernel->place.context, 1);
	ck_assert_uint_eq(kernel->place.stream, 7 + low % 2);
	ck_assert_uint_eq(kernel->shape.grid[0], (low & 3) + 1);
	ck_assert_uint_eq(kernel->shape.block[0], 128);
	ck_assert_uint_eq(kernel->shape.registers, 32);
	ck_assert_uint_eq(kernel->end - kernel->start, 2000);
	ck_assert_str_eq(dp_spool__string(spool, kernel->name, NULL),
			 low % 5 == 0	? "_Z4gemmPfS_S_iii"
			 : low % 5 == 1 ? "_Z4reluPf"
			 : low % 5 == 2 ? "_Z7softmaxPfi"
			 : low % 5 == 3 ? "_Z3addPfS_"
					: "void_a_kernel_of_many_words");
	ck_assert_int_eq(kernel->priority, strcmp(version, "13.1") >= 0 ? -5 : 0);
	ck_assert_uint_eq(kernel->shape.cluster[0], 1);
}

TEST_LOOP(layouts, sizeof(versions) / sizeof(versions[0]))
{
	struct run_options options = { .version = versions[_i] };

	run.each = see_kernel;
	run.user = (void *)(uintptr_t)versions[_i];
	run_app(&run, &options, WORDS("init", "devices=2", "looked", "kinds=300", "launch=20000"));
	run_check_exit(&run, 0);
	run_check_complete(&run);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 20000);
	ck_assert_uint_eq(run.stored[CUPTI_RUNTIME], 20000);
	ck_assert_uint_eq(run.stored[CUPTI_DRIVER], 300);
	ck_assert_uint_eq(run.stored[CUPTI_MEMCPY2], 300);
	ck_assert_uint_eq(run.ended_spools, 1);
	ck_assert_uint_eq(run.records[DP_SPOOL_CBID], 2);
	ck_assert_uint_ge(run.records[DP_SPOOL_THREAD], 1);
	ck_assert_uint_ge(clocks, 2);
}

/*
 * Like 13.3 and later without a driver: they do not report the size of records, but their version
 * implies it. 12.0 reports 11.8's.
 */
TEST_LOOP(sizes_not_reported, sizeof(versions) / sizeof(versions[0]))
{
	struct run_options options = { .version = versions[_i],
				       .driver = "13040",
				       .fail = "ActivityGetNextRecord=999",
				       .switches = { "FAKE_CUPTI_DEVICES=1" } };

	if (!strcmp(versions[_i], "12.0"))
		return;
	run.each = see_kernel;
	run.user = (void *)(uintptr_t)options.version;
	run_app(&run, &options,
		WORDS("init", "devices=2", "looked", "facts", "kinds=300", "launch=2000"));
	run_check_exit(&run, 0);
	run_check_complete(&run);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 2000);
	ck_assert_uint_eq(run.stored[CUPTI_MEMCPY2], 300);
	ck_assert_uint_gt(run.stored[CUPTI_DEVICE], 0);
}

/* They report it only once they have made records. */
TEST(sizes_reported_late)
{
	struct run_options options = { .version = "12.3", .late = true };

	run.each = see_kernel;
	run.user = (void *)(uintptr_t)options.version;
	run_app(&run, &options,
		WORDS("init", "devices=2", "looked", "kinds=300", "launch=20000", "looked",
		      "kill"));
	ck_assert(WIFSIGNALED(run.status));
	run_check_complete(&run);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 20000);
	ck_assert_uint_eq(run.stored[CUPTI_MEMCPY2], 300);
}

static void see_clock(struct run *left, struct dp_spool *spool,
		      const struct dp_spool_record *record)
{
	*(uint64_t *)left->user += record->type == DP_SPOOL_CLOCK && record->clock.cupti;
}

/*
 * Like 13.4, which gives no clock to a tool that subscribed by one interface and asks by the other.
 */
TEST(subscriber_leaves)
{
	struct run_options options = { .version = "13.4", .leaves = true };
	uint64_t noted = 0;

	run.each = see_clock;
	run.user = &noted;
	run_app(&run, &options, WORDS("init", "launch=1000"));
	run_check_exit(&run, 0);
	run_check_complete(&run);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 1000);
	ck_assert_uint_ge(noted, 2);
}

/* Calls that no analysis uses are left out: by CUPTI from 12.5 on, by the writer before. */
static const struct {
	const char *version, *options;
	uint64_t made; /* by CUPTI, in either domain */
	uint64_t runtime, driver;
} call_counts[] = {
	{ "12.8", NULL, 1, 0, 1 },
	{ "12.4", NULL, 4, 0, 1 },
	{ "12.8", "api=all", 4, 2, 2 },
	{ "12.4", "api=all", 4, 2, 2 },
};

TEST_LOOP(noisy_calls, sizeof(call_counts) / sizeof(call_counts[0]))
{
	struct run_options options = { .version = call_counts[_i].version,
				       .options = call_counts[_i].options };

	run_app(&run, &options, WORDS("init", "calls"));
	run_check_exit(&run, 0);
	ck_assert_uint_eq(run.truth.records[CUPTI_RUNTIME] + run.truth.records[CUPTI_DRIVER],
			  call_counts[_i].made);
	ck_assert_uint_eq(run.stored[CUPTI_RUNTIME], call_counts[_i].runtime);
	ck_assert_uint_eq(run.stored[CUPTI_DRIVER], call_counts[_i].driver);
}

TEST(taken_over)
{
	run_app(&run, NULL, WORDS("init", "launch=1000", "takeover", "launch=500"));
	run_check_exit(&run, 0);
	run_check_complete(&run);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 1000);
	ck_assert_ptr_nonnull(strstr(run.messages, "[taken-over] CUPTI has not returned 1 buffer"));
}

TEST(no_cuda)
{
	run_app(&run, NULL, WORDS("exit=7"));
	run_check_exit(&run, 7);
	ck_assert_uint_eq(run.spools, 0);
}

TEST(output_untouched)
{
	run_app(&run, NULL, WORDS("say", "init", "launch=10", "say", "exit=3"));
	ck_assert_str_eq(run.output, "hello\nhello\n");
	ck_assert_int_eq(WEXITSTATUS(run.status), 3);
	run_check_complete(&run);
}

/*
 * A program that starts without standard streams gets no descriptor of the collector as one of
 * them.
 */
TEST(without_standard_output)
{
	run_app(&run, NULL, WORDS("close=3", "init", "launch=1000", "say", "exit=3"));
	run_check_exit(&run, 3);
	run_check_complete(&run);
	ck_assert_uint_eq(run.ended_spools, 1);
}

/*
 * Descriptors that the program reopened under the collector's numbers are left alone; what the
 * collector loses by that is reported.
 */
TEST(numbers_of_the_programs)
{
	char path[] = "/tmp/deepprof-own-XXXXXX", word[64], text[16] = "";
	int file = mkstemp(path);

	ck_assert_int_eq(write(file, "mine", 4), 4);
	snprintf(word, sizeof(word), "own=%s", path);
	run_app(&run, NULL,
		WORDS("init", "launch=100", "looked", word, "launch=300000", "nvtx=3000",
		      "fork=2"));
	run_check_exit(&run, 0);
	ck_assert_int_eq(pread(file, text, sizeof(text), 0), 4);
	ck_assert_str_eq(text, "mine");
	/* A kernel and a call each; some are of unknown kind. */
	ck_assert_uint_eq(run.completed[CUPTI_KERNEL] + run.completed[CUPTI_RUNTIME] +
				  run.completed[0],
			  600200);
	ck_assert_uint_gt(run.lost_by[DP_LOSS_DISK], 0);
	close(file);
	unlink(path);
}

static const struct {
	const char *fail;
	const char *code;
} failures[] = {
	{ "GetVersion=999", "no-driver" },
	{ "Subscribe=39", "subscriber-taken" },
	{ "Subscribe=35", "not-permitted" },
	{ "Subscribe=999", "no-driver" },
	{ "Subscribe=27", "cupti-refused" },
	{ "ActivityRegisterCallbacks=27", "cupti-refused" },
	{ "ActivityEnable=35", "not-permitted" },
	{ "ActivitySetAttribute=27", "attached" },
	{ "ActivityFlushAll=27", "attached" },
	{ "SetThreadIdType=27", "attached" },
	{ "GetCallbackName=1", "attached" },
	{ "ActivityGetNumDroppedRecords=15", "attached" },
};

TEST_LOOP(forced_results, sizeof(failures) / sizeof(failures[0]))
{
	struct run_options options = { .fail = failures[_i].fail, .holder = "another tool" };

	run_app(&run, &options, WORDS("init", "launch=1000", "nvtx=10", "exit=5"));
	run_check_exit(&run, 5);
	ck_assert_msg(strstr(run.messages, failures[_i].code), "%s: %s", failures[_i].fail,
		      run.messages);
	if (!strcmp(failures[_i].fail, "Subscribe=39"))
		ck_assert_ptr_nonnull(strstr(run.messages, "another tool"));
	ck_assert_uint_eq(run.seen[DP_SPOOL_KIND_NVTX], run.truth.nvtx);
}

/* A tool that subscribed by the older function has no name. */
TEST(holder_without_a_name)
{
	struct run_options options = { .fail = "Subscribe=39" };

	run_app(&run, &options, WORDS("init", "launch=10"));
	ck_assert_ptr_nonnull(strstr(run.messages, "holds CUPTI in this program: end it"));
}

TEST(odd_buffers)
{
	run_app(&run, NULL,
		WORDS("init", "launch=100", "twice", "launch=10", "twice=200", "foreign",
		      "launch=100", "odd", "drop=42", "launch=5", "twice", "sleep=50",
		      "launch=100"));
	run_check_exit(&run, 0);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], run.truth.records[CUPTI_KERNEL]);
	ck_assert_uint_eq(run.stored[FAKE_NEW_KIND], 1);
	ck_assert_uint_eq(run.lost_by[DP_LOSS_CUPTI], 42);
	ck_assert_uint_eq(run.lost[0], 42);
}

/* Returned late, and not in the order in which they were requested. */
TEST_LOOP(late_buffers, 2)
{
	run.each = see_kernel;
	run.user = (void *)(uintptr_t) "13.1";
	run_app(&run, &(struct run_options){ .version = "13.1" },
		WORDS("init", "launch=1000", "hold", "launch=30000", "hold", "launch=1000",
		      _i ? "looked" : "flushed", _i ? "kill" : "launch=500"));
	ck_assert_int_eq(WIFSIGNALED(run.status), _i);
	run_check_complete(&run);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], _i ? 32000 : 32500);
}

TEST(unwalkable)
{
	run_app(&run, NULL, WORDS("init", "launch=100", "unwalkable", "launch=100"));
	run_check_exit(&run, 0);
	ck_assert_uint_eq(run.lost_by[DP_LOSS_DAMAGED], 1);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 100);
}

struct names {
	bool is_long, second;
};

static void see_names(struct run *left, struct dp_spool *spool,
		      const struct dp_spool_record *record)
{
	struct names *names = left->user;
	size_t length;
	const char *name;

	if (record->type != DP_SPOOL_KERNEL)
		return;
	name = dp_spool__string(spool, record->kernel.name, &length);
	names->is_long |= length == DP_SPOOL_STRING_LIMIT && name[0] == 'x';
	names->second |= !strcmp(name, "_Z6secondv");
}

TEST(long_and_reused_names)
{
	struct run_options options = { .options = "flush-ms=100" };
	struct names names = { false, false };

	run.each = see_names;
	run.user = &names;
	run_app(&run, &options, WORDS("init", "names"));
	run_check_exit(&run, 0);
	run_check_complete(&run);
	ck_assert(names.is_long && names.second);
	/* It takes three seconds: samples at its start, at its end and every second. */
	ck_assert_uint_ge(run.records[DP_SPOOL_CLOCK], 6);
}

static void see_wrap(struct run *left, struct dp_spool *spool, const struct dp_spool_record *record)
{
	uint64_t *epochs = left->user;

	if (record->type == DP_SPOOL_KERNEL)
		epochs[record->kernel.correlation >> 32 ? 1 : 0]++;
}

/* Kinds that are turned off are not requested, and nothing else is missing. */
static const struct {
	const char *options;
	uint32_t off[4];
} groups[] = {
	{ "api=all", { 0 } },
	{ "api=0", { CUPTI_RUNTIME, CUPTI_DRIVER, CUPTI_EXT_CORR } },
	{ "api=all,memory=0", { CUPTI_MEMORY2, CUPTI_MEMORY_POOL } },
	{ "api=all,sync=0", { CUPTI_SYNC } },
	{ "api=all,jit=0,overhead=0", { CUPTI_JIT, CUPTI_OVERHEAD } },
	{ "api=all,graph=node", { CUPTI_GRAPH_TRACE } },
	{ "api=all,nvtx=0", { DP_SPOOL_KIND_NVTX } },
};

static bool is_off(size_t group, uint32_t kind)
{
	for (size_t i = 0; i < 4; i++)
		if (groups[group].off[i] == kind)
			return true;
	return false;
}

TEST_LOOP(groups_of_kinds, sizeof(groups) / sizeof(groups[0]))
{
	struct run_options options = { .options = groups[_i].options };

	run_app(&run, &options,
		WORDS("init", "devices=2", "looked", "kinds=5", "launch=5", "nvtx=10"));
	run_check_exit(&run, 0);
	run_check_complete(&run);
	for (size_t i = 0; i < RUN_KINDS; i++) {
		uint32_t kind = run_kinds[i];
		/* Devices are described once; the runtime's calls are the launches. */
		uint64_t wanted = kind == CUPTI_DEVICE ? 1 : 5;

		ck_assert_uint_eq(run.stored[kind], is_off((size_t)_i, kind) ? 0 : wanted);
	}
	ck_assert_uint_eq(run.completed[DP_SPOOL_KIND_NVTX],
			  is_off((size_t)_i, DP_SPOOL_KIND_NVTX) ? 0 : NVTX_EVENTS);
}

TEST(correlation_wraps)
{
	uint64_t epochs[2] = { 0, 0 };

	run.each = see_wrap;
	run.user = epochs;
	run_app(&run, NULL, WORDS("init", "wrap", "launch=1000"));
	run_check_complete(&run);
	/* The 256th would have the number 0, which stands for none. */
	ck_assert_uint_eq(epochs[0], 256 + 1);
	ck_assert_uint_eq(epochs[1], 1000 - 256 - 1);
}

TEST(many_threads)
{
	run_app(&run, NULL, WORDS("init", "threads=16,20000", "launch=1000"));
	run_check_exit(&run, 0);
	run_check_complete(&run);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 321000);
}

/* A pool of eight small slots: most is lost, all is counted. */
TEST(pool_full)
{
	struct run_options options = { .options = "slot=16384,max-memory=131072,nvtx=0" };

	run_app(&run, &options, WORDS("init", "threads=32,20000"));
	run_check_exit(&run, 0);
	run_check_launches(&run, 32);
	ck_assert_uint_gt(run.lost[CUPTI_KERNEL], 0);
	ck_assert_uint_gt(run.lost[CUPTI_RUNTIME], 0);
	ck_assert_uint_gt(run.lost_by[DP_LOSS_POOL_FULL], 0);
}

static const char *const endings[] = { "exit=3", "_exit=3", "quick=3" };

TEST_LOOP(orderly_ends, sizeof(endings) / sizeof(endings[0]))
{
	run_app(&run, NULL, WORDS("init", "launch=3000", "nvtx=100", endings[_i]));
	run_check_exit(&run, 3);
	run_check_complete(&run);
	ck_assert_uint_eq(run.ended_spools, 1);
	ck_assert_uint_eq(run.seen[DP_SPOOL_KIND_NVTX], run.truth.nvtx);
}

static const char *const deaths[] = { "abort", "kill" };

TEST_LOOP(sudden_ends, sizeof(deaths) / sizeof(deaths[0]))
{
	run_app(&run, NULL,
		WORDS("init", "kinds=100", "launch=30000", "nvtx=100", "looked", deaths[_i]));
	ck_assert(WIFSIGNALED(run.status));
	ck_assert_int_eq(WTERMSIG(run.status), _i ? SIGKILL : SIGABRT);
	run_check_complete(&run);
	ck_assert_uint_eq(run.seen[DP_SPOOL_KIND_NVTX], run.truth.nvtx);
	ck_assert_uint_eq(run.salvaged_spools, 1);
}

/* FAKE_KILLS=100 for the long form. */
TEST(killed_anywhere)
{
	const char *wanted = getenv("FAKE_KILLS");
	int kills = wanted ? atoi(wanted) : 8;
	uint64_t total = 0;

	for (int i = 0; i < kills; i++) {
		bool launches = i % 3 || !NVTX_EVENTS;
		/* On a busy machine it has launched nothing by then: the second is to have. */
		struct run_options options = { .kill_after_us =
						       2000 + (unsigned int)i * 37117 % 1200000,
					       .kill_after_kernels = i == 1,
					       .options = i % 2 ? "slot=65536" : NULL };

		run_app(&run, &options,
			WORDS("init", launches ? "forever" : "nvtx=100000000"));
		ck_assert(WIFSIGNALED(run.status));
		/* One record may have been made that was not counted yet. */
		for (size_t k = 0; k < RUN_KINDS; k++) {
			uint64_t made = run.truth.records[run_kinds[k]];

			ck_assert_msg(run.stored[run_kinds[k]] >= made &&
					      run.stored[run_kinds[k]] <= made + 1,
				      "kill %d, kind %u: %llu made, %llu stored", i, run_kinds[k],
				      (unsigned long long)made,
				      (unsigned long long)run.stored[run_kinds[k]]);
		}
		ck_assert_uint_ge(run.completed[DP_SPOOL_KIND_NVTX], run.truth.nvtx);
		ck_assert_uint_le(run.completed[DP_SPOOL_KIND_NVTX], run.truth.nvtx + 3);
		total += run.seen[CUPTI_KERNEL];
	}
	ck_assert_uint_gt(total, 0);
}

TEST(flush_hangs)
{
	struct run_options options = { .hang = true, .options = "exit-ms=300" };

	run_app(&run, &options, WORDS("init", "launch=5000", "exit=6"));
	run_check_exit(&run, 6);
	run_check_complete(&run);
	ck_assert_ptr_nonnull(strstr(run.messages, "[flush-hangs]"));
	ck_assert_ptr_nonnull(strstr(run.messages, "within 300 ms"));
}

TEST(disk_full)
{
	struct run_options options = { .disk_bytes = 256 << 10 };

	if (!run_app(&run, &options, WORDS("init", "launch=300000", "exit=6")))
		return;
	run_check_exit(&run, 6);
	ck_assert_uint_eq(run.completed[CUPTI_KERNEL], 300000);
	ck_assert_uint_gt(run.lost_by[DP_LOSS_DISK], 0);
	ck_assert_ptr_nonnull(strstr(run.messages, "[disk-full]"));
}

TEST(file_limit)
{
	struct run_options options = { .file_limit = 1 << 20, .options = "max-memory=67108864" };

	run_app(&run, &options, WORDS("init", "launch=300000", "exit=6"));
	run_check_exit(&run, 6);
	ck_assert_uint_gt(run.lost_by[DP_LOSS_DISK] + run.lost_by[DP_LOSS_POOL_FULL], 0);
}

/* The limit is so low that it can't even start; the program does not get the signal for that. */
TEST(no_file_at_all)
{
	struct run_options options = { .file_limit = 1 };

	run_app(&run, &options, WORDS("init", "launch=300", "exit=6"));
	run_check_exit(&run, 6);
	ck_assert_uint_eq(run.spools, 0);
	ck_assert_msg(strstr(run.messages, "File too large"), "%s", run.messages);
}

TEST(spool_limit)
{
	struct run_options options = { .options = "max-spool=600000" };

	run_app(&run, &options, WORDS("init", "launch=300000"));
	run_check_exit(&run, 0);
	ck_assert_uint_gt(run.lost_by[DP_LOSS_SPOOL_LIMIT], 0);
	ck_assert_uint_le(run.spool_bytes, 600000);
}

TEST(without_launcher)
{
	struct run_options options = { .no_socket = true };

	run_app(&run, &options, WORDS("init", "launch=5000", "kill"));
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 5000);
}

static void see_schema(struct run *left, struct dp_spool *spool,
		       const struct dp_spool_record *record)
{
	uint64_t *found = left->user;
	uint64_t communicator, bytes;
	const char *blob;
	size_t length;

	if (record->type == DP_SPOOL_SCHEMA) {
		ck_assert_str_eq(dp_spool__string(spool, record->schema.domain, NULL), "NCCL");
		ck_assert_str_eq(dp_spool__string(spool, record->schema.name, NULL), "AllReduce");
		found[record->schema.index] = record->schema.offset;
		ck_assert_uint_eq(record->schema.bytes, record->schema.index % 2 ? 4 : 8);
	}
	if (record->type != DP_SPOOL_NVTX || !record->nvtx.blob)
		return;
	blob = dp_spool__string(spool, record->nvtx.blob, &length);
	ck_assert_uint_eq(length, 32);
	memcpy(&communicator, blob, 8);
	memcpy(&bytes, blob + 16, 8);
	ck_assert_uint_eq(communicator, 0x1234567890abcdef);
	ck_assert_uint_eq(bytes, 1 << 20);
	if (record->nvtx.type == DP_SPOOL_NVTX_PUSH)
		ck_assert_str_eq(dp_spool__string(spool, record->nvtx.name, NULL), "ncclAllReduce");
	found[4]++;
}

TEST_LOOP(payloads, NVTX_PAYLOADS ? 1 : 0)
{
	uint64_t found[5] = { 9, 9, 9, 9, 0 };

	run.each = see_schema;
	run.user = found;
	run_app(&run, NULL, WORDS("schema", "nvtx=10"));
	run_check_exit(&run, 0);
	ck_assert_uint_eq(found[0], 0);
	ck_assert_uint_eq(found[1], 8);
	ck_assert_uint_eq(found[2], 16);
	ck_assert_uint_eq(found[3], 24);
	ck_assert_uint_eq(found[4], 2);
	ck_assert_uint_eq(run.seen[DP_SPOOL_KIND_NVTX], 32);
}
