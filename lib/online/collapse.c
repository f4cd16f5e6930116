/*
 * The runs that pattern/runs.c finds, named by their units, so that parts of a sequence that were
 * collapsed separately can be compared.
 *
 * Cost: that of dp_runs__collapse(), and linear.
 */
#include "online/collapse.h"
#include "base/hash.h"
#include "base/search.h"
#include "pattern/pattern.h"

#include <string.h>

int dp_collapse__symbols(struct dp_runs *runs, const uint32_t *symbols, size_t n)
{
	int status = dp_runs__collapse(runs, symbols, n, 0, 0, false);

	for (size_t k = 0; k < runs->count && !status; k++) {
		const struct dp_substring *unit;

		if (runs->position[k + 1] - runs->position[k] == 1)
			continue;
		unit = &runs->units[runs->symbols[k]];
		runs->symbols[k] = (uint32_t)dp_hash__symbols(symbols + unit->at, unit->length);
	}
	return status;
}

/* The index of the collapsed symbol that begins at a position; count if none does. */
static size_t symbol_at(const struct dp_runs *runs, size_t position)
{
	size_t at;

	DP_FIND(at, 0, runs->count, runs->position[at] >= position);
	return at < runs->count && runs->position[at] == position ? at : runs->count;
}

int dp_collapse__iteration(struct dp_runs *runs, const uint32_t *pattern, size_t n)
{
	uint32_t *twice = dp_pattern__repeat(pattern, n, 0, 2 * n);
	size_t from = 0, next;
	int status = twice ? DP_OK : DP_ERR_NOMEM;

	*runs = (struct dp_runs){ 0 };
	if (!status)
		status = dp_collapse__symbols(runs, twice, 2 * n);
	free(twice);
	if (status)
		return status;
	/* a run that the beginning cuts off has another symbol than the whole one */
	for (; from < runs->count && runs->position[from] < n; from++) {
		next = symbol_at(runs, runs->position[from] + n);
		if (next < runs->count && runs->symbols[from] == runs->symbols[next])
			break;
	}
	if (from == runs->count || runs->position[from] >= n) {
		dp_runs__fini(runs); /* nothing but a run */
		return dp_collapse__symbols(runs, pattern, n);
	}
	next = symbol_at(runs, runs->position[from] + n);
	runs->count = next - from;
	memmove(runs->symbols, runs->symbols + from, runs->count * sizeof(*runs->symbols));
	memmove(runs->position, runs->position + from, (runs->count + 1) * sizeof(*runs->position));
	return DP_OK;
}
