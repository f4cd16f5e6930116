/* Metrics made by hand, and what the rules find in them. */
#ifndef DP_TEST_FINDING_CASES_H
#define DP_TEST_FINDING_CASES_H

#include "diagnose/diagnose.h"

#include <check.h>
#include <math.h>
#include <string.h>

enum { ITERATIONS = 21, METRICS_MOST = 256 };

struct fixture {
	struct dp_loop loop;
	struct dp_iteration iterations[ITERATIONS];
	double values[METRICS_MOST * ITERATIONS];
	double summary[METRICS_MOST];
	struct dp_findings findings;
	const struct dp_stalls *stalls;
	const struct dp_loop_stats *stats;
	const struct dp_host_ranges *ranges;
	const struct dp_transfers *transfers;
	const struct dp_replay *replay;
	enum dp_terms terms;
	bool hip;
	double resolution_ns;
};

static struct fixture at;

static inline double *metric(const char *name)
{
	for (size_t i = 0; i < METRICS_MOST && dp_metric(i); i++)
		if (!strcmp(dp_metric(i)->name, name))
			return at.values + i * ITERATIONS;
	ck_abort_msg("no metric %s", name);
	return NULL;
}

static inline void set(const char *name, double value)
{
	for (size_t k = 0; k + 1 < ITERATIONS; k++)
		metric(name)[k] = value;
}

/* Iterations of ten kernels and 1 ms, without values for other metrics. */
static inline void start(void)
{
	dp_findings__fini(&at.findings);
	memset(&at, 0, sizeof(at));
	for (size_t i = 0; i < DP_COUNT(at.values); i++)
		at.values[i] = (double)NAN;
	for (size_t i = 0; i < DP_COUNT(at.summary); i++)
		at.summary[i] = (double)NAN;
	at.loop.iterations = at.loop.complete = ITERATIONS;
	at.loop.length = 10;
	at.loop.confidence = 1;
	for (size_t k = 0; k < ITERATIONS; k++)
		at.iterations[k].kernels = 10;
	set("period_ns", 1e6);
}

static inline const struct dp_finding *find(const char *rule)
{
	struct dp_rule_input input = { .loop = &at.loop,
				       .iterations = at.iterations,
				       .values = at.values,
				       .summary = at.summary,
				       .stalls = at.stalls,
				       .stats = at.stats,
				       .ranges = at.ranges,
				       .transfers = at.transfers,
				       .replay = at.replay,
				       .terms = at.terms,
				       .hip = at.hip,
				       .resolution_ns = at.resolution_ns };

	dp_findings__fini(&at.findings);
	ck_assert_int_eq(dp_diagnose__loop(&at.findings, at.iterations, &input, NULL), DP_OK);
	dp_diagnose__rank(&at.findings, NULL);
	for (size_t i = 0; i < at.findings.count; i++)
		if (!strcmp(at.findings.findings[i].finding.rule, rule))
			return &at.findings.findings[i].finding;
	return NULL;
}

static inline double evidence(const struct dp_finding *finding, const char *name)
{
	for (size_t i = 0; finding && i < finding->evidence_count; i++)
		if (!strcmp(finding->evidence[i].name, name))
			return finding->evidence[i].value;
	return (double)NAN;
}

/* The first call that evidence is of. */
static inline const char *call_of(const struct dp_finding *finding)
{
	for (size_t i = 0; i < finding->evidence_count; i++)
		if (finding->evidence[i].call)
			return finding->evidence[i].call;
	return NULL;
}

#endif
