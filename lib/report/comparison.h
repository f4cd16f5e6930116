/*
 * The seam of the renderers of comparisons. Each is one file with one struct
 * dp_whole_renderer named dp_comparison_renderer__<word>, and its word in the list in
 * lib/report/meson.build. They read the comparison and its analyses through the public accessors
 * only.
 */
#ifndef DP_REPORT_COMPARISON_H
#define DP_REPORT_COMPARISON_H

#include "report/report.h"
#include <deepprof/compare.h>

/* Loops of a run that are at the level that was asked for and in no pair: the next one from loop
 * on; false where there is none. */
bool dp_comparison__next_alone(const struct dp_comparison *comparison, enum dp_run run,
			       size_t *loop);

#endif
