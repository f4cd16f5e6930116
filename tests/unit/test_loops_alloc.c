/* Detection and segmentation survive the failure of every one of their allocations. */
#include "../sanitized.h"
#include "alloc_fail.h"
#include "known_loop.h"
#include "loops/loops.h"
#include "trace/builder.h"
#include "test.h"

#include <deepprof/analysis.h>
#include <stdio.h>
#include <string.h>

/* A loop with structure, noise, and a second loop: enough to pass through all stages. */
static size_t make(uint32_t *s)
{
	size_t n = 0;

	for (uint32_t t = 0; t < 9; t++) {
		for (uint32_t i = 0; i < 5; i++)
			s[n++] = i;
		for (uint32_t i = 0; i < 4 * (4 + t % 3); i++) /* as often as it likes */
			s[n++] = 10 + i % 4;
		for (uint32_t i = 0; i < 6; i++)
			s[n++] = t == 4 && i == 3 ? 30 : 20 + i;
	}
	for (uint32_t t = 0; t < 40; t++)
		s[n++] = 40 + t % 5;
	return n;
}

/* A loop whose iterations contain another one a varying number of times, and something similar. */
static size_t make_requests(uint32_t *s)
{
	size_t n = 0;

	for (uint32_t t = 0; t < 6; t++)
		for (uint32_t k = 0; k < 7 + t % 3; k++)
			for (uint32_t i = 0; i < 16; i++)
				s[n++] = k == 0 && i % 4 == 1 ? 32 + i : i;
	return n;
}

/* Five iterations of a loop, after one with the same kernels in another order. */
static size_t make_deviant(uint32_t *s)
{
	size_t n = 0;

	for (uint32_t t = 0; t < 6; t++)
		for (uint32_t i = 0; i < 40; i++)
			s[n++] = t == 0 && i > 4 ? 5 + (i * 16) % 35 : i;
	return n;
}

/* A loop that is compiled again midway. */
static size_t make_phases(uint32_t *s)
{
	size_t n = 0;

	for (uint32_t t = 0; t < 20; t++)
		for (uint32_t i = 0; i < 20; i++)
			if (t < 9 || i % 4)
				s[n++] = i + (t < 9 ? 0 : 32);
	return n;
}

/* Kernel 23 is an optimizer's. */
static void at_finish(void *ctx, size_t index, struct dp_evidence_at *out)
{
	const uint32_t *s = ctx;

	*out = (struct dp_evidence_at){ .has_launch = true,
					.launch_gap_ns = s[index] == 0 ? 9000 : 1000,
					.kind = s[index] == 23 ? DP_KERNEL_FINISHES : 0 };
}

static bool explained; /* by a recorder, whose allocations fail as well */

static void sweep(struct dp_loops_request *r)
{
	/* with sanitizers every third allocation; each request starts at another one */
	enum { STEP = DP_SANITIZED ? 3 : 1 };
	static size_t turn;
	size_t more = 1, failed = 0;

	for (size_t k = turn++ % STEP; more; k += STEP) {
		struct dp_error error = DP_ERROR_INIT;
		struct dp_explain explain = { 0 };
		struct dp_loops *loops = NULL;
		int status;

		r->explain = explained ? &explain : NULL;
		alloc_fail_after(k);
		status = dp_loops__find(&loops, r, &error);
		more = alloc_fail_stop();
		ck_assert(status == DP_ERR_NOMEM || status == DP_OK);
		ck_assert(more || status == DP_OK);
		ck_assert_int_eq(error.status, status);
		ck_assert_int_eq(loops == NULL, status != DP_OK);
		failed += status != DP_OK;
		dp_loops__free(loops);
		dp_explain__fini(&explain);
	}
	r->explain = NULL;
	ck_assert_uint_gt(failed, 2);
}

/* A loop of known iterations is as always, or there is none if memory ran out. */
static void sweep_marks(const struct dp_loops_request *r)
{
	size_t starts[] = { 0, 30, 60 }, ends[] = { 27, 60, 85 };
	size_t more = 1, failed = 0;

	for (size_t k = 0; more; k++) {
		struct dp_loops *loops;

		alloc_fail_after(k);
		loops = mark(r->symbols, starts, ends, 3, 0);
		more = alloc_fail_stop();
		ck_assert(loops || more);
		failed += !loops;
		if (loops) {
			ck_assert_uint_eq(loops->count, 1);
			ck_assert_uint_eq(loops->loops[0].count, 3);
			ck_assert_uint_eq(dp_loops__whole(&loops->loops[0]), 2);
		}
		dp_loops__free(loops);
	}
	ck_assert_uint_gt(failed, 2);
}

/* A tree next to marks; after a failure both still have their loops. */
static void sweep_adjacent(struct dp_loops_request *r)
{
	size_t starts[] = { 0, 27, 58 }, ends[] = { 27, 58, 93 }, more = 1, failed = 0;

	for (size_t k = 0; more; k++) {
		struct dp_loops *marked = mark(r->symbols, starts, ends, 3, SIZE_MAX);
		struct dp_loops *tree = NULL;
		size_t count;
		int status;

		ck_assert_int_eq(dp_loops__find(&tree, r, NULL), DP_OK);
		count = tree->count;
		ck_assert_uint_gt(count, 0);
		alloc_fail_after(k);
		status = dp_loops__add_adjacent(marked, tree);
		more = alloc_fail_stop();
		ck_assert(status == DP_OK || (status == DP_ERR_NOMEM && more));
		failed += status != DP_OK;
		if (status)
			ck_assert(marked->count == 1 && tree->count == count);
		dp_loops__free(marked);
		dp_loops__free(tree);
	}
	ck_assert_uint_eq(failed, 4);
}

TEST(every_failure_is_survived)
{
	static uint32_t s[1000], family[64];
	uint64_t counts[] = { 9, 8 };
	struct dp_loops_request r = { .symbols = s, .alphabet = 64, .epsilon = 1 };
	struct dp_loops *loops;

	r.count = make(s);
	for (uint32_t i = 0; i < 64; i++)
		family[i] = i == 30 ? 23 : i;
	sweep(&r);
	sweep_marks(&r);
	sweep_adjacent(&r);
	r.evidence = (struct dp_evidence){ .at = at_finish, .ctx = s, .launches_recorded = true };
	sweep(&r);
	r.evidence = (struct dp_evidence){ .at = NULL };
	r.count = make_requests(s);
	sweep(&r);
	explained = true;
	sweep(&r);
	explained = false;
	r.count = make(s);
	r.family = family;
	sweep(&r);
	r.counts = counts;
	r.counts_count = 2;
	sweep(&r);
	r.paper = true;
	sweep(&r);
	r.paper = false;
	r.family = NULL;
	r.count = make_deviant(s);
	counts[0] = 6;
	r.counts_count = 1;
	sweep(&r);
	r.count = make_phases(s);
	counts[0] = 20;
	sweep(&r);
	ck_assert_int_eq(dp_loops__find(&loops, &r, NULL), DP_OK);
	ck_assert(loops->loops[0].matches_in_sequence);
	dp_loops__free(loops);
}

/* Kernels that are loaded before they run, and then a loop of others. */
static struct dp_trace *make_startup(void)
{
	struct dp_builder *builder;
	struct dp_trace *trace;
	uint32_t process, stream;

	ck_assert_int_eq(dp_builder__new(&builder, NULL), DP_OK);
	process = dp_builder__process(builder, 1);
	stream = dp_builder__stream(builder, process, 0, 1, 7);
	for (int64_t i = 0; i < 160; i++) {
		struct dp_op op = { .start_ns = i * 1000, .end_ns = i * 1000 + 900 };
		struct dp_call call = { .start_ns = i * 1000 - 50, .end_ns = i * 1000 - 10 };
		char name[16];
		int length =
			snprintf(name, sizeof(name), "%c_step", (int)(i < 100 ? 'a' + i % 4 : 'k'));

		op.stream = stream;
		op.name = dp_builder__kernel_name(builder, name, (size_t)length);
		ck_assert_int_eq(dp_builder__op(builder, &op), DP_OK);
		call.name = dp_builder__string(builder, "cuModuleLoadData", 16);
		call.thread = dp_builder__thread(builder, process, 1);
		if (i <= 100 && i % 4 == 0)
			ck_assert_int_eq(dp_builder__add_call(builder, &call), DP_OK);
	}
	ck_assert_int_eq(dp_builder__finish(builder, &trace, "t", "test", false), DP_OK);
	return trace;
}

TEST(the_search_after_a_startup)
{
	struct dp_trace *trace = make_startup();
	bool more = true;

	for (size_t k = 0; more; k++) {
		struct dp_analysis *analysis = NULL;
		int status;

		alloc_fail_after(k);
		status = dp_analysis_run(&analysis, trace, NULL, NULL);
		more = alloc_fail_stop();
		/* memory that is given back at the end may stay: that is no failure */
		ck_assert(!status || (status == DP_ERR_NOMEM && more));
		if (!status) {
			ck_assert_uint_eq(dp_analysis_loop(analysis, 0)->length, 1);
			ck_assert_uint_eq(dp_analysis_loop_iteration(analysis, 0, 0)->first_kernel,
					  100);
		}
		dp_analysis_free(analysis);
		ck_assert_uint_lt(k, 100000);
	}
	dp_trace_free(trace);
}
