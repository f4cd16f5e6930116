/* Maps agents to devices, and memory by address. Cost: constant for each record, expected. */
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
	free(rocm->pids);
}

/* Keys must differ from pids, which are not negative, and from -1 for none. */
int dp_rocm__add_process(struct dp_rocm *rocm, int64_t pid, int64_t *key)
{
	if (dp_array__reserve(&rocm->pids, &rocm->process_room, rocm->process_count + 1,
			      sizeof(*rocm->pids)))
		return dp_error__nomem(rocm->import->error, 0);
	rocm->pids[rocm->process_count++] = pid;
	*key = -1 - (int64_t)rocm->process_count;
	return DP_OK;
}

void dp_rocm__finish(struct dp_rocm *rocm)
{
	for (size_t i = 0; i < rocm->process_count; i++)
		dp_builder__pid(rocm->import->builder,
				dp_places__find_process(&rocm->places, -2 - (int64_t)i),
				rocm->pids[i]);
	dp_places__name_devices(&rocm->places, &rocm->gpus);
}

int dp_rocm__add_gpu(struct dp_rocm *rocm, int64_t process, int64_t agent, int64_t device,
		     const struct dp_gpu *gpu)
{
	struct dp_key key = { { process, agent } };
	int64_t id = (int64_t)rocm->gpu_count++;

	if (device < 0 || device >= DP_NONE)
		return DP_OK;
	if (dp_lookup__set(&rocm->agents, &key, (uint32_t)device) ||
	    dp_gpus__add(&rocm->gpus, id, device, gpu) ||
	    dp_gpus__map(&rocm->gpus, process, device, id))
		return dp_error__nomem(rocm->import->error, 0);
	return DP_OK;
}

static bool is_gpu(const struct dp_rocm *rocm, int64_t process, int64_t agent)
{
	struct dp_key key = { { process, agent } };

	return dp_lookup__get(&rocm->agents, &key) != DP_NONE;
}

int64_t dp_rocm__device(const struct dp_rocm *rocm, int64_t process, int64_t agent)
{
	struct dp_key key = { { process, agent } };
	uint32_t device = dp_lookup__get(&rocm->agents, &key);

	return device == DP_NONE ? agent : (int64_t)device;
}

void dp_rocm__set_copy(struct dp_op *op, bool from, bool to, bool peers)
{
	static const enum dp_copy_kind kinds[2][2] = { { DP_COPY_HTOH, DP_COPY_HTOD },
						       { DP_COPY_DTOH, DP_COPY_DTOD } };

	op->kind = DP_OP_COPY;
	op->copy_kind = from && to && peers ? DP_COPY_PTOP : kinds[from][to];
	/* The source does not record whether the host's memory is pinned. */
	op->src_kind = from ? DP_MEMORY_DEVICE : DP_MEMORY_UNKNOWN;
	op->dst_kind = to ? DP_MEMORY_DEVICE : DP_MEMORY_UNKNOWN;
}

int dp_rocm__copy(struct dp_rocm *rocm, struct dp_op *op, int64_t process, int64_t src, int64_t dst,
		  int64_t *agent)
{
	bool from = is_gpu(rocm, process, src);

	dp_rocm__set_copy(op, from, is_gpu(rocm, process, dst), src != dst);
	op->name = dp_builder__copy_name(rocm->import->builder, op->copy_kind);
	*agent = from ? src : dst;
	return op->name == DP_NONE ? rocm->import->error->status : DP_OK;
}

int dp_rocm__allocate(struct dp_rocm *rocm, int64_t time_ns, int64_t process, int64_t agent,
		      int64_t address, int64_t bytes)
{
	uint32_t device = dp_places__find_device(&rocm->places, process,
						 dp_rocm__device(rocm, process, agent));
	struct dp_key key = { { process, address } };

	if (device == DP_NONE || bytes <= 0 || rocm->block_count >= DP_NONE)
		return DP_OK;
	if (dp_array__reserve(&rocm->list, &rocm->block_room, rocm->block_count + 1,
			      sizeof(*rocm->list)) ||
	    dp_lookup__set(&rocm->blocks, &key, (uint32_t)rocm->block_count))
		return dp_error__nomem(rocm->import->error, 0);
	rocm->list[rocm->block_count++] = (struct dp_rocm_block){ device, (uint64_t)bytes };
	return dp_builder__add_memory(rocm->import->builder, time_ns, device, bytes);
}

int dp_rocm__free(struct dp_rocm *rocm, int64_t time_ns, int64_t process, int64_t address)
{
	struct dp_key key = { { process, address } };
	uint32_t block = dp_lookup__get(&rocm->blocks, &key);

	if (block == DP_NONE)
		return DP_OK;
	dp_lookup__remove(&rocm->blocks, &key);
	return dp_builder__add_memory(rocm->import->builder, time_ns, rocm->list[block].device,
				      -(int64_t)rocm->list[block].bytes);
}

bool dp_rocm__contains(const char *text, size_t length, const char *word)
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
		/* Operations on streams and threads have no duration of their own. */
		{ "HIP_STREAM", DP_ROCM_OTHER },  { "MARKER_CONTROL", DP_ROCM_OTHER },
		{ "MARKER_NAME", DP_ROCM_OTHER }, { "MARKER", DP_ROCM_MARKER },
		{ "HIP", DP_ROCM_CALL },	  { "HSA", DP_ROCM_CALL },
		{ "RCCL", DP_ROCM_OPERATOR },	  { "ROCDECODE", DP_ROCM_OPERATOR },
		{ "ROCJPEG", DP_ROCM_OPERATOR },  { "OMPT", DP_ROCM_OPERATOR },
		{ "host", DP_ROCM_OPERATOR },	  { "user", DP_ROCM_OPERATOR },
		{ "python", DP_ROCM_OPERATOR },	  { "mpi", DP_ROCM_OPERATOR },
	};

	for (size_t i = 0; i < DP_COUNT(known); i++)
		if (dp_rocm__contains(category, length, known[i].word))
			return known[i].region;
	return DP_ROCM_OTHER;
}
