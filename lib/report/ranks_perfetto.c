/*
 * All ranks of a job on one clock, in Perfetto's own format: a track per rank (viewers sort
 * processes in their own way) with its iterations and its collectives, which contain the time
 * waited for other ranks; own time and waiting as counters; the verdict above. What ran in between
 * is in the ranks' own traces. Flows link the calls of one collective. Cost: n log n in the
 * collectives.
 */
#include "report/perfetto.h"
#include "report/ranks_words.h"

#include <math.h>
#include <stdio.h>

/* The calls of a rank, in order of start. */
struct calls {
	struct dp_rank_call *calls;
	size_t count, room;
};

static int compare_starts(const void *a, const void *b)
{
	const struct dp_rank_call *one = a, *two = b;

	if (one->start_ns != two->start_ns)
		return one->start_ns < two->start_ns ? -1 : 1;
	/* of equal starts, the longer one encloses the other */
	return one->end_ns > two->end_ns ? -1 : one->end_ns < two->end_ns;
}

static int read_calls(struct calls *calls, const struct dp_ranks *ranks, size_t r)
{
	struct dp_rank_call call = DP_RANK_CALL_INIT;

	calls->count = 0;
	for (size_t i = 0; dp_ranks_call(ranks, r, i, &call); i++) {
		if (dp_array__reserve(&calls->calls, &calls->room, calls->count + 1, sizeof(call)))
			return DP_ERR_NOMEM;
		calls->calls[calls->count++] = call;
	}
	if (calls->count)
		qsort(calls->calls, calls->count, sizeof(call), compare_starts);
	return DP_OK;
}

static int64_t earliest(const struct dp_ranks *ranks)
{
	int64_t first_ns = INT64_MAX;

	for (size_t r = 0; r < dp_ranks_count(ranks); r++) {
		struct dp_rank_call call = DP_RANK_CALL_INIT;

		for (size_t i = 0; dp_ranks_call(ranks, r, i, &call); i++)
			first_ns = DP_MIN(first_ns, call.start_ns);
		for (size_t k = 0; k < dp_ranks_iteration_count(ranks); k++) {
			const struct dp_rank_iteration *at = dp_ranks_iteration(ranks, r, k);

			if (at)
				first_ns = DP_MIN(first_ns, at->start_ns);
		}
	}
	return first_ns == INT64_MAX ? 0 : first_ns;
}

static void init_lanes(struct dp_perfetto_lanes *lanes, uint64_t parent, const char *name, int rank)
{
	*lanes = (struct dp_perfetto_lanes){
		.info = { .parent = parent, .name = name, .rank = rank }
	};
}

static void write_iterations(struct dp_render *render, const struct dp_ranks *ranks, size_t r,
			     uint64_t parent)
{
	struct dp_perfetto_lanes lanes;
	char name[DP_NUMBER_SIZE];

	init_lanes(&lanes, parent, "iterations", 0);
	for (size_t k = 0; k < dp_ranks_iteration_count(ranks) && !render->status; k++) {
		const struct dp_rank_iteration *at = dp_ranks_iteration(ranks, r, k);
		struct dp_perfetto_event event = { .category = DP_SLICE_FOUND,
						   .string = DP_NONE,
						   .name = name };

		/* the last one's end is unknown, since nothing follows it */
		if (!at || !isfinite(at->period_ns))
			continue;
		snprintf(name, sizeof(name), "iteration %zu", k);
		event.time_ns = at->start_ns;
		dp_perfetto_lanes__begin(render, &lanes, event,
					 at->start_ns + llround(at->period_ns));
		dp_perfetto__value(render, 0, "own_ns", at->own_ns, "ns");
		dp_perfetto__value(render, 0, "wait_ns", at->wait_ns, "ns");
		for (int p = 0; p < DP_RANK_PARTS; p++)
			dp_perfetto__value(render, 0, dp_rank_part_name((enum dp_rank_part)p),
					   at->part_ns[p], "ns");
		dp_perfetto__end(render);
	}
	dp_perfetto_lanes__finish(render, &lanes);
}

static void write_call(struct dp_render *render, struct dp_perfetto_lanes *lanes,
		       const struct dp_rank_call *call)
{
	struct dp_perfetto_event event = { .category = DP_SLICE_KERNEL,
					   .time_ns = call->start_ns,
					   .string = DP_NONE,
					   .name = dp_collective_kind_name(call->kind) };

	dp_perfetto_lanes__begin(render, lanes, event, call->end_ns);
	if (call->instance >= 0)
		dp_perfetto__flow(render, (uint64_t)call->instance + 1, false);
	if (call->bytes)
		dp_perfetto__integer(render, DP_KEY_BYTES, (int64_t)call->bytes);
	dp_perfetto__value(render, 0, "wait_ns", (double)call->wait_ns, "ns");
	if (call->iteration >= 0)
		dp_perfetto__value(render, 0, "iteration", (double)call->iteration, "count");
	dp_perfetto__name(render, "group", call->group);
	dp_perfetto__end(render);
	if (call->wait_ns <= 0)
		return;
	event.category = DP_SLICE_FOUND;
	event.name = "waiting for other ranks";
	dp_perfetto_lanes__begin(render, lanes, event,
				 call->start_ns +
					 DP_MIN(call->wait_ns, call->end_ns - call->start_ns));
	dp_perfetto__end(render);
}

static void write_calls(struct dp_render *render, const struct calls *calls, uint64_t parent)
{
	struct dp_perfetto_lanes lanes;

	init_lanes(&lanes, parent, "collectives", 1);
	for (size_t i = 0; i < calls->count && !render->status; i++)
		write_call(render, &lanes, &calls->calls[i]);
	dp_perfetto_lanes__finish(render, &lanes);
}

static void write_counters(struct dp_render *render, const struct dp_ranks *ranks, size_t r,
			   uint64_t parent)
{
	struct dp_perfetto_track tracks[] = {
		{ .parent = parent, .name = "own time", .unit = "ns", .rank = 2 },
		{ .parent = parent, .name = "waiting", .unit = "ns", .rank = 3 },
	};
	uint64_t own = dp_perfetto__track(render, &tracks[0]);
	uint64_t wait = dp_perfetto__track(render, &tracks[1]);

	for (size_t k = 0; k < dp_ranks_iteration_count(ranks) && !render->status; k++) {
		const struct dp_rank_iteration *at = dp_ranks_iteration(ranks, r, k);

		if (!at || !isfinite(at->period_ns))
			continue;
		dp_perfetto__count(render, own, at->start_ns, at->own_ns, "ns");
		dp_perfetto__count(render, wait, at->start_ns, at->wait_ns, "ns");
	}
}

static void write_rank(struct dp_render *render, const struct dp_ranks *ranks, size_t r,
		       const struct calls *calls)
{
	const struct dp_rank *rank = dp_ranks_rank(ranks, r);
	char name[DP_LABEL_SIZE + 2 * DP_NUMBER_SIZE], gpu[DP_NUMBER_SIZE] = "",
						       host[DP_LABEL_SIZE];
	struct dp_perfetto_track track = { .name = name, .rank = (int)r + 1 };
	uint64_t id;

	dp_label__text(host, rank->host, DP_LABEL_COLUMNS, false);
	if (rank->file_ranks > 1 && rank->device >= 0)
		snprintf(gpu, sizeof(gpu), " (GPU %lld)", (long long)rank->device);
	snprintf(name, sizeof(name), *host ? "rank %lld%s on %s" : "rank %lld%s%s",
		 (long long)rank->rank, gpu, host);
	id = dp_perfetto__track(render, &track);
	write_iterations(render, ranks, r, id);
	write_calls(render, calls, id);
	write_counters(render, ranks, r, id);
}

/* Spans from the first slow iteration of the blamed rank to its last. */
static void write_verdict(struct dp_render *render, const struct dp_ranks *ranks)
{
	const struct dp_ranks_verdict *verdict = dp_ranks_verdict(ranks);
	struct dp_perfetto_event event = { .category = DP_SLICE_FOUND,
					   .time_ns = INT64_MAX,
					   .string = DP_NONE };
	struct dp_perfetto_lanes lanes;
	struct dp_words words = { 0 }, cost = { 0 };
	int64_t end_ns = INT64_MIN;
	size_t r = verdict->rank_count ? verdict->ranks[0] : 0;

	for (size_t k = (size_t)verdict->since_iteration; k < dp_ranks_iteration_count(ranks);
	     k++) {
		const struct dp_rank_iteration *at = dp_ranks_iteration(ranks, r, k);

		if (!at || !isfinite(at->period_ns))
			continue;
		event.time_ns = DP_MIN(event.time_ns, at->start_ns);
		end_ns = at->start_ns + llround(at->period_ns);
	}
	if (verdict->kind == DP_VERDICT_NONE || event.time_ns == INT64_MAX)
		return;
	init_lanes(&lanes, 0, "verdict", 0);
	dp_ranks_words__headline(&words, ranks, false);
	dp_ranks_words__cost(&cost, render, ranks);
	event.name = words.text;
	dp_perfetto_lanes__begin(render, &lanes, event, end_ns);
	dp_perfetto__name(render, "costs", cost.text);
	dp_perfetto__text(render, DP_KEY_ADVICE, dp_ranks_words__advice(ranks));
	dp_perfetto__value(render, 0, "cost_ns", verdict->cost_ns, "ns");
	dp_perfetto__end(render);
	dp_perfetto_lanes__finish(render, &lanes);
}

static void write_all(struct dp_render *render, const void *what)
{
	const struct dp_ranks *ranks = what;
	struct dp_perfetto out = { .zero_ns = earliest(ranks) };
	struct calls calls = { NULL, 0, 0 };

	render->state = &out;
	dp_perfetto__head(render);
	write_verdict(render, ranks);
	for (size_t r = 0; r < dp_ranks_count(ranks) && !render->status; r++) {
		render->status = read_calls(&calls, ranks, r);
		if (render->status)
			dp_error__nomem(render->error, 0);
		else
			write_rank(render, ranks, r, &calls);
	}
	free(calls.calls);
	free(out.packet.bytes);
}

const struct dp_whole_renderer dp_ranks_renderer__ranks_perfetto = {
	.info = { "perfetto", "pftrace", "a timeline of all ranks on one clock", true, true },
	.write = write_all,
};
