/* Where an iteration begins: evidence besides names, and its weight. */
#include "iterate/votes.h"
#include "loops/loops.h"
#include "test.h"

enum { M = 100, ROOM = 40 * M };

static uint32_t symbols[ROOM];
static size_t count, head; /* head: the first kernel of an iteration */

/* The evidence about kernels, by their offsets. */
struct host {
	size_t without;	    /* kernels at the head whose launch was not recorded */
	int64_t gap_ns[M];  /* of the host between two launches, */
	int64_t wait_ns[M]; /* and with the calls in between */
	size_t seldom; /* the kernel before which it pauses in two of three iterations; M: none */
	bool casts;	    /* kernel 0 casts data */
	size_t upload;	    /* the kernel that one comes before; M: none */
	size_t finish;	    /* the optimizer's; M: none is known */
	size_t length;	    /* kernels that repeat */
};

static void at_host(void *ctx, size_t index, struct dp_evidence_at *out)
{
	const struct host *host = ctx;
	size_t offset = (head + index) % host->length;
	bool has_launch = index >= host->without;
	bool pauses = offset != host->seldom || (head + index) / host->length % 3;

	*out = (struct dp_evidence_at){
		.kernel_gap_ns = 1000,
		.launch_gap_ns = has_launch && index > host->without
					 ? (pauses ? host->gap_ns[offset] : 5000)
					 : -1,
		.launch_interval_ns =
			has_launch && index > host->without ? host->wait_ns[offset] : -1,
		.has_launch = has_launch,
		.after_upload = offset == host->upload,
		.kind = offset == host->finish		     ? DP_KERNEL_FINISHES
			: host->casts && symbols[index] == 0 ? DP_KERNEL_MOVES
							     : DP_KERNEL_UNKNOWN,
	};
}

static struct host make_host(void)
{
	struct host host = { .upload = M, .finish = M, .seldom = M, .length = M };

	for (size_t i = 0; i < M; i++) {
		host.gap_ns[i] = 5000;
		host.wait_ns[i] = 10000;
	}
	return host;
}

/* Kernels 0 to M - 1 repeat, from one of them to another; kernels [run, end) have one name. */
static void repeat(size_t from, size_t turns, size_t to, uint32_t run, uint32_t end)
{
	count = 0;
	head = from;
	for (size_t i = from; i < turns * M + to; i++) {
		uint32_t name = i % M;

		symbols[count++] = name >= run && name < end ? run : name;
	}
}

/* The kernel that iterations are said to begin with, if there are `known` of them; 0: any number.
 */
static size_t begins_if_known(struct host *host, uint64_t known,
			      enum dp_phase_evidence *reported_by)
{
	struct dp_loops_request r = {
		.symbols = symbols,
		.count = count,
		.alphabet = 2 * M,
		.counts = &known,
		.counts_count = known > 0,
		.epsilon = 1,
		.evidence = { .at = at_host, .ctx = host, .launches_recorded = true }
	};
	struct dp_loops *loops = NULL;
	size_t first = M;

	ck_assert_int_eq(dp_loops__find(&loops, &r, NULL), DP_OK);
	for (size_t i = 0; i < loops->count; i++)
		if (loops->loops[i].chosen) {
			ck_assert_uint_eq(loops->loops[i].length, host->length);
			first = loops->loops[i].pattern[0];
			*reported_by = loops->loops[i].phase_by;
		}
	dp_loops__free(loops);
	return first;
}

static size_t begins_with(struct host *host, enum dp_phase_evidence *reported_by)
{
	return begins_if_known(host, 0, reported_by);
}

/*
 * A capture that began between two steps has a launch of a step's first kernel first; one that
 * began at some time has the launch that the host was waiting for.
 */
TEST(a_capture_by_the_clock_begins_where_the_host_waits)
{
	struct host host = make_host();
	enum dp_phase_evidence reported_by;

	host.gap_ns[0] = host.wait_ns[0] = 500000;
	host.gap_ns[60] = 100000;
	host.wait_ns[60] = 110000;
	host.without = 12;
	repeat(48, 20, 30, M, M);
	ck_assert_uint_eq(begins_with(&host, &reported_by), 60);
	ck_assert_int_eq(reported_by, DP_PHASE_FIRST_LAUNCH);
	host.wait_ns[60] = 10000000;
	ck_assert_uint_eq(begins_with(&host, &reported_by), 0);
	ck_assert_int_eq(reported_by, DP_PHASE_LAUNCH_GAP);
	/* if the host never pauses, any kernel may be the first */
	host = make_host();
	host.without = 12;
	begins_with(&host, &reported_by);
	ck_assert_int_ne(reported_by, DP_PHASE_FIRST_LAUNCH);
}

/* Kernels still running when the capture began do not show where an iteration begins. */
TEST(kernels_without_a_launch_begin_nothing)
{
	struct host host = make_host();
	enum dp_phase_evidence reported_by;

	host.gap_ns[0] = host.wait_ns[0] = 200000;
	repeat(50, 20, 50, M, M);
	ck_assert_uint_eq(begins_with(&host, &reported_by), 50);
	ck_assert_int_eq(reported_by, DP_PHASE_COMPLETE);
	host.without = 7;
	ck_assert_uint_eq(begins_with(&host, &reported_by), 0);
}

/* A step begins where the host pauses each time, not where it pauses longer, but not always. */
TEST(pauses_of_some_iterations_begin_nothing)
{
	struct host host = make_host();
	enum dp_phase_evidence reported_by;

	host.gap_ns[0] = 100000;
	host.gap_ns[60] = 2000000;
	repeat(48, 20, 30, M, M);
	ck_assert_uint_eq(begins_with(&host, &reported_by), 60);
	host.seldom = 60;
	ck_assert_uint_eq(begins_with(&host, &reported_by), 0);
	ck_assert_int_eq(reported_by, DP_PHASE_LAUNCH_GAP);
}

/* The first launch behind an optimizer is a step's, though the host pauses elsewhere only. */
TEST(a_capture_begins_behind_the_optimizer)
{
	struct host host = make_host();
	enum dp_phase_evidence reported_by;

	for (size_t i = 20; i < 25; i++)
		host.gap_ns[i] = host.wait_ns[i] = 150000;
	host.finish = 59;
	host.without = 12;
	repeat(48, 20, 30, M, M);
	ck_assert_uint_eq(begins_with(&host, &reported_by), 60);
	ck_assert_int_eq(reported_by, DP_PHASE_FIRST_LAUNCH);
}

/* A few kernels over and over are an optimizer, unless others repeat as often. */
TEST(one_loop_of_several_ends_nothing)
{
	enum { TURNS = 20, FIRST = 3, SECOND = 5, ALL = TURNS * (FIRST + SECOND) + 2 };
	struct dp_optimizer optimizer;
	uint32_t pattern[ALL];
	size_t n = 0;

	for (uint32_t i = 0; i < TURNS * FIRST; i++)
		pattern[n++] = i % FIRST;
	pattern[n++] = 10;
	for (uint32_t i = 0; i < TURNS * SECOND; i++)
		pattern[n++] = 20 + i;
	pattern[n++] = 11;
	dp_optimizer__find(&optimizer, pattern, n, NULL, NULL);
	ck_assert(optimizer.found);
	ck_assert_uint_eq(optimizer.end, TURNS * FIRST);
	for (size_t i = TURNS * FIRST + 1; i + 1 < n; i++)
		pattern[i] = 20 + i % SECOND;
	dp_optimizer__find(&optimizer, pattern, n, NULL, NULL);
	ck_assert(!optimizer.found);
}

/* Parameters are cast in front of what uses them: no optimizer, though it looks like one. */
TEST(a_run_of_casts_ends_nothing)
{
	struct host host = make_host();
	enum dp_phase_evidence reported_by;

	host.gap_ns[0] = host.wait_ns[0] = 200000;
	host.gap_ns[30] = host.wait_ns[30] = 100000;
	repeat(70, 20, 55, 0, 30);
	ck_assert_uint_eq(begins_with(&host, &reported_by), 30);
	host.casts = true;
	ck_assert_uint_eq(begins_with(&host, &reported_by), 0);
	ck_assert_int_eq(reported_by, DP_PHASE_LAUNCH_GAP);
}

/*
 * Both ends of a capture match whole iterations by chance, once in as many kernels as an iteration
 * has. The host's pause alone is worth less than that, and more with an upload at the same place.
 */
TEST(an_upload_where_the_host_pauses_is_no_chance)
{
	struct host host = make_host();
	enum dp_phase_evidence reported_by;

	host.gap_ns[0] = host.wait_ns[0] = 200000;
	repeat(50, 20, 50, M, M);
	host.upload = 0;
	ck_assert_uint_eq(begins_with(&host, &reported_by), 0);
	ck_assert_int_eq(reported_by, DP_PHASE_INPUT_COPY);
	/* anywhere else it is one of the uploads of a step */
	host.upload = 30;
	ck_assert_uint_eq(begins_with(&host, &reported_by), 50);
}

/*
 * The host pauses behind the optimizer, to log, and as long in front of the next step: the step's
 * is the one with an upload, or that the capture ends at.
 */
TEST(an_upload_or_an_end_decides_between_two_pauses)
{
	struct host host = make_host();
	enum dp_phase_evidence reported_by;

	host.gap_ns[20] = host.wait_ns[20] = host.gap_ns[60] = host.wait_ns[60] = 200000;
	host.finish = 19;
	host.without = 12;
	repeat(35, 20, 40, M, M);
	ck_assert_uint_eq(begins_with(&host, &reported_by), 20);
	host.upload = 60;
	ck_assert_uint_eq(begins_with(&host, &reported_by), 60);
	ck_assert_int_eq(reported_by, DP_PHASE_INPUT_COPY);
	host.upload = M;
	repeat(35, 20, 60, M, M);
	ck_assert_uint_eq(begins_with(&host, &reported_by), 60);
	ck_assert_int_eq(reported_by, DP_PHASE_COMPLETE);
}

/* Repeats the kernels 0 to length - 1, from one of them to another of a later iteration. */
static void repeat_few(struct host *host, size_t length, size_t from, size_t to)
{
	host->length = length;
	count = 0;
	head = from;
	for (size_t i = from; i < 170 * length + to; i++)
		symbols[count++] = i % length;
}

/* Where a capture begins and ends at different kernels, the one with an upload is the first. */
TEST(a_short_turn_begins_with_its_upload)
{
	struct host host = make_host();
	enum dp_phase_evidence reported_by;

	host.gap_ns[0] = host.wait_ns[0] = 100000;
	host.upload = 0;
	repeat_few(&host, 3, 1, 2);
	ck_assert_uint_eq(begins_with(&host, &reported_by), 0);
	ck_assert_int_eq(reported_by, DP_PHASE_INPUT_COPY);
}

/*
 * Of few kernels, one has the longest pause by chance, and one is uploaded to: programs that solve
 * something upload in the middle of a step. A capture of whole turns shows more.
 */
TEST(a_capture_holds_whole_short_turns)
{
	struct host host = make_host();
	enum dp_phase_evidence reported_by;

	host.gap_ns[3] = host.wait_ns[3] = 100000;
	repeat_few(&host, 4, 0, 0);
	ck_assert_uint_eq(begins_with(&host, &reported_by), 0);
	ck_assert_int_eq(reported_by, DP_PHASE_COMPLETE);
	host.upload = 3;
	repeat_few(&host, 5, 0, 0);
	ck_assert_uint_eq(begins_with(&host, &reported_by), 0);
}

/* A loop between other parts of a program has whole iterations, wherever uploads are. */
TEST(a_loop_comes_and_goes_with_whole_turns)
{
	enum { BEFORE = 3 * M / 2, TURNS = 16, AFTER = M / 2 };
	struct host host = make_host();
	enum dp_phase_evidence reported_by;

	host.upload = 56;
	host.gap_ns[0] = host.wait_ns[0] = 23000;
	host.gap_ns[56] = host.wait_ns[56] = 200000;
	count = 0;
	head = 2 * M - BEFORE;
	for (uint32_t i = 0; i < BEFORE; i++)
		symbols[count++] = M + i * i % 67;
	for (uint32_t i = 0; i < TURNS * M; i++)
		symbols[count++] = i % M;
	for (uint32_t i = 0; i < AFTER; i++)
		symbols[count++] = M + 67 + i * i % 31;
	ck_assert_uint_eq(begins_with(&host, &reported_by), 0);
	ck_assert_int_eq(reported_by, DP_PHASE_COMPLETE);
}

/* The first iteration has other names, but is as long as the others. */
TEST(a_first_turn_with_names_of_its_own)
{
	struct host host = make_host();
	enum dp_phase_evidence reported_by;

	repeat(0, 20, 0, M, M);
	for (uint32_t i = 0; i < 80; i++)
		symbols[i] = M + i;
	ck_assert_uint_eq(begins_with(&host, &reported_by), 0);
	ck_assert_int_eq(reported_by, DP_PHASE_COMPLETE);
}

/*
 * A solver's step uploads and pauses in its middle. Its number shows that the capture holds whole
 * steps. One step fewer shows nothing: the capture may cut off one at each end.
 */
TEST(a_known_number_tells_whole_steps)
{
	enum { STEPS = 20 };
	struct host host = make_host();
	enum dp_phase_evidence reported_by;

	host.upload = 60;
	host.gap_ns[60] = host.wait_ns[60] = 100000;
	repeat(0, STEPS, 0, M, M);
	ck_assert_uint_eq(begins_with(&host, &reported_by), 60);
	ck_assert_uint_eq(begins_if_known(&host, STEPS, &reported_by), 0);
	ck_assert_int_eq(reported_by, DP_PHASE_COMPLETE);
	ck_assert_uint_eq(begins_if_known(&host, STEPS - 1, &reported_by), 60);
}

/*
 * Kernels are lost here and there, the last one of the capture among them: of a run of equal ones,
 * any may be the lost one, so the capture still ends with an iteration.
 */
TEST(a_lost_kernel_at_the_end_moves_no_boundary)
{
	struct host host = make_host();
	enum dp_phase_evidence reported_by;
	size_t kept = 0;

	repeat(0, 40, 0, M - 10, M);
	for (size_t i = 0; i < count - 1; i++)
		if (i % M != (i / M * 37 + 5) % M)
			symbols[kept++] = symbols[i];
	count = kept;
	ck_assert_uint_eq(begins_with(&host, &reported_by), 0);
	ck_assert_int_eq(reported_by, DP_PHASE_COMPLETE);
}

/* The kernel that iterations begin with while the capture goes on, from names alone. */
static uint32_t begins_live(void)
{
	struct dp_loops_request r = {
		.symbols = symbols,
		.count = count,
		.alphabet = 3 * M,
		.epsilon = 1,
		.evidence = { .open_end = true },
	};
	struct dp_loops *loops = NULL;
	uint32_t first;

	ck_assert_int_eq(dp_loops__find(&loops, &r, NULL), DP_OK);
	ck_assert_uint_eq(loops->count, 1);
	first = loops->loops[0].pattern[0];
	dp_loops__free(loops);
	return first;
}

/*
 * While a capture goes on, the last iteration is cut off anywhere: only how it began tells where
 * one begins.
 */
TEST(of_a_capture_that_goes_on_only_the_begin_counts)
{
	for (uint32_t to = 0; to < M; to += 7) {
		repeat(0, 10, to, M, M);
		for (size_t i = 2; i < 7; i += 4)
			symbols[i] = (uint32_t)(M + i);
		ck_assert_uint_eq(begins_live(), 0);
	}
}

/* Other kernels at the begin are a set-up, however few they are. */
TEST(a_short_set_up_is_no_part_of_the_first_iteration)
{
	for (size_t setup = 1; setup < 8; setup++) {
		repeat(0, 10, 30, M, M);
		memmove(symbols + setup, symbols, count * sizeof(*symbols));
		count += setup;
		for (size_t i = 0; i < setup; i++)
			symbols[i] = (uint32_t)(2 * M + i);
		ck_assert_uint_eq(begins_live(), 0);
	}
}

/* A kernel that some iterations have in its place is no set-up. */
TEST(a_first_kernel_of_another_name_begins_an_iteration)
{
	repeat(0, 10, 30, M, M);
	for (size_t i = 0; i < 10; i += 3)
		symbols[i * M] = 2 * M;
	ck_assert_uint_eq(begins_live(), 0);
}
