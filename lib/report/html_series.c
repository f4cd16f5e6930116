/*
 * Series of a loop for its charts. A series that is too long for a page is cut into buckets, each
 * of which keeps its smallest and its largest value in place, so that all outliers remain visible.
 */
#include "report/html.h"
#include "report/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SLOWEST 60 /* rows of the table of slow iterations */
#define GROUPS 240 /* bars of the breakdown */
#define PARTS 16   /* of a bar */
#define BINS 48

static int compare_ranks(const void *a, const void *b)
{
	const struct dp_html_rank *x = a, *y = b;

	if (x->value != y->value)
		return x->value > y->value ? -1 : 1;
	return (x->k > y->k) - (x->k < y->k);
}

static bool has_values(struct dp_render *render, size_t loop, size_t metric)
{
	size_t count = dp_analysis_loop(render->analysis, loop)->iterations;

	for (size_t k = 0; metric != SIZE_MAX && k < count; k++)
		if (isfinite(dp_analysis_loop_metric(render->analysis, loop, metric, k)))
			return true;
	return false;
}

/* Returns true if there is an iteration past the warm-up. */
static bool has_steady(struct dp_render *render, size_t loop, size_t metric)
{
	size_t count = dp_analysis_loop(render->analysis, loop)->iterations;

	for (size_t k = 0; k < count; k++) {
		const struct dp_iteration *at =
			dp_analysis_loop_iteration(render->analysis, loop, k);

		if (!at->partial && !at->warmup &&
		    isfinite(dp_analysis_loop_metric(render->analysis, loop, metric, k)))
			return true;
	}
	return false;
}

int dp_html__rank(struct dp_render *render, size_t loop, struct dp_html_ranking *ranking)
{
	size_t count = dp_analysis_loop(render->analysis, loop)->iterations;
	bool steady;
	double value;

	ranking->metric = dp_html__metric("period_ns");
	if (!has_values(render, loop, ranking->metric))
		ranking->metric = dp_html__metric("duration_ns");
	ranking->ranks = dp_alloc__array(count, sizeof(*ranking->ranks));
	if (!ranking->ranks)
		return dp_error__nomem(render->error, count);
	steady = ranking->metric != SIZE_MAX && has_steady(render, loop, ranking->metric);
	for (size_t k = 0; ranking->metric != SIZE_MAX && k < count; k++) {
		const struct dp_iteration *at =
			dp_analysis_loop_iteration(render->analysis, loop, k);

		value = dp_analysis_loop_metric(render->analysis, loop, ranking->metric, k);
		if (isfinite(value) && !at->partial && !(steady && at->warmup))
			ranking->ranks[ranking->count++] = (struct dp_html_rank){ value, k };
	}
	if (!ranking->count)
		return DP_OK;
	qsort(ranking->ranks, ranking->count, sizeof(*ranking->ranks), compare_ranks);
	ranking->slowest = ranking->ranks[0].k;
	ranking->typical = ranking->ranks[ranking->count / 2].k;
	return DP_OK;
}

/* A value of a series; NaN if the page excludes it. */
static double series_value(const struct dp_render *render, size_t loop, size_t metric, size_t k)
{
	const struct dp_html *html = render->state;

	return html->only_steady && !dp_analysis_loop_is_steady(render->analysis, loop, k)
		       ? (double)NAN
		       : dp_analysis_loop_metric(render->analysis, loop, metric, k);
}

/*
 * The iterations in [from, to) with the smallest and the largest value. Returns false if none has a
 * value.
 */
static bool extremes(struct dp_render *render, size_t loop, size_t metric, size_t from, size_t to,
		     size_t found[2])
{
	double low = INFINITY, high = -INFINITY;
	size_t least = SIZE_MAX, most = SIZE_MAX;

	for (size_t k = from; k < to; k++) {
		double value = series_value(render, loop, metric, k);

		if (!isfinite(value))
			continue;
		if (value < low) {
			low = value;
			least = k;
		}
		if (value > high) {
			high = value;
			most = k;
		}
	}
	found[0] = DP_MIN(least, most);
	found[1] = DP_MAX(least, most);
	return least != SIZE_MAX;
}

/* floor(a * b / c), where a < c. */
static size_t part(size_t a, size_t b, size_t c)
{
	return b / c * a + b % c * a / c;
}

/* Writes the iterations that are kept or, if values is set, their values. */
static void write_decimated(struct dp_render *render, size_t loop, size_t metric, size_t buckets,
			    bool values)
{
	size_t count = dp_analysis_loop(render->analysis, loop)->iterations, found[2];
	const char *unit = dp_metric(metric)->unit;
	bool any = false;

	for (size_t b = 0; b < buckets; b++) {
		if (!extremes(render, loop, metric, part(b, count, buckets),
			      b + 1 < buckets ? part(b + 1, count, buckets) : count, found))
			continue;
		for (size_t i = 0; i < (found[0] == found[1] ? 1 : 2); i++) {
			dp_render__text(render, any ? "," : "");
			any = true;
			if (values)
				dp_html__value(render, series_value(render, loop, metric, found[i]),
					       unit);
			else
				dp_render__integer(render, (int64_t)found[i]);
		}
	}
}

void dp_html__one_series(struct dp_render *render, size_t loop, size_t metric)
{
	size_t count = dp_analysis_loop(render->analysis, loop)->iterations;
	const struct dp_html *html = render->state;
	const char *unit = dp_metric(metric)->unit;

	dp_render__format(render, "{\"m\":%zu", metric);
	if (count > html->most_values) {
		dp_render__text(render, ",\"x\":[");
		write_decimated(render, loop, metric, html->most_values / 2, false);
		dp_render__text(render, "]");
	}
	dp_render__text(render, ",\"y\":[");
	if (count > html->most_values)
		write_decimated(render, loop, metric, html->most_values / 2, true);
	for (size_t k = 0; count <= html->most_values && k < count; k++) {
		dp_render__text(render, k ? "," : "");
		dp_html__value(render, series_value(render, loop, metric, k), unit);
	}
	dp_render__text(render, "]}");
}

/* Writes marks on iterations that numbers do not show. Beyond a limit they are left out. */
static void write_marks(struct dp_render *render, size_t loop)
{
	const struct dp_html *html = render->state;
	size_t count = dp_analysis_loop(render->analysis, loop)->iterations;
	size_t variants = 0, warmup = 0;
	const struct dp_iteration *at;
	bool any = false;

	for (size_t k = 0; k < count; k++) {
		at = dp_analysis_loop_iteration(render->analysis, loop, k);
		variants += at->variant != 0;
		warmup += at->warmup;
	}
	dp_render__format(render, ",\n\"warmup\":%zu,\"odd\":[", warmup);
	for (size_t k = 0; variants <= html->most_values / 4 && k < count; k++) {
		at = dp_analysis_loop_iteration(render->analysis, loop, k);
		if (!at->variant && !at->partial)
			continue;
		dp_render__format(render, "%s[%zu,%u,%d,%u,%u,%u]", any ? "," : "", k, at->variant,
				  at->partial, at->inserted, at->deleted, at->substituted);
		any = true;
	}
	dp_render__text(render, "],\"starts\":[");
	for (size_t k = 0; count <= html->most_values && k < count; k++) {
		dp_render__text(render, k ? "," : "");
		dp_render__integer(render,
				   dp_analysis_loop_iteration(render->analysis, loop, k)->start_ns);
	}
	dp_render__text(render, "]");
}

/* The summary's median, which leaves warm-up out; that of the ranking if there is none. */
static double median(struct dp_render *render, size_t loop, const struct dp_html_ranking *ranking)
{
	const struct dp_metric_info *info;
	size_t count = ranking->count;
	double value;

	for (size_t i = 0; (info = dp_summary_metric(i)); i++) {
		value = dp_analysis_loop_summary(render->analysis, loop, i);
		if (!strncmp(info->name, "median_", 7) && isfinite(value) &&
		    !strcmp(info->name + 7, dp_metric(ranking->metric)->name))
			return value;
	}
	return (ranking->ranks[count / 2].value + ranking->ranks[(count - 1) / 2].value) / 2;
}

static void write_slowest(struct dp_render *render, size_t loop,
			  const struct dp_html_ranking *ranking)
{
	struct dp_words groups = { 0 };

	dp_render__format(render, ",\n\"rank\":%zu,\"slowest\":[",
			  ranking->count ? ranking->metric : 0);
	for (size_t i = 0; i < ranking->count && i < SLOWEST; i++) {
		const struct dp_iteration *at =
			dp_analysis_loop_iteration(render->analysis, loop, ranking->ranks[i].k);

		dp_render__format(render, "%s[%zu,%.0f,%lld,%zu,%u,%u,%u,%u,%zu]", i ? "," : "",
				  at->index, ranking->ranks[i].value, (long long)at->start_ns,
				  at->kernels, at->inserted, at->deleted, at->substituted,
				  at->variant, at->foreign_kernels);
	}
	dp_render__text(render, "]");
	if (ranking->count)
		dp_render__format(render, ",\"median\":%.0f", median(render, loop, ranking));
	if (dp_text__period_groups(&groups, "", render, loop)) {
		dp_render__text(render, ",\"groups\":");
		dp_html__text(render, groups.text);
	}
}

/*
 * Writes bins of equal width from the smallest to the largest value. If a few values are far off,
 * the bins end where most values do, and the last bin holds the rest.
 */
static void write_histogram(struct dp_render *render, const struct dp_html_ranking *ranking)
{
	size_t count = ranking->count, bins[BINS] = { 0 };
	size_t used = DP_MIN(BINS, (size_t)(2 * ceil(cbrt((double)count))) + 2);
	double low, high, most, width;

	if (count < 2)
		return;
	low = ranking->ranks[count - 1].value;
	most = ranking->ranks[0].value;
	high = ranking->ranks[count / 50].value;
	high = DP_MIN(low + (high - low) * 1.25, most);
	if (high <= low)
		high = most;
	width = (high - low) / (double)used;
	for (size_t i = 0; i < count && width > 0; i++)
		bins[(size_t)DP_MIN((ranking->ranks[i].value - low) / width, (double)used - 1)]++;
	if (width <= 0)
		bins[0] = count;
	dp_render__format(render,
			  ",\n\"histogram\":{\"low\":%.0f,\"high\":%.0f,\"most\":%.0f,"
			  "\"bins\":[",
			  low, high, most);
	for (size_t i = 0; i < (width > 0 ? used : 1); i++)
		dp_render__format(render, "%s%zu", i ? "," : "", bins[i]);
	dp_render__text(render, "]}");
}

/* Chooses the parts of a period: those of the text report's bar, else iteration and interval. */
static size_t choose_parts(struct dp_render *render, size_t loop, size_t parts[PARTS],
			   const char *words[PARTS])
{
	const char *metric;
	size_t count = 0;

	while (count < PARTS && (words[count] = dp_text__part(render, loop, count, &metric))) {
		parts[count] = dp_html__metric(metric);
		if (!has_values(render, loop, parts[count++]))
			break;
	}
	if (count && has_values(render, loop, parts[count - 1]))
		return count;
	parts[0] = dp_html__metric("duration_ns");
	parts[1] = dp_html__metric("interval_ns");
	words[0] = "iteration";
	words[1] = "between iterations";
	return parts[0] != SIZE_MAX && parts[1] != SIZE_MAX ? 2 : 0;
}

/* The mean over the whole, steady iterations in [from, to); NaN for a period if there is none. */
static double mean_of(struct dp_render *render, size_t loop, size_t metric, size_t from, size_t to,
		      bool warmup)
{
	double sum = 0;
	size_t n = 0;

	for (size_t k = from; k < to; k++) {
		const struct dp_iteration *at =
			dp_analysis_loop_iteration(render->analysis, loop, k);
		double value = dp_analysis_loop_metric(render->analysis, loop, metric, k);

		if (at->partial || (at->warmup && !warmup) || !isfinite(value))
			continue;
		sum += value;
		n++;
	}
	return n ? sum / (double)n : NAN;
}

/*
 * The mean of a part: the summary's, which leaves out iterations that other kernels interrupt, else
 * that of all.
 */
static double mean_part(struct dp_render *render, size_t loop, size_t metric)
{
	size_t count = dp_analysis_loop(render->analysis, loop)->iterations;
	char name[DP_NUMBER_SIZE];
	double mean;

	snprintf(name, sizeof(name), "avg_%s", dp_metric(metric)->name);
	mean = dp_text__summary(render, loop, name);
	return isfinite(mean) ? mean : mean_of(render, loop, metric, 0, count, false);
}

static void write_breakdown(struct dp_render *render, size_t loop)
{
	size_t count = dp_analysis_loop(render->analysis, loop)->iterations, parts[PARTS];
	const char *words[PARTS];
	size_t n = choose_parts(render, loop, parts, words), groups = DP_MIN(count, GROUPS);

	dp_render__text(render, ",\n\"parts\":[");
	for (size_t i = 0; i < n; i++) {
		dp_render__format(render, "%s{\"m\":%zu,\"words\":\"%s\",\"mean\":", i ? "," : "",
				  parts[i], words[i]);
		dp_html__value(render, mean_part(render, loop, parts[i]), "ns");
		dp_render__text(render, ",\"y\":[");
		for (size_t g = 0; g < groups; g++) {
			size_t to = g + 1 < groups ? part(g + 1, count, groups) : count;

			dp_render__text(render, g ? "," : "");
			dp_html__value(
				render,
				mean_of(render, loop, parts[i], part(g, count, groups), to, true),
				"ns");
		}
		dp_render__text(render, "]}");
	}
	dp_render__text(render, "]");
}

void dp_html__series(struct dp_render *render, size_t loop, const struct dp_html_ranking *ranking)
{
	const struct dp_metric_info *info;
	bool any = false;

	dp_render__text(render, ",\n\"series\":[");
	for (size_t i = 0; (info = dp_metric(i)); i++) {
		if (!dp_render__shows(render, info) || !has_values(render, loop, i))
			continue;
		dp_render__text(render, any ? ",\n" : "\n");
		dp_html__one_series(render, loop, i);
		any = true;
	}
	dp_render__text(render, "]");
	write_marks(render, loop);
	write_slowest(render, loop, ranking);
	write_histogram(render, ranking);
	write_breakdown(render, loop);
}
