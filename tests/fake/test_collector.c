/* The collector in a program that has no GPU: every record accounted for, whatever happens. */
#include "run.h"
#include "cupti/cupti_abi.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <check.h>

static const char *const versions[] = { "11.8", "12.0", "12.3", "12.4",
					"12.8", "13.0", "13.1", "13.4" };

static unsigned int clocks; /* points of CUPTI's */

static void see_kernel(struct run *run, struct dp_spool *spool,
		       const struct dp_spool_record *record)
{
	const struct dp_spool_kernel *kernel = &record->kernel;
	const char *version = run->user;
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
	ck_assert_int_eq(kernel->priority,
			 !strcmp(version, "13.1") || !strcmp(version, "13.4") ? -5 : 0);
	ck_assert_uint_eq(kernel->shape.cluster[0], 1);
}

START_TEST(layouts)
{
	struct run_options options = { .version = versions[_i] };
	static struct run run;

	memset(&run, 0, sizeof(run));
	run.each = see_kernel;
	run.user = (void *)(uintptr_t)versions[_i];
	run_app(&run, &options, WORDS("init", "kinds=300", "launch=20000"));
	run_check_exit(&run, 0);
	run_check_complete(&run);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 20000);
	ck_assert_uint_eq(run.stored[CUPTI_RUNTIME], 20000);
	ck_assert_uint_eq(run.stored[CUPTI_MEMCPY2], 300);
	ck_assert_uint_eq(run.ended_spools, 1);
	ck_assert_uint_eq(run.records[DP_SPOOL_CBID], 1);
	ck_assert_uint_ge(run.records[DP_SPOOL_THREAD], 1);
	ck_assert_uint_ge(clocks, 2);
}
END_TEST

/* Without a driver 13.5 does not say how long records are: its version says it, or it does later.
 */
START_TEST(sizes_not_told)
{
	struct run_options options = { .version = _i ? "12.3" : "13.4", .late = _i };
	static struct run run;

	if (!_i)
		options.fail = "ActivityGetNextRecord=999";
	memset(&run, 0, sizeof(run));
	run.each = see_kernel;
	run.user = (void *)(uintptr_t)options.version;
	run_app(&run, &options, WORDS("init", "kinds=300", "launch=20000", "sleep=100", "kill"));
	ck_assert(WIFSIGNALED(run.status));
	run_check_complete(&run);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 20000);
	ck_assert_uint_eq(run.stored[CUPTI_MEMCPY2], 300);
}
END_TEST

START_TEST(no_cuda)
{
	static struct run run;

	memset(&run, 0, sizeof(run));
	run_app(&run, NULL, WORDS("exit=7"));
	run_check_exit(&run, 7);
	ck_assert_uint_eq(run.spools, 0);
}
END_TEST

START_TEST(output_untouched)
{
	static struct run run;

	memset(&run, 0, sizeof(run));
	run_app(&run, NULL, WORDS("say", "init", "launch=10", "say", "exit=3"));
	ck_assert_str_eq(run.output, "hello\nhello\n");
	ck_assert_int_eq(WEXITSTATUS(run.status), 3);
	run_check_complete(&run);
}
END_TEST

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

START_TEST(forced_results)
{
	struct run_options options = { .fail = failures[_i].fail, .holder = "another tool" };
	static struct run run;

	memset(&run, 0, sizeof(run));
	run_app(&run, &options, WORDS("init", "launch=1000", "nvtx=10", "exit=5"));
	run_check_exit(&run, 5);
	run_check_sums(&run);
	ck_assert_msg(strstr(run.messages, failures[_i].code), "%s: %s", failures[_i].fail,
		      run.messages);
	if (!strcmp(failures[_i].fail, "Subscribe=39"))
		ck_assert_ptr_nonnull(strstr(run.messages, "another tool"));
	ck_assert_uint_eq(run.seen[DP_SPOOL_KIND_NVTX], run.truth.nvtx);
}
END_TEST

START_TEST(no_cupti)
{
	struct run_options options = { .cupti = "/nowhere/libcupti.so" };
	static struct run run;

	memset(&run, 0, sizeof(run));
	run_app(&run, &options, WORDS("init", "launch=10", "exit=4"));
	run_check_exit(&run, 4);
	ck_assert_ptr_nonnull(strstr(run.messages, "[no-cupti]"));
	ck_assert_ptr_nonnull(strstr(run.messages, "/nowhere/libcupti.so"));
}
END_TEST

/* What is newer than the driver, or crashes without one, is not called, and that is said. */
START_TEST(unfit_cupti)
{
	struct run_options options = { .cupti = FAKE_CUPTI_13_2, .driver = _i ? "13020" : "12080" };
	static struct run run;

	memset(&run, 0, sizeof(run));
	run_app(&run, &options, WORDS("init", "launch=10", "nvtx=10", "exit=4"));
	run_check_exit(&run, 4);
	ck_assert_ptr_nonnull(strstr(run.messages, _i ? "[no-driver]" : "[old-driver]"));
	ck_assert_ptr_nonnull(strstr(run.messages, _i ? "would crash"
						      : "is of CUDA 13, and the driver is of "
							"CUDA 12.8, which is older"));
	ck_assert_uint_eq(run.seen[DP_SPOOL_KIND_NVTX], run.truth.nvtx);
}
END_TEST

/* A folder with one for each driver: an older one will do, a newer one never. */
START_TEST(folder_of_several)
{
	char folder[] = "/tmp/deepprof-cupti.XXXXXX", path[2][64];
	struct run_options options = { .driver = _i ? "13020" : "12080", .cupti = folder };
	static struct run run;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path[0], sizeof(path[0]), "%s/libcupti.so.12", folder);
	snprintf(path[1], sizeof(path[1]), "%s/libcupti.so.13", folder);
	ck_assert(!symlink(FAKE_CUPTI, path[0]) && !symlink(FAKE_CUPTI_13_2, path[1]));
	memset(&run, 0, sizeof(run));
	run_app(&run, &options, WORDS("init", "exit=4"));
	unlink(path[0]);
	unlink(path[1]);
	rmdir(folder);
	run_check_exit(&run, 4);
	ck_assert_ptr_nonnull(strstr(run.messages, _i ? "[no-driver]" : "[attached]"));
}
END_TEST

/*
 * Where a program's own CUPTI is, by what it has loaded: wheels up to CUDA 12, those of CUDA 13, a
 * toolkit, itself. Nothing names it, and none that is installed is taken instead.
 */
static const struct {
	const char *neighbour, *cupti; /* in a folder of their own */
} layouts_on_disk[] = {
	{ "nvidia/cuda_runtime/lib/libcudart.so.12", "nvidia/cuda_cupti/lib/libcupti.so.12" },
	{ "nvidia/cublas/lib/libcublas.so.12", "nvidia/cuda_cupti/lib/libcupti.so.12" },
	{ "nvidia/cudnn/lib/libcudnn.so.9", "nvidia/cu13/lib/libcupti.so.13" },
	{ "nvidia/cu13/lib/libcudart.so.13", "nvidia/cu13/lib/libcupti.so.13" },
	{ "cuda/lib64/libcudart.so.12", "cuda/extras/CUPTI/lib64/libcupti.so" },
	{ "cuda/targets/x86_64-linux/lib/libcudart.so.12", "cuda/extras/CUPTI/lib64/libcupti.so" },
	{ "lib/libcupti.so.12", "lib/libcupti.so.12" },
};

static void put_file(const char *folder, const char *name, const char *from, char path[300])
{
	char command[1200];

	snprintf(path, 300, "%s/%s", folder, name);
	snprintf(command, sizeof(command), "mkdir -p \"$(dirname '%s')\" && cp '%s' '%s'", path,
		 from, path);
	ck_assert_int_eq(system(command), 0);
}

START_TEST(cupti_of_the_program)
{
	struct run_options options = { .cupti = "", .driver = "13000" };
	char folder[] = "/tmp/deepprof-layout.XXXXXX", neighbour[300], cupti[300], command[400];
	char open_word[310], find_word[310];
	static struct run run;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	put_file(folder, layouts_on_disk[_i].neighbour, NEIGHBOUR, neighbour);
	put_file(folder, layouts_on_disk[_i].cupti, FAKE_CUPTI, cupti);
	snprintf(open_word, sizeof(open_word), "open=%s", neighbour);
	snprintf(find_word, sizeof(find_word), "find=%s", cupti);
	memset(&run, 0, sizeof(run));
	run_app(&run, &options, WORDS(open_word, "init", find_word, "launch=100", "exit=4"));
	snprintf(command, sizeof(command), "rm -r '%s'", folder);
	ck_assert_int_eq(system(command), 0);
	run_check_exit(&run, 4);
	run_check_complete(&run);
	ck_assert_ptr_nonnull(strstr(run.messages, "[attached]"));
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 100);
}
END_TEST

START_TEST(odd_buffers)
{
	static struct run run;

	memset(&run, 0, sizeof(run));
	run_app(&run, NULL,
		WORDS("init", "launch=100", "twice", "foreign", "launch=100", "odd", "drop=42",
		      "launch=5", "twice", "sleep=50", "launch=100"));
	run_check_exit(&run, 0);
	run_check_sums(&run);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], run.truth.records[CUPTI_KERNEL]);
	ck_assert_uint_eq(run.stored[FAKE_NEW_KIND], 1);
	ck_assert_uint_eq(run.lost_by[DP_LOSS_CUPTI], 42);
	ck_assert_uint_eq(run.lost[0], 42);
}
END_TEST

/* Given back late, and in another order than that in which they were asked for. */
START_TEST(late_buffers)
{
	static struct run run;

	memset(&run, 0, sizeof(run));
	run.each = see_kernel;
	run.user = (void *)(uintptr_t) "13.1";
	run_app(&run, &(struct run_options){ .version = "13.1" },
		WORDS("init", "launch=1000", "aside", "launch=30000", "aside", "launch=1000",
		      _i ? "kill" : "sleep=1500", "launch=500"));
	ck_assert_int_eq(WIFSIGNALED(run.status), _i);
	run_check_complete(&run);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], _i ? 32000 : 32500);
}
END_TEST

START_TEST(unwalkable)
{
	static struct run run;

	memset(&run, 0, sizeof(run));
	run_app(&run, NULL, WORDS("init", "launch=100", "unwalkable", "launch=100"));
	run_check_exit(&run, 0);
	run_check_sums(&run);
	ck_assert_uint_eq(run.lost_by[DP_LOSS_DAMAGED], 1);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 100);
}
END_TEST

struct names {
	bool is_long, second;
};

static void see_names(struct run *run, struct dp_spool *spool, const struct dp_spool_record *record)
{
	struct names *names = run->user;
	size_t length;
	const char *name;

	if (record->type != DP_SPOOL_KERNEL)
		return;
	name = dp_spool__string(spool, record->kernel.name, &length);
	names->is_long |= length == DP_SPOOL_STRING_LIMIT && name[0] == 'x';
	names->second |= !strcmp(name, "_Z6secondv");
}

START_TEST(long_and_reused_names)
{
	struct run_options options = { .options = "flush-ms=100" };
	struct names names = { false, false };
	static struct run run;

	memset(&run, 0, sizeof(run));
	run.each = see_names;
	run.user = &names;
	run_app(&run, &options, WORDS("init", "names"));
	run_check_exit(&run, 0);
	run_check_complete(&run);
	ck_assert(names.is_long && names.second);
}
END_TEST

static void see_wrap(struct run *run, struct dp_spool *spool, const struct dp_spool_record *record)
{
	uint64_t *epochs = run->user;

	if (record->type == DP_SPOOL_KERNEL)
		epochs[record->kernel.correlation >> 32 ? 1 : 0]++;
}

START_TEST(correlation_wraps)
{
	uint64_t epochs[2] = { 0, 0 };
	static struct run run;

	memset(&run, 0, sizeof(run));
	run.each = see_wrap;
	run.user = epochs;
	run_app(&run, NULL, WORDS("init", "wrap", "launch=1000"));
	run_check_complete(&run);
	/* The 256th has the number 0, which is none. */
	ck_assert_uint_eq(epochs[0], 256 + 1);
	ck_assert_uint_eq(epochs[1], 1000 - 256 - 1);
}
END_TEST

START_TEST(many_threads)
{
	static struct run run;

	memset(&run, 0, sizeof(run));
	run_app(&run, NULL, WORDS("init", "threads=16,20000", "launch=1000"));
	run_check_exit(&run, 0);
	run_check_complete(&run);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 321000);
}
END_TEST

/* A pool of eight small slots: most is lost, all is counted. */
START_TEST(pool_full)
{
	struct run_options options = { .options = "slot=16384,max-memory=131072,nvtx=0" };
	static struct run run;

	memset(&run, 0, sizeof(run));
	run_app(&run, &options, WORDS("init", "threads=32,20000"));
	run_check_exit(&run, 0);
	run_check_sums(&run);
	ck_assert_uint_eq(run.completed[CUPTI_KERNEL] + run.completed[CUPTI_RUNTIME] +
				  run.completed[0],
			  run.truth.records[CUPTI_KERNEL] + run.truth.records[CUPTI_RUNTIME]);
	ck_assert_uint_gt(run.lost_by[DP_LOSS_POOL_FULL], 0);
}
END_TEST

static const char *const endings[] = { "exit=3", "_exit=3", "quick=3" };

START_TEST(orderly_ends)
{
	static struct run run;

	memset(&run, 0, sizeof(run));
	run_app(&run, NULL, WORDS("init", "launch=3000", "nvtx=100", endings[_i]));
	run_check_exit(&run, 3);
	run_check_complete(&run);
	ck_assert_uint_eq(run.ended_spools, 1);
	ck_assert_uint_eq(run.seen[DP_SPOOL_KIND_NVTX], run.truth.nvtx);
}
END_TEST

static const char *const deaths[] = { "abort", "kill" };

START_TEST(sudden_ends)
{
	static struct run run;

	memset(&run, 0, sizeof(run));
	run_app(&run, NULL,
		WORDS("init", "kinds=100", "launch=30000", "nvtx=100", "sleep=200", deaths[_i]));
	ck_assert(WIFSIGNALED(run.status));
	ck_assert_int_eq(WTERMSIG(run.status), _i ? SIGKILL : SIGABRT);
	run_check_sums(&run);
	for (size_t i = 0; i < RUN_KINDS; i++)
		ck_assert_uint_eq(run.stored[run_kinds[i]], run.truth.records[run_kinds[i]]);
	ck_assert_uint_eq(run.seen[DP_SPOOL_KIND_NVTX], run.truth.nvtx);
	ck_assert_uint_eq(run.salvaged_spools, 1);
	ck_assert_uint_eq(run.undefined, 0);
}
END_TEST

/* FAKE_KILLS=100 for the long form. */
START_TEST(killed_anywhere)
{
	const char *wanted = getenv("FAKE_KILLS");
	int kills = wanted ? atoi(wanted) : 8;
	uint64_t total = 0;

	for (int i = 0; i < kills; i++) {
		struct run_options options = { .kill_after_us =
						       2000 + (unsigned int)i * 37117 % 1200000,
					       .options = i % 2 ? "slot=65536" : NULL };
		static struct run run;

		memset(&run, 0, sizeof(run));
		run_app(&run, &options,
			WORDS("init", i % 3 || !NVTX_EVENTS ? "forever" : "nvtx=100000000"));
		ck_assert(WIFSIGNALED(run.status));
		run_check_sums(&run);
		/* One record may have been made whose making was not noted yet. */
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
END_TEST

START_TEST(forks)
{
	static struct run run;

	memset(&run, 0, sizeof(run));
	run_app(&run, NULL, WORDS("init", "launch=1000", "fork=20", "launch=1000"));
	run_check_exit(&run, 0);
	run_check_complete(&run);
	ck_assert_uint_eq(run.spools, 1);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 2000);
}
END_TEST

START_TEST(children_with_cuda)
{
	static struct run run;

	memset(&run, 0, sizeof(run));
	run_app(&run, NULL, WORDS("nvtx=5", "forkinit=6"));
	run_check_exit(&run, 0);
	run_check_complete(&run);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 600);
	ck_assert_uint_ge(run.ended_spools, 6);
	ck_assert_uint_eq(run.ended_spools, run.spools);
}
END_TEST

/* As many ranks as a node may have, at once; their pools are small. */
START_TEST(ranks)
{
	struct run_options options = { .options = "slot=65536,max-memory=2097152" };
	static struct run run;

	memset(&run, 0, sizeof(run));
	run_app(&run, &options, WORDS("ranks=64"));
	run_check_exit(&run, 0);
	run_check_complete(&run);
	ck_assert_uint_eq(run.spools, 64);
	ck_assert_uint_eq(run.ended_spools, 64);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 64 * 1000);
}
END_TEST

START_TEST(new_image)
{
	static struct run run;

	memset(&run, 0, sizeof(run));
	run_app(&run, NULL, WORDS("init", "launch=500", "sleep=200", "exec", "init", "launch=500"));
	run_check_exit(&run, 0);
	run_check_complete(&run);
	ck_assert_uint_eq(run.spools, 2);
	ck_assert_uint_eq(run.ended_spools, 1);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 1000);
}
END_TEST

START_TEST(flush_hangs)
{
	struct run_options options = { .hang = true, .options = "exit-ms=300" };
	static struct run run;

	memset(&run, 0, sizeof(run));
	run_app(&run, &options, WORDS("init", "launch=5000", "exit=6"));
	run_check_exit(&run, 6);
	run_check_complete(&run);
	ck_assert_ptr_nonnull(strstr(run.messages, "[flush-hangs]"));
	ck_assert(run.seconds < 5);
}
END_TEST

START_TEST(disk_full)
{
	struct run_options options = { .disk_bytes = 256 << 10 };
	static struct run run;

	memset(&run, 0, sizeof(run));
	if (!run_app(&run, &options, WORDS("init", "launch=300000", "exit=6")))
		return;
	run_check_exit(&run, 6);
	run_check_sums(&run);
	ck_assert_uint_eq(run.completed[CUPTI_KERNEL], 300000);
	ck_assert_uint_gt(run.lost_by[DP_LOSS_DISK], 0);
	ck_assert_ptr_nonnull(strstr(run.messages, "[disk-full]"));
}
END_TEST

START_TEST(file_limit)
{
	struct run_options options = { .file_limit = 64 << 20, .options = "max-memory=67108864" };
	static struct run run;

	memset(&run, 0, sizeof(run));
	options.file_limit = 1 << 20;
	run_app(&run, &options, WORDS("init", "launch=300000", "exit=6"));
	run_check_exit(&run, 6);
	run_check_sums(&run);
	ck_assert_uint_gt(run.lost_by[DP_LOSS_DISK] + run.lost_by[DP_LOSS_POOL_FULL], 0);
}
END_TEST

START_TEST(spool_limit)
{
	struct run_options options = { .options = "max-spool=600000" };
	static struct run run;

	memset(&run, 0, sizeof(run));
	run_app(&run, &options, WORDS("init", "launch=300000"));
	run_check_exit(&run, 0);
	run_check_sums(&run);
	ck_assert_uint_gt(run.lost_by[DP_LOSS_SPOOL_LIMIT], 0);
	ck_assert_uint_le(run.spool_bytes, 600000);
}
END_TEST

START_TEST(without_launcher)
{
	struct run_options options = { .no_socket = true };
	static struct run run;

	memset(&run, 0, sizeof(run));
	run_app(&run, &options, WORDS("init", "launch=5000", "kill"));
	run_check_sums(&run);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 5000);
}
END_TEST

static void see_schema(struct run *run, struct dp_spool *spool,
		       const struct dp_spool_record *record)
{
	uint64_t *found = run->user;
	uint64_t communicator, bytes;
	const char *blob;
	size_t length;

	if (record->type == DP_SPOOL_SCHEMA) {
		ck_assert_str_eq(dp_spool__string(spool, record->schema.domain, NULL), "NCCL");
		ck_assert_str_eq(dp_spool__string(spool, record->schema.name, NULL), "AllReduce");
		found[record->schema.index] = record->schema.offset;
	}
	if (record->type != DP_SPOOL_NVTX || !record->nvtx.blob)
		return;
	blob = dp_spool__string(spool, record->nvtx.blob, &length);
	ck_assert_uint_eq(length, 24);
	memcpy(&communicator, blob, 8);
	memcpy(&bytes, blob + 16, 8);
	ck_assert_uint_eq(communicator, 0x1234567890abcdef);
	ck_assert_uint_eq(bytes, 1 << 20);
	ck_assert_str_eq(dp_spool__string(spool, record->nvtx.name, NULL), "ncclAllReduce");
	found[3]++;
}

START_TEST(payloads)
{
	uint64_t found[4] = { 9, 9, 9, 0 };
	static struct run run;

	memset(&run, 0, sizeof(run));
	run.each = see_schema;
	run.user = found;
	run_app(&run, NULL, WORDS("schema", "nvtx=10"));
	run_check_exit(&run, 0);
	run_check_sums(&run);
	ck_assert_uint_eq(found[0], 0);
	ck_assert_uint_eq(found[1], 8);
	ck_assert_uint_eq(found[2], 16);
	ck_assert_uint_eq(found[3], 1);
	ck_assert_uint_eq(run.seen[DP_SPOOL_KIND_NVTX], 32);
}
END_TEST

START_TEST(capture_range)
{
	struct run_options options = { .options = "capture=profiler" };
	static struct run run;

	memset(&run, 0, sizeof(run));
	run_app(&run, &options, WORDS("init", "launch=100", "range"));
	run_check_exit(&run, 0);
	run_check_complete(&run);
	ck_assert_uint_ge(run.stored[CUPTI_KERNEL], 100);
	ck_assert_uint_lt(run.stored[CUPTI_KERNEL], 300);
}
END_TEST

START_TEST(pause_and_stop)
{
	struct run_options options = { .control_after_ms = { 0, 300, 0 } };
	static struct run run;

	memset(&run, 0, sizeof(run));
	run_app(&run, &options, WORDS("init", "launch=100", "sleep=800", "launch=100"));
	run_check_exit(&run, 0);
	run_check_complete(&run);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 100);
}
END_TEST

/*
 * The real ones, wherever they are installed; without a driver they refuse, and that is all: with a
 * libcuda that says it is of CUDA 13, so that all are asked, and with one of 12, as most are not.
 */
START_TEST(real_cupti)
{
	static const char *const paths[] = REAL_CUPTI;
	static struct run run;

	for (size_t i = 0; paths[i]; i++) {
		struct run_options options = { .cupti = paths[i], .driver = _i ? "13050" : NULL };

		memset(&run, 0, sizeof(run));
		run_app(&run, &options, WORDS("init", "nvtx=10", "exit=2"));
		run_check_exit(&run, 2);
		run_check_sums(&run);
		ck_assert_uint_eq(run.seen[DP_SPOOL_KIND_NVTX], NVTX_EVENTS);
		ck_assert_ptr_null(strstr(run.messages, "[no-cupti]"));
	}
}
END_TEST

static void fill(TCase *tests)
{
	tcase_add_loop_test(tests, layouts, 0, sizeof(versions) / sizeof(versions[0]));
	tcase_add_loop_test(tests, sizes_not_told, 0, 2);
	tcase_add_test(tests, no_cuda);
	tcase_add_test(tests, output_untouched);
	tcase_add_loop_test(tests, forced_results, 0, sizeof(failures) / sizeof(failures[0]));
	tcase_add_test(tests, no_cupti);
	tcase_add_loop_test(tests, unfit_cupti, 0, 2);
	tcase_add_loop_test(tests, folder_of_several, 0, 2);
	tcase_add_loop_test(tests, cupti_of_the_program, 0,
			    sizeof(layouts_on_disk) / sizeof(layouts_on_disk[0]));
	tcase_add_test(tests, odd_buffers);
	tcase_add_loop_test(tests, late_buffers, 0, 2);
	tcase_add_test(tests, unwalkable);
	tcase_add_test(tests, long_and_reused_names);
	tcase_add_test(tests, correlation_wraps);
	tcase_add_test(tests, many_threads);
	tcase_add_test(tests, pool_full);
	tcase_add_loop_test(tests, orderly_ends, 0, sizeof(endings) / sizeof(endings[0]));
	tcase_add_loop_test(tests, sudden_ends, 0, sizeof(deaths) / sizeof(deaths[0]));
	tcase_add_test(tests, killed_anywhere);
	tcase_add_test(tests, forks);
	tcase_add_test(tests, children_with_cuda);
	tcase_add_test(tests, ranks);
	tcase_add_test(tests, new_image);
	tcase_add_test(tests, flush_hangs);
	tcase_add_test(tests, disk_full);
	tcase_add_test(tests, file_limit);
	tcase_add_test(tests, spool_limit);
	tcase_add_test(tests, without_launcher);
	if (NVTX_PAYLOADS)
		tcase_add_test(tests, payloads);
	tcase_add_test(tests, capture_range);
	tcase_add_test(tests, pause_and_stop);
	tcase_add_loop_test(tests, real_cupti, 0, 2);
}

#include "../unit/test_main.h"
