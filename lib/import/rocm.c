/* Agents to devices, memory by address. Cost: constant for each record, expected. */
#include "import/rocm.h"

#include <string.h>
#include <strings.h>

void dp_rocm__init(struct dp_rocm *rocm, const struct dp_import *import)
{
	memset(rocm, 0, sizeof(*rocm));
	rocm->import = import;
	dp_places__init(&rocm->places, import->builder, import->error);
}

void dp_rocm__fini(struct dp_rocm *rocm)
{
	dp_places__fini(&rocm->places);
	dp_gpus__fini(&rocm->gpus);
	dp_lookup__fini(&rocm->agents);
	dp_lookup__fini(&rocm->blocks);
	free(rocm->list);
}

int dp_rocm__add_gpu(struct dp_rocm *rocm, int64_t pid, int64_t agent, int64_t device,
		     const struct dp_gpu *gpu)
{
	struct dp_key key = { { pid, agent } };
	int64_t id = (int64_t)rocm->gpu_count++;

	if (device < 0 || device >= DP_NONE)
		return DP_OK;
	if (dp_lookup__set(&rocm->agents, &key, (uint32_t)device) ||
	    dp_gpus__add(&rocm->gpus, id, device, gpu) ||
	    dp_gpus__map(&rocm->gpus, pid, device, id))
		return dp_error__nomem(rocm->import->error, 0);
	return DP_OK;
}

int64_t dp_rocm__device(const struct dp_rocm *rocm, int64_t pid, int64_t agent)
{
	struct dp_key key = { { pid, agent } };
	uint32_t device = dp_lookup__get(&rocm->agents, &key);

	return device == DP_NONE ? agent : (int64_t)device;
}

static bool ends_with(const char *text, size_t length, const char *end)
{
	size_t n = strlen(end);

	return length > n && !memcmp(text + length - n, end, n);
}

uint32_t dp_rocm__kernel_name(struct dp_rocm *rocm, const char *text, size_t length)
{
	static const char *const descriptor[] = { " [clone .kd]", ".kd" };

	for (size_t i = 0; i < DP_COUNT(descriptor); i++)
		if (ends_with(text, length, descriptor[i]))
			length -= strlen(descriptor[i]);
	return dp_builder__kernel_name(rocm->import->builder, text, length);
}

int dp_rocm__copy(struct dp_rocm *rocm, struct dp_op *op, const char *text, size_t length)
{
	static const struct {
		const char *end;
		enum dp_copy_kind kind;
		enum dp_memory_kind src, dst;
	} known[] = {
		/* Whether the host's memory is pinned is not recorded. */
		{ "HOST_TO_DEVICE", DP_COPY_HTOD, DP_MEMORY_UNKNOWN, DP_MEMORY_DEVICE },
		{ "DEVICE_TO_HOST", DP_COPY_DTOH, DP_MEMORY_DEVICE, DP_MEMORY_UNKNOWN },
		{ "DEVICE_TO_DEVICE", DP_COPY_DTOD, DP_MEMORY_DEVICE, DP_MEMORY_DEVICE },
		{ "HOST_TO_HOST", DP_COPY_HTOH, DP_MEMORY_UNKNOWN, DP_MEMORY_UNKNOWN },
	};

	op->kind = DP_OP_COPY;
	for (size_t i = 0; i < DP_COUNT(known); i++) {
		if (!ends_with(text, length, known[i].end))
			continue;
		op->copy_kind = known[i].kind;
		op->src_kind = known[i].src;
		op->dst_kind = known[i].dst;
	}
	op->name = dp_builder__copy_name(rocm->import->builder, op->copy_kind);
	return op->name == DP_NONE ? rocm->import->error->status : DP_OK;
}

int dp_rocm__allocate(struct dp_rocm *rocm, int64_t time_ns, int64_t pid, int64_t agent,
		      int64_t address, int64_t bytes)
{
	uint32_t device =
		dp_places__find_device(&rocm->places, pid, dp_rocm__device(rocm, pid, agent));
	struct dp_key key = { { pid, address } };

	if (device == DP_NONE || bytes <= 0 || rocm->block_count >= DP_NONE)
		return DP_OK;
	if (dp_array__reserve(&rocm->list, &rocm->block_room, rocm->block_count + 1,
			      sizeof(*rocm->list)) ||
	    dp_lookup__set(&rocm->blocks, &key, (uint32_t)rocm->block_count))
		return dp_error__nomem(rocm->import->error, 0);
	rocm->list[rocm->block_count++] = (struct dp_rocm_block){ device, (uint64_t)bytes };
	return dp_builder__add_memory(rocm->import->builder, time_ns, device, bytes);
}

int dp_rocm__free(struct dp_rocm *rocm, int64_t time_ns, int64_t pid, int64_t address)
{
	struct dp_key key = { { pid, address } };
	uint32_t block = dp_lookup__get(&rocm->blocks, &key);

	if (block == DP_NONE)
		return DP_OK;
	dp_lookup__remove(&rocm->blocks, &key);
	return dp_builder__add_memory(rocm->import->builder, time_ns, rocm->list[block].device,
				      -(int64_t)rocm->list[block].bytes);
}

static bool contains(const char *text, size_t length, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= length; i++)
		if (!strncasecmp(text + i, word, n))
			return true;
	return false;
}

enum dp_rocm_region dp_rocm__region(const char *category, size_t length)
{
	static const struct {
		const char *word;
		enum dp_rocm_region region;
	} known[] = {
		/* What is done to streams and threads has no length of its own. */
		{ "HIP_STREAM", DP_ROCM_OTHER },  { "MARKER_CONTROL", DP_ROCM_OTHER },
		{ "MARKER_NAME", DP_ROCM_OTHER }, { "MARKER", DP_ROCM_MARKER },
		{ "HIP", DP_ROCM_CALL },	  { "HSA", DP_ROCM_CALL },
		{ "RCCL", DP_ROCM_OPERATOR },	  { "ROCDECODE", DP_ROCM_OPERATOR },
		{ "ROCJPEG", DP_ROCM_OPERATOR },  { "OMPT", DP_ROCM_OPERATOR },
		{ "host", DP_ROCM_OPERATOR },	  { "user", DP_ROCM_OPERATOR },
		{ "python", DP_ROCM_OPERATOR },	  { "mpi", DP_ROCM_OPERATOR },
	};

	for (size_t i = 0; i < DP_COUNT(known); i++)
		if (contains(category, length, known[i].word))
			return known[i].region;
	return DP_ROCM_OTHER;
}
