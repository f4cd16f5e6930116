#include "import/nccl_call.h"

#include <stdio.h>
#include <string.h>

static bool ends_with(const struct dp_nccl_call *call, const char *word)
{
	size_t length = strlen(word);

	return call->length >= length &&
	       !memcmp(call->op + call->length - length, word, length);
}

static int32_t rank_of(int64_t rank)
{
	return rank >= 0 && rank <= INT32_MAX ? (int32_t)rank : -1;
}

int dp_nccl_call__collective(struct dp_collective *made, struct dp_builder *builder,
			     const struct dp_nccl_call *call)
{
	size_t prefix = call->length > 4 && !memcmp(call->op, "nccl", 4) ? 4 : 0;
	char group[32];

	*made = (struct dp_collective){
		.stream = DP_NONE,
		.thread = DP_NONE,
		.sequence = -1,
		.group = DP_NONE,
		.bytes = call->bytes,
		.group_size = call->ranks,
		.peer = rank_of(call->peer),
		.self = rank_of(call->rank),
	};
	/* NCCL gives what each rank sends to an all-gather and receives from a reduce-scatter. */
	if (call->ranks && (ends_with(call, "AllGather") || ends_with(call, "ReduceScatter")) &&
	    __builtin_mul_overflow(call->bytes, call->ranks, &made->bytes))
		made->bytes = 0;
	made->name = dp_builder__string(builder, call->op + prefix, call->length - prefix);
	if (call->has_comm) {
		int n = snprintf(group, sizeof(group), "comm %016llx",
				 (unsigned long long)call->comm);

		made->group = dp_builder__string(builder, group, (size_t)n);
	}
	return made->name == DP_NONE || (call->has_comm && made->group == DP_NONE) ? DP_ERR_NOMEM
										   : DP_OK;
}
