/* Helpers for JSON. Keys are deepprof's own and need no escapes. */
#ifndef DP_REPORT_JSON_TEXT_H
#define DP_REPORT_JSON_TEXT_H

#include "report/report.h"

/*
 * Writes a text in quotes. Whatever a name contains, the result is valid UTF-8 without control
 * characters, line separators and marks that change the direction of writing.
 */
enum dp_json_style {
	DP_JSON_PLAIN,
	DP_JSON_IN_SCRIPT, /* also without '<', '>' and '&' */
	DP_JSON_MARKED,	   /* U+FFFD as an escape */
};
void dp_json_text__write(struct dp_render *render, const char *text, size_t length,
			 enum dp_json_style style);

void dp_json_out__string(struct dp_render *render, const char *text);

/* Each writes `before`, a key and, except for the first function, its value. */
void dp_json_out__key(struct dp_render *render, const char *before, const char *name);
void dp_json_out__integer(struct dp_render *render, const char *before, const char *name,
			  int64_t value);
void dp_json_out__boolean(struct dp_render *render, const char *before, const char *name,
			  bool value);
void dp_json_out__number(struct dp_render *render, const char *before, const char *name,
			 double value, const char *unit);

/* Writes what a loop waited for, as members of its object. */
void dp_json__waits(struct dp_render *render, size_t loop);

#endif
