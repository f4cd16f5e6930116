/* Tables of the verbose text report: a loop's kernels, operators and positions, longest first. */
#include "base/text.h"
#include "report/text.h"

#include <math.h>
#include <string.h>

#define ROWS_MOST 20
#define PLACES_MOST 10
#define WIDE 110 /* columns from which on all numbers fit */
#define WIDE_NUMBERS 66
#define NUMBERS 36
#define NARROW 56 /* columns below which only the total fits */
#define NARROW_NUMBERS 17
#define UNITS 24 /* three columns of shares */

/* What a table's rows have besides times. */
struct look {
	bool kernels; /* rows are kernels, not operators */
	bool shares;  /* of the time of all, instead of positions */
	bool units;   /* some were sampled, and there is room */
};

static bool is_wide(const struct dp_render *render)
{
	return ((const struct dp_text *)render->state)->width >= WIDE;
}

static bool is_narrow(const struct dp_render *render)
{
	return ((const struct dp_text *)render->state)->width < NARROW;
}

/* Columns left for names. */
static size_t name_room(const struct dp_render *render, const struct look *look)
{
	size_t used = is_wide(render) ? WIDE_NUMBERS : is_narrow(render) ? NARROW_NUMBERS : NUMBERS;
	size_t width = ((struct dp_text *)render->state)->width;

	used += look->units ? UNITS : 0;
	return DP_MAX(width, used + 20) - used - 2;
}

/* Writes the title, or its first word if only that fits. */
static void write_head(struct dp_render *render, const char *first, const char *title,
		       const struct look *look)
{
	size_t room = name_room(render, look);
	size_t length = strlen(title) > room ? strcspn(title, " ") : strlen(title);

	dp_text__style_begin(render, DP_STYLE_DIM);
	if (is_narrow(render))
		dp_render__format(render, "\n%7s%10s", first, "total");
	else
		dp_render__format(render, "\n%7s%9s%10s%10s", first, "count", "total", "mean");
	if (is_wide(render))
		dp_render__format(render, "%10s%10s%10s", "min", "max", "stddev");
	if (look->units)
		dp_render__format(render, "%8s%8s%8s", "SM", "tensor", "DRAM");
	dp_render__format(render, "  %.*s", (int)length, title);
	dp_text__style_end(render);
	dp_render__text(render, "\n");
}

static void write_units(struct dp_render *render, const struct dp_time_stat *stat)
{
	const double units[] = { stat->sm_active, stat->tensor_active, stat->dram_active };
	char share[DP_NUMBER_SIZE];

	for (size_t i = 0; i < DP_COUNT(units); i++)
		dp_text__column(render, isnan(units[i]) ? "-" : dp_human__share(share, units[i]),
				-8);
}

/*
 * Writes a row. first: its first column. place: where a kernel's name differs from a similar one.
 */
static void write_row(struct dp_render *render, const char *first, const struct dp_time_stat *stat,
		      const struct look *look, size_t place)
{
	const double values[] = { stat->total_ns, stat->mean_ns, stat->min_ns, stat->max_ns,
				  stat->stddev_ns };
	char label[DP_LABEL_SIZE], number[DP_NUMBER_SIZE], digits[DP_TEXT_SIZE];
	size_t room = name_room(render, look);
	bool ascii = render->options->ascii;

	dp_text__column(render, first, -7);
	if (!is_narrow(render))
		dp_text__column(render, dp_text__count(digits, stat->count), -9);
	for (size_t i = 0; i < (is_wide(render)	    ? DP_COUNT(values)
				: is_narrow(render) ? 1
						    : 2);
	     i++)
		dp_text__cell(render, dp_human__duration(number, values[i], ascii), 10);
	if (look->units)
		write_units(render, stat);
	dp_render__text(render, "  ");
	if (!*stat->name)
		dp_render__text(render, "(no operator)");
	else if (look->kernels)
		dp_render__text(render, dp_label__kernel_at(label, stat->name, place, room, ascii));
	else
		dp_render__text(render, dp_label__text(label, stat->name, room, ascii));
	dp_render__text(render, "\n");
}

static void write_more(struct dp_render *render, size_t count, size_t shown)
{
	char number[DP_TEXT_SIZE];

	if (count > shown)
		dp_render__format(render, "and %s more (-vv shows all)\n",
				  dp_text__count(number, count - shown));
}

/* A row of any table. */
struct row {
	const struct dp_time_stat *stat;
	size_t at; /* its index in the source */
};

/* Writes rows with their share of the time or their positions. */
static int write_rows(struct dp_render *render, const struct row *rows, size_t count,
		      const struct look *look)
{
	const char **names = dp_alloc__array(count, sizeof(*names));
	size_t *places = dp_alloc__zeroed(count, sizeof(*places));
	int status = names && places ? DP_OK : DP_ERR_NOMEM;
	char first[DP_NUMBER_SIZE];

	for (size_t i = 0; i < count && !status; i++)
		names[i] = rows[i].stat->name;
	if (!status && look->kernels)
		status = dp_label__tell_apart(places, names, count, name_room(render, look),
					      render->options->ascii);
	for (size_t i = 0; i < count && !status; i++) {
		if (look->shares)
			dp_human__share(first, rows[i].stat->share);
		else
			dp_text__count(first, rows[i].at);
		write_row(render, first, rows[i].stat, look, places[i]);
	}
	free(names);
	free(places);
	return status;
}

typedef const struct dp_time_stat *getter(const struct dp_analysis *analysis, size_t loop,
					  size_t index);

/* Collects the rows that have a value. The caller frees them; NULL if memory runs out. */
static struct row *gather(size_t *count, const struct dp_render *render, size_t loop, getter *get)
{
	const struct dp_time_stat *stat;
	size_t total = 0;
	struct row *rows;

	while (get(render->analysis, loop, total))
		total++;
	rows = dp_alloc__array(total, sizeof(*rows));
	*count = 0;
	for (size_t i = 0; rows && (stat = get(render->analysis, loop, i)); i++)
		if (isfinite(stat->mean_ns))
			rows[(*count)++] = (struct row){ stat, i };
	return rows;
}

static bool any_units(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (isfinite(rows[i].stat->sm_active) || isfinite(rows[i].stat->tensor_active) ||
		    isfinite(rows[i].stat->dram_active))
			return true;
	return false;
}

static int write_table(struct dp_render *render, size_t loop, getter *get, const char *title)
{
	struct look look = { .kernels = get == dp_analysis_loop_kernel_stat, .shares = true };
	size_t count, shown;
	struct row *rows = gather(&count, render, loop, get);
	int status = DP_OK;

	if (!rows)
		return DP_ERR_NOMEM;
	if (count && (count > 1 || *rows[0].stat->name)) {
		shown = render->options->all ? count : DP_MIN(count, ROWS_MOST);
		look.units = !is_narrow(render) && any_units(rows, shown);
		write_head(render, "share", title, &look);
		status = write_rows(render, rows, shown, &look);
		write_more(render, count, shown);
	}
	free(rows);
	return status;
}

static int longest_first(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->stat->mean_ns < y->stat->mean_ns || x->stat->mean_ns > y->stat->mean_ns)
		return x->stat->mean_ns < y->stat->mean_ns ? 1 : -1;
	return (x->at > y->at) - (x->at < y->at);
}

/* Writes the kernels of an iteration that take longest, by position. */
static int write_places(struct dp_render *render, size_t loop)
{
	const struct look look = { .kernels = true };
	size_t count, shown;
	struct row *rows = gather(&count, render, loop, dp_analysis_loop_position_stat);
	int status = DP_OK;

	if (!rows)
		return DP_ERR_NOMEM;
	if (count) {
		qsort(rows, count, sizeof(*rows), longest_first);
		shown = render->options->all ? count : DP_MIN(count, PLACES_MOST);
		write_head(render, "place", "kernel of the iteration at that place", &look);
		status = write_rows(render, rows, shown, &look);
		write_more(render, count, shown);
	}
	free(rows);
	return status;
}

void dp_text__tables(struct dp_render *render, size_t loop)
{
	int status = write_table(render, loop, dp_analysis_loop_kernel_stat, "kernel");

	if (!status)
		status = write_table(render, loop, dp_analysis_loop_operator_stat, "operator");
	if (!status)
		status = write_places(render, loop);
	if (status && !render->status)
		render->status = dp_error__nomem(render->error, 0);
}
