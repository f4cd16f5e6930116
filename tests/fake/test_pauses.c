/* The collector under the fake libcupti: when it records, and when it does not. */
#include "cupti/cupti_abi.h"
#include "run.h"
#include "../unit/test.h"

#include <string.h>

static struct run run;

TEST(capture_range)
{
	struct run_options options = { .options = "capture=profiler" };

	run_app(&run, &options, WORDS("init", "facts", "launch=100", "range"));
	run_check_exit(&run, 0);
	run_check_complete(&run);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 100);
	ck_assert_uint_eq(run.stored[CUPTI_RUNTIME], 100);
	/* Reported once, before the range begins. */
	ck_assert_uint_eq(run.stored[CUPTI_DEVICE], 1);
	ck_assert_uint_eq(run.stored[CUPTI_CONTEXT], 1);
	ck_assert_uint_eq(run.stored[CUPTI_STREAM], 1);
}

TEST(pause_and_stop)
{
	struct run_options options = { .at_go = RUN_PAUSES };

	run_app(&run, &options, WORDS("init", "launch=100", "go", "launch=100"));
	run_check_exit(&run, 0);
	run_check_complete(&run);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 100);
}

/* It waits for the launcher, however long its answer takes. */
TEST(begins_paused)
{
	struct run_options options = { .options = "start=pause", .at_go = RUN_RUNS };

	run_app(&run, &options,
		WORDS("nvtx=10", "init", "launch=100", "go", "launch=100", "nvtx=10"));
	run_check_exit(&run, 0);
	run_check_complete(&run);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 100);
	ck_assert_uint_eq(run.seen[DP_SPOOL_KIND_NVTX], NVTX_EVENTS);
}

/* A launcher that never hears of the process cannot end the wait. */
TEST(begins_paused_alone)
{
	struct run_options options = { .options = "start=pause", .no_socket = true };

	run_app(&run, &options, WORDS("init", "looked", "launch=100"));
	run_check_exit(&run, 0);
	run_check_complete(&run);
	ck_assert_uint_eq(run.stored[CUPTI_KERNEL], 100);
}
