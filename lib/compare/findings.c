/* What rules have found in either of two loops. */
#include "compare/compare.h"

#include <string.h>

/* The first row of a rule whose second finding is still open; NULL where there is none. */
static struct dp_pair_finding *open_row(struct dp_pair_data *pair, const char *rule)
{
	for (size_t i = 0; i < pair->finding_count; i++) {
		struct dp_pair_finding *row = &pair->findings[i];

		if (row->finding[0] && !row->finding[1] && !strcmp(row->finding[0]->rule, rule))
			return row;
	}
	return NULL;
}

int dp_compare__findings(struct dp_comparison *comparison, struct dp_pair_data *pair)
{
	size_t most = dp_analysis_finding_count(comparison->run[0]) +
		      dp_analysis_finding_count(comparison->run[1]);
	const struct dp_finding *finding;

	pair->findings = dp_alloc__zeroed(most, sizeof(*pair->findings));
	if (!pair->findings)
		return DP_ERR_NOMEM;
	for (size_t i = 0; (finding = dp_analysis_finding(comparison->run[0], i)); i++)
		if (finding->loop == pair->info.loop[0])
			pair->findings[pair->finding_count++].finding[0] = finding;
	for (size_t i = 0; (finding = dp_analysis_finding(comparison->run[1], i)); i++) {
		struct dp_pair_finding *row;

		if (finding->loop != pair->info.loop[1])
			continue;
		row = open_row(pair, finding->rule);
		if (!row)
			row = &pair->findings[pair->finding_count++];
		row->finding[1] = finding;
	}
	return DP_OK;
}
