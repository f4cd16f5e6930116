/*
 * The GPU waits for the host between iterations (DeepProf, section V-B, case 1: an interval far
 * above the gaps between operations, and little overlap). The lost share of the period decides,
 * with the thresholds of TensorFlow's profiler: 5% and 20%. Without launch records, the interval
 * that no upload covers is used.
 */
#include "diagnose/diagnose.h"

#include <math.h>

#define WARNING_SHARE 0.05
#define CRITICAL_SHARE 0.20

/* The interval shows when the GPU waited, but not what the host did: it may have waited, too. */
#define INTERVAL_TRUST 0.8

/* A shorter interval, in gaps between operations, is a gap like others. */
#define FAR_ABOVE 2

/* Smallest upload per iteration that counts as its input. */
#define INPUT_BYTES 4096

static const char advice_input[] = "overlap data loading with compute: DataLoader(num_workers=..., "
				   "prefetch_factor=..., pin_memory=True)";
static const char advice_stall[] = "move this host work out of the loop or to another thread";
static const char advice_look[] =
	"record launches, too (deepprof info shows how), to see whether the GPU waits for the host; "
	"if so, move the host's work out of the loop or to another thread";
static const char advice_unknown[] =
	"see whether the host works or waits there, with a sampling profiler (perf) or annotations; "
	"move work out of the loop, or to another thread";
static const char advice_divide[] =
	"move this host work out of the loop, or divide it among other threads";
static const char advice_delay[] =
	"find what delays this one launch: garbage collection, locks, other load on the host's "
	"cores, work on the CPU that another thread can do";
static const char advice_launch[] = "reduce launch overhead: CUDA graphs or torch.compile, fused "
				    "optimizer, larger batches";

struct waits {
	const double *interval_ns;
	const double *overlap;
	const double *period_ns;
	const double *idle_ns;
	size_t count;	   /* number of intervals, of typical iterations */
	size_t long_count; /* those of at least the threshold's share of their period */
	size_t first;	   /* of these */
	size_t last;
	double waited_ns; /* of all looked at */
	double period_sum_ns;
};

/* Adds the interval before iteration k, which is part of its predecessor's period. */
static void add(struct waits *waits, const struct dp_rule_input *input, size_t k)
{
	double period_ns = waits->period_ns[k - 1], waited_ns = waits->interval_ns[k];

	if (!dp_rule__is_typical(input, k - 1) || isnan(waited_ns) || !(period_ns > 0))
		return;
	if (!isnan(waits->overlap[k]))
		waited_ns *= 1 - waits->overlap[k];
	/* the device may have been busy with other streams meanwhile */
	if (waits->idle_ns && !isnan(waits->idle_ns[k - 1]))
		waited_ns = fmin(waited_ns, waits->idle_ns[k - 1]);
	waits->waited_ns += waited_ns;
	waits->period_sum_ns += period_ns;
	waits->count++;
	if (waited_ns < dp_rule__threshold(input, "host-bound") * period_ns)
		return;
	if (!waits->long_count++)
		waits->first = k;
	waits->last = k;
}

static bool measure(struct waits *waits, const struct dp_rule_input *input)
{
	waits->interval_ns = dp_rule__metric(input, "interval_ns");
	waits->overlap = dp_rule__metric(input, "overlap");
	waits->period_ns = dp_rule__metric(input, "period_ns");
	waits->idle_ns = dp_rule__metric(input, "idle_ns");
	if (!waits->interval_ns || !waits->overlap || !waits->period_ns)
		return false;
	for (size_t k = 1; k < input->loop->iterations; k++)
		add(waits, input, k);
	return waits->count && waits->long_count;
}

bool dp_rule__has_long_interval(const struct dp_rule_input *input)
{
	return !(dp_rule__typical_before(input, "interval_ns") <
		 FAR_ABOVE * dp_rule__typical(input, "operation_gap_ns"));
}

/* Returns true if most iterations upload their input. */
static bool has_input(const struct dp_rule_input *input)
{
	const double *bytes = dp_rule__metric(input, "h2d_bytes");
	size_t count = 0, with = 0;

	for (size_t k = 0; bytes && k < input->loop->iterations; k++) {
		if (!dp_rule__is_typical(input, k))
			continue;
		with += bytes[k] >= INPUT_BYTES;
		count++;
	}
	return with * 2 > count;
}

static bool check_intervals(const struct dp_rule_input *input, struct dp_rule_finding *out)
{
	struct dp_finding *finding = &out->finding;
	struct waits waits = { 0 };
	double share;

	if (!measure(&waits, input))
		return false;
	share = waits.waited_ns / waits.period_sum_ns;
	if (share < dp_rule__threshold(input, "host-bound") || !dp_rule__has_long_interval(input))
		return false;
	finding->severity = share < CRITICAL_SHARE ? DP_SEVERITY_WARNING : DP_SEVERITY_CRITICAL;
	finding->confidence = INTERVAL_TRUST * input->loop->confidence * (double)waits.count /
			      (double)(waits.count + 1);
	finding->first_iteration = waits.first;
	finding->last_iteration = waits.last;
	finding->recoverable_ns = waits.waited_ns / (double)waits.count;
	finding->metric = "interval_ns";
	out->part = "idle_ns";
	finding->advice = has_input(input) ? advice_input : advice_look;
	dp_rule__evidence(out, "waited_share", "1", share);
	dp_rule__evidence(out, DP_EVIDENCE_PERIOD, "ns", waits.period_sum_ns / (double)waits.count);
	dp_rule__evidence(out, "interval_ns", "ns", dp_rule__typical_before(input, "interval_ns"));
	dp_rule__evidence(out, "overlap", "1", dp_rule__typical_before(input, "overlap"));
	dp_rule__mean_evidence(input, out, "operation_gap_ns");
	dp_rule__evidence(out, "long_intervals", "count", (double)waits.long_count);
	dp_rule__evidence(out, "all_intervals", "count", (double)waits.count);
	return true;
}

/*
 * Returns true if moving work of the host elsewhere would save next to nothing: in a replay without
 * the long waits for the host, the period hardly gets shorter, since all launches are late. The
 * replayed iterations must wait at least half as long as the average; otherwise the replay lacks
 * the waits in question and shows nothing.
 */
static bool is_late_throughout(const struct dp_rule_input *input)
{
	struct dp_rule_input measured = *input, all = *input;

	measured.slow = input->unmeasured;
	all.slow = NULL;
	return dp_rule__saved(input, DP_REPLAY_HOST) <
		       DP_WARNING_SHARE * dp_rule__typical(input, "period_ns") &&
	       dp_rule__typical(&measured, "host_wait_ns") >=
		       dp_rule__typical(&all, "host_wait_ns") / 2;
}

/*
 * Advises by the gaps: long ones are work of the host; short ones are launches that come too late,
 * because they are slow, or because none were made while the host waited. In several long gaps,
 * operators may be slow launches, too, but not in a single one, since a launch ends it.
 */
static void advise(const struct dp_rule_input *input, struct dp_rule_finding *out, double host_ns)
{
	double longest_ns = dp_rule__typical(input, "longest_gap_ns");
	bool launching;

	dp_rule__name_ranges(input, out, DP_HOST_WAIT, false);
	launching = dp_rule__is_launching(out);
	if (dp_rule__typical(input, "host_stall_ns") >= host_ns / 2 &&
	    (!launching || dp_rule__is_single(longest_ns, host_ns)) &&
	    !dp_rule__is_spread(longest_ns, host_ns, input->loop->length) &&
	    !is_late_throughout(input)) {
		out->change = DP_REPLAY_HOST;
		dp_rule__name_function(input, out, DP_HOST_WAIT, false);
		out->finding.advice = launching				? advice_delay
				      : dp_rule__shows_work(input, out) ? advice_stall
									: advice_unknown;
	} else if (dp_rule__typical(input, "idle_after_sync_ns") >= host_ns / 2) {
		out->change = DP_REPLAY_WAITS;
		dp_rule__name_ranges(input, out, DP_HOST_SYNC, false);
		dp_rule__advise_on_waits(input, out);
	} else {
		dp_rule__name_function(input, out, DP_HOST_WAIT, false);
		out->finding.advice = advice_launch;
		out->change = DP_REPLAY_LAUNCHES;
	}
	if (out->finding.activity == DP_HOST_WAIT)
		dp_rule__advise_by_ranges(out, DP_HOST_WAIT);
}

/*
 * With launch records: idle time until the next launch, without the input, which input-bound
 * reports, and without long calls, which api-stall reports. If it consists of tiny gaps and kernels
 * are tiny, too, launch-bound reports it.
 */
static bool check_idle(const struct dp_rule_input *input, struct dp_rule_finding *out,
		       double host_ns)
{
	host_ns -= dp_rule__stall_ns(input);
	if (dp_rule__is_launch_bound(input))
		host_ns -= dp_rule__typical(input, "short_gaps_ns") -
			   dp_rule__typical(input, "idle_launch_ns");
	if (!dp_rule__share_finding(input, out, "host_wait_ns", host_ns,
				    dp_rule__threshold(input, "host-bound"), CRITICAL_SHARE))
		return false;
	dp_rule__evidence(out, "host_wait_ns", "ns", host_ns);
	advise(input, out, host_ns);
	if (out->finding.activity == DP_HOST_SYNC) {
		dp_rule__mean_evidence(input, out, "idle_after_sync_ns");
		dp_rule__mean_evidence(input, out, "host_sync_ns");
	} else {
		dp_rule__evidence(out, "host_stall_ns", "ns",
				  fmin(dp_rule__typical(input, "host_stall_ns"), host_ns));
	}
	dp_rule__evidence(out, "interval_ns", "ns", dp_rule__typical_before(input, "interval_ns"));
	dp_rule__evidence(out, "utilization", "1", dp_rule__busy_share(input));
	dp_rule__cpu_evidence(input, out);
	return true;
}

static bool check(const struct dp_rule_input *input, struct dp_rule_finding *out)
{
	double host_ns = dp_rule__typical(input, "host_wait_ns");

	return isnan(host_ns) ? check_intervals(input, out) : check_idle(input, out, host_ns);
}

static bool divide(const struct dp_rule_input *input, struct dp_rule_finding *found, size_t threads)
{
	(void)input;
	if (threads && found->finding.advice == advice_stall && !found->advice[0])
		found->finding.advice = advice_divide;
	return found->change == DP_REPLAY_HOST && found->finding.advice != advice_delay;
}

const struct dp_rule dp_rule__host_bound = {
	{ "host-bound",
	  "the GPU waits for the host, or, if launches are not recorded, between iterations: at "
	  "least 5% of the period",
	  WARNING_SHARE },
	check,
	.divide = divide,
	.also = DP_SCOPE_ITERATION,
};
