/*
 * Loops from known boundaries, of annotations or of another sequence. The pattern is the most
 * frequent iteration; the edits of each iteration are a diff against it. Cost: linear, and a sort
 * of the iterations.
 */
#include "loops/detection.h"
#include "base/sort.h"
#include "base/substrings.h"

/*
 * Chooses the pattern: the iteration that occurs most often, of equals the first, or one of median
 * length if none occurs twice. Partial ones count only if there are no others.
 */
static int choose_pattern(struct dp_substring *chosen, size_t *times, const uint32_t *symbols,
			  const struct dp_sequence_iteration *iterations, size_t n)
{
	struct dp_substrings set = dp_substrings__of(symbols);
	/* by number; and the lengths, each before its index */
	size_t *counts = dp_alloc__zeroed(n, sizeof(*counts));
	int64_t *lengths = dp_alloc__array(n, sizeof(*lengths));
	size_t count = 0, whole = dp_iterations__whole(iterations, n);
	int status = counts && lengths ? DP_OK : DP_ERR_NOMEM;

	*times = 0;
	*chosen = (struct dp_substring){ 0 };
	for (size_t i = 0; i < n && !status; i++) {
		const struct dp_sequence_iteration *s = &iterations[i];
		uint32_t number = 0;

		if (s->partial && whole > 0)
			continue;
		lengths[count++] = (int64_t)(s->end - s->first) << 32 | (int64_t)i;
		status = dp_substrings__number(
			&number, &set, dp_substrings__at(&set, s->first, s->end - s->first));
		counts[number]++;
	}
	for (size_t k = 0; k < set.count && !status; k++)
		if (counts[k] > *times) {
			*times = counts[k];
			*chosen = set.items[k];
		}
	if (!status && *times < 2) {
		dp_sort__i64(lengths, count);
		chosen->length = (size_t)(lengths[(count - 1) / 2] >> 32);
		chosen->at = iterations[(uint32_t)lengths[(count - 1) / 2]].first;
	}
	dp_substrings__fini(&set);
	free(lengths);
	free(counts);
	return status;
}

/* Gives a loop without a pattern one, and the iterations with their edits. */
static int set_iterations(struct dp_sequence_loop *loop, const uint32_t *symbols,
			  const struct dp_sequence_iteration *iterations, size_t n)
{
	struct dp_cut cut = { 0 };
	struct dp_substring chosen;
	int status = choose_pattern(&chosen, &loop->occurrences, symbols, iterations, n);

	if (status)
		return status;
	loop->length = chosen.length;
	loop->pattern = dp_pattern__repeat(symbols + chosen.at, loop->length, 0, loop->length);
	if (!loop->pattern)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < n && !status; i++)
		status = dp_cut__add_compared(&cut, &iterations[i], symbols, loop->pattern,
					      loop->length);
	if (!status)
		status = dp_detection__finish_cut(loop, &cut, symbols);
	dp_cut__fini(&cut);
	return status;
}

/* Maps one loop. */
static int map(struct dp_sequence_loop *loop, const uint32_t *position, const uint32_t *symbols)
{
	struct dp_sequence_iteration *iterations = loop->iterations;
	size_t count = 0;
	int status = DP_OK;

	for (size_t i = 0; i < loop->count; i++) {
		struct dp_sequence_iteration at = iterations[i];

		at.first = position[at.first];
		at.end = position[at.end];
		if (at.end > at.first)
			iterations[count++] = at;
	}
	loop->iterations = NULL;
	loop->count = 0;
	free(loop->pattern);
	loop->pattern = NULL;
	if (count > 0)
		status = set_iterations(loop, symbols, iterations, count);
	free(iterations);
	return status;
}

int dp_loops__map(struct dp_loops *loops, const uint32_t *position, const uint32_t *symbols)
{
	uint32_t *made = dp_alloc__array(loops->count, sizeof(*made)), kept = 0;
	int status = made ? DP_OK : DP_ERR_NOMEM;

	for (size_t i = 0; i < loops->count && !status; i++) {
		status = map(&loops->loops[i], position, symbols);
		made[i] = loops->loops[i].count ? kept++ : DP_NONE;
	}
	if (!status)
		status = dp_loops__reorder(loops, made);
	free(made);
	return status;
}

struct dp_sequence_loop *dp_loops__add_known(struct dp_loops *loops, const uint32_t *symbols,
					     const struct dp_sequence_iteration *iterations,
					     size_t n)
{
	struct dp_sequence_loop *loop = dp_loops__add(loops);

	if (!loop || set_iterations(loop, symbols, iterations, n))
		return NULL;
	loop->found_by = DP_FOUND_BY_MARKS;
	loop->phase_by = DP_PHASE_MARKS;
	loop->confidence.loop = loop->confidence.boundary = 1;
	loop->chosen = true;
	return loop;
}
