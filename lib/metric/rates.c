/* The program's output per time: samples, and floating-point operations. */
#include "metric/family.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/*
 * Dense peaks of FP16 and BF16 on tensor cores, without sparsity, in TFLOP/s: each is from a data
 * sheet of the vendor or from the tables of TorchTitan or Lightning. A device of AMD's MI250 series
 * is one of its two dies. Devices that are not listed, or listed with NaN for lack of a source,
 * have no utilization. Longer names precede names that they begin with.
 */
static const struct {
	const char *name;
	double tera;
} peaks[] = {
	{ "T4", 65 },	      { "V100-PCIE", 112 },
	{ "V100", 125 },      { "A100", 312 },
	{ "A800", 312 },      { "A10", 125 },
	{ "L4", 121 },	      { "L40S", 362 },
	{ "H100 PCIe", 756 }, { "H100 NVL", 835 },
	{ "H100", 989 },      { "H800", 989 },
	{ "H20", 148 },	      { "H200 NVL", (double)NAN },
	{ "H200", 989 },      { "GH200", 989 },
	{ "B200", 2250 },     { "MI250", 181 },
	{ "MI250X", 191.5 },  { "MI300X", 1307 },
	{ "MI325X", 1307 },
};

/* Returns true if the text contains the name as a word, with no letters or digits around it. */
static bool has_word(const char *text, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = text; (at = strstr(at, name)); at++)
		if ((at == text || !isalnum((unsigned char)at[-1])) &&
		    !isalnum((unsigned char)at[length]))
			return true;
	return false;
}

static double peak_of(const struct dp_trace *trace, uint32_t device)
{
	uint32_t name = dp_trace_device(trace, device)->name;

	for (size_t i = 0; name != DP_NONE && i < DP_COUNT(peaks); i++)
		if (has_word(dp_trace_string(trace, name), peaks[i].name))
			return peaks[i].tera * 1e12;
	return (double)NAN;
}

/* An amount per period, per second; null if the amount is unknown. */
static int rate(double *values, const struct dp_metric_input *input, double amount)
{
	for (size_t k = 0; k < input->count; k++) {
		double period_ns = dp_metric__period_ns(input, k);

		values[k] = amount > 0 && period_ns > 0 ? amount * 1e9 / period_ns : (double)NAN;
	}
	return DP_OK;
}

/* The total amount divided by the total time. */
static double harmonic_mean(double *values, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += 1 / values[i];
	return count ? (double)count / sum : (double)NAN;
}

enum amount { SAMPLES, OPERATIONS };

static int compute_rate(double *values, const struct dp_metric_input *input,
			const struct dp_metric *row, struct dp_error *error)
{
	return rate(values, input,
		    row->which == SAMPLES ? (double)input->batch_size : input->flops);
}

/* Model FLOP utilization: the rate of the program divided by the peak of the device. */
static int compute_mfu(double *values, const struct dp_metric_input *input,
		       const struct dp_metric *row, struct dp_error *error)
{
	double peak = peak_of(input->trace, input->device);

	rate(values, input, input->flops);
	for (size_t k = 0; k < input->count; k++)
		values[k] /= peak;
	return DP_OK;
}

static const struct dp_metric rows[] = {
	{ DP_SUMMARIZED("throughput", "1/s", DP_BETTER_HIGHER, DP_NEED_NOTHING,
			"samples per second: the batch size, if known, by the period",
			"avg_throughput", "samples in the steady state divided by its duration",
			DP_OVER_STEADY, harmonic_mean),
	  compute_rate, .which = SAMPLES, .reads = DP_READS_TIMELINE },
	{ DP_SUMMARIZED("flop_rate", "FLOP/s", DP_BETTER_HIGHER, DP_NEED_NOTHING,
			"floating-point operations per second: --flops divided by the period",
			"avg_flop_rate",
			"floating-point operations in the steady state divided by its duration",
			DP_OVER_STEADY, harmonic_mean),
	  compute_rate, .which = OPERATIONS, .reads = DP_READS_TIMELINE },
	{ DP_SUMMARIZED("mfu", "1", DP_BETTER_HIGHER, DP_NEED_NOTHING,
			"model FLOP utilization: flop_rate divided by the dense FP16/BF16 peak of "
			"the device, if known",
			"avg_mfu", "model FLOP utilization in the steady state", DP_OVER_STEADY,
			harmonic_mean),
	  compute_mfu, .reads = DP_READS_TIMELINE },
};

const struct dp_metric_family dp_family__rates = { rows, DP_COUNT(rows) };
