/* What each stage of the detection saw and chose, by its entries. */
#include "base/explain.h"
#include "loops/loops.h"
#include "test.h"

#include <string.h>

enum { M = 100, ROOM = 20000 };

static uint32_t symbols[ROOM];
static size_t count;
static struct dp_explain explain;

/* M kernels with different names, this many times; every third time one more comes in between. */
static void make_regular(size_t iterations)
{
	count = 0;
	for (size_t i = 0; i < iterations; i++)
		for (uint32_t k = 0; k < M; k++) {
			symbols[count++] = k;
			if (i % 3 == 1 && k == i % M)
				symbols[count++] = M;
		}
}

static struct dp_loops *find(uint32_t alphabet, struct dp_evidence evidence, const uint64_t *known)
{
	struct dp_loops_request r = {
		.symbols = symbols,
		.count = count,
		.alphabet = alphabet,
		.counts = known,
		.counts_count = known != NULL,
		.epsilon = 1,
		.evidence = evidence,
		.explain = &explain,
	};
	struct dp_loops *loops = NULL;

	ck_assert_int_eq(dp_loops__find(&loops, &r, NULL), DP_OK);
	return loops;
}

static double fact(const struct dp_explanation *entry, const char *name)
{
	for (size_t i = 0; i < entry->fact_count; i++)
		if (!strcmp(entry->facts[i].name, name))
			return entry->facts[i].value;
	ck_abort_msg("%s has no %s", entry->stage, name);
	return 0;
}

/* The next entry of a stage from an index on, which moves past it; NULL if there is none. */
static const struct dp_explanation *next(const char *stage, size_t *from)
{
	while (*from < explain.count) {
		const struct dp_explanation *entry = &explain.entries[(*from)++];

		if (!strcmp(entry->stage, stage))
			return entry;
	}
	return NULL;
}

static const struct dp_explanation *first(const char *stage)
{
	size_t from = 0;
	const struct dp_explanation *entry = next(stage, &from);

	ck_assert_msg(entry != NULL, "no entry of stage %s", stage);
	return entry;
}

static void forget(void)
{
	dp_explain__fini(&explain);
	explain = (struct dp_explain){ 0 };
}

/* From the repeats to the loop: each stage has the true length, and explains what it left out. */
TEST(the_tree_proposes_what_the_loop_is)
{
	const struct dp_explanation *entry;
	struct dp_loops *loops;

	make_regular(40);
	loops = find(M + 1, (struct dp_evidence){ .at = NULL }, NULL);
	ck_assert_uint_eq(loops->count, 1);
	ck_assert_uint_eq(loops->loops[0].length, M);
	ck_assert_double_eq(fact(first("sequence"), "symbols"), (double)count);
	entry = first("anchors");
	ck_assert_double_eq(fact(entry, "symbols"), (double)count);
	ck_assert_double_eq(fact(entry, "length"), M);
	ck_assert_double_ge(fact(entry, "occurrences"), 38);
	entry = first("candidate");
	ck_assert_double_eq(fact(entry, "length"), M);
	ck_assert_double_eq(fact(entry, "chosen"), 1);
	entry = first("pattern");
	ck_assert_double_eq(fact(entry, "length"), M);
	ck_assert_double_eq(fact(entry, "accepted"), 1);
	ck_assert_double_eq(fact(entry, "covered"), (double)count);
	ck_assert_double_lt(fact(entry, "bits"), fact(entry, "bits_without") / 4);
	ck_assert_double_eq_tol(fact(entry, "iterations"), 40, 0.01);
	ck_assert_double_eq(fact(first("levels"), "goes_down"), 0);
	entry = first("iterations");
	ck_assert_double_eq(fact(entry, "iterations"), 40);
	ck_assert_double_eq(fact(entry, "partial"), 0);
	ck_assert_double_eq(fact(entry, "equal"), 27);
	ck_assert_double_eq(fact(entry, "ways"), 13);
	ck_assert_double_eq(fact(entry, "starts"), 40);
	ck_assert_double_eq(fact(first("confidence"), "iterations"), 40);
	entry = first("loop");
	ck_assert_double_eq(fact(entry, "confidence"),
			    dp_confidence__of(&loops->loops[0].confidence));
	ck_assert_double_eq(fact(entry, "listed"), 1);
	dp_loops__free(loops);
	forget();
}

/* An epoch of steps: the search goes down to the step, and says why. */
TEST(levels_go_down_to_the_step)
{
	const struct dp_explanation *entry;
	struct dp_loops *loops;
	uint32_t k;

	count = 0;
	for (size_t epoch = 0; epoch < 6; epoch++) {
		for (size_t step = 0; step < 21; step++) {
			for (k = 0; k < 30; k++)
				symbols[count++] = k;
			for (size_t layer = 0; layer < 6; layer++)
				for (k = 30; k < 40; k++)
					symbols[count++] = k;
		}
		for (k = 40; k < 70; k++)
			symbols[count++] = k;
	}
	loops = find(70, (struct dp_evidence){ .at = NULL }, NULL);
	for (size_t i = 0; i < loops->count; i++)
		ck_assert(!loops->loops[i].chosen || loops->loops[i].length == 90);
	for (size_t from = 0; (entry = next("levels", &from));)
		if (fact(entry, "goes_down") > 0)
			break;
	ck_assert(entry != NULL);
	ck_assert_double_eq(fact(entry, "length"), 21 * 90 + 30);
	ck_assert_double_eq(fact(entry, "inner_length"), 90);
	ck_assert(strstr(entry->text, "is a step by itself") != NULL);
	dp_loops__free(loops);
	forget();
}

/* Random sequences give candidates, but none is accepted. */
TEST(chance_is_rejected)
{
	const struct dp_explanation *entry;
	struct dp_loops *loops;
	uint64_t state = 5;

	for (count = 0; count < 3000; count++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		symbols[count] = (uint32_t)(state >> 60);
	}
	loops = find(16, (struct dp_evidence){ .at = NULL }, NULL);
	ck_assert_uint_eq(loops->count, 0);
	ck_assert_double_eq(fact(first("pattern"), "accepted"), 0);
	ck_assert(strstr(first("pattern")->text, "rejected") != NULL);
	for (size_t from = 0; (entry = next("pattern", &from));)
		ck_assert_double_eq(fact(entry, "accepted"), 0);
	dp_loops__free(loops);
	forget();
}

/* The host pauses before kernel 37. */
static void at_pause(void *ctx, size_t index, struct dp_evidence_at *out)
{
	*out = (struct dp_evidence_at){
		.kernel_gap_ns = 1000,
		.has_launch = true,
		.launch_gap_ns = symbols[index] == 37 ? 500000 : 5000,
		.launch_interval_ns = symbols[index] == 37 ? 510000 : 10000,
	};
}

/* The vote for the host's pause outweighs all others, and the boundary is where it is. */
TEST(the_vote_that_decides)
{
	struct dp_evidence evidence = { .at = at_pause, .launches_recorded = true };
	const struct dp_explanation *entry, *most = NULL;
	const size_t cut = 20;
	struct dp_loops *loops;
	double best = 0;

	make_regular(40);
	count -= cut;
	memmove(symbols, symbols + cut, count * sizeof(*symbols));
	loops = find(M + 1, evidence, NULL);
	ck_assert_uint_eq(loops->loops[0].pattern[0], 37);
	for (size_t from = 0; (entry = next("vote", &from));)
		if (fact(entry, "first") - fact(entry, "next") > best) {
			best = fact(entry, "first") - fact(entry, "next");
			most = entry;
		}
	ck_assert(most && !strncmp(most->text, "launch-gap: ", 12));
	ck_assert_double_eq(fact(most, "weight"), 3);
	ck_assert(strstr(first("boundary")->text, "launch-gap") != NULL);
	ck_assert_double_eq(fact(first("iterations"), "iterations"), 39);
	ck_assert_double_eq(fact(first("iterations"), "partial"), 2);
	ck_assert_double_gt(fact(first("boundary"), "margin"), 0);
	dp_loops__free(loops);
	forget();
}

/* Of one iteration, other work takes the place of most kernels; four lack the same ones. */
TEST(changes_are_counted)
{
	struct dp_evidence evidence = { .at = at_pause, .launches_recorded = true };
	const struct dp_explanation *entry;
	struct dp_loops *loops;
	size_t from = 0;

	count = 0;
	for (size_t i = 0; i < 40; i++)
		for (uint32_t k = 0; k < M; k++)
			if (!(i % 10 == 5 && k >= 40 && k < 70) && !(i == 21 && k > 20))
				symbols[count++] = (k + 37) % M;
			else if (i == 21 && k < 50)
				symbols[count++] = M + k;
	loops = find(2 * M, evidence, NULL);
	ck_assert_uint_eq(loops->loops[0].pattern[0], 37);
	entry = first("iterations");
	ck_assert_double_eq(fact(entry, "iterations"), 35);
	ck_assert_double_eq(fact(entry, "equal"), 35);
	entry = next("change", &from);
	ck_assert(!strncmp(entry->text, "dropped: ", 9));
	ck_assert_double_eq(fact(entry, "count"), 1);
	ck_assert_double_eq(fact(entry, "symbols"), 21);
	ck_assert_double_eq(fact(entry, "limit"), 0.8);
	entry = next("change", &from);
	ck_assert(!strncmp(entry->text, "unlike: ", 8));
	ck_assert_double_eq(fact(entry, "count"), 4);
	ck_assert_double_eq(fact(entry, "most"), 30);
	dp_loops__free(loops);
	forget();
}

/* A known number and the loop that has it. */
TEST(a_known_number_finds_its_loop)
{
	const uint64_t known = 40;
	struct dp_loops *loops;

	make_regular(40);
	loops = find(M + 1, (struct dp_evidence){ .at = NULL }, &known);
	ck_assert_double_eq(fact(first("count"), "known"), 40);
	ck_assert_double_eq(fact(first("count"), "iterations"), 40);
	ck_assert_double_eq(fact(first("count"), "length"), M);
	dp_loops__free(loops);
	forget();
}

/* Values take the places of their names, as their units have it. */
TEST(facts_are_in_the_text)
{
	const struct dp_explanation *entry;

	dp_explain__begin(&explain, 3);
	dp_explain__add(&explain, "test",
			DP_FACTS({ "a", "count", 1234567 }, { "b", "1", 0.125 },
				 { "c", "log-odds", 1.5 }, { "d", "count", 2.25 },
				 { "e", "log-odds", -0.0 }, { "g", "count", 1 }),
			"{a} %s {b}, {c}; {d:bit} {e} {f} {g:kernel} {g:x {a", "or");
	dp_explain__end(&explain);
	entry = first("test");
	ck_assert_uint_eq(entry->stream, 3);
	ck_assert_str_eq(entry->text,
			 "1,234,567 or 12.5%, +1.50; 2.2 bits +0.00 {f} 1 kernel {g:x {a");
	ck_assert_uint_eq(explain.count, 1);
	forget();
	dp_explain__add(NULL, "test", DP_FACTS({ "a", "count", 1 }), "{a}");
	dp_explain__begin(NULL, 0);
	dp_explain__end(NULL);
}

/* A stream has a bounded number of entries; the last one says how many it lacks. */
static const char *name_at(const void *ctx, size_t position)
{
	const char *const *names = ctx;

	return names[position];
}

/* A symbol is what the sequence's symbols are, and a name no more than its function's. */
TEST(symbols_have_names)
{
	static const char *const kernels[] = {
		"void at::native::(anonymous namespace)::sum_kernel<float, 4>(int)", "\x1b[2J",
		NULL, "a_name_that_is_far_too_long_for_the_line_of_a_text",
		"void at::<unnamed>::softmax<(anonymous namespace)::F, int>(T2 *)"
	};
	struct dp_explain_names before;

	dp_explain__add(&explain, "x", DP_FACTS({ "n", "count", 2 }), "{n:symbol}");
	before = dp_explain__rename(&explain,
				    (struct dp_explain_names){ "operation", name_at, kernels });
	ck_assert(!before.at);
	dp_explain__add(&explain, "x", DP_FACTS({ "n", "count", 1 }), "{n:symbol}%s",
			dp_explain__name(&explain, 0));
	ck_assert_str_eq(explain.entries[0].text, "2 kernels");
	ck_assert_str_eq(explain.entries[1].text, "1 operation (sum_kernel)");
	ck_assert_str_eq(dp_explain__name(&explain, 1), " (?[2J)");
	ck_assert_str_eq(dp_explain__name(&explain, 2), "");
	ck_assert_str_eq(dp_explain__name(&explain, 3),
			 " (a_name_that_is_far_too_long_for_the_l...)");
	ck_assert_str_eq(dp_explain__name(&explain, 4), " (softmax)");
	ck_assert_str_eq(dp_explain__quote(&explain, "step {n}"), " 'step ?n}'");
	forget();
}

TEST(entries_are_bounded)
{
	for (uint32_t stream = 0; stream < 2; stream++) {
		dp_explain__begin(&explain, stream);
		for (size_t i = 0; i < DP_EXPLAIN_MOST + 17; i++)
			dp_explain__add(&explain, "test", DP_FACTS({ "i", "count", (double)i }),
					"{i}");
		dp_explain__end(&explain);
	}
	ck_assert_uint_eq(explain.count, 2 * (DP_EXPLAIN_MOST + 1));
	ck_assert_str_eq(explain.entries[DP_EXPLAIN_MOST].stage, "left-out");
	ck_assert_double_eq(fact(&explain.entries[DP_EXPLAIN_MOST], "entries"), 17);
	ck_assert_uint_eq(explain.entries[DP_EXPLAIN_MOST + 1].stream, 1);
	forget();
}

/* Kernels 40 to 42 finish a step. */
static void updates_from_40(void *ctx, size_t index, struct dp_evidence_at *out)
{
	(void)ctx;
	*out = (struct dp_evidence_at){ .kernel_gap_ns = -1, .launch_gap_ns = -1 };
	out->kind = symbols[index] >= 40 ? DP_KERNEL_FINISHES : DP_KERNEL_NETWORK;
}

/* Updates in a row, many with one kernel, are one optimizer, and no loop inside the step. */
TEST(updates_in_a_row_are_no_loop)
{
	const struct dp_explanation *entry;
	struct dp_loops *loops;
	size_t from = 0;

	count = 0;
	for (size_t i = 0; i < 50; i++)
		for (uint32_t k = 0; k < 50; k++)
			symbols[count++] = k <= 40 ? k : k < 49 ? 41 : 42;
	loops = find(43, (struct dp_evidence){ .at = updates_from_40 }, NULL);
	ck_assert_uint_eq(loops->count, 1);
	ck_assert_uint_eq(loops->loops[0].length, 50);
	first("levels");
	while ((entry = next("levels", &from)))
		ck_assert_double_eq(fact(entry, "goes_down"), 0);
	dp_loops__free(loops);
	forget();
}
