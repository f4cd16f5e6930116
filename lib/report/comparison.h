/*
 * The interface of the renderers of comparisons. Each is one file with one struct dp_whole_renderer
 * named dp_comparison_renderer__<word>, and its word in the list in lib/report/meson.build. They
 * read the comparison and its analyses only through the public accessors.
 */
#ifndef DP_REPORT_COMPARISON_H
#define DP_REPORT_COMPARISON_H

#include "report/report.h"
#include <deepprof/compare.h>

/*
 * Finds the next loop of a run, from loop on, that is at the requested level and in no pair.
 * Returns false if there is none.
 */
bool dp_comparison__next_alone(const struct dp_comparison *comparison, enum dp_run run,
			       size_t *loop);

#endif
