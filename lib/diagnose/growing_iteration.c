/*
 * Iterations take longer and longer: a tensor that is concatenated to in the loop, a sequence that
 * grows. Uses Theil and Sen's slope and Mann and Kendall's test, and names the part that grows with
 * it, and the kernel, the launcher of copies or the host range.
 */
#include "diagnose/diagnose.h"

#include <math.h>
#include <string.h>

#define LEAST_RISE 0.10

/* Share of the period's rise for a part to be named as what grows. */
#define MOST_OF_IT 0.5

/* A trace shows that work grows, not whether the program means it to. */
#define TENSOR                                                                                        \
	"unless the work is meant to grow, find the tensor that grows in the loop: torch.cat, lists " \
	"that are stacked, a sequence or a cache without a limit"

/* Bytes that grow by a smaller share of the growth of a copy's time do not explain it. */
#define LEAST_OF_BYTES 0.5

/* Share of the growth of a kernel's time that the growth of its number of launches explains. */
#define MOST_BY_LAUNCHES 0.9

static const char launches_advice[] =
	"the kernel is launched more often with each iteration, and its launches take no longer: find "
	"the loop that launches it";

static const char same_bytes_advice[] =
	"the bytes do not grow: find what slows the copies down, such as other copies at the same "
	"time, or what no longer overlaps them";

enum subject { KERNEL, UPLOAD, DEVICE_COPY, COPY, RANGE };

/* In this order: uploads and copies within the device are copies, too. */
static const struct part {
	const char *metric;
	const char *evidence;
	enum subject subject; /* what is named */
	const char *advice;
	const char *bytes[3]; /* what is copied */
} parts[] = {
	{ "compute_ns", "compute_rise_ns", KERNEL, TENSOR },
	{ "comm_exposed_ns", "communication_rise_ns", KERNEL,
	  "find what grows in what is sent, or the rank that gets slower" },
	{ "upload_exposed_ns",
	  "upload_rise_ns",
	  UPLOAD,
	  "find which upload grows with each iteration: a batch, a sequence or a mask that "
	  "grows",
	  { "h2d_bytes" } },
	{ "d2d_exposed_ns", "device_copy_rise_ns", DEVICE_COPY, TENSOR, { "d2d_bytes" } },
	{ "copy_exposed_ns",
	  "copy_rise_ns",
	  COPY,
	  "find what is copied more with each iteration: results that are kept, logs",
	  { "h2d_bytes", "d2h_bytes", "d2d_bytes" } },
	{ "input_wait_ns", "input_rise_ns", RANGE, dp_rule__host_growth_advice },
	{ "host_wait_ns", "host_rise_ns", RANGE, dp_rule__host_growth_advice },
};

/*
 * A factor that scales a time to the usual clock, if clocks are recorded: growth because of falling
 * clocks is reported by throttled.
 */
static double at_usual_clock(const struct dp_rule_input *input, double usual_mhz, size_t k)
{
	const double *clock_mhz = dp_rule__metric(input, "clock_MHz");

	return usual_mhz > 0 && !isnan(clock_mhz[k]) ? clock_mhz[k] / usual_mhz : 1;
}

/* Collects values of the typical iterations in scratch; returns their number. */
static size_t gather_values(const struct dp_rule_input *input, const double *values,
			    double usual_mhz)
{
	size_t count = 0;

	for (size_t k = 0; values && input->scratch && k < input->loop->iterations; k++)
		if (!isnan(values[k]) && dp_rule__is_typical(input, k))
			input->scratch[count++] = values[k] * at_usual_clock(input, usual_mhz, k);
	return count;
}

/* The clock that times of a metric are scaled to; 0: they are not. */
static double clock_of(const struct dp_rule_input *input, const char *name)
{
	return strcmp(name, "compute_ns") ? 0 : dp_rule__typical(input, "clock_MHz");
}

static size_t gather(const struct dp_rule_input *input, const char *name)
{
	return gather_values(input, dp_rule__metric(input, name), clock_of(input, name));
}

/* The slope of values in scratch; 0 if they are too few. */
static double slope_of_values(const struct dp_rule_input *input, size_t count)
{
	struct dp_trend trend;

	return count && dp_trend__init(&trend, input->scratch, count) ? trend.slope : 0;
}

/* The slope of a metric over typical iterations; 0 if too few are known. */
static double slope_of(const struct dp_rule_input *input, const char *metric)
{
	return slope_of_values(input, gather(input, metric));
}

/* Names the kernel whose time rises most: of the part's rise, by the same estimate. */
static void name_kernel(const struct dp_rule_input *input, struct dp_rule_finding *out,
			const struct part *part, double slope_ns)
{
	double usual_mhz = clock_of(input, part->metric), kernel_ns;

	if (!input->stats || !input->stats->growing.name)
		return;
	kernel_ns =
		slope_of_values(input, gather_values(input, input->stats->growing.ns, usual_mhz));
	if (kernel_ns >= DP_RULE_NAMED_RISE * slope_ns)
		dp_rule__call_evidence(out, "kernel_rise_ns", "ns", fmin(kernel_ns, slope_ns),
				       input->stats->growing.name);
}

static void name(const struct dp_rule_input *input, struct dp_rule_finding *out,
		 const struct part *part, double slope_ns)
{
	if (part->subject == KERNEL)
		name_kernel(input, out, part, slope_ns);
	else if (part->subject == UPLOAD)
		dp_rule__name_transfer(input, out, DP_TRANSFER_UPLOAD);
	else if (part->subject == DEVICE_COPY)
		dp_rule__name_transfer(input, out, DP_TRANSFER_DEVICE_COPY);
	else if (part->subject == RANGE)
		dp_rule__name_growing_range(input, out, slope_ns);
}

/* Finds the part of the period that most of its rise is in. */
static const struct part *find_part(const struct dp_rule_input *input, double slope)
{
	for (size_t i = 0; i < DP_COUNT(parts); i++)
		if (slope_of(input, parts[i].metric) >= MOST_OF_IT * slope)
			return &parts[i];
	return NULL;
}

/* By how much a metric rises over the run, as a share of its mean; NaN if unknown. */
static double share_of_rise(const struct dp_rule_input *input, const char *metric)
{
	double rise = slope_of(input, metric) * (double)gather(input, metric);

	return rise / dp_rule__typical(input, metric);
}

/* Returns true if the bytes of copies that take longer are known to stay the same, or nearly so. */
static bool copies_the_same(const struct dp_rule_input *input, const struct part *part)
{
	double least = LEAST_OF_BYTES * share_of_rise(input, part->metric), bytes;
	bool known = false;

	for (size_t i = 0; i < DP_COUNT(part->bytes) && part->bytes[i]; i++) {
		bytes = dp_rule__typical(input, part->bytes[i]);
		if (isnan(bytes) || share_of_rise(input, part->bytes[i]) >= least)
			return false;
		known = known || bytes > 0;
	}
	return known;
}

/* The slope of values of typical iterations, as a share of their mean. */
static double relative_slope(const struct dp_rule_input *input, const double *values)
{
	size_t count = gather_values(input, values, 0);
	double slope = slope_of_values(input, count), sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += input->scratch[i];
	return sum > 0 ? slope * (double)count / sum : 0;
}

/*
 * Returns true if the kernel that is named has most of the rise because it is launched more often.
 */
static bool launches_more(const struct dp_rule_input *input, const struct dp_rule_finding *out,
			  double slope_ns)
{
	const struct dp_growing_kernel *kernel = input->stats ? &input->stats->growing : NULL;
	const struct dp_evidence_value *last = &out->values[out->finding.evidence_count - 1];

	return kernel && kernel->launches && last->call && last->call == kernel->name &&
	       last->value >= MOST_OF_IT * slope_ns &&
	       relative_slope(input, kernel->launches) >=
		       MOST_BY_LAUNCHES * relative_slope(input, kernel->ns);
}

static bool check(const struct dp_rule_input *input, struct dp_rule_finding *out)
{
	const double *period_ns = dp_rule__metric(input, "period_ns");
	size_t count = gather(input, "period_ns");
	const struct part *part;
	struct dp_trend trend;
	double rise_ns, slope_ns;

	if (!dp_rule__rises(input, out, count, "growing-iteration", &trend, &rise_ns))
		return false;
	part = find_part(input, trend.slope);
	/* between iterations it is reported by growing-interval */
	if (!part ||
	    (part->subject == RANGE && slope_of(input, "interval_ns") >= MOST_OF_IT * trend.slope))
		return false;
	dp_rule__evidence(out, "rise_ns", "ns", rise_ns);
	dp_rule__evidence(out, "rise_per_iteration_ns", "ns", trend.slope);
	slope_ns = slope_of(input, part->metric);
	dp_rule__evidence(out, part->evidence, "ns", slope_ns * (double)count);
	/* of which the launcher of copies has a share */
	out->finding.recoverable_ns = slope_ns * (double)count;
	name(input, out, part, slope_ns);
	out->finding.recoverable_ns = rise_ns / 2;
	out->grows = true;
	out->part = part->metric;
	out->finding.advice = copies_the_same(input, part)	    ? same_bytes_advice
			      : launches_more(input, out, slope_ns) ? launches_advice
								    : part->advice;
	out->finding.last_iteration = input->loop->iterations - 1;
	for (size_t k = input->loop->iterations; k-- > 0;)
		if (!isnan(period_ns[k]) && dp_rule__is_typical(input, k))
			out->finding.first_iteration = k;
	return true;
}

const struct dp_rule dp_rule__growing_iteration = {
	{ "growing-iteration",
	  "iterations grow over the run by at least 10%, not all at once, and so does a part of them",
	  LEAST_RISE },
	check,
};
