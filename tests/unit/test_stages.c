/* Networks that run once, whose blocks differ with their stage: no iterations. */
#include "loops/loops.h"
#include "test.h"

static uint32_t symbols[1024];
static size_t count;
static bool of_network;
static uint32_t moving = DP_NONE; /* the kernel that moves data */

static void kernels(uint32_t first, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++)
		symbols[count++] = first + k;
}

/* Eight blocks, each in a stage of its own: four of its 80 kernels are of that stage. */
static void blocks(void)
{
	count = 0;
	for (uint32_t stage = 0; stage < 8; stage++)
		for (uint32_t k = 0; k < 80; k++)
			kernels(k % 20 == 5 ? 100 + 8 * (k / 20) + stage : k, 1);
}

static void at_kernel(void *ctx, size_t index, struct dp_evidence_at *out)
{
	(void)ctx;
	*out = (struct dp_evidence_at){ .kernel_gap_ns = -1, .launch_gap_ns = -1 };
	out->kind = symbols[index] == moving ? DP_KERNEL_MOVES
		    : of_network	     ? DP_KERNEL_NETWORK
					     : DP_KERNEL_UNKNOWN;
}

static size_t count_loops(bool network)
{
	struct dp_loops_request r = { .symbols = symbols, .alphabet = 160, .epsilon = 1 };
	struct dp_loops *loops = NULL;
	size_t listed;

	of_network = network;
	r.count = count;
	r.evidence.at = at_kernel;
	ck_assert_int_eq(dp_loops__find(&loops, &r, NULL), DP_OK);
	listed = loops->count;
	dp_loops__free(loops);
	return listed;
}

/* Work that is not known to be a network's may differ as much. */
TEST(blocks_differ_with_their_stage)
{
	blocks();
	ck_assert_uint_eq(count_loops(false), 1);
	ck_assert_uint_eq(count_loops(true), 0);
}

/* What repeats next to blocks is no rare loop. */
TEST(what_is_next_to_blocks_may_be_one)
{
	blocks();
	kernels(132, 5);
	for (size_t i = 0; i < 6; i++)
		kernels(140, 12);
	kernels(152, 5);
	ck_assert_uint_eq(count_loops(false), 2);
	ck_assert_uint_eq(count_loops(true), 0);
}

/* A network has no layers of a single kernel: it is measured, and caches are filled in between. */
TEST(a_kernel_and_fills_are_no_layers)
{
	enum { ITERATIONS = 47 };

	count = 0;
	for (uint32_t i = 0; i < ITERATIONS + 2; i++)
		if (i == 0 || i == ITERATIONS + 1)
			kernels(10 + i, 8);
		else
			kernels(0, 2);
	moving = 1;
	ck_assert_uint_eq(count_loops(true), 1);
	moving = DP_NONE;
	ck_assert_uint_eq(count_loops(true), 0);
}
