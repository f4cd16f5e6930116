/*
 * Links operations to calls by process and correlation id. Ids have 32 bits and wrap, so of several
 * calls with one id, the latest that began before the operation is meant: both are visited in order
 * of time, and the newest call per id is kept. Of a driver call inside a runtime call, the outer
 * one is kept. The clocks of host and device may differ: an operation without an earlier call takes
 * any call with its id. Cost: linear, expected.
 */
#include "trace/link.h"
#include "base/hash.h"

/*
 * Ids of one process are mostly so close together that each gets a slot of its own, without a hash
 * and without reading the call: consecutive calls have neighboring slots. CUPTI also counts calls
 * that are not recorded; this many ids per call take 16 bytes of slots.
 */
#define IDS_PER_CALL 4

struct link {
	const struct dp_builder *builder;
	uint32_t *slots; /* call + 1; 0 is free */
	size_t mask;	 /* of slots found by hash */
	struct dp_hash_key key;
	bool dense;	      /* the slot of an id is its distance from least */
	uint32_t least, most; /* ids of calls */
};

static uint32_t call_process(const struct dp_builder *builder, uint32_t call)
{
	uint32_t thread = DP_CELL(&builder->calls, uint32_t, CALL_THREAD, call);

	return thread < builder->thread_count ? builder->threads[thread].process : 0;
}

static size_t slot_of(const struct link *link, uint32_t process, uint32_t correlation)
{
	const struct dp_columns *calls = &link->builder->calls;
	uint64_t word = (uint64_t)process << 32 | correlation;
	size_t at;

	if (link->dense)
		return correlation - link->least;
	at = (size_t)dp_hash__add(&link->key, link->key.a, word);
	for (at &= link->mask; link->slots[at]; at = (at + 1) & link->mask) {
		uint32_t call = link->slots[at] - 1;

		if (DP_CELL(calls, uint32_t, CALL_CORRELATION, call) == correlation &&
		    call_process(link->builder, call) == process)
			break;
	}
	return at;
}

static void remember(struct link *link, uint32_t call)
{
	const struct dp_columns *calls = &link->builder->calls;
	uint32_t correlation = DP_CELL(calls, uint32_t, CALL_CORRELATION, call), old;
	size_t at;

	if (!correlation)
		return;
	at = slot_of(link, call_process(link->builder, call), correlation);
	old = link->slots[at];
	if (old &&
	    DP_CELL(calls, int64_t, CALL_END, old - 1) >= DP_CELL(calls, int64_t, CALL_END, call))
		return;
	link->slots[at] = call + 1;
}

static uint32_t look_up(const struct link *link, size_t op)
{
	const struct dp_columns *ops = &link->builder->ops;
	uint32_t correlation = DP_CELL(ops, uint32_t, OP_CORRELATION, op);
	uint32_t stream = DP_CELL(ops, uint32_t, OP_STREAM, op);
	uint32_t found;

	if (!correlation || correlation < link->least || correlation > link->most)
		return DP_NONE;
	found = link->slots[slot_of(link, link->builder->streams[stream].process, correlation)];
	return found ? found - 1 : DP_NONE;
}

static void find_least_and_most(struct link *link)
{
	const struct dp_columns *calls = &link->builder->calls;

	link->least = UINT32_MAX;
	for (size_t call = 0; call < calls->count; call++) {
		uint32_t correlation = DP_CELL(calls, uint32_t, CALL_CORRELATION, call);

		if (!correlation)
			continue;
		link->least = DP_MIN(link->least, correlation);
		link->most = DP_MAX(link->most, correlation);
	}
}

/* Returns the number of slots. */
static size_t count_slots(struct link *link)
{
	size_t calls = link->builder->calls.count, size = 64;

	link->dense = link->builder->process_count <= 1 && link->most >= link->least &&
		      (link->most - link->least) / IDS_PER_CALL < calls;
	if (link->dense)
		return (size_t)(link->most - link->least) + 1;
	while (size < calls + calls / 2)
		size *= 2;
	link->mask = size - 1;
	return size;
}

static void link_all(struct link *link)
{
	const struct dp_columns *calls = &link->builder->calls, *ops = &link->builder->ops;
	size_t call = 0, missing = 0;

	for (size_t op = 0; op < ops->count; op++) {
		int64_t start_ns = DP_CELL(ops, int64_t, OP_START, op);

		for (; call < calls->count && DP_CELL(calls, int64_t, CALL_START, call) <= start_ns;
		     call++)
			remember(link, (uint32_t)call);
		DP_CELL(ops, uint32_t, OP_CALL, op) = look_up(link, op);
		missing += DP_CELL(ops, uint32_t, OP_CALL, op) == DP_NONE;
	}
	for (; call < calls->count; call++)
		remember(link, (uint32_t)call);
	for (size_t op = 0; missing && op < ops->count; op++)
		if (DP_CELL(ops, uint32_t, OP_CALL, op) == DP_NONE)
			DP_CELL(ops, uint32_t, OP_CALL, op) = look_up(link, op);
}

int dp_builder__link_calls(struct dp_builder *builder)
{
	struct link link = { .builder = builder };

	if (!builder->calls.count)
		return DP_OK;
	find_least_and_most(&link);
	link.slots = dp_alloc__zeroed(count_slots(&link), sizeof(*link.slots));
	if (!link.slots)
		return dp_builder__fail(builder, DP_ERR_NOMEM);
	dp_hash__draw(&link.key);
	link_all(&link);
	free(link.slots);
	return DP_OK;
}
