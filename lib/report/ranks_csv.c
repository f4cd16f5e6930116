/* A row per rank and iteration, in the format of RFC 4180 except that lines end in LF. */
#include "report/csv.h"
#include "report/number.h"

#include <deepprof/ranks.h>
#include <math.h>

/* Writes an empty field if there is no value. */
static void number(struct dp_render *render, double value)
{
	char buf[DP_NUMBER_SIZE];

	dp_render__text(render, ",");
	dp_number__json(buf, value, "ns");
	if (isfinite(value))
		dp_render__text(render, buf);
}

static void write_row(struct dp_render *render, const struct dp_ranks *ranks, size_t r, size_t k)
{
	const struct dp_rank_iteration *at = dp_ranks_iteration(ranks, r, k);
	const struct dp_rank *rank = dp_ranks_rank(ranks, r);

	if (!at)
		return;
	dp_render__format(render, "%lld,", (long long)rank->rank);
	dp_csv__field(render, rank->host);
	dp_render__format(render, ",%zu,%lld", k, (long long)at->start_ns);
	number(render, at->period_ns);
	number(render, at->own_ns);
	number(render, at->wait_ns);
	for (int p = 0; p < DP_RANK_PARTS; p++)
		number(render, isfinite(at->period_ns) ? at->part_ns[p] : NAN);
	dp_render__text(render, "\n");
}

/* "input-wait" as a column's name: input_wait_ns. */
static void write_part_name(struct dp_render *render, const char *name)
{
	dp_render__text(render, ",");
	for (; *name; name++)
		dp_render__format(render, "%c", *name == '-' ? '_' : *name);
	dp_render__text(render, "_ns");
}

static void write_all(struct dp_render *render, const void *what)
{
	const struct dp_ranks *ranks = what;

	dp_render__text(render, "rank,host,iteration,start_ns,period_ns,own_ns,wait_ns");
	for (int p = 0; p < DP_RANK_PARTS; p++)
		write_part_name(render, dp_rank_part_name((enum dp_rank_part)p));
	dp_render__text(render, "\n");
	for (size_t r = 0; r < dp_ranks_count(ranks); r++)
		for (size_t k = 0; k < dp_ranks_iteration_count(ranks); k++)
			write_row(render, ranks, r, k);
}

const struct dp_whole_renderer dp_ranks_renderer__ranks_csv = {
	.info = { "csv", "csv", "one row per rank and iteration", false, true },
	.write = write_all,
};
