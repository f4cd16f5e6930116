/* The table of rules, running them over one loop, and ranking the findings. */
#include "diagnose/diagnose.h"
#include "stats/change.h"
#include "stats/stat.h"

#include <math.h>
#include <string.h>

/*
 * A trend: the largest probability of chance, and the smallest rise over the run as a share of the
 * median; as for growing-iteration.
 */
#define TREND_CHANCE 0.01
#define TREND_RISE 0.10

/*
 * In a trend, the number of neighbours on each side that an iteration is compared with, and how
 * many times longer a slow one is.
 */
#define NEIGHBOURS 3
#define LOCALLY_SLOW 1.5

/* Measured iterations whose mean period differs more than this from the typical one are unlike it.
 */
#define UNLIKE 0.05

/* Share of a cost that iterations with it have together. */
#define NEARLY_ALL 0.9

/* A smaller share of the period counts as nothing saved: reports show shares with one decimal. */
#define LEAST_SAVED 0.001

/*
 * Fewest distances that can be regular: one is equal to no other. And the share of them that are
 * multiples of the usual one: one iteration in five may be disturbed.
 */
#define DISTANCES_LEAST 2
#define REGULAR 0.8

/* Loops with a lower confidence are more likely wrong than right. */
#define LIKELY 0.5

/* Findings with a smaller cost, as a share of the capture or in all, are minor. */
#define MINOR_SHARE 0.001
#define MINOR_NS 1e4

/* More threads for an iteration's work are no advice. */
#define THREADS_MOST 4

#define DP_ENTRY(word) extern const struct dp_rule dp_rule__##word;
#include "diagnose/diagnose_table.h"
#undef DP_ENTRY

static const struct dp_rule *const rules[] = {
#define DP_ENTRY(word) &dp_rule__##word,
#include "diagnose/diagnose_table.h"
#undef DP_ENTRY
	NULL
};

const struct dp_rule *dp_rule__at(size_t index)
{
	return index < DP_COUNT(rules) ? rules[index] : NULL;
}

const struct dp_rule_info *dp_rule(size_t index)
{
	const struct dp_rule *rule = dp_rule__at(index);

	return rule ? &rule->info : NULL;
}

size_t dp_rule_count(void)
{
	return DP_COUNT(rules) - 1;
}

size_t dp_rule_find(const char *id)
{
	for (size_t i = 0; rules[i]; i++)
		if (!strcmp(rules[i]->info.id, id))
			return i;
	return SIZE_MAX;
}

double dp_rule__threshold(const struct dp_rule_input *input, const char *id)
{
	size_t rule = dp_rule_find(id);

	return input->thresholds ? input->thresholds[rule] : rules[rule]->info.threshold;
}

const double *dp_rule__metric(const struct dp_rule_input *input, const char *name)
{
	size_t metric = dp_metric_find(name);

	return metric == SIZE_MAX ? NULL : input->values + metric * input->loop->iterations;
}

double dp_rule__summary(const struct dp_rule_input *input, const char *name)
{
	size_t metric = dp_summary_metric_find(name);

	return metric == SIZE_MAX ? (double)NAN : input->summary[metric];
}

void dp_rule__mean_evidence(const struct dp_rule_input *input, struct dp_rule_finding *finding,
			    const char *name)
{
	size_t metric = dp_metric_find(name);

	if (metric != SIZE_MAX)
		dp_rule__evidence(finding, name, dp_metric(metric)->unit,
				  dp_rule__typical(input, name));
}

static bool is_steady(const struct dp_rule_input *input, const double *period_ns, size_t k)
{
	return k + 1 < input->loop->iterations && !isnan(period_ns[k]) &&
	       !input->iterations[k].warmup && !input->iterations[k + 1].foreign_kernels;
}

bool dp_rule__is_typical(const struct dp_rule_input *input, size_t k)
{
	const double *period_ns =
		input->period_ns ? input->period_ns : dp_rule__metric(input, "period_ns");

	return is_steady(input, period_ns, k) && !(input->slow && input->slow[k]);
}

size_t dp_rule__steady_count(const struct dp_rule_input *input)
{
	const double *period_ns = dp_rule__metric(input, "period_ns");
	size_t count = 0;

	for (size_t k = 0; k < input->loop->iterations; k++)
		count += is_steady(input, period_ns, k);
	return count;
}

double dp_rule__typical(const struct dp_rule_input *input, const char *name)
{
	const double *values = dp_rule__metric(input, name);
	const double *period_ns = dp_rule__metric(input, "period_ns");
	double sum = 0;
	size_t count = 0;

	for (size_t k = 0; values && k < input->loop->iterations; k++) {
		if (isnan(values[k]) || !is_steady(input, period_ns, k) ||
		    (input->slow && input->slow[k]))
			continue;
		sum += values[k];
		count++;
	}
	return count ? sum / (double)count : (double)NAN;
}

double dp_rule__busy_share(const struct dp_rule_input *input)
{
	return dp_rule__typical(input, "busy_ns") / dp_rule__typical(input, "period_ns");
}

double dp_rule__saved(const struct dp_rule_input *input, enum dp_replay_change change)
{
	if (!input->replay)
		return (double)NAN;
	return dp_rule__typical(input, "period_ns") *
	       (1 - input->replay->without_ns[change] / input->replay->period_ns);
}

size_t dp_rule__spacing(double *distances, size_t count)
{
	size_t same = 0, every;

	if (count < DISTANCES_LEAST)
		return 0;
	every = (size_t)dp_stat__select(distances, count, count / 2);
	for (size_t i = 0; i < count; i++)
		same += (size_t)distances[i] % every == 0;
	return (double)same >= REGULAR * (double)count ? every : 0;
}

double dp_rule__typical_before(const struct dp_rule_input *input, const char *name)
{
	const double *values = dp_rule__metric(input, name);
	double sum = 0;
	size_t count = 0;

	for (size_t k = 1; values && k < input->loop->iterations; k++) {
		if (isnan(values[k]) || !dp_rule__is_typical(input, k - 1))
			continue;
		sum += values[k];
		count++;
	}
	return count ? sum / (double)count : (double)NAN;
}

bool dp_rule__range(const struct dp_rule_input *input, struct dp_finding *finding, const char *name,
		    double share)
{
	const double *values = dp_rule__metric(input, name);
	const double *period_ns = dp_rule__metric(input, "period_ns");
	size_t count = 0;

	for (size_t k = 0; values && k < input->loop->iterations; k++) {
		if (!is_steady(input, period_ns, k) || !(values[k] >= share * period_ns[k]))
			continue;
		if (!count++)
			finding->first_iteration = k;
		finding->last_iteration = k;
	}
	return count > 0;
}

bool dp_rule__share_finding(const struct dp_rule_input *input, struct dp_rule_finding *out,
			    const char *name, double part_ns, double warning, double critical)
{
	double period_ns = dp_rule__typical(input, "period_ns"), share = part_ns / period_ns;

	if (!(share >= warning) || !dp_rule__range(input, &out->finding, name, warning))
		return false;
	out->finding.severity = share < critical ? DP_SEVERITY_WARNING : DP_SEVERITY_CRITICAL;
	out->finding.confidence = input->loop->confidence;
	out->finding.recoverable_ns = part_ns;
	out->finding.metric = name;
	dp_rule__evidence(out, "share_of_period", "1", share);
	dp_rule__evidence(out, DP_EVIDENCE_PERIOD, "ns", period_ns);
	return true;
}

bool dp_rule__part_finding(const struct dp_rule_input *input, struct dp_rule_finding *out,
			   const char *name, const char *rule, double critical)
{
	double part_ns = dp_rule__typical(input, name);

	if (!dp_rule__share_finding(input, out, name, part_ns, dp_rule__threshold(input, rule),
				    critical))
		return false;
	dp_rule__evidence(out, name, "ns", part_ns);
	return true;
}

bool dp_rule__rises(const struct dp_rule_input *input, struct dp_rule_finding *out, size_t count,
		    const char *rule, struct dp_trend *trend, double *rise)
{
	if (!count || !dp_trend__init(trend, input->scratch, count))
		return false;
	*rise = trend->slope * (double)count;
	out->finding.confidence = (1 - trend->p) * input->loop->confidence;
	return trend->p < TREND_CHANCE &&
	       *rise >= dp_rule__threshold(input, rule) * trend->median &&
	       !dp_change__is_jump(input->scratch, count);
}

/* Returns true if periods rise or fall over the run as a whole. */
static bool has_trend(const struct dp_rule_input *input, const double *period_ns)
{
	struct dp_trend trend;
	size_t used = 0;

	for (size_t k = 0; k < input->loop->iterations; k++)
		if (is_steady(input, period_ns, k))
			input->scratch[used++] = period_ns[k];
	return dp_trend__init(&trend, input->scratch, used) && trend.p < TREND_CHANCE &&
	       fabs(trend.slope) * (double)used >= TREND_RISE * trend.median;
}

/* The median of the steady periods next to an iteration. */
static double local_median(const struct dp_rule_input *input, const double *period_ns, size_t k)
{
	size_t first = k > NEIGHBOURS ? k - NEIGHBOURS : 0, used = 0;
	double values[2 * NEIGHBOURS];

	for (size_t i = first; i <= k + NEIGHBOURS && i < input->loop->iterations; i++)
		if (i != k && is_steady(input, period_ns, i))
			values[used++] = period_ns[i];
	return used ? dp_stat__median(values, used) : (double)NAN;
}

/*
 * In a trend, iterations at its end are longer than most: only those that stand out among their
 * neighbours are slow.
 */
static void keep_local(uint8_t *slow, const struct dp_rule_input *input, const double *period_ns)
{
	for (size_t k = 0; k < input->loop->iterations; k++)
		if (slow[k] && !(period_ns[k] > LOCALLY_SLOW * local_median(input, period_ns, k)))
			slow[k] = 0;
}

/*
 * Flags the periods that stand out. The last iteration has no period; if its duration alone exceeds
 * the limit of the others, it is flagged, too.
 */
static void find_slow(uint8_t *slow, const struct dp_rule_input *input)
{
	const double *period_ns = dp_rule__metric(input, "period_ns");
	const double *duration_ns = dp_rule__metric(input, "duration_ns");
	size_t used = 0, last = input->loop->iterations - 1;
	double limit, rounded;

	for (size_t k = 0; k < input->loop->iterations; k++)
		if (is_steady(input, period_ns, k))
			input->scratch[used++] = period_ns[k];
	/* both ends of a period are rounded */
	rounded = used ? dp_stat__median(input->scratch, used) + 2 * input->resolution_ns : 0;
	limit = dp_outlier__limit(input->scratch, used);
	limit = limit < rounded ? rounded : limit;
	for (size_t k = 0; k < input->loop->iterations; k++)
		slow[k] = is_steady(input, period_ns, k) && period_ns[k] > limit;
	if (has_trend(input, period_ns))
		keep_local(slow, input, period_ns);
	if (last < input->loop->iterations && !input->iterations[last].partial &&
	    !input->iterations[last].warmup)
		slow[last] = duration_ns[last] > limit;
}

/* The period that a finding's cost is a part of. */
static double period_of(const struct dp_rule_finding *found, const struct dp_rule_input *input)
{
	for (size_t i = 0; i < found->finding.evidence_count; i++)
		if (!strcmp(found->values[i].name, DP_EVIDENCE_PERIOD))
			return found->values[i].value;
	return dp_rule__summary(input, "avg_period_ns");
}

/* The cost, or less if the replay shows that the iteration would wait for something else. */
static double saving_of(const struct dp_rule_finding *found)
{
	const struct dp_finding *finding = &found->finding;

	if (found->change == DP_REPLAY_NOTHING || isnan(finding->predicted_ns))
		return finding->recoverable_ns;
	return fmin(finding->recoverable_ns,
		    fmax(finding->predicted_from_ns - finding->predicted_ns, 0));
}

/*
 * Sets the severity by the share of the period that would be saved; findings without a cost in time
 * keep the rule's own. Nothing is critical in a loop that is more likely wrong than right.
 */
static void set_severity(struct dp_rule_finding *found, const struct dp_rule_input *input,
			 const struct dp_rule *rule)
{
	struct dp_finding *finding = &found->finding;
	double share = saving_of(found) / period_of(found, input);

	if (isnan(share))
		return;
	finding->severity = share < DP_WARNING_SHARE	? DP_SEVERITY_INFO
			    : share < DP_CRITICAL_SHARE ? DP_SEVERITY_WARNING
							: DP_SEVERITY_CRITICAL;
	if (rule->never_critical || found->regular || input->loop->confidence < LIKELY ||
	    (rule->never_critical_capture && input->scope == DP_SCOPE_CAPTURE))
		finding->severity = DP_MIN(finding->severity, DP_SEVERITY_WARNING);
	if (rule->only_info)
		finding->severity = DP_SEVERITY_INFO;
}

/*
 * Marks a finding that costs next to nothing of the run or of anyone's time. What is notable in the
 * main loop's period is not minor: a short capture may stand for a long run.
 */
static void set_minor(struct dp_rule_finding *found, const struct dp_rule_input *input)
{
	struct dp_finding *finding = &found->finding;
	double cost_ns = finding->recoverable_ns * (double)input->loop->complete;

	if (input->scope != DP_SCOPE_LOOP ||
	    !(cost_ns < fmax(MINOR_SHARE * input->capture_ns, MINOR_NS)) ||
	    (!input->loop->id && finding->severity > DP_SEVERITY_INFO))
		return;
	finding->minor = true;
	finding->severity = DP_SEVERITY_INFO;
}

static void place_finding(struct dp_rule_finding *found, const struct dp_rule_input *input)
{
	found->finding.loop = found->loops[0] = input->loop->id;
	found->devices[0] = input->loop->device;
	found->costs_ns[0] = found->finding.recoverable_ns;
	found->finding.loop_count = 1;
	found->finding.single = input->scope == DP_SCOPE_ITERATION;
	if (input->scope)
		found->finding.first_iteration = found->finding.last_iteration =
			input->first_iteration;
}

/* Findings of a loop whose predictions have the same change. */
struct alike {
	const struct dp_rule_finding *found;
	size_t count;
};

/*
 * Adds up what findings with the same change as one cost, and what they cost in the iterations that
 * the replay measures. Returns false if a rule finds nothing, or something else, in those.
 */
static bool add_costs(double *cost_ns, double *measured_ns, const struct dp_rule_finding *found,
		      const struct alike *all, const struct dp_rule_input *measured)
{
	*cost_ns = *measured_ns = 0;
	for (size_t i = 0; i < all->count; i++) {
		const struct dp_rule_finding *at = &all->found[i];
		struct dp_rule_finding other;

		if (at->change != found->change)
			continue;
		memset(&other, 0, sizeof(other));
		if (!rules[dp_rule_find(at->finding.rule)]->check(measured, &other) ||
		    other.change != at->change || !(other.finding.recoverable_ns > 0))
			return false;
		*cost_ns += at->finding.recoverable_ns;
		*measured_ns += other.finding.recoverable_ns;
	}
	return true;
}

/*
 * What the replay leaves of a typical period. If the iterations that it measures are unlike typical
 * ones, or it saves more than typical ones cost because these cost more, it leaves the same shares
 * as in these: of what the findings with its change cost, and of the rest, which it leaves as it is
 * if it saves less than the cost. Without a cost in unlike ones, all is rest; if nothing is saved
 * then, that says nothing about the iterations with the cost: NaN.
 */
static double scaled_ns(const struct dp_rule_finding *found, const struct alike *all,
			const struct dp_rule_input *measured)
{
	double without_ns = measured->replay->without_ns[found->change];
	double rest_ns = measured->replay->period_ns, cost_ns, measured_ns;
	double period_ns = period_of(found, measured), plain_ns = period_ns * without_ns / rest_ns;
	bool unlike = fabs(period_ns - rest_ns) > UNLIKE * period_ns, known;

	known = add_costs(&cost_ns, &measured_ns, found, all, measured);
	if (!known && unlike && rest_ns - without_ns < LEAST_SAVED * rest_ns)
		return (double)NAN;
	if (!known || (!unlike && (measured_ns <= (1 + DP_RULE_MORE) * cost_ns ||
				   period_ns - plain_ns <= cost_ns)))
		return plain_ns;
	cost_ns = fmin(cost_ns, period_ns);
	measured_ns = fmin(measured_ns, rest_ns);
	rest_ns -= measured_ns;
	return (period_ns - cost_ns) * fmin(rest_ns > 0 ? without_ns / rest_ns : 1, 1) +
	       cost_ns * fmax(without_ns - rest_ns, 0) / measured_ns;
}

/*
 * The period without a finding, by a replay, NaN if none was possible, and no less than the busiest
 * stream's work in typical iterations, which may be more or less than in those that the replay
 * measures.
 */
static double replayed_ns(const struct dp_rule_finding *found, const struct alike *all,
			  const struct dp_rule_input *input)
{
	struct dp_rule_input measured = *input;
	double work_ns = input->replay->work_ns[found->change], busy_ns, without_ns;

	measured.slow = input->unmeasured;
	busy_ns = dp_rule__typical(&measured, "busy_ns");
	if (busy_ns > 0)
		work_ns *= dp_rule__typical(input, "busy_ns") / busy_ns;
	without_ns = scaled_ns(found, all, &measured);
	if (isnan(without_ns) || isnan(work_ns))
		return (double)NAN;
	return fmin(fmax(without_ns, work_ns), period_of(found, input));
}

/*
 * Predicts the period without the finding: by replay, or by subtracting its cost. Outliers cost the
 * mean over all iterations.
 */
static void predict(struct dp_rule_finding *found, const struct alike *all,
		    const struct dp_rule_input *input)
{
	double period_ns = period_of(found, input), without_ns = (double)NAN;

	if (input->replay && found->change != DP_REPLAY_NOTHING)
		without_ns = replayed_ns(found, all, input);
	else if (found->finding.recoverable_ns < period_ns)
		without_ns = period_ns - found->finding.recoverable_ns;
	if (input->scope != DP_SCOPE_LOOP)
		without_ns = (double)NAN;
	found->finding.predicted_from_ns = isnan(without_ns) ? (double)NAN : period_ns;
	found->finding.predicted_ns = without_ns;
	for (size_t i = 0; i < all->count && found->change != DP_REPLAY_NOTHING; i++)
		if (&all->found[i] != found && all->found[i].change == found->change)
			found->finding.predicted_with = all->found[i].finding.rule;
	if (input->replay && found->change != DP_REPLAY_NOTHING)
		dp_rule__explain_saving(found, input->replay);
}

/* Replaces the advice if a replay shows that the period would be as long without the finding. */
static void put_off(struct dp_rule_finding *found, const struct dp_rule_input *input)
{
	struct dp_finding *finding = &found->finding;
	double least_ns = LEAST_SAVED * finding->predicted_from_ns;

	if (!input->replay || found->change == DP_REPLAY_NOTHING ||
	    !(finding->recoverable_ns > least_ns) ||
	    !(finding->predicted_from_ns - finding->predicted_ns < least_ns))
		return;
	finding->advice = "no gain by itself: other work that overlaps it takes as long";
	found->advice[0] = 0;
	found->put_off = true;
}

/*
 * How long an iteration's work takes that moves to other threads. Typical iterations that wait
 * longer than the measured ones have as much more of it.
 */
static double moved_ns(const struct dp_rule_finding *found, const struct dp_rule_input *input)
{
	struct dp_rule_input measured = *input;
	double more_ns;

	measured.slow = input->unmeasured;
	more_ns = dp_rule__typical(input, found->finding.metric) -
		  dp_rule__typical(&measured, found->finding.metric);
	return fmax(input->replay->moved_ns[found->change] + (isnan(more_ns) ? 0 : more_ns), 0);
}

/*
 * Says how many threads must take work that one cannot hide; or how long it takes, if it needs more
 * than a program would use, or the host may as well wait in that time.
 */
static void divide(struct dp_rule_finding *found, const struct dp_rule_input *input,
		   const struct dp_rule *rule)
{
	double work_ns, threads;
	bool works, few;

	if (!rule->divide || !input->replay || !(found->finding.predicted_ns > 0) ||
	    found->change == DP_REPLAY_NOTHING)
		return;
	work_ns = moved_ns(found, input);
	threads = ceil(work_ns / found->finding.predicted_ns - UNLIKE);
	works = dp_rule__shows_work(input, found);
	few = works && threads <= THREADS_MOST;
	if (!(threads > 1) || !isfinite(threads) ||
	    !rule->divide(input, found, few ? (size_t)threads : 0))
		return;
	dp_rule__evidence(found, works ? "moved_ns" : "outside_ns", "ns", work_ns);
	if (few)
		dp_rule__evidence(found, "threads", "count", threads);
}

static void name_hip(struct dp_rule_finding *found)
{
	char text[DP_ADVICE_SIZE] = "";

	dp_advice__use_hip(text, found->advice[0] ? found->advice : found->finding.advice);
	memcpy(found->advice, text, sizeof(text));
}

/*
 * NCCL Inspector records only collectives: what else the GPU did is unknown, and rules are about
 * nothing else.
 */
static bool has_collectives_only(const struct dp_rule_input *input)
{
	return dp_rule__typical(input, "compute_ns") == 0 && dp_rule__typical(input, "comm_ns") > 0;
}

static int check_rules(struct dp_findings *findings, const struct dp_rule_input *input,
		       struct dp_error *error)
{
	for (size_t i = 0; rules[i]; i++) {
		struct dp_rule_finding found;

		memset(&found, 0, sizeof(found));
		if (input->scope && !(rules[i]->also & input->scope))
			continue;
		/* what costs no time is no problem, unless the cost is of another kind: NaN */
		if (!rules[i]->check(input, &found) || found.finding.recoverable_ns <= 0)
			continue;
		found.finding.rule = rules[i]->info.id;
		place_finding(&found, input);
		if (dp_array__reserve(&findings->findings, &findings->room, findings->count + 1,
				      sizeof(found)))
			return dp_error__nomem(error, 0);
		findings->findings[findings->count++] = found;
	}
	return DP_OK;
}

/*
 * If half of the typical iterations or fewer have nearly all of a cost, which is a mean over all of
 * them, says how many.
 */
static void count_costly(struct dp_rule_finding *found, const struct dp_rule_input *input)
{
	const double *values =
		found->finding.metric ? dp_rule__metric(input, found->finding.metric) : NULL;
	size_t used = 0, count;

	for (size_t k = 0; values && k < input->loop->iterations; k++) {
		if (!dp_rule__is_typical(input, k) || isnan(values[k]))
			continue;
		input->scratch[used++] = values[k];
	}
	count = dp_stat__holders(input->scratch, used, NEARLY_ALL);
	if (input->scope != DP_SCOPE_LOOP || !count || 2 * count > used)
		return;
	dp_rule__evidence(found, "cost_iterations", "count", (double)count);
	dp_rule__evidence(found, "typical_iterations", "count", (double)used);
}

/* Sets what follows from a finding's cost: the prediction, its advice and its severity. */
static void complete(struct dp_rule_finding *found, const struct alike *all,
		     const struct dp_rule_input *input)
{
	const struct dp_rule *rule = rules[dp_rule_find(found->finding.rule)];

	if (!found->advice[0])
		found->finding.advice = dp_advice__in_terms(found->finding.advice, input->terms);
	predict(found, all, input);
	count_costly(found, input);
	divide(found, input, rule);
	put_off(found, input);
	if (input->hip)
		name_hip(found);
	set_severity(found, input, rule);
	set_minor(found, input);
	found->total_ns = saving_of(found) * (double)input->loop->complete;
}

static int run_rules(struct dp_findings *findings, const struct dp_rule_input *input,
		     struct dp_error *error)
{
	size_t first = findings->count;
	struct alike all;
	int status = DP_OK;

	/* shares of such a period mean nothing */
	if (!input->replayed && !has_collectives_only(input))
		status = check_rules(findings, input, error);
	if (status || findings->count == first)
		return status;
	all = (struct alike){ findings->findings + first, findings->count - first };
	for (size_t i = first; i < findings->count; i++)
		complete(&findings->findings[i], &all, input);
	return DP_OK;
}

static void find_unmeasured(uint8_t *unmeasured, const struct dp_rule_input *input)
{
	const struct dp_replay *replay = input->replay;

	for (size_t k = 0; k < input->loop->iterations; k++)
		unmeasured[k] = !replay || k < replay->measured_first || k >= replay->measured_end;
}

int dp_diagnose__loop(struct dp_findings *findings, struct dp_iteration *iterations,
		      const struct dp_rule_input *input, struct dp_error *error)
{
	struct dp_rule_input ready = *input;
	size_t count = input->loop->iterations;
	uint8_t *slow = dp_alloc__zeroed(dp_size__mul(count, 2), sizeof(*slow));
	int status = DP_OK;

	ready.period_ns = dp_rule__metric(input, "period_ns");
	ready.scratch = dp_alloc__array(count, sizeof(*ready.scratch));
	if (slow && ready.scratch) {
		find_slow(slow, &ready);
		for (size_t k = 0; iterations && k < count; k++)
			iterations[k].slow = slow[k];
		find_unmeasured(slow + count, &ready);
		ready.slow = slow;
		ready.unmeasured = slow + count;
		status = run_rules(findings, &ready, error);
	} else {
		status = dp_error__nomem(error, 0);
	}
	free(slow);
	free(ready.scratch);
	return status;
}

void dp_findings__fini(struct dp_findings *findings)
{
	free(findings->findings);
	*findings = (struct dp_findings){ NULL, 0, 0 };
}
