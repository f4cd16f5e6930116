/* dp_ranks_write(): chooses the renderer, and what renderers share. */
#include "report/ranks.h"

#include <stdio.h>
#include <string.h>

#define DP_ENTRY(word) extern const struct dp_whole_renderer dp_ranks_renderer__##word;
#include "report/ranks_table.h"
#undef DP_ENTRY

static const struct dp_whole_renderer *const renderers[] = {
#define DP_ENTRY(word) &dp_ranks_renderer__##word,
#include "report/ranks_table.h"
#undef DP_ENTRY
};

const struct dp_report_format *dp_ranks_format(size_t index)
{
	return index < DP_COUNT(renderers) ? &renderers[index]->info : NULL;
}

int dp_ranks_write(const struct dp_ranks *ranks, const char *format,
		   const struct dp_report_options *options, const struct dp_sink *sink,
		   struct dp_error *error)
{
	struct dp_whole whole = {
		.renderers = renderers,
		.count = DP_COUNT(renderers),
		.what = ranks,
	};

	return dp_whole__write(&whole, format, options, sink, error);
}

/* The end of a run of consecutive ranks. */
static size_t run_end(const struct dp_ranks *ranks, const uint32_t *indices, size_t count,
		      size_t first)
{
	size_t end = first + 1;

	while (end < count && dp_ranks_rank(ranks, indices[end])->rank ==
				      dp_ranks_rank(ranks, indices[end - 1])->rank + 1)
		end++;
	return end;
}

char *dp_ranks__list(char buf[DP_RANK_LIST_SIZE], const struct dp_ranks *ranks,
		     const uint32_t *indices, size_t count)
{
	size_t used = (size_t)snprintf(buf, DP_RANK_LIST_SIZE, count == 1 ? "rank " : "ranks ");

	for (size_t i = 0, end; i < count; i = end) {
		char text[64];
		int length;

		end = run_end(ranks, indices, count, i);
		if (end - i < 3)
			end = i + 1;
		length = snprintf(text, sizeof(text), end - i > 1 ? "%s%lld to %lld" : "%s%lld",
				  i ? ", " : "",
				  (long long)dp_ranks_rank(ranks, indices[i])->rank,
				  (long long)dp_ranks_rank(ranks, indices[end - 1])->rank);
		if (used + (size_t)length + sizeof(" and 4294967295 more") > DP_RANK_LIST_SIZE) {
			snprintf(buf + used, DP_RANK_LIST_SIZE - used, " and %zu more", count - i);
			break;
		}
		memcpy(buf + used, text, (size_t)length + 1);
		used += (size_t)length;
	}
	return buf;
}
