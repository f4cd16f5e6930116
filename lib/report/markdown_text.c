/* Markdown's escapes (CommonMark 0.31, 2.4 and 6.1; tables of GitHub's dialect). */
#include "base/utf8.h"
#include "report/label.h"
#include "report/markdown.h"

#include <string.h>
#include <strings.h>

static void write_code(struct dp_render *render, const char *label)
{
	dp_render__text(render, "`");
	for (const char *at = label; *at; at++) {
		if (*at == '|')
			dp_render__text(render, "\\|");
		else
			dp_render__write(render, *at == '`' ? "'" : at, 1);
	}
	dp_render__text(render, *label ? "`" : " `");
}

void dp_markdown__code(struct dp_render *render, const char *name, size_t columns)
{
	char label[DP_LABEL_SIZE];

	write_code(render, dp_label__text(label, name, columns, false));
}

void dp_markdown__kernel(struct dp_render *render, const char *name, size_t place, size_t columns)
{
	char label[DP_LABEL_SIZE];

	write_code(render, dp_label__kernel_at(label, name, place, columns, false));
}

/*
 * Renderers detect addresses before escapes, and mentions after them: their first character is
 * separated from the rest by an escape or by a word joiner (U+2060), which has no width.
 */
void dp_markdown__words(struct dp_render *render, const char *words)
{
	size_t length = strlen(words), taken;
	uint32_t code;

	for (size_t i = 0; i < length; i += taken) {
		const char *at = words + i;

		taken = dp_utf8__next(at, length - i, &code);
		if ((code < 0x80 && strchr("\\`*_[]<>|#&~", *at) && *at) ||
		    !strncmp(at, "://", 3) || (i >= 3 && !strncasecmp(at - 3, "www.", 4)))
			dp_render__text(render, "\\");
		if (dp_label__is_control(code))
			dp_render__text(render, code == '\n' ? " " : "?");
		else if (code == 0xfffd)
			dp_render__text(render, "\xef\xbf\xbd");
		else
			dp_render__write(render, at, taken);
		if (code == '@')
			dp_render__text(render, "\xe2\x81\xa0");
	}
}
