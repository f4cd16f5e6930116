/*
 * Decides which loops of two runs are the same loop of the program: greedily those whose patterns
 * share most kernels. A recompiled program may share none: of the loops that are left, the first
 * of each run are paired, but their iterations may be different units of work.
 */
#include "compare/compare.h"

#include <stdlib.h>
#include <string.h>

/* How many loops of each run are considered. */
#define LOOPS_MOST 64

/*
 * Loops that share less are different. A forward pass is about a third of a training step: a loop
 * of evaluation has a similarity of 0.5 to that of training.
 */
#define LEAST_ALIKE 0.5

/* Smallest share of its run's time for a loop to be paired by time. */
#define LEAST_TIME 0.2

struct candidate {
	size_t loop;
	double time_ns;
	struct dp_pattern_families families;
};

struct side {
	struct candidate loops[LOOPS_MOST];
	size_t count;
	bool paired[LOOPS_MOST];
};

/* A possible pair, as indices of candidates. */
struct proposal {
	size_t index[2];
	double alike;
	bool elsewhere; /* on another device than before */
};

struct pairing {
	struct dp_comparison *comparison;
	struct side side[2];
	struct dp_family_names names;
	struct proposal *proposals;
	size_t count;
};

/* Keeps the main loop, which is loop 0, and then those that take the most time. */
static void add_candidate(struct side *side, size_t loop, double time_ns)
{
	size_t at = side->count;

	while (at > 0 && side->loops[at - 1].loop && side->loops[at - 1].time_ns < time_ns)
		at--;
	if (at >= LOOPS_MOST)
		return;
	for (size_t i = DP_MIN(side->count, LOOPS_MOST - 1); i > at; i--)
		side->loops[i] = side->loops[i - 1];
	side->loops[at] = (struct candidate){ .loop = loop, .time_ns = time_ns };
	side->count = DP_MIN(side->count + 1, (size_t)LOOPS_MOST);
}

static bool can_compare(const struct dp_loop *loop)
{
	return loop->selected && loop->complete > 0;
}

static int find_candidates(struct pairing *pairing, int run)
{
	const struct dp_analysis *analysis = pairing->comparison->run[run];
	struct side *side = &pairing->side[run];
	const struct dp_loop *loop;

	for (size_t i = 0; (loop = dp_analysis_loop(analysis, i)); i++)
		if (can_compare(loop))
			add_candidate(side, i, dp_analysis_loop_time(analysis, i));
	for (size_t i = 0; i < side->count; i++)
		if (dp_families__init(&side->loops[i].families, &pairing->names, analysis,
				      side->loops[i].loop))
			return DP_ERR_NOMEM;
	return DP_OK;
}

static int64_t device_of(const struct pairing *pairing, int run, size_t index)
{
	const struct dp_analysis *analysis = pairing->comparison->run[run];
	uint32_t device = dp_analysis_loop(analysis, pairing->side[run].loops[index].loop)->device;

	return dp_trace_device(dp_analysis_trace(analysis), device)->id;
}

static int by_preference(const void *a, const void *b)
{
	const struct proposal *x = a, *y = b;

	if (x->alike < y->alike || x->alike > y->alike)
		return x->alike < y->alike ? 1 : -1;
	if (x->elsewhere != y->elsewhere)
		return x->elsewhere ? 1 : -1;
	if (x->index[0] != y->index[0])
		return x->index[0] < y->index[0] ? -1 : 1;
	return x->index[1] < y->index[1] ? -1 : x->index[1] > y->index[1];
}

static struct dp_loop_pair pair_of(const struct pairing *pairing, size_t i, size_t j, double alike,
				   bool paired_by_time)
{
	return (struct dp_loop_pair){
		.loop = { pairing->side[0].loops[i].loop, pairing->side[1].loops[j].loop },
		.similarity = alike,
		.paired_by_time = paired_by_time,
	};
}

/* Returns true if two names differ at most in their digits. */
static bool same_but_digits(const char *a, const char *b)
{
	for (;; a++, b++) {
		a += strspn(a, "0123456789");
		b += strspn(b, "0123456789");
		if (*a != *b || !*a)
			return *a == *b;
	}
}

/*
 * Returns true if iterations of both loops are the same, whatever their kernels: annotations of one
 * name mark them, or both have as many, as a program has after its kernels were rewritten.
 */
static bool defined_alike(const struct pairing *pairing, const struct dp_loop_pair *pair)
{
	const struct dp_loop *a = dp_analysis_loop(pairing->comparison->run[0], pair->loop[0]);
	const struct dp_loop *b = dp_analysis_loop(pairing->comparison->run[1], pair->loop[1]);

	if (a->annotation && b->annotation)
		return same_but_digits(a->annotation, b->annotation);
	return a->complete == b->complete;
}

static double alike(const struct pairing *pairing, size_t i, size_t j)
{
	return dp_families__alike(&pairing->side[0].loops[i].families,
				  &pairing->side[1].loops[j].families);
}

static void propose(struct pairing *pairing)
{
	for (size_t i = 0; i < pairing->side[0].count; i++) {
		for (size_t j = 0; j < pairing->side[1].count; j++) {
			struct proposal made = { { i, j }, alike(pairing, i, j), false };

			made.elsewhere = device_of(pairing, 0, i) != device_of(pairing, 1, j);
			if (made.alike > LEAST_ALIKE)
				pairing->proposals[pairing->count++] = made;
		}
	}
	qsort(pairing->proposals, pairing->count, sizeof(*pairing->proposals), by_preference);
}

/* Inserts a pair in the order of the first run's candidates. */
static void add_pair(struct pairing *pairing, size_t i, size_t j, double share, bool paired_by_time)
{
	struct dp_comparison *comparison = pairing->comparison;
	struct dp_loop_pair *info;
	size_t at = 0;

	for (size_t before = 0; before < i; before++)
		at += pairing->side[0].paired[before];
	pairing->side[0].paired[i] = pairing->side[1].paired[j] = true;
	for (size_t k = comparison->pair_count; k > at; k--)
		comparison->pairs[k] = comparison->pairs[k - 1];
	comparison->pairs[at] =
		(struct dp_pair_data){ .info = pair_of(pairing, i, j, share, paired_by_time) };
	info = &comparison->pairs[at].info;
	info->comparable = !paired_by_time || defined_alike(pairing, info);
	comparison->pair_count++;
}

/* The first unpaired loop, or count if it does not take enough of its run's time. */
static size_t first_alone(const struct side *side)
{
	double all_ns = 0;

	for (size_t i = 0; i < side->count; i++)
		all_ns += side->loops[i].time_ns;
	for (size_t i = 0; i < side->count; i++)
		if (!side->paired[i])
			return side->loops[i].time_ns >= LEAST_TIME * all_ns ? i : side->count;
	return side->count;
}

static void pair_first(struct pairing *pairing)
{
	size_t before = first_alone(&pairing->side[0]), after = first_alone(&pairing->side[1]);

	if (before < pairing->side[0].count && after < pairing->side[1].count)
		add_pair(pairing, before, after, alike(pairing, before, after), true);
}

static int pair_alike(struct pairing *pairing)
{
	struct side *side = pairing->side;

	for (int run = 0; run < 2; run++)
		if (find_candidates(pairing, run))
			return DP_ERR_NOMEM;
	if (!side[0].count || !side[1].count)
		return DP_OK;
	pairing->comparison->pairs =
		dp_alloc__zeroed(side[0].count, sizeof(*pairing->comparison->pairs));
	pairing->proposals =
		dp_alloc__array(side[0].count * side[1].count, sizeof(*pairing->proposals));
	if (!pairing->comparison->pairs || !pairing->proposals)
		return DP_ERR_NOMEM;
	propose(pairing);
	for (size_t k = 0; k < pairing->count; k++) {
		const struct proposal *next = &pairing->proposals[k];

		if (!side[0].paired[next->index[0]] && !side[1].paired[next->index[1]])
			add_pair(pairing, next->index[0], next->index[1], next->alike, false);
	}
	pair_first(pairing);
	return DP_OK;
}

static int refuse(const struct dp_analysis *analysis, size_t loop, struct dp_error *error)
{
	const struct dp_loop *info = dp_analysis_loop(analysis, loop);
	const char *path = dp_trace_path(dp_analysis_trace(analysis));
	size_t count = dp_analysis_loop_count(analysis);

	if (info && can_compare(info))
		return DP_OK;
	dp_error__where(error, path, NULL, 0, 0);
	if (!count)
		return dp_error__set(error, DP_ERR_ARGUMENT, "no loop %zu: none was found", loop);
	if (!info)
		return dp_error__set(error, DP_ERR_ARGUMENT, "no loop %zu: the last one is %zu",
				     loop, count - 1);
	return dp_error__set(error, DP_ERR_ARGUMENT,
			     info->selected
				     ? "loop %zu has no complete iteration"
				     : "loop %zu is not at the level that is reported on (--level)",
			     loop);
}

/* The requested pair. */
static int pair_requested(struct pairing *pairing, const size_t *loops, struct dp_error *error)
{
	struct dp_comparison *comparison = pairing->comparison;

	for (int run = 0; run < 2; run++) {
		struct side *side = &pairing->side[run];
		int status = refuse(comparison->run[run], loops[run], error);

		if (status)
			return status;
		add_candidate(side, loops[run], 0);
		if (dp_families__init(&side->loops[0].families, &pairing->names,
				      comparison->run[run], loops[run]))
			return DP_ERR_NOMEM;
	}
	comparison->pairs = dp_alloc__zeroed(1, sizeof(*comparison->pairs));
	if (!comparison->pairs)
		return DP_ERR_NOMEM;
	add_pair(pairing, 0, 0, alike(pairing, 0, 0), false);
	return DP_OK;
}

int dp_compare__pair(struct dp_comparison *comparison, const size_t *loops, struct dp_error *error)
{
	struct pairing *pairing = dp_alloc__zeroed(1, sizeof(*pairing));
	int status;

	if (!pairing)
		return dp_error__nomem(error, sizeof(*pairing));
	pairing->comparison = comparison;
	status = loops ? pair_requested(pairing, loops, error) : pair_alike(pairing);
	for (int run = 0; run < 2; run++)
		for (size_t i = 0; i < pairing->side[run].count; i++)
			dp_families__fini(&pairing->side[run].loops[i].families);
	dp_family_names__fini(&pairing->names);
	free(pairing->proposals);
	free(pairing);
	return status == DP_ERR_NOMEM ? dp_error__nomem(error, 0) : status;
}
