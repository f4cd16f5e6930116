/*
 * The collector where the system refuses what it asks for: the program never notices, and what was
 * recorded is stored or counted as lost.
 */
#include "../sanitized.h"
#include "run.h"
#include "cupti/cupti_abi.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <check.h>

static uint64_t sum(const uint64_t *numbers, size_t count)
{
	uint64_t total = 0;

	for (size_t i = 0; i < count; i++)
		total += numbers[i];
	return total;
}

/* A program that leaves with 4, and whose records are stored or lost where there is a spool. */
static void check_unharmed(struct run *run, const struct run_options *options)
{
	uint64_t made = 0;

	memset(run, 0, sizeof(*run));
	run_app(run, options, WORDS("init", "launch=3000", "nvtx=10", "exit=4"));
	run_check_exit(run, 4);
	run_check_sums(run);
	for (size_t i = 0; i < FAKE_KINDS; i++)
		made += run->truth.records[i];
	/* NVTX's events come on top. */
	if (run->ended_spools)
		ck_assert_uint_ge(sum(run->completed, DP_SPOOL_KINDS), made);
}

/* The k-th call fails, for every k: memory, files, sockets, threads. */
START_TEST(every_call)
{
	struct run_options options = { .trouble_call = 1000000 };
	static struct run run;
	uint64_t calls, attached = 0;

	check_unharmed(&run, &options);
	ck_assert_ptr_nonnull(strstr(run.messages, "[attached]"));
	calls = run.trouble_calls;
	ck_assert_uint_gt(calls, 30);
	for (options.trouble_call = 1; options.trouble_call <= calls; options.trouble_call++) {
		check_unharmed(&run, &options);
		attached += run.stored[CUPTI_KERNEL] == 3000;
	}
	/* Not every one of them matters. */
	ck_assert_uint_gt(attached, calls / 4);
}
END_TEST

/* All calls from the k-th on. */
START_TEST(every_call_from_there_on)
{
	struct run_options options = { .trouble_call = 1000000 };
	static struct run run;
	uint64_t calls;

	check_unharmed(&run, &options);
	calls = run.trouble_calls;
	options.trouble_on = true;
	for (options.trouble_call = 1; options.trouble_call <= calls; options.trouble_call++)
		check_unharmed(&run, &options);
}
END_TEST

static const struct {
	const char *name;
	bool attaches; /* all the same, and stores what there is */
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

START_TEST(a_function_that_never_works)
{
	struct run_options options = { .trouble_name = functions[_i].name };
	static struct run run;

	check_unharmed(&run, &options);
	if (functions[_i].attaches)
		ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 3000);
	else
		ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 0);
}
END_TEST

static void see_names(struct run *run, struct dp_spool *spool, const struct dp_spool_record *record)
{
	unsigned int *named = run->user;

	if (record->type != DP_SPOOL_KERNEL)
		return;
	named[0] += *dp_spool__string(spool, record->kernel.name, NULL) != 0;
	named[1]++;
}

/* Names are read where memory can't be, and what is no memory any more is no fault. */
START_TEST(names_by_a_pipe)
{
	struct run_options options = { .trouble_name = "process_vm_readv" };
	unsigned int named[2] = { 0, 0 };
	static struct run run;

	memset(&run, 0, sizeof(run));
	run.each = see_names;
	run.user = named;
	run_app(&run, &options, WORDS("init", "launch=50", "gone", "launch=50", "exit=4"));
	run_check_exit(&run, 4);
	ck_assert_uint_ge(named[0], 100);
	ck_assert_uint_eq(named[1], 101);
}
END_TEST

/* What is to run at a fork or at the end can't be put down; glibc's names. */
static const char *const hooks[] = { "__register_atfork", "__cxa_atexit", "__cxa_at_quick_exit" };

START_TEST(no_hooks)
{
	struct run_options options = { .trouble_name = hooks[_i] };
	static struct run run;

	check_unharmed(&run, &options);
	if (!run.trouble_calls)
		return;
	ck_assert_uint_eq(run.spools, 0);
	ck_assert_msg(strstr(run.messages, "out of memory at the start: Cannot allocate memory"),
		      "%s", run.messages);
}
END_TEST

START_TEST(few_descriptors)
{
	struct run_options options = { .descriptors = 0 };
	static struct run run;
	uint64_t recorded = 0;

	/* Below 8 the program itself can't load CUDA. */
	for (options.descriptors = 8; options.descriptors < 18; options.descriptors++) {
		check_unharmed(&run, &options);
		recorded += run.stored[CUPTI_KERNEL] == 3000;
	}
	ck_assert_uint_gt(recorded, 0);
}
END_TEST

static const uint64_t spaces[] = { 40 << 20, 80 << 20, 200 << 20, 540 << 20 };

START_TEST(little_address_space)
{
	struct run_options options = { .address_space = spaces[_i] };
	static struct run run;

	check_unharmed(&run, &options);
}
END_TEST

START_TEST(read_only_folder)
{
	struct run_options options = { .read_only = true };
	static struct run run;

	memset(&run, 0, sizeof(run));
	if (!run_app(&run, &options, WORDS("init", "launch=100", "nvtx=10", "exit=4")))
		return;
	run_check_exit(&run, 4);
	ck_assert_uint_eq(run.spools, 0);
}
END_TEST

/* The buffers in a file, for nobody listens, on a disk that is smaller than they may be. */
static const uint64_t disks[] = { 1 << 20, 8 << 20, 24 << 20, 64 << 20 };

START_TEST(buffers_on_a_small_disk)
{
	struct run_options options = { .disk_bytes = disks[_i], .no_socket = true };
	static struct run run;

	memset(&run, 0, sizeof(run));
	if (!run_app(&run, &options, WORDS("init", "threads=4,100000", "exit=4")))
		return;
	run_check_exit(&run, 4);
	run_check_sums(&run);
	if (disks[_i] >= 24 << 20)
		ck_assert_uint_gt(run.stored[CUPTI_KERNEL], 0);
	if (run.spools && disks[_i] >= 24 << 20)
		ck_assert_uint_eq(run.completed[CUPTI_KERNEL] + run.completed[CUPTI_DRIVER] +
					  run.completed[0],
				  800000);
}
END_TEST

/* As --max-memory=1M and =64M. */
static const char *const pools[] = { "max-memory=1048576", "max-memory=67108864" };

START_TEST(small_buffers)
{
	struct run_options options = { .options = pools[_i] };
	static struct run run;

	memset(&run, 0, sizeof(run));
	run_app(&run, &options, WORDS("init", "threads=16,20000", "nvtx=1000", "exit=4"));
	run_check_exit(&run, 4);
	run_check_sums(&run);
	run_check_launches(&run, 16);
}
END_TEST

/* An hour forth and back while it runs: the order and the sums don't change. */
static const char *const steps[] = { "300,3600", "300,-3600" };

START_TEST(clock_steps)
{
	struct run_options options = { .trouble_step = steps[_i] };
	static struct run run;

	memset(&run, 0, sizeof(run));
	run_app(&run, &options,
		WORDS("init", "launch=1000", "nvtx=10", "sleep=600", "launch=1000", "nvtx=10",
		      "exit=4"));
	run_check_exit(&run, 4);
	run_check_complete(&run);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 2000);
	ck_assert(run.seconds < 60);
}
END_TEST

/* How far the day's time is from the monotonic clock is the same wherever it is noted. */
static void see_clocks(struct run *run, struct dp_spool *spool,
		       const struct dp_spool_record *record)
{
	const struct dp_spool_header *header = dp_spool__header(spool);
	unsigned int *seen = run->user;

	if (record->type != DP_SPOOL_CLOCK)
		return;
	(*seen)++;
	ck_assert_int_le(llabs((record->clock.realtime - record->clock.monotonic) -
			       (header->realtime_ns - header->monotonic_ns)),
			 100000000);
}

/* The process is kept from running just between its first looks at two clocks. */
START_TEST(clock_is_late)
{
	struct run_options options = { .trouble_late = "300" };
	static struct run run;
	unsigned int seen = 0;

	memset(&run, 0, sizeof(run));
	run.each = see_clocks;
	run.user = &seen;
	run_app(&run, &options, WORDS("init", "launch=100", "exit=4"));
	run_check_exit(&run, 4);
	run_check_complete(&run);
	ck_assert_uint_gt(seen, 0);
	ck_assert(run.seconds >= 0.3);
}
END_TEST

static const struct {
	const char *word;
	int number;
} deaths[] = { { "term", SIGTERM }, { "segv", SIGSEGV } };

START_TEST(deadly_signals)
{
	static struct run run;

	memset(&run, 0, sizeof(run));
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
END_TEST

START_TEST(thousand_forks)
{
	static struct run run;

	memset(&run, 0, sizeof(run));
	run_app(&run, NULL,
		WORDS("init", "launch=1000", DP_SANITIZED ? "fork=100" : "fork=1000", "spawn=20",
		      "launch=1000"));
	run_check_exit(&run, 0);
	run_check_complete(&run);
	ck_assert_uint_eq(run.spools, 1);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 2000);
}
END_TEST

/* Where the kernel can't wipe a page for the child, as before 4.14. */
START_TEST(forks_on_old_kernels)
{
	struct run_options options = { .trouble_name = "madvise" };
	static struct run run;

	memset(&run, 0, sizeof(run));
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
END_TEST

START_TEST(daemons)
{
	struct run_options options = { .pools = 1 };
	static struct run run;

	memset(&run, 0, sizeof(run));
	run_app(&run, &options, WORDS("daemon", "init", "launch=5000", "nvtx=10", "exit=3"));
	run_check_exit(&run, 0);
	run_check_complete(&run);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 5000);
	ck_assert_uint_eq(run.ended_spools, run.spools);
}
END_TEST

/*
 * Threads that go on while the process ends: what they make then may be lost, and is not stored
 * half.
 */
START_TEST(ends_while_it_works)
{
	static struct run run;

	memset(&run, 0, sizeof(run));
	run_app(&run, NULL, WORDS("init", "race=4", _i ? "_exit=4" : "exit=4"));
	run_check_exit(&run, 4);
	run_check_sums(&run);
	ck_assert_uint_eq(run.ended_spools, 1);
	ck_assert_uint_gt(run.stored[CUPTI_KERNEL], 0);
}
END_TEST

/* As long as its options ask for. */
START_TEST(flush_hangs_for_long)
{
	struct run_options options = { .hang = true };
	static struct run run;

	memset(&run, 0, sizeof(run));
	run_app(&run, &options, WORDS("init", "launch=5000", "exit=6"));
	run_check_exit(&run, 6);
	run_check_complete(&run);
	ck_assert_ptr_nonnull(strstr(run.messages, "[flush-hangs]"));
	ck_assert(run.seconds >= 4);
}
END_TEST

#define EACH(tests, function, list) \
	tcase_add_loop_test(tests, function, 0, sizeof(list) / sizeof((list)[0]))

static void fill(TCase *tests)
{
	/* Sanitizers stand in the way of these themselves. */
	if (!DP_SANITIZED) {
		tcase_add_test(tests, every_call);
		tcase_add_test(tests, every_call_from_there_on);
		EACH(tests, a_function_that_never_works, functions);
		tcase_add_test(tests, names_by_a_pipe);
		EACH(tests, no_hooks, hooks);
		EACH(tests, little_address_space, spaces);
		tcase_add_test(tests, forks_on_old_kernels);
		tcase_add_test(tests, clock_is_late);
	}
	tcase_add_test(tests, few_descriptors);
	tcase_add_test(tests, read_only_folder);
	EACH(tests, buffers_on_a_small_disk, disks);
	EACH(tests, small_buffers, pools);
	EACH(tests, clock_steps, steps);
	EACH(tests, deadly_signals, deaths);
	tcase_add_test(tests, thousand_forks);
	tcase_add_test(tests, daemons);
	tcase_add_loop_test(tests, ends_while_it_works, 0, 2);
	tcase_add_test(tests, flush_hangs_for_long);
}

#include "../unit/test_main.h"
