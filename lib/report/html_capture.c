/* The whole capture of each device: how busy it is over time. */
#include "report/html.h"

#define SLICES 300 /* of the capture: about one for each four pixels of a page */

static bool has_kernels(const struct dp_trace *trace, uint32_t device)
{
	for (size_t s = 0; s < dp_trace_stream_count(trace); s++)
		if (dp_trace_stream(trace, s)->device == device && dp_trace_stream(trace, s)->kernels)
			return true;
	return false;
}

/* "[device,[percent,...]]" */
static void write_device(struct dp_render *render, uint32_t device, bool first)
{
	int64_t duration_ns = dp_trace_duration_ns(dp_analysis_trace(render->analysis));
	double shares[SLICES];
	int status = dp_analysis_utilization(render->analysis, device, 0, duration_ns, shares,
					     SLICES, render->error);

	if (status) {
		render->status = render->status ? render->status : status;
		return;
	}
	dp_render__format(render, "%s\n[%u,[", first ? "" : ",", device);
	for (size_t i = 0; i < SLICES; i++)
		dp_render__format(render, "%s%d", i ? "," : "", (int)(shares[i] * 100 + 0.5));
	dp_render__text(render, "]]");
}

void dp_html__capture(struct dp_render *render)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	size_t written = 0;

	dp_render__text(render, ",\n\"capture\":[");
	for (uint32_t d = 0; d < dp_trace_device_count(trace) && written < DP_HTML_LOOPS; d++)
		if (has_kernels(trace, d))
			write_device(render, d, !written++);
	dp_render__text(render, "]");
}

void dp_html__host_ranges(struct dp_render *render, size_t loop)
{
	const struct dp_host_range *at;
	size_t written = 0;

	dp_render__text(render, ",\n\"host\":[");
	for (size_t i = 0; (at = dp_analysis_loop_host_range(render->analysis, loop, i)); i++) {
		if (at->inner || !(at->typical_ns > 0) || written >= DP_HTML_OPERATORS)
			continue;
		dp_render__format(render, "%s[\"%s\",", written++ ? ",\n" : "\n",
				  dp_host_activity_name(at->activity));
		dp_html__string(render, at->outer);
		dp_render__text(render, ",");
		dp_html__value(render, at->typical_ns, "ns");
		dp_render__text(render, "]");
	}
	dp_render__text(render, "]");
}

void dp_html__path(struct dp_render *render, size_t loop)
{
	const struct dp_path_stat *at;

	dp_render__text(render, ",\n\"path\":[");
	for (size_t i = 0;
	     i < DP_HTML_OPERATORS && (at = dp_analysis_loop_path_stat(render->analysis, loop, i));
	     i++) {
		dp_render__format(render, "%s[\"%s\",", i ? ",\n" : "\n",
				  dp_path_part_name(at->part));
		dp_html__string(render, at->name);
		dp_render__text(render, ",");
		dp_html__value(render, at->ns, "ns");
		dp_render__text(render, "]");
	}
	dp_render__text(render, "]");
}
