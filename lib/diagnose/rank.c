/* Sorts findings, joins those of several devices, and marks those whose costs overlap. */
#include "diagnose/diagnose.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Costs of two devices that differ by a smaller share are the same. */
#define SAME_COST 0.2

/* Loops whose periods differ by a smaller share may be those of one job's devices. */
#define SAME_PERIOD 0.05

/* A time that is longer by a smaller share is not worth a mention. */
#define LEAST_LONGER 0.01

/* Fewest waiting devices: of two, one may regularly wait for the other's data, as in a pipeline. */
#define WAITING_LEAST 2

/* No two are equal: a rule makes at most one finding per loop or device. */
static int by_rank(const void *a, const void *b)
{
	const struct dp_rule_finding *x = a, *y = b;
	size_t rule_x = dp_rule_find(x->finding.rule), rule_y = dp_rule_find(y->finding.rule);

	if (x->finding.severity != y->finding.severity)
		return x->finding.severity < y->finding.severity ? 1 : -1;
	if (x->finding.minor != y->finding.minor)
		return x->finding.minor ? 1 : -1;
	if (isnan(x->total_ns) != isnan(y->total_ns))
		return isnan(x->total_ns) ? 1 : -1;
	if (!isnan(x->total_ns) && (x->total_ns < y->total_ns || x->total_ns > y->total_ns))
		return x->total_ns < y->total_ns ? 1 : -1;
	if (rule_x != rule_y)
		return rule_x < rule_y ? -1 : 1;
	if (x->finding.loop != y->finding.loop)
		return x->finding.loop < y->finding.loop ? -1 : 1;
	return (x->devices[0] > y->devices[0]) - (x->devices[0] < y->devices[0]);
}

/* Updates the pointers of a finding that was moved. */
static void point_inside(struct dp_rule_finding *at)
{
	at->finding.evidence = at->values;
	at->finding.ranges = at->ranges;
	at->finding.loops = at->loops;
	at->finding.devices = at->devices;
	at->finding.costs_ns = at->costs_ns;
	if (at->advice[0])
		at->finding.advice = at->advice;
}

enum group { NO_GROUP, COPIES, HOST, INPUT, COMMUNICATION, DEVICE_COPIES, IDLE };

/* Metrics whose time is, or may be, the same. */
static const struct {
	const char *metric;
	enum group group;
} groups[] = {
	{ "upload_exposed_ns", COPIES },
	{ "copy_exposed_ns", COPIES },
	{ "pageable_copy_ns", COPIES },
	{ "blocking_copy_ns", COPIES },
	{ "repeated_upload_ns", COPIES },
	{ "sync_lost_ns", HOST },
	{ "host_wait_ns", HOST },
	{ "short_gaps_ns", HOST },
	{ "cpu_wait_ns", HOST },
	{ "input_wait_ns", INPUT },
	{ "comm_exposed_ns", COMMUNICATION },
	{ "d2d_exposed_ns", DEVICE_COPIES },
	{ "idle_ns", IDLE },
	{ "call_stall_ns", IDLE },
};

static enum group group_of(const struct dp_rule_finding *at)
{
	const char *metric = at->part ? at->part : at->finding.metric;

	for (size_t i = 0; metric && i < DP_COUNT(groups); i++)
		if (!strcmp(groups[i].metric, metric))
			return groups[i].group;
	return NO_GROUP;
}

static bool is_rule(const struct dp_rule_finding *at, const char *rule)
{
	return !strcmp(at->finding.rule, rule);
}

/* Returns true for the two that share host wait between them: host-bound leaves out short gaps. */
static bool are_disjoint(const struct dp_rule_finding *a, const struct dp_rule_finding *b)
{
	return (is_rule(a, "host-bound") && is_rule(b, "launch-bound")) ||
	       (is_rule(a, "launch-bound") && is_rule(b, "host-bound"));
}

/*
 * Returns true for findings whose time is, or may be, the same: a part of the period, or its growth
 * over the run. The growth of intervals is part of the period's, which goes on in slow iterations.
 */
static bool share_time(const struct dp_rule_finding *a, const struct dp_rule_finding *b)
{
	return (a->grows && b->grows) ||
	       (group_of(a) && group_of(a) == group_of(b) && !are_disjoint(a, b));
}

static bool overlap(const struct dp_rule_finding *a, const struct dp_rule_finding *b)
{
	return a->finding.loop == b->finding.loop && a->devices[0] == b->devices[0] &&
	       !isnan(a->finding.recoverable_ns) && !isnan(b->finding.recoverable_ns) &&
	       share_time(a, b);
}

static void mark_overlaps(struct dp_findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		for (size_t j = 0; j < i && !findings->findings[i].finding.overlaps; j++)
			if (overlap(&findings->findings[i], &findings->findings[j]))
				findings->findings[i].finding.overlaps =
					findings->findings[j].finding.rule;
}

static const char *advice_of(const struct dp_rule_finding *at)
{
	return at->advice[0] ? at->advice : at->finding.advice;
}

/*
 * Returns true for the same finding on another device, also if one of them is not worth fixing
 * alone. Findings about some iterations belong to their device.
 */
static bool is_same(const struct dp_rule_finding *a, const struct dp_rule_finding *b)
{
	double x = a->finding.recoverable_ns, y = b->finding.recoverable_ns;

	return a->finding.rule == b->finding.rule && a->finding.metric &&
	       a->devices[0] != b->devices[0] && a->finding.loop_count < DP_LOOPS_MOST &&
	       (a->finding.loop == DP_NONE) == (b->finding.loop == DP_NONE) &&
	       a->finding.severity == b->finding.severity &&
	       fabs(x - y) <= SAME_COST * fmax(x, y) &&
	       (a->put_off || b->put_off || !strcmp(advice_of(a), advice_of(b)));
}

static bool waits_for_others(const struct dp_rule_finding *at)
{
	return is_rule(at, "exposed-communication");
}

/* Returns true if a device waits in communication. */
static bool is_waiting(const struct dp_findings *findings, uint32_t device)
{
	for (size_t i = 0; i < findings->count; i++)
		if (findings->findings[i].devices[0] == device &&
		    waits_for_others(&findings->findings[i]))
			return true;
	return false;
}

/*
 * If all devices except one wait in communication, they wait for that one: marks its first finding.
 * Cost: quadratic in the findings, of which devices have few.
 */
static void mark_straggler(struct dp_findings *findings)
{
	static const char says[] = "the other GPUs wait for this one (see deepprof ranks): ";
	struct dp_rule_finding *late = NULL;
	char advice[sizeof(late->advice) + sizeof(says)];
	size_t waiting = 0;

	for (size_t i = 0; i < findings->count; i++) {
		struct dp_rule_finding *at = &findings->findings[i];

		waiting += waits_for_others(at);
		if (at->finding.loop == DP_NONE || is_waiting(findings, at->devices[0]))
			continue;
		if (late && late->devices[0] != at->devices[0])
			return;
		late = late ? late : at;
	}
	if (!late || waiting < WAITING_LEAST)
		return;
	snprintf(advice, sizeof(advice), "%s%s", says, advice_of(late));
	memcpy(late->advice, advice, sizeof(late->advice) - 1);
	late->advice[sizeof(late->advice) - 1] = 0;
}

/* Joins findings of devices that agree; the most expensive one represents all. */
static void join_devices(struct dp_findings *findings)
{
	size_t kept = 0;

	for (size_t i = 0; i < findings->count; i++) {
		struct dp_rule_finding *at = &findings->findings[i], *first;
		size_t j = 0, last;

		while (j < kept && !is_same(&findings->findings[j], at))
			j++;
		if (j == kept) {
			if (kept != i)
				findings->findings[kept] = *at;
			kept++;
			continue;
		}
		first = &findings->findings[j];
		last = first->finding.loop_count++;
		first->loops[last] = at->loops[0];
		first->devices[last] = at->devices[0];
		first->costs_ns[last] = at->costs_ns[0];
	}
	findings->count = kept;
}

/*
 * What a rank saves if its host is faster, a job does not if other ranks are as slow: says so once,
 * unless some advice refers to the command already.
 */
static void refer_to_ranks(struct dp_findings *findings)
{
	static const char says[] = "; deepprof ranks shows what the whole job gains";
	struct dp_rule_finding *first = NULL;
	char advice[sizeof(first->advice)];

	for (size_t i = 0; i < findings->count; i++) {
		struct dp_rule_finding *at = &findings->findings[i];

		if (strstr(advice_of(at), "deepprof ranks"))
			return;
		if (!first && !strcmp(at->finding.rule, "host-bound"))
			first = at;
	}
	if (first && strlen(advice_of(first)) + sizeof(says) <= sizeof(advice)) {
		snprintf(advice, sizeof(advice), "%s%s", advice_of(first), says);
		memcpy(first->advice, advice, sizeof(advice));
	}
}

static const struct dp_peer *peer_of(const struct dp_peers *peers, uint32_t loop)
{
	for (size_t i = 0; i < peers->count; i++)
		if (peers->peers[i].loop == loop)
			return &peers->peers[i];
	return NULL;
}

static bool concerns_device(const struct dp_rule_finding *found, uint32_t device)
{
	for (size_t i = 0; i < found->finding.loop_count; i++)
		if (found->devices[i] == device)
			return true;
	return false;
}

/*
 * Marks what is predicted for devices that wait in collectives for others: it holds if these get as
 * fast. Those in the trace are in loops of the same period; adds what the slowest needs if it waits
 * for none, where that is longer.
 */
static void mind_others(struct dp_rule_finding *found, const struct dp_peers *peers)
{
	const struct dp_peer *own = peer_of(peers, found->finding.loop);
	double others_ns = 0;

	if (!own || isnan(found->finding.predicted_ns))
		return;
	found->finding.needs_others = peers->remote;
	for (size_t i = 0; i < peers->count; i++) {
		const struct dp_peer *at = &peers->peers[i];

		if (concerns_device(found, at->device) ||
		    !(fabs(at->period_ns - own->period_ns) <= SAME_PERIOD * own->period_ns))
			continue;
		found->finding.needs_others = true;
		others_ns = fmax(others_ns, at->alone_ns);
	}
	if (others_ns > (1 + LEAST_LONGER) * found->finding.predicted_ns)
		dp_rule__evidence(found, "others_ns", "ns", others_ns);
}

void dp_diagnose__rank(struct dp_findings *findings, const struct dp_peers *peers)
{
	if (findings->count)
		qsort(findings->findings, findings->count, sizeof(*findings->findings), by_rank);
	mark_straggler(findings);
	join_devices(findings);
	if (peers && peers->any)
		refer_to_ranks(findings);
	mark_overlaps(findings);
	for (size_t i = 0; i < findings->count; i++) {
		if (peers)
			mind_others(&findings->findings[i], peers);
		point_inside(&findings->findings[i]);
	}
}
