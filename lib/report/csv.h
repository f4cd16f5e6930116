/* Helpers for comma-separated values. */
#ifndef DP_REPORT_CSV_H
#define DP_REPORT_CSV_H

#include "report/report.h"

/*
 * A field's text, quoted where it must be (RFC 4180, 2.6 and 2.7), with '?' for control characters.
 */
void dp_csv__field(struct dp_render *render, const char *text);

#endif
