/* The numbers of findings. */
#include "diagnose/diagnose.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void dp_rule__evidence(struct dp_rule_finding *finding, const char *name, const char *unit,
		       double value)
{
	size_t at = finding->finding.evidence_count;

	/* names are the keys of an object */
	for (size_t i = 0; i < at; i++)
		assert(strcmp(finding->values[i].name, name) != 0);
	if (at >= DP_EVIDENCE_MOST)
		return;
	finding->values[at] = (struct dp_evidence_value){ name, unit, value, NULL };
	finding->finding.evidence_count++;
}

void dp_rule__call_evidence(struct dp_rule_finding *finding, const char *name, const char *unit,
			    double value, const char *call)
{
	size_t before = finding->finding.evidence_count;

	dp_rule__evidence(finding, name, unit, value);
	if (finding->finding.evidence_count > before)
		finding->values[before].call = call;
}

void dp_rule__explain_saving(struct dp_rule_finding *found, const struct dp_replay *replay)
{
	const struct dp_finding *finding = &found->finding;
	double cost_ns = finding->recoverable_ns * replay->period_ns / finding->predicted_from_ns;
	double more_ns =
		finding->predicted_from_ns - finding->predicted_ns - finding->recoverable_ns;
	double idle_ns = replay->idle_ns[DP_REPLAY_NOTHING] - replay->idle_ns[found->change];
	double overlap_ns = replay->period_ns - replay->without_ns[found->change] - idle_ns;
	double share;

	if (!(more_ns > DP_RULE_MORE * finding->recoverable_ns) || finding->predicted_with)
		return;
	if (found->change < DP_REPLAY_UPLOADS)
		idle_ns -= cost_ns;
	else
		overlap_ns -= cost_ns;
	share = idle_ns / (idle_ns + overlap_ns);
	if (!(fmin(idle_ns, overlap_ns) > DP_RULE_MORE * fmax(idle_ns, overlap_ns)))
		share = overlap_ns > idle_ns ? 0 : 1;
	if (share > 0)
		dp_rule__evidence(found, "saved_idle_ns", "ns", share * more_ns);
	if (share < 1)
		dp_rule__evidence(found, "saved_overlap_ns", "ns", (1 - share) * more_ns);
}
