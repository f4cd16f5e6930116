/*
 * What other streams do at which time tells nothing of a stream's iterations: with the operations
 * of all but the main one reversed in time, or shuffled, its loops stay as they are, kernel by
 * kernel. That holds for captures of names alone, and for those with launches, as long as the calls
 * stay where they are: when the host was idle is evidence, whatever it launched.
 *
 * Uploads are what iterations begin with, and results are fetched once in each. Such copies on a
 * stream of their own are evidence, too, and not unrelated: moved in time they may move boundaries,
 * but no loop that is shown goes by them.
 *
 * On families of programs with seeds that no threshold was tuned by.
 */
#include "../sim/families.h"

#include "trace/builder.h"
#include "test.h"

#include <deepprof/analysis.h>
#include <stdio.h>
#include <string.h>

enum { FIRST_SEED = 7421, SEEDS = 1, SIZE = 4000 };

/* Streams; the last one is of another device. */
enum { MAIN, ASSIST, COPIES, OTHER, STREAMS };

/* How the operations of the other streams are changed. */
enum change { AS_IT_WAS, REVERSED, SHUFFLED };

struct capture {
	struct dp_op *ops; /* their names are kernels' numbers */
	int64_t *called_ns;
	size_t count, room, called_room;
	uint64_t rng;
};

/* What shows iterations, besides names: nothing, or uploads (and gaps and downloads). */
enum evidence { NONE, UPLOADS, UPLOADS_AND_MORE };

static size_t below(struct capture *c, size_t n)
{
	c->rng = c->rng * 6364136223846793005u + 1442695040888963407u;
	return (size_t)((c->rng >> 33) % n);
}

static void put(struct capture *c, int64_t called_ns, struct dp_op op, int64_t length_ns)
{
	ck_assert_int_eq(dp_array__reserve(&c->ops, &c->room, c->count + 1, sizeof(*c->ops)), 0);
	ck_assert_int_eq(dp_array__reserve(&c->called_ns, &c->called_room, c->count + 1,
					   sizeof(*c->called_ns)),
			 0);
	op.end_ns = op.start_ns + length_ns;
	c->called_ns[c->count] = called_ns;
	c->ops[c->count++] = op;
}

/* Work next to the main stream, with fewer kernels than it has. */
static void put_others(struct capture *c, int64_t now_ns, size_t turn)
{
	struct dp_op op = { .start_ns = now_ns + (int64_t)below(c, 2000) };

	op.stream = ASSIST;
	op.name = (uint32_t)below(c, 6); /* some of the main stream's names */
	if (below(c, 5) == 0)
		put(c, now_ns, op, 500 + (int64_t)below(c, 20000));
	op.stream = COPIES;
	op.kind = DP_OP_MEMSET;
	if (below(c, 6) == 0)
		put(c, now_ns, op, 500 + (int64_t)below(c, 20000));
	op.stream = OTHER;
	op.kind = DP_OP_KERNEL;
	op.name = turn % 9 + 1000;
	if (turn % 2)
		put(c, now_ns, op, 700);
}

/* Halfway through every iteration: a result is fetched, the other device gets its input. */
static void put_halfway(struct capture *c, int64_t now_ns, enum evidence evidence)
{
	struct dp_op op = { .start_ns = now_ns + 100, .kind = DP_OP_COPY };

	op.stream = evidence == UPLOADS_AND_MORE ? COPIES : OTHER;
	op.copy_kind = DP_COPY_DTOH;
	put(c, now_ns, op, 300);
	op.stream = OTHER;
	op.copy_kind = DP_COPY_HTOD;
	put(c, now_ns, op, 300);
}

static bool is_halfway(const struct family *f, size_t at)
{
	for (size_t k = 0; k < f->loop_count; k++) {
		const struct family_loop *loop = &f->loops[k];

		for (size_t i = 0; loop->main && i < loop->count; i++)
			if (at == loop->starts[i] + (loop->ends[i] - loop->starts[i]) / 2)
				return true;
	}
	return false;
}

/* A family's program on a device, launched well before it runs. */
static void capture(struct capture *c, const struct family *f, uint64_t seed,
		    enum evidence evidence)
{
	int64_t now_ns = 1000000, host_ns = 0;

	memset(c, 0, sizeof(*c));
	c->rng = seed;
	for (size_t i = 0; i < f->n; i++) {
		const struct dp_evidence_at *at = &f->evidence[i];
		struct dp_op upload = { .kind = DP_OP_COPY, .copy_kind = DP_COPY_HTOD };
		struct dp_op op = { .name = f->symbols[i], .stream = MAIN };

		host_ns += at->launch_gap_ns;
		upload.start_ns = now_ns + 100;
		upload.stream = evidence == UPLOADS ? MAIN : COPIES;
		if (at->after_upload && evidence)
			put(c, host_ns, upload, 300);
		if (is_halfway(f, i))
			put_halfway(c, now_ns, evidence);
		op.start_ns = now_ns + (evidence ? at->kernel_gap_ns : 500);
		put(c, at->has_launch ? host_ns : -1, op, 3000);
		put_others(c, now_ns, i);
		now_ns = op.start_ns + 3000;
		host_ns += 1000;
	}
}

static void move(struct dp_op *op, int64_t start_ns)
{
	op->end_ns += start_ns - op->start_ns;
	op->start_ns = start_ns;
}

static void change(struct capture *c, enum change how)
{
	int64_t end_ns = 0;
	size_t *others = malloc((c->count + 1) * sizeof(*others)), n = 0;

	ck_assert_ptr_nonnull(others);
	for (size_t i = 0; i < c->count; i++) {
		end_ns = DP_MAX(end_ns, c->ops[i].end_ns);
		if (c->ops[i].stream != MAIN)
			others[n++] = i;
	}
	for (size_t i = 0; i < n && how == REVERSED; i++)
		move(&c->ops[others[i]], end_ns - c->ops[others[i]].end_ns);
	for (size_t i = 1; i < n && how == SHUFFLED; i++) {
		struct dp_op *a = &c->ops[others[i]], *b = &c->ops[others[below(c, i + 1)]];
		int64_t start_ns = a->start_ns;

		move(a, b->start_ns);
		move(b, start_ns);
	}
	free(others);
}

static uint32_t name_of(struct dp_builder *b, const struct dp_op *op)
{
	char text[32];
	int length = snprintf(text, sizeof(text), "softmax_%x", op->name);

	if (op->kind == DP_OP_COPY)
		return dp_builder__copy_name(b, op->copy_kind);
	if (op->kind == DP_OP_MEMSET)
		return dp_builder__set_name(b);
	return dp_builder__kernel_name(b, text, (size_t)length);
}

static struct dp_trace *build(const struct capture *c, bool launches)
{
	static const char launch[] = "cudaLaunchKernel", copy[] = "cudaMemcpyAsync";
	struct dp_builder *b;
	struct dp_trace *trace = NULL;
	uint32_t streams[STREAMS], process, thread;

	ck_assert_int_eq(dp_builder__new(&b, NULL), DP_OK);
	process = dp_builder__process(b, 1);
	thread = dp_builder__thread(b, process, 1);
	for (int i = 0; i < STREAMS; i++)
		streams[i] = dp_builder__stream(b, process, i == OTHER, 1, 7 + i);
	for (size_t i = 0; i < c->count; i++) {
		struct dp_op op = c->ops[i];
		struct dp_call call = { .start_ns = c->called_ns[i],
					.end_ns = c->called_ns[i] + 100,
					.thread = thread,
					.correlation = (uint32_t)i + 1 };

		op.name = name_of(b, &op);
		op.stream = streams[op.stream];
		op.correlation = (uint32_t)i + 1;
		ck_assert_int_eq(dp_builder__op(b, &op), DP_OK);
		if (!launches || c->called_ns[i] < 0)
			continue;
		call.name = op.kind == DP_OP_KERNEL ? dp_builder__string(b, launch, strlen(launch))
						    : dp_builder__string(b, copy, strlen(copy));
		ck_assert_int_eq(dp_builder__add_call(b, &call), DP_OK);
	}
	ck_assert_int_eq(dp_builder__finish(b, &trace, "t", "test", false), DP_OK);
	return trace;
}

static struct dp_analysis *analyze(const struct dp_trace *trace)
{
	static const char *const none[] = { "interval_ns" };
	struct dp_analysis_options o = DP_ANALYSIS_OPTIONS_INIT;
	struct dp_analysis *analysis = NULL;

	o.device = 0;
	o.metrics = none;
	o.metrics_count = 1;
	ck_assert_int_eq(dp_analysis_run(&analysis, trace, &o, NULL), DP_OK);
	return analysis;
}

static void expect_same_loop(const struct dp_analysis *a, const struct dp_analysis *b, size_t k)
{
	const struct dp_loop *x = dp_analysis_loop(a, k), *y = dp_analysis_loop(b, k);

	ck_assert_int_eq(dp_trace_stream(dp_analysis_trace(b), y->stream)->stream, 7 + MAIN);
	ck_assert_uint_eq(x->parent, y->parent);
	ck_assert_uint_eq(x->length, y->length);
	ck_assert_uint_eq(x->iterations, y->iterations);
	ck_assert_uint_eq(x->complete, y->complete);
	ck_assert_uint_eq(x->variants, y->variants);
	ck_assert_int_eq(x->phase, y->phase);
	ck_assert_int_eq(x->selected, y->selected);
	ck_assert(x->confidence == y->confidence);
	for (size_t i = 0; i < x->length; i++)
		ck_assert_str_eq(dp_analysis_loop_kernel(a, k, i),
				 dp_analysis_loop_kernel(b, k, i));
	for (size_t i = 0; i < x->iterations; i++) {
		const struct dp_iteration *p = dp_analysis_loop_iteration(a, k, i);
		const struct dp_iteration *q = dp_analysis_loop_iteration(b, k, i);

		ck_assert_uint_eq(p->first_kernel, q->first_kernel);
		ck_assert_uint_eq(p->kernels, q->kernels);
		ck_assert_uint_eq(p->variant, q->variant);
		ck_assert_int_eq(p->partial, q->partial);
		ck_assert_int_eq(p->end_ns - p->start_ns, q->end_ns - q->start_ns);
	}
}

/* The analysis of a family's capture, as it was or with other streams changed. */
static struct dp_analysis *of(const struct family *f, uint64_t seed, enum evidence evidence,
			      enum change how, bool launches, struct dp_trace **trace)
{
	struct capture c;

	capture(&c, f, seed, evidence);
	change(&c, how);
	*trace = build(&c, launches);
	free(c.ops);
	free(c.called_ns);
	return analyze(*trace);
}

static bool has_loop(enum family_kind kind)
{
	return kind != FAMILY_RANDOM && kind != FAMILY_SINGLE_PASS;
}

static void expect_unmoved(enum family_kind kind, enum evidence evidence, bool launches)
{
	for (uint64_t seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
		struct dp_trace *trace, *changed_trace;
		struct dp_analysis *before, *after;
		struct family f;

		family_make(&f, kind, seed, seed % 2, SIZE);
		before = of(&f, seed, evidence, AS_IT_WAS, launches, &trace);
		ck_assert_int_eq(has_loop(kind), dp_analysis_loop_count(before) > 0);
		for (enum change how = REVERSED; how <= SHUFFLED; how++) {
			after = of(&f, seed, evidence, how, launches, &changed_trace);
			ck_assert_uint_eq(dp_analysis_loop_count(before),
					  dp_analysis_loop_count(after));
			for (size_t k = 0; k < dp_analysis_loop_count(before); k++)
				expect_same_loop(before, after, k);
			dp_analysis_free(after);
			dp_trace_free(changed_trace);
		}
		dp_analysis_free(before);
		dp_trace_free(trace);
		family_free(&f);
	}
}

TEST_LOOP(other_streams_time_is_nothing, FAMILY_COUNT)
{
	expect_unmoved((enum family_kind)_i, NONE, false);
	expect_unmoved((enum family_kind)_i, UPLOADS, false);
}

TEST_LOOP(nor_is_it_next_to_launches, FAMILY_COUNT)
{
	expect_unmoved((enum family_kind)_i, UPLOADS, true);
}

/* The next loop from k on that the report shows; the count if there is none. */
static size_t shown(const struct dp_analysis *analysis, size_t k)
{
	while (k < dp_analysis_loop_count(analysis) && !dp_analysis_loop(analysis, k)->selected)
		k++;
	return k;
}

/*
 * Shown loops must be equal in number, length and iterations, except for one that the ends cut off.
 */
TEST_LOOP(copies_move_boundaries_only, FAMILY_COUNT)
{
	for (uint64_t seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
		struct dp_trace *trace, *changed_trace;
		struct dp_analysis *before, *after;
		size_t i, k;
		struct family f;

		family_make(&f, (enum family_kind)_i, seed, seed % 2, SIZE);
		before = of(&f, seed, UPLOADS_AND_MORE, AS_IT_WAS, false, &trace);
		after = of(&f, seed, UPLOADS_AND_MORE, REVERSED, false, &changed_trace);
		for (i = shown(before, 0), k = shown(after, 0);
		     i < dp_analysis_loop_count(before) && k < dp_analysis_loop_count(after);
		     i = shown(before, i + 1), k = shown(after, k + 1)) {
			const struct dp_loop *x = dp_analysis_loop(before, i);
			const struct dp_loop *y = dp_analysis_loop(after, k);

			ck_assert_uint_eq(x->length, y->length);
			ck_assert_uint_le(x->iterations, y->iterations + 1);
			ck_assert_uint_le(y->iterations, x->iterations + 1);
		}
		ck_assert_uint_eq(i, dp_analysis_loop_count(before));
		ck_assert_uint_eq(k, dp_analysis_loop_count(after));
		dp_analysis_free(before);
		dp_analysis_free(after);
		dp_trace_free(trace);
		dp_trace_free(changed_trace);
		family_free(&f);
	}
}
