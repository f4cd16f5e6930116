/*
 * Advice in the terms of PyTorch, from which most traces come, and its equivalent in terms of CUDA;
 * for traces of HIP, with HIP's names.
 */
#include "diagnose/diagnose.h"

#include <ctype.h>
#include <string.h>

static const struct {
	const char *training; /* its beginning; the rest is replaced with it */
	const char *cuda;
	const char *pytorch; /* without an optimizer, if it differs */
	bool loads;	     /* it is about PyTorch's loaders */
} phrases[] = {
	{ "overlap data loading with compute:",
	  "while the GPU computes, prepare what is uploaded next: on another thread, in pinned "
	  "memory",
	  .loads = true },
	{ "avoid a synchronization in every iteration:",
	  "avoid a synchronization in every iteration: read results every few iterations, wait "
	  "after the loop, or let streams wait for events" },
	{ "reduce launch overhead:",
	  "reduce launch overhead: CUDA graphs, fewer and larger kernels",
	  "reduce launch overhead: CUDA graphs or torch.compile, larger batches" },
	{ "keep what warm-up creates for later runs:",
	  "the first launches load or compile code, and the first calls allocate memory: let them "
	  "run before what is measured or timed",
	  "keep what warm-up creates for later runs: compiled kernels, autotuning results" },
	{ "launch fewer, larger kernels:",
	  "launch fewer, larger kernels: fuse them, use CUDA graphs, give each launch more work" },
	{ "copy from pinned memory",
	  "copy from pinned memory (cudaMallocHost), in less than half the time" },
	{ "upload from pinned memory (pin",
	  "upload from pinned memory (cudaMallocHost): with pageable memory, the host takes part in "
	  "each upload" },
	{ "copy asynchronously,",
	  "copy asynchronously (cudaMemcpyAsync), and wait where the result is needed" },
	{ "move less within the device:",
	  "move less within the device: write results in place, or where the next kernel reads them" },
	{ "if this is start-up, record a later part of the run; if these copies",
	  "if this is start-up, record a later part of the run; if these copies recur, make them "
	  "asynchronous: cudaMemcpyAsync, from and to pinned memory (cudaMallocHost)" },
	{ "unless the work is meant to grow,",
	  "unless the work is meant to grow, as in a search that widens, find the buffer that grows in "
	  "the loop: a list, a sequence or a cache without a limit" },
	{ "the host stalls there:",
	  "the host stalls there: look for files that it reads or writes, locks, other load" },
	{ "the host launches more slowly there:",
	  "the host launches more slowly there: look for other load on its cores, power saving" },
	{ "it may be waiting for another rank:",
	  "it may be waiting for another rank: compare all ranks' traces (deepprof ranks); else "
	  "overlap communication with compute, or communicate less",
	  "it may be waiting for another rank: compare all ranks' traces (deepprof ranks); else "
	  "overlap communication with compute, or communicate less" },
	{ "the input comes late there:",
	  "the input comes late there: prepare it further ahead, or on faster storage",
	  .loads = true },
};

/* CUDA's names in advice, and HIP's counterparts. */
static const struct {
	const char *cuda;
	const char *hip;
} counterparts[] = {
	{ "CUDA graph", "HIP graph" },
	{ "CUDA_MODULE_LOADING=EAGER", "HIP_ENABLE_DEFERRED_LOADING=0" },
	{ "cudaMallocAsync", "hipMallocAsync" },
	{ "cudaMallocHost", "hipHostMalloc" },
	{ "cudaMemcpyAsync", "hipMemcpyAsync" },
	{ "cudaMemPrefetchAsync", "hipMemPrefetchAsync" },
};

static bool mentions(const char *name, const char *const *parts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strstr(name, parts[i]))
			return true;
	return false;
}

enum dp_terms dp_advice__terms(const struct dp_trace *trace)
{
	/* of the host */
	static const char *const pytorch[] = { "aten::", "autograd::", "ProfilerStep",
					       "DataLoader" };
	static const char *const kernels[] = {
		"at::native",
		/* Inductor's kernels by kind; XLA also names kernels and passes after Triton */
		"triton_poi_", "triton_red_", "triton_per_", "triton_tem_", "triton_for_",
		"triton_spl_", "triton_unk_"
	};
	static const char *const training[] = { "Optimizer.", "multi_tensor_apply" };
	enum dp_terms terms = DP_TERMS_CUDA;

	for (size_t i = 0; i < dp_trace_string_count(trace); i++) {
		const char *name = dp_trace_string(trace, (uint32_t)i);

		if (mentions(name, training, DP_COUNT(training)))
			return DP_TERMS_TRAINING;
		if (mentions(name, pytorch, DP_COUNT(pytorch)))
			terms = DP_TERMS_PYTORCH;
		else if (terms == DP_TERMS_CUDA && mentions(name, kernels, DP_COUNT(kernels)))
			terms = DP_TERMS_TENSORS;
	}
	return terms;
}

const char *dp_advice__in_terms(const char *advice, enum dp_terms terms)
{
	for (size_t i = 0; terms != DP_TERMS_TRAINING && i < DP_COUNT(phrases); i++) {
		if (strncmp(advice, phrases[i].training, strlen(phrases[i].training)) != 0)
			continue;
		if (terms == DP_TERMS_CUDA || (terms == DP_TERMS_TENSORS && phrases[i].loads))
			return phrases[i].cuda;
		return phrases[i].pytorch ? phrases[i].pytorch : advice;
	}
	return advice;
}

bool dp_advice__is_hip(const struct dp_trace *trace)
{
	const struct dp_calls *calls = dp_trace_calls(trace);

	for (size_t i = 0; i < calls->count; i++) {
		const char *name = dp_trace_string(trace, calls->name[i]);

		if (!strncmp(name, "hip", 3) && isupper((unsigned char)name[3]))
			return true;
		if (!strncmp(name, "cu", 2))
			return false;
	}
	for (size_t i = 0; i < dp_trace_device_count(trace); i++)
		if (!strncmp(dp_trace_string(trace, dp_trace_device(trace, i)->name), "AMD ", 4))
			return true;
	return false;
}

void dp_advice__use_hip(char advice[DP_ADVICE_SIZE], const char *text)
{
	size_t used = 0, i, length;

	while (*text && used + 1 < DP_ADVICE_SIZE) {
		for (i = 0; i < DP_COUNT(counterparts); i++)
			if (!strncmp(text, counterparts[i].cuda, strlen(counterparts[i].cuda)))
				break;
		if (i == DP_COUNT(counterparts)) {
			advice[used++] = *text++;
			continue;
		}
		text += strlen(counterparts[i].cuda);
		length = DP_MIN(strlen(counterparts[i].hip), DP_ADVICE_SIZE - 1 - used);
		memcpy(advice + used, counterparts[i].hip, length);
		used += length;
	}
	advice[used] = 0;
}
