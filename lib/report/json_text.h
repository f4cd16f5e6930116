/*
 * JSON's strings. Names are hostile: whatever they hold, what is written is valid UTF-8 and has no
 * control character, no line separator and no mark that turns the direction of writing in it.
 */
#ifndef DP_REPORT_JSON_TEXT_H
#define DP_REPORT_JSON_TEXT_H

#include "report/report.h"

/* In quotes. html: without '<', '>' and '&' too, so that it may stand in a script element. */
void dp_json_text__write(struct dp_render *render, const char *text, size_t length, bool html);

#endif
