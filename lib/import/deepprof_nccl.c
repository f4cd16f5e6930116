/*
 * Calls of NCCL in deepprof's own trace file: what table nccl says of an NVTX range becomes a
 * collective of the range's thread, from which the kernels that it launches have it.
 */
#include "import/deepprof_private.h"

#include <stdio.h>
#include <string.h>

enum { NVTX, COMM, OP, BYTES, PEER, RANK, RANKS, COLUMNS };

static int read_row(struct deepprof *deepprof, struct dp_rows *rows)
{
	struct dp_key key = { { dp_rows__id(rows, NVTX) } };
	struct dp_collective made = { .stream = DP_NONE, .sequence = -1, .group = DP_NONE };
	const char *op;
	char group[32];
	size_t length;

	if (dp_rows__is_null(rows, OP))
		return DP_OK;
	op = dp_rows__text(rows, OP, &length);
	if (!op)
		return dp_deepprof__failed(deepprof);
	made.name = dp_builder__string(deepprof->import->builder, op, length);
	made.bytes = dp_rows__bytes(rows, BYTES);
	made.group_size = (uint32_t)dp_rows__integer(rows, RANKS, 0, INT32_MAX, 0);
	made.peer = dp_rows__is_null(rows, PEER)
			    ? -1
			    : (int32_t)dp_rows__integer(rows, PEER, 0, INT32_MAX, -1);
	made.self = dp_rows__is_null(rows, RANK)
			    ? -1
			    : (int32_t)dp_rows__integer(rows, RANK, 0, INT32_MAX, -1);
	/* NCCL states what each rank gives to all-gather and gets of reduce-scatter. */
	if (made.group_size && (strstr(op, "AllGather") || strstr(op, "ReduceScatter")) &&
	    __builtin_mul_overflow(made.bytes, made.group_size, &made.bytes))
		made.bytes = 0;
	if (!dp_rows__is_null(rows, COMM)) {
		int n = snprintf(group, sizeof(group), "comm %016llx",
				 (unsigned long long)dp_rows__id(rows, COMM));

		made.group = dp_builder__string(deepprof->import->builder, group, (size_t)n);
		if (made.group == DP_NONE)
			return dp_deepprof__failed(deepprof);
	}
	if (made.name == DP_NONE)
		return dp_deepprof__failed(deepprof);
	if (deepprof->nccl_count >= DP_NONE ||
	    dp_array__reserve(&deepprof->nccl, &deepprof->nccl_room, deepprof->nccl_count + 1,
			      sizeof(made)) ||
	    dp_lookup__set(&deepprof->nccl_rows, &key, (uint32_t)deepprof->nccl_count))
		return dp_deepprof__nomem(deepprof);
	deepprof->nccl[deepprof->nccl_count++] = made;
	return DP_OK;
}

int dp_deepprof__scan_nccl(struct deepprof *deepprof)
{
	static const struct dp_column columns[COLUMNS] = {
		[NVTX] = { "nvtx", true },    [COMM] = { "comm_hash", false },
		[OP] = { "op", true },	      [BYTES] = { "bytes", false },
		[PEER] = { "peer", false },   [RANK] = { "rank", false },
		[RANKS] = { "ranks", false },
	};

	return dp_deepprof__scan(deepprof, "nccl", columns, COLUMNS, read_row);
}

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
	return dp_builder__add_collective(deepprof->import->builder, &made);
}
