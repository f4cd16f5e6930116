/*
 * The ranks of a job as one page for a browser: the verdict, a heat map of ranks by iterations, the
 * collectives of a chosen iteration over all ranks on one clock, and the parts of each rank's time.
 * Self-contained like the report of one trace. Cost: linear in ranks times iterations and in the
 * collectives.
 */
#include "report/html.h"
#include "report/ranks_words.h"

#include "base/strings.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

/*
 * Limits, so that the page of the largest job has a few megabytes: cells of the heat map, in which
 * a column may stand for several iterations, and collectives in lanes.
 */
enum { CELLS_MOST = 120000, CALLS_MOST = 100000 };

struct page {
	struct dp_render *render;
	const struct dp_ranks *ranks;
	size_t count;	   /* ranks */
	size_t iterations; /* of the job */
	size_t *calls;	   /* per iteration, of all ranks */
	uint32_t *shown;   /* per iteration, its index in the list of lanes plus 1, or 0 */
	size_t *list;
	int64_t *start_ns; /* per iteration, that of the earliest rank */
	size_t shown_count;
	size_t stride; /* lanes show every stride-th rank, and those blamed */
	struct dp_strings groups;
};

static void string(struct page *page, const char *key, const char *text)
{
	dp_render__format(page->render, ",\n\"%s\":", key);
	dp_html__string(page->render, text);
}

static void write_verdict(struct page *page)
{
	const struct dp_ranks_verdict *verdict = dp_ranks_verdict(page->ranks);
	bool found = verdict->kind != DP_VERDICT_NONE;
	struct dp_words words = { 0 };

	dp_ranks_words__headline(&words, page->ranks, false);
	string(page, "headline", words.text);
	dp_render__format(page->render, ",\n\"kind\":\"%s\",\"judged\":%s",
			  dp_verdict_name(verdict->kind), *verdict->why ? "false" : "true");
	string(page, "advice", dp_ranks_words__advice(page->ranks));
	words = (struct dp_words){ 0 };
	if (found)
		dp_ranks_words__cost(&words, page->render, page->ranks);
	string(page, "cost", words.text);
	words = (struct dp_words){ 0 };
	if (verdict->kind == DP_VERDICT_STRAGGLER)
		dp_ranks_words__cause(&words, page->render, page->ranks, DP_LABEL_COLUMNS);
	else
		dp_ranks_words__note(&words, page->render, page->ranks);
	string(page, "cause", words.text);
	words = (struct dp_words){ 0 };
	if (verdict->kind == DP_VERDICT_STRAGGLER)
		dp_ranks_words__evidence(&words, page->ranks);
	string(page, "evidence", words.text);
	dp_render__format(page->render, ",\n\"since\":%lld",
			  found ? (long long)verdict->since_iteration : -1LL);
}

static void write_notes(struct page *page)
{
	const struct dp_left_out *at;
	struct dp_words words = { 0 };

	dp_ranks_words__head(&words, page->render, page->ranks);
	string(page, "head", words.text);
	words = (struct dp_words){ 0 };
	dp_ranks_words__matching(&words, page->render, page->ranks);
	string(page, "matching", words.text);
	words = (struct dp_words){ 0 };
	dp_ranks_words__sources(&words, page->ranks);
	string(page, "sources", words.text);
	dp_render__text(page->render, ",\n\"left_out\":[");
	for (size_t i = 0; (at = dp_ranks_left_out(page->ranks, i)); i++) {
		dp_render__text(page->render, i ? ",\n[" : "[");
		dp_html__string(page->render, at->file);
		dp_render__text(page->render, ",");
		dp_html__string(page->render, at->why);
		dp_render__text(page->render, "]");
	}
	dp_render__text(page->render, "]");
}

static void value(struct page *page, double of, const char *unit)
{
	dp_render__text(page->render, ",");
	dp_html__value(page->render, of, unit);
}

/*
 * Writes rows of rank, host, file, iterations, period, own, wait, last, shared, offset, resolution,
 * blamed, GPU (null if its file has no other rank), parts.
 */
static void write_ranks(struct page *page)
{
	const struct dp_rank *rank;

	dp_render__text(page->render, ",\n\"parts\":[");
	for (int p = 0; p < DP_RANK_PARTS; p++) {
		dp_render__text(page->render, p ? "," : "");
		dp_html__string(page->render,
				dp_ranks_words__part(page->ranks, (enum dp_rank_part)p));
	}
	dp_render__text(page->render, "],\n\"ranks\":[");
	for (size_t r = 0; (rank = dp_ranks_rank(page->ranks, r)); r++) {
		dp_render__format(page->render, "%s[%lld,", r ? ",\n" : "", (long long)rank->rank);
		dp_html__string(page->render, rank->host);
		dp_render__text(page->render, ",");
		dp_html__string(page->render, rank->file);
		dp_render__format(page->render, ",%zu", rank->iterations);
		value(page, rank->period_ns, "ns");
		value(page, rank->own_ns, "ns");
		value(page, rank->wait_ns, "ns");
		dp_render__format(page->render, ",%zu,%zu", rank->last, rank->shared);
		value(page, rank->clock_known ? rank->offset_ns : NAN, "ns");
		value(page, rank->clock_known ? rank->resolution_ns : NAN, "ns");
		dp_render__text(page->render, dp_ranks_rows__is_blamed(page->ranks, r) ? ",1" : ",0");
		value(page, rank->file_ranks > 1 && rank->device >= 0 ? (double)rank->device : NAN,
		      "count");
		for (int p = 0; p < DP_RANK_PARTS; p++)
			value(page, rank->part_ns[p], "ns");
		dp_render__text(page->render, "]");
	}
	dp_render__text(page->render, "]");
}

/*
 * Writes the mean of a rank's iterations in a column, in microseconds: period, own time and
 * waiting.
 */
static void write_cell(struct page *page, size_t r, size_t first, size_t end)
{
	double sums[3] = { 0 };
	size_t counts[3] = { 0 };
	char number[DP_NUMBER_SIZE];

	for (size_t k = first; k < end; k++) {
		const struct dp_rank_iteration *at = dp_ranks_iteration(page->ranks, r, k);
		double values[3] = { NAN, NAN, NAN };

		/* only iterations with a period can be compared */
		if (at && isfinite(at->period_ns)) {
			values[0] = at->period_ns;
			values[1] = at->own_ns;
			values[2] = at->wait_ns;
		}
		for (int i = 0; i < 3; i++)
			if (isfinite(values[i])) {
				sums[i] += values[i];
				counts[i]++;
			}
	}
	for (int i = 0; i < 3; i++) {
		double us = sums[i] / (double)counts[i] / 1e3;

		if (i)
			dp_render__text(page->render, ",");
		if (!counts[i])
			dp_render__text(page->render, "null");
		else
			dp_render__text(page->render, dp_text__fixed(number, us, us < 10000));
	}
}

static void write_cells(struct page *page)
{
	size_t columns = DP_MAX(CELLS_MOST / DP_MAX(page->count, 1), 20);
	size_t group = (page->iterations + columns - 1) / columns;

	group = DP_MAX(group, 1);
	dp_render__format(page->render, ",\n\"iterations\":%zu,\"group\":%zu,\"cells\":[",
			  page->iterations, group);
	for (size_t r = 0; r < page->count; r++) {
		dp_render__text(page->render, r ? ",\n[" : "[");
		for (size_t k = 0; k < page->iterations; k += group) {
			dp_render__text(page->render, k ? "," : "");
			write_cell(page, r, k, DP_MIN(k + group, page->iterations));
		}
		dp_render__text(page->render, "]");
	}
	dp_render__text(page->render, "]");
}

static void count_calls(struct page *page)
{
	struct dp_rank_call call = DP_RANK_CALL_INIT;

	for (size_t k = 0; k < page->iterations; k++)
		page->start_ns[k] = INT64_MAX;
	for (size_t r = 0; r < page->count; r++) {
		for (size_t i = 0; dp_ranks_call(page->ranks, r, i, &call); i++)
			if (call.iteration >= 0)
				page->calls[call.iteration]++;
		for (size_t k = 0; k < page->iterations; k++) {
			const struct dp_rank_iteration *at = dp_ranks_iteration(page->ranks, r, k);

			if (at)
				page->start_ns[k] = DP_MIN(page->start_ns[k], at->start_ns);
		}
	}
}

static void show(struct page *page, size_t k, size_t *room)
{
	if (k >= page->iterations || page->shown[k] || page->start_ns[k] == INT64_MAX)
		return;
	/* the first one is shown anyway, if necessary for some ranks only */
	if (!page->shown_count && page->calls[k] > *room)
		page->stride = page->calls[k] / *room + 1;
	if (page->calls[k] / page->stride > *room)
		return;
	*room -= page->calls[k] / page->stride;
	page->list[page->shown_count++] = k;
	page->shown[k] = (uint32_t)page->shown_count;
}

/* The longest period of any rank in an iteration; NaN if no rank has one. */
static double longest(const struct page *page, size_t k)
{
	double most = NAN;

	for (size_t r = 0; r < page->count; r++) {
		const struct dp_rank_iteration *at = dp_ranks_iteration(page->ranks, r, k);

		if (at)
			most = fmax(most, at->period_ns);
	}
	return most;
}

/*
 * Chooses a typical iteration, the slowest, the first one with the fault, and others as room
 * permits.
 */
static void choose_shown(struct page *page)
{
	const struct dp_ranks_verdict *verdict = dp_ranks_verdict(page->ranks);
	size_t room = CALLS_MOST, slowest = SIZE_MAX, typical = SIZE_MAX;
	double most = -INFINITY, least = INFINITY;

	for (size_t k = 0; k < page->iterations; k++) {
		double period = longest(page, k);

		if (period > most) {
			most = period;
			slowest = k;
		}
		if (k >= (size_t)verdict->since_iteration &&
		    fabs(period - verdict->period_ns) < least) {
			least = fabs(period - verdict->period_ns);
			typical = k;
		}
	}
	show(page, typical, &room);
	show(page, slowest, &room);
	for (size_t k = (size_t)verdict->since_iteration; k < page->iterations; k++)
		show(page, k, &room);
	for (size_t k = 0; k < page->iterations; k++)
		show(page, k, &room);
}

/* Writes when each shown iteration of a rank begins, and its duration. */
static void write_starts(struct page *page, size_t r)
{
	for (size_t s = 0; s < page->shown_count; s++) {
		const struct dp_rank_iteration *at =
			dp_ranks_iteration(page->ranks, r, page->list[s]);

		dp_render__text(page->render, s ? "," : "");
		if (!at) {
			dp_render__text(page->render, "null,null");
			continue;
		}
		dp_render__integer(page->render, at->start_ns - page->start_ns[page->list[s]]);
		value(page, at->period_ns, "ns");
	}
}

/*
 * Writes calls as six numbers: index in the list of iterations, start, duration, waiting, kind,
 * group.
 */
static void write_calls(struct page *page, size_t r)
{
	struct dp_rank_call call = DP_RANK_CALL_INIT;
	bool any = false;

	for (size_t i = 0; dp_ranks_call(page->ranks, r, i, &call); i++) {
		uint32_t group;

		if (call.iteration < 0 || !page->shown[call.iteration])
			continue;
		group = dp_strings__intern(&page->groups, call.group, strlen(call.group));
		if (group == DP_NONE) {
			page->render->status = dp_error__nomem(page->render->error, 0);
			return;
		}
		dp_render__format(page->render, "%s%u,%lld,%lld,%lld,%d,%u", any ? "," : "",
				  page->shown[call.iteration] - 1,
				  (long long)(call.start_ns - page->start_ns[call.iteration]),
				  (long long)(call.end_ns - call.start_ns), (long long)call.wait_ns,
				  (int)call.kind, group);
		any = true;
	}
}

static void write_lanes(struct page *page)
{
	bool any = false;

	dp_render__text(page->render, ",\n\"shown\":[");
	for (size_t s = 0; s < page->shown_count; s++)
		dp_render__format(page->render, "%s%zu", s ? "," : "", page->list[s]);
	dp_render__text(page->render, "],\n\"lanes\":[");
	for (size_t r = 0; r < page->count && !page->render->status; r++) {
		if (r % page->stride && !dp_ranks_rows__is_blamed(page->ranks, r))
			continue;
		dp_render__format(page->render, "%s[%zu,[", any ? ",\n" : "", r);
		write_starts(page, r);
		dp_render__text(page->render, "],[");
		write_calls(page, r);
		dp_render__text(page->render, "]]");
		any = true;
	}
	dp_render__text(page->render, "],\n\"groups\":[");
	for (uint32_t g = 0; g < page->groups.count; g++) {
		dp_render__text(page->render, g ? ",\n" : "");
		dp_html__string(page->render, dp_strings__get(&page->groups, g));
	}
	dp_render__text(page->render, "],\n\"kinds\":[");
	for (int kind = 0; kind < DP_COLLECTIVE_KINDS; kind++)
		dp_render__format(page->render, "%s\"%s\"", kind ? "," : "",
				  dp_collective_kind_name((enum dp_collective_kind)kind));
	dp_render__text(page->render, "]");
}

/* Writes rows of kind, group, members, calls, bytes, own, waiting, bus bandwidth. */
static void write_collectives(struct page *page)
{
	const struct dp_ranks_collective *at;

	dp_render__text(page->render, ",\n\"collectives\":[");
	for (size_t i = 0; (at = dp_ranks_collective(page->ranks, i)) && i < DP_HTML_NAMES; i++) {
		dp_render__format(page->render, "%s[\"%s\",", i ? ",\n" : "",
				  dp_collective_kind_name(at->kind));
		dp_html__string(page->render, at->group);
		dp_render__format(page->render, ",%zu,%zu", at->group_size, at->count);
		value(page, at->bytes ? (double)at->bytes : NAN, "bytes");
		value(page, at->own_ns, "ns");
		value(page, at->wait_ns, "ns");
		value(page, at->bus_bandwidth, "bytes/s");
		dp_render__text(page->render, "]");
	}
	dp_render__text(page->render, "]");
}

static bool allocate(struct page *page)
{
	size_t room = page->iterations + 1;

	page->calls = dp_alloc__zeroed(room, sizeof(*page->calls));
	page->shown = dp_alloc__zeroed(room, sizeof(*page->shown));
	page->list = dp_alloc__zeroed(room, sizeof(*page->list));
	page->start_ns = dp_alloc__zeroed(room, sizeof(*page->start_ns));
	return page->calls && page->shown && page->list && page->start_ns;
}

static void write_all(struct dp_render *render, const void *what)
{
	const struct dp_ranks *ranks = what;
	static const char *const scripts[] = { "base.js", "charts.js", "tables.js", "ranks.js" };
	struct page page = { .render = render,
			     .ranks = ranks,
			     .count = dp_ranks_count(ranks),
			     .iterations = dp_ranks_iteration_count(ranks),
			     .stride = 1 };

	if (!allocate(&page)) {
		render->status = dp_error__nomem(render->error, page.iterations);
		goto out;
	}
	count_calls(&page);
	choose_shown(&page);
	dp_html__open(render, "deepprof ranks", "ranks.html");
	dp_render__format(render, "\"version\":\"%s\"", dp_version());
	write_verdict(&page);
	write_notes(&page);
	write_ranks(&page);
	write_cells(&page);
	write_lanes(&page);
	write_collectives(&page);
	dp_html__close(render, scripts, DP_COUNT(scripts));
out:
	free(page.calls);
	free(page.shown);
	free(page.list);
	free(page.start_ns);
	dp_strings__fini(&page.groups);
}

const struct dp_whole_renderer dp_ranks_renderer__ranks_html = {
	.info = { "html", "html", "one page for a browser: heat map, lanes of an iteration", false,
		  true },
	.write = write_all,
};
