/* How many kernels and copies the iterations of a loop have. */
#include "metric/loop_contents.h"
#include "test.h"

#include <math.h>

enum { MOST = 16, PERIOD = 100 };

/*
 * A loop of kernels of its own, and its operations: copies[k] copies in the period of iteration k,
 * and one before the first.
 */
struct fixture {
	struct dp_loop loop;
	struct dp_iteration iterations[MOST];
	int64_t start_ns[MOST * MOST];
	uint8_t kind[MOST * MOST], copy_kind[MOST * MOST];
	uint32_t rows[MOST * MOST];
	size_t count;
};

static void add(struct fixture *at, enum dp_op_kind kind, enum dp_copy_kind copy_kind, int64_t ns)
{
	at->start_ns[at->count] = ns;
	at->kind[at->count] = (uint8_t)kind;
	at->copy_kind[at->count] = (uint8_t)copy_kind;
	at->rows[at->count] = (uint32_t)at->count;
	at->count++;
}

static void make(struct fixture *at, const size_t *copies, size_t count)
{
	*at = (struct fixture){ .loop = { .iterations = count, .complete = count } };
	add(at, DP_OP_COPY, DP_COPY_HTOD, -1);
	for (size_t k = 0; k < count; k++) {
		int64_t now_ns = (int64_t)k * PERIOD;

		at->iterations[k] =
			(struct dp_iteration){ .index = k, .start_ns = now_ns, .kernels = 1 };
		add(at, DP_OP_KERNEL, DP_COPY_UNKNOWN, now_ns);
		for (size_t i = 0; i < copies[k]; i++)
			add(at, DP_OP_COPY, i ? DP_COPY_DTOH : DP_COPY_HTOD, now_ns + (int64_t)i);
		add(at, DP_OP_COPY, DP_COPY_UM_HTOD, now_ns + PERIOD - 1);
		add(at, DP_OP_MEMSET, DP_COPY_UNKNOWN, now_ns + PERIOD - 1);
	}
}

static double copies_each(struct fixture *at)
{
	struct dp_ops ops = { .count = at->count,
			      .start_ns = at->start_ns,
			      .kind = at->kind,
			      .copy_kind = at->copy_kind };

	dp_loop_contents__copies(&at->loop, at->iterations, &ops, at->rows, at->count);
	return at->loop.copies_each;
}

TEST(kernels_of_whole_iterations)
{
	static const size_t kernels[] = { 3, 20, 22, 19, 40 };
	struct dp_iteration iterations[DP_COUNT(kernels)] = {
		{ .partial = true }, [4] = { .partial = true }
	};
	struct dp_loop loop = { .iterations = DP_COUNT(kernels), .complete = 3 };

	for (size_t k = 0; k < DP_COUNT(kernels); k++)
		iterations[k].kernels = kernels[k];
	dp_loop_contents__kernels(&loop, iterations);
	ck_assert_uint_eq(loop.min_kernels, 19);
	ck_assert_uint_eq(loop.max_kernels, 22);
	loop.iterations = 1;
	dp_loop_contents__kernels(&loop, iterations);
	ck_assert_uint_eq(loop.min_kernels, 0);
	ck_assert_uint_eq(loop.max_kernels, 0);
}

TEST(copies_of_nearly_all)
{
	static const size_t copies[] = { 3, 3, 3, 3, 3, 3, 3, 2, 3, 3, 3, 0 };
	struct fixture at;

	make(&at, copies, 12);
	ck_assert_double_eq(copies_each(&at), 3);
	at.iterations[2].start_ns--; /* behind the copies before it */
	ck_assert_double_eq(copies_each(&at), 3);
	at.iterations[2].start_ns += 2; /* now some belong to the one before */
	ck_assert(isnan(copies_each(&at)));
}

/* One iteration that differs does not matter, wherever it is, but more do. */
TEST(an_exception_anywhere)
{
	struct fixture at;

	for (size_t outlier = 0; outlier < 12; outlier++) {
		size_t copies[12];

		for (size_t k = 0; k < 12; k++)
			copies[k] = k == outlier ? 5 : 3;
		make(&at, copies, 12);
		ck_assert_double_eq(copies_each(&at), 3);
		copies[(outlier + 1) % 12] = copies[(outlier + 2) % 12] = 5; /* of 11 periods */
		make(&at, copies, 12);
		ck_assert(isnan(copies_each(&at)));
	}
}

TEST(copies_that_differ)
{
	static const size_t copies[] = { 3, 3, 2, 3, 3, 3 };
	struct fixture at;

	make(&at, copies, 6);
	ck_assert(isnan(copies_each(&at)));
	at.iterations[2].partial = true;
	ck_assert_double_eq(copies_each(&at), 3);
	at.iterations[2].partial = false;
	at.iterations[3].foreign_kernels = 1;
	ck_assert_double_eq(copies_each(&at), 3);
	at.iterations[3].foreign_kernels = 0;
	at.iterations[3].resumed = true;
	ck_assert_double_eq(copies_each(&at), 3);
}

/* Whose copies they are is unknown if other kernels follow each iteration. */
TEST(always_interrupted)
{
	static const size_t copies[] = { 3, 3, 3, 3, 3 };
	struct fixture at;

	make(&at, copies, 5);
	for (size_t k = 1; k < 5; k++)
		at.iterations[k].foreign_kernels = 1;
	ck_assert(isnan(copies_each(&at)));
}

TEST(few_iterations)
{
	static const size_t copies[] = { 3, 3, 3, 3 };
	struct fixture at;

	make(&at, copies, 4);
	ck_assert_double_eq(copies_each(&at), 3);
	at.loop.complete = 3;
	ck_assert(isnan(copies_each(&at)));
}

/* The pattern of a loop of all operations has them. */
TEST(copies_of_the_pattern)
{
	static const size_t copies[] = { 0, 1 };
	struct fixture at;

	make(&at, copies, 2);
	at.loop.copies = 2;
	ck_assert_double_eq(copies_each(&at), 2);
	at.loop.copies = 0;
	at.loop.memsets = 1;
	ck_assert_double_eq(copies_each(&at), 0);
}

TEST(no_copies)
{
	static const size_t copies[] = { 0, 0, 0, 0, 0 };
	struct fixture at;

	make(&at, copies, 5);
	ck_assert_double_eq(copies_each(&at), 0);
}
