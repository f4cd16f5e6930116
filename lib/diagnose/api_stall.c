/*
 * The launching thread is in a call that is no launch, wait or copy, and the device runs out of
 * work meanwhile: memory allocated and freed in each iteration (cudaFree also waits for the
 * device), pinned or registered memory, code being loaded.
 */
#include "diagnose/diagnose.h"
#include <stdio.h>

#define WARNING_SHARE 0.05
#define CRITICAL_SHARE 0.20

/* Fewer do not distinguish recurring calls from those made once. */
#define FEWEST_PERIODS 2

static const char *const advices[] = {
	[DP_PURPOSE_OTHER] = "make this call once before the loop, or on a thread that launches "
			     "nothing",
	[DP_PURPOSE_ALLOCATE] = "allocate once, or from a cache: a caching allocator, "
				"cudaMallocAsync and its pools, buffers that are reused",
	[DP_PURPOSE_FREE] = "keep memory instead of freeing it: a caching allocator, "
			    "cudaMallocAsync and its pools, buffers that are reused",
	[DP_PURPOSE_HOST_MEMORY] = "pin memory once and reuse it: buffers made before the loop, a "
				   "caching host allocator",
	[DP_PURPOSE_CODE] = "load code before the loop: a warm-up iteration of each shape, "
			    "CUDA_MODULE_LOADING=EAGER",
	[DP_PURPOSE_GRAPH] = "capture CUDA graphs before the loop and keep shapes constant, so "
			     "that each is captured once and then only launched",
};

const char dp_rule__capture_stall_advice[] =
	"if this is start-up, record a later part of the run; if these calls recur, make them once, "
	"before the work begins";

/* A call per iteration: the mean over typical ones, or how much more slow ones have. */
struct sums {
	double count[2]; /* iterations: typical, slow */
	double calls[2];
	double idle_ns[2];
};

static double mean(const double sums[2], const struct sums *of, bool slow)
{
	double usual = of->count[0] > 0 ? sums[0] / of->count[0] : 0;

	if (!slow)
		return usual;
	return of->count[1] > 0 ? sums[1] / of->count[1] - usual : 0;
}

/* Adds all iterations of one name, from an index on; returns where the next name begins. */
static size_t add_name(struct sums *sums, const struct dp_rule_input *input, size_t from)
{
	const struct dp_stalls *stalls = input->stalls;
	size_t i = from;

	for (; i < stalls->count && stalls->stalls[i].name_id == stalls->stalls[from].name_id;
	     i++) {
		const struct dp_stall *at = &stalls->stalls[i];
		bool slow = input->slow && input->slow[at->iteration];

		if (!slow && !dp_rule__is_typical(input, at->iteration))
			continue;
		sums->calls[slow] += at->calls;
		sums->idle_ns[slow] += at->idle_ns;
	}
	return i;
}

bool dp_rule__stall(struct dp_stall *most, const struct dp_rule_input *input, bool slow)
{
	struct sums all = { { 0 }, { 0 }, { 0 } };

	most->idle_ns = 0;
	for (size_t k = 0; k < input->loop->iterations; k++) {
		all.count[0] += dp_rule__is_typical(input, k);
		all.count[1] += input->slow && input->slow[k] && k + 1 < input->loop->iterations;
	}
	for (size_t i = 0, next; input->stalls && i < input->stalls->count; i = next) {
		struct sums sums = all;

		next = add_name(&sums, input, i);
		if (!(mean(sums.idle_ns, &sums, slow) > most->idle_ns))
			continue;
		*most = input->stalls->stalls[i];
		most->idle_ns = mean(sums.idle_ns, &sums, slow);
		most->calls = mean(sums.calls, &sums, slow);
	}
	return most->idle_ns > 0;
}

bool dp_rule__captures_graphs(const struct dp_rule_input *input, bool slow,
			      struct dp_rule_finding *out)
{
	const struct dp_stalls *stalls = input->stalls;
	const char *name = NULL;
	double calls[2] = { 0, 0 };

	for (size_t i = 0; stalls && i < stalls->count; i++) {
		const struct dp_stall *at = &stalls->stalls[i];
		bool stands_out = slow && input->slow && input->slow[at->iteration];

		if (at->purpose != DP_PURPOSE_GRAPH)
			continue;
		calls[stands_out] += at->calls;
		if (stands_out == slow && !name)
			name = at->name;
	}
	if (!name || (slow && calls[0] > 0))
		return false;
	dp_rule__call_evidence(out, "graph_calls", "count", calls[slow], name);
	out->finding.advice = advices[DP_PURPOSE_GRAPH];
	return true;
}

double dp_rule__stall_ns(const struct dp_rule_input *input)
{
	double stall_ns = dp_rule__typical(input, "call_stall_ns");

	return stall_ns >= dp_rule__threshold(input, "api-stall") *
				       dp_rule__typical(input, "period_ns")
		       ? stall_ns
		       : 0;
}

const char *dp_rule__stall_advice(enum dp_purpose purpose)
{
	return advices[purpose];
}

static bool check(const struct dp_rule_input *input, struct dp_rule_finding *out)
{
	double stall_ns = dp_rule__typical(input, "call_stall_ns");
	struct dp_stall most;

	if (!dp_rule__stall(&most, input, false) ||
	    !dp_rule__share_finding(input, out, "call_stall_ns", stall_ns,
				    dp_rule__threshold(input, "api-stall"), CRITICAL_SHARE))
		return false;
	dp_rule__call_evidence(out, "call_ns", "ns", most.idle_ns, most.name);
	dp_rule__call_evidence(out, "calls", "count", most.calls, most.name);
	dp_rule__evidence(out, "call_stall_ns", "ns", stall_ns);
	dp_rule__mean_evidence(input, out, "idle_host_ns");
	dp_rule__evidence(out, "utilization", "1", dp_rule__busy_share(input));
	out->finding.advice = input->scope == DP_SCOPE_CAPTURE ? dp_rule__capture_stall_advice
							       : advices[most.purpose];
	/* a call made once may be in the only period that there is */
	if (input->scope != DP_SCOPE_CAPTURE && dp_rule__steady_count(input) < FEWEST_PERIODS)
		snprintf(out->advice, sizeof(out->advice),
			 "record more iterations: this may be first use; if it recurs, %s",
			 advices[most.purpose]);
	out->change = DP_REPLAY_STALLS;
	return true;
}

const struct dp_rule dp_rule__api_stall = {
	{ "api-stall",
	  "the GPU waits while the host allocates, frees, loads code or the like: at least 5% of "
	  "the period",
	  WARNING_SHARE },
	check,
	.also = DP_SCOPE_ITERATION | DP_SCOPE_CAPTURE,
	.never_critical_capture = true,
};
