/*
 * The collector in programs of several processes and threads: each record belongs to the right one.
 */
#include "run.h"
#include "cupti/cupti_abi.h"
#include "../unit/test.h"

#include <string.h>
#include <sys/wait.h>

static struct run run;

/* In the second run children reach the end of a buffer and request another. */
TEST_LOOP(forks, 2)
{
	struct run_options options = { .options = _i ? "slot=16384" : NULL };

	run_app(&run, &options, WORDS("init", "launch=1000", "fork=20", "launch=1000"));
	run_check_exit(&run, 0);
	run_check_complete(&run);
	ck_assert_uint_eq(run.spools, 1);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 2000);
}

/* A child's writes to memory that was its parent's CUPTI buffer do not reach the parent. */
TEST(forks_and_death)
{
	run_app(&run, NULL, WORDS("init", "launch=1000", "looked", "fork=2", "launch=10", "kill"));
	ck_assert(WIFSIGNALED(run.status));
	run_check_complete(&run);
	ck_assert_uint_eq(run.spools, 1);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 1010);
}

/*
 * Children for which no fork() handler runs: those of the bare system call, and those of vfork(),
 * which share their parent's memory until they leave by _exit(). exit() in a child takes the
 * dynamic loader's lock, which a collector's thread may hold as long as it looks for the driver.
 */
TEST_LOOP(clones, 2)
{
	run_app(&run, NULL,
		WORDS("init", "launch=10", "nvtx=10", "looked", _i ? "vfork=4" : "clone=4",
		      "launch=10", "nvtx=10"));
	run_check_exit(&run, 0);
	run_check_complete(&run);
	ck_assert_uint_eq(run.spools, 1);
	ck_assert_uint_eq(run.ended_spools, 1);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 20);
	ck_assert_uint_eq(run.seen[DP_SPOOL_KIND_NVTX], run.truth.nvtx);
}

TEST(children_with_cuda)
{
	run_app(&run, NULL, WORDS("nvtx=5", "forkinit=6"));
	run_check_exit(&run, 0);
	run_check_complete(&run);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 600);
	ck_assert_uint_ge(run.ended_spools, 6);
	ck_assert_uint_eq(run.ended_spools, run.spools);
}

/* As many ranks as a node may have, at once, with small pools. */
TEST(ranks)
{
	struct run_options options = { .options = "slot=65536,max-memory=2097152" };

	run_app(&run, &options, WORDS("ranks=64"));
	run_check_exit(&run, 0);
	run_check_complete(&run);
	ck_assert_uint_eq(run.spools, 64);
	ck_assert_uint_eq(run.ended_spools, 64);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 64 * 1000);
}

TEST(new_image)
{
	run_app(&run, NULL, WORDS("init", "launch=500", "looked", "exec", "init", "launch=500"));
	run_check_exit(&run, 0);
	run_check_complete(&run);
	ck_assert_uint_eq(run.spools, 2);
	ck_assert_uint_eq(run.ended_spools, 1);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 1000);
}

/* More than there are rings, but not at once. */
TEST_LOOP(short_lived_threads, NVTX_EVENTS ? 1 : 0)
{
	run_app(&run, NULL, WORDS("init", "shortlived=400"));
	run_check_exit(&run, 0);
	run_check_complete(&run);
	ck_assert_uint_eq(run.truth.nvtx, 1200);
	ck_assert_uint_eq(run.stored[DP_SPOOL_KIND_NVTX], 1200);
}

TEST(signals_are_the_programs)
{
	run_app(&run, NULL, WORDS("init", "masks", "exit=3"));
	run_check_exit(&run, 3);
}

/* A program that the program starts has none of the collector's files. */
TEST_LOOP(nothing_is_inherited, 2)
{
	struct run_options options = { .no_socket = _i };

	run_app(&run, &options, WORDS("init", "launch=10", "inherited", "exit=3"));
	ck_assert_int_eq(WEXITSTATUS(run.status), 3);
	ck_assert_ptr_nonnull(strstr(run.output, "/dev/"));
	ck_assert_msg(!strstr(run.output, "deepprof-pool") && !strstr(run.output, ".pool") &&
			      !strstr(run.output, ".spool") && !strstr(run.output, "socket:"),
		      "%s", run.output);
	run_check_complete(&run);
}
