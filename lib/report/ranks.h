/*
 * The interface of the renderers of many ranks. Each is one file with one struct dp_whole_renderer
 * named dp_ranks_renderer__<word>, and its word in the list in lib/report/meson.build. They read
 * the result only through the public accessors.
 */
#ifndef DP_REPORT_RANKS_H
#define DP_REPORT_RANKS_H

#include "report/report.h"
#include <deepprof/ranks.h>

/* "rank 3", "ranks 0, 1 and 4 to 7", in order; a few at most. Returns buf. */
#define DP_RANK_LIST_SIZE 160
char *dp_ranks__list(char buf[DP_RANK_LIST_SIZE], const struct dp_ranks *ranks,
		     const uint32_t *indices, size_t count);

#endif
