/*
 * The GPU is busy, but its tensor cores hardly work, by hardware counters (record --gpu-metrics).
 * Counters alone do not show what could be gained.
 */
#include "diagnose/diagnose.h"

#include <math.h>

/* Share of the peak: half-precision training of transformers reaches 30 to 50%. */
#define TENSOR_SHARE 0.15

/* Below it, the GPU waits more than it computes, which other rules explain. */
#define LEAST_UTILIZATION 0.8

/*
 * Share of the memory's peak rate that limits kernels: the rest is lost to refreshing, and to
 * switching between reads and writes.
 */
#define MEMORY_BOUND 0.6

static const char advice_memory[] =
	"kernels wait for memory: fuse element-wise operations (torch.compile), store activations "
	"in half precision, use larger batches";
static const char advice_compute[] =
	"have matrix products run on tensor cores: bf16 or TF32 (torch.autocast, "
	"set_float32_matmul_precision), dimensions that are multiples of 8";

static bool check(const struct dp_rule_input *input, struct dp_rule_finding *out)
{
	double tensor = dp_rule__typical(input, "tensor_active");
	double dram = dp_rule__typical(input, "dram_active");

	if (!(tensor < dp_rule__threshold(input, "tensor-idle")) ||
	    !(dp_rule__busy_share(input) >= LEAST_UTILIZATION) ||
	    !dp_rule__range(input, &out->finding, "busy_ns", LEAST_UTILIZATION))
		return false;
	out->finding.severity = DP_SEVERITY_INFO;
	out->finding.confidence = input->loop->confidence;
	out->finding.recoverable_ns = (double)NAN;
	dp_rule__evidence(out, "utilization", "1", dp_rule__busy_share(input));
	dp_rule__evidence(out, "tensor_active", "1", tensor);
	if (!isnan(dp_rule__typical(input, "sm_active")))
		dp_rule__mean_evidence(input, out, "sm_active");
	if (!isnan(dram))
		dp_rule__evidence(out, "dram_active", "1", dram);
	out->finding.advice = dram >= MEMORY_BOUND ? advice_memory : advice_compute;
	return true;
}

const struct dp_rule dp_rule__tensor_idle = {
	{ "tensor-idle",
	  "tensor cores below 15% of their peak while the GPU is busy for 80% of the period",
	  TENSOR_SHARE },
	check,
	.never_critical = true,
};
