/* The collector under the fake libcupti: when it records, and when it does not. */
#include "cupti/cupti_abi.h"
#include "run.h"

#include <check.h>
#include <string.h>

START_TEST(capture_range)
{
	struct run_options options = { .options = "capture=profiler" };
	static struct run run;

	memset(&run, 0, sizeof(run));
	run_app(&run, &options, WORDS("init", "facts", "launch=100", "range"));
	run_check_exit(&run, 0);
	run_check_complete(&run);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 100);
	/* They are reported once, before the range begins. */
	ck_assert_uint_eq(run.stored[CUPTI_DEVICE], 1);
	ck_assert_uint_eq(run.stored[CUPTI_CONTEXT], 1);
	ck_assert_uint_eq(run.stored[CUPTI_STREAM], 1);
}
END_TEST

START_TEST(pause_and_stop)
{
	struct run_options options = { .at_go = RUN_PAUSES };
	static struct run run;

	memset(&run, 0, sizeof(run));
	run_app(&run, &options, WORDS("init", "launch=100", "go", "launch=100"));
	run_check_exit(&run, 0);
	run_check_complete(&run);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 100);
}
END_TEST

/* It waits for the launcher, however long that takes to say so. */
START_TEST(begins_paused)
{
	struct run_options options = { .options = "start=pause", .at_go = RUN_RUNS };
	static struct run run;

	memset(&run, 0, sizeof(run));
	run_app(&run, &options,
		WORDS("nvtx=10", "init", "launch=100", "go", "launch=100", "nvtx=10"));
	run_check_exit(&run, 0);
	run_check_complete(&run);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 100);
	ck_assert_uint_eq(run.seen[DP_SPOOL_KIND_NVTX], NVTX_EVENTS);
}
END_TEST

/* What never hears of the process can't end the wait. */
START_TEST(begins_paused_alone)
{
	struct run_options options = { .options = "start=pause", .no_socket = true };
	static struct run run;

	memset(&run, 0, sizeof(run));
	run_app(&run, &options, WORDS("init", "looked", "launch=100"));
	run_check_exit(&run, 0);
	run_check_complete(&run);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 100);
}
END_TEST

static void fill(TCase *tests)
{
	tcase_add_test(tests, capture_range);
	tcase_add_test(tests, pause_and_stop);
	tcase_add_test(tests, begins_paused);
	tcase_add_test(tests, begins_paused_alone);
}

#include "../unit/test_main.h"
