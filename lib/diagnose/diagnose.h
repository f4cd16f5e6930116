/*
 * The seam of the rules. A rule is one file with one struct dp_rule named dp_rule__<word>, and its
 * word in the list in lib/diagnose/meson.build. Rules read metrics only.
 */
#ifndef DP_DIAGNOSE_DIAGNOSE_H
#define DP_DIAGNOSE_DIAGNOSE_H

#include "base/base.h"
#include <deepprof/analysis.h>

#define DP_EVIDENCE_MOST 8

/* One loop's metrics, by name. */
struct dp_rule_input {
	const struct dp_loop *loop;
	const struct dp_iteration *iterations;
	const double *values;  /* metrics in rows of loop->iterations, as dp_metric() names them */
	const double *summary; /* as dp_summary_metric() names them */
};

/* The row of a metric, or NULL where no metric has that name; a summary value, or NaN. */
const double *dp_rule__metric(const struct dp_rule_input *input, const char *name);
double dp_rule__summary(const struct dp_rule_input *input, const char *name);

struct dp_rule_finding {
	struct dp_finding finding; /* evidence points at values */
	struct dp_evidence_value values[DP_EVIDENCE_MOST];
	double total_ns; /* recoverable over all complete iterations; the driver's to fill */
};

/* Adds a number; beyond DP_EVIDENCE_MOST it is left out. name and unit are static. */
void dp_rule__evidence(struct dp_rule_finding *finding, const char *name, const char *unit,
		       double value);

struct dp_rule {
	struct dp_rule_info info;
	/*
	 * True where it has something to say: then *finding, zeroed by the caller, is filled except
	 * for rule, loop and total_ns. Silent (false) where data lack.
	 */
	bool (*check)(const struct dp_rule_input *input, struct dp_rule_finding *finding);
};

/* The table; NULL beyond the end. */
const struct dp_rule *dp_rule__at(size_t index);

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
 * Ranks by recoverable time times iterations (so loops compare; unknown ones last), then severity,
 * rule, loop. Until then evidence of findings is not to be read.
 */
void dp_diagnose__rank(struct dp_findings *findings);

void dp_findings__fini(struct dp_findings *findings);

#endif
