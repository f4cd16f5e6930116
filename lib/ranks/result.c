/* The memory of a result, and its accessors. */
#include "base/options.h"
#include "ranks/job.h"

#include <string.h>

const char *dp_ranks__text(struct dp_ranks *ranks, const char *text)
{
	uint32_t id = dp_strings__intern(&ranks->texts, text, strlen(text));

	return id == DP_NONE ? NULL : dp_strings__get(&ranks->texts, id);
}

void dp_ranks_free(struct dp_ranks *ranks)
{
	if (!ranks || atomic_fetch_sub(&ranks->more_owners, 1))
		return;
	free(ranks->ranks);
	free(ranks->left_out);
	free(ranks->cells);
	free(ranks->has);
	for (size_t r = 0; ranks->calls && r < ranks->count; r++)
		free(ranks->calls[r]);
	free(ranks->calls);
	dp_strings__fini(&ranks->groups);
	free(ranks->collectives);
	free(ranks->blamed);
	free(ranks->stragglers);
	free(ranks->paused);
	dp_strings__fini(&ranks->texts);
	free(ranks);
}

struct dp_ranks *dp_ranks_retain(const struct dp_ranks *ranks)
{
	struct dp_ranks *owned = (struct dp_ranks *)ranks;

	atomic_fetch_add(&owned->more_owners, 1);
	return owned;
}

size_t dp_ranks_count(const struct dp_ranks *ranks)
{
	return ranks->count;
}

const struct dp_rank *dp_ranks_rank(const struct dp_ranks *ranks, size_t index)
{
	return index < ranks->count ? &ranks->ranks[index] : NULL;
}

const struct dp_left_out *dp_ranks_left_out(const struct dp_ranks *ranks, size_t index)
{
	return index < ranks->left_out_count ? &ranks->left_out[index] : NULL;
}

size_t dp_ranks_iteration_count(const struct dp_ranks *ranks)
{
	return ranks->iterations;
}

const struct dp_rank_iteration *dp_ranks_iteration(const struct dp_ranks *ranks, size_t rank,
						   size_t iteration)
{
	size_t at = rank * ranks->iterations + iteration;

	if (rank >= ranks->count || iteration >= ranks->iterations || !ranks->has[at])
		return NULL;
	return &ranks->cells[at];
}

bool dp_ranks_call(const struct dp_ranks *ranks, size_t rank, size_t index,
		   struct dp_rank_call *call)
{
	const struct dp_ranks_call *from;
	struct dp_rank_call all;

	if (rank >= ranks->count || index >= ranks->ranks[rank].collectives ||
	    !dp_options__is_known(call->size, sizeof(all)))
		return false;
	from = &ranks->calls[rank][index];
	all = (struct dp_rank_call){
		.start_ns = from->start_ns,
		.end_ns = from->end_ns,
		.wait_ns = from->wait_ns,
		.bytes = from->bytes,
		.kind = (enum dp_collective_kind)from->kind,
		.group = dp_strings__get(&ranks->groups, from->group),
		.iteration = from->iteration == DP_NONE ? -1 : (int64_t)from->iteration,
		.instance = from->instance == DP_NONE ? -1 : (int64_t)from->instance,
	};
	dp_options__give(call, &all);
	return true;
}

const struct dp_ranks_matching *dp_ranks_matching(const struct dp_ranks *ranks)
{
	return &ranks->matching;
}

const struct dp_ranks_collective *dp_ranks_collective(const struct dp_ranks *ranks, size_t index)
{
	return index < ranks->collective_count ? &ranks->collectives[index] : NULL;
}

const struct dp_ranks_verdict *dp_ranks_verdict(const struct dp_ranks *ranks)
{
	return &ranks->verdict;
}

const struct dp_ranks_straggler *dp_ranks_straggler(const struct dp_ranks *ranks, size_t index)
{
	return index < ranks->straggler_count ? &ranks->stragglers[index] : NULL;
}

const struct dp_ranks_pauses *dp_ranks_pauses(const struct dp_ranks *ranks)
{
	return ranks->pauses.count ? &ranks->pauses : NULL;
}

int dp_ranks__blame(struct dp_ranks *ranks, const uint32_t *blamed, size_t count)
{
	uint32_t *kept = dp_alloc__array(count + 1, sizeof(*kept));

	if (!kept)
		return DP_ERR_NOMEM;
	if (count)
		memcpy(kept, blamed, count * sizeof(*kept));
	free(ranks->blamed);
	ranks->blamed = kept;
	ranks->verdict.ranks = kept;
	ranks->verdict.rank_count = count;
	return DP_OK;
}
