/*
 * One row per iteration, in the format of RFC 4180 except that lines end in LF; a missing value is
 * an empty field. The file's name is in every row, so that tables of several traces can be
 * combined.
 */
#include "report/csv.h"
#include "base/utf8.h"
#include "report/label.h"
#include "report/number.h"

#include <string.h>

/* Writes a name, with '?' for characters that a terminal would interpret. */
static void write_name(struct dp_render *render, const char *text)
{
	size_t length = strlen(text), taken;
	uint32_t code;

	for (size_t i = 0; i < length; i += taken) {
		taken = dp_utf8__next(text + i, length - i, &code);
		if (dp_label__is_control(code))
			dp_render__text(render, "?");
		else if (code == 0xfffd)
			dp_render__text(render, "\xef\xbf\xbd");
		else
			dp_render__write(render, text + i, taken);
		if (code == '"')
			dp_render__text(render, "\"");
	}
}

void dp_csv__field(struct dp_render *render, const char *text)
{
	bool quoted = strpbrk(text, ",\"");

	dp_render__text(render, quoted ? "\"" : "");
	write_name(render, text);
	dp_render__text(render, quoted ? "\"" : "");
}

static int begin(struct dp_render *render)
{
	const struct dp_metric_info *info;

	if (render->options->follows)
		return DP_OK;
	dp_render__text(render,
			"file,loop,device,context,stream,index,start_ns,end_ns,first_kernel,"
			"kernels,inserted,deleted,substituted,variant,partial,warmup,"
			"foreign_kernels,slow");
	for (size_t i = 0; (info = dp_metric(i)); i++) {
		if (!dp_render__shows(render, info))
			continue;
		dp_render__text(render, ",");
		dp_csv__field(render, info->name);
	}
	dp_render__text(render, "\n");
	return DP_OK;
}

/* Writes an identifier of the trace, or an empty field. */
static void identifier(struct dp_render *render, int64_t id)
{
	dp_render__text(render, ",");
	if (id >= 0)
		dp_render__integer(render, id);
}

static void count(struct dp_render *render, uint64_t value)
{
	dp_render__text(render, ",");
	dp_render__integer(render, (int64_t)value);
}

static int iteration(struct dp_render *render, size_t loop, size_t k)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	const struct dp_loop *info = dp_analysis_loop(render->analysis, loop);
	const struct dp_iteration *at = dp_analysis_loop_iteration(render->analysis, loop, k);
	const struct dp_stream *stream = dp_trace_stream(trace, info->stream);
	const struct dp_metric_info *metric;
	char number[DP_NUMBER_SIZE];

	if (!info->selected)
		return DP_OK;
	dp_csv__field(render, dp_trace_path(trace));
	count(render, loop);
	identifier(render, dp_trace_device(trace, info->device)->id);
	identifier(render, stream->context);
	identifier(render, stream->stream);
	count(render, at->index);
	dp_render__text(render, ",");
	dp_render__integer(render, at->start_ns);
	dp_render__text(render, ",");
	dp_render__integer(render, at->end_ns);
	count(render, at->first_kernel);
	count(render, at->kernels);
	count(render, at->inserted);
	count(render, at->deleted);
	count(render, at->substituted);
	count(render, at->variant);
	dp_render__text(render, at->partial ? ",true" : ",false");
	dp_render__text(render, at->warmup ? ",true" : ",false");
	count(render, at->foreign_kernels);
	if (dp_render__knows_slow(render, loop))
		dp_render__text(render, at->slow ? ",true" : ",false");
	else
		dp_render__text(render, ",");
	for (size_t i = 0; (metric = dp_metric(i)); i++) {
		if (!dp_render__shows(render, metric))
			continue;
		dp_number__json(number, dp_analysis_loop_metric(render->analysis, loop, i, k),
				metric->unit);
		dp_render__text(render, ",");
		dp_render__text(render, strcmp(number, "null") ? number : "");
	}
	dp_render__text(render, "\n");
	return DP_OK;
}

static int end(struct dp_render *render)
{
	return DP_OK;
}

const struct dp_renderer dp_renderer__csv = {
	.info = { "csv", "csv", "one row per iteration at the chosen level, all metrics", false,
		  false },
	.begin = begin,
	.iteration = iteration,
	.end = end,
};
