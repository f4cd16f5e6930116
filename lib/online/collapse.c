/*
 * Collapsing for comparison: the runs that pattern/runs.c finds, named by their units, so that
 * parts of a sequence that were collapsed separately can be compared.
 *
 * Cost: that of dp_runs__collapse(), and linear.
 */
#include "online/collapse.h"
#include "base/hash.h"
#include "base/search.h"
#include "pattern/pattern.h"
#include "pattern/runs.h"

#include <string.h>

void dp_collapsed__fini(struct dp_collapsed *out)
{
	free(out->symbols);
	free(out->position);
	*out = (struct dp_collapsed){ 0 };
}

int dp_collapsed__make(struct dp_collapsed *out, const uint32_t *symbols, size_t n)
{
	struct dp_runs runs;
	int status = dp_runs__collapse(&runs, symbols, n, 0, 0, false);

	*out = (struct dp_collapsed){ 0 };
	if (status)
		return status;
	for (size_t k = 0; k < runs.count; k++) {
		const struct dp_substring *unit;

		if (runs.position[k + 1] - runs.position[k] == 1)
			continue;
		unit = &runs.units[runs.symbols[k]];
		runs.symbols[k] = (uint32_t)dp_hash__symbols(symbols + unit->at, unit->length);
	}
	*out = (struct dp_collapsed){ runs.symbols, runs.position, runs.count };
	runs.symbols = runs.position = NULL;
	dp_runs__fini(&runs);
	return DP_OK;
}

/* The index of the collapsed symbol that begins at a position; count if none does. */
static size_t symbol_at(const struct dp_collapsed *out, size_t position)
{
	size_t at;

	DP_FIND(at, 0, out->count, out->position[at] >= position);
	return at < out->count && out->position[at] == position ? at : out->count;
}

int dp_collapsed__iteration(struct dp_collapsed *out, const uint32_t *pattern, size_t n)
{
	uint32_t *twice = dp_pattern__repeat(pattern, n, 0, 2 * n);
	size_t from = 0, next;
	int status = twice ? DP_OK : DP_ERR_NOMEM;

	*out = (struct dp_collapsed){ 0 };
	if (!status)
		status = dp_collapsed__make(out, twice, 2 * n);
	free(twice);
	if (status)
		return status;
	/* a run that the beginning cuts off has another symbol than the whole one */
	for (; from < out->count && out->position[from] < n; from++) {
		next = symbol_at(out, out->position[from] + n);
		if (next < out->count && out->symbols[from] == out->symbols[next])
			break;
	}
	if (from == out->count || out->position[from] >= n) {
		dp_collapsed__fini(out); /* nothing but a run */
		return dp_collapsed__make(out, pattern, n);
	}
	next = symbol_at(out, out->position[from] + n);
	out->count = next - from;
	memmove(out->symbols, out->symbols + from, out->count * sizeof(*out->symbols));
	memmove(out->position, out->position + from, (out->count + 1) * sizeof(*out->position));
	return DP_OK;
}
