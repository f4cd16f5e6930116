/* Which ranks and collectives a short report shows. */
#ifndef DP_REPORT_RANKS_ROWS_H
#define DP_REPORT_RANKS_ROWS_H

#include "report/report.h"
#include <deepprof/ranks.h>

enum { DP_RANK_ROWS = 64 };

/* Ranks (indices) in the order in which they are shown. */
struct dp_rank_rows {
	size_t order[DP_RANK_ROWS];
	size_t count;
};

bool dp_ranks_rows__is_blamed(const struct dp_ranks *ranks, size_t r);

/*
 * Chooses all ranks if they are at most this many (up to DP_RANK_ROWS), else the blamed ones, then
 * those with the longest own times.
 */
void dp_ranks_rows__choose(struct dp_rank_rows *rows, const struct dp_ranks *ranks, size_t most);

bool dp_ranks_rows__has(const struct dp_rank_rows *rows, size_t r);

/* Collectives of one kind, size and size of group: the number of groups, and their means. */
struct dp_collective_row {
	const struct dp_ranks_collective *first;
	size_t groups, calls;
	double own_ns, wait_ns, bandwidth;
};

/* Gathers the row that begins with a collective. Returns false if an earlier row includes it. */
bool dp_ranks_rows__collective(struct dp_collective_row *row, const struct dp_ranks *ranks,
			       size_t index);

#endif
