/*
 * Limits of a comparison. They apply to the near end of a change's confidence interval, so that
 * noise does not exceed them.
 */
#include "limit.h"
#include "message.h"
#include "tty.h"

#include <deepprof/deepprof.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The period's name on the command line. */
#define ITERATION_TIME "iteration_time"
#define PERIOD "period_ns"

enum { TEXT_SIZE = 96 };

const char *limit_name(size_t index)
{
	const struct dp_metric_info *metric;

	if (!index)
		return ITERATION_TIME;
	metric = dp_metric(index - 1);
	return metric ? metric->name : NULL;
}

static bool find_metric(struct limit *limit, const char *name)
{
	const struct dp_metric_info *metric;

	limit->time = !strcmp(name, ITERATION_TIME);
	if (limit->time)
		name = PERIOD;
	for (size_t i = 0; (metric = dp_metric(i)); i++)
		if (!strcmp(metric->name, name)) {
			limit->metric = i;
			return true;
		}
	return false;
}

static bool unknown_metric(const char *name, struct opt_why *why)
{
	const struct dp_metric_info *summary;
	const char *nearest;

	for (size_t i = 0; (summary = dp_summary_metric(i)); i++)
		if (!strcmp(summary->name, name))
			return opt_refuse(
				why,
				"%s is a metric of a whole loop; the one of its iterations is %s",
				name, summary->of);
	nearest = opt_nearest(limit_name, name);
	if (nearest)
		return opt_refuse(why, "unknown metric '%.40s'; did you mean '%s'?", name,
				  nearest);
	return opt_refuse(why, "unknown metric '%.40s'; 'deepprof info --build' lists them",
			  name);
}

/* Reads the amount after the sign, by the metric's unit. */
static bool read_amount(struct limit *limit, const char *text, struct opt_why *why)
{
	const char *unit = dp_metric(limit->metric)->unit;
	const char *end = text;
	uint64_t bytes;
	int64_t ns;

	limit->relative = opt_decimal(&end, &limit->most) && !strcmp(end, "%");
	if (limit->relative) {
		limit->most /= 100;
		return true;
	}
	if (!strcmp(unit, "ns")) {
		if (!opt_time(text, &ns, why))
			return opt_refuse(why,
					  "expected a percentage or a time, such as 5%% or 2ms");
		limit->most = (double)ns;
		return true;
	}
	if (!strncmp(unit, "bytes", strlen("bytes"))) {
		if (!opt_bytes(text, 1, &bytes, why))
			return opt_refuse(why,
					  "expected a percentage or a size, such as 5%% or 10MiB");
		limit->most = (double)bytes;
		return true;
	}
	return (end > text && !*end) ||
	       opt_refuse(why, "expected a percentage or a number, such as 5%% or 0.5");
}

bool limit_parse(struct limit *limit, const char *value, struct opt_why *why)
{
	size_t length = strcspn(value, "=");
	char name[TEXT_SIZE];

	limit->text = value;
	if (!length || !value[length])
		return opt_refuse(why, "expected METRIC=+P%%, such as " ITERATION_TIME "=+5%%");
	snprintf(name, sizeof(name), "%.*s", length < sizeof(name) ? (int)length : TEXT_SIZE - 1,
		 value);
	if (!find_metric(limit, name))
		return unknown_metric(name, why);
	value += length + 1;
	if (*value != '+' && *value != '-')
		return opt_refuse(why, "expected a sign: + fails if it rises, - if it falls");
	limit->rises = *value == '+';
	return read_amount(limit, value + 1, why);
}

/* Returns the name of a limit's metric on the command line. */
static const char *name_of(const struct limit *limit)
{
	return limit->time ? ITERATION_TIME : dp_metric(limit->metric)->name;
}

static const char *loops_text(char *buf, const struct dp_loop_pair *pair)
{
	if (pair->loop[DP_RUN_BEFORE] == pair->loop[DP_RUN_AFTER])
		snprintf(buf, TEXT_SIZE, "loop %zu", pair->loop[DP_RUN_BEFORE]);
	else
		snprintf(buf, TEXT_SIZE, "loop %zu (loop %zu after)", pair->loop[DP_RUN_BEFORE],
			 pair->loop[DP_RUN_AFTER]);
	return buf;
}

static const char *percent_text(char *buf, double share, bool sign)
{
	double percent = share * 100;

	if (isinf(share)) {
		snprintf(buf, TEXT_SIZE, "any");
		return buf;
	}
	snprintf(buf, TEXT_SIZE, sign ? "%+.*f%%" : "%.*f%%", fabs(percent) < 9.995 ? 2 : 1,
		 percent);
	return buf;
}

/* Writes a change in the metric's unit. */
static const char *amount_text(char *buf, const struct limit *limit, double amount, bool sign)
{
	const char *unit = dp_metric(limit->metric)->unit;
	const char *before = amount < 0 ? "-" : sign ? "+" : "";
	char text[DP_LABEL_NUMBER_SIZE];

	if (!strcmp(unit, "ns"))
		snprintf(buf, TEXT_SIZE, "%s%s", before,
			 dp_label_duration(text, sizeof(text), fabs(amount), !tty_utf8()));
	else if (!strncmp(unit, "bytes", strlen("bytes")) && fabs(amount) < 0x1p63)
		snprintf(buf, TEXT_SIZE, "%s%s%s", before,
			 dp_label_bytes(text, sizeof(text), (uint64_t)(fabs(amount) + 0.5)),
			 unit + strlen("bytes"));
	else
		snprintf(buf, TEXT_SIZE, "%s%.4g%s%s", before, fabs(amount),
			 strcmp(unit, "1") != 0 ? " " : "", strcmp(unit, "1") != 0 ? unit : "");
	return buf;
}

/* How far a metric moved in the limit's direction: as measured, and at least. */
struct excess {
	double measured;
	double least; /* NaN: unknown */
};

/*
 * Returns the excess as a share. A value of 0 or less has no interval of ratios: then no limit is
 * crossed without a significant change in this direction, and a rise from 0 crosses every limit.
 */
static struct excess relative_excess(const struct limit *limit, const struct dp_difference *d)
{
	double sign = limit->rises ? 1 : -1;
	double nearest = limit->rises ? d->low : -d->high;
	struct excess excess = { sign * d->change / d->value[DP_RUN_BEFORE], NAN };

	if (!isnan(d->ratio_low))
		excess.least = limit->rises ? d->ratio_low - 1 : 1 - d->ratio_high;
	else if (isnan(nearest))
		excess.least = NAN;
	else if (nearest <= 0)
		excess.least = 0;
	else if (d->value[DP_RUN_BEFORE] > 0)
		excess.least = nearest / d->value[DP_RUN_BEFORE];
	else if (d->value[DP_RUN_BEFORE] == 0 && limit->rises)
		excess.least = INFINITY;
	return excess;
}

static struct excess excess_of(const struct limit *limit, const struct dp_difference *d)
{
	if (limit->relative)
		return relative_excess(limit, d);
	return limit->rises ? (struct excess){ d->change, d->low }
			    : (struct excess){ -d->change, -d->high };
}

static const struct dp_difference *
difference_of(const struct limit *limit, const struct dp_comparison *comparison, size_t pair)
{
	return limit->time ? dp_pair_time(comparison, pair)
			   : dp_pair_metric(comparison, pair, limit->metric);
}

/* Explains why a limit cannot be checked. Returns true if that holds for all loops. */
static bool explain(char *buf, size_t size, const struct limit *limit,
		    const struct dp_comparison *comparison, size_t pair)
{
	const struct dp_difference *d = difference_of(limit, comparison, pair);
	static const char *const runs[] = { "the run before", "the run after" };
	const struct dp_metric_info *metric = dp_metric(limit->metric);
	const struct dp_need_info *need = dp_need(metric->need);
	size_t least = dp_comparison_least(comparison);
	bool lacks = false;
	int run = 0;

	while (run < 2 && d && d->count[run] >= least)
		run++;
	if (run < 2) {
		const struct dp_trace *trace =
			dp_analysis_trace(dp_comparison_analysis(comparison, (enum dp_run)run));

		lacks = !(d && d->count[run]) && need && dp_trace_lacks(trace, metric->need);
		if (lacks)
			snprintf(buf, size, "%s was recorded without %s; see 'deepprof info'",
				 runs[run], need->what);
		else if (d && d->count[run])
			snprintf(buf, size,
				 "%s has only %zu steady %s with this metric; %zu are required",
				 runs[run], d->count[run],
				 d->count[run] == 1 ? "iteration" : "iterations", least);
		else
			snprintf(buf, size, "%s has no steady iteration with this metric",
				 runs[run]);
	} else {
		snprintf(buf, size, "%s",
			 limit->relative
				 ? "a value of 0 or less has no percentage; limit the amount"
				 : "the change is unknown");
	}
	if (!lacks && !dp_comparison_pair(comparison, pair)->comparable)
		snprintf(buf, size,
			 "its iterations may not be the same unit of work in both runs; try -n, "
			 "--marks or --level");
	return lacks;
}

/* Prints a line per loop, but only one if the reason holds for all, the first included. */
static void tell_unknown(const struct limit *limit, const struct dp_comparison *comparison,
			 size_t pair)
{
	char loops[TEXT_SIZE], why[200];
	bool all = explain(why, sizeof(why), limit, comparison, 0);

	if (pair && all)
		return;
	explain(why, sizeof(why), limit, comparison, pair);
	loops_text(loops, dp_comparison_pair(comparison, pair));
	if (all)
		message("--fail-on=%s: cannot be checked: %s", limit->text, why);
	else if (pair)
		message_warning("--fail-on=%s: not checked for %s: %s", limit->text, loops, why);
	else
		message("--fail-on=%s: cannot be checked for %s: %s", limit->text, loops, why);
}

/* Prints "rose by 12.3% (95% CI: at least 11.8%), more than 5%". */
static void tell_crossed(const struct limit *limit, const struct dp_comparison *comparison,
			 size_t pair, const struct dp_difference *d, const struct excess *excess)
{
	bool percent = limit->relative && isfinite(excess->least);
	double sign = limit->rises ? 1 : -1, sure = limit->rises ? d->low : -d->high;
	char loops[TEXT_SIZE], measured[TEXT_SIZE], least[TEXT_SIZE];

	message("%s of %s %s%s by %s (%g%% CI: at least %s), more than %s", name_of(limit),
		loops_text(loops, dp_comparison_pair(comparison, pair)),
		limit->rises ? "rose" : "fell", limit->relative && !percent ? " from 0" : "",
		percent ? percent_text(measured, excess->measured, false)
			: amount_text(measured, limit, sign * d->change, false),
		dp_comparison_confidence(comparison) * 100,
		percent ? percent_text(least, excess->least, false)
			: amount_text(least, limit, sure, false),
		strchr(limit->text, '=') + 2);
}

/* Reports a change that may be chance: beyond the limit (a warning), or not even that. */
static void tell_kept(const struct limit *limit, const struct dp_comparison *comparison,
		      size_t pair, const struct dp_difference *d, bool beyond)
{
	bool percent = limit->relative && !isnan(d->ratio_low);
	double ratio = d->change / d->value[DP_RUN_BEFORE];
	char loops[TEXT_SIZE], change[TEXT_SIZE], low[TEXT_SIZE], high[TEXT_SIZE], text[600];

	snprintf(text, sizeof(text), "--fail-on=%.100s: %s %s: %s (%g%% CI %s to %s)",
		 limit->text, beyond ? "exceeded, but not significantly, by" : "not exceeded by",
		 loops_text(loops, dp_comparison_pair(comparison, pair)),
		 percent ? percent_text(change, ratio, true)
			 : amount_text(change, limit, d->change, true),
		 dp_comparison_confidence(comparison) * 100,
		 percent ? percent_text(low, d->ratio_low - 1, true)
			 : amount_text(low, limit, d->low, true),
		 percent ? percent_text(high, d->ratio_high - 1, true)
			 : amount_text(high, limit, d->high, true));
	if (beyond)
		message_warning("%s", text);
	else
		message("%s", text);
}

static enum limit_verdict judge_pair(const struct limit *limit,
				     const struct dp_comparison *comparison, size_t pair,
				     bool verbose)
{
	const struct dp_difference *d = difference_of(limit, comparison, pair);
	struct excess excess = { NAN, NAN };

	if (d && dp_comparison_pair(comparison, pair)->comparable)
		excess = excess_of(limit, d);
	if (isnan(excess.least)) {
		tell_unknown(limit, comparison, pair);
		return pair ? LIMIT_KEPT : LIMIT_UNKNOWN;
	}
	if (excess.least > limit->most) {
		tell_crossed(limit, comparison, pair, d, &excess);
		return LIMIT_CROSSED;
	}
	if (excess.measured > limit->most || verbose)
		tell_kept(limit, comparison, pair, d, excess.measured > limit->most);
	return LIMIT_KEPT;
}

enum limit_verdict limit_judge(const struct limit *limit, const struct dp_comparison *comparison,
			       bool verbose)
{
	enum limit_verdict worst = LIMIT_KEPT;

	for (size_t i = 0; i < dp_comparison_pair_count(comparison); i++) {
		enum limit_verdict verdict = judge_pair(limit, comparison, i, verbose);

		if (verdict > worst)
			worst = verdict;
	}
	return worst;
}
