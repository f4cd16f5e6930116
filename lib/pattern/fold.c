/*
 * Folding: the repetitions that runs.c finds, named by what they repeat. Parts of one sequence can
 * so be compared with each other that were folded at different times.
 *
 * Cost: that of dp_runs__collapse(), and linear.
 */
#include "pattern/fold.h"
#include "base/search.h"
#include "pattern/runs.h"

#include <string.h>

void dp_fold__fini(struct dp_fold *fold)
{
	free(fold->symbols);
	free(fold->position);
	*fold = (struct dp_fold){ 0 };
}

static uint32_t name_of(const uint32_t *symbols, size_t n)
{
	uint64_t h = n;

	for (size_t i = 0; i < n; i++)
		h = ((h ^ symbols[i]) * 0x9e3779b97f4a7c15u) ^ h >> 31;
	h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9u;
	return (uint32_t)(h >> 32);
}

int dp_fold__make(struct dp_fold *fold, const uint32_t *symbols, size_t n)
{
	struct dp_runs runs;
	int status = dp_runs__collapse(&runs, symbols, n, 0, false);

	*fold = (struct dp_fold){ 0 };
	if (status)
		return status;
	for (size_t k = 0; k < runs.count; k++) {
		const struct dp_runs_unit *unit;

		if (runs.position[k + 1] - runs.position[k] == 1)
			continue;
		unit = &runs.units[runs.symbols[k]];
		runs.symbols[k] = name_of(symbols + unit->at, unit->length);
	}
	*fold = (struct dp_fold){ runs.symbols, runs.position, runs.count };
	runs.symbols = runs.position = NULL;
	dp_runs__fini(&runs);
	return DP_OK;
}

/* The symbol of a folded sequence that begins at a position; count if none does. */
static size_t symbol_at(const struct dp_fold *fold, size_t position)
{
	size_t at;

	DP_FIND(at, 0, fold->count, fold->position[at] >= position);
	return at < fold->count && fold->position[at] == position ? at : fold->count;
}

int dp_fold__turn(struct dp_fold *fold, const uint32_t *pattern, size_t n)
{
	uint32_t *twice = dp_alloc__array(n, 2 * sizeof(*twice));
	size_t from = 0, next;
	int status = twice ? DP_OK : DP_ERR_NOMEM;

	*fold = (struct dp_fold){ 0 };
	if (!status) {
		memcpy(twice, pattern, n * sizeof(*twice));
		memcpy(twice + n, pattern, n * sizeof(*twice));
		status = dp_fold__make(fold, twice, 2 * n);
	}
	free(twice);
	if (status)
		return status;
	/* what the beginning cut off is another symbol than that of the whole repetition */
	for (; from < fold->count && fold->position[from] < n; from++) {
		next = symbol_at(fold, fold->position[from] + n);
		if (next < fold->count && fold->symbols[from] == fold->symbols[next])
			break;
	}
	if (from == fold->count || fold->position[from] >= n) {
		dp_fold__fini(fold); /* nothing but a repetition */
		return dp_fold__make(fold, pattern, n);
	}
	next = symbol_at(fold, fold->position[from] + n);
	fold->count = next - from;
	memmove(fold->symbols, fold->symbols + from, fold->count * sizeof(*fold->symbols));
	memmove(fold->position, fold->position + from, (fold->count + 1) * sizeof(*fold->position));
	return DP_OK;
}
