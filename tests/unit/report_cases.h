/*
 * Analyses made by hand, so that what a report shows does not depend on how loops are found: a
 * trace is built, its iterations are reported, metrics and rules are those of the library.
 */
#ifndef DP_TEST_REPORT_CASES_H
#define DP_TEST_REPORT_CASES_H

#include "metric/loop_contents.h"
#include "analysis_model.h"
#include "trace/builder.h"
#include "trace/model.h"

#include <stdio.h>
#include <string.h>

/* Stops a test that cannot continue for a reason that is not under test. */
#define CASE_NEED(condition)                                                            \
	do {                                                                            \
		if (!(condition)) {                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			abort();                                                        \
		}                                                                       \
	} while (0)

/* Names that try to be interpreted as markup, formats or escapes. */
static const char *const hostile_names[] = {
	"void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, "
	"at::detail::Array<char*, 1> >(int, at::native::FillFunctor<float>, "
	"at::detail::Array<char*, 1>)",
	"ampere_sgemm_128x64_tn",
	"\x1b[31mred\x1b]0;title\x07 \"quoted\" back\\slash\r\n\ttab\xc2\x9b"
	"1m\xe2\x80\xaegnp.exe",
	"\xc3\xbc"
	"ber<\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e>, a\xcc\x81\xcc\x81\xcc\x81",
	"=cmd|'/c calc'!A1,\"comma\"\xff\xfe",
};

struct report_case {
	struct dp_builder *builder;
	struct dp_trace *trace;
	struct dp_analysis *analysis;
	struct dp_error error;
};

static void case_begin(struct report_case *at)
{
	memset(at, 0, sizeof(*at));
	CASE_NEED(!dp_builder__new(&at->builder, &at->error));
}

static void case_op(struct report_case *at, uint32_t stream, const char *name, int64_t start_ns,
		    int64_t length_ns)
{
	struct dp_op op = { .start_ns = start_ns,
			    .end_ns = start_ns + length_ns,
			    .stream = stream };

	op.name = dp_builder__kernel_name(at->builder, name, strlen(name));
	CASE_NEED(!dp_builder__op(at->builder, &op));
}

static void case_copy(struct report_case *at, uint32_t stream, int64_t start_ns, int64_t length_ns,
		      uint64_t bytes)
{
	struct dp_op op = { .start_ns = start_ns,
			    .end_ns = start_ns + length_ns,
			    .stream = stream,
			    .kind = DP_OP_COPY,
			    .copy_kind = DP_COPY_HTOD,
			    .bytes = bytes };

	op.name = dp_builder__copy_name(at->builder, DP_COPY_HTOD);
	CASE_NEED(!dp_builder__op(at->builder, &op));
}

static void case_end(struct report_case *at, const char *path)
{
	CASE_NEED(!dp_builder__finish(at->builder, &at->trace, path, "test", false));
	at->analysis = calloc(1, sizeof(*at->analysis));
	CASE_NEED(at->analysis);
	at->analysis->diagnosed = true;
	at->analysis->trace = dp_trace__retain(at->trace);
	at->analysis->scope = (struct dp_scope){ -1, -1, INT64_MIN, INT64_MAX };
	at->analysis->streams =
		calloc(dp_trace_stream_count(at->trace), sizeof(*at->analysis->streams));
	CASE_NEED(at->analysis->streams);
	CASE_NEED(!dp_trace_index__init(&at->analysis->index, at->trace, &at->error));
}

static void case_free(struct report_case *at)
{
	dp_analysis_free(at->analysis);
	dp_trace_free(at->trace);
}

/* The kernels of a stream, to be freed. */
static uint32_t *case_kernels(const struct report_case *at, uint32_t stream, size_t *count)
{
	size_t all, n = 0;
	const uint32_t *rows = dp_trace_stream_ops(at->trace, stream, &all);
	uint32_t *kernels = malloc((all + 1) * sizeof(*kernels));

	CASE_NEED(kernels);
	for (size_t i = 0; i < all; i++)
		if (dp_op_is_kernel(dp_trace_ops(at->trace)->kind[rows[i]]))
			kernels[n++] = rows[i];
	*count = n;
	return kernels;
}

/*
 * Adds a loop whose iteration k has the stream's kernels [first[k], first[k] + kernels[k]); the
 * pattern is the first iteration with the loop's number of kernels.
 */
static struct dp_loop_data *case_loop(struct report_case *at, uint32_t stream, uint32_t parent,
				      size_t length, const size_t *first, const size_t *kernels,
				      size_t count)
{
	struct dp_analysis *analysis = at->analysis;
	const struct dp_ops *ops = dp_trace_ops(at->trace);
	struct dp_loop_data *loop;
	size_t total, covered = 0;
	uint32_t *rows = case_kernels(at, stream, &total);

	CASE_NEED(!dp_array__reserve(&analysis->loops, &analysis->loop_room,
				     analysis->loop_count + 1, sizeof(*analysis->loops)));
	loop = &analysis->loops[analysis->loop_count];
	memset(loop, 0, sizeof(*loop));
	loop->kernels = calloc(length + 1, sizeof(*loop->kernels));
	loop->iterations = calloc(count + 1, sizeof(*loop->iterations));
	CASE_NEED(loop->kernels && loop->iterations);
	loop->info = (struct dp_loop){ .id = (uint32_t)analysis->loop_count++,
				       .parent = parent,
				       .device = dp_trace_stream(at->trace, stream)->device,
				       .stream = stream,
				       .found_by = DP_FOUND_BY_AUTO,
				       .phase = DP_PHASE_COMPLETE,
				       .confidence = 0.9375,
				       .selected = parent == DP_NONE,
				       .length = length,
				       .occurrences = count,
				       .iterations = count,
				       .variants = 1 };
	for (size_t k = 0; k < count; k++) {
		struct dp_iteration *it = &loop->iterations[k];

		CASE_NEED(first[k] + kernels[k] <= total && kernels[k]);
		it->index = k;
		it->first_kernel = first[k];
		it->kernels = kernels[k];
		it->start_ns = ops->start_ns[rows[first[k]]];
		it->end_ns = ops->end_ns[rows[first[k] + kernels[k] - 1]];
		it->partial = kernels[k] < length;
		it->inserted = kernels[k] > length ? (uint32_t)(kernels[k] - length) : 0;
		it->variant = it->inserted > 0;
		if (it->inserted)
			loop->info.variants = 2;
		it->foreign_kernels = k ? first[k] - first[k - 1] - kernels[k - 1] : 0;
		loop->info.complete += !it->partial;
		covered += kernels[k];
		for (size_t i = 0; kernels[k] == length && i < length; i++)
			loop->kernels[i] = ops->name[rows[first[k] + i]];
	}
	loop->info.coverage = (double)covered / (double)total;
	free(rows);
	return loop;
}

/* Computes metrics and findings. Call it when all loops are there. */
static void case_measure(struct report_case *at)
{
	for (size_t i = 0; i < at->analysis->loop_count; i++) {
		struct dp_loop_data *loop = &at->analysis->loops[i];
		struct dp_metric_input input = { .trace = at->trace,
						 .device = loop->info.device,
						 .stream = loop->info.stream,
						 .iterations = loop->iterations,
						 .count = loop->info.iterations };
		struct dp_rule_input rule = { .loop = &loop->info, .iterations = loop->iterations };
		uint32_t *rows = case_kernels(at, loop->info.stream, &input.op_count);
		struct dp_loop_kernels kernels = { .trace = at->trace,
						   .ops = rows,
						   .op_count = input.op_count,
						   .iterations = loop->iterations,
						   .count = loop->info.iterations,
						   .pattern = loop->kernels,
						   .length = loop->info.length };
		struct dp_attribution attribution = { NULL };
		size_t all;
		const uint32_t *ops = dp_trace_stream_ops(at->trace, loop->info.stream, &all);

		dp_loop_contents__kernels(&loop->info, loop->iterations);
		dp_loop_contents__copies(&loop->info, loop->iterations, dp_trace_ops(at->trace),
					 ops, all);
		input.ops = rows;
		input.brief = !loop->info.selected;
		CASE_NEED(!dp_metric__compute_all(&loop->values, &input, &at->error));
		CASE_NEED(!dp_loop_variants__make(&loop->variants, &loop->info, loop->iterations,
						  &at->error));
		CASE_NEED(!dp_loop_stats__init(&loop->stats, &kernels, &attribution, &at->error));
		free(rows);
		rule.values = loop->values.values;
		rule.summary = loop->values.summary;
		if (loop->info.selected)
			CASE_NEED(!dp_diagnose__loop(&at->analysis->findings, loop->iterations,
						     &rule, &at->error));
	}
	dp_diagnose__rank(&at->analysis->findings, NULL);
}

/*
 * A training loop that waits for its input: cut off at both ends, with a variant, an evaluation in
 * between, uploads on another stream, an unrelated stream, and hostile names.
 */
static void case_train(struct report_case *at)
{
	enum { ITERATIONS = 14, LENGTH = DP_COUNT(hostile_names) };
	size_t first[ITERATIONS], kernels[ITERATIONS], n = 0;
	uint32_t process, main_stream, copies, assist, device;
	int64_t now_ns = 0;

	case_begin(at);
	process = dp_builder__process(at->builder, 4711);
	main_stream = dp_builder__stream(at->builder, process, 0, 1, 7);
	copies = dp_builder__stream(at->builder, process, 0, 1, 14);
	assist = dp_builder__stream(at->builder, process, 0, 1, 20);
	device = dp_builder__device(at->builder, process, 0);
	dp_builder__name_device(
		at->builder, device,
		&(struct dp_gpu){ dp_builder__string(at->builder, "Hopper \x1b[5m 80 GB", 17),
				  dp_builder__uuid(at->builder, "GPU-12\x07\"3", 9), 0 });
	dp_builder__epoch(at->builder, INT64_C(1700000000000000000));
	dp_builder__detail(at->builder, "version 3.25.0");
	for (size_t k = 0; k < ITERATIONS; k++) {
		size_t skip = k ? 0 : 2, cut = k + 1 < ITERATIONS ? 0 : 3;

		if (k == 8)
			for (int i = 0; i < 3; i++, n++, now_ns += 2000000)
				case_op(at, main_stream, "evaluate", now_ns, 1500000);
		case_copy(at, copies, now_ns - 900000, 600000 + (int64_t)k * 10000, 1 << 20);
		first[k] = n;
		for (size_t i = skip; i < LENGTH - cut; i++, n++, now_ns += 1100000)
			case_op(at, main_stream, hostile_names[i], now_ns, 1099000);
		if (k == 5) {
			case_op(at, main_stream, "statistics", now_ns - 500, 200);
			n++;
		}
		kernels[k] = n - first[k];
		case_op(at, assist, "reduce", now_ns - 3000000, 1000);
		now_ns += 2000000 + (int64_t)(k * 7 % 5) * 150000;
	}
	/* Ends before it starts. */
	case_op(at, assist, "clamped", now_ns, -5);
	CASE_NEED(!dp_builder__loss(at->builder, "file ends inside an event \x1b[2J", 0, 77));
	CASE_NEED(!dp_builder__loss(at->builder, "kernels without a start", 1234, 0));
	case_end(at, "run/\x1b]0;x\x07tr\xc3\xa4in,\"1\".json");
	case_loop(at, 0, DP_NONE, LENGTH, first, kernels, ITERATIONS);
	case_measure(at);
}

/* Two processes on device 0, the first with a nested loop, without uploads and findings. */
static void case_ranks(struct report_case *at)
{
	enum { OUTER = 4, INNER = 3, LENGTH = 2 };
	size_t first[OUTER * INNER], kernels[OUTER * INNER], n = 0, inner = 0;
	size_t outer_first[OUTER], outer_kernels[OUTER];
	uint32_t process[2], stream[2];
	int64_t now_ns = 5000;

	case_begin(at);
	for (int i = 0; i < 2; i++) {
		process[i] = dp_builder__process(at->builder, 100 + i);
		dp_builder__name_process(at->builder, process[i],
					 dp_builder__string(at->builder, "train", 5), i);
		stream[i] = dp_builder__stream(at->builder, process[i], 0, -1, 7);
	}
	for (size_t k = 0; k < OUTER; k++) {
		outer_first[k] = n;
		for (size_t i = 0; i < INNER; i++) {
			first[inner] = n;
			kernels[inner++] = LENGTH;
			for (size_t m = 0; m < LENGTH; m++, n++, now_ns += 40) {
				case_op(at, stream[0], m ? "backward" : "forward", now_ns, 39);
				case_op(at, stream[1], m ? "backward" : "forward", now_ns + 3, 38);
			}
		}
		case_op(at, stream[0], "adam", now_ns, 20);
		case_op(at, stream[1], "adam", now_ns, 21);
		outer_kernels[k] = ++n - outer_first[k];
		now_ns += 22;
	}
	case_end(at, "ranks.db");
	case_loop(at, 0, DP_NONE, INNER * LENGTH + 1, outer_first, outer_kernels, OUTER);
	case_loop(at, 0, 0, LENGTH, first, kernels, OUTER * INNER);
	case_loop(at, 1, DP_NONE, INNER * LENGTH + 1, outer_first, outer_kernels, OUTER);
	at->analysis->loops[1].info.phase = DP_PHASE_LAUNCH_GAP;
	at->analysis->loops[2].info.found_by = DP_FOUND_BY_MARKS;
	at->analysis->loops[2].info.phase = DP_PHASE_MARKS;
	case_measure(at);
}

/* No loop; the source has no identifiers. */
static void case_nothing(struct report_case *at)
{
	uint32_t stream;

	case_begin(at);
	stream = dp_builder__stream(at->builder, dp_builder__process(at->builder, -1), -1, -1, -1);
	for (int i = 0; i < 5; i++)
		case_op(at, stream, hostile_names[i], i * 3000, 2000);
	case_end(at, "");
	at->analysis->streams[0] =
		(struct dp_stream_result){ true, { 2, 0.4, 0.25, .kernels = 5, .streams = 1 } };
}

/* A thousand iterations of one kernel that become slower and slower. */
static void case_long(struct report_case *at)
{
	enum { ITERATIONS = 1000 };
	static size_t first[ITERATIONS], kernels[ITERATIONS];
	int64_t now_ns = 0;
	uint32_t stream;

	case_begin(at);
	stream = dp_builder__stream(at->builder, dp_builder__process(at->builder, 1), 3, 1, 7);
	for (size_t k = 0; k < ITERATIONS; k++) {
		first[k] = k;
		kernels[k] = 1;
		case_op(at, stream, "step", now_ns, 900000);
		now_ns += 1000000 + (int64_t)k * 500 + (int64_t)(k * 7919 % 101) * 1000;
	}
	case_end(at, "long.csv");
	case_loop(at, 0, DP_NONE, 1, first, kernels, ITERATIONS);
	case_measure(at);
}

/*
 * Iterations from annotations, with other kernels between all of them: no period, no interval.
 * count of 1: a single iteration. Only a part of the trace was requested.
 */
static void make_marked(struct report_case *at, size_t count, const char *path)
{
	enum { MOST = 8, LENGTH = 3 };
	size_t first[MOST], kernels[MOST], n = 0;
	int64_t now_ns = 0;
	uint32_t stream;

	case_begin(at);
	stream = dp_builder__stream(at->builder, dp_builder__process(at->builder, 1), 2, 1, 7);
	for (size_t k = 0; k < count; k++) {
		first[k] = n;
		kernels[k] = LENGTH;
		for (size_t i = 0; i < LENGTH; i++, n++, now_ns += 110000)
			case_op(at, stream, hostile_names[i], now_ns, 100000 + (int64_t)k * 1000);
		case_op(at, stream, "between", now_ns, 5000);
		n++;
		now_ns += 50000;
	}
	case_end(at, path);
	at->analysis->scope = (struct dp_scope){ 2, 7, 0, 1500000000 };
	case_loop(at, 0, DP_NONE, LENGTH, first, kernels, count);
	at->analysis->loops[0].info.found_by = DP_FOUND_BY_MARKS;
	at->analysis->loops[0].info.phase = DP_PHASE_MARKS;
	case_measure(at);
}

static void case_apart(struct report_case *at)
{
	make_marked(at, 8, "apart.sqlite");
}

static void case_one(struct report_case *at)
{
	make_marked(at, 1, "one.sqlite");
}

/* Three iterations that wait, two of them with a kernel more; the device copies in between. */
static void case_slow(struct report_case *at)
{
	enum { ITERATIONS = 40, LENGTH = 2 };
	size_t first[ITERATIONS], kernels[ITERATIONS], n = 0;
	int64_t now_ns = 0;
	uint32_t stream;

	case_begin(at);
	stream = dp_builder__stream(at->builder, dp_builder__process(at->builder, 1), 0, 1, 7);
	for (size_t k = 0; k < ITERATIONS; k++) {
		bool is_slow = k == 11 || k == 23 || k == 31;

		first[k] = n;
		kernels[k] = LENGTH + (is_slow && k != 11);
		for (size_t i = 0; i < kernels[k]; i++, n++, now_ns += 500000)
			case_op(at, stream, i < LENGTH ? "step" : "save", now_ns, 480000);
		case_copy(at, stream, now_ns, 20000, 4096);
		now_ns += (is_slow ? 2000000 : 100000) + (int64_t)(k % 3) * 1000;
	}
	case_end(at, "slow.db");
	case_loop(at, 0, DP_NONE, LENGTH, first, kernels, ITERATIONS);
	case_measure(at);
}

/* A templated kernel, launched long before it begins: what it waits for is unknown. */
static void case_launched(struct report_case *at, uint32_t stream, uint32_t thread, int number,
			  int64_t start_ns, uint32_t correlation)
{
	struct dp_call call = { start_ns - 300000, start_ns - 290000, 0, thread, correlation };
	struct dp_op op = { .start_ns = start_ns,
			    .end_ns = start_ns + 100000,
			    .stream = stream,
			    .correlation = correlation };
	char name[160];
	int n = snprintf(name, sizeof(name),
			 "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl"
			 "<at::native::BinaryFunctor<float, float, op_%02d<float> > > >(int, int)",
			 number);

	call.name = dp_builder__string(at->builder, "cudaLaunchKernel", 16);
	op.name = dp_builder__kernel_name(at->builder, name, (size_t)n);
	CASE_NEED(!dp_builder__add_call(at->builder, &call));
	CASE_NEED(!dp_builder__op(at->builder, &op));
}

/*
 * Idle without a recorded cause; two slow iterations, with two kernels more each, one of them
 * before the last, which is cut off.
 */
static void case_waits(struct report_case *at)
{
	enum { ITERATIONS = 16, LENGTH = 24 };
	size_t first[ITERATIONS], kernels[ITERATIONS], n = 0;
	uint32_t process, stream, thread;
	int64_t now_ns = 1000000;

	case_begin(at);
	process = dp_builder__process(at->builder, 1);
	stream = dp_builder__stream(at->builder, process, 0, 1, 7);
	thread = dp_builder__thread(at->builder, process, 5);
	for (size_t k = 0; k < ITERATIONS; k++) {
		bool is_slow = k == 5 || k == ITERATIONS - 2;

		first[k] = n;
		kernels[k] = k == ITERATIONS - 1 ? LENGTH / 2 : LENGTH + (is_slow ? 2 : 0);
		for (size_t i = 0; i < kernels[k]; i++, n++, now_ns += 260000)
			case_launched(at, stream, thread, (int)i, now_ns, (uint32_t)n + 1);
		now_ns += (is_slow ? 3000000 : 0) + (int64_t)(k % 3) * 1000;
	}
	case_end(at, "waits.json");
	case_loop(at, 0, DP_NONE, LENGTH, first, kernels, ITERATIONS);
	case_measure(at);
}

static const struct {
	const char *name;
	void (*make)(struct report_case *at);
} report_cases[] = {
	{ "train", case_train }, { "ranks", case_ranks }, { "nothing", case_nothing },
	{ "long", case_long },	 { "apart", case_apart }, { "one", case_one },
	{ "slow", case_slow },	 { "waits", case_waits },
};

#endif
