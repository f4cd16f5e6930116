/* The result for programs, schema 1 (data/ranks.schema.json). */
#include "base/text.h"
#include "report/json_text.h"
#include "report/number.h"

#include <deepprof/ranks.h>
#include <math.h>

/* Null for "". */
static struct dp_json_value text(const char *value)
{
	return dp_json__text(*value ? value : NULL);
}

/* A time or a drift to a thousandth, in buf: offsets between clocks may have 19 digits before. */
static struct dp_json_value fixed(char buf[DP_NUMBER_SIZE], double value)
{
	return dp_json__raw(isfinite(value) ? dp_text__fixed(buf, value, 3) : "null");
}

/* Begins the list's next object. */
static void next(struct dp_render *render, bool follows)
{
	dp_json__put(render, "%\n    { ", dp_json__comma(follows));
}

static void write_rank(struct dp_render *render, const struct dp_rank *rank)
{
	dp_json__put(
		render,
		"'rank': %, 'host': %, 'file': %, 'device': %, 'file_ranks': %, "
		"'rank_from': %,\n      'iterations': %, 'period_ns': %, 'own_ns': %, 'wait_ns': %,\n"
		"      'parts_ns': {",
		dp_json__int(rank->rank), text(rank->host), dp_json__text(rank->file),
		rank->device < 0 ? dp_json__raw("null") : dp_json__int(rank->device),
		dp_json__count(rank->file_ranks), dp_json__text(dp_rank_from_name(rank->rank_from)),
		dp_json__count(rank->iterations), dp_json__real(rank->period_ns, "ns"),
		dp_json__real(rank->own_ns, "ns"), dp_json__real(rank->wait_ns, "ns"));
	for (int p = 0; p < DP_RANK_PARTS; p++)
		dp_json__put(render, "% '%': %", dp_json__comma(p),
			     dp_json__raw(dp_rank_part_name((enum dp_rank_part)p)),
			     dp_json__real(rank->part_ns[p], "ns"));
	dp_json__put(render,
		     " },\n      'collectives': %, 'matched': %, 'shared': %, 'last': % }",
		     dp_json__count(rank->collectives), dp_json__count(rank->matched),
		     dp_json__count(rank->shared), dp_json__count(rank->last));
}

static void write_ranks(struct dp_render *render, const struct dp_ranks *ranks)
{
	const struct dp_rank *rank;

	dp_render__text(render, ",\n  \"ranks\": [");
	for (size_t i = 0; (rank = dp_ranks_rank(ranks, i)); i++) {
		next(render, i);
		write_rank(render, rank);
	}
	dp_render__text(render, "\n  ]");
}

static void write_left_out(struct dp_render *render, const struct dp_ranks *ranks)
{
	const struct dp_left_out *left_out;
	size_t i;

	dp_render__text(render, ",\n  \"left_out\": [");
	for (i = 0; (left_out = dp_ranks_left_out(ranks, i)); i++) {
		next(render, i);
		dp_json__put(render, "'file': %, 'why': % }", dp_json__text(left_out->file),
			     dp_json__text(left_out->why));
	}
	dp_render__text(render, i ? "\n  ]" : "]");
}

static void write_clock(struct dp_render *render, const struct dp_ranks *ranks)
{
	const struct dp_ranks_matching *matching = dp_ranks_matching(ranks);
	char offset[DP_NUMBER_SIZE], drift[DP_NUMBER_SIZE], resolution[DP_NUMBER_SIZE];
	const struct dp_rank *rank;

	dp_json__put(render,
		     ",\n  'matching': { 'collectives': %, 'matched': %, 'groups': %, "
		     "'synchronizing': %, 'absent': %, 'unrelated': % }",
		     dp_json__count(matching->collectives), dp_json__count(matching->matched),
		     dp_json__count(matching->groups), dp_json__count(matching->synchronizing),
		     dp_json__count(matching->absent), dp_json__bool(matching->unrelated));
	if (!matching->clock_known) {
		dp_render__text(render, ",\n  \"clock\": null");
		return;
	}
	dp_json__put(render, ",\n  'clock': { 'resolution_ns': %, 'ranks': [",
		     fixed(resolution, matching->resolution_ns));
	for (size_t i = 0; (rank = dp_ranks_rank(ranks, i)); i++) {
		next(render, i);
		dp_json__put(render,
			     "'rank': %, 'offset_ns': %, 'drift_ppm': %, 'resolution_ns': % }",
			     dp_json__int(rank->rank), fixed(offset, rank->offset_ns),
			     fixed(drift, rank->drift_ppm), fixed(resolution, rank->resolution_ns));
	}
	dp_render__text(render, "\n  ] }");
}

static void write_stragglers(struct dp_render *render, const struct dp_ranks *ranks)
{
	const struct dp_ranks_straggler *at;

	for (size_t i = 0; (at = dp_ranks_straggler(ranks, i)); i++)
		dp_json__put(render,
			     "%\n      { 'rank': %, 'cost_ns': %, 'cost_least_ns': %, "
			     "'cost_most_ns': %, 'p_value': %,\n        'since_iteration': %, "
			     "'every': %, 'last': % }",
			     dp_json__comma(i), dp_json__int(dp_ranks_rank(ranks, at->rank)->rank),
			     dp_json__real(at->cost_ns, "ns"),
			     dp_json__real(at->cost_least_ns, "ns"),
			     dp_json__real(at->cost_most_ns, "ns"), dp_json__real(at->p_value, "1"),
			     dp_json__int(at->since_iteration), dp_json__known(at->every),
			     dp_json__count(at->last));
}

static void write_verdict(struct dp_render *render, const struct dp_ranks *ranks)
{
	const struct dp_ranks_verdict *verdict = dp_ranks_verdict(ranks);
	bool any = verdict->kind != DP_VERDICT_NONE;

	dp_json__put(render, ",\n  'verdict': {\n    'kind': %, 'why': %, 'ranks': [",
		     dp_json__text(dp_verdict_name(verdict->kind)), text(verdict->why));
	for (size_t i = 0; i < verdict->rank_count; i++)
		dp_render__format(render, "%s%lld", i ? ", " : "",
				  (long long)dp_ranks_rank(ranks, verdict->ranks[i])->rank);
	dp_json__put(
		render,
		"], 'group': %,\n    'since_iteration': %, 'every': %,\n    'part': %, "
		"'throttled': %, 'part_ns': %, 'operator': %, 'operator_ns': %,\n    'cost_ns': %, "
		"'cost_least_ns': %, 'cost_most_ns': %, 'period_ns': %, 'p_value': %, 'last': %, "
		"'shared': %,\n    'cost_per': %, 'collectives': %, 'collective_ns': %,\n    "
		"'stragglers': [",
		text(verdict->group),
		any ? dp_json__int(verdict->since_iteration) : dp_json__raw("null"),
		dp_json__known(verdict->every),
		dp_json__text(any ? dp_rank_part_name(verdict->part) : NULL),
		dp_json__bool(verdict->throttled),
		dp_json__real(any ? verdict->part_ns : (double)NAN, "ns"), text(verdict->operator_),
		dp_json__real(*verdict->operator_ ? verdict->operator_ns : (double)NAN, "ns"),
		dp_json__real(any ? verdict->cost_ns : (double)NAN, "ns"),
		dp_json__real(any ? verdict->cost_least_ns : (double)NAN, "ns"),
		dp_json__real(any ? verdict->cost_most_ns : (double)NAN, "ns"),
		dp_json__real(verdict->period_ns, "ns"), dp_json__real(verdict->p_value, "1"),
		dp_json__count(verdict->last), dp_json__count(verdict->shared),
		dp_json__text(!any		     ? NULL
			      : verdict->collectives ? "collective"
						     : "iteration"),
		dp_json__known(verdict->collectives), dp_json__real(verdict->collective_ns, "ns"));
	write_stragglers(render, ranks);
	dp_render__text(render, "]\n  }");
}

static void write_pauses(struct dp_render *render, const struct dp_ranks *ranks)
{
	const struct dp_ranks_pauses *pauses = dp_ranks_pauses(ranks);

	if (!pauses) {
		dp_render__text(render, ",\n  \"pauses\": null");
		return;
	}
	dp_json__put(render, ",\n  'pauses': { 'rank': %, 'iterations': [",
		     dp_json__int(dp_ranks_rank(ranks, pauses->rank)->rank));
	for (size_t i = 0; i < pauses->count; i++)
		dp_render__format(render, "%s%u", i ? ", " : "",
				  (unsigned int)pauses->iterations[i]);
	dp_json__put(render, "], 'part': %, 'longer_ns': %, 'cost_ns': % }",
		     dp_json__text(dp_rank_part_name(pauses->part)),
		     dp_json__real(pauses->longer_ns, "ns"), dp_json__real(pauses->cost_ns, "ns"));
}

static void write_collectives(struct dp_render *render, const struct dp_ranks *ranks)
{
	const struct dp_ranks_collective *at;
	size_t i;

	dp_render__text(render, ",\n  \"collectives\": [");
	for (i = 0; (at = dp_ranks_collective(ranks, i)); i++) {
		next(render, i);
		dp_json__put(render,
			     "'kind': %, 'group': %, 'group_size': %, 'present': %, 'one_host': %, "
			     "'count': %,\n      'bytes': %, 'own_ns': %, 'wait_ns': %, "
			     "'algorithm_bandwidth': %, 'bus_bandwidth': % }",
			     dp_json__text(dp_collective_kind_name(at->kind)),
			     dp_json__text(at->group), dp_json__count(at->group_size),
			     dp_json__count(at->present), dp_json__bool(at->one_host),
			     dp_json__count(at->count), dp_json__known(at->bytes),
			     dp_json__real(at->own_ns, "ns"), dp_json__real(at->wait_ns, "ns"),
			     dp_json__real(at->algorithm_bandwidth, "bytes"),
			     dp_json__real(at->bus_bandwidth, "bytes"));
	}
	dp_render__text(render, i ? "\n  ]" : "]");
}

static void write_iteration(struct dp_render *render, const struct dp_ranks *ranks, size_t k)
{
	bool any = false;

	next(render, k);
	dp_json__put(render, "'index': %, 'ranks': [", dp_json__count(k));
	for (size_t r = 0; r < dp_ranks_count(ranks); r++) {
		const struct dp_rank_iteration *at = dp_ranks_iteration(ranks, r, k);

		if (!at)
			continue;
		dp_json__put(render,
			     "%\n      { 'rank': %, 'start_ns': %, 'period_ns': %, 'own_ns': %, "
			     "'wait_ns': % }",
			     dp_json__comma(any), dp_json__int(dp_ranks_rank(ranks, r)->rank),
			     dp_json__int(at->start_ns), dp_json__real(at->period_ns, "ns"),
			     dp_json__real(at->own_ns, "ns"), dp_json__real(at->wait_ns, "ns"));
		any = true;
	}
	dp_render__text(render, "] }");
}

static void write_all(struct dp_render *render, const void *what)
{
	const struct dp_ranks *ranks = what;
	size_t iterations = dp_ranks_iteration_count(ranks);

	dp_render__text(render, "{\n  \"schema\": 1");
	write_ranks(render, ranks);
	write_left_out(render, ranks);
	write_clock(render, ranks);
	write_verdict(render, ranks);
	write_pauses(render, ranks);
	write_collectives(render, ranks);
	dp_render__text(render, ",\n  \"iterations\": [");
	for (size_t k = 0; k < iterations; k++)
		write_iteration(render, ranks, k);
	dp_render__text(render, iterations ? "\n  ]\n}\n" : "]\n}\n");
}

const struct dp_whole_renderer dp_ranks_renderer__ranks_json = {
	.info = { "json", "json", "everything, for programs", false, true },
	.write = write_all,
};
