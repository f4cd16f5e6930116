/* The aligner against exact wraparound alignment, and on inputs made to slow it down. */
#include "align/align.h"
#include "iterate/cut.h"
#include "align/diff.h"
#include "test.h"

#include <string.h>
#include <time.h>

static uint64_t state = 1;

static uint32_t below(uint32_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % n;
}

/*
 * The fewest edits between s[0..n) and p repeated cyclically, from any offset to any other: dynamic
 * programming with wraparound (Myers and Miller 1989), two passes per row for the deletions.
 */
static size_t exact_edits(const uint32_t *s, size_t n, const uint32_t *p, size_t m)
{
	size_t *row = calloc(m, sizeof(*row)), *next = malloc(m * sizeof(*next)), best = SIZE_MAX;

	for (size_t i = 0; i < n; i++) {
		for (size_t o = 0; o < m; o++) { /* next[o]: the symbol before offset o is used */
			size_t from = (o + m - 1) % m;

			next[o] = row[from] + (s[i] != p[from]);
			if (row[o] + 1 < next[o])
				next[o] = row[o] + 1;
		}
		for (size_t o = 0; o < 2 * m; o++)
			if (next[o % m] + 1 < next[(o + 1) % m])
				next[(o + 1) % m] = next[o % m] + 1;
		memcpy(row, next, m * sizeof(*row));
	}
	for (size_t o = 0; o < m; o++)
		best = DP_MIN(best, row[o]);
	free(row);
	free(next);
	return best;
}

/* A noisy sequence of a pattern with a repeated part; rate in thousandths. */
static size_t make(uint32_t *s, size_t turns, uint32_t *p, size_t m, uint32_t rate)
{
	size_t n = 0;

	for (size_t i = 0; i < m; i++)
		p[i] = i >= m / 4 && i < m / 2 ? 100 + (uint32_t)(i % 7) : below(60);
	for (size_t i = 0; i < turns * m; i++) {
		uint32_t x = below(3000);

		if (x < rate)
			s[n++] = 200 + below(9);
		else if (x < 2 * rate)
			continue;
		s[n++] = x >= 2 * rate && x < 3 * rate ? 200 + below(9) : p[i % m];
	}
	return n;
}

/* Walks all spans and checks that runs match and that positions and offsets add up. */
static void check_walk(const struct dp_alignment *al, const uint32_t *s, size_t n,
		       const struct dp_align_pattern *patterns)
{
	for (size_t k = 0; k < al->span_count; k++) {
		const struct dp_align_span *span = &al->spans[k];
		const struct dp_align_pattern *p = &patterns[span->pattern];
		size_t at = span->begin, offset = span->begin_offset;
		struct dp_walk walk;
		struct dp_walk_item item;

		ck_assert_uint_le(span->end, n);
		ck_assert_uint_lt(span->begin, span->end);
		ck_assert_uint_lt(span->begin_offset, p->length);
		dp_walk__begin(&walk, al, k, p->length, 0);
		while (dp_walk__next(&walk, &item)) {
			ck_assert_uint_eq(item.at, at);
			ck_assert_uint_eq(item.offset, offset % p->length);
			if (item.kind == DP_WALK_MATCH)
				ck_assert_mem_eq(s + at, p->symbols + item.offset,
						 item.length * sizeof(*s));
			else if (item.kind == DP_EDIT_SUBSTITUTED)
				ck_assert_uint_ne(s[at], p->symbols[item.offset]);
			at += item.length;
			if (item.kind == DP_WALK_MATCH)
				offset += item.length;
			else if (item.kind != DP_EDIT_INSERTED)
				offset++;
			offset %= p->length;
		}
		ck_assert_uint_eq(at, span->end);
		ck_assert_uint_eq(offset, span->end_offset);
		if (k > 0)
			ck_assert_uint_ge(span->begin, al->spans[k - 1].begin);
	}
}

TEST(clean_has_no_edits)
{
	for (size_t m = 1; m < 60; m++) {
		uint32_t p[64], s[4000];
		struct dp_align_pattern pattern = { p, m };
		struct dp_alignment al;
		size_t shift = below((uint32_t)m), n = 30 * m + below(20);

		for (size_t i = 0; i < m; i++)
			p[i] = (uint32_t)i;
		for (size_t i = 0; i < n; i++)
			s[i] = p[(i + shift) % m];
		ck_assert_int_eq(dp_align__run(&al, s, n, &pattern, 1), DP_OK);
		ck_assert_uint_eq(al.span_count, 1);
		ck_assert_uint_eq(al.edit_count, 0);
		ck_assert_uint_eq(al.spans[0].begin, 0);
		ck_assert_uint_eq(al.spans[0].end, n);
		ck_assert_uint_eq(al.spans[0].begin_offset, shift);
		ck_assert_uint_eq(dp_align__advance(&al, 0), n);
		dp_align__fini(&al);
	}
}

/* Within 1.15 of the optimum over many noisy sequences, and each within 1.3. */
TEST(edits_are_near_the_optimum)
{
	static uint32_t s[40000], p[400];
	static const uint32_t rates[] = { 2, 10, 35, 60 };

	for (size_t r = 0; r < DP_COUNT(rates); r++) {
		size_t all = 0, best = 0;

		for (int round = 0; round < 12; round++) {
			size_t m = 40 + below(300), n = make(s, 12, p, m, rates[r]), edits, exact;
			struct dp_align_pattern pattern = { p, m };
			struct dp_alignment al;
			size_t covered = 0, before = 0;

			ck_assert_int_eq(dp_align__run(&al, s, n, &pattern, 1), DP_OK);
			check_walk(&al, s, n, &pattern);
			edits = al.edit_count;
			for (size_t k = 0; k < al.span_count; k++) {
				covered += al.spans[k].end - DP_MAX(al.spans[k].begin, before);
				before = al.spans[k].end;
			}
			edits += n - covered;
			exact = exact_edits(s, n, p, m);
			ck_assert_uint_ge(edits + 0, exact);
			all += edits;
			best += exact;
			dp_align__fini(&al);
		}
		ck_assert_msg((double)all <= 1.15 * (double)best + 8,
			      "rate %u: %zu edits, %zu best", rates[r], all, best);
	}
}

TEST(finds_each_of_two_patterns)
{
	uint32_t a[50], b[30], s[3000];
	struct dp_align_pattern patterns[] = { { a, 50 }, { b, 30 } };
	struct dp_alignment al;
	size_t n = 0, first;

	for (uint32_t i = 0; i < 50; i++)
		a[i] = i;
	for (uint32_t i = 0; i < 30; i++) /* begins like the other one */
		b[i] = i < 20 ? i : 100 + i;
	for (int i = 0; i < 20; i++, n += 50)
		memcpy(s + n, a, sizeof(a));
	first = n;
	for (int i = 0; i < 10; i++, n += 30)
		memcpy(s + n, b, sizeof(b));
	for (int i = 0; i < 20; i++, n += 50)
		memcpy(s + n, a, sizeof(a));
	ck_assert_int_eq(dp_align__run(&al, s, n, patterns, 2), DP_OK);
	check_walk(&al, s, n, patterns);
	ck_assert_uint_eq(al.span_count, 3);
	ck_assert_uint_eq(al.edit_count, 0);
	ck_assert_uint_eq(al.spans[1].pattern, 1);
	ck_assert_uint_eq(al.spans[1].begin, first);
	ck_assert_uint_eq(al.spans[0].end, first + 20);
	ck_assert_uint_eq(al.spans[2].begin, first + 300);
	dp_align__fini(&al);
}

TEST(foreign_symbols_are_in_no_span)
{
	uint32_t p[40], s[1200];
	struct dp_align_pattern pattern = { p, 40 };
	struct dp_alignment al;
	size_t n = 0;

	for (uint32_t i = 0; i < 40; i++)
		p[i] = i;
	for (uint32_t i = 0; i < 200; i++)
		s[n++] = 1000 + i;
	for (uint32_t i = 0; i < 400; i++)
		s[n++] = p[i % 40];
	for (uint32_t i = 0; i < 200; i++)
		s[n++] = 1000 + i;
	ck_assert_int_eq(dp_align__run(&al, s, n, &pattern, 1), DP_OK);
	ck_assert_uint_eq(al.span_count, 1);
	ck_assert_uint_eq(al.spans[0].begin, 200);
	ck_assert_uint_eq(al.spans[0].end, 600);
	dp_align__fini(&al);
}

/* More is inserted in the first iteration than a wave bridges; most of it is before that. */
TEST_LOOP(a_part_is_kept, 3)
{
	static const uint32_t befores[] = { 20, 35, 44 }; /* symbols of the iteration: 55 */
	uint32_t p[55], s[1200], before = befores[_i];
	struct dp_align_pattern pattern = { p, 55 };
	struct dp_alignment al;
	size_t n = 0;

	for (uint32_t i = 0; i < 55; i++)
		p[i] = i;
	for (uint32_t i = 0; i < 200; i++)
		s[n++] = 1000 + i;
	for (uint32_t i = 0; i < 550; i++) {
		for (uint32_t k = 0; i == before && k < 60; k++)
			s[n++] = 2000 + k;
		s[n++] = p[i % 55];
	}
	ck_assert_int_eq(dp_align__run(&al, s, n, &pattern, 1), DP_OK);
	ck_assert_uint_eq(al.span_count, before == 44 ? 2 : 1);
	ck_assert_uint_eq(al.spans[0].begin, before == 44 ? 200 : 200 + before + 60);
	ck_assert_uint_eq(al.spans[al.span_count - 1].end, n);
	dp_align__fini(&al);
}

static double seconds(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

/*
 * Input that is quadratic for a naive matcher takes no more time per symbol if it is four times as
 * long.
 */
TEST(no_input_makes_it_slow)
{
	enum { N = 1 << 21 };
	uint32_t *s = malloc(N * sizeof(*s)), *p = malloc(N * sizeof(*p));
	double t[2];

	for (int kind = 0; kind < 6; kind++) {
		for (int large = 0; large < 2; large++) {
			size_t n = large ? N : N / 8, m = n / 64;
			struct dp_align_pattern pattern = { p, m };
			struct dp_alignment al;
			uint32_t x = 0, y = 1;

			for (size_t i = 0; i < n; i++) {
				if (kind == 0) /* a^(m-1) b against a^n */
					s[i] = 0;
				else if (kind == 1) /* one symbol off, again and again */
					s[i] = i % 18 == 17 ? below(2) : 0;
				else if (kind == 2) /* two letters, random */
					s[i] = below(2);
				else if (kind == 3) /* matches of a seed's length, then not */
					s[i] = i % 17 == 16 ? 2 + below(9) : (uint32_t)(i % 17);
				else if (kind == 5) /* what fits at two places, and then nothing */
					s[i] = i % 20 < 16 ? (uint32_t)(i % 20) : N + (uint32_t)i;
				else /* a Fibonacci-like sequence */
					s[i] = (uint32_t)((double)(i + 1) * 0.6180339887) -
					       (uint32_t)((double)i * 0.6180339887);
			}
			for (size_t i = 0; i < m; i++)
				p[i] = kind == 0   ? i == m - 1
				       : kind == 5 ? i % (m / 2) < 16 ? (uint32_t)(i % (m / 2))
								      : 100 + (uint32_t)i
						   : s[(i * 7919) % n];
			(void)x;
			(void)y;
			t[large] = seconds();
			ck_assert_int_eq(dp_align__run(&al, s, n, &pattern, 1), DP_OK);
			t[large] = seconds() - t[large];
			check_walk(&al, s, n, &pattern);
			dp_align__fini(&al);
		}
		/* eight times the input: 24 times the time would be more than noise */
		ck_assert_msg(t[1] < 24 * t[0] + 0.2, "kind %d: %.3f s and %.3f s", kind, t[0],
			      t[1]);
		ck_assert_msg(t[1] < 8, "kind %d: %.3f s", kind, t[1]);
	}
	free(s);
	free(p);
}

TEST(diff_turns_one_into_the_other)
{
	for (int round = 0; round < 400; round++) {
		uint32_t a[200], b[200], made[400];
		size_t n = below(200), m = below(200), count, at = 0, out = 0, e = 0;
		struct dp_edit *edits;

		for (size_t i = 0; i < n; i++)
			a[i] = below(4);
		for (size_t i = 0; i < m; i++)
			b[i] = round % 2 && i < n ? a[i] : below(4);
		ck_assert_int_eq(dp_diff__run(&edits, &count, (struct dp_diff_range){ a, 0, n },
					      (struct dp_diff_range){ b, 0, m }),
				 DP_OK);
		/* walks the pattern, applying the edits */
		for (size_t o = 0; o <= m; o++) {
			bool used = false;

			while (e < count && edits[e].offset == o) {
				if (edits[e].kind == DP_EDIT_INSERTED)
					made[out++] = a[edits[e].position];
				else if (edits[e].kind == DP_EDIT_SUBSTITUTED)
					made[out++] = a[edits[e].position];
				used |= edits[e].kind != DP_EDIT_INSERTED;
				e++;
			}
			if (!used && o < m)
				made[out++] = b[o];
		}
		(void)at;
		ck_assert_uint_eq(e, count);
		ck_assert_uint_eq(out, n);
		ck_assert_mem_eq(made, a, n * sizeof(*a));
		free(edits);
	}
}
