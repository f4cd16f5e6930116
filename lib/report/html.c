/*
 * One page that explains an analysis, for a browser: self-contained, works offline. Nothing from a
 * trace is written as markup: all of it is in one JSON document, whose strings contain no '<', '>'
 * or '&', and from which the scripts make text nodes. Cost: linear in iterations and operations;
 * sorts iterations.
 */
#include "report/html.h"
#include "report/label.h"
#include "report/text.h"

#include <string.h>

#define SLOW_MOST 1000 /* iterations that a finding marks: a chart has fewer pixels */

/* In order of their dependencies. */
static const char *const scripts[] = { "base.js", "charts.js", "timeline.js", "tables.js",
				       "report.js" };

size_t dp_html__metric(const char *name)
{
	const struct dp_metric_info *info;

	for (size_t i = 0; (info = dp_metric(i)); i++)
		if (!strcmp(info->name, name))
			return i;
	return SIZE_MAX;
}

static void write_metrics(struct dp_render *render, const char *key,
			  const struct dp_metric_info *(*at)(size_t))
{
	static const char *const better[] = { "", "lower", "higher" };
	const struct dp_metric_info *info;

	dp_render__format(render, ",\n\"%s\":[", key);
	for (size_t i = 0; (info = at(i)); i++)
		dp_json__put(render, "%\n{'name':'%','unit':'%','better':'%','shown':%,'help':%}",
			     dp_json__comma(i), dp_json__raw(info->name), dp_json__raw(info->unit),
			     dp_json__raw(better[info->better]),
			     dp_json__bool(dp_render__shows(render, info)),
			     dp_html__cut(info->help));
	dp_render__text(render, "]");
}

/* Decides how many loops are shown in full, and how many values each of their series may have. */
static void share_room(struct dp_render *render, struct dp_html *html)
{
	size_t loops = dp_analysis_loop_count(render->analysis), series;

	loops = DP_MAX(DP_MIN(loops, DP_HTML_LOOPS), 1);
	series = DP_MAX(html->metrics, 1) * loops;
	html->most_values = DP_MIN(DP_MAX(DP_HTML_VALUES / series, 100), DP_HTML_SERIES_MOST);
}

/* Writes which part of the trace was analyzed, unless it was all. */
static void write_scope(struct dp_render *render)
{
	struct dp_words words = { 0 };

	dp_text__scope(&words, render);
	dp_render__text(render, ",\n\"scope\":");
	dp_html__text(render, words.text);
}

static int begin(struct dp_render *render)
{
	if (dp_html__begin(render))
		return DP_ERR_NOMEM;
	share_room(render, render->state);
	dp_html__open(render, "deepprof", "body.html");
	dp_render__format(render, "\"version\":\"%s\"", dp_version());
	dp_html__trace(render);
	write_scope(render);
	dp_html__streams(render);
	write_metrics(render, "metrics", dp_metric);
	write_metrics(render, "summaries", dp_summary_metric);
	dp_render__text(render, ",\n\"loops\":[");
	return DP_OK;
}

static void write_summary(struct dp_render *render, size_t loop)
{
	const struct dp_metric_info *info;

	dp_render__text(render, ",\n\"summary\":[");
	for (size_t i = 0; (info = dp_summary_metric(i)); i++) {
		dp_render__text(render, i ? "," : "");
		dp_html__value(render, dp_analysis_loop_summary(render->analysis, loop, i),
			       info->unit);
	}
	dp_render__text(render, "]");
}

static size_t add_shown(size_t shown[DP_HTML_SHOWN], size_t count, size_t k)
{
	for (size_t i = 0; i < count; i++)
		if (shown[i] == k)
			return count;
	if (count < DP_HTML_SHOWN)
		shown[count++] = k;
	return count;
}

/*
 * Chooses the typical and the slowest iteration, slow ones, those where findings begin, and others
 * in between.
 */
static size_t choose_shown(size_t shown[DP_HTML_SHOWN], struct dp_render *render, size_t loop,
			   const struct dp_html_ranking *ranking)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	size_t events = dp_trace_ops(trace)->count + dp_trace_calls(trace)->count +
			dp_trace_ranges(trace)->count;
	size_t iterations = dp_analysis_loop(render->analysis, loop)->iterations;
	size_t count = add_shown(shown, 0, ranking->typical);
	const struct dp_finding *finding;

	count = add_shown(shown, count, ranking->slowest);
	if (events > DP_HTML_EVENTS)
		return count;
	for (size_t i = 1; i < ranking->count && i < DP_HTML_SHOWN / 4; i++)
		count = add_shown(shown, count, ranking->ranks[i].k);
	for (size_t i = 0; (finding = dp_analysis_finding(render->analysis, i)); i++)
		if (finding->loop == loop && count < DP_HTML_SHOWN / 2)
			count = add_shown(shown, count, finding->first_iteration);
	for (size_t i = 0, most = DP_MIN(iterations, DP_HTML_SHOWN); i < most; i++)
		count = add_shown(shown, count,
				  i * (iterations / most) + i * (iterations % most) / most);
	return count;
}

static void write_full(struct dp_render *render, size_t loop)
{
	struct dp_html_ranking ranking = { NULL, 0, 0, SIZE_MAX, SIZE_MAX };
	struct dp_html *html = render->state;
	int status = dp_html__rank(render, loop, &ranking);

	if (!render->status)
		render->status = status;
	if (status)
		return;
	html->full++;
	write_summary(render, loop);
	dp_html__series(render, loop, &ranking);
	dp_html__operators(render, loop);
	dp_html__host_operators(render, loop);
	dp_html__host_ranges(render, loop);
	dp_html__stream_waits(render, loop);
	dp_html__path(render, loop);
	if (html->full <= DP_HTML_TIMELINES && ranking.count) {
		size_t shown[DP_HTML_SHOWN];

		dp_html__timelines(render, loop, shown,
				   choose_shown(shown, render, loop, &ranking));
	}
	free(ranking.ranks);
}

/* The short form of a name in a loop's pattern, in label. */
static struct dp_json_value kernel(char label[DP_LABEL_SIZE], const struct dp_render *render,
				   size_t loop, size_t index)
{
	dp_label__kernel(label, dp_analysis_loop_kernel(render->analysis, loop, index),
			 DP_HTML_NAME_COLUMNS, false);
	return dp_html__cut(label);
}

static int write_loop(struct dp_render *render, size_t id)
{
	const struct dp_loop *loop = dp_analysis_loop(render->analysis, id);
	char first[DP_LABEL_SIZE], last[DP_LABEL_SIZE];
	struct dp_html *html = render->state;
	struct dp_words words = { 0 }, contents = { 0 };

	dp_text__contents(&contents, render, id);
	dp_json__put(render,
		     "%\n{'id':%,'parent':%,'stream':%,'device':%,'found':'%','confidence':%,"
		     "'coverage':%,'selected':%,'contents':%,'iterations':%,'complete':%,'first':%,"
		     "'last':%",
		     dp_json__comma(id), dp_json__count(loop->id),
		     dp_json__int(loop->parent == DP_NONE ? -1 : (int64_t)loop->parent),
		     dp_json__count(loop->stream), dp_json__count(loop->device),
		     dp_json__raw(dp_found_by_name(loop->found_by)),
		     dp_json__real(loop->confidence, "1"), dp_json__real(loop->coverage, "1"),
		     dp_json__bool(loop->selected), dp_html__whole(contents.text),
		     dp_json__count(loop->iterations), dp_json__count(loop->complete),
		     kernel(first, render, id, 0),
		     kernel(last, render, id, loop->length ? loop->length - 1 : 0));
	if (loop->iterations) {
		const struct dp_iteration *from =
			dp_analysis_loop_iteration(render->analysis, id, 0);
		const struct dp_iteration *to =
			dp_analysis_loop_iteration(render->analysis, id, loop->iterations - 1);

		dp_json__put(render, ",'span':[%,%]", dp_json__int(from->start_ns),
			     dp_json__int(to->end_ns));
	}
	if (html->full < DP_HTML_LOOPS && loop->iterations && loop->selected) {
		dp_text__loop_in_words(&words, render, id);
		dp_render__text(render, ",\"words\":");
		dp_html__string(render, words.text);
		write_full(render, id);
	}
	dp_render__text(render, "}");
	return DP_OK;
}

static void open_findings(struct dp_render *render, struct dp_html *html)
{
	if (!html->findings)
		dp_render__text(render, "],\n\"findings\":[");
	html->findings = true;
}

/* Returns true if a finding counts the slow iterations of its loop. */
static bool is_of_slow(const struct dp_finding *finding)
{
	for (size_t i = 0; i < finding->evidence_count; i++)
		if (finding->loop != DP_NONE &&
		    !strcmp(finding->evidence[i].name, "slow_iterations"))
			return true;
	return false;
}

/* Lists the iterations of a finding that is not about all from its first to its last. */
static void write_slow(struct dp_render *render, const struct dp_finding *finding)
{
	const struct dp_iteration *at;
	size_t count = 0;

	dp_render__text(render, ",\"slow\":[");
	for (size_t k = finding->first_iteration;
	     is_of_slow(finding) && k <= finding->last_iteration && count < SLOW_MOST; k++) {
		at = dp_analysis_loop_iteration(render->analysis, finding->loop, k);
		if (at && at->slow)
			dp_render__format(render, "%s%zu", count++ ? "," : "", k);
	}
	dp_render__text(render, "]");
}

static int write_finding(struct dp_render *render, size_t id)
{
	const struct dp_finding *finding = dp_analysis_finding(render->analysis, id);
	struct dp_words words = { 0 }, cost = { 0 };
	struct dp_html *html = render->state;

	open_findings(render, html);
	dp_json__put(render,
		     "%\n{'rule':'%','severity':'%','loop':%,'iterations':[%,%],'confidence':%,"
		     "'devices':[",
		     dp_json__comma(html->found++), dp_json__raw(finding->rule),
		     dp_json__raw(dp_severity_name(finding->severity)),
		     dp_json__int(finding->loop == DP_NONE ? -1 : (int64_t)finding->loop),
		     dp_json__count(finding->first_iteration),
		     dp_json__count(finding->last_iteration),
		     dp_json__real(finding->confidence, "1"));
	for (size_t i = 0; i < finding->loop_count; i++)
		dp_render__format(render, "%s%u", i ? "," : "", (unsigned)finding->devices[i]);
	dp_text__cost(&cost, render, finding, false);
	dp_text__evidence(&words, render, finding, SIZE_MAX);
	dp_json__put(render, "],'recoverable_ns':%,'advice':%,'cost':%,'says':%,'evidence':[",
		     dp_json__real(finding->recoverable_ns, "ns"), dp_html__cut(finding->advice),
		     dp_html__whole(cost.text), dp_html__whole(words.text));
	for (size_t i = 0; i < finding->evidence_count; i++) {
		const struct dp_evidence_value *value = &finding->evidence[i];

		dp_json__put(render, "%['%','%',%]", dp_json__comma(i), dp_json__raw(value->name),
			     dp_json__raw(value->unit), dp_json__real(value->value, value->unit));
	}
	dp_render__text(render, "]");
	write_slow(render, finding);
	dp_render__text(render, "}");
	return DP_OK;
}

static void write_rules(struct dp_render *render)
{
	const struct dp_rule_info *info;

	dp_render__text(render, ",\n\"rules\":[");
	for (size_t i = 0; (info = dp_rule(i)); i++)
		dp_json__put(render, "%['%',%]", dp_json__comma(i), dp_json__raw(info->id),
			     dp_html__cut(info->help));
	dp_render__text(render, "]");
}

static void write_candidates(struct dp_render *render)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	bool any = false;

	dp_render__text(render, ",\n\"candidates\":[");
	for (size_t i = 0; i < dp_trace_stream_count(trace); i++) {
		struct dp_words words = { 0 };

		if (!dp_analysis_candidate(render->analysis, i))
			continue;
		dp_text__nothing(&words, render, i);
		dp_json__put(render, "%[%,%,%]", dp_json__comma(any),
			     dp_json__count(dp_trace_stream(trace, i)->device),
			     dp_html__whole(words.text),
			     dp_html__whole(dp_text__nothing_advice(render, i)));
		any = true;
	}
	dp_render__text(render, "]");
}

/* Writes the text for loops without findings, and whether rules could judge them. */
static void write_clean(struct dp_render *render)
{
	struct dp_words words = { 0 };
	bool judged;

	if (dp_analysis_finding_count(render->analysis) ||
	    !dp_analysis_loop_count(render->analysis))
		return;
	judged = dp_text__no_findings(&words, render, true);
	dp_render__format(render, ",\n\"judged\":%s,\"clean\":", judged ? "true" : "false");
	dp_html__text(render, words.text);
}

static int end(struct dp_render *render)
{
	struct dp_html *html = render->state;

	open_findings(render, html);
	dp_render__text(render, "]");
	dp_html__capture(render);
	write_rules(render);
	write_candidates(render);
	write_clean(render);
	dp_html__kernels(render);
	dp_html__end(render);
	dp_html__close(render, scripts, DP_COUNT(scripts));
	return DP_OK;
}

const struct dp_renderer dp_renderer__html = {
	.info = { "html", "html", "one page for a browser: charts, timelines, tables", true, true },
	.begin = begin,
	.loop = write_loop,
	.finding = write_finding,
	.end = end,
};
