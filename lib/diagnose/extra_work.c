/*
 * Iterations that run more kernels than the others at regular distances (DeepProf, criterion 1):
 * logging, checkpoints, evaluation.
 */
#include "diagnose/diagnose.h"
#include "stats/stat.h"

#include <math.h>

/* Smallest share of the typical period, for each of them. */
#define LEAST_SHARE 0.005

/* Share of them that are slow, for slow iterations to be explained by them. */
#define MOST_OF_THEM 0.5

/* The share of the extra time from which on a kernel is named. */
#define NAMED_SHARE 0.05

struct extra {
	long kernels; /* more than in the pattern */
	size_t count;
	size_t first;
	size_t last;
	size_t every; /* iterations */
	double sum_ns;
	size_t usual;
	double usual_sum_ns;
};

/*
 * The number of kernels that iteration k has more than the pattern. Kernels behind it count, unless
 * they take as long as an iteration and thus are something of their own.
 */
static long extra_of(const struct dp_rule_input *input, size_t k)
{
	const struct dp_iteration *at = &input->iterations[k];

	return (long)at->inserted - (long)at->deleted + (long)at[1].foreign_kernels;
}

static bool counts(const struct dp_rule_input *input, const double *period_ns, size_t k)
{
	return !isnan(period_ns[k]) && !input->iterations[k].warmup &&
	       input->iterations[k + 1].foreign_kernels < input->loop->length;
}

/* The median number of extra kernels of the iterations that have any. */
static long usual_extra(const struct dp_rule_input *input, const double *period_ns)
{
	size_t count = 0;

	for (size_t k = 0; k + 1 < input->loop->iterations; k++)
		if (counts(input, period_ns, k) && extra_of(input, k) > 0)
			input->scratch[count++] = (double)extra_of(input, k);
	return count ? (long)dp_stat__select(input->scratch, count, count / 2) : 0;
}

/* How many iterations lie between two of them, where that is regular. */
static size_t spacing(const struct dp_rule_input *input, const double *period_ns, long kernels)
{
	size_t count = 0, last = 0;

	for (size_t k = 0; k + 1 < input->loop->iterations; k++) {
		if (!counts(input, period_ns, k) || extra_of(input, k) != kernels)
			continue;
		if (last)
			input->scratch[count++] = (double)(k + 1 - last);
		last = k + 1;
	}
	return dp_rule__spacing(input->scratch, count);
}

static bool measure(struct extra *extra, const struct dp_rule_input *input)
{
	const double *period_ns = dp_rule__metric(input, "period_ns");

	extra->kernels = usual_extra(input, period_ns);
	extra->every = extra->kernels ? spacing(input, period_ns, extra->kernels) : 0;
	if (extra->every < 2)
		return false;
	for (size_t k = 0; k + 1 < input->loop->iterations; k++) {
		if (!counts(input, period_ns, k))
			continue;
		if (!extra_of(input, k)) {
			extra->usual++;
			extra->usual_sum_ns += period_ns[k];
		} else if (extra_of(input, k) == extra->kernels) {
			extra->first = extra->count++ ? extra->first : k;
			extra->last = k;
			extra->sum_ns += period_ns[k];
		}
	}
	return extra->usual >= extra->count;
}

/* What one of them takes longer; NaN if that is too little to report. */
static double cost_of(const struct extra *extra, const struct dp_rule_input *input)
{
	double usual_ns = extra->usual_sum_ns / (double)extra->usual;
	double cost_ns = extra->sum_ns / (double)extra->count - usual_ns;

	if (!(cost_ns > 0) || cost_ns < dp_rule__threshold(input, "extra-work") * usual_ns)
		return (double)NAN;
	return cost_ns;
}

/* The number of slow iterations with a period; SIZE_MAX if one of them runs no extra kernels. */
static size_t count_slow(const struct extra *extra, const struct dp_rule_input *input)
{
	const double *period_ns = dp_rule__metric(input, "period_ns");
	size_t slow = 0;

	for (size_t k = 0; input->slow && k + 1 < input->loop->iterations; k++) {
		if (!input->slow[k])
			continue;
		if (!counts(input, period_ns, k) || extra_of(input, k) != extra->kernels)
			return SIZE_MAX;
		slow++;
	}
	return slow;
}

bool dp_rule__slow_are_extra(const struct dp_rule_input *input)
{
	struct extra extra = { 0 };
	size_t slow;

	if (!input->scratch || !measure(&extra, input) || isnan(cost_of(&extra, input)))
		return false;
	slow = count_slow(&extra, input);
	return slow != SIZE_MAX && (double)slow >= MOST_OF_THEM * (double)extra.count;
}

/* If the same iterations are slow, adds what slow-iterations would report of them. */
static void tell_slow(const struct dp_rule_input *input, struct dp_rule_finding *out)
{
	const char *advice = out->finding.advice;

	if (dp_rule__explain_slow(input, out))
		advice = "the host stalls in these iterations: do their extra work (checkpoints, "
			 "logs) less often, or on another thread";
	out->finding.advice = advice;
}

/* Names the kernel that takes most of the extra time. */
static void name_kernel(const struct dp_rule_input *input, struct dp_rule_finding *out,
			double cost_ns)
{
	const struct dp_time_stat *most =
		input->stats && input->stats->extra.count ? input->stats->extra.stats : NULL;

	if (most && most->total_ns >= NAMED_SHARE * cost_ns)
		dp_rule__call_evidence(out, "extra_kernel_ns", "ns", most->total_ns, most->name);
}

static bool check(const struct dp_rule_input *input, struct dp_rule_finding *out)
{
	struct extra extra = { 0 };
	double cost_ns, all;
	bool slow;

	if (!input->scratch || !measure(&extra, input))
		return false;
	all = (double)(extra.usual + extra.count);
	cost_ns = cost_of(&extra, input);
	if (isnan(cost_ns))
		return false;
	out->finding.severity = DP_SEVERITY_INFO;
	out->finding.confidence = input->loop->confidence;
	out->finding.first_iteration = extra.first;
	out->finding.last_iteration = extra.last;
	out->finding.recoverable_ns = cost_ns * (double)extra.count / all;
	dp_rule__evidence(out, DP_EVIDENCE_PERIOD, "ns", (extra.usual_sum_ns + extra.sum_ns) / all);
	dp_rule__evidence(out, "extra_kernels", "count", (double)extra.kernels);
	dp_rule__evidence(out, "every_iterations", "count", (double)extra.every);
	dp_rule__evidence(out, "times", "count", (double)extra.count);
	slow = dp_rule__slow_are_extra(input);
	if (slow)
		dp_rule__evidence(out, "slow_iterations", "count",
				  (double)count_slow(&extra, input));
	dp_rule__evidence(out, "extra_ns", "ns", cost_ns);
	name_kernel(input, out, cost_ns);
	out->finding.advice =
		"do the extra work of these iterations less often, or outside of the loop";
	if (slow)
		tell_slow(input, out);
	return true;
}

const struct dp_rule dp_rule__extra_work = {
	{ "extra-work", "every few iterations run more kernels and take at least 0.5% longer",
	  LEAST_SHARE },
	check,
};
