/* Iterations that are cut from an alignment, of loops whose inner loops run a varying number of
 * times: none overlap, and each is what its edits make of the pattern. */
#include "align/align.h"
#include "iterate/cut.h"
#include "test.h"

enum { ROOM = 4096, LONGEST = 64 };

static uint64_t state = 1;

static uint32_t below(uint32_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % n;
}

/* A loop: what precedes an inner loop, one iteration of it, and what follows. */
struct loop {
	uint32_t head[8], unit[8], tail[8];
	size_t head_length, unit_length, tail_length;
};

static size_t fill(uint32_t *s, uint32_t names)
{
	size_t length = 1 + below(8);

	for (size_t i = 0; i < length; i++)
		s[i] = below(names);
	return length;
}

static size_t append(uint32_t *to, size_t n, const uint32_t *s, size_t length)
{
	memcpy(to + n, s, length * sizeof(*s));
	return n + length;
}

/* Writes an iteration whose inner loop runs `times` times; returns its length. */
static size_t write_iteration(uint32_t *to, const struct loop *loop, size_t times)
{
	size_t n = append(to, 0, loop->head, loop->head_length);

	for (size_t i = 0; i < times; i++)
		n = append(to, n, loop->unit, loop->unit_length);
	return append(to, n, loop->tail, loop->tail_length);
}

/* Checks one iteration against the pattern and its edits. */
static void check(const struct dp_cut *cut, const struct dp_sequence_iteration *it,
		  const uint32_t *symbols, const struct dp_cut_pattern *p)
{
	size_t count = dp_iteration__edit_count(it), e = 0, at = it->first;
	const struct dp_edit *edits = count ? cut->edits + it->edits : NULL;

	for (size_t offset = 0; offset <= p->length; offset++) {
		bool used = false;

		for (; e < count && edits[e].offset == offset; e++) {
			used |= edits[e].kind != DP_EDIT_INSERTED;
			at += edits[e].kind != DP_EDIT_DELETED;
		}
		if (used || offset == p->length)
			continue;
		ck_assert_uint_lt(at, it->end);
		ck_assert_uint_eq(symbols[at++], p->rotated[offset]);
	}
	ck_assert_uint_eq(e, count);
	ck_assert_uint_eq(at, it->end);
}

TEST(varying_inner_loops)
{
	size_t iterations = 0;

	for (int round = 0; round < 20000; round++) {
		struct loop loop;
		uint32_t s[ROOM], given[LONGEST + 32], rotated[LONGEST + 32];
		size_t n = 0, most = 2 + below(6), m, last = 0;
		uint32_t names = 2 + below(6);
		struct dp_alignment al;
		struct dp_cut cut;

		loop.head_length = fill(loop.head, names);
		loop.unit_length = fill(loop.unit, names);
		loop.tail_length = fill(loop.tail, names);
		for (int i = 0; i < 12; i++)
			n += write_iteration(s + n, &loop, below((uint32_t)most + 1));
		m = write_iteration(given, &loop, most);

		struct dp_align_pattern pattern = { given, m };
		struct dp_cut_source source = { .alignment = &al, .symbols = s, .aligned = s, .n = n };
		struct dp_cut_pattern p = { rotated, rotated, m, below((uint32_t)m) };

		append(rotated, append(rotated, 0, given + p.first, m - p.first), given, p.first);
		ck_assert_int_eq(dp_align__run(&al, s, n, &pattern, 1), DP_OK);
		ck_assert_int_eq(dp_cut__run(&cut, &source, &p, 1), DP_OK);
		for (size_t i = 0; i < cut.count; i++) {
			const struct dp_sequence_iteration *it = &cut.iterations[i];

			ck_assert_uint_ge(it->first, last);
			ck_assert_uint_lt(it->first, it->end);
			ck_assert_uint_le(it->end, n);
			last = it->end;
			if (!it->partial)
				check(&cut, it, s, &p);
		}
		iterations += cut.count;
		dp_cut__fini(&cut);
		dp_align__fini(&al);
	}
	ck_assert_uint_gt(iterations, 20000);
}

/*
 * An iteration of two spans that overlap lacks its first two symbols: those before its second span
 * are its own, and replace none.
 */
TEST(iterations_of_overlapping_spans)
{
	enum { M = 40, LACKS = 2, N = M - LACKS };
	struct dp_align_span spans[] = {
		{ .end = 28, .begin_offset = LACKS, .end_offset = 28 + LACKS },
		{ .begin = 24, .end = N, .begin_offset = 24 + LACKS, .end_offset = 0 },
	};
	const struct dp_alignment al = { .spans = spans, .span_count = 2 };
	uint32_t pattern[M];
	const struct dp_cut_pattern list = { pattern, pattern, M, 0 };
	const struct dp_cut_source source = {
		.alignment = &al, .symbols = pattern + LACKS, .aligned = pattern + LACKS, .n = N
	};
	struct dp_cut cut;

	for (uint32_t o = 0; o < M; o++)
		pattern[o] = o;
	ck_assert_int_eq(dp_cut__run(&cut, &source, &list, 1), DP_OK);
	for (size_t i = 0; i < cut.count; i++)
		ck_assert(cut.iterations[i].first <= cut.iterations[i].end &&
			  cut.iterations[i].end <= N);
	ck_assert_uint_eq(cut.count, 1);
	dp_cut__fini(&cut);
}
