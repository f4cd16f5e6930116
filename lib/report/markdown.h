/*
 * Declarations shared by the Markdown renderers: text that is safe in GitHub's and GitLab's
 * dialects.
 */
#ifndef DP_REPORT_MARKDOWN_H
#define DP_REPORT_MARKDOWN_H

#include "report/report.h"

/*
 * Writes a name from a trace as a code span of at most this many columns, which is also safe in a
 * table: control characters are shown as '?', backticks as apostrophes, and bars are escaped.
 */
void dp_markdown__code(struct dp_render *render, const char *name, size_t columns);

/*
 * The same for a kernel's name, shortened where it is least specific; place: where it differs from
 * a similar one, or 0.
 */
void dp_markdown__kernel(struct dp_render *render, const char *name, size_t place, size_t columns);

/* Writes deepprof's own words with names in them; escapes what Markdown would interpret. */
void dp_markdown__words(struct dp_render *render, const char *words);

#endif
