/*
 * The interface of the rules. A rule is one file with one struct dp_rule named dp_rule__<word>, and
 * its word in the list in lib/diagnose/meson.build. Rules read only metrics.
 */
#ifndef DP_DIAGNOSE_DIAGNOSE_H
#define DP_DIAGNOSE_DIAGNOSE_H

#include "base/base.h"
#include "activity/slices.h"
#include "metric/loop_stats.h"
#include "metric/metric.h"
#include "stats/trend.h"
#include <deepprof/analysis.h>

/* Shares of the period: a smaller cost is information, a larger one critical (XProf). */
#define DP_WARNING_SHARE 0.05
#define DP_CRITICAL_SHARE 0.20

#define DP_EVIDENCE_MOST 16
#define DP_RANGES_MOST 3
#define DP_LOOPS_MOST 64 /* most loops, and devices, of one finding */
#define DP_ADVICE_SIZE 256

#define DP_RULE_SLICES 30 /* of a capture (nsys, gpu_time_util) */
#define DP_LONG_GAP_NS 5e8 /* an idle time called starvation (nsys, gpu_gaps) */

struct dp_rule_finding;

/* The vocabulary that advice may use. */
enum dp_terms {
	DP_TERMS_CUDA,
	DP_TERMS_TENSORS, /* PyTorch's, but nothing shows that it loads data */
	DP_TERMS_PYTORCH,
	DP_TERMS_TRAINING, /* PyTorch's, and optimizers */
};

/*
 * What is judged: a loop, or one stretch of time, given as the first of two iterations of which the
 * second is empty: the only whole iteration of a loop, or the capture of a device without one.
 */
enum dp_rule_scope { DP_SCOPE_LOOP = 0, DP_SCOPE_ITERATION = 1, DP_SCOPE_CAPTURE = 2 };

/* How busy a device is in equal time slices of a capture. */
struct dp_rule_slices {
	double busy_ns[DP_RULE_SLICES];
	double length_ns; /* of each */
	size_t operations; /* in all */
	struct dp_long_gaps gaps;
	const char *before; /* the operation that ends the longest gap; NULL: none */
	double launched_ns; /* how long it was launched already in that gap */
	const char *call;   /* the call that takes most of that gap; NULL: none or unknown */
	double call_ns;	    /* in the gap */
	uint8_t call_kind;  /* enum dp_call_kind */
};

/* The metrics of one loop, by name. */
struct dp_rule_input {
	const struct dp_loop *loop;
	const struct dp_iteration *iterations;
	const double *values;  /* metrics, in rows of loop->iterations, named by dp_metric() */
	const double *summary; /* named by dp_summary_metric() */
	const double *thresholds;	/* one for each rule; NULL: their own */
	const struct dp_stalls *stalls; /* NULL: none are known */
	const struct dp_host_ranges *ranges; /* the same */
	const struct dp_loop_stats *stats;   /* the same */
	const struct dp_replay *replay;	     /* the same */
	const struct dp_stream_waits *waits; /* the same */
	const struct dp_transfers *transfers; /* the same */
	enum dp_terms terms;		      /* of advice, */
	bool hip;			      /* which names HIP's functions instead of CUDA's */
	enum dp_rule_scope scope;
	size_t first_iteration; /* of DP_SCOPE_ITERATION: the iteration's index in its loop */
	const struct dp_rule_slices *slices; /* of DP_SCOPE_CAPTURE */
	double resolution_ns;		     /* of the trace's times */
	double capture_ns;		     /* its duration */
	bool replayed;			     /* the times between kernels are the profiler's */
	/* Set by dp_diagnose__loop(); NULL: nothing stands out, no room. */
	const uint8_t *slow;	 /* iterations whose period stands out, or would */
	const uint8_t *unmeasured; /* iterations that the replay does not measure */
	const double *period_ns; /* the metric's row */
	double *scratch;	 /* room for one value per iteration */
};

/*
 * A typical iteration has an uninterrupted period, and is neither warm-up nor an outlier.
 * dp_rule__typical() is the mean of a metric over these, or NaN if there is none.
 */
bool dp_rule__is_typical(const struct dp_rule_input *input, size_t k);
double dp_rule__typical(const struct dp_rule_input *input, const char *name);

/* The share of typical periods in which the device is busy; NaN if there are none. */
double dp_rule__busy_share(const struct dp_rule_input *input);

/*
 * The mean of a metric of the time before an iteration, which ends its predecessor's period, over
 * typical predecessors.
 */
double dp_rule__typical_before(const struct dp_rule_input *input, const char *name);

/*
 * The usual one of the distances between iterations if nearly all are multiples of it, else 0.
 * Reorders them.
 */
size_t dp_rule__spacing(double *distances, size_t count);

/* The number of typical iterations and outliers: those that the mean period covers. */
size_t dp_rule__steady_count(const struct dp_rule_input *input);

/*
 * Sets the first and the last iteration in which a metric is at least a share of the period.
 * Returns false if there is none.
 */
bool dp_rule__range(const struct dp_rule_input *input, struct dp_finding *finding, const char *name,
		    double share);

/*
 * Makes a finding about a part of the typical period: compares its share with two thresholds
 * (critical may be above 1 for never), and sets recoverable time, confidence and iterations.
 * Returns false below the warning threshold.
 */
bool dp_rule__share_finding(const struct dp_rule_input *input, struct dp_rule_finding *out,
			    const char *name, double part_ns, double warning, double critical);

/*
 * The same for a metric of typical iterations, which becomes evidence, with the threshold of a
 * rule.
 */
bool dp_rule__part_finding(const struct dp_rule_input *input, struct dp_rule_finding *out,
			   const char *name, const char *rule, double critical);

/*
 * Returns true if `count` values in scratch rise over the run significantly, by at least a rule's
 * threshold of their median, and not all at once. Then sets by how much, and the confidence of the
 * trend.
 */
bool dp_rule__rises(const struct dp_rule_input *input, struct dp_rule_finding *out, size_t count,
		    const char *rule, struct dp_trend *trend, double *rise);

/* What a replay of typical iterations saves of their period; NaN if none can be replayed. */
double dp_rule__saved(const struct dp_rule_input *input, enum dp_replay_change change);

/* The minimum share at which a rule reports. */
double dp_rule__threshold(const struct dp_rule_input *input, const char *id);

/*
 * Returns true if the interval between iterations is far longer than the gaps between operations,
 * or if iterations have no such gaps.
 */
bool dp_rule__has_long_interval(const struct dp_rule_input *input);

/* Returns true if kernels and the gaps between them are so short that launching takes the time. */
bool dp_rule__is_launch_bound(const struct dp_rule_input *input);

/* The row of a metric, or NULL if it does not exist; a summary's value, or NaN. */
const double *dp_rule__metric(const struct dp_rule_input *input, const char *name);
double dp_rule__summary(const struct dp_rule_input *input, const char *name);

struct dp_rule_finding {
	struct dp_finding finding; /* evidence points at values */
	struct dp_evidence_value values[DP_EVIDENCE_MOST];
	struct dp_finding_range ranges[DP_RANGES_MOST];
	char advice[DP_ADVICE_SIZE]; /* advice that was composed; "": none */
	bool put_off;		     /* the advice is not to fix it alone */
	/* What a replay leaves out; DP_REPLAY_NOTHING: the cost is used. */
	enum dp_replay_change change;
	/* The metric that the cost is a part of if it is not the finding's; static, or NULL. */
	const char *part;
	bool grows; /* the cost is growth over the run */
	bool regular; /* the cost may be that of an enclosing loop: not critical */
	/* The driver's to fill. */
	double total_ns; /* what fixing it would save in all whole iterations */
	/* One of each, until findings of several devices are joined. */
	uint32_t loops[DP_LOOPS_MOST];
	uint32_t devices[DP_LOOPS_MOST];
	double costs_ns[DP_LOOPS_MOST];
};

/*
 * Adds a number as evidence, unless there are DP_EVIDENCE_MOST already. name and unit are static.
 */
void dp_rule__evidence(struct dp_rule_finding *finding, const char *name, const char *unit,
		       double value);

/* The same for a metric's mean over typical iterations, with its own name and unit. */
void dp_rule__mean_evidence(const struct dp_rule_input *input, struct dp_rule_finding *finding,
			    const char *name);

/* The same for a number of an API call, whose name is borrowed. */
void dp_rule__call_evidence(struct dp_rule_finding *finding, const char *name, const char *unit,
			    double value, const char *call);

/*
 * Finds the call that delays launches most while the device is idle: per typical iteration, or what
 * slow iterations have more of it. Returns false if there is none.
 */
bool dp_rule__stall(struct dp_stall *most, const struct dp_rule_input *input, bool slow);

/* For a capture without iterations in which one call takes most of the idle time. */
extern const char dp_rule__capture_stall_advice[];

/*
 * Returns true if CUDA graphs are captured or instantiated while the device is idle: at all or, if
 * slow, only in outliers. Then names the call and sets the advice.
 */
bool dp_rule__captures_graphs(const struct dp_rule_input *input, bool slow,
			      struct dp_rule_finding *out);

/* The activity in whose samples functions are. */
static inline enum dp_host_activity dp_rule__sampled(enum dp_host_activity activity)
{
	return activity == DP_HOST_INPUT ? DP_HOST_INPUT_SAMPLED : DP_HOST_WAIT_SAMPLED;
}

/* Fewer samples do not show a share: with 20 of them, its standard error is 11% at worst. */
#define DP_SAMPLES_LEAST 20

/* Ranges with a smaller share of an activity or of the copies of a kind are not named. */
#define DP_RULE_NAMED_SHARE 0.08

/*
 * Names the host ranges of an activity that cost a typical iteration most or, if slow, cost slow
 * iterations more than typical ones. Returns true if any is known.
 */
bool dp_rule__name_ranges(const struct dp_rule_input *input, struct dp_rule_finding *out,
			  enum dp_host_activity activity, bool slow);

/*
 * Names the function that the launching thread ran most during an activity, by samples, if there
 * are enough of them: in typical iterations or, if slow, more of in slow ones.
 */
void dp_rule__name_function(const struct dp_rule_input *input, struct dp_rule_finding *out,
			    enum dp_host_activity activity, bool slow);

/*
 * Returns true if operators, from which the host launches kernels, are a large part of the named
 * ranges.
 */
bool dp_rule__is_launching(const struct dp_rule_finding *out);

/* Returns true if most of the named ranges are operators that neither copy nor only collate. */
bool dp_rule__is_computing(const struct dp_rule_finding *out);

/*
 * Returns true if the trace shows that the host works in most of a finding's time: in ranges, on a
 * processor, or in a function that was sampled. Outside of API calls it otherwise works or waits.
 */
bool dp_rule__shows_work(const struct dp_rule_input *input, const struct dp_rule_finding *out);

/* Returns true if ranges show that the host fetches input. */
bool dp_rule__sees_loader(const struct dp_rule_input *input);

/*
 * Returns true if the longest of `count` gaps, whose sum is all_ns, takes little of it or no more
 * than chance explains: then every launch is late. Otherwise one activity of the host causes it.
 */
bool dp_rule__is_spread(double longest_ns, double all_ns, size_t count);

/*
 * Returns true if the longest gap is nearly all of all_ns: one activity of the host, with one
 * launch at its end. If it is longer, other causes are part of it.
 */
bool dp_rule__is_single(double longest_ns, double all_ns);

/* Replaces or extends the advice according to the named ranges. */
void dp_rule__advise_by_ranges(struct dp_rule_finding *out, enum dp_host_activity activity);

/* Replaces a copy that waits, in advice by ranges: it is for uploads. */
extern const char dp_rule__upload_advice[];

/*
 * Advises against waiting for the device: by the ranges in which the host waits, by the direction
 * of the copies that it waits for, and with the number of waits per iteration unless it is one.
 */
void dp_rule__advise_on_waits(const struct dp_rule_input *input, struct dp_rule_finding *out);

/*
 * If the host waits after nearly every launch, advises against that first: no launch can be ahead
 * of the device then.
 */
void dp_rule__advise_on_waiting_launches(const struct dp_rule_input *input,
					 struct dp_rule_finding *out);

/*
 * Adds what slow iterations have more of to a finding's evidence, and advice for it. Returns true
 * if that is the host's idle time in general.
 */
bool dp_rule__explain_slow(const struct dp_rule_input *input, struct dp_rule_finding *out);

/* Returns true if all slow iterations run the extra kernels of extra-work, which explain them. */
bool dp_rule__slow_are_extra(const struct dp_rule_input *input);

/* Factor of the confidence of rules that go by sizes: equal ones may be different data. */
#define DP_SIZE_TRUST 0.6

/*
 * Returns true if iterations upload about as many bytes as were downloaded before; then that may be
 * the same data.
 */
bool dp_rule__is_round_trip(const struct dp_rule_input *input);

/* Advice about calls of a purpose. Static. */
const char *dp_rule__stall_advice(enum dp_purpose purpose);

/*
 * Names what the loop's stream waited for most, by events, if that is a notable share; if slow,
 * what slow iterations waited for longer.
 */
void dp_rule__name_stream_wait(const struct dp_rule_input *input, struct dp_rule_finding *out,
			       bool slow);

/*
 * Names what takes longer with each iteration, if it is a notable share of the rise per iteration:
 * the host range over idle time or, outside of all ranges, the function, whose time rises most.
 */
void dp_rule__name_growing_range(const struct dp_rule_input *input, struct dp_rule_finding *out,
				 double rise_ns);

/* Share of a rise below which what grows does not explain it, and is not named. */
#define DP_RULE_NAMED_RISE 0.1

/* For a host that takes longer with each iteration. */
extern const char dp_rule__host_growth_advice[];

/*
 * Names the launcher of most of the copies that a finding is about, or the kernel that communicates
 * most, unless the evidence has a name already.
 */
void dp_rule__name_transfer(const struct dp_rule_input *input, struct dp_rule_finding *out,
			    enum dp_transfer kind);

/*
 * Adds the launching thread's use of the host's processors, if recorded. The second returns advice
 * about its waits for a processor, part of which may be throttling. Static.
 */
void dp_rule__cpu_evidence(const struct dp_rule_input *input, struct dp_rule_finding *out);
const char *dp_rule__cpu_advice(double wait_ns, double throttled_ns);

/* The host's idle time in stalling calls, which have a rule of their own; 0: none. */
double dp_rule__stall_ns(const struct dp_rule_input *input);

/* A saving that exceeds the cost by a smaller share needs no reason. */
#define DP_RULE_MORE 0.05

/*
 * If more is predicted to be saved than a finding costs, adds how much, and why: other idle time
 * that ends, too, work that overlaps with other work then, or both, apart from the cost.
 */
void dp_rule__explain_saving(struct dp_rule_finding *found, const struct dp_replay *replay);

struct dp_rule {
	struct dp_rule_info info;
	/*
	 * Returns true to report a finding: then *finding, zeroed by the caller, is set except for
	 * rule, loop and total_ns. Returns false if there is nothing to report, or data are
	 * missing.
	 */
	bool (*check)(const struct dp_rule_input *input, struct dp_rule_finding *finding);
	/*
	 * For work of the host that moves to other threads, which the prediction assumes: gives
	 * advice if one thread would take longer for an iteration's than the predicted period, so
	 * that several are needed; 0: whether it is work is unknown, or it takes too many. Returns
	 * false if how long it takes is unknown. NULL: no such work.
	 */
	bool (*divide)(const struct dp_rule_input *input, struct dp_rule_finding *found,
		       size_t threads);
	/* Whatever the cost: it is an estimate, or cannot be changed. */
	bool never_critical;
	bool never_critical_capture; /* the same for a capture, where the cost may be its purpose */
	bool only_info; /* nothing is wrong, whatever it costs */
	unsigned also;	/* scopes that it judges besides loops, as bits */
};

/* The table; NULL beyond the end. */
const struct dp_rule *dp_rule__at(size_t index);

/* The terms that suit a trace. Cost: linear in its strings. */
enum dp_terms dp_advice__terms(const struct dp_trace *trace);

/* A rule's advice, which is for training with PyTorch, in terms that suit the trace. Static. */
const char *dp_advice__in_terms(const char *advice, enum dp_terms terms);

/* Returns true if a trace is of HIP: by its calls or, without any, by its devices. */
bool dp_advice__is_hip(const struct dp_trace *trace);

/* Copies advice with what it names of CUDA replaced by HIP's counterparts. */
void dp_advice__use_hip(char advice[DP_ADVICE_SIZE], const char *text);

/* Findings, ranked. */
struct dp_findings {
	struct dp_rule_finding *findings;
	size_t count;
	size_t room;
};

/* A loop that communicates with other ranks. */
struct dp_peer {
	uint32_t loop;
	uint32_t device;
	double period_ns;
	double alone_ns; /* its period if no other rank let it wait; NaN: unknown */
};

struct dp_peers {
	struct dp_peer *peers;
	size_t count;
	bool any;    /* the trace has collectives with other ranks, in a loop or not */
	bool remote; /* some of these ranks are not in the trace */
};

/*
 * Runs all rules over one loop, adds their findings, and sets slow of each of its iterations,
 * unless that is NULL. Errors: DP_ERR_NOMEM.
 */
int dp_diagnose__loop(struct dp_findings *findings, struct dp_iteration *iterations,
		      const struct dp_rule_input *input, struct dp_error *error);

/*
 * Sorts by severity, then by the time that fixing a finding would save over the whole trace
 * (unknown ones last), then by rule and loop; joins equal findings of several devices, marks those
 * that overlap, and says of predictions what other devices must do. The pointers inside findings
 * are invalid until then.
 */
void dp_diagnose__rank(struct dp_findings *findings, const struct dp_peers *peers);

void dp_findings__fini(struct dp_findings *findings);

#endif
