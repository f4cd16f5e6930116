/*
 * The seam of the rules. A rule is one file with one struct dp_rule named dp_rule__<word>, and its
 * word in the list in lib/diagnose/meson.build. Rules read metrics only.
 */
#ifndef DP_DIAGNOSE_DIAGNOSE_H
#define DP_DIAGNOSE_DIAGNOSE_H

#include "base/base.h"
#include "activity/slices.h"
#include "metric/loop_stats.h"
#include "metric/metric.h"
#include "stats/trend.h"
#include <deepprof/analysis.h>

/* Of the period, that a finding costs: less is information, more is critical (XProf). */
#define DP_WARNING_SHARE 0.05
#define DP_CRITICAL_SHARE 0.20

#define DP_EVIDENCE_MOST 8
#define DP_RANGES_MOST 3
#define DP_LOOPS_MOST 64 /* in one finding: as many devices */
#define DP_ADVICE_SIZE 256

#define DP_RULE_SLICES 30 /* of a capture (nsys, gpu_time_util) */
#define DP_LONG_GAP_NS 5e8 /* a device that starves (nsys, gpu_gaps) */

struct dp_rule_finding;

/* What is judged: a loop; or one stretch of time, as the first of two iterations of which the second
 * has no length: the only whole iteration of a loop, or the capture of a device without one. */
enum dp_rule_scope { DP_SCOPE_LOOP = 0, DP_SCOPE_ITERATION = 1, DP_SCOPE_CAPTURE = 2 };

/* How busy a device is, slice by slice of a capture. */
struct dp_rule_slices {
	double busy_ns[DP_RULE_SLICES];
	double length_ns; /* of each */
	struct dp_long_gaps gaps;
	const char *before; /* the operation that ends the longest gap; NULL: none */
	const char *call;   /* the call that takes most of that gap; NULL: none, or no time of it */
	double call_ns;	    /* in the gap */
	bool launches;	    /* does that call launch a kernel? */
};

/* One loop's metrics, by name. */
struct dp_rule_input {
	const struct dp_loop *loop;
	const struct dp_iteration *iterations;
	const double *values;  /* metrics in rows of loop->iterations, as dp_metric() names them */
	const double *summary; /* as dp_summary_metric() names them */
	const struct dp_threshold *thresholds; /* others than the rules' own */
	size_t thresholds_count;
	const struct dp_stalls *stalls; /* NULL: none are known */
	const struct dp_host_ranges *ranges; /* the same */
	const struct dp_loop_stats *stats;   /* the same */
	const struct dp_replay *replay;	     /* the same */
	const struct dp_stream_waits *waits; /* the same */
	bool pytorch; /* advice is in its terms */
	enum dp_rule_scope scope;
	size_t first_iteration; /* of DP_SCOPE_ITERATION: which of the loop's it is */
	const struct dp_rule_slices *slices; /* of DP_SCOPE_CAPTURE */
	/* What follows is dp_diagnose__loop()'s to fill; NULL: nothing stands out, no room. */
	const uint8_t *slow;	 /* iterations whose period stands out, or would */
	const double *period_ns; /* the metric's row */
	double *scratch;	 /* room for as many values as there are iterations */
};

/*
 * A typical iteration: it has a period, which nothing interrupts, and is neither warm-up nor one
 * that stands out. The mean of a metric over these, NaN where there is none.
 */
bool dp_rule__is_typical(const struct dp_rule_input *input, size_t k);
double dp_rule__typical(const struct dp_rule_input *input, const char *name);

/* The share of their time in which the device does anything; NaN where there is none. */
double dp_rule__busy_share(const struct dp_rule_input *input);

/* The same of a metric of what lies before an iteration, which is the end of its predecessor's
 * period: over the ends of typical periods. */
double dp_rule__typical_before(const struct dp_rule_input *input, const char *name);

/* Typical iterations and those that stand out: all that the mean period is over. */
size_t dp_rule__steady_count(const struct dp_rule_input *input);

/* The iterations that a finding is about, first to last, where a metric is a share of the period or
 * more. False where there is none. */
bool dp_rule__range(const struct dp_rule_input *input, struct dp_finding *finding, const char *name,
		    double share);

/*
 * A finding of a part of the typical period: its share against two thresholds (critical may be
 * above 1 for never), what could be recovered, its confidence and iterations. False below warning.
 */
bool dp_rule__share_finding(const struct dp_rule_input *input, struct dp_rule_finding *out,
			    const char *name, double part_ns, double warning, double critical);

/* The same of a metric of typical iterations, which is evidence, by the threshold of a rule. */
bool dp_rule__part_finding(const struct dp_rule_input *input, struct dp_rule_finding *out,
			   const char *name, const char *rule, double critical);

/*
 * Do as many values in scratch rise over the run: significantly, and by a rule's threshold of their
 * median? Then by how much, and the finding's confidence is that of the trend.
 */
bool dp_rule__rises(const struct dp_rule_input *input, struct dp_rule_finding *out, size_t count,
		    const char *rule, struct dp_trend *trend, double *rise);

/* What a replay of typical iterations saves of their period; NaN where nothing can be replayed. */
double dp_rule__saved(const struct dp_rule_input *input, enum dp_replay_change change);

/* The minimum share at which a rule reports: its own threshold, or the last requested one. */
double dp_rule__threshold(const struct dp_rule_input *input, const char *id);

/* Kernels and the gaps between them are so short that launching is what takes the time. */
bool dp_rule__is_launch_bound(const struct dp_rule_input *input);

/* The row of a metric, or NULL where no metric has that name; a summary value, or NaN. */
const double *dp_rule__metric(const struct dp_rule_input *input, const char *name);
double dp_rule__summary(const struct dp_rule_input *input, const char *name);

struct dp_rule_finding {
	struct dp_finding finding; /* evidence points at values */
	struct dp_evidence_value values[DP_EVIDENCE_MOST];
	struct dp_finding_range ranges[DP_RANGES_MOST];
	char advice[DP_ADVICE_SIZE]; /* where it is composed; "": it is not */
	/* What a replay leaves out; DP_REPLAY_NOTHING: its cost. */
	enum dp_replay_change change;
	/* The driver's to fill. */
	double total_ns; /* what fixing it would save in all complete iterations */
	/* One of each, until those of several devices are joined. */
	uint32_t loops[DP_LOOPS_MOST];
	uint32_t devices[DP_LOOPS_MOST];
	double costs_ns[DP_LOOPS_MOST];
};

/* Adds a number; beyond DP_EVIDENCE_MOST it is left out. name and unit are static. */
void dp_rule__evidence(struct dp_rule_finding *finding, const char *name, const char *unit,
		       double value);

/* The same of a metric's mean over typical iterations, by its own name and unit. */
void dp_rule__mean_evidence(const struct dp_rule_input *input, struct dp_rule_finding *finding,
			    const char *name);

/* The same of an API call's number; the name of the call is borrowed. */
void dp_rule__call_evidence(struct dp_rule_finding *finding, const char *name, const char *unit,
			    double value, const char *call);

/*
 * The call that keeps the host from launching for longest while the device does nothing: per
 * typical iteration, or what slow iterations have more of it. False where there is none.
 */
bool dp_rule__stall(struct dp_stall *most, const struct dp_rule_input *input, bool slow);

/*
 * Are CUDA graphs captured or instantiated while the device does nothing: at all, or, if slow, in
 * iterations that stand out and in no other? Then names the call and gives the advice.
 */
bool dp_rule__captures_graphs(const struct dp_rule_input *input, bool slow,
			      struct dp_rule_finding *out);

/*
 * Names what the host did: the ranges of an activity that cost a typical iteration most, or, if
 * slow, slow ones more than typical ones. Returns whether any is known.
 */
bool dp_rule__name_ranges(const struct dp_rule_input *input, struct dp_rule_finding *out,
			  enum dp_host_activity activity, bool slow);

/* Are operators, which the host launches kernels from, a good part of the named ranges? */
bool dp_rule__is_launching(const struct dp_rule_finding *out);

/* Replaces or completes the advice by what the named ranges call for, if anything. */
void dp_rule__advise_by_ranges(struct dp_rule_finding *out, enum dp_host_activity activity);

/* Adds what slow iterations have more of to a finding's evidence, and what to do about it. Returns
 * true where that is the host's idle time as such. */
bool dp_rule__explain_slow(const struct dp_rule_input *input, struct dp_rule_finding *out);

/* How severe it is that some iterations are slow, by their cost per iteration. */
enum dp_severity dp_rule__slow_severity(double cost_ns, double usual_ns);

/* All slow iterations run the extra kernels that extra-work reports, which explains them. */
bool dp_rule__slow_are_extra(const struct dp_rule_input *input);

/* What to do about calls of a purpose. Static. */
const char *dp_rule__stall_advice(enum dp_purpose purpose);

/* Names what the loop's stream waited for most, by events, if that is worth a number; if slow, what
 * slow iterations waited for longer. */
void dp_rule__name_stream_wait(const struct dp_rule_input *input, struct dp_rule_finding *out,
			       bool slow);

/* What the launching thread did on the host's processors, where it was recorded; and what to do
 * about its waits for one, of which a part was throttled. Static. */
void dp_rule__cpu_evidence(const struct dp_rule_input *input, struct dp_rule_finding *out);
const char *dp_rule__cpu_advice(double wait_ns, double throttled_ns);

/* Of the host's idle time, what calls that stall have a rule of their own for; 0: none. */
double dp_rule__stall_ns(const struct dp_rule_input *input);

struct dp_rule {
	struct dp_rule_info info;
	/*
	 * True where it has something to say: then *finding, zeroed by the caller, is filled except
	 * for rule, loop and total_ns. Silent (false) where data lack.
	 */
	bool (*check)(const struct dp_rule_input *input, struct dp_rule_finding *finding);
	/* Not critical, whatever it costs: what it costs is a guess, or cannot be changed. */
	bool never_critical;
	bool never_critical_capture; /* the same of a capture: what it does there may be its purpose
				      */
	bool only_info; /* nothing is wrong, whatever it costs */
	unsigned also;	/* besides loops: scopes that it judges, as bits */
};

/* The table; NULL beyond the end. */
const struct dp_rule *dp_rule__at(size_t index);

/* Is a trace of a PyTorch program? Cost: linear in its strings. */
bool dp_advice__is_pytorch(const struct dp_trace *trace);

/* Advice in the terms of CUDA instead of PyTorch's, if it has any. Static, or the same. */
const char *dp_advice__general(const char *advice);

/* Findings, ranked. */
struct dp_findings {
	struct dp_rule_finding *findings;
	size_t count;
	size_t room;
};

/* Runs all rules over one loop and adds what they find. Errors: DP_ERR_NOMEM. */
int dp_diagnose__loop(struct dp_findings *findings, const struct dp_rule_input *input,
		      struct dp_error *error);

/*
 * Orders by severity, then by the time that fixing a finding would save over the whole trace
 * (unknown ones last), then by rule and loop; joins those of several devices and marks those that
 * overlap. Until then what findings point at is not to be read.
 */
void dp_diagnose__rank(struct dp_findings *findings);

void dp_findings__fini(struct dp_findings *findings);

#endif
