/* Texts from traces as JSON strings, and helpers for keys and values. */
#include "report/json_text.h"
#include "base/utf8.h"
#include "report/label.h"
#include "report/number.h"

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

void dp_json_out__string(struct dp_render *render, const char *text)
{
	dp_json_text__write(render, text, strlen(text), DP_JSON_PLAIN);
}

void dp_json_out__key(struct dp_render *render, const char *before, const char *name)
{
	dp_render__text(render, before);
	dp_render__text(render, "\"");
	dp_render__text(render, name);
	dp_render__text(render, "\": ");
}

void dp_json_out__integer(struct dp_render *render, const char *before, const char *name,
			  int64_t value)
{
	dp_json_out__key(render, before, name);
	dp_render__integer(render, value);
}

void dp_json_out__boolean(struct dp_render *render, const char *before, const char *name,
			  bool value)
{
	dp_json_out__key(render, before, name);
	dp_render__text(render, value ? "true" : "false");
}

void dp_json_out__number(struct dp_render *render, const char *before, const char *name,
			 double value, const char *unit)
{
	char buf[DP_NUMBER_SIZE];

	dp_number__json(buf, value, unit);
	dp_json_out__key(render, before, name);
	dp_render__text(render, buf);
}
