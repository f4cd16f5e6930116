/* The parts that all pages with scripts share: head, document, scripts. */
#include "report/html.h"
#include "base/utf8.h"

#include <string.h>

/* The page may run only what is in it, and load nothing. */
static const char head[] =
	"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	"<meta name=\"color-scheme\" content=\"light dark\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	"script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:\">\n"
	"<link rel=\"icon\" href=\"data:,\">\n";

static const struct dp_html_asset *find_asset(const char *name)
{
	const struct dp_html_asset *asset = dp_html__assets;

	while (asset->name && strcmp(asset->name, name) != 0)
		asset++;
	return asset->name ? asset : NULL;
}

void dp_html__asset(struct dp_render *render, const char *name)
{
	const struct dp_html_asset *asset = find_asset(name);

	if (asset)
		dp_render__write(render, (const char *)asset->data, asset->size);
}

static void script(struct dp_render *render, const char *name)
{
	dp_render__text(render, "<script>\n");
	dp_html__asset(render, name);
	dp_render__text(render, "</script>\n");
}

void dp_html__open(struct dp_render *render, const char *title, const char *body)
{
	dp_render__text(render, head);
	dp_render__format(render, "<title>%s</title>\n<style>\n", title);
	dp_html__asset(render, "style.css");
	dp_render__text(render, "</style>\n</head>\n<body>\n");
	dp_html__asset(render, body);
	dp_render__text(render, "<script type=\"application/json\" id=\"data\">\n{");
}

void dp_html__close(struct dp_render *render, const char *const *scripts, size_t count)
{
	const struct dp_html_asset *chart = find_asset("chart.js");

	dp_render__text(render, "}\n</script>\n");
	/* an asset ends in a newline already */
	if (chart && chart->size > 1) {
		script(render, "chart-license.js");
		script(render, "chart.js");
	}
	for (size_t i = 0; i < count; i++)
		script(render, scripts[i]);
	dp_render__text(render, "</body>\n</html>\n");
}

struct dp_json_value dp_html__cut(const char *name)
{
	return (struct dp_json_value){ .kind = DP_JSON_TEXT,
				       .style = DP_JSON_IN_SCRIPT,
				       .count = dp_utf8__cut(name,
							     strnlen(name, DP_HTML_NAME_BYTES + 1),
							     DP_HTML_NAME_BYTES),
				       .text = name };
}

struct dp_json_value dp_html__whole(const char *text)
{
	return (struct dp_json_value){ .kind = DP_JSON_TEXT,
				       .style = DP_JSON_IN_SCRIPT,
				       .count = strlen(text),
				       .text = text };
}

void dp_html__string(struct dp_render *render, const char *text)
{
	dp_json__put(render, "%", dp_html__cut(text));
}

void dp_html__text(struct dp_render *render, const char *text)
{
	dp_json__put(render, "%", dp_html__whole(text));
}

void dp_html__value(struct dp_render *render, double value, const char *unit)
{
	char buf[DP_NUMBER_SIZE];

	dp_number__json(buf, value, unit);
	dp_render__text(render, buf);
}
