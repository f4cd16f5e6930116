/* Rows of operations, calls, memory and synchronization: the schema's columns, in order. */
#include "record/convert.h"

/* CUPTI's value for "no such stream, context, …". */
#define NONE 0xffffffffu

/* CUDA_ERROR_LAUNCH_FAILED, cudaErrorLaunchFailure. */
#define LAUNCH_FAILED 719

static int64_t correlation(uint64_t value)
{
	return (int64_t)(value & UINT32_MAX);
}

static void put_cause(struct dp_bulk_row *row, uint64_t value)
{
	dp_bulk__known(row, value != 0, correlation(value));
	dp_bulk__known(row, value != 0, (int64_t)(value >> 32));
}

static void put_graph(struct dp_bulk_row *row, uint32_t graph, uint64_t node)
{
	dp_bulk__known(row, graph || node, graph);
	dp_bulk__known(row, node != 0, (int64_t)node);
}

/*
 * Returns false if it was still running, or if CUPTI ran out of memory for times while it was: then
 * its end is arbitrary (github.com/parca-dev/parcagpu/issues/23).
 */
static bool has_ended(uint64_t start, uint64_t end)
{
	return end && end >= start && end - start <= INT64_MAX;
}

/* Stores start and duration; the difference is CUPTI's own, as its clock counted it. */
static void put_times(struct dp_source *source, struct dp_bulk_row *row, uint64_t start,
		      uint64_t end)
{
	int64_t begin = dp_clock__time(&source->clock, start);
	int64_t length = has_ended(start, end) ? (int64_t)(end - start) : 0;
	int64_t last;

	dp_bulk__put(row, begin);
	dp_bulk__known(row, has_ended(start, end), length);
	if (__builtin_add_overflow(begin, length, &last))
		last = begin;
	dp_source__saw(source, begin, last);
}

static void put_moment(struct dp_source *source, struct dp_bulk_row *row, uint64_t time)
{
	dp_bulk__known(row, time != 0, time ? dp_clock__time(&source->clock, time) : 0);
}

/* Starts the row of an operation, up to its duration. */
static int begin_operation(struct dp_source *source, enum dp_bulk_table table,
			   struct dp_bulk_row *row, const struct dp_spool_place *place,
			   uint64_t start, uint64_t end)
{
	int status = dp_db__bulk(&source->convert->db, table, row);

	if (status)
		return status;
	source->convert->result.operations++;
	dp_bulk__put(row, source->process);
	dp_bulk__put(row, place->device);
	dp_bulk__put(row, place->context);
	dp_bulk__put(row, place->stream);
	put_times(source, row, start, end);
	return DP_OK;
}

static void put_shape(struct dp_bulk_row *row, const struct dp_spool_shape *shape)
{
	for (int i = 0; i < 3; i++)
		dp_bulk__put(row, shape->grid[i]);
	for (int i = 0; i < 3; i++)
		dp_bulk__put(row, shape->block[i]);
	for (int i = 0; i < 3; i++)
		dp_bulk__known(row, shape->cluster[0] != 0, shape->cluster[i]);
	dp_bulk__put(row, shape->registers);
	dp_bulk__put(row, shape->smem_static);
	dp_bulk__put(row, shape->smem_dynamic);
	dp_bulk__put(row, shape->local_per_thread);
}

static int put_kernel(struct dp_source *source, const struct dp_spool_kernel *kernel)
{
	struct dp_bulk_row row;
	int64_t name;
	int status = dp_source__string(source, kernel->name, &name);

	/* Every kernel has a name; "" if it was lost. */
	if (!status && !name)
		status = dp_source__text(source, "", 0, &name);
	if (!status)
		status = begin_operation(source, DP_BULK_KERNEL, &row, &kernel->place,
					 kernel->start, kernel->end);
	if (status)
		return status;
	dp_bulk__put(&row, name);
	put_cause(&row, kernel->correlation);
	put_shape(&row, &kernel->shape);
	put_graph(&row, kernel->graph, kernel->graph_node);
	put_moment(source, &row, kernel->queued);
	put_moment(source, &row, kernel->submitted);
	dp_bulk__put(&row, has_ended(kernel->start, kernel->end));
	return DP_OK;
}

static int put_memcpy(struct dp_source *source, const struct dp_spool_memcpy *copy)
{
	struct dp_bulk_row row;
	int status =
		begin_operation(source, DP_BULK_MEMCPY, &row, &copy->place, copy->start, copy->end);

	if (status)
		return status;
	dp_bulk__put(&row, copy->kind);
	dp_bulk__put(&row, copy->src_kind);
	dp_bulk__put(&row, copy->dst_kind);
	dp_bulk__put(&row, (int64_t)DP_MIN(copy->bytes, (uint64_t)INT64_MAX));
	dp_bulk__known(&row, copy->peer, copy->src_device);
	dp_bulk__known(&row, copy->peer, copy->dst_device);
	dp_bulk__put(&row, copy->flags & 1);
	put_cause(&row, copy->correlation);
	put_graph(&row, copy->graph, copy->graph_node);
	return DP_OK;
}

static int put_memset(struct dp_source *source, const struct dp_spool_memset *set)
{
	struct dp_bulk_row row;
	int status =
		begin_operation(source, DP_BULK_MEMSET, &row, &set->place, set->start, set->end);

	if (status)
		return status;
	dp_bulk__put(&row, (int64_t)DP_MIN(set->bytes, (uint64_t)INT64_MAX));
	dp_bulk__put(&row, set->value);
	dp_bulk__put(&row, set->memory_kind);
	put_cause(&row, set->correlation);
	put_graph(&row, set->graph, set->graph_node);
	return DP_OK;
}

static int put_graph_launch(struct dp_source *source, const struct dp_spool_graph *graph)
{
	struct dp_bulk_row row;
	int status = begin_operation(source, DP_BULK_GRAPH, &row, &graph->place, graph->start,
				     graph->end);

	if (status)
		return status;
	source->convert->result.graph_launches++;
	dp_bulk__put(&row, graph->graph);
	put_cause(&row, graph->correlation);
	return DP_OK;
}

static int put_api(struct dp_source *source, const struct dp_spool_api *api)
{
	struct dp_bulk_row row;
	int status = dp_db__bulk(&source->convert->db, DP_BULK_API, &row);

	if (status)
		return status;
	dp_bulk__put(&row, source->process);
	dp_bulk__put(&row, api->tid);
	put_times(source, &row, api->start, api->end);
	dp_bulk__put(&row, api->domain);
	dp_bulk__put(&row, api->cbid);
	put_cause(&row, api->correlation);
	dp_bulk__put(&row, api->ret);
	source->failures += api->ret == LAUNCH_FAILED;
	return DP_OK;
}

static int put_sync(struct dp_source *source, const struct dp_spool_sync *sync)
{
	struct dp_bulk_row row;
	bool event = sync->kind == 1 || sync->kind == 2;
	int status = dp_db__bulk(&source->convert->db, DP_BULK_SYNC, &row);

	if (status)
		return status;
	dp_bulk__put(&row, source->process);
	dp_bulk__known(&row, sync->context != NONE, sync->context);
	dp_bulk__known(&row, sync->stream != NONE, sync->stream);
	put_times(source, &row, sync->start, sync->end);
	dp_bulk__put(&row, sync->kind);
	dp_bulk__known(&row, event && sync->event != NONE, sync->event);
	put_cause(&row, sync->correlation);
	dp_bulk__known(&row, event && sync->event_sync != 0, (int64_t)sync->event_sync);
	return DP_OK;
}

static int put_event(struct dp_source *source, const struct dp_spool_event *event)
{
	struct dp_bulk_row row;
	int status = dp_db__bulk(&source->convert->db, DP_BULK_EVENT, &row);

	if (status)
		return status;
	dp_bulk__put(&row, source->process);
	dp_bulk__known(&row, event->context != NONE, event->context);
	dp_bulk__known(&row, event->stream != NONE, event->stream);
	dp_bulk__put(&row, event->event);
	dp_bulk__known(&row, event->event_sync != 0, (int64_t)event->event_sync);
	put_cause(&row, event->correlation);
	return DP_OK;
}

static int put_mem_op(struct dp_source *source, const struct dp_spool_mem_op *op)
{
	struct dp_bulk_row row;
	int status = dp_db__bulk(&source->convert->db, DP_BULK_MEM_OP, &row);

	if (status)
		return status;
	dp_bulk__put(&row, source->process);
	put_moment(source, &row, op->time);
	dp_bulk__put(&row, op->op);
	dp_bulk__put(&row, op->kind);
	dp_bulk__put(&row, (int64_t)op->address);
	dp_bulk__put(&row, (int64_t)DP_MIN(op->bytes, (uint64_t)INT64_MAX));
	dp_bulk__put(&row, op->device);
	dp_bulk__known(&row, op->async && op->stream != NONE, op->stream);
	dp_bulk__known(&row, op->pool_kind != 0, (int64_t)op->pool_address);
	dp_bulk__known(&row, op->correlation != 0, correlation(op->correlation));
	return DP_OK;
}

static int put_mem_pool(struct dp_source *source, const struct dp_spool_mem_pool *pool)
{
	struct dp_bulk_row row;
	int status = dp_db__bulk(&source->convert->db, DP_BULK_MEM_POOL, &row);

	if (status)
		return status;
	dp_bulk__put(&row, source->process);
	put_moment(source, &row, pool->time);
	dp_bulk__put(&row, pool->op);
	dp_bulk__put(&row, pool->kind);
	dp_bulk__put(&row, (int64_t)pool->address);
	dp_bulk__put(&row, (int64_t)pool->bytes);
	dp_bulk__put(&row, pool->device);
	dp_bulk__put(&row, (int64_t)pool->min_bytes);
	dp_bulk__put(&row, (int64_t)pool->threshold);
	dp_bulk__put(&row, (int64_t)pool->used);
	dp_bulk__known(&row, pool->correlation != 0, correlation(pool->correlation));
	return DP_OK;
}

static int put_ext_corr(struct dp_source *source, const struct dp_spool_ext_corr *ext)
{
	struct dp_bulk_row row;
	int status = dp_db__bulk(&source->convert->db, DP_BULK_EXT_CORR, &row);

	if (status)
		return status;
	dp_bulk__put(&row, source->process);
	dp_bulk__put(&row, correlation(ext->correlation));
	dp_bulk__put(&row, (int64_t)(ext->correlation >> 32));
	dp_bulk__put(&row, ext->kind);
	dp_bulk__put(&row, (int64_t)ext->external);
	return DP_OK;
}

/* CUpti_ActivityObjectKind. */
enum { OBJECT_THREAD = 2 };

static int put_overhead(struct dp_source *source, const struct dp_spool_overhead *overhead)
{
	struct dp_bulk_row row;
	int status = dp_db__bulk(&source->convert->db, DP_BULK_OVERHEAD, &row);

	if (status)
		return status;
	dp_bulk__put(&row, source->process);
	dp_bulk__known(&row, overhead->object == OBJECT_THREAD, overhead->ids[1]);
	put_times(source, &row, overhead->start, overhead->end);
	dp_bulk__put(&row, overhead->kind);
	return DP_OK;
}

static int put_jit(struct dp_source *source, const struct dp_spool_jit *jit)
{
	struct dp_db *db = &source->convert->db;
	int status = dp_db__row(db, DP_ROW_JIT);
	bool ended = has_ended(jit->start, jit->end);

	if (status)
		return status;
	dp_db__int(db, source->process);
	dp_db__int(db, jit->tid);
	dp_db__int(db, jit->device);
	dp_db__int(db, dp_clock__time(&source->clock, jit->start));
	dp_db__known(db, ended, ended ? (int64_t)(jit->end - jit->start) : 0);
	dp_db__int(db, jit->kind);
	dp_db__int(db, jit->op);
	dp_db__known(db, jit->cache_bytes != 0, (int64_t)jit->cache_bytes);
	dp_db__text(db, jit->cache_path ? dp_spool__string(source->spool, jit->cache_path, NULL)
					: NULL);
	dp_db__known(db, jit->correlation != 0, correlation(jit->correlation));
	dp_db__known(db, jit->correlation != 0, (int64_t)(jit->correlation >> 32));
	return dp_db__done(db);
}

static int put_clock(struct dp_source *source, const struct dp_spool_clock *clock)
{
	struct dp_bulk_row row;
	int status;

	source->noted_realtime = clock->realtime;
	source->noted_monotonic = clock->monotonic;
	if (!clock->cupti)
		return DP_OK;
	dp_clock__pass(&source->clock);
	status = dp_db__bulk(&source->convert->db, DP_BULK_CLOCK, &row);
	if (status)
		return status;
	dp_bulk__put(&row, source->process);
	dp_bulk__put(&row, (int64_t)clock->cupti);
	dp_bulk__put(&row, clock->realtime);
	dp_bulk__put(&row, clock->monotonic);
	dp_bulk__put(&row, clock->monotonic_raw);
	return DP_OK;
}

uint64_t dp_records__time(const struct dp_spool_record *record)
{
	switch (record->type) {
	case DP_SPOOL_KERNEL:
		return record->kernel.start;
	case DP_SPOOL_MEMCPY:
		return record->memcpy.start;
	case DP_SPOOL_MEMSET:
		return record->memset.start;
	case DP_SPOOL_GRAPH:
		return record->graph.start;
	case DP_SPOOL_API:
		return record->api.start;
	case DP_SPOOL_SYNC:
		return record->sync.start;
	case DP_SPOOL_MEM_OP:
		return record->mem_op.time;
	case DP_SPOOL_MEM_POOL:
		return record->mem_pool.time;
	case DP_SPOOL_OVERHEAD:
		return record->overhead.start;
	case DP_SPOOL_JIT:
		return record->jit.start;
	default:
		return 1;
	}
}

static int put(struct dp_source *source, const struct dp_spool_record *record)
{
	switch (record->type) {
	case DP_SPOOL_KERNEL:
		return put_kernel(source, &record->kernel);
	case DP_SPOOL_MEMCPY:
		return put_memcpy(source, &record->memcpy);
	case DP_SPOOL_MEMSET:
		return put_memset(source, &record->memset);
	case DP_SPOOL_GRAPH:
		return put_graph_launch(source, &record->graph);
	case DP_SPOOL_API:
		return put_api(source, &record->api);
	case DP_SPOOL_SYNC:
		return put_sync(source, &record->sync);
	case DP_SPOOL_EVENT:
		return put_event(source, &record->event);
	case DP_SPOOL_MEM_OP:
		return put_mem_op(source, &record->mem_op);
	case DP_SPOOL_MEM_POOL:
		return put_mem_pool(source, &record->mem_pool);
	case DP_SPOOL_EXT_CORR:
		return put_ext_corr(source, &record->ext_corr);
	case DP_SPOOL_OVERHEAD:
		return put_overhead(source, &record->overhead);
	default:
		return put_jit(source, &record->jit);
	}
}

/* Counts a record that the program stored, but that is not in the file. */
static void leave_out(struct dp_source *source, const struct dp_spool_record *record)
{
	uint32_t kind = dp_spool__kind(record);

	source->left_out[kind < DP_SPOOL_KINDS ? kind : DP_SPOOL_KIND_UNKNOWN]++;
}

/* Stores a GPU operation without times; other records without times are dropped. */
static int put_untimed(struct dp_source *source, const struct dp_spool_record *record)
{
	const struct dp_spool_place *place = &record->kernel.place;
	uint64_t cause = record->kernel.correlation;
	struct dp_bulk_row row;
	int64_t name = 0;
	int status;

	switch (record->type) {
	case DP_SPOOL_KERNEL:
		break;
	case DP_SPOOL_MEMCPY:
		place = &record->memcpy.place;
		cause = record->memcpy.correlation;
		break;
	case DP_SPOOL_MEMSET:
		place = &record->memset.place;
		cause = record->memset.correlation;
		break;
	case DP_SPOOL_GRAPH:
		place = &record->graph.place;
		cause = record->graph.correlation;
		break;
	default:
		source->untimed++;
		leave_out(source, record);
		return DP_OK;
	}
	status = record->type == DP_SPOOL_KERNEL
			 ? dp_source__string(source, record->kernel.name, &name)
			 : DP_OK;
	if (!status)
		status = dp_db__bulk(&source->convert->db, DP_BULK_UNTIMED, &row);
	if (status)
		return status;
	source->convert->result.untimed++;
	dp_bulk__put(&row, source->process);
	dp_bulk__put(&row, dp_spool__kind(record));
	dp_bulk__put(&row, place->device);
	dp_bulk__put(&row, place->context);
	dp_bulk__put(&row, place->stream);
	dp_bulk__known(&row, name != 0, name);
	put_cause(&row, cause);
	return DP_OK;
}

/* CUPTI's clock may be this far behind the GPU times that it reports: a thousand times what was
 * seen. */
#define SLACK_NS INT64_C(1000000000)

/*
 * Returns false for 0, and for an operation that begins before CUPTI's clock was first noted, as
 * the process attached, or in hundreds of years: CUPTI 13.0 gives those of a CUDA graph whose
 * launch failed times near 0, and its copies times near the largest one.
 */
static bool has_time(const struct dp_source *source, const struct dp_spool_record *record)
{
	const struct dp_clock *clock = &source->clock;
	uint64_t time = dp_records__time(record);
	bool operation = record->type == DP_SPOOL_KERNEL || record->type == DP_SPOOL_MEMCPY ||
			 record->type == DP_SPOOL_MEMSET || record->type == DP_SPOOL_GRAPH;

	if (!time || !operation)
		return time;
	return time <= INT64_MAX && (!clock->count || clock->lowest < SLACK_NS ||
				     (int64_t)time >= clock->lowest - SLACK_NS);
}

static bool in_graph(const struct dp_spool_record *record)
{
	return record->type == DP_SPOOL_GRAPH ||
	       (record->type == DP_SPOOL_KERNEL && record->kernel.graph) ||
	       (record->type == DP_SPOOL_MEMCPY && record->memcpy.graph) ||
	       (record->type == DP_SPOOL_MEMSET && record->memset.graph);
}

int dp_records__put(struct dp_source *source, const struct dp_spool_record *record)
{
	switch (record->type) {
	case DP_SPOOL_KERNEL:
	case DP_SPOOL_MEMCPY:
	case DP_SPOOL_MEMSET:
	case DP_SPOOL_GRAPH:
	case DP_SPOOL_API:
	case DP_SPOOL_SYNC:
	case DP_SPOOL_EVENT:
	case DP_SPOOL_MEM_OP:
	case DP_SPOOL_MEM_POOL:
	case DP_SPOOL_EXT_CORR:
	case DP_SPOOL_OVERHEAD:
	case DP_SPOOL_JIT:
		break;
	case DP_SPOOL_CLOCK:
		return put_clock(source, &record->clock);
	case DP_SPOOL_RAW:
		source->unknown++;
		leave_out(source, record);
		return DP_OK;
	default:
		return DP_OK;
	}
	source->graphs |= in_graph(record);
	if (!has_time(source, record))
		return put_untimed(source, record);
	source->convert->result.events++;
	return put(source, record);
}
