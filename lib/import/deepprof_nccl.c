/*
 * NCCL calls in deepprof's own trace file: an NVTX range that table nccl describes becomes a
 * collective of the range's thread, and thereby of the kernels that the range launches.
 */
#include "import/deepprof_private.h"
#include "import/nccl_call.h"

enum { NVTX, COMM, OP, BYTES, PEER, RANK, RANKS };

static int read_row(struct dp_cupti *cupti, struct dp_rows *rows)
{
	struct deepprof *deepprof = dp_deepprof__of(cupti);
	struct dp_key key = { { dp_rows__id(rows, NVTX) } };
	struct dp_nccl_call call = {
		.has_comm = !dp_rows__is_null(rows, COMM),
		.comm = (uint64_t)dp_rows__id(rows, COMM),
		.bytes = dp_rows__bytes(rows, BYTES),
		.peer = dp_rows__id(rows, PEER),
		.rank = dp_rows__id(rows, RANK),
		.ranks = (uint32_t)dp_rows__integer(rows, RANKS, 0, INT32_MAX, 0),
	};
	struct dp_collective made;

	if (dp_rows__is_null(rows, OP))
		return DP_OK;
	call.op = dp_rows__text(rows, OP, &call.length);
	if (!call.op || dp_nccl_call__collective(&made, cupti->import->builder, &call))
		return dp_cupti__failed(cupti);
	if (deepprof->nccl_count >= DP_NONE ||
	    dp_array__reserve(&deepprof->nccl, &deepprof->nccl_room, deepprof->nccl_count + 1,
			      sizeof(made)) ||
	    dp_lookup__set(&deepprof->nccl_rows, &key, (uint32_t)deepprof->nccl_count))
		return dp_cupti__nomem(cupti);
	deepprof->nccl[deepprof->nccl_count++] = made;
	return DP_OK;
}

const struct dp_cupti_table dp_deepprof__nccl[] = {
	{ "nccl",
	  read_row,
	  { [NVTX] = { "nvtx", true },
	    [COMM] = { "comm_hash", false },
	    [OP] = { "op", true },
	    [BYTES] = { "bytes", false },
	    [PEER] = { "peer", false },
	    [RANK] = { "rank", false },
	    [RANKS] = { "ranks", false } } },
	{ NULL },
};

int dp_deepprof__add_nccl(struct deepprof *deepprof, int64_t nvtx, const struct dp_range *range)
{
	struct dp_key key = { { nvtx } };
	uint32_t row = dp_lookup__get(&deepprof->nccl_rows, &key);
	struct dp_collective made;

	if (row == DP_NONE)
		return DP_OK;
	made = deepprof->nccl[row];
	made.start_ns = range->start_ns;
	made.end_ns = range->end_ns;
	made.thread = range->thread;
	return dp_builder__add_collective(deepprof->cupti.import->builder, &made);
}
