/* CUDA graphs that are recorded again have another number, and are the same in a sequence. */
#include "sequence/graphs.h"
#include "alloc_fail.h"
#include "device_trace.h"
#include "sequence/sequence.h"

#include <stdio.h>

/* Launches a graph for each letter; others are kernels. The time of A is times[0]. */
static void launch(const char *letters, int repetitions, const int64_t *times)
{
	for (int i = 0; i < repetitions; i++)
		for (const char *at = letters; *at; at++) {
			struct dp_op op = { .start_ns = now_ns, .kind = DP_OP_GRAPH };
			char name[] = "graph x";

			if (*at >= 'a') {
				put(*at, 7, now_ns, 1000);
				now_ns += 1100;
				continue;
			}
			name[6] = *at;
			op.name = dp_builder__string(builder, name, strlen(name));
			op.stream = dp_builder__stream(builder, process, 0, 1, 7);
			op.end_ns = now_ns + times[*at - 'A'] + below(times[*at - 'A'] / 50);
			now_ns = op.end_ns + 100;
			ck_assert_int_eq(dp_builder__op(builder, &op), DP_OK);
		}
}

static void read_kernels(struct dp_sequence *sequence, const struct dp_trace *trace)
{
	struct dp_stream_group group;

	dp_stream_group__single(&group, trace, 0);
	ck_assert_int_eq(dp_sequence__init(sequence, trace, &group, DP_SYMBOLS_OF_KERNELS,
					   INT64_MIN, INT64_MAX, NULL),
			 DP_OK);
}

/* Ends the trace, and checks which graph each one is, in order of first launch. */
static void expect_graphs(const char *wanted)
{
	struct dp_trace *trace;
	struct dp_sequence sequence;
	uint32_t first[64];
	char found[64] = "";

	ck_assert_int_eq(dp_builder__finish(builder, &trace, "t", "test", false), DP_OK);
	read_kernels(&sequence, trace);
	ck_assert_uint_lt(sequence.alphabet, 64);
	ck_assert_int_eq(dp_graphs__find_again(first, &sequence), DP_OK);
	for (uint32_t s = 0; s < sequence.alphabet; s++) {
		const char *name = dp_trace_string(trace, sequence.names[first[s]]);

		found[s] = name[strlen(name) - 1];
		for (uint32_t t = 0; t < sequence.alphabet; t++)
			ck_assert_int_eq(first[s] == first[t],
					 sequence.family[s] == sequence.family[t]);
	}
	ck_assert_str_eq(found, wanted);
	dp_sequence__fini(&sequence);
	dp_trace_free(trace);
}

TEST(one_graph_is_recorded_again)
{
	static const int64_t times[] = { 10000, 10100, 11000, 10100 };

	start(false);
	launch("A", 50, times);
	launch("B", 50, times);
	launch("C", 50, times);
	launch("D", 50, times);
	expect_graphs("AACA");
	/* the first is still launched then */
	start(false);
	launch("A", 50, times);
	launch("B", 50, times);
	launch("A", 1, times);
	expect_graphs("AB");
}

/* Graphs that alternate are recorded again together, in the same order. */
TEST(several_graphs_are_recorded_again)
{
	static const int64_t times[] = { 10000, 30000, 10000, 10000, 30000, 10000 };
	static const int64_t swapped[] = { 10000, 30000, 20000, 30000, 10000, 20000 };
	static const int64_t longer[] = { 10000, 30000, 10000, 10000, 20000, 10000 };

	start(false);
	launch("ABBkC", 20, times);
	launch("k", 9, times);
	launch("DEEkF", 20, times);
	expect_graphs("ABkCABC");
	start(false);
	launch("ABBkC", 20, swapped);
	launch("DEEkF", 20, swapped);
	expect_graphs("ABkCDEF");
	start(false);
	launch("ABBkC", 20, longer);
	launch("DEEkF", 20, longer);
	expect_graphs("ABkCDEF");
	/* as a part of another set */
	start(false);
	launch("ABBkC", 20, times);
	launch("E", 20, times);
	expect_graphs("ABkCE");
}

/* Of many graphs, the last ones are compared: the cost is linear. */
TEST(few_graphs_are_compared)
{
	struct dp_trace *trace;
	struct dp_sequence sequence;
	uint32_t first[80];

	start(false);
	for (int i = 0; i < 72; i++) {
		int like = i == 70 ? 0 : i == 71 ? 60 : i;
		struct dp_op op = { .start_ns = now_ns, .kind = DP_OP_GRAPH };
		char name[16];
		int length = snprintf(name, sizeof(name), "graph %d", i);

		op.name = dp_builder__string(builder, name, (size_t)length);
		op.stream = dp_builder__stream(builder, process, 0, 1, 7);
		now_ns += 1000 << (like / 8);
		now_ns += (100 << (like / 8)) * (like % 8);
		op.end_ns = now_ns;
		ck_assert_int_eq(dp_builder__op(builder, &op), DP_OK);
	}
	ck_assert_int_eq(dp_builder__finish(builder, &trace, "t", "test", false), DP_OK);
	read_kernels(&sequence, trace);
	ck_assert_int_eq(dp_graphs__find_again(first, &sequence), DP_OK);
	for (uint32_t s = 0; s < 71; s++)
		ck_assert_uint_eq(first[s], s);
	ck_assert_uint_eq(first[71], 60);
	dp_sequence__fini(&sequence);
	dp_trace_free(trace);
}

/* A training step of graphs and kernels, recorded again twice, is one loop. */
TEST(a_loop_goes_on)
{
	static const int64_t times[] = { 10000, 30000, 20000, 10010, 30100, 20050,
					 9990,	29900, 20100 };

	start(true);
	launch("abAcBBBdC", 40, times);
	launch("xyz", 1, times);
	launch("abDcEEEdF", 30, times);
	launch("abGcHHHdI", 30, times);
	expect_headline(100, 9, 7);
}

TEST(failed_allocations)
{
	static const int64_t times[] = { 10000, 10100 };
	struct dp_trace *trace;
	struct dp_sequence sequence;
	uint32_t first[8];

	start(false);
	launch("kA", 9, times);
	launch("B", 9, times);
	ck_assert_int_eq(dp_builder__finish(builder, &trace, "t", "test", false), DP_OK);
	read_kernels(&sequence, trace);
	for (size_t k = 0, more = 1; more; k++) {
		int status;

		alloc_fail_after(k);
		status = dp_graphs__find_again(first, &sequence);
		more = alloc_fail_stop();
		ck_assert_int_eq(status, more ? DP_ERR_NOMEM : DP_OK);
	}
	ck_assert_uint_eq(first[2], 1);
	dp_sequence__fini(&sequence);
	dp_trace_free(trace);
}
