/* Perfetto's traces: what rocprofv3 and rocprof-sys write, expiring names, clocks, and damage. */
#include "report/proto.h"
#include "test.h"

#include <deepprof/deepprof.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CLEARED = 1, NEEDED = 2, CATEGORY = 1, EVENT = 2, NOTE = 3, TEXT = 29 };
enum { BEGIN = 1, END = 2, INSTANT = 3, BOOTTIME = 6, INCREMENTAL = 64 };

static struct dp_proto proto;
static struct dp_error error;
static size_t packet_at, event_at;

static void begin(void)
{
	memset(&proto, 0, sizeof(proto));
	error = (struct dp_error)DP_ERROR_INIT;
}

static void packet(uint64_t sequence, uint64_t flags)
{
	packet_at = dp_proto__open(&proto, 1);
	dp_proto__uint(&proto, 10, sequence);
	if (flags)
		dp_proto__uint(&proto, 13, flags);
}

static void end_packet(void)
{
	dp_proto__close(&proto, packet_at);
}

/* A name of InternedData in the packet that is open. */
static void name(uint32_t kind, uint64_t id, const char *text)
{
	size_t data = dp_proto__open(&proto, 12), entry = dp_proto__open(&proto, kind);

	dp_proto__uint(&proto, 1, id);
	dp_proto__string(&proto, 2, text);
	dp_proto__close(&proto, entry);
	dp_proto__close(&proto, data);
}

/* Names of one packet lie in one message: the last one would count. */
static void names(uint64_t sequence, uint64_t flags, uint32_t kind, const char *const *texts)
{
	size_t data, entry;

	packet(sequence, flags);
	data = dp_proto__open(&proto, 12);
	for (uint64_t i = 0; texts[i]; i++) {
		entry = dp_proto__open(&proto, kind);
		dp_proto__uint(&proto, 1, 1 + i);
		dp_proto__string(&proto, 2, texts[i]);
		dp_proto__close(&proto, entry);
	}
	dp_proto__close(&proto, data);
	end_packet();
}

static void track(uint64_t id, uint64_t parent, const char *text, uint32_t owner, uint64_t pid,
		  uint64_t tid)
{
	size_t at, inner;

	packet(1, 0);
	at = dp_proto__open(&proto, 60);
	dp_proto__uint(&proto, 1, id);
	dp_proto__string(&proto, 2, text);
	if (parent)
		dp_proto__uint(&proto, 5, parent);
	if (owner) {
		inner = dp_proto__open(&proto, owner);
		dp_proto__uint(&proto, 1, pid);
		if (tid)
			dp_proto__uint(&proto, 2, tid);
		dp_proto__close(&proto, inner);
	}
	dp_proto__close(&proto, at);
	end_packet();
}

static void event(uint64_t sequence, uint64_t type, uint64_t time, uint64_t on)
{
	packet(sequence, type == BEGIN ? NEEDED : 0);
	dp_proto__uint(&proto, 8, time);
	dp_proto__uint(&proto, 58, BOOTTIME);
	event_at = dp_proto__open(&proto, 11);
	dp_proto__uint(&proto, 9, type);
	dp_proto__uint(&proto, 11, on);
}

static void end_event(void)
{
	dp_proto__close(&proto, event_at);
	end_packet();
}

static void note(uint64_t id, uint64_t value)
{
	size_t at = dp_proto__open(&proto, 4);

	dp_proto__uint(&proto, 1, id);
	dp_proto__uint(&proto, 3, value);
	dp_proto__close(&proto, at);
}

static void text_note(const char *key, const char *text)
{
	size_t at = dp_proto__open(&proto, 4);

	dp_proto__string(&proto, 10, key);
	dp_proto__string(&proto, 6, text);
	dp_proto__close(&proto, at);
}

static void end(uint64_t sequence, uint64_t time, uint64_t on)
{
	event(sequence, END, time, on);
	end_event();
}

/* A slice of a category and a name of those numbers. */
static void slice(uint64_t sequence, uint64_t start, uint64_t stop, uint64_t on, uint64_t category,
		  uint64_t named, uint64_t correlation)
{
	event(sequence, BEGIN, start, on);
	dp_proto__uint(&proto, 3, category);
	dp_proto__uint(&proto, 10, named);
	if (correlation)
		note(1, correlation);
	end_event();
	end(sequence, stop, on);
}

static const char *const categories[] = { "kernel_dispatch", "memory_copy", "hip_api", "marker_api",
					  "rocm_hip_stream", "other",	    NULL };
static const char *const events[] = { "_Z3addPfi", "hipLaunchKernel", "step",
				      "MEMORY_COPY_HOST_TO_DEVICE", NULL };
static const char *const notes[] = { "corr_id", "copy_bytes", "stream_id", "queue", NULL };

enum { KERNEL = 1, COPY, HIP, MARKER, STREAM, OTHER };

static void all_names(void)
{
	begin();
	names(1, CLEARED, CATEGORY, categories);
	names(1, 0, EVENT, events);
	names(1, 0, NOTE, notes);
}

static struct dp_trace *read_part(size_t length)
{
	struct dp_open_options options = DP_OPEN_OPTIONS_INIT;
	char path[] = "/tmp/deepprof-perfetto-XXXXXX";
	struct dp_trace *trace = NULL;
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	ck_assert(write(fd, proto.bytes, length) == (ssize_t)length);
	close(fd);
	options.input_format = "perfetto";
	error = (struct dp_error)DP_ERROR_INIT;
	dp_trace_open(&trace, path, &options, &error);
	unlink(path);
	return trace;
}

static struct dp_trace *read_all(void)
{
	struct dp_trace *trace = read_part(proto.used);

	ck_assert_msg(trace != NULL, "%s", error.message);
	return trace;
}

static void done(struct dp_trace *trace)
{
	dp_trace_free(trace);
	free(proto.bytes);
}

static const char *op_name(const struct dp_trace *trace, size_t op)
{
	return dp_trace_string(trace, dp_trace_ops(trace)->name[op]);
}

static void refused(int status, const char *words)
{
	ck_assert_ptr_null(read_part(proto.used));
	ck_assert_int_eq(error.status, status);
	ck_assert_msg(strstr(error.message, words) != NULL, "%s", error.message);
	free(proto.bytes);
}

static void write_rocprofv3(void)
{
	all_names();
	track(10, 0, "python", 3, 42, 0);
	track(11, 10, "THREAD", 4, 42, 43);
	track(12, 10, "COMPUTE AGENT [1] STREAM [7] (GPU)", 0, 0, 0);
	track(13, 10, "COPY to AGENT [1] STREAM [8] (GPU)", 0, 0, 0);
	slice(1, 500, 600, 11, HIP, 2, 5);
	slice(1, 400, 4000, 11, MARKER, 3, 0);
	/* A mark is a moment, and other categories are nothing that is read. */
	slice(1, 450, 450, 11, MARKER, 3, 0);
	slice(1, 450, 460, 11, OTHER, 3, 0);
	slice(1, 1000, 2000, 12, KERNEL, 1, 5);
	event(1, BEGIN, 3000, 13);
	dp_proto__uint(&proto, 3, COPY);
	dp_proto__uint(&proto, 10, 4);
	note(2, 64);
	text_note("src_agent", "CPU-0");
	text_note("dst_agent", "Agent-2");
	end_event();
	end(1, 3500, 13);
}

TEST(rocprofv3_slices)
{
	struct dp_trace *trace;
	const struct dp_ops *ops;
	const struct dp_stream *stream;

	write_rocprofv3();
	trace = read_all();
	ops = dp_trace_ops(trace);
	ck_assert_uint_eq(ops->count, 2);
	ck_assert_str_eq(op_name(trace, 0), "add(float*, int)");
	ck_assert_int_eq(ops->end_ns[0] - ops->start_ns[0], 1000);
	ck_assert_uint_eq(ops->call[0], 0);
	ck_assert_int_eq(ops->kind[1], DP_OP_COPY);
	ck_assert_int_eq(ops->copy_kind[1], DP_COPY_HTOD);
	ck_assert_uint_eq(ops->bytes[1], 64);
	stream = dp_trace_stream(trace, 0);
	ck_assert_int_eq(stream->stream, 7);
	ck_assert_int_eq(dp_trace_device(trace, stream->device)->id, 1);
	stream = dp_trace_stream(trace, 1);
	ck_assert_int_eq(stream->stream, 8);
	ck_assert_int_eq(dp_trace_device(trace, stream->device)->id, 2);
	ck_assert_int_eq(dp_trace_process(trace, 0)->pid, 42);
	ck_assert_int_eq(dp_trace_thread(trace, 0)->tid, 43);
	ck_assert_uint_eq(dp_trace_calls(trace)->count, 1);
	ck_assert_uint_eq(dp_trace_ranges(trace)->count, 1);
	ck_assert_int_eq(dp_trace_ranges(trace)->kind[0], DP_RANGE_NVTX);
	ck_assert_uint_eq(dp_trace_loss_count(trace), 0);
	done(trace);
}

TEST(rocprof_sys_slices)
{
	struct dp_trace *trace;

	all_names();
	track(12, 0, "GPU Kernel Dispatch [0] Queue 3", 0, 0, 0);
	track(13, 0, "HIP Activity Stream 9", 0, 0, 0);
	track(14, 0, "GPU Kernel Dispatch [0] Queue 4", 0, 0, 0);
	slice(1, 1000, 1100, 12, KERNEL, 1, 0);
	slice(1, 2000, 2100, 13, STREAM, 1, 0);
	slice(1, 3000, 3100, 13, STREAM, 4, 0);
	event(1, BEGIN, 4000, 14);
	dp_proto__string(&proto, 22, "rocm_kernel_dispatch");
	dp_proto__string(&proto, 23, "mul");
	note(4, 77);
	note(3, 0);
	end_event();
	end(1, 4100, 14);
	trace = read_all();
	ck_assert_uint_eq(dp_trace_ops(trace)->count, 4);
	ck_assert_int_eq(dp_trace_stream(trace, dp_trace_ops(trace)->stream[0])->stream, 3);
	ck_assert_int_eq(dp_trace_stream(trace, dp_trace_ops(trace)->stream[1])->stream, 9);
	ck_assert_int_eq(dp_trace_ops(trace)->kind[1], DP_OP_KERNEL);
	ck_assert_int_eq(dp_trace_ops(trace)->kind[2], DP_OP_COPY);
	ck_assert_str_eq(op_name(trace, 3), "mul");
	ck_assert_int_eq(dp_trace_stream(trace, dp_trace_ops(trace)->stream[3])->stream, 0);
	done(trace);
}

static void check_loss(const struct dp_trace *trace, const char *words, uint64_t records)
{
	ck_assert_uint_eq(dp_trace_loss_count(trace), 1);
	ck_assert_msg(strstr(dp_trace_loss(trace, 0)->reason, words) != NULL, "%s",
		      dp_trace_loss(trace, 0)->reason);
	ck_assert_uint_eq(dp_trace_loss(trace, 0)->records, records);
}

/* Ids of names belong to a sequence, until it clears them. */
TEST(names_of_sequences)
{
	static const char *const others[] = { "other_kernel", NULL };
	struct dp_trace *trace;

	all_names();
	slice(1, 1000, 1100, 12, KERNEL, 1, 0);
	/* Nothing was interned in this sequence: its packet cannot be used. */
	event(2, BEGIN, 1200, 12);
	dp_proto__uint(&proto, 3, KERNEL);
	end_event();
	packet(1, CLEARED);
	name(CATEGORY, 1, "kernel_dispatch");
	end_packet();
	names(1, 0, EVENT, others);
	slice(1, 2000, 2100, 12, KERNEL, 1, 0);
	slice(1, 3000, 3100, 12, KERNEL, 2, 0);
	trace = read_all();
	ck_assert_uint_eq(dp_trace_ops(trace)->count, 3);
	ck_assert_str_eq(op_name(trace, 0), "add(float*, int)");
	ck_assert_str_eq(op_name(trace, 1), "other_kernel");
	ck_assert_str_eq(op_name(trace, 2), "[unnamed]");
	check_loss(trace, "names were lost", 1);
	done(trace);
}

static void incremental(uint64_t type, uint64_t delta)
{
	packet(1, 0);
	dp_proto__uint(&proto, 8, delta);
	event_at = dp_proto__open(&proto, 11);
	dp_proto__uint(&proto, 9, type);
	if (type == BEGIN) {
		dp_proto__uint(&proto, 3, KERNEL);
		dp_proto__uint(&proto, 10, 1);
	}
	end_event();
}

/* Times relative to the packet before, on the default track. */
TEST(clock_and_track_of_a_sequence)
{
	static const uint64_t clocks[][4] = { { 1, 900000, 0, 0 },
					      { BOOTTIME, 5000, 0, 0 },
					      { INCREMENTAL, 5, 1, 1000 } };
	struct dp_trace *trace;
	int64_t t0_ns;
	size_t at, inner;

	all_names();
	packet(1, 0);
	at = dp_proto__open(&proto, 59);
	dp_proto__uint(&proto, 58, INCREMENTAL);
	inner = dp_proto__open(&proto, 11);
	dp_proto__uint(&proto, 11, 12);
	dp_proto__close(&proto, inner);
	dp_proto__close(&proto, at);
	end_packet();
	/* Where the clock begins is not known yet. */
	incremental(BEGIN, 1);
	packet(1, 0);
	at = dp_proto__open(&proto, 6);
	for (size_t i = 0; i < 3; i++) {
		inner = dp_proto__open(&proto, 1);
		for (uint32_t k = 0; k < 4; k++)
			dp_proto__uint(&proto, 1 + k, clocks[i][k]);
		dp_proto__close(&proto, inner);
	}
	dp_proto__close(&proto, at);
	end_packet();
	track(12, 0, "COMPUTE GPU [0] STREAM [5] (GPU)", 0, 0, 0);
	incremental(BEGIN, 2);
	incremental(END, 3);
	slice(1, 20000, 20100, 12, KERNEL, 1, 0);
	incremental(BEGIN, 1);
	incremental(END, 1);
	trace = read_all();
	ck_assert_uint_eq(dp_trace_ops(trace)->count, 3);
	ck_assert_int_eq(dp_trace_stream(trace, 0)->stream, 5);
	ck_assert(dp_trace_t0(trace, &t0_ns));
	ck_assert_int_eq(t0_ns, 900000 + 2000);
	ck_assert_int_eq(dp_trace_ops(trace)->end_ns[0], 3000);
	ck_assert_int_eq(dp_trace_ops(trace)->start_ns[1], 4000);
	ck_assert_int_eq(dp_trace_ops(trace)->start_ns[2], 13000);
	check_loss(trace, "without a known time", 1);
	done(trace);
}

TEST(slices_nest)
{
	struct dp_trace *trace;

	all_names();
	track(11, 0, "THREAD", 4, 42, 43);
	slice(1, 1000, 1100, 12, KERNEL, 1, 0);
	for (uint64_t i = 0; i < 3; i++) {
		event(1, BEGIN, 100 + i, 11);
		dp_proto__uint(&proto, 3, i == 1 ? HIP : MARKER);
		dp_proto__uint(&proto, 10, 2 + i % 2);
		end_event();
	}
	event(1, INSTANT, 105, 11);
	end_event();
	end(1, 110, 11);
	end(1, 120, 11);
	end(1, 130, 11);
	trace = read_all();
	ck_assert_uint_eq(dp_trace_ranges(trace)->count, 2);
	ck_assert_uint_eq(dp_trace_calls(trace)->count, 1);
	ck_assert_int_eq(dp_trace_calls(trace)->end_ns[0] - dp_trace_calls(trace)->start_ns[0],
			 120 - 101);
	ck_assert_uint_eq(dp_trace_loss_count(trace), 0);
	dp_trace_free(trace);
	end(1, 140, 11);
	trace = read_all();
	check_loss(trace, "without a beginning", 1);
	dp_trace_free(trace);
	free(proto.bytes);
	all_names();
	slice(1, 1000, 1100, 12, KERNEL, 1, 0);
	event(1, BEGIN, 2000, 12);
	end_event();
	trace = read_all();
	check_loss(trace, "without an end", 1);
	done(trace);
}

TEST(damage_is_survived)
{
	struct dp_trace *trace;
	size_t whole, kept = 0;

	write_rocprofv3();
	whole = proto.used;
	for (size_t cut = 0; cut < whole; cut++) {
		trace = read_part(cut);
		ck_assert(trace || error.message[0]);
		kept += trace != NULL;
		dp_trace_free(trace);
	}
	ck_assert_uint_gt(kept, 10);
	for (size_t i = 0; i < whole; i++) {
		proto.bytes[i] ^= (unsigned char)(1 << i % 8);
		dp_trace_free(read_part(whole));
		proto.bytes[i] ^= (unsigned char)(1 << i % 8);
	}
	free(proto.bytes);
}

TEST(what_is_refused)
{
	begin();
	refused(DP_ERR_DAMAGED, "no complete packet");
	all_names();
	slice(1, 500, 600, 11, HIP, 2, 5);
	refused(DP_ERR_NO_GPU, "record with rocprofv3 --sys-trace");
	begin();
	packet(1, CLEARED);
	name(CATEGORY, 1, "deepprof");
	end_packet();
	refused(DP_ERR_UNSUPPORTED, "deepprof exported");
	begin();
	packet(1, 0);
	dp_proto__string(&proto, 50, "x");
	end_packet();
	refused(DP_ERR_UNSUPPORTED, "traceconv");
}
