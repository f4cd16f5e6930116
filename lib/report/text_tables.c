/* Tables of the verbose text report: a loop's kernels, operators and places, the longest first. */
#include "base/text.h"
#include "report/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ROWS_MOST 20
#define PLACES_MOST 10
#define WIDE 110 /* from here on there is room for all numbers */
#define WIDE_NUMBERS 66
#define NUMBERS 36

static bool is_wide(const struct dp_render *render)
{
	return ((const struct dp_text *)render->state)->width >= WIDE;
}

static void write_head(struct dp_render *render, const char *first, const char *title)
{
	dp_text__style_begin(render, DP_STYLE_DIM);
	dp_render__format(render, "\n%7s%9s%10s%10s", first, "count", "total", "mean");
	if (is_wide(render))
		dp_render__format(render, "%10s%10s%10s", "min", "max", "stddev");
	dp_render__format(render, "  %s", title);
	dp_text__style_end(render);
	dp_render__text(render, "\n");
}

/* first: the row's first column. */
static void write_row(struct dp_render *render, const char *first, const struct dp_time_stat *stat,
		      bool kernels)
{
	size_t used = is_wide(render) ? WIDE_NUMBERS : NUMBERS,
	       width = ((struct dp_text *)render->state)->width;
	size_t room = DP_MAX(width, used + 20) - used - 2;
	const double values[] = { stat->total_ns, stat->mean_ns, stat->min_ns, stat->max_ns,
				  stat->stddev_ns };
	char label[DP_LABEL_SIZE], number[DP_NUMBER_SIZE], digits[DP_TEXT_SIZE];
	bool ascii = render->options->ascii;

	dp_text__column(render, first, -7);
	dp_text__column(render, dp_text__count(digits, stat->count), -9);
	for (size_t i = 0; i < (is_wide(render) ? DP_COUNT(values) : 2); i++)
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

static void write_more(struct dp_render *render, size_t count, size_t shown)
{
	char number[DP_TEXT_SIZE];

	if (count > shown)
		dp_render__format(render, "and %s more\n", dp_text__count(number, count - shown));
}

typedef const struct dp_time_stat *getter(const struct dp_analysis *analysis, size_t loop,
					  size_t index);

static void write_table(struct dp_render *render, size_t loop, getter *get, const char *title)
{
	const struct dp_time_stat *stat;
	char share[DP_NUMBER_SIZE];
	size_t count = 0;

	while (get(render->analysis, loop, count))
		count++;
	if (!count || (count == 1 && !*get(render->analysis, loop, 0)->name))
		return;
	write_head(render, "share", title);
	for (size_t i = 0; i < ROWS_MOST && (stat = get(render->analysis, loop, i)); i++)
		write_row(render, dp_human__share(share, stat->share), stat,
			  get == dp_loop_kernel_stat);
	write_more(render, count, ROWS_MOST);
}

/* Places of the pattern in order of their mean, kept by insertion. Returns how many. */
static size_t choose_places(size_t chosen[PLACES_MOST], const struct dp_render *render, size_t loop)
{
	const struct dp_time_stat *stat, *last;
	size_t count = 0;

	for (size_t i = 0; (stat = dp_loop_position_stat(render->analysis, loop, i)); i++) {
		size_t at = count;

		if (!isfinite(stat->mean_ns))
			continue;
		while (at > 0) {
			last = dp_loop_position_stat(render->analysis, loop, chosen[at - 1]);
			if (last->mean_ns >= stat->mean_ns)
				break;
			if (at < PLACES_MOST)
				chosen[at] = chosen[at - 1];
			at--;
		}
		if (at < PLACES_MOST)
			chosen[at] = i;
		count += count < PLACES_MOST;
	}
	return count;
}

/* The kernels of an iteration that take longest, by their place in it. */
static void write_places(struct dp_render *render, size_t loop)
{
	size_t length = dp_analysis_loop(render->analysis, loop)->length, count;
	size_t chosen[PLACES_MOST];
	char place[DP_TEXT_SIZE];

	count = choose_places(chosen, render, loop);
	if (!count)
		return;
	write_head(render, "place", "kernel of the iteration at that place");
	for (size_t i = 0; i < count; i++)
		write_row(render, dp_text__count(place, chosen[i]),
			  dp_loop_position_stat(render->analysis, loop, chosen[i]), true);
	write_more(render, length, count);
}

void dp_text__tables(struct dp_render *render, size_t loop)
{
	write_table(render, loop, dp_loop_kernel_stat, "kernel");
	write_table(render, loop, dp_loop_operator_stat, "operator");
	write_places(render, loop);
}
