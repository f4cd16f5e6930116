/*
 * NVTX: pushes and pops are matched within their thread and domain, starts and ends within the
 * process. A range's row is written when the range ends. Cost: constant for each event.
 */
#include "record/nvtx.h"
#include "format/schema.h"
#include "record/convert.h"

#include <string.h>

/* nvtxPayloadType_t. */
enum { PAYLOAD_U64 = 1, PAYLOAD_I64, PAYLOAD_DOUBLE, PAYLOAD_U32, PAYLOAD_I32, PAYLOAD_FLOAT };

void dp_nvtx__fini(struct dp_nvtx *nvtx)
{
	free(nvtx->open);
	free(nvtx->layouts);
	dp_lookup__fini(&nvtx->latest);
	dp_lookup__fini(&nvtx->depths);
	dp_lookup__fini(&nvtx->places);
	memset(nvtx, 0, sizeof(*nvtx));
}

static void put_payload(struct dp_bulk_row *row, uint32_t type, uint64_t bits)
{
	uint32_t half = (uint32_t)bits;
	int32_t small;
	double real;
	float single;

	switch (type) {
	case PAYLOAD_U64:
	case PAYLOAD_I64:
		dp_bulk__put(row, (int64_t)bits);
		break;
	case PAYLOAD_U32:
		dp_bulk__put(row, half);
		break;
	case PAYLOAD_I32:
		memcpy(&small, &half, sizeof(small));
		dp_bulk__put(row, small);
		break;
	case PAYLOAD_DOUBLE:
		memcpy(&real, &bits, sizeof(real));
		dp_bulk__real(row, real);
		break;
	case PAYLOAD_FLOAT:
		memcpy(&single, &half, sizeof(single));
		dp_bulk__real(row, (double)single);
		break;
	default:
		dp_bulk__null(row);
	}
}

/* end_ns < start_ns: the range never ended. */
static int put_range(struct dp_source *source, const struct dp_open_range *range, int type,
		     int64_t end_ns)
{
	struct dp_db *db = &source->convert->db;
	struct dp_bulk_row row;
	bool ended = end_ns >= range->start_ns;
	int64_t name, domain, dur_ns = 0;
	int status = dp_source__string(source, range->name, &name);

	/* Times from a spool may be anything: a range of overflowing length never ended. */
	if (ended && __builtin_sub_overflow(end_ns, range->start_ns, &dur_ns))
		ended = false;
	if (!status)
		status = dp_source__string(source, range->domain, &domain);
	if (!status)
		status = dp_db__bulk(db, DP_BULK_NVTX, &row);
	if (status)
		return status;
	source->convert->result.events++;
	dp_bulk__put(&row, source->process);
	dp_bulk__put(&row, range->tid);
	dp_bulk__known(&row, domain != 0, domain);
	dp_bulk__known(&row, name != 0, name);
	dp_bulk__put(&row, type);
	dp_bulk__put(&row, range->start_ns);
	dp_bulk__known(&row, type != DP_SCHEMA_NVTX_MARK && ended, dur_ns);
	dp_bulk__known(&row, type == DP_SCHEMA_NVTX_PUSH_POP, range->depth);
	put_payload(&row, range->payload_type, range->payload);
	dp_source__saw(source, range->start_ns, DP_MAX(end_ns, range->start_ns));
	if (!range->nccl)
		return DP_OK;
	return dp_nccl__write(source, dp_db__last_id(db, DP_BULK_NVTX),
			      dp_spool__string(source->spool, range->name, NULL), &range->params);
}

static struct dp_open_range range_of(struct dp_source *source, const struct dp_spool_nvtx *event)
{
	struct dp_open_range range = {
		.start_ns = dp_clock__monotonic(&source->clock, (int64_t)event->monotonic_ns),
		.range = event->range,
		.payload = event->payload,
		.payload_type = event->payload_type,
		.domain = event->domain,
		.name = event->name,
		.tid = event->tid,
	};

	if (event->schema)
		range.nccl = dp_nccl__read(source, event, &range.params);
	return range;
}

/* NCCL reports what it learns during a call, a new communicator, at its end. */
static void take_payload(struct dp_source *source, struct dp_open_range *range,
			 const struct dp_spool_nvtx *event)
{
	if (event->schema && !range->nccl)
		range->nccl = dp_nccl__read(source, event, &range->params);
}

/* The key that matches an end: the thread and domain of a push, the number of a start. */
static struct dp_key key_of(const struct dp_open_range *range)
{
	if (range->started)
		return (struct dp_key){ { DP_SCHEMA_NVTX_START_END, (int64_t)range->range } };
	return (struct dp_key){ { DP_SCHEMA_NVTX_PUSH_POP, range->tid, range->domain } };
}

/* Returns a free slot; DP_NONE if memory runs out. */
static uint32_t take_slot(struct dp_nvtx *nvtx)
{
	uint32_t slot = nvtx->free;

	if (slot) {
		nvtx->free = nvtx->open[slot - 1].after;
		return slot - 1;
	}
	if (nvtx->count >= DP_NONE - 1 ||
	    dp_array__reserve(&nvtx->open, &nvtx->room, nvtx->count + 1, sizeof(*nvtx->open)))
		return DP_NONE;
	return (uint32_t)nvtx->count++;
}

/* Sets *depth to the number of open ranges of a thread, and adds change to that number. */
static int count_open(struct dp_nvtx *nvtx, uint32_t tid, int change, uint32_t *depth)
{
	struct dp_key key = { { tid } };
	uint32_t count = dp_lookup__get(&nvtx->depths, &key);

	*depth = count = count == DP_NONE ? 0 : count;
	if (count + (uint32_t)change > 0)
		return dp_lookup__set(&nvtx->depths, &key, count + (uint32_t)change);
	dp_lookup__remove(&nvtx->depths, &key);
	return DP_OK;
}

static int open_range(struct dp_source *source, const struct dp_spool_nvtx *event, bool started)
{
	struct dp_nvtx *nvtx = &source->nvtx;
	uint32_t slot = take_slot(nvtx);
	struct dp_open_range *range;
	struct dp_key key;

	if (slot == DP_NONE)
		return dp_error__nomem(source->convert->error, 0);
	range = &nvtx->open[slot];
	*range = range_of(source, event);
	range->started = started;
	range->before = nvtx->last;
	key = key_of(range);
	range->hidden = dp_lookup__get(&nvtx->latest, &key);
	if (dp_lookup__set(&nvtx->latest, &key, slot) ||
	    (!started && count_open(nvtx, range->tid, 1, &range->depth)))
		return dp_error__nomem(source->convert->error, 0);
	*(nvtx->last ? &nvtx->open[nvtx->last - 1].after : &nvtx->first) = slot + 1;
	nvtx->last = slot + 1;
	return DP_OK;
}

static void forget(struct dp_nvtx *nvtx, uint32_t slot)
{
	struct dp_open_range *range = &nvtx->open[slot];
	struct dp_key key = key_of(range);
	uint32_t depth;

	/* Neither allocates: both keys exist. */
	if (range->hidden == DP_NONE)
		dp_lookup__remove(&nvtx->latest, &key);
	else
		dp_lookup__set(&nvtx->latest, &key, range->hidden);
	if (!range->started)
		count_open(nvtx, range->tid, -1, &depth);
	*(range->before ? &nvtx->open[range->before - 1].after : &nvtx->first) = range->after;
	*(range->after ? &nvtx->open[range->after - 1].before : &nvtx->last) = range->before;
	range->after = nvtx->free;
	nvtx->free = slot + 1;
}

/*
 * Ends the latest range with the key, as numbers may be reused. A pop without a push, if recording
 * began inside the range, ends none.
 */
static int end_range(struct dp_source *source, const struct dp_spool_nvtx *event, bool started,
		     int64_t now)
{
	struct dp_nvtx *nvtx = &source->nvtx;
	struct dp_open_range sought = { .started = started,
					.range = event->range,
					.tid = event->tid,
					.domain = event->domain };
	struct dp_key key = key_of(&sought);
	uint32_t slot = dp_lookup__get(&nvtx->latest, &key);
	int status;

	if (slot == DP_NONE)
		return DP_OK;
	take_payload(source, &nvtx->open[slot], event);
	status = put_range(source, &nvtx->open[slot],
			   started ? DP_SCHEMA_NVTX_START_END : DP_SCHEMA_NVTX_PUSH_POP, now);
	forget(nvtx, slot);
	return status;
}

int dp_nvtx__event(struct dp_source *source, const struct dp_spool_nvtx *event)
{
	int64_t now = dp_clock__monotonic(&source->clock, (int64_t)event->monotonic_ns);
	struct dp_open_range mark;

	switch (event->type) {
	case DP_SPOOL_NVTX_PUSH:
		return open_range(source, event, false);
	case DP_SPOOL_NVTX_POP:
		return end_range(source, event, false, now);
	case DP_SPOOL_NVTX_START:
		return open_range(source, event, true);
	case DP_SPOOL_NVTX_END:
		return end_range(source, event, true, now);
	case DP_SPOOL_NVTX_MARK:
		mark = range_of(source, event);
		return put_range(source, &mark, DP_SCHEMA_NVTX_MARK, now);
	default:
		return DP_OK;
	}
}

/* Returns the layout of a schema, adding it if new. NULL if memory runs out. */
static struct dp_nccl_layout *layout_of(struct dp_nvtx *nvtx, const struct dp_key *key)
{
	uint32_t at = dp_lookup__get(&nvtx->places, key);

	if (at != DP_NONE)
		return &nvtx->layouts[at];
	if (dp_array__reserve(&nvtx->layouts, &nvtx->layout_room, nvtx->layout_count + 1,
			      sizeof(*nvtx->layouts)) ||
	    dp_lookup__set(&nvtx->places, key, (uint32_t)nvtx->layout_count))
		return NULL;
	nvtx->layouts[nvtx->layout_count].has = 0;
	return &nvtx->layouts[nvtx->layout_count++];
}

int dp_nvtx__schema(struct dp_source *source, const struct dp_spool_schema *schema)
{
	struct dp_key key = { { (int64_t)schema->schema, schema->domain } };
	int field = dp_nccl__field(schema, dp_spool__string(source->spool, schema->field, NULL));
	struct dp_nccl_layout *layout;

	if (field < 0)
		return DP_OK;
	layout = layout_of(&source->nvtx, &key);
	if (!layout)
		return dp_error__nomem(source->convert->error, 0);
	layout->fields[field] = *schema;
	layout->has |= 1u << field;
	return DP_OK;
}

int dp_nvtx__finish(struct dp_source *source)
{
	const struct dp_nvtx *nvtx = &source->nvtx;
	int status = DP_OK;

	for (uint32_t at = nvtx->first; at && !status; at = nvtx->open[at - 1].after)
		status = put_range(source, &nvtx->open[at - 1],
				   nvtx->open[at - 1].started ? DP_SCHEMA_NVTX_START_END
							      : DP_SCHEMA_NVTX_PUSH_POP,
				   INT64_MIN);
	return status;
}
