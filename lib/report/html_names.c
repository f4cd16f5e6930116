/* The table of a page's names: each is written once, however often it is used. */
#include "report/html.h"
#include "report/label.h"

#include <string.h>

int dp_html__begin(struct dp_render *render)
{
	size_t strings = dp_trace_string_count(dp_analysis_trace(render->analysis));
	struct dp_html *html = dp_alloc__zeroed(1, sizeof(*html));

	if (!html)
		return dp_error__nomem(render->error, sizeof(*html));
	html->slots = dp_alloc__zeroed(strings + 1, sizeof(*html->slots));
	if (!html->slots) {
		free(html);
		return dp_error__nomem(render->error, strings);
	}
	html->metrics = dp_metric_count();
	render->state = html;
	return DP_OK;
}

void dp_html__name(struct dp_render *render, uint32_t id)
{
	struct dp_html *html = render->state;
	size_t strings = dp_trace_string_count(dp_analysis_trace(render->analysis));

	if (id >= strings) {
		dp_render__text(render, "-1");
		return;
	}
	if (!html->slots[id]) {
		if (dp_array__reserve(&html->names, &html->name_room, html->name_count + 1,
				      sizeof(*html->names))) {
			if (!render->status)
				render->status = dp_error__nomem(render->error, 0);
			return;
		}
		html->names[html->name_count++] = id;
		html->slots[id] = (uint32_t)html->name_count;
	}
	dp_render__integer(render, html->slots[id] - 1);
}

/*
 * Finds where names with equal short forms differ. The caller frees the result; NULL if memory runs
 * out.
 */
static size_t *tell_apart(struct dp_render *render, const struct dp_html *html)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	const char **names = dp_alloc__array(html->name_count, sizeof(*names));
	size_t *places = dp_alloc__zeroed(html->name_count, sizeof(*places));
	int status = names && places ? DP_OK : DP_ERR_NOMEM;

	for (size_t i = 0; i < html->name_count && !status; i++)
		names[i] = dp_trace_string(trace, html->names[i]);
	if (!status)
		status = dp_label__tell_apart(places, names, html->name_count, DP_HTML_NAME_COLUMNS,
					      false);
	free(names);
	if (!status)
		return places;
	free(places);
	render->status = dp_error__nomem(render->error, html->name_count);
	return NULL;
}

/* Writes each name as it is, or as [short form, name]. */
static void write_names(struct dp_render *render, const struct dp_html *html)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	size_t *places = tell_apart(render, html);
	char label[DP_LABEL_SIZE];

	dp_render__text(render, ",\n\"names\":[");
	for (size_t i = 0; i < html->name_count && places; i++) {
		const char *name = dp_trace_string(trace, html->names[i]);

		dp_render__text(render, i ? ",\n" : "\n");
		dp_label__kernel_at(label, name, places[i], DP_HTML_NAME_COLUMNS, false);
		if (strcmp(label, name))
			dp_render__text(render, "[");
		dp_html__string(render, label);
		if (!strcmp(label, name))
			continue;
		dp_render__text(render, ",");
		dp_html__string(render, name);
		dp_render__text(render, "]");
	}
	dp_render__text(render, "]");
	free(places);
}

void dp_html__end(struct dp_render *render)
{
	struct dp_html *html = render->state;

	write_names(render, html);
	free(html->slots);
	free(html->names);
	free(html);
	render->state = NULL;
}
