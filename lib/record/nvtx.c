/*
 * NVTX: pushes and pops matched within their thread and domain, starts and ends within the process.
 * The row of a range is written when it ends.
 */
#include "record/nvtx.h"
#include "import/deepprof_schema.h"
#include "record/convert.h"

#include <string.h>

/* nvtxPayloadType_t. */
enum { PAYLOAD_U64 = 1, PAYLOAD_I64, PAYLOAD_DOUBLE, PAYLOAD_U32, PAYLOAD_I32, PAYLOAD_FLOAT };

void dp_nvtx__fini(struct dp_nvtx *nvtx)
{
	for (size_t i = 0; i < nvtx->thread_count; i++)
		free(nvtx->threads[i].open);
	free(nvtx->threads);
	dp_lookup__fini(&nvtx->places);
	free(nvtx->started.open);
	free(nvtx->schemas);
	memset(nvtx, 0, sizeof(*nvtx));
}

/* The thread's open ranges; NULL without memory. */
static struct dp_ranges *ranges_of(struct dp_nvtx *nvtx, uint32_t tid)
{
	struct dp_key key = { { tid } };
	struct dp_ranges *made;
	uint32_t at;

	if (nvtx->last_thread < nvtx->thread_count && nvtx->threads[nvtx->last_thread].tid == tid)
		return &nvtx->threads[nvtx->last_thread];
	at = dp_lookup__get(&nvtx->places, &key);
	if (at != DP_NONE) {
		nvtx->last_thread = at;
		return &nvtx->threads[at];
	}
	if (dp_array__reserve(&nvtx->threads, &nvtx->thread_room, nvtx->thread_count + 1,
			      sizeof(*made)) ||
	    dp_lookup__set(&nvtx->places, &key, (uint32_t)nvtx->thread_count))
		return NULL;
	nvtx->last_thread = nvtx->thread_count;
	made = &nvtx->threads[nvtx->thread_count++];
	memset(made, 0, sizeof(*made));
	made->tid = tid;
	return made;
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

/* end_ns < start_ns: it never ended. */
static int put_range(struct dp_source *source, const struct dp_open_range *range, int type,
		     int64_t end_ns, int64_t depth)
{
	struct dp_db *db = &source->convert->db;
	struct dp_bulk_row row;
	bool ended = end_ns >= range->start_ns;
	int64_t name, domain, dur_ns = 0;
	int status = dp_source__string(source, range->name, &name);

	/* Times from a spool may be anything: what is longer than a number did not end, either. */
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
	dp_bulk__known(&row, type == DP_SCHEMA_NVTX_PUSH_POP, depth);
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

/* NCCL tells of what it only knows at the end, a new communicator, at the end. */
static void take_payload(struct dp_source *source, struct dp_open_range *range,
			 const struct dp_spool_nvtx *event)
{
	if (event->schema && !range->nccl)
		range->nccl = dp_nccl__read(source, event, &range->params);
}

static int open_range(struct dp_source *source, struct dp_ranges *ranges,
		      const struct dp_spool_nvtx *event)
{
	if (!ranges || dp_array__reserve(&ranges->open, &ranges->room, ranges->count + 1,
					 sizeof(*ranges->open)))
		return dp_error__nomem(source->convert->error, 0);
	ranges->open[ranges->count++] = range_of(source, event);
	return DP_OK;
}

static void forget(struct dp_ranges *ranges, size_t index)
{
	memmove(&ranges->open[index], &ranges->open[index + 1],
		(ranges->count - index - 1) * sizeof(*ranges->open));
	ranges->count--;
}

/* The innermost of the domain; a pop without a push, as when recording began inside, is none. */
static int pop(struct dp_source *source, const struct dp_spool_nvtx *event, int64_t now)
{
	struct dp_ranges *ranges = ranges_of(&source->nvtx, event->tid);
	int status;

	if (!ranges)
		return dp_error__nomem(source->convert->error, 0);
	for (size_t i = ranges->count; i-- > 0;) {
		if (ranges->open[i].domain != event->domain)
			continue;
		take_payload(source, &ranges->open[i], event);
		status = put_range(source, &ranges->open[i], DP_SCHEMA_NVTX_PUSH_POP, now,
				   (int64_t)i);
		forget(ranges, i);
		return status;
	}
	return DP_OK;
}

/* The latest of that number first: numbers may be used again, and short ranges are the rule. */
static int end(struct dp_source *source, const struct dp_spool_nvtx *event, int64_t now)
{
	struct dp_ranges *ranges = &source->nvtx.started;
	int status;

	for (size_t i = ranges->count; i-- > 0;) {
		if (ranges->open[i].range != event->range)
			continue;
		take_payload(source, &ranges->open[i], event);
		status = put_range(source, &ranges->open[i], DP_SCHEMA_NVTX_START_END, now, 0);
		forget(ranges, i);
		return status;
	}
	return DP_OK;
}

int dp_nvtx__event(struct dp_source *source, const struct dp_spool_nvtx *event)
{
	int64_t now = dp_clock__monotonic(&source->clock, (int64_t)event->monotonic_ns);
	struct dp_open_range mark;

	switch (event->type) {
	case DP_SPOOL_NVTX_PUSH:
		return open_range(source, ranges_of(&source->nvtx, event->tid), event);
	case DP_SPOOL_NVTX_POP:
		return pop(source, event, now);
	case DP_SPOOL_NVTX_START:
		return open_range(source, &source->nvtx.started, event);
	case DP_SPOOL_NVTX_END:
		return end(source, event, now);
	case DP_SPOOL_NVTX_MARK:
		mark = range_of(source, event);
		return put_range(source, &mark, DP_SCHEMA_NVTX_MARK, now, 0);
	default:
		return DP_OK;
	}
}

int dp_nvtx__schema(struct dp_source *source, const struct dp_spool_schema *schema)
{
	struct dp_nvtx *nvtx = &source->nvtx;

	if (dp_array__reserve(&nvtx->schemas, &nvtx->schema_room, nvtx->schema_count + 1,
			      sizeof(*nvtx->schemas)))
		return dp_error__nomem(source->convert->error, 0);
	nvtx->schemas[nvtx->schema_count++] = *schema;
	return DP_OK;
}

static int put_open(struct dp_source *source, const struct dp_ranges *ranges, int type)
{
	int status = DP_OK;

	for (size_t i = 0; i < ranges->count && !status; i++)
		status = put_range(source, &ranges->open[i], type, INT64_MIN, (int64_t)i);
	return status;
}

int dp_nvtx__finish(struct dp_source *source)
{
	struct dp_nvtx *nvtx = &source->nvtx;
	int status = DP_OK;

	for (size_t i = 0; i < nvtx->thread_count && !status; i++)
		status = put_open(source, &nvtx->threads[i], DP_SCHEMA_NVTX_PUSH_POP);
	return status ? status : put_open(source, &nvtx->started, DP_SCHEMA_NVTX_START_END);
}
