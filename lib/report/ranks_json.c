/* The result for programs, schema 1 (data/ranks.schema.json). */
#include "report/json_text.h"
#include "report/number.h"
#include "report/ranks.h"

#include <math.h>

static void string(struct dp_render *render, const char *before, const char *name,
		   const char *value)
{
	dp_json_out__key(render, before, name);
	if (value)
		dp_json_out__string(render, value);
	else
		dp_render__text(render, "null");
}

/* Null for "". */
static void text(struct dp_render *render, const char *before, const char *name, const char *value)
{
	string(render, before, name, *value ? value : NULL);
}

static void real(struct dp_render *render, const char *before, const char *name, double value)
{
	dp_json_out__key(render, before, name);
	if (isfinite(value))
		dp_render__format(render, "%.3f", value);
	else
		dp_render__text(render, "null");
}

static void integer(struct dp_render *render, const char *before, const char *name, uint64_t value)
{
	dp_json_out__integer(render, before, name, (int64_t)value);
}

static void write_rank(struct dp_render *render, const struct dp_rank *rank)
{
	dp_json_out__integer(render, "\n    { ", "rank", rank->rank);
	text(render, ", ", "host", rank->host);
	string(render, ", ", "file", rank->file);
	string(render, ", ", "rank_from", dp_rank_from_name(rank->rank_from));
	integer(render, ",\n      ", "iterations", rank->iterations);
	dp_json_out__number(render, ", ", "period_ns", rank->period_ns, "ns");
	dp_json_out__number(render, ", ", "own_ns", rank->own_ns, "ns");
	dp_json_out__number(render, ", ", "wait_ns", rank->wait_ns, "ns");
	dp_json_out__key(render, ",\n      ", "parts_ns");
	for (int p = 0; p < DP_RANK_PARTS; p++)
		dp_json_out__number(render, p ? ", " : "{ ",
				    dp_rank_part_name((enum dp_rank_part)p), rank->part_ns[p],
				    "ns");
	integer(render, " },\n      ", "collectives", rank->collectives);
	integer(render, ", ", "matched", rank->matched);
	integer(render, ", ", "shared", rank->shared);
	integer(render, ", ", "last", rank->last);
	dp_render__text(render, " }");
}

static void write_ranks(struct dp_render *render, const struct dp_ranks *ranks)
{
	const struct dp_rank *rank;

	dp_json_out__key(render, ",\n  ", "ranks");
	dp_render__text(render, "[");
	for (size_t i = 0; (rank = dp_ranks_rank(ranks, i)); i++) {
		dp_render__text(render, i ? "," : "");
		write_rank(render, rank);
	}
	dp_render__text(render, "\n  ]");
}

static void write_left_out(struct dp_render *render, const struct dp_ranks *ranks)
{
	const struct dp_left_out *left_out;
	size_t i;

	dp_json_out__key(render, ",\n  ", "left_out");
	dp_render__text(render, "[");
	for (i = 0; (left_out = dp_ranks_left_out(ranks, i)); i++) {
		string(render, i ? ",\n    { " : "\n    { ", "file", left_out->file);
		string(render, ", ", "why", left_out->why);
		dp_render__text(render, " }");
	}
	dp_render__text(render, i ? "\n  ]" : "]");
}

static void write_clock(struct dp_render *render, const struct dp_ranks *ranks)
{
	const struct dp_ranks_matching *matching = dp_ranks_matching(ranks);
	const struct dp_rank *rank;

	integer(render, ",\n  \"matching\": { ", "collectives", matching->collectives);
	integer(render, ", ", "matched", matching->matched);
	integer(render, ", ", "groups", matching->groups);
	integer(render, ", ", "synchronizing", matching->synchronizing);
	integer(render, ", ", "absent", matching->absent);
	dp_render__text(render, " }");
	dp_json_out__key(render, ",\n  ", "clock");
	if (!matching->clock_known) {
		dp_render__text(render, "null");
		return;
	}
	real(render, "{ ", "resolution_ns", matching->resolution_ns);
	dp_json_out__key(render, ", ", "ranks");
	dp_render__text(render, "[");
	for (size_t i = 0; (rank = dp_ranks_rank(ranks, i)); i++) {
		dp_json_out__integer(render, i ? ",\n    { " : "\n    { ", "rank", rank->rank);
		real(render, ", ", "offset_ns", rank->offset_ns);
		real(render, ", ", "drift_ppm", rank->drift_ppm);
		real(render, ", ", "resolution_ns", rank->resolution_ns);
		dp_render__text(render, " }");
	}
	dp_render__text(render, "\n  ] }");
}

static void write_verdict(struct dp_render *render, const struct dp_ranks *ranks)
{
	const struct dp_ranks_verdict *verdict = dp_ranks_verdict(ranks);
	bool any = verdict->kind != DP_VERDICT_NONE;

	string(render, ",\n  \"verdict\": {\n    ", "kind", dp_verdict_name(verdict->kind));
	text(render, ", ", "why", verdict->why);
	dp_json_out__key(render, ", ", "ranks");
	dp_render__text(render, "[");
	for (size_t i = 0; i < verdict->rank_count; i++)
		dp_render__format(render, "%s%lld", i ? ", " : "",
				  (long long)dp_ranks_rank(ranks, verdict->ranks[i])->rank);
	text(render, "], ", "group", verdict->group);
	dp_json_out__number(render, ",\n    ", "since_iteration",
			    any ? (double)verdict->since_iteration : NAN, "count");
	dp_json_out__number(render, ", ", "every", verdict->every ? (double)verdict->every : NAN,
			    "count");
	string(render, ",\n    ", "part", any ? dp_rank_part_name(verdict->part) : NULL);
	dp_json_out__boolean(render, ", ", "throttled", verdict->throttled);
	dp_json_out__number(render, ", ", "part_ns", any ? verdict->part_ns : NAN, "ns");
	text(render, ", ", "operator", verdict->operator_);
	dp_json_out__number(render, ", ", "operator_ns",
			    *verdict->operator_ ? verdict->operator_ns : NAN, "ns");
	dp_json_out__number(render, ",\n    ", "cost_ns", any ? verdict->cost_ns : NAN, "ns");
	dp_json_out__number(render, ", ", "cost_least_ns", any ? verdict->cost_least_ns : NAN,
			    "ns");
	dp_json_out__number(render, ", ", "cost_most_ns", any ? verdict->cost_most_ns : NAN, "ns");
	dp_json_out__number(render, ", ", "period_ns", verdict->period_ns, "ns");
	dp_json_out__key(render, ", ", "p_value");
	if (isfinite(verdict->p_value))
		dp_render__format(render, "%.3g", verdict->p_value);
	else
		dp_render__text(render, "null");
	integer(render, ", ", "last", verdict->last);
	integer(render, ", ", "shared", verdict->shared);
	dp_render__text(render, "\n  }");
}

static void write_collectives(struct dp_render *render, const struct dp_ranks *ranks)
{
	const struct dp_ranks_collective *at;
	size_t i;

	dp_json_out__key(render, ",\n  ", "collectives");
	dp_render__text(render, "[");
	for (i = 0; (at = dp_ranks_collective(ranks, i)); i++) {
		string(render, i ? ",\n    { " : "\n    { ", "kind",
		       dp_collective_kind_name(at->kind));
		string(render, ", ", "group", at->group);
		integer(render, ", ", "group_size", at->group_size);
		integer(render, ", ", "present", at->present);
		dp_json_out__boolean(render, ", ", "one_host", at->one_host);
		integer(render, ", ", "count", at->count);
		dp_json_out__number(render, ",\n      ", "bytes",
				    at->bytes ? (double)at->bytes : NAN, "bytes");
		dp_json_out__number(render, ", ", "own_ns", at->own_ns, "ns");
		dp_json_out__number(render, ", ", "wait_ns", at->wait_ns, "ns");
		dp_json_out__number(render, ", ", "algorithm_bandwidth", at->algorithm_bandwidth,
				    "bytes");
		dp_json_out__number(render, ", ", "bus_bandwidth", at->bus_bandwidth, "bytes");
		dp_render__text(render, " }");
	}
	dp_render__text(render, i ? "\n  ]" : "]");
}

static void write_iteration(struct dp_render *render, const struct dp_ranks *ranks, size_t k)
{
	bool any = false;

	integer(render, k ? ",\n    { " : "\n    { ", "index", k);
	dp_json_out__key(render, ", ", "ranks");
	dp_render__text(render, "[");
	for (size_t r = 0; r < dp_ranks_count(ranks); r++) {
		const struct dp_rank_iteration *at = dp_ranks_iteration(ranks, r, k);

		if (!at)
			continue;
		dp_json_out__integer(render, any ? ",\n      { " : "\n      { ", "rank",
				     dp_ranks_rank(ranks, r)->rank);
		dp_json_out__integer(render, ", ", "start_ns", at->start_ns);
		dp_json_out__number(render, ", ", "period_ns", at->period_ns, "ns");
		dp_json_out__number(render, ", ", "own_ns", at->own_ns, "ns");
		dp_json_out__number(render, ", ", "wait_ns", at->wait_ns, "ns");
		dp_render__text(render, " }");
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
	write_collectives(render, ranks);
	dp_json_out__key(render, ",\n  ", "iterations");
	dp_render__text(render, "[");
	for (size_t k = 0; k < iterations; k++)
		write_iteration(render, ranks, k);
	dp_render__text(render, iterations ? "\n  ]\n}\n" : "]\n}\n");
}

const struct dp_whole_renderer dp_ranks_renderer__ranks_json = {
	.info = { "json", "json", "everything, for programs", false, true },
	.write = write_all,
};
