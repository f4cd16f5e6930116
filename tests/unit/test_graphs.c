/* CUDA graphs that are captured again have another number, and are the same in a sequence. */
#include "sequence/graphs.h"
#include "alloc_fail.h"
#include "device_trace.h"
#include "sequence/sequence.h"

#include <stdio.h>

static void put_graph(const char *name, int64_t length_ns)
{
	struct dp_op op = { .start_ns = now_ns, .end_ns = now_ns + length_ns, .kind = DP_OP_GRAPH };

	op.name = dp_builder__string(builder, name, strlen(name));
	op.stream = dp_builder__stream(builder, process, 0, 1, 7);
	ck_assert_int_eq(dp_builder__op(builder, &op), DP_OK);
	now_ns = op.end_ns + 100;
}

/* Launches a graph for each upper-case letter; others are kernels. The time of A is times[0]. */
static void launch(const char *letters, int repetitions, const int64_t *times)
{
	for (int i = 0; i < repetitions; i++)
		for (const char *at = letters; *at; at++) {
			char name[] = "graph x";

			if (*at >= 'a') {
				put(*at, 7, now_ns, 1000);
				now_ns += 1100;
				continue;
			}
			name[6] = *at;
			put_graph(name, times[*at - 'A'] + below(times[*at - 'A'] / 50));
		}
}

static void read_kernels(struct dp_sequence *sequence, const struct dp_trace *trace)
{
	struct dp_stream_group group;

	dp_stream_group__single(&group, trace, 0);
	ck_assert_int_eq(dp_sequence__init(sequence, trace, &group, DP_SYMBOLS_OF_KERNELS,
					   INT64_MIN, INT64_MAX),
			 DP_OK);
}

/* Ends the trace, and checks which graph each one is, in order of first launch. */
static void expect_graphs(const char *wanted)
{
	struct dp_trace *trace;
	struct dp_sequence sequence;
	char order[64] = "";

	ck_assert_int_eq(dp_builder__finish(builder, &trace, "t", "test", false), DP_OK);
	read_kernels(&sequence, trace);
	for (size_t i = 0; i < sequence.count; i++) {
		const char *name =
			dp_trace_string(trace, dp_trace_ops(trace)->name[sequence.ops[i]]);
		const char *is = dp_trace_string(trace, sequence.names[sequence.symbols[i]]);
		char letter = name[strlen(name) - 1];

		if (!strchr(order, letter))
			order[strlen(order)] = letter;
		ck_assert_int_eq(is[strlen(is) - 1], wanted[strchr(order, letter) - order]);
	}
	ck_assert_uint_eq(strlen(order), strlen(wanted));
	dp_sequence__fini(&sequence);
	dp_trace_free(trace);
}

TEST(one_graph_is_captured_again)
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

/* Graphs that alternate are captured again together, in the same order. */
TEST(several_graphs_are_captured_again)
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

	start(false);
	for (int i = 0; i < 72; i++) {
		int like = i == 70 ? 0 : i == 71 ? 60 : i;
		char name[16];

		snprintf(name, sizeof(name), "graph %d", i);
		put_graph(name, (1000 << (like / 8)) + (100 << (like / 8)) * (like % 8));
	}
	ck_assert_int_eq(dp_builder__finish(builder, &trace, "t", "test", false), DP_OK);
	read_kernels(&sequence, trace);
	ck_assert_uint_eq(sequence.alphabet, 71);
	ck_assert_uint_eq(sequence.symbols[70], 70);
	ck_assert_uint_eq(sequence.symbols[71], 60);
	dp_sequence__fini(&sequence);
	dp_trace_free(trace);
}

/* Graphs that were instantiated before are other ones, however long they take. */
TEST(graphs_that_exist_already)
{
	static const int64_t times[] = { 10000, 10100, 10000 };

	for (int between = 0; between < 2; between++) {
		struct dp_call call = { 0, 5, 0, 0, 0 };

		start(false);
		call.name = dp_builder__string(builder, "cuGraphInstantiateWithFlags", 27);
		call.thread = thread;
		ck_assert_int_eq(dp_builder__add_call(builder, &call), DP_OK);
		launch("A", 50, times);
		call.start_ns = now_ns - 60;
		call.end_ns = now_ns - 50;
		if (between)
			ck_assert_int_eq(dp_builder__add_call(builder, &call), DP_OK);
		launch("B", 50, times);
		expect_graphs(between ? "AA" : "AB");
	}
}

/* Each may differ from the one before by less, but not from the first. */
TEST(graphs_that_drift)
{
	static const int64_t times[] = { 10000, 10200, 10400, 10600 };

	start(false);
	launch("A", 50, times);
	launch("B", 50, times);
	launch("C", 50, times);
	launch("D", 50, times);
	expect_graphs("AACC");
}

/* Of two graphs that take as long, one continues the earlier one; of two earlier ones, the nearer.
 */
TEST(one_graph_continues_another)
{
	static const int64_t times[] = { 10000, 10400, 10250, 10000, 10000 };

	start(false);
	launch("A", 50, times);
	launch("DE", 50, times);
	expect_graphs("AAE");
	start(false);
	launch("A", 50, times);
	launch("B", 50, times);
	launch("C", 50, times);
	expect_graphs("ABB");
}

TEST(failed_allocations)
{
	static const int64_t times[] = { 10000, 10100 };
	struct dp_stream_group group;
	struct dp_trace *trace;
	struct dp_call call = { 0, 5, 0, 0, 0 };

	start(false);
	call.name = dp_builder__string(builder, "cuGraphInstantiateWithFlags", 27);
	call.thread = thread;
	launch("kA", 9, times);
	call.start_ns = now_ns - 60;
	ck_assert_int_eq(dp_builder__add_call(builder, &call), DP_OK);
	launch("B", 9, times);
	ck_assert_int_eq(dp_builder__finish(builder, &trace, "t", "test", false), DP_OK);
	dp_stream_group__single(&group, trace, 0);
	for (size_t k = 0, more = 1; more; k++) {
		struct dp_sequence sequence;
		int status;

		alloc_fail_after(k);
		status = dp_sequence__init(&sequence, trace, &group, DP_SYMBOLS_OF_KERNELS,
					   INT64_MIN, INT64_MAX);
		more = alloc_fail_stop();
		ck_assert_int_eq(status, more ? DP_ERR_NOMEM : DP_OK);
		ck_assert(more || sequence.alphabet == 2);
		dp_sequence__fini(&sequence);
	}
	dp_trace_free(trace);
}
