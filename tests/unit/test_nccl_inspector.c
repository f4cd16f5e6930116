/* Logs of the NCCL Inspector: the result of each line, in each form, and the effect of damage. */
#include "kineto_text.h"
#include "test.h"

#define HEADER(id, name, rank, ranks, pid)                                             \
	"\"header\":{\"id\":\"" id "\",\"comm_name\":\"" name "\",\"rank\":" rank      \
	",\"n_ranks\":" ranks ",\"nnodes\":1},"                                        \
	"\"metadata\":{\"inspector_output_format_version\":\"v4.2\",\"git_rev\":\"\"," \
	"\"rec_mechanism\":\"nccl_profiler_interface\",\"dump_timestamp_us\":5000,"    \
	"\"hostname\":\"node7\",\"pid\":" pid "},"
#define COLLECTIVE(name, number, bytes, us, times)                                        \
	"\"coll_perf\":{\"coll\":\"" name "\",\"coll_algo\":\"RING\",\"coll_sn\":" number \
	",\"coll_msg_size_bytes\":" bytes ",\"coll_exec_time_us\":" us                    \
	",\"coll_timing_source\":\"kernel_gpu\",\"coll_algobw_gbs\":\"nan\"" times "}}\n"
#define CHANNEL(start, stop)                                                       \
	"{\"channel_id\":0,\"kernel_start_ts\":" start ",\"kernel_stop_ts\":" stop \
	",\"kernel_record_ts\":9000}"
#define TIMES(channels)                                                                     \
	",\"event_trace_sn\":{\"coll_start_sn\":1,\"kernel_events\":[{\"channel_id\":0}]}," \
	"\"event_trace_ts\":{\"coll_start_ts\":900,\"coll_stop_ts\":905,"                   \
	"\"kernel_events\":[" channels "]}"
#define WORLD "{" HEADER("0x51", "default_pg", "2", "8", "42")
#define PAIR "{" HEADER("0x52", "unknown", "1", "2", "42")
#define MARKER(collectives, pairs)                                            \
	"\"dump_stats\":{\"coll_records\":2,\"coll_dropped_total\":90,"       \
	"\"coll_dropped_since_last_dump\":" collectives ",\"p2p_records\":1," \
	"\"p2p_dropped_total\":9,\"p2p_dropped_since_last_dump\":" pairs "}}\n"
#define SEND                                                                       \
	"\"p2p_perf\":{\"p2p\":\"Send\",\"p2p_sn\":4,\"p2p_peer\":0,"              \
	"\"p2p_msg_size_bytes\":8192,\"p2p_exec_time_us\":30,\"event_trace_ts\":{" \
	"\"kernel_events\":[" CHANNEL("1110", "1140") "]}}}\n"

static struct dp_trace *read_text(const char *text)
{
	struct dp_error error;
	struct dp_trace *trace = read_bytes(text, strlen(text), &error, NULL);

	ck_assert_msg(trace != NULL, "%s", error.message);
	ck_assert_str_eq(dp_trace_format(trace), "nccl_inspector");
	return trace;
}

static const char *text_of(const struct dp_trace *trace, const uint32_t *column, size_t row)
{
	return dp_trace_string(trace, column[row]);
}

TEST(lines_with_times)
{
	struct dp_trace *trace = read_text(
		WORLD COLLECTIVE("AllReduce", "7", "4096", "60",
				 TIMES(CHANNEL("1000", "1050") "," CHANNEL("1001", "1070")))
			PAIR SEND WORLD COLLECTIVE("ReduceScatter", "8", "512", "10",
						   TIMES(CHANNEL("2000", "2010"))));
	const struct dp_ops *ops = dp_trace_ops(trace);
	const struct dp_collectives *calls = dp_trace_collectives(trace);
	int64_t t0_ns;

	ck_assert_uint_eq(ops->count, 3);
	ck_assert_uint_eq(calls->count, 3);
	ck_assert_str_eq(op_name(trace, 0), "ncclAllReduce (4096 bytes)");
	ck_assert_str_eq(op_name(trace, 1), "ncclSend (8192 bytes)");
	/* It ends with its last channel, and takes the time measured on the GPU. */
	ck_assert_int_eq(ops->start_ns[0], 0);
	ck_assert_int_eq(ops->end_ns[0], 60000);
	ck_assert_int_eq(ops->end_ns[1], 130000);
	ck_assert(dp_trace_t0(trace, &t0_ns));
	ck_assert_int_eq(t0_ns, 1010000);
	ck_assert_str_eq(text_of(trace, calls->name, 0), "AllReduce");
	ck_assert_str_eq(text_of(trace, calls->group, 0), "default_pg 0x51");
	ck_assert_str_eq(text_of(trace, calls->group, 1), "0x52");
	ck_assert_uint_eq(calls->bytes[0], 4096);
	ck_assert_int_eq(calls->sequence[2], 8);
	ck_assert_uint_eq(calls->group_size[0], 8);
	ck_assert_int_eq(calls->peer[0], -1);
	ck_assert_int_eq(calls->peer[1], 0);
	ck_assert_uint_eq(calls->stream[0], ops->stream[0]);
	ck_assert_str_eq(dp_trace_format_detail(trace), "v4.2");
	ck_assert_str_eq(dp_trace_fact(trace, 0)->value, "node7");
	ck_assert_int_eq(dp_trace_resolution_ns(trace), 1000);
	dp_trace_free(trace);
}

TEST(lines_without_times)
{
	/* From 4.3 on, a marker applies to the lines after it. */
	struct dp_trace *trace = read_text(
		WORLD MARKER("0", "0") "{" COLLECTIVE("AllReduce", "7", "4096", "60", "") "{" COLLECTIVE(
			"AllReduce", "8", "4096", "70.5",
			"") "{\"proxy_trace\":{\"record_type\":\"proxy_op\",\"rank\":9}}\n");
	const struct dp_ops *ops = dp_trace_ops(trace);

	ck_assert_uint_eq(ops->count, 2);
	/* The first was written when it ended; the second cannot end before it took its time. */
	ck_assert_int_eq(ops->end_ns[0], 60000);
	ck_assert_int_eq(ops->start_ns[1], 60000);
	ck_assert_int_eq(ops->end_ns[1], 130500);
	ck_assert_str_eq(dp_trace_format_detail(trace), "v4.2, durations without times");
	ck_assert_uint_eq(dp_trace_loss_count(trace), 0);
	dp_trace_free(trace);
}

TEST(the_rank_is_that_among_all)
{
	struct dp_trace *trace =
		read_text(PAIR COLLECTIVE("AllReduce", "7", "4096", "60", "")
				  WORLD COLLECTIVE("AllReduce", "7", "4096", "60", ""));

	ck_assert_int_eq(dp_trace_process(trace, 0)->rank, 2);
	ck_assert_int_eq(dp_trace_process(trace, 0)->pid, 42);
	dp_trace_free(trace);
	trace = read_text(PAIR COLLECTIVE("AllReduce", "7", "4096", "60", ""));
	ck_assert_int_eq(dp_trace_process(trace, 0)->rank, 1);
	dp_trace_free(trace);
	/* Of two groups, neither needs to be that of all ranks. */
	trace = read_text(PAIR COLLECTIVE("AllReduce", "7", "4096", "60", "") "{" HEADER(
		"0x53", "unknown", "5", "8", "42") COLLECTIVE("AllReduce", "1", "4096", "60", ""));
	ck_assert_int_eq(dp_trace_process(trace, 0)->rank, -1);
	dp_trace_free(trace);
}

TEST(a_process_of_several_gpus)
{
	struct dp_trace *trace = read_text("{" HEADER("0x51", "unknown", "0", "2", "42") COLLECTIVE(
		"AllReduce", "1", "4096", "60", "") "{" HEADER("0x51", "unknown", "1", "2", "42")
						   COLLECTIVE("AllReduce", "1", "4096", "60", ""));

	ck_assert_uint_eq(dp_trace_process_count(trace), 1);
	ck_assert_uint_eq(dp_trace_device_count(trace), 2);
	ck_assert_uint_ne(op_stream(trace, 0)->device, op_stream(trace, 1)->device);
	dp_trace_free(trace);
}

TEST(losses_are_said)
{
	struct dp_trace *trace =
		read_text("{" COLLECTIVE("AllReduce", "1", "4096", "60", "") WORLD MARKER(
			"3", "4") "nonsense\n{\"header\":{\"id\":\n"
				  "{" COLLECTIVE("AllReduce", "7", "4096", "60", "") WORLD);

	ck_assert_uint_eq(dp_trace_ops(trace)->count, 1);
	ck_assert_uint_eq(dp_trace_loss_count(trace), 4);
	ck_assert_str_eq(dp_trace_loss(trace, 0)->reason, "broken lines");
	ck_assert_uint_eq(dp_trace_loss(trace, 0)->records, 2);
	ck_assert_str_eq(dp_trace_loss(trace, 1)->reason, "file ends inside a line");
	ck_assert_uint_eq(dp_trace_loss(trace, 2)->records, 1);
	ck_assert_uint_eq(dp_trace_loss(trace, 3)->records, 7);
	dp_trace_free(trace);
}

TEST(every_prefix_is_read_or_refused)
{
	static const char text[] = WORLD COLLECTIVE("AllReduce", "7", "4096", "60",
						    TIMES(CHANNEL("1000", "1050"))) PAIR SEND;
	struct dp_error error;
	size_t read = 0;

	for (size_t n = 0; n < sizeof(text); n++) {
		struct dp_trace *trace = read_bytes(text, n, &error, "nccl_inspector");

		ck_assert(trace || error.status == DP_ERR_DAMAGED || error.status == DP_ERR_NO_GPU);
		if (trace)
			read = dp_trace_ops(trace)->count;
		dp_trace_free(trace);
	}
	ck_assert_uint_eq(read, 2);
}

TEST(numbers_that_are_too_large)
{
	struct dp_trace *trace =
		read_text(WORLD COLLECTIVE("AllReduce", "7", "4096", "60", "") WORLD COLLECTIVE(
			"AllReduce", "8", "4096", "60", TIMES(CHANNEL("1", "9223372036854775807")))
				  WORLD COLLECTIVE("AllReduce", "9", "-5", "-60", ""));

	ck_assert_uint_eq(dp_trace_ops(trace)->count, 1);
	ck_assert_uint_eq(dp_trace_loss(trace, 0)->records, 2);
	dp_trace_free(trace);
}
