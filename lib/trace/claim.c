/*
 * Assigns devices to processes. Some sources file operations by device and never name the process.
 * If several processes made calls, each counts how many of the device's operations have a
 * correlation id of one of its launches, copies or memsets; ids of processes overlap, but only the
 * right process has them all. Cost: the calls are sorted once, and at most SAMPLE operations of
 * each device are looked up.
 */
#include "trace/builder_model.h"

#define SAMPLE 4096
#define MOST_PROCESSES 64

struct claim {
	struct dp_builder *builder;
	uint32_t process; /* that all devices were filed under */
	uint64_t *keys;	  /* correlation and process of calls, sorted */
	size_t key_count;
	uint32_t *votes; /* by device and process */
	uint32_t *asked; /* operations looked up, by device */
	bool *taken;	 /* by process */
};

static int compare_keys(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void collect(struct claim *claim)
{
	const struct dp_columns *calls = &claim->builder->calls;

	for (size_t i = 0; i < calls->count; i++) {
		uint32_t thread = DP_CELL(calls, uint32_t, CALL_THREAD, i);
		uint64_t correlation = DP_CELL(calls, uint32_t, CALL_CORRELATION, i);
		uint8_t kind = DP_CELL(calls, uint8_t, CALL_KIND, i);

		if (!correlation || thread >= claim->builder->thread_count ||
		    kind == DP_CALL_SYNC || kind == DP_CALL_MEMORY)
			continue;
		claim->keys[claim->key_count++] =
			correlation << 32 | claim->builder->threads[thread].process;
	}
	if (claim->key_count)
		qsort(claim->keys, claim->key_count, sizeof(*claim->keys), compare_keys);
}

static void vote(struct claim *claim)
{
	const struct dp_builder *builder = claim->builder;
	const struct dp_columns *ops = &builder->ops;

	for (size_t i = 0; i < ops->count; i++) {
		uint32_t device = builder->streams[DP_CELL(ops, uint32_t, OP_STREAM, i)].device;
		uint64_t key = (uint64_t)DP_CELL(ops, uint32_t, OP_CORRELATION, i) << 32;
		uint32_t *votes = claim->votes + device * builder->process_count;

		if (key == 0 || builder->devices[device].process != claim->process ||
		    claim->asked[device] >= SAMPLE)
			continue;
		claim->asked[device]++;
		for (uint32_t p = 0; p < builder->process_count; p++) {
			uint64_t wanted = key | p;

			votes[p] += bsearch(&wanted, claim->keys, claim->key_count, sizeof(wanted),
					    compare_keys) != NULL;
		}
	}
}

/* Of equals, returns one that has no device yet, then the first. */
static uint32_t winner(const struct claim *claim, uint32_t device)
{
	const uint32_t *votes = claim->votes + device * claim->builder->process_count;
	uint32_t best = claim->process;

	for (uint32_t p = 0; p < claim->builder->process_count; p++)
		if (votes[p] > votes[best] ||
		    (votes[p] && votes[p] == votes[best] && claim->taken[best] && !claim->taken[p]))
			best = p;
	return best;
}

static void move(struct claim *claim)
{
	struct dp_builder *builder = claim->builder;

	for (uint32_t d = 0; d < builder->device_count; d++) {
		if (builder->devices[d].process != claim->process || !claim->asked[d])
			continue;
		builder->devices[d].process = winner(claim, d);
		claim->taken[builder->devices[d].process] = true;
	}
	for (size_t s = 0; s < builder->stream_count; s++)
		builder->streams[s].process = builder->devices[builder->streams[s].device].process;
}

int dp_builder__claim_devices(struct dp_builder *builder, uint32_t process)
{
	struct claim claim = { .builder = builder, .process = process };
	size_t processes = builder->process_count, devices = builder->device_count;
	int status = builder->status;

	if (status || processes < 2 || processes > MOST_PROCESSES || !builder->calls.count ||
	    process >= processes)
		return status;
	claim.keys = dp_alloc__array(builder->calls.count, sizeof(*claim.keys));
	claim.votes = dp_alloc__zeroed(dp_size__mul(devices, processes), sizeof(*claim.votes));
	claim.asked = dp_alloc__zeroed(devices, sizeof(*claim.asked));
	claim.taken = dp_alloc__zeroed(processes, sizeof(*claim.taken));
	if (!claim.keys || !claim.votes || !claim.asked || !claim.taken) {
		status = dp_builder__fail(builder, DP_ERR_NOMEM);
		goto out;
	}
	collect(&claim);
	vote(&claim);
	move(&claim);
out:
	free(claim.keys);
	free(claim.votes);
	free(claim.asked);
	free(claim.taken);
	return status;
}
