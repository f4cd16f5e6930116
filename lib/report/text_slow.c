/*
 * What was different about slow iterations: the parts of the period that are longer in them than in
 * the others, on average. The last iteration has no period: its duration stands for it, but counts
 * in no average. Cost: linear, and the numbers of kernels are sorted.
 */
#include "base/text.h"
#include "report/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NAMED_MOST 6  /* iterations */
#define CAUSES_MOST 2 /* parts that are named */
#define PARTS_MOST 16
#define LEAST_CAUSE 0.1
#define SOME_MOST 4	       /* iterations listed for a part that is longer in only some */
#define ITERATION_MOST 1000000 /* beyond, their numbers are too wide */

struct slow {
	size_t loop;
	size_t count;
	size_t period; /* a metric */
};

/* Returns true if a finding counts the slow iterations of a loop. */
static bool is_found(const struct dp_render *render, size_t loop)
{
	const struct dp_finding *finding;

	for (size_t i = 0; (finding = dp_analysis_finding(render->analysis, i)); i++)
		for (size_t e = 0; finding->loop == loop && e < finding->evidence_count; e++)
			if (!strcmp(finding->evidence[e].name, "slow_iterations"))
				return true;
	return false;
}

static bool is_slow(const struct dp_render *render, const struct slow *slow, size_t k)
{
	return dp_analysis_loop_iteration(render->analysis, slow->loop, k)->slow;
}

static size_t count_slow(const struct dp_render *render, const struct slow *slow)
{
	size_t iterations = dp_analysis_loop(render->analysis, slow->loop)->iterations, count = 0;

	for (size_t k = 0; k < iterations; k++)
		count += is_slow(render, slow, k);
	return count;
}

/* The period of an iteration that counts, else NaN. */
static double period(const struct dp_render *render, const struct slow *slow, size_t k)
{
	const struct dp_iteration *at = dp_analysis_loop_iteration(render->analysis, slow->loop, k);
	const struct dp_iteration *next =
		dp_analysis_loop_iteration(render->analysis, slow->loop, k + 1);

	if (at->warmup || at->partial || !next || next->foreign_kernels)
		return (double)NAN;
	return dp_analysis_loop_metric(render->analysis, slow->loop, slow->period, k);
}

static int longer_first(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x < y) - (x > y);
}

/* A metric's excess in slow iterations. */
struct excess {
	double sum[2]; /* over the other iterations, and over the slow ones */
	double count[2];
};

static void add(struct excess *excess, bool is_slow, double value)
{
	if (!isfinite(value))
		return;
	excess->sum[is_slow] += value;
	excess->count[is_slow]++;
}

static double mean(const struct excess *excess, bool is_slow)
{
	return excess->sum[is_slow] / excess->count[is_slow];
}

static double difference(const struct excess *excess)
{
	return mean(excess, true) - mean(excess, false);
}

static struct excess compare_metric(const struct dp_render *render, const struct slow *slow,
				    size_t metric)
{
	size_t iterations = dp_analysis_loop(render->analysis, slow->loop)->iterations;
	struct excess excess = { { 0 }, { 0 } };

	for (size_t k = 0; k < iterations; k++) {
		double period_ns = period(render, slow, k);

		if (isfinite(period_ns))
			add(&excess, is_slow(render, slow, k),
			    dp_analysis_loop_metric(render->analysis, slow->loop, metric, k));
	}
	return excess;
}

/*
 * The median number of kernels of the slow iterations, or of the others. room holds one number for
 * each.
 */
static double usual_kernels(const struct dp_render *render, const struct slow *slow, bool of_slow,
			    double *room)
{
	size_t iterations = dp_analysis_loop(render->analysis, slow->loop)->iterations, used = 0;

	for (size_t k = 0; k < iterations; k++) {
		double period_ns = period(render, slow, k);

		if (isfinite(period_ns) && is_slow(render, slow, k) == of_slow)
			room[used++] =
				(double)dp_analysis_loop_iteration(render->analysis, slow->loop, k)
					->kernels;
	}
	qsort(room, used, sizeof(*room), longer_first);
	return used ? room[used / 2] : (double)NAN;
}

/* The difference of the medians, which one odd iteration does not change; 0 if unknown. */
static long long more_kernels(struct dp_render *render, const struct slow *slow)
{
	size_t iterations = dp_analysis_loop(render->analysis, slow->loop)->iterations;
	double *room = dp_alloc__array(iterations, sizeof(*room));
	double more;

	if (!room) {
		render->status = dp_error__nomem(render->error, iterations);
		return 0;
	}
	more = usual_kernels(render, slow, true, room) - usual_kernels(render, slow, false, room);
	free(room);
	return isfinite(more) ? llround(more) : 0;
}

/*
 * Finds the iteration from which on all are slow, if these are several, most of the slow ones, and
 * not all.
 */
static bool from_one_on(const struct dp_render *render, const struct slow *slow, size_t *first)
{
	size_t iterations = dp_analysis_loop(render->analysis, slow->loop)->iterations;

	*first = iterations;
	while (*first && is_slow(render, slow, *first - 1))
		--*first;
	return *first && iterations - *first > 1 && 2 * (iterations - *first) > slow->count;
}

bool dp_text__slow_from(const struct dp_render *render, size_t loop, size_t first)
{
	struct slow slow = { .loop = loop, .count = 0 };
	size_t from;

	if (!is_found(render, loop))
		return false;
	slow.count = count_slow(render, &slow);
	return from_one_on(render, &slow, &from) && from == first;
}

/* "iterations 4, 9, 14 and 2 more" */
static void add_iterations(struct dp_words *words, const struct dp_render *render,
			   const struct slow *slow)
{
	size_t iterations = dp_analysis_loop(render->analysis, slow->loop)->iterations, shown = 0;
	char number[DP_NUMBER_SIZE];
	size_t first;

	if (from_one_on(render, slow, &first)) {
		size_t others = slow->count - (iterations - first);

		dp_words__add(words, "all iterations from %s on", dp_text__count(number, first));
		if (others)
			dp_words__add(words, " and %s", dp_text__plural(number, others, "other"));
		return;
	}
	dp_words__add(words, slow->count == 1 ? "iteration " : "iterations ");
	for (size_t k = 0; k < iterations && shown < NAMED_MOST; k++)
		if (is_slow(render, slow, k))
			dp_words__add(words, "%s%s", shown++ ? ", " : "",
				      dp_text__count(number, k));
	if (slow->count > shown)
		dp_words__add(words, " and %s more", dp_text__count(number, slow->count - shown));
}

/* The slow iterations that have more of a metric. */
struct having {
	size_t some, all;
	double more;		      /* of it that they have on average */
	char list[9 * SOME_MOST + 1]; /* which they are; empty: too many */
};

static struct having find_having(const struct dp_render *render, const struct slow *slow,
				 size_t metric, double usual, double least)
{
	size_t iterations = dp_analysis_loop(render->analysis, slow->loop)->iterations, used = 0;
	struct having having = { .some = 0 };
	char number[DP_TEXT_SIZE];

	for (size_t k = 0; k < iterations; k++) {
		double more =
			dp_analysis_loop_metric(render->analysis, slow->loop, metric, k) - usual;

		if (!is_slow(render, slow, k) || !isfinite(more) ||
		    !isfinite(period(render, slow, k)))
			continue;
		having.all++;
		if (!(more > least))
			continue;
		having.more += more;
		if (having.some++ < SOME_MOST && k < ITERATION_MOST)
			used += (size_t)snprintf(having.list + used, sizeof(having.list) - used,
						 "%s%s", used ? ", " : "",
						 dp_text__count(number, k));
		else
			used = sizeof(having.list);
	}
	having.more /= (double)having.some;
	if (used >= sizeof(having.list))
		having.list[0] = '\0';
	return having;
}

/* Adds which slow iterations have more, or how many. */
static void add_having(struct dp_words *words, const struct having *having)
{
	char some[DP_TEXT_SIZE], all[DP_TEXT_SIZE];

	if (having->list[0])
		dp_words__add(words, " (only in %s %s)",
			      having->some == 1 ? "iteration" : "iterations", having->list);
	else
		dp_words__add(words, " (in %s of %s)", dp_text__count(some, having->some),
			      dp_text__count(all, having->all));
}

/* Adds the parts that grew most, each by its mean in the slow iterations that have it. */
static void add_causes(struct dp_words *words, const struct dp_render *render,
		       const struct slow *slow, double longer_ns)
{
	double more_ns[PARTS_MOST] = { 0 }, usual_ns[PARTS_MOST] = { 0 };
	char number[DP_NUMBER_SIZE];
	const char *metric, *part;
	struct having having;
	bool only_some;
	size_t index;

	for (size_t i = 0; i < PARTS_MOST && dp_text__part(render, slow->loop, i, &metric); i++) {
		if (dp_text__find_metric(metric, &index)) {
			struct excess excess = compare_metric(render, slow, index);

			more_ns[i] = difference(&excess);
			usual_ns[i] = mean(&excess, false);
		}
	}
	for (size_t n = 0; n < CAUSES_MOST; n++) {
		size_t most = 0;

		for (size_t i = 1; i < PARTS_MOST; i++)
			if (more_ns[i] > more_ns[most] || isnan(more_ns[most]))
				most = i;
		if (!(more_ns[most] > LEAST_CAUSE * longer_ns))
			return;
		part = dp_text__part(render, slow->loop, most, &metric);
		only_some = false;
		if (dp_text__find_metric(metric, &index)) {
			having = find_having(render, slow, index, usual_ns[most],
					     LEAST_CAUSE * longer_ns);
			only_some = having.some && having.some < having.all;
		}
		dp_words__add(words, "%s +%s ", n ? "," : ":",
			      dp_human__duration(number, only_some ? having.more : more_ns[most],
						 render->options->ascii));
		dp_words__add(words, "%s", part);
		if (only_some)
			add_having(words, &having);
		more_ns[most] = 0;
	}
}

void dp_text__slow(struct dp_render *render, size_t loop)
{
	struct slow slow = { .loop = loop };
	bool ascii = render->options->ascii;
	struct excess periods;
	long long kernels;
	char number[DP_NUMBER_SIZE], count[DP_TEXT_SIZE];
	struct dp_words words = { 0 };
	size_t last, duration;

	if (!is_found(render, loop) || !dp_text__find_metric("period_ns", &slow.period) ||
	    !dp_text__find_metric("duration_ns", &duration))
		return;
	slow.count = count_slow(render, &slow);
	periods = compare_metric(render, &slow, slow.period);
	kernels = more_kernels(render, &slow);
	add_iterations(&words, render, &slow);
	dp_words__add(&words, " took %s", dp_human__duration(number, mean(&periods, true), ascii));
	dp_words__add(&words, "%s, the others %s", slow.count == 1 ? "" : " on average",
		      dp_human__duration(number, mean(&periods, false), ascii));
	dp_words__add(&words, slow.count == 1 ? " on average" : "");
	add_causes(&words, render, &slow, difference(&periods));
	if (kernels)
		dp_words__add(&words, "; %s%s", dp_number__sign(kernels < 0, ascii),
			      dp_text__plural(number, (uint64_t)llabs(kernels), "kernel"));
	last = dp_analysis_loop(render->analysis, loop)->iterations - 1;
	if (is_slow(render, &slow, last) && !isfinite(period(render, &slow, last)))
		dp_words__add(&words, "; iteration %s, the last, has no period; it lasts %s",
			      dp_text__count(count, last),
			      dp_human__duration(number,
						 dp_analysis_loop_metric(render->analysis, loop,
									 duration, last),
						 ascii));
	dp_text__label(render, "slow");
	dp_text__wrap(render, DP_TEXT_BODY, DP_TEXT_BODY, words.text);
}
