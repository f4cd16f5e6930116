/*
 * The detector compared with the batch analysis on families of programs, for any chunks, within its
 * memory bound.
 */
#include "../sim/families.h"
#include "test.h"

#include <deepprof/detector.h>
#include <string.h>

enum { SEEDS = 2 };

/* All that was reported, in order. */
struct reported {
	enum { LOOP, ITERATION, END } kind;
	struct dp_detector_loop loop;
	struct dp_detector_iteration iteration;
	uint64_t sum; /* of the pattern */
};

struct record {
	struct reported *items;
	size_t count, room;
	size_t iterations;
	uint64_t end; /* of the last iteration */
	bool known[4096];
	bool counting; /* only */
	uint32_t *pattern;
	size_t length;
};

static struct reported *add(struct record *r)
{
	if (r->counting)
		r->count = 0;
	ck_assert_int_eq(dp_array__reserve(&r->items, &r->room, r->count + 1, sizeof(*r->items)),
			 DP_OK);
	memset(&r->items[r->count], 0, sizeof(*r->items));
	return &r->items[r->count++];
}

static void on_loop(void *ctx, const struct dp_detector_loop *loop)
{
	struct record *r = ctx;
	struct reported *t = add(r);

	ck_assert_uint_lt(loop->id, DP_COUNT(r->known));
	ck_assert(!r->known[loop->id]);
	ck_assert(loop->confidence > 0 && loop->confidence <= 1);
	ck_assert_uint_gt(loop->length, 0);
	r->known[loop->id] = true;
	t->kind = LOOP;
	t->loop = *loop;
	for (size_t i = 0; i < loop->length; i++)
		t->sum = t->sum * 31 + loop->pattern[i];
	t->loop.pattern = NULL;
	free(r->pattern);
	r->length = loop->length;
	r->pattern = dp_alloc__array(r->length, sizeof(*r->pattern));
	ck_assert_ptr_nonnull(r->pattern);
	memcpy(r->pattern, loop->pattern, r->length * sizeof(*r->pattern));
}

static void on_iteration(void *ctx, const struct dp_detector_iteration *it)
{
	struct record *r = ctx;
	struct reported *t = add(r);

	ck_assert(r->known[it->loop]);
	ck_assert_uint_ge(it->first, r->end);
	ck_assert_uint_gt(it->count, 0);
	r->end = it->first + it->count;
	r->iterations++;
	t->kind = ITERATION;
	t->iteration = *it;
}

static void on_end(void *ctx, uint32_t loop)
{
	struct record *r = ctx;
	struct reported *t = add(r);

	ck_assert(r->known[loop]);
	r->known[loop] = false;
	t->kind = END;
	t->loop.id = loop;
}

static struct dp_detector *start(struct record *r, size_t window)
{
	struct dp_detector_options o = DP_DETECTOR_OPTIONS_INIT;
	struct dp_detector *d = NULL;

	memset(r, 0, sizeof(*r));
	o.window = window;
	o.ctx = r;
	o.loop = on_loop;
	o.iteration = on_iteration;
	o.end = on_end;
	ck_assert_int_eq(dp_detector_new(&d, &o, NULL), DP_OK);
	return d;
}

static void stop(struct record *r)
{
	free(r->items);
	free(r->pattern);
}

static void feed(struct dp_detector *d, const uint32_t *symbols, size_t n)
{
	struct dp_error error = DP_ERROR_INIT;

	ck_assert_int_eq(dp_detector_feed(d, symbols, n, &error), DP_OK);
}

static void run(struct record *r, const uint32_t *symbols, size_t n, size_t window)
{
	struct dp_detector *d = start(r, window);

	feed(d, symbols, n);
	ck_assert_uint_eq(dp_detector_fed(d), n);
	ck_assert_int_eq(dp_detector_finish(d, NULL), DP_OK);
	dp_detector_free(d);
}

/*
 * The beginnings of the batch's iterations at the level that is shown. The end of the sequence is
 * no evidence for the batch, either.
 */
static size_t batch(size_t **starts, const struct family *f)
{
	struct dp_loops_request q = {
		.symbols = f->symbols,
		.count = f->n,
		.alphabet = f->alphabet,
		.epsilon = 1,
		.evidence = { .open_end = true },
	};
	struct dp_loops *loops = NULL;
	size_t n = 0, room = 0;

	*starts = NULL;
	ck_assert_int_eq(dp_loops__find(&loops, &q, NULL), DP_OK);
	for (size_t k = 0; k < loops->count; k++)
		for (size_t i = 0; loops->loops[k].chosen && i < loops->loops[k].count; i++) {
			if (loops->loops[k].iterations[i].partial)
				continue;
			ck_assert_int_eq(dp_array__reserve(starts, &room, n + 1, sizeof(**starts)),
					 DP_OK);
			(*starts)[n++] = loops->loops[k].iterations[i].first;
		}
	dp_loops__free(loops);
	return n;
}

/* F of the reported iterations against the batch's from a position on. */
static double f_from(const struct record *r, const size_t *starts, size_t n, size_t from)
{
	size_t hit = 0, reported = 0, want = 0;

	for (size_t i = 0; i < n; i++)
		want += starts[i] >= from;
	for (size_t k = 0; k < r->count; k++) {
		const struct dp_detector_iteration *it = &r->items[k].iteration;
		bool found = false;

		if (r->items[k].kind != ITERATION || it->partial || it->first < from)
			continue;
		reported++;
		for (size_t i = 0; i < n && !found; i++)
			found = starts[i] == it->first;
		hit += found;
	}
	return reported + want ? 2.0 * (double)hit / (double)(reported + want) : 1;
}

/* Every family that has loops. */
static const struct {
	enum family_kind kind;
	double least;  /* F, of the second half, */
	double inside; /* and of feeds that begin inside an iteration */
} settled[] = {
	{ FAMILY_CLEAN, 0.999, 0.99 },
	{ FAMILY_STATISTICS, 0.99, 0.99 },
	{ FAMILY_ASYNC, 0.99, 0.99 },
	{ FAMILY_JITTER, 0.99, 0.99 },
	{ FAMILY_LOSS, 0.99, 0.99 },
	{ FAMILY_EVALUATION, 0.99, 0.99 },
	{ FAMILY_GAN, 0.99, 0.99 },
	{ FAMILY_SUPERSTEP, 0.99, 0.99 },
	{ FAMILY_AUTOTUNE, 0.99, 0.99 },
	{ FAMILY_GRAPH, 0.99, 0.99 },
	{ FAMILY_DECODE, 0.99, 0.99 },
	/* the second loop reports, in the middle, where the first one's iterations end */
	{ FAMILY_RECOMPILE, 0.99, 0.85 },
	{ FAMILY_DENSE, 0.99, 0.99 },
	/* shapes that were not seen yet hide where iterations begin: inside one, nothing shows it
	 */
	{ FAMILY_SHAPES, 0.95, 0.5 },
	{ FAMILY_RECURRENT, 0.99, 0.99 },
	{ FAMILY_FEW, 0.99, 0.99 },
	{ FAMILY_ACCUMULATION, 0.99, 0.99 },
	{ FAMILY_FLAT, 0.99, 0.99 },
};

/* One kind of feed for each family: both would take twice the time. */
TEST_LOOP(streamed_is_batch_once_settled, DP_COUNT(settled))
{
	bool inside = _i % 2 == 0;
	double sum = 0, least = inside ? settled[_i].inside : settled[_i].least;

	for (uint64_t seed = 2000; seed < 2000 + SEEDS; seed++) {
		struct family f;
		struct record r;
		size_t *starts, n;

		family_make(&f, settled[_i].kind, seed, inside, 0);
		n = batch(&starts, &f);
		ck_assert_uint_gt(n, 0);
		run(&r, f.symbols, f.n, (size_t)1 << 18);
		ck_assert_uint_le(r.end, f.n);
		sum += f_from(&r, starts, n, f.n / 2) / SEEDS;
		free(starts);
		stop(&r);
		family_free(&f);
	}
	ck_assert_msg(sum >= least, "%s: F %.4f", family_name(settled[_i].kind), sum);
}

static void expect_same(const struct reported *a, const struct reported *b)
{
	const struct dp_detector_iteration *x = &a->iteration, *y = &b->iteration;

	ck_assert_int_eq(a->kind, b->kind);
	ck_assert_uint_eq(a->loop.id, b->loop.id);
	ck_assert_uint_eq(a->loop.at, b->loop.at);
	ck_assert_uint_eq(a->loop.length, b->loop.length);
	ck_assert_uint_eq(a->sum, b->sum);
	ck_assert_uint_eq(x->loop, y->loop);
	ck_assert_uint_eq(x->index, y->index);
	ck_assert_uint_eq(x->first, y->first);
	ck_assert_uint_eq(x->count, y->count);
	ck_assert_uint_eq(x->inserted, y->inserted);
	ck_assert_uint_eq(x->deleted, y->deleted);
	ck_assert_uint_eq(x->substituted, y->substituted);
	ck_assert_int_eq(x->partial, y->partial);
}

/* The result does not depend on how the feed is cut. */
TEST(chunks_change_nothing)
{
	static const enum family_kind kinds[] = { FAMILY_LOSS, FAMILY_EVALUATION, FAMILY_DENSE,
						  FAMILY_RECOMPILE };

	for (size_t k = 0; k < DP_COUNT(kinds); k++) {
		struct family f;
		struct record whole;

		family_make(&f, kinds[k], 2001, true, 0);
		run(&whole, f.symbols, f.n, 8192);
		ck_assert_uint_gt(whole.iterations, 0);
		for (size_t most = 1; most < 20000; most = most * 21 + 6) {
			struct record r;
			struct dp_detector *d = start(&r, 8192);
			uint64_t state = most;
			size_t part;

			for (size_t i = 0; i < f.n; i += part) {
				state = state * 6364136223846793005u + 1442695040888963407u;
				part = DP_MIN(1 + (size_t)(state >> 33) % most, f.n - i);
				feed(d, f.symbols + i, part);
			}
			ck_assert_int_eq(dp_detector_finish(d, NULL), DP_OK);
			dp_detector_free(d);
			ck_assert_uint_eq(r.count, whole.count);
			for (size_t i = 0; i < r.count; i++)
				expect_same(&r.items[i], &whole.items[i]);
			stop(&r);
		}
		stop(&whole);
		family_free(&f);
	}
}

TEST(no_loop_where_there_is_none)
{
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct family f;
		struct record r;

		family_make(&f, seed % 2 ? FAMILY_RANDOM : FAMILY_SINGLE_PASS, 3000 + seed, false,
			    seed % 2 ? 3000 : 0);
		run(&r, f.symbols, f.n, (size_t)1 << 16);
		ck_assert_msg(r.count == 0, "%s, seed %llu", seed % 2 ? "random" : "pass",
			      (unsigned long long)seed);
		stop(&r);
		family_free(&f);
	}
}

/*
 * These feeds begin within an iteration of a training loop, and only evaluations show where the
 * others begin: the first of them, a little before the middle, and then at once.
 */
TEST(an_evaluation_shows_where_steps_begin)
{
	static const uint64_t seeds[] = { 9944, 9947 };

	for (size_t i = 0; i < DP_COUNT(seeds); i++) {
		struct family f;
		struct record r;
		size_t *starts, n;

		family_make(&f, FAMILY_EVALUATION, seeds[i], true, 0);
		n = batch(&starts, &f);
		run(&r, f.symbols, f.n, (size_t)1 << 18);
		ck_assert_double_ge(f_from(&r, starts, n, f.n / 2), 1);
		free(starts);
		stop(&r);
		family_free(&f);
	}
}

/* An iteration is reported, with its contents, as soon as 65 symbols of the next are known. */
TEST(iterations_are_reported_at_once)
{
	enum { LENGTH = 100, TURNS = 60 };
	struct record r;
	struct dp_detector *d = start(&r, 4096);
	struct dp_detector_iteration *last;
	size_t begin;

	for (uint32_t t = 0; t < TURNS; t++) {
		begin = t * LENGTH + 2 * (t > TURNS / 2) - (t > TURNS / 2 + 5);
		for (uint32_t i = 0; i < LENGTH; i++) {
			uint32_t extra[] = { 7, 8 }, symbol = 1000000 * (i + 1);

			if (t == TURNS / 2 && i == 50)
				feed(d, extra, 2);
			if (t == TURNS / 2 + 5 && i == 30)
				continue;
			feed(d, &symbol, 1);
			if (i + 1 != 65 || t < TURNS / 2)
				continue;
			ck_assert_uint_gt(r.count, 0);
			last = &r.items[r.count - 1].iteration;
			/* the two with differences wait for quiet */
			if (t == TURNS / 2 || t == TURNS / 2 + 1 || t == TURNS / 2 + 5 ||
			    t == TURNS / 2 + 6)
				continue;
			ck_assert_int_eq(r.items[r.count - 1].kind, ITERATION);
			ck_assert_uint_eq(last->first + last->count, begin);
		}
	}
	ck_assert_int_eq(dp_detector_finish(d, NULL), DP_OK);
	ck_assert_uint_eq(r.iterations, TURNS);
	ck_assert_int_eq(r.items[0].kind, LOOP);
	ck_assert_uint_eq(r.length, LENGTH);
	for (uint32_t i = 0; i < LENGTH; i++)
		ck_assert_uint_eq(r.pattern[i], 1000000 * (i + 1));
	for (size_t k = 1; k < r.count; k++) {
		const struct dp_detector_iteration *it = &r.items[k].iteration;

		ck_assert_uint_eq(it->index, k - 1);
		ck_assert_uint_eq(it->inserted, k == TURNS / 2 + 1 ? 2 : 0);
		ck_assert_uint_eq(it->deleted, k == TURNS / 2 + 6 ? 1 : 0);
		ck_assert_uint_eq(it->count, LENGTH + it->inserted - it->deleted);
		ck_assert(!it->partial && it->substituted == 0);
	}
	dp_detector_free(d);
	stop(&r);
}

/* Ten million symbols, three programs in turn, noise: memory stays below the documented bound. */
TEST(memory_is_bounded)
{
	enum { WINDOW = 4096, TOTAL = 10000000, CHUNK = 5000 };
	static uint32_t s[CHUNK];
	struct record r;
	struct dp_detector *d = start(&r, WINDOW);
	uint64_t state = 3;
	size_t most = 0, bound = 32 * WINDOW + 64 * 1000 + 16 * (48 * WINDOW / 2 + 16384);

	r.counting = true;
	for (size_t i = 0; i < TOTAL; i += CHUNK) {
		uint32_t program = (uint32_t)(i / 1000000 % 3), length = 200 + 37 * program;

		for (size_t k = 0; k < CHUNK; k++) {
			state = state * 6364136223846793005u + 1442695040888963407u;
			s[k] = program * 300 + (uint32_t)((i + k) % length);
			if ((state >> 33) % 2000 == 0)
				s[k] = 950;
		}
		feed(d, s, CHUNK);
		most = DP_MAX(most, dp_detector_bytes(d));
	}
	ck_assert_int_eq(dp_detector_finish(d, NULL), DP_OK);
	ck_assert_msg(most <= bound, "%zu bytes, %zu promised", most, bound);
	/* all but what it takes to see a new program */
	ck_assert_uint_gt(r.iterations, TOTAL / 274 * 9 / 10);
	dp_detector_free(d);
	stop(&r);
}

/*
 * A new program is found long after the window has filled up, and the old one is recognized again.
 */
TEST(other_programs_are_found_later)
{
	static uint32_t s[200000];
	struct record r;
	size_t loops = 0, covered = 0;

	for (size_t i = 0; i < DP_COUNT(s); i++) {
		uint32_t program = (uint32_t)(i / 50000 % 2);

		s[i] = program * 500 + (uint32_t)(i % (program ? 250 : 400));
	}
	run(&r, s, DP_COUNT(s), 4096);
	for (size_t k = 0; k < r.count; k++) {
		loops += r.items[k].kind == LOOP;
		covered += r.items[k].iteration.count;
	}
	ck_assert_uint_eq(loops, 2);
	ck_assert_uint_gt(covered, DP_COUNT(s) * 9 / 10);
	stop(&r);
}

/*
 * Steps without layers, of which one in a few has a kernel more or less: one loop to the end,
 * however long it is fed, rather than one from each such step to the next.
 */
TEST_LOOP(steps_stay_steps, 4)
{
	static const struct {
		uint32_t length, steps, less, more;
	} cases[] = {
		{ 9, 1000, 0, 40 },
		{ 50, 300, 10, 0 },
		{ 50, 300, 37, 50 },
		{ 179, 2000, 0, 100 },
	};
	uint32_t length = cases[_i].length, less = cases[_i].less, more = cases[_i].more;
	struct record r;
	struct dp_detector *d = start(&r, 1 << 16);
	uint32_t step[200];

	for (uint32_t k = 0; k <= length; k++)
		step[k] = k;
	for (uint32_t i = 1; i <= cases[_i].steps; i++) {
		feed(d, step, length / 2);
		if (!less || i % less)
			feed(d, step + length / 2, 1);
		feed(d, step + length / 2 + 1, length - length / 2 - 1);
		if (more && i % more == 0)
			feed(d, step + length, 1);
	}
	ck_assert_int_eq(dp_detector_finish(d, NULL), DP_OK);
	dp_detector_free(d);
	ck_assert_uint_eq(r.iterations, cases[_i].steps);
	for (size_t k = 0; k < r.count; k++)
		ck_assert(r.items[k].kind != LOOP || r.items[k].loop.length == length);
	stop(&r);
}

/* What comes once before a loop does not keep it from being reported soon. */
TEST(one_kernel_before_a_loop)
{
	enum { LENGTH = 70, STEPS = 150 };
	struct record r;
	struct dp_detector *d = start(&r, 1 << 16);
	uint32_t kernel = 500;

	feed(d, &kernel, 1);
	for (uint32_t i = 0; i < STEPS; i++)
		for (kernel = 0; kernel < LENGTH; kernel++)
			feed(d, &kernel, 1);
	ck_assert_int_eq(dp_detector_finish(d, NULL), DP_OK);
	dp_detector_free(d);
	ck_assert_uint_ge(r.iterations, STEPS);
	ck_assert_int_eq(r.items[0].kind, LOOP);
	ck_assert_uint_le(r.items[0].loop.at, 10 * LENGTH);
	stop(&r);
}

/* Feeds a step that ends in as many cells as there are kernels of one kind in its middle. */
static void feed_step(struct dp_detector *d, uint32_t cells)
{
	static const uint32_t cell[5] = { 1, 2, 3, 4, 5 };

	for (uint32_t k = 0; k < 80 + cells; k++) {
		uint32_t kernel = k < 40 ? 100 + k : k < 40 + cells ? 50 + k % 3 : 100 + k - cells;

		feed(d, &kernel, 1);
	}
	for (uint32_t k = 0; k < cells; k++)
		feed(d, cell, 5);
}

/*
 * Such steps, each with a different number of cells, are fed from within the last cells on: where
 * the feed began is no evidence for where a step does.
 */
TEST(repetitions_may_be_cut)
{
	enum { STEPS = 120, HEAD = 14 };
	static const uint32_t head[HEAD] = { 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5 };
	uint64_t starts[STEPS + 1] = { HEAD }, reported = 0;
	struct record r;
	struct dp_detector *d = start(&r, 1 << 16);

	feed(d, head, HEAD); /* less than what counts as a repetition */
	for (uint32_t i = 0; i < STEPS; i++) {
		feed_step(d, 20 + i * 7919 % 31);
		starts[i + 1] = dp_detector_fed(d);
	}
	ck_assert_int_eq(dp_detector_finish(d, NULL), DP_OK);
	dp_detector_free(d);
	for (size_t k = 0, i = 0; k < r.count; k++) {
		const struct dp_detector_iteration *it = &r.items[k].iteration;

		if (r.items[k].kind != ITERATION)
			continue;
		while (i < STEPS && starts[i] < it->first)
			i++;
		reported += it->first == starts[i] && it->first + it->count == starts[i + 1];
	}
	ck_assert_uint_ge(reported, STEPS - 2);
	stop(&r);
}

TEST(bad_calls)
{
	struct dp_detector_options o = DP_DETECTOR_OPTIONS_INIT;
	struct dp_error error = DP_ERROR_INIT;
	struct dp_detector *d = NULL;
	uint32_t one = 1;

	o.window = 1023;
	ck_assert_int_eq(dp_detector_new(&d, &o, &error), DP_ERR_ARGUMENT);
	ck_assert_int_eq(error.status, DP_ERR_ARGUMENT);
	o.window = ((size_t)1 << 24) + 1;
	ck_assert_int_eq(dp_detector_new(&d, &o, NULL), DP_ERR_ARGUMENT);
	o.window = 1024;
	o.size = 4;
	ck_assert_int_eq(dp_detector_new(&d, &o, NULL), DP_ERR_ARGUMENT);
	ck_assert_ptr_null(d);
	ck_assert_int_eq(dp_detector_new(&d, NULL, NULL), DP_OK);
	ck_assert_int_eq(dp_detector_feed(d, NULL, 0, NULL), DP_OK);
	ck_assert_int_eq(dp_detector_feed(d, &one, 1, NULL), DP_OK);
	ck_assert_int_eq(dp_detector_finish(d, NULL), DP_OK);
	ck_assert_int_eq(dp_detector_feed(d, &one, 1, NULL), DP_ERR_ARGUMENT);
	ck_assert_int_eq(dp_detector_finish(d, NULL), DP_ERR_ARGUMENT);
	ck_assert_uint_eq(dp_detector_fed(d), 1);
	dp_detector_free(d);
	dp_detector_free(NULL);
}
