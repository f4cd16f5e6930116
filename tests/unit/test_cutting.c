/*
 * Where a capture begins or ends changes no iteration that is far enough from there. Uses families
 * of programs with seeds that no threshold was tuned on.
 */
#include "../sanitized.h"
#include "../sim/families.h"
#include "test.h"

enum { FIRST_SEED = DP_SANITIZED ? 7101 : 7100, END_SEED = 7102, FEW = 8 };

static size_t below(uint64_t *rng, size_t n)
{
	*rng = *rng * 6364136223846793005u + 1442695040888963407u;
	return (size_t)((*rng >> 33) % n);
}

/*
 * How many complete iterations of the chosen loops in [from, to) have equal begins and ends in b.
 */
static void count_common(const struct dp_loops *a, const struct dp_loops *b, size_t cut,
			 size_t from, size_t to, size_t *common, size_t *all)
{
	for (size_t k = 0; k < a->count; k++)
		for (size_t i = 0; a->loops[k].chosen && i < a->loops[k].count; i++) {
			const struct dp_sequence_iteration *s = &a->loops[k].iterations[i];
			bool found = false;

			if (s->partial || s->first < from || s->end > to)
				continue;
			(*all)++;
			for (size_t j = 0; j < b->count && !found; j++) {
				const struct dp_sequence_loop *l = &b->loops[j];
				size_t low = 0, high = l->count;

				while (low < high) {
					size_t middle = low + (high - low) / 2;

					if (l->iterations[middle].first + cut < s->first)
						low = middle + 1;
					else
						high = middle;
				}
				found = low < l->count && !l->iterations[low].partial &&
					l->iterations[low].first + cut == s->first &&
					l->iterations[low].end + cut == s->end;
			}
			*common += found;
		}
}

static size_t longest_of(const struct dp_loops *loops)
{
	size_t longest = 0;

	for (size_t k = 0; k < loops->count; k++)
		longest = DP_MAX(longest, loops->loops[k].length);
	return longest;
}

/* A part of a family's capture. */
struct part {
	const struct family *family;
	size_t cut;
};

static void part_evidence(void *ctx, size_t index, struct dp_evidence_at *out)
{
	const struct part *part = ctx;

	family_evidence((void *)(uintptr_t)part->family, index + part->cut, out);
}

static struct dp_loops *find_part(const struct family *f, size_t from, size_t to)
{
	struct part part = { f, from };
	struct dp_loops_request r = {
		.symbols = f->symbols + from,
		.count = to - from,
		.alphabet = f->alphabet,
		.epsilon = 1,
		.evidence = { .at = part_evidence, .ctx = &part, .launches_recorded = true },
	};
	struct dp_loops *loops = NULL;

	ck_assert_int_eq(dp_loops__find(&loops, &r, NULL), DP_OK);
	return loops;
}

/*
 * The share of iterations that is kept. A part may lack one of eight shapes, whose kernels then are
 * not known to replace others.
 */
static const struct {
	enum family_kind kind;
	double least;
} steady[] = {
	{ FAMILY_CLEAN, 1 },	    { FAMILY_STATISTICS, 1 }, { FAMILY_ASYNC, 1 },
	{ FAMILY_SHAPES, 0.95 },    { FAMILY_JITTER, 1 },     { FAMILY_LOSS, 1 },
	{ FAMILY_EVALUATION, 1 },   { FAMILY_GAN, 1 },	      { FAMILY_SUPERSTEP, 1 },
	{ FAMILY_AUTOTUNE, 1 },	    { FAMILY_GRAPH, 1 },      { FAMILY_DECODE, 1 },
	{ FAMILY_RECURRENT, 1 },    { FAMILY_RECOMPILE, 1 },  { FAMILY_DENSE, 1 },
	{ FAMILY_ACCUMULATION, 1 },
};

/*
 * A capture that begins and ends anywhere else keeps the iterations that are one iteration or more
 * from its ends.
 */
TEST_LOOP(cutting_keeps_iterations, DP_COUNT(steady))
{
	size_t common = 0, all = 0;

	for (uint64_t seed = FIRST_SEED; seed < END_SEED; seed++) {
		struct family f;
		struct dp_loops *whole, *part;
		size_t from, to, far;
		uint64_t rng = seed * DP_COUNT(steady) + (uint64_t)_i;

		family_make(&f, steady[_i].kind, seed, false, 0);
		from = below(&rng, f.n / 3);
		to = f.n - below(&rng, f.n / 3);
		whole = find_part(&f, 0, f.n);
		ck_assert_uint_gt(whole->count, 0);
		far = longest_of(whole);
		/* whole turns of few kernels, by chance, would seem to begin where the part does */
		to -= far < FEW && (to - from) % far == 0;
		part = find_part(&f, from, to);
		count_common(whole, part, from, from + far, to - DP_MIN(far, to), &common, &all);
		dp_loops__free(whole);
		dp_loops__free(part);
		family_free(&f);
	}
	ck_assert_uint_gt(all, 0);
	ck_assert_msg((double)common >= steady[_i].least * (double)all,
		      "%s: %zu of %zu iterations are left", family_name(steady[_i].kind), common,
		      all);
}
