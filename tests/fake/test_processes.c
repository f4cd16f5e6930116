/* The collector in programs of several processes and threads: what is whose. */
#include "run.h"
#include "cupti/cupti_abi.h"

#include <string.h>
#include <sys/wait.h>

#include <check.h>

/* In the second of them children come to the end of a buffer, and ask for another. */
START_TEST(forks)
{
	struct run_options options = { .options = _i ? "slot=16384" : NULL };
	static struct run run;

	memset(&run, 0, sizeof(run));
	run_app(&run, &options, WORDS("init", "launch=1000", "fork=20", "launch=1000"));
	run_check_exit(&run, 0);
	run_check_complete(&run);
	ck_assert_uint_eq(run.spools, 1);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 2000);
}
END_TEST

/* What a child writes where its parent's CUPTI had a buffer is not the parent's. */
START_TEST(forks_and_death)
{
	static struct run run;

	memset(&run, 0, sizeof(run));
	run_app(&run, NULL, WORDS("init", "launch=1000", "looked", "fork=2", "launch=10", "kill"));
	ck_assert(WIFSIGNALED(run.status));
	run_check_complete(&run);
	ck_assert_uint_eq(run.spools, 1);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 1010);
}
END_TEST

/*
 * Children of which no handler of fork() hears: of the bare system call, and of vfork(), which have
 * their parent's memory when they leave by _exit().
 */
START_TEST(clones)
{
	static struct run run;

	memset(&run, 0, sizeof(run));
	run_app(&run, NULL,
		WORDS("init", "launch=10", "nvtx=10", _i ? "vfork=4" : "clone=4", "launch=10",
		      "nvtx=10"));
	run_check_exit(&run, 0);
	run_check_complete(&run);
	ck_assert_uint_eq(run.spools, 1);
	ck_assert_uint_eq(run.ended_spools, 1);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 20);
	ck_assert_uint_eq(run.seen[DP_SPOOL_KIND_NVTX], run.truth.nvtx);
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
	run_app(&run, NULL, WORDS("init", "launch=500", "looked", "exec", "init", "launch=500"));
	run_check_exit(&run, 0);
	run_check_complete(&run);
	ck_assert_uint_eq(run.spools, 2);
	ck_assert_uint_eq(run.ended_spools, 1);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 1000);
}
END_TEST

/* More than there are rings, but not at once. */
START_TEST(short_lived_threads)
{
	static struct run run;

	memset(&run, 0, sizeof(run));
	run_app(&run, NULL, WORDS("init", "shortlived=400"));
	run_check_exit(&run, 0);
	run_check_complete(&run);
	ck_assert_uint_eq(run.truth.nvtx, 1200);
	ck_assert_uint_eq(run.stored[DP_SPOOL_KIND_NVTX], 1200);
}
END_TEST

START_TEST(signals_are_the_programs)
{
	static struct run run;

	memset(&run, 0, sizeof(run));
	run_app(&run, NULL, WORDS("init", "masks", "exit=3"));
	run_check_exit(&run, 3);
}
END_TEST

/* A program that the program starts has none of the collector's files. */
START_TEST(nothing_is_inherited)
{
	struct run_options options = { .no_socket = _i };
	static struct run run;

	memset(&run, 0, sizeof(run));
	run_app(&run, &options, WORDS("init", "launch=10", "inherited", "exit=3"));
	ck_assert_int_eq(WEXITSTATUS(run.status), 3);
	ck_assert_ptr_nonnull(strstr(run.output, "/dev/"));
	ck_assert_msg(!strstr(run.output, "deepprof-pool") && !strstr(run.output, ".pool") &&
			      !strstr(run.output, ".spool") && !strstr(run.output, "socket:"),
		      "%s", run.output);
	run_check_complete(&run);
}
END_TEST

static void fill(TCase *tests)
{
	tcase_add_loop_test(tests, forks, 0, 2);
	tcase_add_test(tests, forks_and_death);
	tcase_add_loop_test(tests, clones, 0, 2);
	tcase_add_test(tests, children_with_cuda);
	tcase_add_test(tests, ranks);
	tcase_add_test(tests, new_image);
	if (NVTX_EVENTS)
		tcase_add_test(tests, short_lived_threads);
	tcase_add_test(tests, signals_are_the_programs);
	tcase_add_loop_test(tests, nothing_is_inherited, 0, 2);
}

#include "../unit/test_main.h"
