/* What the Markdown renderers share: text that is safe in GitHub's and GitLab's dialects. */
#ifndef DP_REPORT_MARKDOWN_H
#define DP_REPORT_MARKDOWN_H

#include "report/report.h"

/*
 * A name from a trace as a code span of at most this many columns, which is also safe in a table:
 * control characters are shown as '?', backticks as apostrophes, and bars are escaped.
 */
void dp_markdown__code(struct dp_render *render, const char *name, size_t columns);

/* The same of a kernel's name, shortened where that says least. */
void dp_markdown__kernel(struct dp_render *render, const char *name, size_t columns);

/* Our own words, with names in them: what Markdown would take for markup is escaped. */
void dp_markdown__words(struct dp_render *render, const char *words);

#endif
