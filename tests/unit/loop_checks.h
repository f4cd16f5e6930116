/* Helpers for Check programs: finding loops, and properties of every result. */
#ifndef DP_TEST_LOOP_CHECKS_H
#define DP_TEST_LOOP_CHECKS_H

#include "../sim/families.h"

#include <check.h>

static inline struct dp_loops *find(const uint32_t *symbols, size_t n, uint32_t alphabet,
				    const uint64_t *counts, size_t counts_count)
{
	struct dp_loops_request r = {
		.symbols = symbols,
		.count = n,
		.alphabet = alphabet,
		.counts = counts,
		.counts_count = counts_count,
		.epsilon = 1,
	};
	struct dp_error error = DP_ERROR_INIT;
	struct dp_loops *loops = NULL;

	ck_assert_int_eq(dp_loops__find(&loops, &r, &error), DP_OK);
	return loops;
}

static inline size_t complete(const struct dp_sequence_loop *loop)
{
	size_t n = 0;

	for (size_t i = 0; i < loop->count; i++)
		n += !loop->iterations[i].partial;
	return n;
}

/* Checks that one loop has the given number, and that all others are nested in it. */
static inline void check_counted(const struct dp_loops *loops)
{
	ck_assert_uint_ge(loops->count, 1);
	ck_assert_int_eq(loops->loops[0].found_by, DP_FOUND_BY_COUNT);
	for (size_t i = 1; i < loops->count; i++) {
		ck_assert_int_eq(loops->loops[i].found_by, DP_FOUND_BY_AUTO);
		ck_assert_uint_ne(loops->loops[i].parent, DP_NONE);
		ck_assert(!loops->loops[i].chosen);
	}
}

/* Rebuilds a complete iteration from the pattern and its edits. */
static inline void check_replay(const uint32_t *symbols, const struct dp_sequence_loop *loop,
				const struct dp_sequence_iteration *s)
{
	static const struct dp_edit none;
	const struct dp_edit *e = loop->edits ? loop->edits + s->edits : &none;
	size_t edits = (size_t)s->inserted + s->deleted + s->substituted, used = 0, at = s->first;

	for (size_t o = 0; o <= loop->length; o++) {
		while (used < edits && e[used].offset == o && e[used].kind == DP_EDIT_INSERTED) {
			ck_assert_uint_eq(e[used].position, at);
			used++;
			at++;
		}
		if (o == loop->length)
			break;
		if (used < edits && e[used].offset == o) {
			ck_assert_uint_eq(e[used].position, at);
			at += e[used].kind == DP_EDIT_SUBSTITUTED;
			used++;
		} else {
			ck_assert_uint_lt(at, s->end);
			ck_assert_uint_eq(symbols[at], loop->pattern[o]);
			at++;
		}
	}
	ck_assert_uint_eq(used, edits);
	ck_assert_uint_eq(at, s->end);
}

/* Checks the properties of every result. */
static inline void check_loops(const struct dp_loops *loops, const uint32_t *symbols, size_t n)
{
	for (size_t k = 0; k < loops->count; k++) {
		const struct dp_sequence_loop *loop = &loops->loops[k];
		size_t exact = 0;

		ck_assert(dp_confidence__of(&loop->confidence) >= 0);
		ck_assert(dp_confidence__of(&loop->confidence) <= 1);
		ck_assert(loop->parent == DP_NONE || loop->parent < k);
		ck_assert_uint_gt(loop->count, 0);
		for (size_t i = 0; i < loop->count; i++) {
			const struct dp_sequence_iteration *s = &loop->iterations[i];

			ck_assert_uint_lt(s->first, s->end);
			ck_assert_uint_le(s->end, n);
			if (i > 0)
				ck_assert_uint_ge(s->first, s[-1].end);
			exact += !s->partial && !(s->inserted + s->deleted + s->substituted);
			if (!s->partial)
				check_replay(symbols, loop, s);
			if (s->variant == 0 && !s->partial)
				ck_assert_uint_eq(s->inserted + s->deleted + s->substituted, 0);
		}
		if (loop->found_by != DP_FOUND_BY_MARKS)
			ck_assert_uint_ge(loop->occurrences, exact);
	}
}

#endif
