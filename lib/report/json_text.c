/* Texts from traces as JSON strings, long names cut, and helpers for keys and values. */
#include "report/json_text.h"
#include "base/utf8.h"
#include "report/label.h"
#include "report/number.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Returns true for what could end a script element, or begin a comment or an entity. */
static bool is_markup(char c)
{
	return c == '<' || c == '>' || c == '&';
}

static void character(struct dp_render *render, const char *text, size_t length, uint32_t code,
		      enum dp_json_style style)
{
	static const char shorts[] = "\"\"\\\\\bb\ff\nn\rr\tt";

	for (size_t i = 0; shorts[i]; i += 2) {
		if (code == (unsigned char)shorts[i]) {
			dp_render__format(render, "\\%c", shorts[i + 1]);
			return;
		}
	}
	if (dp_label__is_control(code) ||
	    (style == DP_JSON_IN_SCRIPT && code < 0x7f && is_markup((char)code)) ||
	    (style == DP_JSON_MARKED && code == 0xfffd))
		dp_render__format(render, "\\u%04x", (unsigned)code);
	else if (code == 0xfffd)
		dp_render__text(render, "\xef\xbf\xbd");
	else
		dp_render__write(render, text, length);
}

void dp_json_text__write(struct dp_render *render, const char *text, size_t length,
			 enum dp_json_style style)
{
	size_t i = 0, run;
	uint32_t code;

	dp_render__text(render, "\"");
	while (i < length) {
		for (run = i; run < length && (unsigned char)text[run] >= 0x20 &&
			      (unsigned char)text[run] < 0x7f && text[run] != '"' &&
			      text[run] != '\\' &&
			      !(style == DP_JSON_IN_SCRIPT && is_markup(text[run]));)
			run++;
		dp_render__write(render, text + i, run - i);
		i = run;
		if (i < length) {
			run = dp_utf8__next(text + i, length - i, &code);
			character(render, text + i, run, code, style);
			i += run;
		}
	}
	dp_render__text(render, "\"");
}

void dp_json_text__string(struct dp_render *render, const char *text)
{
	dp_json_text__write(render, text, strlen(text), DP_JSON_PLAIN);
}

bool dp_long_name__is(const char *name)
{
	return strnlen(name, DP_LONG_NAME + 1) > DP_LONG_NAME;
}

const char *dp_long_name__cut(char cut[DP_LONG_NAME_CUT], const char *name, uint32_t number)
{
	size_t length = dp_utf8__cut(name, DP_LONG_NAME + 1, DP_LONG_NAME);

	snprintf(cut, DP_LONG_NAME_CUT, "%.*s... [name %" PRIu32 "]", (int)length, name, number);
	return cut;
}

struct dp_json_value dp_json__text(const char *text)
{
	if (!text)
		return dp_json__raw("null");
	return (struct dp_json_value){
		.kind = DP_JSON_TEXT, .style = DP_JSON_PLAIN, .count = strlen(text), .text = text
	};
}

static void write_value(struct dp_render *render, const struct dp_json_value *value)
{
	char number[DP_NUMBER_SIZE];

	switch (value->kind) {
	case DP_JSON_INTEGER:
		dp_render__integer(render, value->integer);
		break;
	case DP_JSON_COUNT:
		dp_render__format(render, "%llu", (unsigned long long)value->count);
		break;
	case DP_JSON_NUMBER:
		dp_number__json(number, value->number, value->text);
		dp_render__text(render, number);
		break;
	case DP_JSON_TEXT:
		dp_json_text__write(render, value->text, value->count, value->style);
		break;
	case DP_JSON_RAW:
		dp_render__text(render, value->text);
	}
}

void dp_json__values(struct dp_render *render, const char *template,
		     const struct dp_json_value *values, size_t count)
{
	for (const char *at = template;; at++) {
		size_t run = strcspn(at, "'%");

		dp_render__write(render, at, run);
		at += run;
		if (*at == '\'') {
			dp_render__text(render, "\"");
		} else if (*at) {
			assert(count);
			write_value(render, values++);
			count--;
		} else {
			assert(!count);
			return;
		}
	}
}
