/*
 * The only table of communication kernels, for streams, metrics and reports: prefixes of libraries,
 * and names of the all-reduce kernels of frameworks. A new library is one row.
 */
#include "base/communication.h"
#include "base/base.h"

#include <string.h>

static const struct {
	const char *word; /* lower case, without separators */
	bool first;	  /* the name begins with it */
} words[] = {
	{ "nccl", true },	    /* ncclDevKernel_AllReduce_…, ncclKernel_… */
	{ "rccl", true },
	{ "hccl", true },
	{ "oneccl", false },
	{ "mscclkernel", false },   /* MSCCL */
	{ "mscclpp", false },	    /* MSCCL++ */
	{ "nvshmem", false },
	{ "deepep", false },	    /* deep_ep::intranode::dispatch */
	{ "crossdevicereduce", false }, /* vLLM, SGLang: vllm::cross_device_reduce_1stage */
	{ "quickreduce", false },	/* quickreduce::allreduce_prototype_twoshot */
	{ "allreduce", false }, /* TensorRT-LLM, FlashInfer, PyTorch: one_shot_all_reduce_kernel */
	{ "reducescatter", false },
	{ "allgather", false },
	{ "alltoall", false },
	{ "userbuffersfp", false }, /* Transformer Engine */
};

static bool is_between(char c)
{
	return c == '_' || c == '-' || c == ' ';
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* Returns true if word continues at at, ignoring case and separators; first letters match. */
static bool goes_on(const char *at, const char *word)
{
	for (at++, word++; *word && *at; at++) {
		if (is_between(*at))
			continue;
		if (lower(*at) != *word)
			return false;
		word++;
	}
	return !*word;
}

bool dp_communication__is_kernel(const char *name)
{
	if (!strncmp(name, "void ", 5))
		name += 5;
	for (const char *at = name; *at; at++) {
		char c = lower(*at);

		for (size_t i = 0; i < DP_COUNT(words); i++)
			if (words[i].word[0] == c && (at == name || !words[i].first) &&
			    goes_on(at, words[i].word))
				return true;
	}
	return false;
}

enum dp_nccl_field dp_communication__nccl_field(const char *name, size_t length)
{
	static const struct {
		const char *word;
		enum dp_nccl_field field;
	} known[] = {
		{ "NCCL communicator ID", DP_NCCL_COMM },
		{ "NCCL unique ID", DP_NCCL_COMM },
		{ "Message size [bytes]", DP_NCCL_BYTES },
		{ "Bytes", DP_NCCL_BYTES },
		{ "Reduction operation", DP_NCCL_REDUCTION },
		{ "Reduction op", DP_NCCL_REDUCTION },
		{ "Root", DP_NCCL_ROOT },
		{ "Root rank", DP_NCCL_ROOT },
		{ "Peer rank", DP_NCCL_PEER },
		{ "Peer", DP_NCCL_PEER },
		{ "Rank", DP_NCCL_RANK },
		{ "No. of ranks", DP_NCCL_RANKS },
		{ "Number of ranks", DP_NCCL_RANKS },
	};

	for (size_t i = 0; i < DP_COUNT(known); i++)
		if (strlen(known[i].word) == length && !memcmp(name, known[i].word, length))
			return known[i].field;
	return DP_NCCL_FIELDS;
}
