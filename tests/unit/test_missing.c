/*
 * An iteration that the given number requires and that is unlike the others: the first, or the
 * last.
 */
#include "loop_checks.h"
#include "test.h"

#include <string.h>

enum { SEEDS = 6, FIRST_SAME = 4, NEAR = 20 };

static uint64_t state;

static size_t below(size_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (size_t)(state >> 33) % n;
}

/* What replaces an iteration. */
enum stand_in {
	DEVIANT, /* the same kernels in another order, some others, begun alike */
	SET_OFF, /* the same, but it begins otherwise: a pause or the capture's begin tells */
	FOREIGN, /* as many kernels that the others don't have */
	HALF,	 /* half as many of its own */
};

/* A sequence whose loop has an iteration replaced; the evidence goes along. */
struct changed {
	uint32_t *symbols;
	struct dp_evidence_at *evidence;
	size_t n;
	uint32_t alphabet;
	size_t first, end; /* of what stands in */
};

static void put(struct changed *c, uint32_t symbol, struct dp_evidence_at evidence)
{
	c->symbols[c->n] = symbol;
	c->evidence[c->n++] = evidence;
}

static void put_range(struct changed *c, const struct family *f, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++)
		put(c, f->symbols[i], f->evidence[i]);
}

/* An autotuner's iteration: blocks in another order, trial kernels between them. */
static void put_deviant(struct changed *c, const struct family *f, size_t first, size_t end)
{
	static const struct dp_evidence_at plain = { 1000, 1000, true, false, false, false };
	size_t same = DP_MIN((size_t)FIRST_SAME, end - first), low = first + same;
	size_t middle = low + (end - low) / 2, a = low, b = middle;

	put_range(c, f, first, low);
	while (a < middle || b < end) {
		bool second = a == middle || (b < end && below(2));
		size_t *at = second ? &b : &a, until = second ? end : middle;
		size_t stop = *at + 1 + below(6);

		stop = DP_MIN(stop, until);
		put_range(c, f, *at, stop);
		*at = stop;
		if (below(4) == 0)
			put(c, f->alphabet + (uint32_t)below(5), plain);
	}
}

static void change(struct changed *c, const struct family *f, const struct family_loop *loop,
		   size_t which, enum stand_in by)
{
	size_t first = loop->starts[which], end = loop->ends[which];

	memset(c, 0, sizeof(*c));
	c->symbols = malloc(2 * f->n * sizeof(*c->symbols));
	c->evidence = malloc(2 * f->n * sizeof(*c->evidence));
	c->alphabet = f->alphabet + 300;
	ck_assert(c->symbols && c->evidence);
	put_range(c, f, 0, first);
	c->first = c->n;
	if (by == HALF)
		put_range(c, f, first, first + (end - first) / 2);
	for (size_t i = first; by == FOREIGN && i < end; i++)
		put(c, f->alphabet + 10 + (uint32_t)below(200), f->evidence[i]);
	if (by == DEVIANT || by == SET_OFF)
		put_deviant(c, f, first, end);
	for (size_t i = 0; by == SET_OFF && i < FIRST_SAME; i++)
		c->symbols[c->first + i] = f->alphabet + 290 + (uint32_t)i;
	c->end = c->n;
	put_range(c, f, end, f->n);
}

static void at(void *ctx, size_t index, struct dp_evidence_at *out)
{
	*out = ((const struct changed *)ctx)->evidence[index];
}

static struct dp_loops *find_counted(const struct changed *c, uint64_t count, bool open)
{
	struct dp_loops_request r = {
		.symbols = c->symbols,
		.count = c->n,
		.alphabet = c->alphabet,
		.counts = &count,
		.counts_count = 1,
		.epsilon = 1,
		.evidence = { at, (void *)(uintptr_t)c, true, open, open, false },
	};
	struct dp_loops *loops = NULL;

	ck_assert_int_eq(dp_loops__find(&loops, &r, NULL), DP_OK);
	check_counted(loops);
	return loops;
}

/* Whole iterations; *found is whether one is what stands in. */
static size_t whole(const struct dp_sequence_loop *loop, const struct changed *c, bool *found)
{
	size_t n = 0, edits = 0;

	*found = false;
	for (size_t i = 0; i < loop->count; i++) {
		const struct dp_sequence_iteration *s = &loop->iterations[i];

		ck_assert(i == 0 || s[-1].end <= s->first);
		ck_assert_uint_eq(s->edits, edits);
		edits += (size_t)s->inserted + s->deleted + s->substituted;
		n += !s->partial;
		/* what surrounds it may be counted to it, and the reverse */
		*found |= !s->partial && s->first + NEAR > c->first && s->first < c->first + NEAR &&
			  s->end + NEAR > c->end && s->end < c->end + NEAR;
		/* its edits describe its contents */
		ck_assert_uint_eq(s->partial ? 0 : s->end - s->first + s->deleted,
				  s->partial ? 0 : loop->length + s->inserted);
	}
	ck_assert_uint_eq(edits, loop->edit_count);
	return n;
}

static const enum family_kind kinds[] = { FAMILY_CLEAN, FAMILY_STATISTICS, FAMILY_ASYNC,
					  FAMILY_JITTER };

static size_t count_of(const struct family *f, const struct family_loop **loop)
{
	*loop = &f->loops[0];
	for (size_t k = 0; k < f->loop_count; k++)
		if (f->loops[k].main)
			*loop = &f->loops[k];
	return (*loop)->count;
}

/*
 * How often, of SEEDS, the replacement of the first or last iteration counts as one because of the
 * number.
 */
static size_t accepted(enum family_kind kind, enum stand_in by, bool last, bool open)
{
	size_t taken = 0;

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		const struct family_loop *loop;
		struct dp_loops *loops;
		struct changed c;
		struct family f;
		size_t count;
		bool found, anyway;

		state = seed;
		family_make(&f, kind, seed + 300, false, 3000);
		count = count_of(&f, &loop);
		change(&c, &f, loop, last ? count - 1 : 0, by);
		loops = find_counted(&c, count, open);
		ck_assert_uint_le(whole(&loops->loops[0], &c, &found), count);
		dp_loops__free(loops);
		/* without the number it is at most what names alone make it */
		loops = find_counted(&c, count - 1, open);
		whole(&loops->loops[0], &c, &anyway);
		taken += found && !anyway;
		dp_loops__free(loops);
		free(c.symbols);
		free(c.evidence);
		family_free(&f);
	}
	return taken;
}

TEST_LOOP(one_begun_alike_is_taken, DP_COUNT(kinds))
{
	ck_assert_uint_ge(accepted(kinds[_i], DEVIANT, false, false), SEEDS - 1);
	ck_assert_uint_ge(accepted(kinds[_i], DEVIANT, true, false), SEEDS - 1);
}

/*
 * With another beginning: the first, if the capture begins there on purpose; the last, by a pause.
 */
TEST_LOOP(one_set_off_is_taken, DP_COUNT(kinds))
{
	ck_assert_uint_ge(accepted(kinds[_i], SET_OFF, false, false), SEEDS - 1);
	ck_assert_uint_eq(accepted(kinds[_i], SET_OFF, false, true), 0);
	ck_assert_uint_ge(accepted(kinds[_i], SET_OFF, true, false), SEEDS / 2);
}

TEST_LOOP(what_is_unlike_is_left, DP_COUNT(kinds))
{
	ck_assert_uint_eq(accepted(kinds[_i], FOREIGN, false, false), 0);
	ck_assert_uint_eq(accepted(kinds[_i], FOREIGN, true, false), 0);
	/* an alignment of unsure names may, reported or not, complete it */
	ck_assert_uint_le(accepted(kinds[_i], HALF, false, false), 1);
	ck_assert_uint_eq(accepted(kinds[_i], HALF, true, false), 0);
}
