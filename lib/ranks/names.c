/* Names of collectives, and ranks from names of files. */
#include "ranks/summary.h"

#include <ctype.h>
#include <string.h>

bool dp_collective__synchronizes(enum dp_collective_kind kind)
{
	return kind >= DP_COLLECTIVE_ALLREDUCE && kind <= DP_COLLECTIVE_BARRIER;
}

const char *dp_rank_from_name(enum dp_rank_from from)
{
	static const char *const names[] = { "trace", "name", "order" };

	return (size_t)from < DP_COUNT(names) ? names[from] : "unknown";
}

const char *dp_rank_part_name(enum dp_rank_part part)
{
	static const char *const names[DP_RANK_PARTS] = { "compute",	"communication", "copy",
							  "input-wait", "host-wait",	 "other" };

	return (size_t)part < DP_COUNT(names) ? names[part] : "unknown";
}

const char *dp_verdict_name(enum dp_ranks_verdict_kind kind)
{
	static const char *const names[] = { "none", "straggler", "slow-communication",
					     "stage-imbalance", "sequence-imbalance" };

	return (size_t)kind < DP_COUNT(names) ? names[kind] : "unknown";
}

/* Reads at most nine digits, so that dates and hashes are no ranks. */
static int64_t number_at(const char *at)
{
	int64_t value = 0;
	int digits = 0;

	for (; *at >= '0' && *at <= '9'; at++, digits++)
		if (digits < 9)
			value = value * 10 + (*at - '0');
	return digits && digits <= 9 ? value : -1;
}

/*
 * "rank" and a number, as in "rank3.json", "trace_rank-12.json.gz" or "rank_0/trace.json". Other
 * numbers in names are as often dates, steps and process ids, and are ignored.
 */
int64_t dp_rank_name__read(const char *path)
{
	int64_t rank = -1;

	for (const char *at = path; *at; at++) {
		const char *end = at + 4;

		if ((at > path && isalpha((unsigned char)at[-1])) || strncmp(at, "rank", 4) != 0)
			continue;
		while (*end == '_' || *end == '-' || *end == '=' || *end == '.')
			end++;
		if (number_at(end) >= 0)
			rank = number_at(end); /* the last one: of the file, not of its folder */
	}
	return rank;
}
