/* XSpaces: planes, lines and stats of GPUs, TPUs and hosts, and the effect of damage. */
#include "import/wire.h"
#include "report/proto.h"
#include "test.h"

#include <deepprof/deepprof.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Numbers of stats' names: those that are read, and what is referred to. */
enum {
	CORRELATION = 1,
	COPY,
	ALLOCATE,
	FREE,
	TF_OP,
	HLO_OP,
	STEP,
	GRAPH,
	START,
	OTHER,
	CONV,
	DETAILS,
	OP_NAME,
	MODULE,
	DOT,
	VENDOR,
	BYTES
};

static const char *const stat_names[] = {
	"correlation_id",
	"memcpy_details",
	"memalloc_details",
	"MemFree_details",
	"tf_op",
	"hlo_op",
	"step_num",
	"cuda_graph_exec_id",
	"profile_start_time",
	"flops",
	"model/conv",
	"kind_src:pageable kind_dst:device size:64 x:1",
	"name",
	"XlaModule:",
	"jit(step)/dot_general",
	"device_vendor",
	"memory_size",
};

static struct dp_proto proto;
static struct dp_error error;
static char path[64];
static size_t plane_at, line_at;

static void plane(const char *name)
{
	plane_at = dp_proto__open(&proto, 1);
	dp_proto__uint(&proto, 1, 7);
	dp_proto__string(&proto, 2, name);
}

static void line(int64_t id, const char *name, uint64_t start_ns)
{
	line_at = dp_proto__open(&proto, 3);
	dp_proto__int(&proto, 1, id);
	dp_proto__string(&proto, 2, name);
	dp_proto__uint(&proto, 3, start_ns);
}

static size_t open_event(int64_t name, uint64_t offset_ps, uint64_t duration_ps)
{
	size_t at = dp_proto__open(&proto, 4);

	dp_proto__int(&proto, 1, name);
	dp_proto__uint(&proto, 2, offset_ps);
	dp_proto__uint(&proto, 3, duration_ps);
	return at;
}

static void stat(uint32_t name, uint32_t type, uint64_t value)
{
	size_t at = dp_proto__open(&proto, 4);

	dp_proto__uint(&proto, 1, name);
	dp_proto__uint(&proto, type, value);
	dp_proto__close(&proto, at);
}

/* An event with one stat. */
static void event(int64_t name, uint64_t offset_ps, uint64_t duration_ps, uint32_t stat_name,
		  uint32_t type, uint64_t value)
{
	size_t at = open_event(name, offset_ps, duration_ps);

	if (stat_name)
		stat(stat_name, type, value);
	dp_proto__close(&proto, at);
}

static void end_line(void)
{
	dp_proto__close(&proto, line_at);
}

static void name(uint32_t field, int64_t id, const char *text, const char *display)
{
	size_t entry = dp_proto__open(&proto, field), value;

	dp_proto__int(&proto, 1, id);
	value = dp_proto__open(&proto, 2);
	dp_proto__int(&proto, 1, id);
	dp_proto__string(&proto, 2, text);
	if (display)
		dp_proto__string(&proto, 4, display);
	dp_proto__close(&proto, value);
	dp_proto__close(&proto, entry);
}

static void end_plane(void)
{
	for (size_t i = 0; i < sizeof(stat_names) / sizeof(stat_names[0]); i++)
		name(5, 1 + (int64_t)i, stat_names[i], NULL);
	dp_proto__close(&proto, plane_at);
}

#define T0 UINT64_C(1700000000000000000)

static void gpu_plane(void)
{
	size_t at;

	plane("/device:GPU:1");
	line(17, "Stream #17(Kernel,MemcpyH2D)", T0);
	at = open_event(100, 5000999, 2000);
	stat(CORRELATION, 3, 70);
	stat(TF_OP, 7, CONV);
	dp_proto__close(&proto, at);
	event(101, 9000000, 1000000, CORRELATION, 4, 71);
	event(102, 11000000, 1000000, COPY, 7, DETAILS);
	event(100, 13000000, 1000000, OTHER, 3, 1);
	event(103, 15000000, 1000000, GRAPH, 3, 4);
	end_line();
	/* derived from the stream's line: the same operations again */
	line(90, "XLA Ops", T0);
	event(100, 5000000, 2000, 0, 0, 0);
	end_line();
	line(91, "Steps", T0);
	event(104, 4000000, 9000000, 0, 0, 0);
	end_line();
	name(4, 100, "_Z3addPfi", NULL);
	name(4, 101, "mul", NULL);
	name(4, 102, "MemcpyH2D", NULL);
	name(4, 103, "graph", NULL);
	name(4, 104, "12", NULL);
	end_plane();
}

static void host_plane(void)
{
	size_t at;

	plane("/host:CPU");
	line(4321, "python/4321", T0);
	event(1, 1000000, 500000, CORRELATION, 3, 70);
	event(2, 500000, 20000000, STEP, 4, 3);
	event(3, 600000, 1000000, 0, 0, 0);
	event(4, 600000, 1000000, 0, 0, 0);
	event(5, 700000, 1000000, 0, 0, 0);
	at = open_event(3, 1, 1);
	dp_proto__uint(&proto, 5, 10);
	dp_proto__close(&proto, at);
	end_line();
	name(4, 1, "cuLaunchKernel", NULL);
	name(4, 2, "train", NULL);
	name(4, 3, "PjitFunction(f)", NULL);
	name(4, 4, "$train.py:12 step", NULL);
	name(4, 5, "NVTX:epoch", NULL);
	end_plane();
}

static void begin(void)
{
	memset(&proto, 0, sizeof(proto));
	error = (struct dp_error)DP_ERROR_INIT;
}

/* The trace of the first length bytes; NULL and error. */
static struct dp_trace *read_part(size_t length)
{
	struct dp_open_options options = DP_OPEN_OPTIONS_INIT;
	struct dp_trace *trace = NULL;
	int fd;

	strcpy(path, "/tmp/deepprof-xplane-XXXXXX");
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	ck_assert(write(fd, proto.bytes, length) == (ssize_t)length);
	close(fd);
	options.input_format = length < 64 ? "xplane" : NULL;
	error = (struct dp_error)DP_ERROR_INIT;
	dp_trace_open(&trace, path, &options, &error);
	unlink(path);
	return trace;
}

static struct dp_trace *read_all(void)
{
	struct dp_trace *trace = read_part(proto.used);

	ck_assert_msg(trace != NULL, "%s", error.message);
	ck_assert_str_eq(dp_trace_format(trace), "xplane");
	return trace;
}

static void done(struct dp_trace *trace)
{
	dp_trace_free(trace);
	free(proto.bytes);
	begin();
}

static const char *op_name(const struct dp_trace *trace, size_t op)
{
	return dp_trace_string(trace, dp_trace_ops(trace)->name[op]);
}

static const char *range_name(const struct dp_trace *trace, size_t range)
{
	return dp_trace_string(trace, dp_trace_ranges(trace)->name[range]);
}

static void check_gpu(const struct dp_trace *trace)
{
	const struct dp_ops *ops = dp_trace_ops(trace);
	const struct dp_stream *stream = dp_trace_stream(trace, 0);
	int64_t t0_ns;

	ck_assert_uint_eq(dp_trace_stream_count(trace), 1);
	ck_assert_int_eq(stream->stream, 17);
	ck_assert_int_eq(dp_trace_device(trace, stream->device)->id, 1);
	ck_assert_uint_eq(ops->count, 5);
	ck_assert_str_eq(op_name(trace, 0), "add(float*, int)");
	/* Its end is cut off by itself: 5000999 + 2000 ps. */
	ck_assert_int_eq(ops->end_ns[0] - ops->start_ns[0], 2);
	ck_assert_str_eq(op_name(trace, 1), "mul");
	ck_assert_int_eq(ops->kind[2], DP_OP_COPY);
	ck_assert_int_eq(ops->copy_kind[2], DP_COPY_HTOD);
	ck_assert_int_eq(ops->src_kind[2], DP_MEMORY_PAGEABLE);
	ck_assert_int_eq(ops->dst_kind[2], DP_MEMORY_DEVICE);
	ck_assert_uint_eq(ops->bytes[2], 64);
	ck_assert_int_eq(ops->kind[4], DP_OP_GRAPH);
	ck_assert(dp_trace_t0(trace, &t0_ns));
	ck_assert_int_eq(t0_ns, (int64_t)T0 + 5000);
	ck_assert_uint_eq(dp_trace_loss_count(trace), 0);
}

static void check_host(const struct dp_trace *trace)
{
	const struct dp_calls *calls = dp_trace_calls(trace);
	const struct dp_ranges *ranges = dp_trace_ranges(trace);
	const char *const expected[] = { "Step#3 train", "PjitFunction(f)", "NVTX:epoch",
					 "model/conv", "Step#12" };

	ck_assert_uint_eq(calls->count, 1);
	ck_assert_str_eq(dp_trace_string(trace, calls->name[0]), "cuLaunchKernel");
	ck_assert_int_eq(dp_trace_thread(trace, calls->thread[0])->tid, 4321);
	ck_assert_uint_eq(dp_trace_ops(trace)->call[0], 0);
	ck_assert_uint_eq(dp_trace_ops(trace)->call[1], DP_NONE);
	ck_assert_uint_eq(ranges->count, 5);
	for (size_t i = 0; i < 5; i++)
		ck_assert_str_eq(range_name(trace, i), expected[i]);
	ck_assert_int_eq(ranges->kind[0], DP_RANGE_ANNOTATION);
	ck_assert_int_eq(ranges->kind[2], DP_RANGE_NVTX);
	/* The operator of the kernel that was launched is around its launch. */
	ck_assert_int_eq(ranges->kind[3], DP_RANGE_OPERATOR);
	ck_assert_int_eq(ranges->start_ns[3], calls->start_ns[0]);
	ck_assert_uint_eq(ranges->thread[4], DP_NONE);
}

/* In either order of planes. */
TEST(gpu_and_host)
{
	struct dp_trace *trace;

	begin();
	for (int order = 0; order < 2; order++) {
		if (order)
			host_plane();
		gpu_plane();
		if (!order)
			host_plane();
		trace = read_all();
		check_gpu(trace);
		check_host(trace);
		done(trace);
	}
}

static void make_tpu(void)
{
	static const char *const names[] = { "%while.1 = (f32[]) while()",
					     "%fusion.2 = f32[8] fusion()",
					     "%copy-start.3 = copy-start()" };
	size_t at;

	begin();
	plane("/device:TPU:3");
	line(1, "Steps", 1000);
	event(9, 0, 50000000, 0, 0, 0);
	end_line();
	line(2, "XLA Modules", 1000);
	event(8, 0, 50000000, 0, 0, 0);
	end_line();
	line(3, "XLA Ops", 1000);
	event(1, 1000000, 30000000, 0, 0, 0);
	event(2, 2000000, 3000000, 0, 0, 0);
	event(2, 6000000, 3000000, 0, 0, 0);
	event(2, 40000000, 3000000, 0, 0, 0);
	event(3, 40000000, 0, 0, 0, 0);
	event(3, 43000000, 0, 0, 0, 0);
	end_line();
	line(4, "Async XLA Ops", 1000);
	event(3, 2000000, 9000000, 0, 0, 0);
	end_line();
	line(5, "Scalar Unit", 1000);
	event(3, 2000000, 9000000, 0, 0, 0);
	end_line();
	name(4, 1, names[0], "while.1");
	name(4, 2, names[1], "fusion.2");
	name(4, 3, names[2], "copy-start.3");
	name(4, 8, "jit_step(7)", NULL);
	name(4, 9, "5", NULL);
	end_plane();
	plane("/device:TPU:3 SparseCore 0");
	line(3, "XLA Ops", 1000);
	event(1, 1000000, 30000000, 0, 0, 0);
	end_line();
	end_plane();
	plane("Task Environment");
	for (size_t i = 0; i < sizeof(stat_names) / sizeof(stat_names[0]); i++)
		name(5, 1 + (int64_t)i, stat_names[i], NULL);
	at = dp_proto__open(&proto, 6);
	dp_proto__uint(&proto, 1, START);
	dp_proto__uint(&proto, 3, T0);
	dp_proto__close(&proto, at);
	dp_proto__close(&proto, plane_at);
}

/* A loop's event encloses those of its body: it is a range. Times count from the session's start.
 */
TEST(tpu_operations)
{
	const struct dp_ops *ops;
	struct dp_trace *trace;
	int64_t t0_ns;

	make_tpu();
	trace = read_all();
	ops = dp_trace_ops(trace);
	ck_assert_uint_eq(ops->count, 6);
	ck_assert_str_eq(op_name(trace, 0), "fusion.2");
	ck_assert_str_eq(op_name(trace, 1), "copy-start.3");
	ck_assert_int_eq(ops->kind[1], DP_OP_COPY);
	ck_assert_str_eq(op_name(trace, 4), "fusion.2");
	ck_assert_str_eq(op_name(trace, 5), "copy-start.3");
	ck_assert_int_eq(ops->kind[5], DP_OP_KERNEL);
	ck_assert_uint_ne(ops->stream[0], ops->stream[1]);
	ck_assert_int_eq(dp_trace_device(trace, dp_trace_stream(trace, 0)->device)->id, 3);
	ck_assert_uint_eq(dp_trace_ranges(trace)->count, 3);
	ck_assert_str_eq(range_name(trace, 0), "Step#5");
	ck_assert_str_eq(range_name(trace, 1), "jit_step(7)");
	ck_assert_str_eq(range_name(trace, 2), "while.1");
	ck_assert(dp_trace_t0(trace, &t0_ns));
	ck_assert_int_eq(t0_ns, (int64_t)T0 + 1000 + 2000);
	done(trace);
}

/* Steps of a device are its iterations, even without data from the host. */
TEST(steps_are_marks)
{
	struct dp_error failure = DP_ERROR_INIT;
	struct dp_analysis *analysis = NULL;
	struct dp_trace *trace;

	begin();
	plane("/device:TPU:0");
	line(1, "Steps", 0);
	for (uint64_t i = 0; i < 6; i++)
		event(10, i * 100000000, 90000000, 0, 0, 0);
	end_line();
	line(3, "XLA Ops", 0);
	for (uint64_t i = 0; i < 24; i++)
		event((int64_t)(1 + i % 4), i / 4 * 100000000 + i % 4 * 10000000, 5000000, 0, 0, 0);
	end_line();
	name(4, 1, "a", NULL);
	name(4, 2, "b", NULL);
	name(4, 3, "c", NULL);
	name(4, 4, "d", NULL);
	name(4, 10, "1", NULL);
	end_plane();
	trace = read_all();
	ck_assert_int_eq(dp_analysis_run(&analysis, trace, NULL, &failure), DP_OK);
	ck_assert_uint_eq(dp_analysis_loop_count(analysis), 1);
	ck_assert_int_eq(dp_analysis_loop(analysis, 0)->found_by, DP_FOUND_BY_MARKS);
	ck_assert_uint_eq(dp_analysis_loop(analysis, 0)->iterations, 6);
	dp_analysis_free(analysis);
	done(trace);
}

/* What JAX compiled is named by its operators, not by the module that they all are of. */
TEST(operators_of_jax)
{
	struct dp_trace *trace;
	size_t at;

	begin();
	plane("/device:GPU:0");
	line(17, "Stream #17(Kernel)", T0);
	for (uint32_t i = 0; i < 2; i++) {
		at = open_event(1, (20 + i) * 1000000, 1000000);
		stat(CORRELATION, 3, 70 + i);
		stat(TF_OP, 7, MODULE);
		stat(i ? HLO_OP : OP_NAME, 7, i ? CONV : DOT);
		dp_proto__close(&proto, at);
	}
	end_line();
	name(4, 1, "fusion", NULL);
	/* A plane's own stats come after their names. */
	name(5, VENDOR, stat_names[VENDOR - 1], NULL);
	name(5, BYTES, stat_names[BYTES - 1], NULL);
	at = dp_proto__open(&proto, 6);
	dp_proto__uint(&proto, 1, VENDOR);
	dp_proto__string(&proto, 5, "AMD");
	dp_proto__close(&proto, at);
	at = dp_proto__open(&proto, 6);
	dp_proto__uint(&proto, 1, BYTES);
	dp_proto__uint(&proto, 3, UINT64_C(206141652992));
	dp_proto__close(&proto, at);
	end_plane();
	plane("/device:GPU:1"); /* unused: not in the trace */
	end_plane();
	plane("/host:CPU");
	line(5, "python", T0);
	event(1, 1000000, 500000, CORRELATION, 3, 70);
	event(1, 2000000, 500000, CORRELATION, 3, 71);
	end_line();
	name(4, 1, "hipModuleLaunchKernel", NULL);
	end_plane();
	trace = read_all();
	ck_assert_ptr_nonnull(
		strstr(dp_trace_need(trace, DP_NEED_LAUNCHES)->record, "jax.profiler"));
	ck_assert_uint_eq(dp_trace_ranges(trace)->count, 2);
	ck_assert_str_eq(range_name(trace, 0), "jit(step)/dot_general");
	ck_assert_str_eq(range_name(trace, 1), "model/conv");
	ck_assert_uint_eq(dp_trace_device_count(trace), 1);
	ck_assert_str_eq(dp_trace_string(trace, dp_trace_device(trace, 0)->name), "AMD");
	ck_assert_uint_eq(dp_trace_device(trace, 0)->total_bytes, UINT64_C(206141652992));
	done(trace);
}

TEST(memory_of_a_device)
{
	struct dp_trace *trace;
	size_t at;

	begin();
	plane("/device:GPU:0");
	line(7, "Stream #7(Kernel)", T0);
	event(1, 1000000, 1000000, 0, 0, 0);
	for (uint32_t kind = ALLOCATE; kind <= FREE; kind++) {
		at = open_event(1, kind * UINT64_C(10000000), 0);
		{
			size_t inner = dp_proto__open(&proto, 4);

			dp_proto__uint(&proto, 1, kind);
			dp_proto__string(&proto, 5, "kind:device num_bytes:4096");
			dp_proto__close(&proto, inner);
		}
		dp_proto__close(&proto, at);
	}
	end_line();
	name(4, 1, "k", NULL);
	end_plane();
	trace = read_all();
	ck_assert_uint_eq(dp_trace_ops(trace)->count, 1);
	ck_assert_uint_eq(dp_trace_memory(trace)->count, 2);
	ck_assert_int_eq(dp_trace_memory(trace)->delta_bytes[0], 4096);
	ck_assert_int_eq(dp_trace_memory(trace)->delta_bytes[1], -4096);
	done(trace);
}

TEST(names_that_are_missing)
{
	struct dp_trace *trace;

	begin();
	plane("/device:GPU:0");
	line(7, "Stream #7(Kernel)", T0);
	event(INT64_C(1) << 60, 1000000, 1000000, 0, 0, 0);
	event(-5, 3000000, 1000000, 0, 0, 0);
	event(INT64_C(1) << 61, 5000000, 1000000, 0, 0, 0);
	end_line();
	name(4, INT64_C(1) << 60, "far", NULL);
	name(4, -5, "below", NULL);
	end_plane();
	trace = read_all();
	ck_assert_str_eq(op_name(trace, 0), "far");
	ck_assert_str_eq(op_name(trace, 1), "below");
	ck_assert_str_eq(op_name(trace, 2), "[event 2305843009213693952]");
	ck_assert_uint_eq(dp_trace_loss_count(trace), 1);
	done(trace);
}

/* Every prefix of a file, and every flipped bit, gives a trace or an error. */
TEST(damage_is_survived)
{
	struct dp_trace *trace;
	size_t kept = 0, used;

	begin();
	gpu_plane();
	used = proto.used;
	host_plane();
	/* The second plane cut in two: the first is whole, and the loss is reported. */
	trace = read_part(used + (proto.used - used) / 2);
	ck_assert_ptr_nonnull(trace);
	ck_assert_uint_eq(dp_trace_ops(trace)->count, 5);
	ck_assert_uint_gt(dp_trace_loss_count(trace), 0);
	dp_trace_free(trace);
	for (size_t length = 0; length < proto.used; length += 3) {
		trace = read_part(length);
		ck_assert(trace != NULL || error.message[0]);
		dp_trace_free(trace);
	}
	for (size_t bit = 0; bit < proto.used * 8; bit += 5) {
		proto.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
		trace = read_part(proto.used);
		ck_assert(trace != NULL || error.message[0]);
		kept += trace != NULL;
		dp_trace_free(trace);
		proto.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
	}
	ck_assert_uint_gt(kept, proto.used * 8 / 5 / 2);
	free(proto.bytes);
}

/* Numbers of all lengths, wherever in a message they stand, and cut off at any byte. */
TEST(fields_of_all_lengths)
{
	struct dp_wire_cursor cursor;
	struct dp_wire_field field;
	uint64_t seed = 1, values[64];

	for (size_t i = 0; i < 64; i++) {
		seed = seed * UINT64_C(6364136223846793005) + 1;
		values[i] = i % 3 ? seed >> (i % 64) : UINT64_C(1) << i;
		dp_proto__uint(&proto, (uint32_t)(i % 40 + 1), values[i]);
	}
	for (size_t cut = 0; cut <= proto.used; cut++) {
		/* Bytes behind the end are not read. */
		unsigned char *bytes = malloc(cut + !cut);
		size_t i = 0;

		ck_assert_ptr_nonnull(bytes);
		memcpy(bytes, proto.bytes, cut);
		cursor = (struct dp_wire_cursor){ bytes, bytes + cut, false };
		for (; dp_wire__next(&cursor, &field); i++) {
			ck_assert_uint_eq(field.number, i % 40 + 1);
			ck_assert_int_eq(field.type, DP_WIRE_VARINT);
			ck_assert_uint_eq(field.value, values[i]);
		}
		ck_assert(cut < proto.used || (i == 64 && !cursor.broken));
		ck_assert(!dp_wire__next(&cursor, &field));
		free(bytes);
	}
}

TEST(no_xspace)
{
	begin();
	dp_proto__string(&proto, 4, "host");
	ck_assert_ptr_null(read_part(proto.used));
	ck_assert_int_eq(error.status, DP_ERR_FORMAT);
	free(proto.bytes);
	begin();
	plane("/host:CPU");
	end_plane();
	ck_assert_ptr_null(read_part(proto.used));
	ck_assert_int_eq(error.status, DP_ERR_NO_GPU);
	free(proto.bytes);
}
