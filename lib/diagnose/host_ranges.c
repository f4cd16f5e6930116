/* Names what the host did while the device waited, and gives advice on such names. */
#include "diagnose/diagnose.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The same for functions: a quarter of 20 samples is 9% to 49% of the time (95% confidence). */
#define SAMPLED_SHARE 0.25

/*
 * Shares of the host's activity: from the first on it alone determines the advice, from the second
 * on it is mentioned.
 */
#define MOST_OF_IT 0.4
#define SOME_OF_IT 0.15

/*
 * The longest of n gaps of random (exponential) lengths takes H(n) / n of their sum on average,
 * with the harmonic number H(n), about ln n + EULER. Twice that happens in fewer than one of n
 * cases.
 */
#define EULER 0.5772156649
#define CHANCE 2

/* A gap with this share is one activity, though chance alone would explain the longest of a few. */
#define NEARLY_ALL 0.9

/* Advice is not about a gap below this share, however improbable: a cost below it is no warning. */
#define LITTLE 0.05

/* Share of it in ranges, or on a processor, from which on the host is known to work. */
#define WORK_SHARE 0.5

/* Share of it in operators at which the host is launching. */
#define LAUNCHING_SHARE 0.3

/* The host checks guards and copies inputs before each call of compiled code. */
#define COMPILED_ADVICE                                                                        \
	"let each call of the compiled function do more: larger batches, fewer graph breaks, " \
	"mode=\"reduce-overhead\""

const char dp_rule__upload_advice[] =
	"copy without waiting: non_blocking=True, from pinned memory (pin_memory=True); make small "
	"tensors on the GPU";

/* Slow iterations in which a loader runs; others may upload late for any reason. */
#define LATE_ADVICE                                                                            \
	"the input comes late there: more loader workers, prefetching further ahead, faster " \
	"storage"

/* The advice for parts of names, by the activity of the host. */
static const struct {
	enum dp_host_activity activity;
	const char *part; /* of a name, ignoring case */
	const char *advice;
} causes[] = {
	{ DP_HOST_WAIT, "zero_grad",
	  "clear gradients without kernels: zero_grad(set_to_none=True)" },
	{ DP_HOST_WAIT, "optimizer.step",
	  "use a fused or foreach optimizer (fused=True), which launches a few kernels" },
	{ DP_HOST_WAIT, "dataload",
	  "overlap data loading with compute: DataLoader(num_workers=..., prefetch_factor=..., "
	  "pin_memory=True)" },
	{ DP_HOST_WAIT, "torch-compiled region", COMPILED_ADVICE },
	{ DP_HOST_WAIT, "compiledfunction", COMPILED_ADVICE },
	{ DP_HOST_WAIT, "save", "write checkpoints less often, or on another thread" },
	{ DP_HOST_WAIT, "checkpoint", "write checkpoints less often, or on another thread" },
	{ DP_HOST_INPUT, "dataload", LATE_ADVICE },
	{ DP_HOST_INPUT, "data load", LATE_ADVICE },
	{ DP_HOST_INPUT, "__next__", LATE_ADVICE },
	{ DP_HOST_INPUT, "next_batch", LATE_ADVICE },
	{ DP_HOST_INPUT, "load_batch", LATE_ADVICE },
	{ DP_HOST_INPUT, "get_batch", LATE_ADVICE },
	{ DP_HOST_SYNC, "item", NULL },
	{ DP_HOST_SYNC, "_local_scalar_dense", NULL },
	{ DP_HOST_SYNC, "is_nonzero", NULL },
	{ DP_HOST_SYNC, "nonzero",
	  "avoid shapes that depend on data: nonzero, masked_select, boolean indexes" },
	{ DP_HOST_SYNC, "masked_select",
	  "avoid shapes that depend on data: nonzero, masked_select, boolean indexes" },
	{ DP_HOST_SYNC, "unique",
	  "avoid shapes that depend on data: nonzero, masked_select, boolean indexes" },
	{ DP_HOST_SYNC, "copy_", dp_rule__upload_advice },
	{ DP_HOST_SYNC, "aten::to", dp_rule__upload_advice },
	{ DP_HOST_SYNC, "empty_cache", "do not empty the allocator's cache in the loop" },
};

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool mentions(const char *name, const char *part)
{
	for (; *name; name++) {
		size_t i = 0;

		while (part[i] && lower(name[i]) == part[i])
			i++;
		if (!part[i])
			return true;
	}
	return false;
}

static double cost_of(const struct dp_host_range *range, bool slow)
{
	return slow ? range->slow_ns - range->typical_ns : range->typical_ns;
}

/* Keeps the most expensive ranges, in order. */
static void keep(struct dp_rule_finding *out, const struct dp_finding_range *range)
{
	size_t at = out->finding.range_count;

	while (at > 0 && out->ranges[at - 1].ns < range->ns)
		at--;
	if (at >= DP_RANGES_MOST)
		return;
	for (size_t i = DP_MIN(out->finding.range_count, DP_RANGES_MOST - 1); i > at; i--)
		out->ranges[i] = out->ranges[i - 1];
	out->ranges[at] = *range;
	out->finding.range_count = DP_MIN(out->finding.range_count + 1, (size_t)DP_RANGES_MOST);
}

bool dp_rule__name_ranges(const struct dp_rule_input *input, struct dp_rule_finding *out,
			  enum dp_host_activity activity, bool slow)
{
	const struct dp_host_ranges *ranges = input->ranges;
	double all_ns = 0;
	bool named = false;

	out->finding.range_count = 0;
	out->finding.activity = activity;
	for (size_t i = 0; ranges && i < ranges->count; i++) {
		const struct dp_host_range *at = &ranges->ranges[i];

		if (at->inner || at->activity != activity || !(cost_of(at, slow) > 0))
			continue;
		all_ns += cost_of(at, slow);
		keep(out, &(struct dp_finding_range){ at->outer, cost_of(at, slow), 0 });
	}
	for (size_t i = out->finding.range_count; i-- > 0;) {
		out->ranges[i].share = out->ranges[i].ns / all_ns;
		if (out->ranges[i].share < DP_RULE_NAMED_SHARE)
			out->finding.range_count = i;
	}
	/* that most of it is outside of all ranges is not worth a mention */
	for (size_t i = 0; i < out->finding.range_count; i++)
		named |= out->ranges[i].name[0] != '\0';
	if (!named)
		out->finding.range_count = 0;
	return named;
}

/* The number of the samples that are from slow iterations, or from typical ones. */
static double samples_of(const struct dp_rule_input *input, const struct dp_host_range *range,
			 bool slow)
{
	double ns[2] = { 0, 0 };

	for (size_t k = 0; k < input->loop->iterations; k++)
		if (input->slow && input->slow[k])
			ns[true] += range->slow_ns;
		else if (dp_rule__is_typical(input, k))
			ns[false] += range->typical_ns;
	return range->calls * ns[slow] / (ns[0] + ns[1]);
}

void dp_rule__name_function(const struct dp_rule_input *input, struct dp_rule_finding *out,
			    enum dp_host_activity activity, bool slow)
{
	const struct dp_host_range *at, *most = NULL;
	double all_ns = 0, samples = 0;

	for (size_t i = 0; input->ranges && i < input->ranges->count; i++) {
		at = &input->ranges->ranges[i];
		if (at->activity != dp_rule__sampled(activity) || !(cost_of(at, slow) > 0))
			continue;
		all_ns += cost_of(at, slow);
		samples += samples_of(input, at, slow);
		if (!most || cost_of(at, slow) > cost_of(most, slow))
			most = at;
	}
	if (samples >= DP_SAMPLES_LEAST && cost_of(most, slow) >= SAMPLED_SHARE * all_ns)
		dp_rule__call_evidence(out, "sampled_share", "1", cost_of(most, slow) / all_ns,
				       most->outer);
}

bool dp_rule__is_launching(const struct dp_rule_finding *out)
{
	double share = 0;

	for (size_t i = 0; i < out->finding.range_count; i++)
		if (!strncmp(out->ranges[i].name, "aten::", 6) ||
		    !strncmp(out->ranges[i].name, "autograd::", 10) ||
		    !strncmp(out->ranges[i].name, "Optimizer.", 10))
			share += out->ranges[i].share;
	return share >= LAUNCHING_SHARE;
}

bool dp_rule__is_computing(const struct dp_rule_finding *out)
{
	static const char *const others[] = {
		"aten::to",	    "aten::_to_copy",	 "aten::copy_", "aten::_copy_from",
		"aten::pin_memory", "aten::_pin_memory", "aten::cuda",	"aten::clone",
		"aten::stack",	    "aten::cat",	 "aten::_cat",
	};
	double share = 0;

	for (size_t i = 0; i < out->finding.range_count; i++) {
		bool computes = !strncmp(out->ranges[i].name, "aten::", 6);

		for (size_t o = 0; o < DP_COUNT(others); o++)
			computes &= strcmp(out->ranges[i].name, others[o]) != 0;
		share += computes ? out->ranges[i].share : 0;
	}
	return share >= MOST_OF_IT;
}

bool dp_rule__shows_work(const struct dp_rule_input *input, const struct dp_rule_finding *out)
{
	double calls_ns =
		dp_rule__typical(input, "period_ns") - dp_rule__typical(input, "host_outside_ns");
	double share = 0;

	for (size_t i = 0; i < out->finding.evidence_count; i++)
		if (!strcmp(out->values[i].name, "sampled_share"))
			return true;
	for (size_t i = 0; i < out->finding.range_count; i++)
		share += out->ranges[i].name[0] ? out->ranges[i].share : 0;
	return share >= WORK_SHARE || dp_rule__typical(input, "cpu_run_ns") - calls_ns >=
					      WORK_SHARE * out->finding.recoverable_ns;
}

bool dp_rule__sees_loader(const struct dp_rule_input *input)
{
	for (size_t i = 0; input->ranges && i < input->ranges->count; i++)
		for (size_t c = 0; c < DP_COUNT(causes); c++)
			if (causes[c].activity == DP_HOST_INPUT &&
			    mentions(input->ranges->ranges[i].outer, causes[c].part))
				return true;
	return false;
}

bool dp_rule__is_spread(double longest_ns, double all_ns, size_t count)
{
	double gaps = (double)DP_MAX(count, 1), chance = CHANCE * (log(gaps) + EULER) / gaps;

	return longest_ns < fmax(LITTLE, fmin(chance, NEARLY_ALL)) * all_ns;
}

bool dp_rule__is_single(double longest_ns, double all_ns)
{
	return longest_ns >= NEARLY_ALL * all_ns && all_ns >= NEARLY_ALL * longest_ns;
}

/* Finds the advice that most of the named ranges suggest, and their share of all. */
static const char *find_cause(const struct dp_rule_finding *out, enum dp_host_activity activity,
			      double *share)
{
	const char *advice = NULL;

	*share = 0;
	for (size_t i = 0; i < out->finding.range_count; i++)
		for (size_t c = 0; c < DP_COUNT(causes); c++) {
			if (causes[c].activity != activity ||
			    !mentions(out->ranges[i].name, causes[c].part))
				continue;
			if (out->ranges[i].share > *share) {
				*share = out->ranges[i].share;
				advice = causes[c].advice;
			}
			break;
		}
	return advice;
}

void dp_rule__advise_by_ranges(struct dp_rule_finding *out, enum dp_host_activity activity)
{
	double share;
	const char *advice = find_cause(out, activity, &share);

	if (!advice || share < SOME_OF_IT)
		return;
	if (share >= MOST_OF_IT || activity != DP_HOST_WAIT)
		out->finding.advice = advice;
	else
		snprintf(out->advice, sizeof(out->advice), "%s; %s", out->finding.advice, advice);
}
