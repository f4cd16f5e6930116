/*
 * Advice in the terms of PyTorch, from which most traces come, and its equivalent in terms of CUDA.
 */
#include "diagnose/diagnose.h"

#include <string.h>

static const struct {
	const char *pytorch; /* its beginning; the rest is replaced with it */
	const char *other;
} terms[] = {
	{ "overlap data loading with compute:",
	  "overlap data loading with compute: prepare the next input on another thread, in pinned "
	  "memory" },
	{ "avoid a synchronization in every iteration:",
	  "avoid a synchronization in every iteration: wait once, after the loop, or let streams "
	  "wait for events" },
	{ "reduce launch overhead:",
	  "reduce launch overhead: CUDA graphs, fewer and larger kernels" },
	{ "launch fewer, larger kernels:",
	  "launch fewer, larger kernels: fuse them, use CUDA graphs, give each launch more work" },
	{ "copy from pinned memory", "copy from pinned memory (cudaMallocHost)" },
	{ "copy asynchronously,",
	  "copy asynchronously (cudaMemcpyAsync), and wait where the result is needed" },
	{ "move less within the device:",
	  "move less within the device: write results in place, or where the next kernel reads them" },
	{ "find the tensor that grows",
	  "find the buffer that grows in the loop: lists, a sequence or a cache without a limit" },
	{ "the input comes late there:",
	  "the input comes late there: prepare it further ahead, or on faster storage" },
};

bool dp_advice__is_pytorch(const struct dp_trace *trace)
{
	static const char *const parts[] = { "aten::", "at::native", "autograd::", "ProfilerStep",
					     "Optimizer.", "enumerate(DataLoader)", "triton_" };
	const char *name;

	for (size_t i = 0; i < dp_trace_string_count(trace); i++) {
		name = dp_trace_string(trace, (uint32_t)i);
		for (size_t p = 0; p < DP_COUNT(parts); p++)
			if (strstr(name, parts[p]))
				return true;
	}
	return false;
}

const char *dp_advice__general(const char *advice)
{
	for (size_t i = 0; i < DP_COUNT(terms); i++)
		if (!strncmp(advice, terms[i].pytorch, strlen(terms[i].pytorch)))
			return terms[i].other;
	return advice;
}
