/* A row per pair of loops and metric, in the format of RFC 4180 except that lines end in LF. */
#include "report/csv.h"
#include "report/number.h"

#include <deepprof/compare.h>

static void text(struct dp_render *render, const char *text)
{
	dp_csv__field(render, text);
	dp_render__text(render, ",");
}

/* Writes an empty field if there is no value. */
static void number(struct dp_render *render, double value, const char *unit)
{
	char buf[DP_NUMBER_SIZE];

	dp_number__json(buf, value, unit);
	if (value - value == 0)
		dp_render__text(render, buf);
	dp_render__text(render, ",");
}

static void write_row(struct dp_render *render, const struct dp_comparison *comparison,
		      size_t index, size_t metric)
{
	const struct dp_loop_pair *pair = dp_comparison_pair(comparison, index);
	const struct dp_difference *at = dp_pair_metric(comparison, index, metric);
	const struct dp_metric_info *info = dp_metric(metric);

	for (int run = 0; run < 2; run++)
		text(render, dp_trace_path(dp_analysis_trace(
				     dp_comparison_analysis(comparison, (enum dp_run)run))));
	dp_render__format(render, "%zu,%zu,", pair->loop[0], pair->loop[1]);
	text(render, info->name);
	text(render, info->unit);
	number(render, at->value[0], info->unit);
	number(render, at->value[1], info->unit);
	number(render, at->change, info->unit);
	number(render, at->low, info->unit);
	number(render, at->high, info->unit);
	number(render, at->ratio_low, "1");
	number(render, at->ratio_high, "1");
	dp_render__format(render, "%zu,%zu,%s\n", at->count[0], at->count[1],
			  dp_difference_is_significant(at) ? "true" : "false");
}

static void write_all(struct dp_render *render, const void *what)
{
	const struct dp_comparison *comparison = what;
	const struct dp_metric_info *info;
	const struct dp_difference *at;

	dp_render__text(render, "before,after,loop_before,loop_after,metric,unit,value_before,"
				"value_after,change,low,high,ratio_low,ratio_high,"
				"iterations_before,iterations_after,significant\n");
	for (size_t i = 0; i < dp_comparison_pair_count(comparison); i++) {
		for (size_t m = 0; (info = dp_metric(m)); m++) {
			at = dp_pair_metric(comparison, i, m);
			if (dp_render__shows(render, info) && (at->count[0] || at->count[1]))
				write_row(render, comparison, i, m);
		}
	}
}

const struct dp_whole_renderer dp_comparison_renderer__compare_csv = {
	.info = { "csv", "csv", "one row per pair of loops and metric", false, true },
	.write = write_all,
};
