/*
 * Where one loop ends and another begins: a long loop with a short one in between, with kernels at
 * the end of both, and edits next to the seam.
 */
#include "align/align.h"
#include "iterate/seams.h"
#include "loops/loops.h"
#include "test.h"

enum {
	LONG = 60,     /* kernels of an iteration of the long loop, names [0, LONG) */
	SHORT = 12,    /* of the short one, names from LONG on */
	BEFORE = 20,   /* iterations of the long one */
	BETWEEN = 6,   /* of the short one */
	ROOM = 1 << 12,
};

static uint32_t symbols[ROOM];
static size_t count;

enum { SAME, LOST, RENAMED, TWICE };

/* One of the program's iterations, one kernel of which is edited. */
static void put(uint32_t first, uint32_t n, uint32_t ends_with, uint32_t kernel, int edit)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t name = i + 1 == n ? ends_with : first + i;
		bool here = i == kernel && edit != SAME;

		if (here && edit == LOST)
			continue;
		symbols[count++] = here && edit == RENAMED ? LONG + SHORT : name;
		if (here && edit == TWICE)
			symbols[count++] = LONG + SHORT;
	}
}

static const struct dp_sequence_loop *loop_of(const struct dp_loops *loops, size_t length)
{
	for (size_t i = 0; i < loops->count; i++)
		if (loops->loops[i].length == length)
			return &loops->loops[i];
	ck_abort_msg("no loop of %zu kernels", length);
}

/* What is edited: a kernel of an iteration of the short loop, or of the long one's before it. */
static const struct {
	bool in_short;
	uint32_t iteration, kernel;
	int edit;
} cases[] = {
	{ true, 0, 0, SAME },
	{ true, 0, 1, LOST },
	{ true, 0, 2, RENAMED },
	{ true, 0, 3, TWICE },
	{ true, BETWEEN - 1, SHORT - 4, LOST },
	{ true, BETWEEN - 1, SHORT - 3, TWICE },
	{ false, BEFORE - 1, LONG - 3, LOST },
	{ false, BEFORE - 1, LONG - 3, TWICE },
	{ false, BEFORE - 1, LONG - 2, RENAMED },
	{ false, BEFORE, 1, LOST },
	{ false, BEFORE, 2, TWICE },
};

TEST_LOOP(loops_meet_where_iterations_do, 2 * DP_COUNT(cases))
{
	bool alike = _i % 2; /* both loops end with the same kernel */
	uint32_t last = alike ? LONG - 1 : LONG + SHORT - 1;
	size_t starts[BETWEEN], n = 0, end = 0;
	struct dp_loops_request r = {
		.symbols = symbols, .alphabet = LONG + SHORT + 1, .epsilon = 1
	};
	const struct dp_sequence_loop *inner, *outer;
	struct dp_loops *loops;

	count = 0;
	for (uint32_t i = 0; i < 2 * BEFORE; i++) {
		for (uint32_t k = 0; i == BEFORE && k < BETWEEN; k++) {
			starts[n++] = count;
			put(LONG, SHORT, last, cases[_i / 2].kernel,
			    cases[_i / 2].in_short && cases[_i / 2].iteration == k
				    ? cases[_i / 2].edit
				    : SAME);
		}
		end = i == BEFORE ? count : end;
		put(0, LONG, LONG - 1, cases[_i / 2].kernel,
		    !cases[_i / 2].in_short && cases[_i / 2].iteration == i ? cases[_i / 2].edit
									    : SAME);
	}
	r.count = count;
	ck_assert_int_eq(dp_loops__find(&loops, &r, NULL), DP_OK);
	outer = loop_of(loops, LONG);
	inner = loop_of(loops, SHORT);
	ck_assert_uint_eq(outer->count, 2 * BEFORE);
	ck_assert_uint_eq(outer->iterations[BEFORE - 1].end, starts[0]);
	ck_assert_uint_eq(outer->iterations[BEFORE].first, end);
	ck_assert_uint_eq(inner->count, BETWEEN);
	for (size_t i = 0; i < BETWEEN; i++) {
		ck_assert_uint_eq(inner->iterations[i].first, starts[i]);
		ck_assert(!inner->iterations[i].partial);
	}
	ck_assert_uint_eq(inner->iterations[BETWEEN - 1].end, end);
	dp_loops__free(loops);
}

/* A short loop in place of some missing kernels is not part of the iteration. */
TEST(a_short_loop_is_no_stand_in)
{
	struct dp_loops_request r = {
		.symbols = symbols, .alphabet = LONG + SHORT + 1, .epsilon = 1
	};
	struct dp_loops *loops;

	count = 0;
	for (uint32_t i = 0; i < 2 * BEFORE; i++) {
		put(0, i + 1 == BEFORE ? LONG - 8 : LONG, i + 1 == BEFORE ? LONG - 9 : LONG - 1, 0,
		    SAME);
		for (uint32_t k = 0; i + 1 == BEFORE && k < 5; k++)
			put(LONG, 5, LONG + 4, 0, SAME);
	}
	r.count = count;
	ck_assert_int_eq(dp_loops__find(&loops, &r, NULL), DP_OK);
	ck_assert_uint_eq(loop_of(loops, 5)->count, 5);
	dp_loops__free(loops);
}

static size_t below(uint64_t *rng, size_t n)
{
	*rng = *rng * 6364136223846793005u + 1442695040888963407u;
	return (size_t)((*rng >> 33) % n);
}

/* A span's edits lead from its first offset to its last one, and all other symbols are equal. */
static void check_span(const struct dp_alignment *al, const struct dp_align_span *s,
		       const uint32_t *text, const struct dp_align_pattern *patterns)
{
	const struct dp_align_pattern *p = &patterns[s->pattern];
	size_t at = s->begin, offset = s->begin_offset;

	for (size_t i = 0; i < s->edit_count; i++) {
		const struct dp_edit *edit = &al->edits[s->edits + i];

		for (; at < edit->position; at++, offset = (offset + 1) % p->length)
			ck_assert_uint_eq(text[at], p->symbols[offset]);
		ck_assert_uint_eq(edit->offset, offset);
		at += edit->kind != DP_EDIT_DELETED;
		offset = (offset + (edit->kind != DP_EDIT_INSERTED)) % p->length;
	}
	ck_assert_uint_le(at, s->end);
	for (; at < s->end; at++, offset = (offset + 1) % p->length)
		ck_assert_uint_eq(text[at], p->symbols[offset]);
	ck_assert_uint_eq(offset, s->end_offset);
}

/* True if one span of a pattern extends over an iteration, which no other span enters. */
static bool is_whole(const struct dp_alignment *al, uint32_t pattern, size_t begin, size_t end)
{
	bool whole = false;

	for (size_t i = 0; i < al->span_count; i++) {
		const struct dp_align_span *s = &al->spans[i];

		if (s->pattern == pattern)
			whole |= s->begin <= begin && s->end >= end;
		else if (s->begin < end && s->end > begin)
			return false;
	}
	return whole;
}

/*
 * Training and validation begin alike, but for the kernels that load a batch, and kernels of
 * neither may be between them, which the aligner may take for those that load: iterations of the
 * loop that is placed are whole, wherever its pattern begins, and edits stay where they are. What
 * is of the training alone is long enough that a validation is not taken for a training with edits.
 */
TEST_LOOP(loops_may_begin_alike, 300)
{
	enum { ALIKE = 30, MOST = 80, LOAD = 100, OTHER = 110, NEITHER = 130, LOG = 140 };
	enum { PHASES = 5 };
	uint64_t rng = (uint64_t)_i;
	uint32_t alike = 1 + (uint32_t)below(&rng, ALIKE), own = 20 + (uint32_t)below(&rng, 27);
	uint32_t other = 3 + (uint32_t)below(&rng, 10), neither = (uint32_t)below(&rng, 8);
	uint32_t load = (uint32_t)below(&rng, 4), edits = (uint32_t)below(&rng, 2);
	uint32_t log = load + (uint32_t)below(&rng, 5);
	uint32_t names[2][MOST], length = load + alike + own;
	size_t turned = below(&rng, length), begins[PHASES * 4], passes[PHASES], made = 0;
	struct dp_align_pattern patterns[2] = { { names[0], length }, { names[1], alike + other } };
	struct dp_alignment al;

	for (size_t i = 0; i < length; i++) {
		size_t k = (i + turned) % length;

		names[0][i] = (uint32_t)(k < load ? LOAD + k : k - load);
	}
	for (uint32_t i = 0; i < alike + other; i++)
		names[1][i] = i < alike ? i : OTHER + i - alike;
	count = 0;
	for (uint32_t phase = 0; phase < PHASES; phase++) {
		for (uint32_t i = 0; i < 4; i++) {
			begins[made++] = count;
			put(LOAD, load, LOAD + load - 1, 0, SAME);
			put(0, alike + own, alike + own - 1, 0, SAME);
		}
		put(LOG, log, LOG, 0, SAME);
		passes[phase] = count;
		for (uint32_t i = 0; i < 4; i++) {
			put(0, alike, alike - 1, 0, SAME);
			put(OTHER, other, OTHER + other - 1, (uint32_t)below(&rng, other),
			    edits && !below(&rng, 3) ? LOST : SAME);
		}
		put(NEITHER, neither, NEITHER, 0, SAME);
	}
	ck_assert_int_eq(dp_align__run(&al, symbols, count, patterns, 2), DP_OK);
	ck_assert_int_eq(
		dp_seams__close(&al, symbols, patterns, 0, (length - turned) % length, NULL),
		DP_OK);
	for (size_t i = 0; i < al.span_count; i++)
		check_span(&al, &al.spans[i], symbols, patterns);
	for (size_t i = 0; i < made; i++)
		ck_assert_msg(is_whole(&al, 0, begins[i], begins[i] + length), "iteration %zu", i);
	for (size_t i = 0; i < PHASES && !edits; i++)
		ck_assert_msg(is_whole(&al, 1, passes[i], passes[i] + alike + other), "pass %zu",
			      i);
	dp_align__fini(&al);
}

/*
 * The same where an iteration lacks more than a seam may have: in a long sequence the aligner may
 * not follow a pattern back as far as it matches.
 */
TEST(loops_may_begin_alike_at_length)
{
	enum { ALIKE = 90, OWN = 60, OTHER = 40, NAMES = 1000, TURNS = 9000 };
	uint32_t first[ALIKE + OWN], second[ALIKE + OTHER];
	const struct dp_align_pattern patterns[] = { { first, ALIKE + OWN },
						     { second, ALIKE + OTHER } };
	uint32_t *text = calloc(TURNS, (ALIKE + OWN + OTHER + 1) * sizeof(*text));
	struct dp_alignment al;
	size_t n = 0;

	ck_assert_ptr_nonnull(text);
	for (uint32_t i = 0; i < ALIKE + OWN; i++)
		first[i] = i;
	for (uint32_t i = 0; i < ALIKE + OTHER; i++)
		second[i] = i < ALIKE ? i : NAMES + i - ALIKE;
	for (uint32_t turn = 0; turn < TURNS; turn++) {
		for (uint32_t i = 0; i < OTHER; i++)
			text[n++] = NAMES + i;
		for (uint32_t i = 0; i < ALIKE + OWN; i++)
			text[n++] = i;
		text[n++] = 2 * NAMES + turn % 7;
	}
	ck_assert_int_eq(dp_align__run(&al, text, n, patterns, 2), DP_OK);
	ck_assert_int_eq(dp_seams__close(&al, text, patterns, 0, 0, NULL), DP_OK);
	for (size_t i = 0; i < al.span_count; i++)
		check_span(&al, &al.spans[i], text, patterns);
	dp_align__fini(&al);
	free(text);
}
