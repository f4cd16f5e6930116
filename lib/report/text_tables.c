/* Tables of the verbose text report: a loop's kernels and operators, the longest first. */
#include "base/text.h"
#include "report/text.h"

#include <string.h>

#define INDENT 2
#define ROWS_MOST 20
#define NAME_LEAST 44
#define NUMBER_COLUMNS 67 /* what the numbers take */

#define DP_GETTER(name)                                                                     \
	const struct dp_time_stat *(*name)(const struct dp_analysis *analysis, size_t loop, \
					   size_t index)

static void write_row(struct dp_render *render, const struct dp_time_stat *stat, bool kernels)
{
	size_t width = ((struct dp_text *)render->state)->width;
	size_t room = width > INDENT + NUMBER_COLUMNS + NAME_LEAST ? width - INDENT - NUMBER_COLUMNS
								   : NAME_LEAST;
	bool ascii = render->options->ascii;
	char label[DP_LABEL_SIZE], number[DP_NUMBER_SIZE], digits[DP_TEXT_SIZE];
	const double values[] = { stat->total_ns, stat->mean_ns, stat->min_ns, stat->max_ns,
				  stat->stddev_ns };

	dp_text__blanks(render, INDENT);
	dp_text__column(render, dp_human__share(number, stat->share), -6);
	dp_text__column(render, dp_text__count(digits, stat->count), -9);
	for (size_t i = 0; i < DP_COUNT(values); i++)
		dp_text__column(render, dp_human__duration(number, values[i], ascii), -10);
	dp_render__text(render, "  ");
	if (!*stat->name)
		dp_render__text(render, "(no operator)");
	else if (kernels)
		dp_render__text(render, dp_label__kernel(label, stat->name, room, ascii));
	else
		dp_render__text(render, dp_label__text(label, stat->name, room, ascii));
	dp_render__text(render, "\n");
}

static void write_table(struct dp_render *render, size_t loop, DP_GETTER(get), const char *title)
{
	const struct dp_time_stat *stat;
	char number[DP_TEXT_SIZE];
	size_t count = 0;

	while (get(render->analysis, loop, count))
		count++;
	if (!count || (count == 1 && !*get(render->analysis, loop, 0)->name))
		return;
	dp_text__blanks(render, INDENT);
	dp_text__style_begin(render, DP_STYLE_DIM);
	dp_render__format(render, "%6s%9s%10s%10s%10s%10s%10s  %s", "share", "count", "total",
			  "mean", "min", "max", "stddev", title);
	dp_text__style_end(render);
	dp_render__text(render, "\n");
	for (size_t i = 0; i < ROWS_MOST && (stat = get(render->analysis, loop, i)); i++)
		write_row(render, stat, get == dp_loop_kernel_stat);
	if (count > ROWS_MOST)
		dp_render__format(render, "  and %s more\n",
				  dp_text__count(number, count - ROWS_MOST));
}

void dp_text__tables(struct dp_render *render, size_t loop)
{
	write_table(render, loop, dp_loop_kernel_stat, "kernel");
	write_table(render, loop, dp_loop_operator_stat, "operator");
}
