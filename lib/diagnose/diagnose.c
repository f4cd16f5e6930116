/* The rules' table, the run of it over one loop, and the findings' rank. */
#include "diagnose/diagnose.h"

#include <math.h>
#include <string.h>

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

const double *dp_rule__metric(const struct dp_rule_input *input, const char *name)
{
	const struct dp_metric_info *info;

	for (size_t i = 0; (info = dp_metric(i)); i++)
		if (!strcmp(info->name, name))
			return input->values + i * input->loop->iterations;
	return NULL;
}

double dp_rule__summary(const struct dp_rule_input *input, const char *name)
{
	const struct dp_metric_info *info;

	for (size_t i = 0; (info = dp_summary_metric(i)); i++)
		if (!strcmp(info->name, name))
			return input->summary[i];
	return (double)NAN;
}

void dp_rule__evidence(struct dp_rule_finding *finding, const char *name, const char *unit,
		       double value)
{
	size_t at = finding->finding.evidence_count;

	if (at >= DP_EVIDENCE_MOST)
		return;
	finding->values[at] = (struct dp_evidence_value){ name, unit, value };
	finding->finding.evidence_count++;
}

int dp_diagnose__loop(struct dp_findings *findings, const struct dp_rule_input *input,
		      struct dp_error *error)
{
	for (size_t i = 0; rules[i]; i++) {
		struct dp_rule_finding found;

		memset(&found, 0, sizeof(found));
		if (!rules[i]->check(input, &found))
			continue;
		found.finding.rule = rules[i]->info.id;
		found.finding.loop = input->loop->id;
		found.total_ns = found.finding.recoverable_ns * (double)input->loop->complete;
		if (dp_array__reserve(&findings->findings, &findings->room, findings->count + 1,
				      sizeof(found)))
			return dp_error__nomem(error, 0);
		findings->findings[findings->count++] = found;
	}
	return DP_OK;
}

static size_t rule_index(const char *id)
{
	size_t i = 0;

	while (rules[i] && strcmp(rules[i]->info.id, id))
		i++;
	return i;
}

/* A rule finds one thing per loop at most, so no two are equal. */
static int by_rank(const void *a, const void *b)
{
	const struct dp_rule_finding *x = a, *y = b;
	size_t rule_x = rule_index(x->finding.rule), rule_y = rule_index(y->finding.rule);

	if (isnan(x->total_ns) != isnan(y->total_ns))
		return isnan(x->total_ns) ? 1 : -1;
	if (!isnan(x->total_ns) && (x->total_ns < y->total_ns || x->total_ns > y->total_ns))
		return x->total_ns < y->total_ns ? 1 : -1;
	if (x->finding.severity != y->finding.severity)
		return x->finding.severity < y->finding.severity ? 1 : -1;
	if (rule_x != rule_y)
		return rule_x < rule_y ? -1 : 1;
	return (x->finding.loop > y->finding.loop) - (x->finding.loop < y->finding.loop);
}

void dp_diagnose__rank(struct dp_findings *findings)
{
	if (findings->count)
		qsort(findings->findings, findings->count, sizeof(*findings->findings), by_rank);
	for (size_t i = 0; i < findings->count; i++)
		findings->findings[i].finding.evidence = findings->findings[i].values;
}

void dp_findings__fini(struct dp_findings *findings)
{
	free(findings->findings);
	*findings = (struct dp_findings){ NULL, 0, 0 };
}
