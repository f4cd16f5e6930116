/* What JSON is made of. Keys are our own: nothing in them needs an escape. */
#ifndef DP_REPORT_JSON_TEXT_H
#define DP_REPORT_JSON_TEXT_H

#include "report/report.h"

/*
 * In quotes. Names are hostile: whatever they hold, what is written is valid UTF-8 and has no
 * control character, no line separator and no mark that turns the direction of writing in it.
 */
enum dp_json_style {
	DP_JSON_PLAIN,
	DP_JSON_IN_SCRIPT, /* without '<', '>' and '&' too */
	DP_JSON_MARKED,	   /* U+FFFD as an escape */
};
void dp_json_text__write(struct dp_render *render, const char *text, size_t length,
			 enum dp_json_style style);

void dp_json_out__string(struct dp_render *render, const char *text);

/* What comes before it, a key, and its value but for the first. */
void dp_json_out__key(struct dp_render *render, const char *before, const char *name);
void dp_json_out__integer(struct dp_render *render, const char *before, const char *name,
			  int64_t value);
void dp_json_out__boolean(struct dp_render *render, const char *before, const char *name,
			  bool value);
void dp_json_out__number(struct dp_render *render, const char *before, const char *name,
			 double value, const char *unit);

#endif
