/* The ranks and collectives that text and Markdown show. */
#include "report/ranks_rows.h"

#include <math.h>

bool dp_ranks_rows__is_blamed(const struct dp_ranks *ranks, size_t r)
{
	const struct dp_ranks_verdict *verdict = dp_ranks_verdict(ranks);

	for (size_t i = 0; i < verdict->rank_count; i++)
		if (verdict->ranks[i] == r)
			return true;
	return false;
}

bool dp_ranks_rows__has(const struct dp_rank_rows *rows, size_t r)
{
	for (size_t i = 0; i < rows->count; i++)
		if (rows->order[i] == r)
			return true;
	return false;
}

/* The rank with the longest own time among those without a row; SIZE_MAX if none has a time. */
static size_t longest(const struct dp_rank_rows *rows, const struct dp_ranks *ranks)
{
	size_t best = SIZE_MAX;
	double most = -INFINITY;

	for (size_t r = 0; r < dp_ranks_count(ranks); r++) {
		double own = dp_ranks_rank(ranks, r)->own_ns;

		if (own > most && !dp_ranks_rows__has(rows, r)) {
			most = own;
			best = r;
		}
	}
	return best;
}

void dp_ranks_rows__choose(struct dp_rank_rows *rows, const struct dp_ranks *ranks, size_t most)
{
	size_t count = dp_ranks_count(ranks), next;

	*rows = (struct dp_rank_rows){ .count = 0 };
	most = DP_MIN(most, DP_RANK_ROWS);
	for (size_t r = 0; r < count && rows->count < most; r++)
		if (count <= most || dp_ranks_rows__is_blamed(ranks, r))
			rows->order[rows->count++] = r;
	while (rows->count < most && (next = longest(rows, ranks)) != SIZE_MAX)
		rows->order[rows->count++] = next;
}

static bool is_like(const struct dp_ranks_collective *a, const struct dp_ranks_collective *b)
{
	return a->kind == b->kind && a->bytes == b->bytes && a->group_size == b->group_size;
}

bool dp_ranks_rows__collective(struct dp_collective_row *row, const struct dp_ranks *ranks,
			       size_t index)
{
	const struct dp_ranks_collective *first = dp_ranks_collective(ranks, index), *at;

	*row = (struct dp_collective_row){ .first = first };
	for (size_t i = 0; i < index; i++)
		if (is_like(dp_ranks_collective(ranks, i), first))
			return false;
	for (size_t i = index; (at = dp_ranks_collective(ranks, i)); i++) {
		double calls = (double)at->count;

		if (!is_like(at, first))
			continue;
		row->groups++;
		row->calls += at->count;
		row->own_ns += calls * at->own_ns;
		row->wait_ns += calls * at->wait_ns;
		row->bandwidth += calls * at->bus_bandwidth;
	}
	row->own_ns /= (double)row->calls;
	row->wait_ns /= (double)row->calls;
	row->bandwidth /= (double)row->calls;
	return true;
}
