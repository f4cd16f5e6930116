/* Evidence with a name: what a loop's stream waited for; calls and kernels behind transfers. */
#include "diagnose/diagnose.h"

#include <math.h>

/* Smallest share of the period at which a wait is named. */
#define NAMED_SHARE 0.01

/* Share of the rise outside of all ranges at which a function is named as what grows. */
#define MOST_OF_IT 0.5

/* The mean per typical iteration, or the excess in slow iterations. */
static double mean_of(const struct dp_rule_input *input, const double *ns, bool slow)
{
	double sums[2] = { 0, 0 }, counts[2] = { 0, 0 };

	for (size_t k = 0; k < input->loop->iterations; k++) {
		bool is_slow = input->slow && input->slow[k];

		if (!is_slow && !dp_rule__is_typical(input, k))
			continue;
		sums[is_slow] += ns[k];
		counts[is_slow]++;
	}
	sums[0] /= counts[0] > 0 ? counts[0] : 1;
	return slow ? (counts[1] > 0 ? sums[1] / counts[1] - sums[0] : 0) : sums[0];
}

void dp_rule__name_stream_wait(const struct dp_rule_input *input, struct dp_rule_finding *out,
			       bool slow)
{
	const struct dp_stream_waits *waits = input->waits;
	double most_ns = NAMED_SHARE * dp_rule__typical(input, "period_ns");
	const char *most = NULL;

	if (!waits || waits->iterations < input->loop->iterations)
		return;
	for (size_t i = 0; i < waits->count; i++) {
		double ns =
			mean_of(input, waits->ns + waits->waits[i].row * waits->iterations, slow);

		if (!(ns >= most_ns))
			continue;
		most_ns = ns;
		most = waits->waits[i].text;
	}
	if (most)
		dp_rule__call_evidence(out, slow ? "more_stream_wait_ns" : "stream_wait_ns", "ns",
				       most_ns, most);
}

void dp_rule__name_transfer(const struct dp_rule_input *input, struct dp_rule_finding *out,
			    enum dp_transfer kind)
{
	const char *name = input->transfers ? input->transfers->name[kind] : NULL;
	bool copies = kind != DP_TRANSFER_COMM;

	for (size_t i = 0; i < out->finding.evidence_count; i++)
		if (out->values[i].call)
			return;
	if (name && input->transfers->share[kind] >= DP_RULE_NAMED_SHARE)
		dp_rule__call_evidence(out, copies ? "copied_ns" : "kernel_ns", "ns",
				       input->transfers->share[kind] * out->finding.recoverable_ns,
				       name);
}

/* The range, or the sampled function, whose time rises most; NULL if none does. */
static const struct dp_host_range *find_growing(const struct dp_rule_input *input, bool sampled)
{
	const struct dp_host_range *most = NULL;

	for (size_t i = 0; input->ranges && i < input->ranges->count; i++) {
		const struct dp_host_range *at = &input->ranges->ranges[i];

		if (!at->inner && at->activity != DP_HOST_SYNC &&
		    sampled == (at->activity > DP_HOST_SYNC) && at->rise_ns > 0 &&
		    (!most || at->rise_ns > most->rise_ns))
			most = at;
	}
	return most;
}

void dp_rule__name_growing_range(const struct dp_rule_input *input, struct dp_rule_finding *out,
				 double rise_ns)
{
	const struct dp_host_range *most = find_growing(input, false), *function;

	/* Growth outside of all ranges is named after a function if that has most of it. */
	if (most && !most->outer[0]) {
		function = find_growing(input, true);
		if (function && function->calls >= DP_SAMPLES_LEAST &&
		    function->rise_ns >= MOST_OF_IT * most->rise_ns)
			most = function;
	}
	if (most && most->outer[0] && most->rise_ns >= DP_RULE_NAMED_RISE * rise_ns)
		dp_rule__call_evidence(out, "range_rise_ns", "ns", fmin(most->rise_ns, rise_ns),
				       most->outer);
}
