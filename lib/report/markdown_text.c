/* Markdown's escapes (CommonMark 0.31, 2.4 and 6.1; tables of GitHub's dialect). */
#include "report/label.h"
#include "report/markdown.h"

#include <string.h>

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

void dp_markdown__kernel(struct dp_render *render, const char *name, size_t columns)
{
	char label[DP_LABEL_SIZE];

	write_code(render, dp_label__kernel(label, name, columns, false));
}

void dp_markdown__words(struct dp_render *render, const char *words)
{
	for (const char *at = words; *at; at++) {
		if (strchr("\\`*_[]<>|#&~", *at))
			dp_render__text(render, "\\");
		dp_render__write(render, *at == '\n' ? " " : at, 1);
	}
}
