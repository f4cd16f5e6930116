/*
 * The collector when system calls fail: the program never notices, and every record is stored or
 * counted as lost.
 */
#include "../sanitized.h"
#include "run.h"
#include "cupti/cupti_abi.h"
#include "../unit/test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static struct run run;

static uint64_t sum(const uint64_t *numbers, size_t count)
{
	uint64_t total = 0;

	for (size_t i = 0; i < count; i++)
		total += numbers[i];
	return total;
}

/* A program that exits with 4; if there is a spool, its records are stored or lost. */
static void check_unharmed(const struct run_options *options)
{
	uint64_t made = 0;

	run_app(&run, options, WORDS("init", "launch=3000", "nvtx=10", "exit=4"));
	run_check_exit(&run, 4);
	for (size_t i = 0; i < FAKE_KINDS; i++)
		made += run.truth.records[i];
	/* NVTX events are not among these. */
	if (run.ended_spools)
		ck_assert_uint_ge(sum(run.completed, DP_SPOOL_KINDS), made);
}

/* The k-th call fails, for every k: memory, files, sockets, threads. */
TEST_LOOP(every_call, !DP_SANITIZED)
{
	struct run_options options = { .trouble_call = 1000000 };
	uint64_t calls, attached = 0;

	check_unharmed(&options);
	ck_assert_ptr_nonnull(strstr(run.messages, "[attached]"));
	calls = run.trouble_calls;
	ck_assert_uint_gt(calls, 30);
	for (options.trouble_call = 1; options.trouble_call <= calls; options.trouble_call++) {
		check_unharmed(&options);
		attached += run.stored[CUPTI_KERNEL] == 3000;
	}
	/* Not every one of them matters. */
	ck_assert_uint_gt(attached, calls / 4);
}

/* All calls from the k-th on. */
TEST_LOOP(every_call_from_there_on, !DP_SANITIZED)
{
	struct run_options options = { .trouble_call = 1000000 };
	uint64_t calls;

	check_unharmed(&options);
	calls = run.trouble_calls;
	options.trouble_on = true;
	for (options.trouble_call = 1; options.trouble_call <= calls; options.trouble_call++)
		check_unharmed(&options);
}

static const struct {
	const char *name;
	bool attaches; /* anyway, and stores what it can */
} functions[] = {
	{ "mmap64", false },
	{ "fallocate64", false },
	{ "ftruncate64", false },
	{ "memfd_create", true },
	{ "socket", true },
	{ "connect", true },
	{ "sendmsg", true },
	{ "write", false },
	{ "read", true },
	{ "readlink", true },
	{ "process_vm_readv", true },
	{ "madvise", true },
	{ "pthread_key_create", false },
	{ "pthread_create", false },
	{ "open64", false },
	{ "dlopen", false },
	{ "dlinfo", true },
};

TEST_LOOP(a_function_that_never_works, DP_SANITIZED ? 0 : sizeof(functions) / sizeof(functions[0]))
{
	struct run_options options = { .trouble_name = functions[_i].name };

	check_unharmed(&options);
	if (functions[_i].attaches)
		ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 3000);
	else
		ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 0);
}

static void see_names(struct run *left, struct dp_spool *spool,
		      const struct dp_spool_record *record)
{
	unsigned int *named = left->user;

	if (record->type != DP_SPOOL_KERNEL)
		return;
	named[0] += *dp_spool__string(spool, record->kernel.name, NULL) != 0;
	named[1]++;
}

/* Names are read even if memory cannot be read directly, and unmapped memory causes no fault. */
TEST_LOOP(names_by_a_pipe, !DP_SANITIZED)
{
	struct run_options options = { .trouble_name = "process_vm_readv" };
	unsigned int named[2] = { 0, 0 };

	run.each = see_names;
	run.user = named;
	run_app(&run, &options, WORDS("init", "launch=50", "gone", "launch=50", "exit=4"));
	run_check_exit(&run, 4);
	ck_assert_uint_ge(named[0], 100);
	ck_assert_uint_eq(named[1], 101);
}

/* Handlers for fork and exit cannot be registered; glibc's names. */
static const char *const hooks[] = { "__register_atfork", "__cxa_atexit", "__cxa_at_quick_exit" };

TEST_LOOP(no_hooks, DP_SANITIZED ? 0 : sizeof(hooks) / sizeof(hooks[0]))
{
	struct run_options options = { .trouble_name = hooks[_i] };

	check_unharmed(&options);
	if (!run.trouble_calls)
		return;
	ck_assert_uint_eq(run.spools, 0);
	ck_assert_msg(strstr(run.messages, "out of memory at the start: Cannot allocate memory"),
		      "%s", run.messages);
}

TEST(few_descriptors)
{
	struct run_options options = { .descriptors = 0 };
	uint64_t recorded = 0;

	/* Below 8 the program itself can't load CUDA. */
	for (options.descriptors = 8; options.descriptors < 18; options.descriptors++) {
		check_unharmed(&options);
		recorded += run.stored[CUPTI_KERNEL] == 3000;
	}
	ck_assert_uint_gt(recorded, 0);
}

static const uint64_t spaces[] = { 40 << 20, 80 << 20, 200 << 20, 540 << 20 };

TEST_LOOP(little_address_space, DP_SANITIZED ? 0 : sizeof(spaces) / sizeof(spaces[0]))
{
	struct run_options options = { .address_space = spaces[_i] };

	check_unharmed(&options);
}

TEST(read_only_folder)
{
	struct run_options options = { .read_only = true };

	if (!run_app(&run, &options, WORDS("init", "launch=100", "nvtx=10", "exit=4")))
		return;
	run_check_exit(&run, 4);
	ck_assert_uint_eq(run.spools, 0);
}

/* The buffers are in a file, since nobody listens, on a disk smaller than their limit. */
static const uint64_t disks[] = { 1 << 20, 8 << 20, 24 << 20, 64 << 20 };

TEST_LOOP(buffers_on_a_small_disk, sizeof(disks) / sizeof(disks[0]))
{
	struct run_options options = { .disk_bytes = disks[_i], .no_socket = true };

	if (!run_app(&run, &options, WORDS("init", "threads=4,100000", "exit=4")))
		return;
	run_check_exit(&run, 4);
	if (disks[_i] >= 24 << 20)
		ck_assert_uint_gt(run.stored[CUPTI_KERNEL], 0);
	if (run.spools && disks[_i] >= 24 << 20)
		ck_assert_uint_eq(run.completed[CUPTI_KERNEL] + run.completed[CUPTI_RUNTIME] +
					  run.completed[0],
				  800000);
}

/* As --max-memory=1M and =64M. */
static const char *const pools[] = { "max-memory=1048576", "max-memory=67108864" };

TEST_LOOP(small_buffers, sizeof(pools) / sizeof(pools[0]))
{
	struct run_options options = { .options = pools[_i] };

	run_app(&run, &options, WORDS("init", "threads=16,20000", "nvtx=1000", "exit=4"));
	run_check_exit(&run, 4);
	run_check_launches(&run, 16);
}

/* An hour forward and back during the run: neither order nor sums change. */
static const char *const steps[] = { "300,3600", "300,-3600" };

TEST_LOOP(clock_steps, sizeof(steps) / sizeof(steps[0]))
{
	struct run_options options = { .trouble_step = steps[_i] };

	run_app(&run, &options,
		WORDS("init", "launch=1000", "nvtx=10", "sleep=600", "launch=1000", "nvtx=10",
		      "exit=4"));
	run_check_exit(&run, 4);
	run_check_complete(&run);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 2000);
	ck_assert(run.seconds < 60);
}

/* The offset between real time and the monotonic clock is the same wherever it is noted. */
static void see_clocks(struct run *left, struct dp_spool *spool,
		       const struct dp_spool_record *record)
{
	const struct dp_spool_header *header = dp_spool__header(spool);
	unsigned int *seen = left->user;

	if (record->type != DP_SPOOL_CLOCK)
		return;
	(*seen)++;
	ck_assert_int_le(llabs((record->clock.realtime - record->clock.monotonic) -
			       (header->realtime_ns - header->monotonic_ns)),
			 100000000);
}

/* The process is descheduled exactly between its first readings of two clocks. */
TEST_LOOP(clock_is_late, !DP_SANITIZED)
{
	struct run_options options = { .trouble_late = "300" };
	unsigned int seen = 0;

	run.each = see_clocks;
	run.user = &seen;
	run_app(&run, &options, WORDS("init", "launch=100", "exit=4"));
	run_check_exit(&run, 4);
	run_check_complete(&run);
	ck_assert_uint_gt(seen, 0);
	ck_assert(run.seconds >= 0.3);
}

static const struct {
	const char *word;
	int number;
} deaths[] = { { "term", SIGTERM }, { "segv", SIGSEGV } };

TEST_LOOP(deadly_signals, sizeof(deaths) / sizeof(deaths[0]))
{
	run_app(&run, NULL,
		WORDS("init", "kinds=100", "launch=30000", "nvtx=100", "looked", deaths[_i].word));
	ck_assert(WIFSIGNALED(run.status));
	ck_assert_int_eq(WTERMSIG(run.status), deaths[_i].number);
	ck_assert_str_eq(run.output, "");
	run_check_complete(&run);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 30000);
	ck_assert_uint_eq(run.seen[DP_SPOOL_KIND_NVTX], run.truth.nvtx);
	ck_assert_uint_eq(run.salvaged_spools, 1);
}

TEST(thousand_forks)
{
	run_app(&run, NULL,
		WORDS("init", "launch=1000", DP_SANITIZED ? "fork=100" : "fork=1000", "spawn=20",
		      "launch=1000"));
	run_check_exit(&run, 0);
	run_check_complete(&run);
	ck_assert_uint_eq(run.spools, 1);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 2000);
}

/* A kernel that cannot wipe a page for the child, as before 4.14. */
TEST_LOOP(forks_on_old_kernels, !DP_SANITIZED)
{
	struct run_options options = { .trouble_name = "madvise" };

	run_app(&run, &options,
		WORDS("init", "launch=1000", "nvtx=10", "fork=20", "spawn=5", "launch=1000",
		      "exit=4"));
	run_check_exit(&run, 4);
	run_check_complete(&run);
	ck_assert_uint_gt(run.trouble_calls, 0);
	ck_assert_uint_eq(run.spools, 1);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 2000);
	ck_assert_uint_eq(run.seen[DP_SPOOL_KIND_NVTX], run.truth.nvtx);
}

TEST(daemons)
{
	struct run_options options = { .pools = 1 };

	run_app(&run, &options, WORDS("daemon", "init", "launch=5000", "nvtx=10", "exit=3"));
	run_check_exit(&run, 0);
	run_check_complete(&run);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 5000);
	ck_assert_uint_eq(run.ended_spools, run.spools);
}

/*
 * Threads that continue while the process ends: their last records may be lost, but none is stored
 * incompletely.
 */
TEST_LOOP(ends_while_it_works, 2)
{
	run_app(&run, NULL, WORDS("init", "race=4", _i ? "_exit=4" : "exit=4"));
	run_check_exit(&run, 4);
	ck_assert_uint_eq(run.ended_spools, 1);
	ck_assert_uint_gt(run.stored[CUPTI_KERNEL], 0);
}

/* As long as its options allow. */
TEST(flush_hangs_for_long)
{
	struct run_options options = { .hang = true };

	run_app(&run, &options, WORDS("init", "launch=5000", "exit=6"));
	run_check_exit(&run, 6);
	run_check_complete(&run);
	ck_assert_ptr_nonnull(strstr(run.messages, "[flush-hangs]"));
	ck_assert(run.seconds >= 4);
}
