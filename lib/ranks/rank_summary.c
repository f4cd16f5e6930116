/* The memory of ranks' summaries, and the forecast of their calls. */
#include "ranks/summary_pack.h"

#include <string.h>

const char *dp_rank_summary__text(struct dp_rank_summary *rank, const char *text)
{
	uint32_t id = dp_strings__intern(&rank->texts, text, strlen(text));

	return id == DP_NONE ? NULL : dp_strings__get(&rank->texts, id);
}

void dp_rank_summary__fini(struct dp_rank_summary *rank)
{
	free(rank->groups);
	free(rank->calls);
	free(rank->steps);
	free(rank->shares);
	dp_strings__fini(&rank->texts);
}

void dp_file_summary__fini(struct dp_file_summary *file)
{
	for (size_t i = 0; i < file->count; i++)
		dp_rank_summary__fini(&file->ranks[i]);
	free(file->ranks);
	*file = (struct dp_file_summary){ .source = DP_SUMMARY_SOURCE_INIT };
}

int dp_call_forecast__init(struct dp_call_forecast *forecast, size_t keys, size_t groups)
{
	*forecast = (struct dp_call_forecast){
		.next = dp_alloc__zeroed(keys, sizeof(*forecast->next)),
		.sequence = dp_alloc__array(groups, sizeof(*forecast->sequence)),
		.key = DP_NONE,
		.iteration = DP_NONE,
	};
	if (!forecast->next || !forecast->sequence) {
		dp_call_forecast__fini(forecast);
		return DP_ERR_NOMEM;
	}
	for (size_t g = 0; g < groups; g++)
		forecast->sequence[g] = -1;
	return DP_OK;
}

void dp_call_forecast__fini(struct dp_call_forecast *forecast)
{
	free(forecast->next);
	free(forecast->sequence);
}
