/*
 * The paper's case 2: uploads make the interval long (DeepProf, section V-B). Uploads inside an
 * iteration cost as much.
 */
#include "diagnose/diagnose.h"

#include <math.h>

#define OVERLAP_SHARE 0.10
#define INTERVAL_SHARE 0.05
#define EXPOSED_SHARE 0.10
#define CRITICAL_SHARE 0.20

/* Smallest share of the period at which uploads matter. */
#define LEAST_SHARE 0.01

/* Bytes that return are nearly all: parameters may be uploaded with them, or results downloaded. */
#define NEARLY_ALL 0.9

#define MOSTLY 0.5

/* A smaller share of the uploads runs during kernels by chance. */
#define SOME_OF_IT 0.05

/* The mean share of the intervals that uploads cover, and the mean interval. */
static double measure(const struct dp_rule_input *input, double *interval_ns)
{
	const double *intervals = dp_rule__metric(input, "interval_ns");
	const double *overlaps = dp_rule__metric(input, "overlap");
	double covered_ns = 0, count = 0;

	*interval_ns = 0;
	for (size_t k = 1; k < input->loop->iterations; k++) {
		if (isnan(intervals[k]) || !dp_rule__is_typical(input, k - 1))
			continue;
		*interval_ns += intervals[k];
		covered_ns += isnan(overlaps[k]) ? 0 : overlaps[k] * intervals[k];
		count++;
	}
	*interval_ns /= count > 0 ? count : (double)NAN;
	return covered_ns / (count > 0 ? count : (double)NAN);
}

bool dp_rule__is_round_trip(const struct dp_rule_input *input)
{
	double up = dp_rule__typical(input, "h2d_bytes"),
	       down = dp_rule__typical(input, "d2h_bytes");

	return input->transfers && input->transfers->returned >= NEARLY_ALL && up > 0 && down > 0 &&
	       fmin(up, down) >= NEARLY_ALL * fmax(up, down);
}

/* How long the copies of an iteration run, one after the other. */
static double copied_ns(const struct dp_rule_input *input, const char *bytes, const char *bandwidth)
{
	return dp_rule__typical(input, bytes) / dp_rule__typical(input, bandwidth) * 1e9;
}

/* Data that stays on the device needs no copy in either direction. */
static const char *exposed_metric(const struct dp_rule_input *input)
{
	return dp_rule__is_round_trip(input) ? "copy_exposed_ns" : "upload_exposed_ns";
}

/* The time in which such copies run and no kernel does; other copies are in that metric, too. */
static double exposed_of(const struct dp_rule_input *input)
{
	double exposed_ns = dp_rule__typical(input, exposed_metric(input));

	if (!dp_rule__is_round_trip(input))
		return exposed_ns;
	return fmin(exposed_ns, copied_ns(input, "h2d_bytes", "h2d_bandwidth") +
					copied_ns(input, "d2h_bytes", "d2h_bandwidth"));
}

static void tell(const struct dp_rule_input *input, struct dp_rule_finding *out, double lost_ns,
		 double period_ns)
{
	out->finding.severity =
		lost_ns < CRITICAL_SHARE * period_ns ? DP_SEVERITY_WARNING : DP_SEVERITY_CRITICAL;
	out->finding.confidence = input->loop->confidence;
	out->finding.recoverable_ns = lost_ns;
	out->finding.metric = exposed_metric(input);
	dp_rule__evidence(out, DP_EVIDENCE_PERIOD, "ns", period_ns);
}

/* Uploads cover the interval between iterations. */
static bool check_interval(const struct dp_rule_input *input, struct dp_rule_finding *out,
			   double period_ns, double *covered_ns)
{
	double interval_ns;

	*covered_ns = measure(input, &interval_ns);
	if (!(*covered_ns >= OVERLAP_SHARE * interval_ns) ||
	    !(interval_ns >= dp_rule__threshold(input, "copy-bound") * period_ns) ||
	    !(*covered_ns >= LEAST_SHARE * period_ns) ||
	    !dp_rule__range(input, &out->finding, "copy_ns", LEAST_SHARE))
		return false;
	tell(input, out, *covered_ns, period_ns);
	dp_rule__evidence(out, "interval_ns", "ns", interval_ns);
	dp_rule__evidence(out, "overlap", "1", *covered_ns / interval_ns);
	out->finding.advice = "upload the next input on a stream of its own while the GPU computes";
	return true;
}

/* No kernel runs during uploads, wherever in the period they are. */
static bool check_exposed(const struct dp_rule_input *input, struct dp_rule_finding *out,
			  double period_ns, double exposed_ns)
{
	double least = fmax(EXPOSED_SHARE, dp_rule__threshold(input, "copy-bound"));

	if (!(exposed_ns >= least * period_ns) ||
	    !dp_rule__range(input, &out->finding, exposed_metric(input), least))
		return false;
	tell(input, out, exposed_ns, period_ns);
	dp_rule__evidence(out, "share_of_period", "1", exposed_ns / period_ns);
	dp_rule__evidence(out, exposed_metric(input), "ns", exposed_ns);
	out->finding.advice = "upload from pinned memory on a stream of its own while kernels run, "
			      "or keep the data on the device";
	return true;
}

/* What uploads on streams without kernels lack. */
static const char *advise_apart(double hidden)
{
	if (hidden < SOME_OF_IT)
		return "uploads and kernels use different streams but do not run at the same time: "
		       "start each upload earlier, into a second buffer";
	if (hidden < MOSTLY)
		return "uploads and kernels use different streams but mostly do not run at the same "
		       "time: start each upload earlier, into a second buffer";
	return "uploads run during kernels only in part: start each upload earlier, into a second "
	       "buffer";
}

/* What uploads on several streams lack, that run kernels, too. */
static const char *advise_among(double hidden)
{
	if (hidden < SOME_OF_IT)
		return "uploads of one stream do not run during kernels of the others: start each "
		       "upload earlier, into a second buffer";
	return "uploads of one stream run during kernels of the others only in part: start each "
	       "upload earlier, into a second buffer";
}

/*
 * What keeps uploads from running during kernels: advice follows from how they run. On any stream,
 * the period is no shorter than all uploads.
 */
static void explain(const struct dp_rule_input *input, struct dp_rule_finding *out,
		    double period_ns)
{
	const struct dp_transfers *transfers = input->transfers;
	double all_ns = copied_ns(input, "h2d_bytes", "h2d_bandwidth");

	out->change = DP_REPLAY_UPLOADS;
	if (dp_rule__is_round_trip(input)) {
		dp_rule__mean_evidence(input, out, "d2h_bytes");
		out->finding.confidence *= DP_SIZE_TRUST;
		out->finding.advice =
			"as many bytes are uploaded as were downloaded before: if it is "
			"the same data, keep it on the device";
		out->change = DP_REPLAY_NOTHING;
	} else if (period_ns - all_ns < out->finding.recoverable_ns / 2) {
		dp_rule__evidence(out, "upload_ns", "ns", fmin(all_ns, period_ns));
		out->finding.advice =
			"uploads take most of the period even if all else overlaps with them: "
			"upload fewer bytes (smaller types), and keep reused data on the device";
	} else if (dp_rule__typical(input, "pageable_share") >= MOSTLY) {
		dp_rule__mean_evidence(input, out, "host_copy_ns");
		dp_rule__mean_evidence(input, out, "pageable_share");
		out->finding.advice =
			"upload from pinned memory (pin_memory=True, non_blocking=True): with "
			"pageable memory, the host takes part in each upload";
	} else if (transfers && transfers->upload_apart >= MOSTLY) {
		dp_rule__evidence(out, "upload_hidden", "1", transfers->upload_hidden);
		out->finding.advice = advise_apart(transfers->upload_hidden);
	} else if (transfers && transfers->upload_streams > 1) {
		dp_rule__evidence(out, "upload_streams", "count",
				  (double)transfers->upload_streams);
		dp_rule__evidence(out, "upload_hidden", "1", transfers->upload_hidden);
		out->finding.advice = advise_among(transfers->upload_hidden);
	}
}

static bool check(const struct dp_rule_input *input, struct dp_rule_finding *out)
{
	double period_ns = dp_rule__typical(input, "period_ns"), covered_ns;
	double exposed_ns = exposed_of(input);
	bool between = !dp_rule__is_round_trip(input) &&
		       check_interval(input, out, period_ns, &covered_ns);

	/* the interval is the more useful place to name, unless most is elsewhere */
	if (!between || covered_ns < exposed_ns / 2) {
		struct dp_rule_finding other = { 0 };

		if (check_exposed(input, &other, period_ns, exposed_ns))
			*out = other;
		else if (!between)
			return false;
	}
	explain(input, out, period_ns);
	dp_rule__name_stream_wait(input, out, false);
	dp_rule__name_transfer(input, out, DP_TRANSFER_UPLOAD);
	dp_rule__mean_evidence(input, out, "h2d_bytes");
	dp_rule__mean_evidence(input, out, "h2d_bandwidth");
	return true;
}

const struct dp_rule dp_rule__copy_bound = {
	{ "copy-bound",
	  "uploads take at least 10% of an interval of at least 5% of the period, or 10% of the "
	  "period without a kernel running; the cost includes downloads of data that may be "
	  "uploaded again",
	  INTERVAL_SHARE },
	check,
	.also = DP_SCOPE_ITERATION | DP_SCOPE_CAPTURE,
};
