/* Makes a finished trace of what importers pushed: order, links, streams, times from 0. */
#include "base/text.h"
#include "trace/builder_model.h"
#include "trace/clock.h"
#include "trace/link.h"
#include "trace/model.h"
#include "trace/sort.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int compare_i64(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* Traces in whole microseconds have equal starts: these are in the order of launch. */
static int compare_ops(const void *ctx, uint32_t a, uint32_t b)
{
	const struct dp_columns *ops = ctx;
	const int64_t *end = DP_COLUMN(ops, int64_t, OP_END);
	const uint32_t *correlation = DP_COLUMN(ops, uint32_t, OP_CORRELATION);

	if (end[a] != end[b])
		return compare_i64(end[a], end[b]);
	return compare_i64(correlation[a], correlation[b]);
}

/* Of equal starts the longer comes first, so that a range precedes those that it encloses. */
static int compare_spans(const void *ctx, uint32_t a, uint32_t b)
{
	const int64_t *end = DP_COLUMN((const struct dp_columns *)ctx, int64_t, 1);

	return compare_i64(end[b], end[a]);
}

/* Those of many ranks may start at once: a kernel finds its own by its stream. */
static int compare_collectives(const void *ctx, uint32_t a, uint32_t b)
{
	const uint32_t *stream =
		DP_COLUMN((const struct dp_columns *)ctx, uint32_t, COLLECTIVE_STREAM);

	return stream[a] != stream[b] ? compare_i64(stream[a], stream[b])
				      : compare_spans(ctx, a, b);
}

/* Sorts by the time in the first column, then by compare, if any. */
static int sort_columns(struct dp_builder *builder, struct dp_columns *rows,
			int (*compare)(const void *, uint32_t, uint32_t))
{
	struct dp_row_order by = { .compare = compare, .ctx = rows };
	uint32_t *order;
	int status;

	dp_columns__shrink(rows);
	by.key = DP_COLUMN(rows, int64_t, 0);
	status = dp_rows__sort(&order, rows->count, &by, builder->error);
	if (!status)
		status = dp_columns__permute(rows, order);
	free(order);
	return status ? dp_builder__fail(builder, status) : DP_OK;
}

static int sort_all(struct dp_builder *builder)
{
	int status = sort_columns(builder, &builder->ops, compare_ops);

	if (!status)
		status = sort_columns(builder, &builder->calls, compare_spans);
	if (!status)
		status = sort_columns(builder, &builder->syncs, compare_spans);
	if (!status)
		status = sort_columns(builder, &builder->collectives, compare_collectives);
	if (!status)
		status = sort_columns(builder, &builder->ranges, compare_spans);
	if (!status)
		status = sort_columns(builder, &builder->memory, NULL);
	if (!status)
		status = sort_columns(builder, &builder->samples, NULL);
	if (!status)
		status = sort_columns(builder, &builder->activity, compare_spans);
	if (!status)
		status = sort_columns(builder, &builder->cpu_samples, NULL);
	if (!status)
		status = sort_columns(builder, &builder->off_cpu, compare_spans);
	if (!status)
		status = sort_columns(builder, &builder->function_samples, NULL);
	if (!status)
		status = sort_columns(builder, &builder->throttling, NULL);
	return status;
}

/* Returns the largest of 1 ms, 1 µs and 1 ns of which all operations' times are multiples. */
static int64_t find_resolution(const struct dp_columns *ops)
{
	const int64_t *start = DP_COLUMN(ops, int64_t, OP_START);
	const int64_t *end = DP_COLUMN(ops, int64_t, OP_END);
	int64_t step = ops->count > 1 ? 1000000 : 1;

	for (size_t i = 0; i < ops->count && step > 1; i++)
		while (step > 1 && (start[i] % step || end[i] % step))
			step /= 1000;
	return step;
}

/* Returns the start of the first operation, the trace's time 0. */
static int64_t find_zero(const struct dp_columns *ops)
{
	const int64_t *start = DP_COLUMN(ops, int64_t, OP_START);
	int64_t zero_ns = ops->count ? start[0] : 0;

	for (size_t i = 1; i < ops->count; i++)
		zero_ns = DP_MIN(zero_ns, start[i]);
	return zero_ns;
}

/* Finds times that are too far from time 0. */
struct distance {
	int64_t zero_ns;
	bool ends; /* the second column is a time, too */
	uint64_t lost;
};

static bool is_near(const struct dp_columns *rows, size_t row, void *ctx)
{
	struct distance *distance = ctx;
	int64_t first_ns = DP_CELL(rows, int64_t, 0, row) - distance->zero_ns, last_ns = first_ns;

	if (distance->ends)
		last_ns = DP_CELL(rows, int64_t, 1, row) - distance->zero_ns;
	if (first_ns >= -DP_TIME_LIMIT && last_ns <= DP_TIME_LIMIT)
		return true;
	distance->lost++;
	return false;
}

/* Two times within the limit of the file's own zero may still be twice as far apart. */
static int drop_distant(struct dp_builder *builder)
{
	struct dp_columns *const spans[] = { &builder->ops, &builder->calls, &builder->syncs,
					     &builder->ranges, &builder->collectives,
					     &builder->off_cpu, &builder->activity };
	struct distance distance = { find_zero(&builder->ops), true, 0 };

	if (builder->last_ns - distance.zero_ns <= DP_TIME_LIMIT &&
	    builder->first_ns - distance.zero_ns >= -DP_TIME_LIMIT)
		return DP_OK;
	for (size_t i = 0; i < DP_COUNT(spans); i++)
		dp_columns__filter(spans[i], is_near, &distance);
	distance.ends = false;
	dp_columns__filter(&builder->memory, is_near, &distance);
	dp_columns__filter(&builder->samples, is_near, &distance);
	dp_columns__filter(&builder->cpu_samples, is_near, &distance);
	dp_columns__filter(&builder->function_samples, is_near, &distance);
	dp_columns__filter(&builder->throttling, is_near, &distance);
	return distance.lost ? dp_builder__loss(builder, DP_LOST_TIMES, distance.lost, 0) : DP_OK;
}

/* Moves times to the new time 0, and returns that. */
static int64_t rebase(struct dp_builder *builder, struct dp_trace *trace)
{
	const struct dp_columns *ops = &builder->ops;
	int64_t zero_ns = 0, last_ns = 0;

	if (ops->count)
		zero_ns = last_ns = DP_CELL(ops, int64_t, OP_START, 0);
	for (size_t i = 0; i < ops->count; i++)
		last_ns = DP_MAX(last_ns, DP_CELL(ops, int64_t, OP_END, i));
	trace->duration_ns = last_ns - zero_ns;
	trace->source_zero_ns = zero_ns;
	trace->resolution_ns = builder->resolution_ns;
	trace->t0_known = builder->epoch_known && ops->count &&
			  !__builtin_add_overflow(builder->epoch_ns, zero_ns, &trace->t0_ns) &&
			  trace->t0_ns >= -DP_TIME_LIMIT && trace->t0_ns <= DP_TIME_LIMIT;
	dp_columns__shift(&builder->ops, zero_ns, true);
	dp_columns__shift(&builder->calls, zero_ns, true);
	dp_columns__shift(&builder->syncs, zero_ns, true);
	dp_columns__shift(&builder->collectives, zero_ns, true);
	dp_columns__shift(&builder->ranges, zero_ns, true);
	dp_columns__shift(&builder->memory, zero_ns, false);
	dp_columns__shift(&builder->samples, zero_ns, false);
	dp_columns__shift(&builder->off_cpu, zero_ns, true);
	dp_columns__shift(&builder->activity, zero_ns, true);
	dp_columns__shift(&builder->cpu_samples, zero_ns, false);
	dp_columns__shift(&builder->function_samples, zero_ns, false);
	dp_columns__shift(&builder->throttling, zero_ns, false);
	return zero_ns;
}

/* Orders devices by the rank of their process, if any; then by number; then as in the file. */
static int compare_devices(const void *ctx, uint32_t a, uint32_t b)
{
	const struct dp_builder *builder = ctx;
	const struct dp_device *one = &builder->devices[a], *two = &builder->devices[b];
	/* Without a rank, -1, a device comes last. */
	uint64_t first = (uint64_t)builder->processes[one->process].rank;
	uint64_t second = (uint64_t)builder->processes[two->process].rank;

	if (first != second)
		return first < second ? -1 : 1;
	if (one->id != two->id)
		return compare_i64(one->id, two->id);
	return compare_i64(one->process, two->process);
}

static int compare_streams(const void *ctx, uint32_t a, uint32_t b)
{
	const struct dp_stream *streams = ((const struct dp_builder *)ctx)->streams;

	if (streams[a].device != streams[b].device)
		return compare_i64(streams[a].device, streams[b].device);
	if (streams[a].context != streams[b].context)
		return compare_i64(streams[a].context, streams[b].context);
	return compare_i64(streams[a].stream, streams[b].stream);
}

/*
 * Sorts a table of rows of size bytes. *where maps old rows to new ones (NULL: nothing moved); the
 * caller frees it.
 */
static int sort_table(struct dp_builder *builder, void *rows, size_t count, size_t size,
		      int (*compare)(const void *, uint32_t, uint32_t), uint32_t **where)
{
	struct dp_row_order by = { .compare = compare, .ctx = builder };
	uint32_t *order;
	char *copy = NULL;
	int status;

	*where = NULL;
	status = dp_rows__sort(&order, count, &by, builder->error);
	if (status || !order)
		return status;
	copy = dp_alloc__array(count, size);
	*where = dp_alloc__array(count, sizeof(**where));
	if (!copy || !*where) {
		status = DP_ERR_NOMEM;
		goto out;
	}
	memcpy(copy, rows, count * size);
	for (size_t i = 0; i < count; i++) {
		memcpy((char *)rows + i * size, copy + order[i] * size, size);
		(*where)[order[i]] = (uint32_t)i;
	}
out:
	free(copy);
	free(order);
	return status;
}

static void move_devices(struct dp_columns *rows, size_t column, const uint32_t *where)
{
	uint32_t *device = DP_COLUMN(rows, uint32_t, column);

	for (size_t i = 0; where && i < rows->count; i++)
		device[i] = where[device[i]];
}

void dp_builder__number_devices(struct dp_builder *builder)
{
	builder->number_devices = true;
}

/* Sorts streams and devices by number, in whatever order the file named them. */
static int sort_tables(struct dp_builder *builder)
{
	uint32_t *devices = NULL, *streams = NULL, *cell;
	int status;

	status = sort_table(builder, builder->devices, builder->device_count,
			    sizeof(*builder->devices), compare_devices, &devices);
	for (size_t i = 0; builder->number_devices && i < builder->device_count; i++)
		builder->devices[i].id = (int64_t)i;
	for (size_t i = 0; !status && devices && i < builder->stream_count; i++)
		builder->streams[i].device = devices[builder->streams[i].device];
	if (!status) {
		move_devices(&builder->memory, MEMORY_DEVICE, devices);
		move_devices(&builder->samples, SAMPLE_DEVICE, devices);
		move_devices(&builder->activity, ACTIVITY_DEVICE, devices);
		status = sort_table(builder, builder->streams, builder->stream_count,
				    sizeof(*builder->streams), compare_streams, &streams);
	}
	for (size_t i = 0; !status && streams && i < builder->ops.count; i++) {
		cell = &DP_CELL(&builder->ops, uint32_t, OP_STREAM, i);
		*cell = streams[*cell];
	}
	for (size_t i = 0; !status && streams && i < builder->syncs.count; i++) {
		cell = &DP_CELL(&builder->syncs, uint32_t, SYNC_STREAM, i);
		if (*cell < builder->stream_count)
			*cell = streams[*cell];
		cell = &DP_CELL(&builder->syncs, uint32_t, SYNC_SOURCE, i);
		if (*cell < builder->stream_count)
			*cell = streams[*cell];
	}
	for (size_t i = 0; !status && streams && i < builder->collectives.count; i++) {
		cell = &DP_CELL(&builder->collectives, uint32_t, COLLECTIVE_STREAM, i);
		if (*cell < builder->stream_count)
			*cell = streams[*cell];
	}
	free(devices);
	free(streams);
	return status ? dp_builder__fail(builder, status) : DP_OK;
}

void dp_builder__detail(struct dp_builder *builder, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(builder->detail, sizeof(builder->detail), format, args);
	va_end(args);
}

void dp_builder__explain_no_gpu(struct dp_builder *builder, const char *who, const char *reason,
				size_t length)
{
	char *text = builder->no_gpu_reason;

	while (length && (reason[length - 1] == '.' || isspace((unsigned char)reason[length - 1])))
		length--;
	snprintf(text, sizeof(builder->no_gpu_reason), "%s: %.*s", who, (int)DP_MIN(length, 1000),
		 reason);
	for (; *text; text++)
		if (isspace((unsigned char)*text))
			*text = ' ';
}

int dp_builder__replayed(struct dp_builder *builder)
{
	static const char why[] =
		"the profiler ran each kernel alone, and several times, to collect "
		"metrics: times between kernels are its own, and in no finding";

	builder->replayed = true;
	return dp_builder__fact(builder, DP_FACT_REPLAY, why, sizeof(why) - 1);
}

void dp_builder__advise_recording(struct dp_builder *builder, const char *how)
{
	builder->how_to_record = how;
}

void dp_builder__advise_kernels(struct dp_builder *builder, const char *how)
{
	builder->how_to_get_kernels = how;
}

static bool has_launches(const struct dp_builder *builder)
{
	const uint8_t *kind = DP_COLUMN(&builder->calls, uint8_t, CALL_KIND);

	for (size_t i = 0; i < builder->calls.count; i++)
		if (kind[i] == DP_CALL_LAUNCH)
			return true;
	return false;
}

int dp_builder__truncated(struct dp_builder *builder, const char *reason, uint64_t records,
			  uint64_t offset)
{
	builder->truncated = true;
	return dp_builder__loss(builder, reason, records, offset);
}

/* Where the kernels are if records were lost, so that another way of recording would not help. */
static const char *missing_advice(const struct dp_builder *builder)
{
	if (builder->truncated)
		return "; copy the file again";
	return builder->loss_count ? "; what was lost may include some" : "";
}

static int no_gpu(struct dp_builder *builder)
{
	const char *advice = missing_advice(builder);
	static const char *const kinds[] = { "NVTX range", "annotation", "operator" };
	char text[200] = "", losses[128] = "", number[DP_TEXT_SIZE];
	size_t used = 0;

	for (size_t i = 0; i < DP_COUNT(kinds); i++)
		if (builder->range_kinds[i])
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s %s%s, ",
						 dp_text__count(number, builder->range_kinds[i]),
						 kinds[i], builder->range_kinds[i] == 1 ? "" : "s");
	if (builder->calls.count)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s API call%s, ",
					 dp_text__count(number, builder->calls.count),
					 builder->calls.count == 1 ? "" : "s");
	snprintf(text + used, sizeof(text) - used, "%s",
		 used || builder->loss_count ? "no kernels" : "no records");
	/* What was lost may have included kernels. */
	if (builder->loss_count)
		snprintf(losses, sizeof(losses), " in what is left (%.100s)",
			 builder->losses[0].reason);
	if (!*advice && builder->how_to_get_kernels && !builder->no_gpu_reason[0] &&
	    has_launches(builder))
		return dp_error__set(builder->error, DP_ERR_NO_GPU, "no GPU activity: %s%s; %s",
				     text, losses, builder->how_to_get_kernels);
	return dp_error__set(builder->error, DP_ERR_NO_GPU, "no GPU activity: %s%s%s%s%s%s", text,
			     losses, builder->no_gpu_reason[0] ? "; " : "", builder->no_gpu_reason,
			     *advice		      ? advice
			     : builder->how_to_record ? "; record with "
						      : "",
			     !*advice && builder->how_to_record ? builder->how_to_record : "");
}

/* Hands the columns over: from now on, the trace's views point to them. */
static void take_columns(struct dp_trace *trace, struct dp_builder *builder)
{
	void **d = builder->ops.data;

	trace->ops = (struct dp_ops){ builder->ops.count, d[OP_START],	  d[OP_END],
				      d[OP_BYTES],	  d[OP_NAME],	  d[OP_STREAM],
				      d[OP_CORRELATION],  d[OP_CALL],	  d[OP_KIND],
				      d[OP_COPY_KIND],	  d[OP_SRC_KIND], d[OP_DST_KIND],
				      d[OP_OCCUPANCY] };
	d = builder->calls.data;
	trace->calls = (struct dp_calls){ builder->calls.count, d[CALL_START],	d[CALL_END],
					  d[CALL_NAME],		d[CALL_THREAD], d[CALL_CORRELATION],
					  d[CALL_KIND] };
	d = builder->syncs.data;
	trace->syncs = (struct dp_syncs){ builder->syncs.count, d[SYNC_START],
					  d[SYNC_END],		d[SYNC_STREAM],
					  d[SYNC_CORRELATION],	d[SYNC_KIND],
					  d[SYNC_SOURCE],	d[SYNC_SOURCE_CORRELATION],
					  d[SYNC_EVENT] };
	d = builder->collectives.data;
	trace->collectives = (struct dp_collectives){ builder->collectives.count,
						      d[COLLECTIVE_START],
						      d[COLLECTIVE_END],
						      d[COLLECTIVE_BYTES],
						      d[COLLECTIVE_SEQUENCE],
						      d[COLLECTIVE_STREAM],
						      d[COLLECTIVE_THREAD],
						      d[COLLECTIVE_NAME],
						      d[COLLECTIVE_GROUP],
						      d[COLLECTIVE_GROUP_SIZE],
						      d[COLLECTIVE_PEER],
						      d[COLLECTIVE_SELF] };
	d = builder->ranges.data;
	trace->ranges = (struct dp_ranges){ builder->ranges.count, d[RANGE_START],  d[RANGE_END],
					    d[RANGE_NAME],	   d[RANGE_THREAD], d[RANGE_KIND] };
	d = builder->memory.data;
	trace->memory = (struct dp_memory){ builder->memory.count, d[MEMORY_TIME], d[MEMORY_BYTES],
					    d[MEMORY_DEVICE] };
	d = builder->samples.data;
	trace->samples =
		(struct dp_samples){ builder->samples.count, d[SAMPLE_TIME],  d[SAMPLE_ENERGY],
				     d[SAMPLE_POWER],	     d[SAMPLE_CLOCK], d[SAMPLE_THROTTLE],
				     d[SAMPLE_DEVICE] };
	memset(builder->memory.data, 0, sizeof(builder->memory.data));
	memset(builder->samples.data, 0, sizeof(builder->samples.data));
	memset(builder->ops.data, 0, sizeof(builder->ops.data));
	memset(builder->calls.data, 0, sizeof(builder->calls.data));
	memset(builder->syncs.data, 0, sizeof(builder->syncs.data));
	memset(builder->ranges.data, 0, sizeof(builder->ranges.data));
	memset(builder->collectives.data, 0, sizeof(builder->collectives.data));
}

static char *duplicate(const char *text)
{
	char *copy = malloc(strlen(text) + 1);

	return copy ? strcpy(copy, text) : NULL;
}

/* Hands over everything except the columns. */
static void take_tables(struct dp_trace *trace, struct dp_builder *builder)
{
	trace->strings = builder->strings;
	memset(&builder->strings, 0, sizeof(builder->strings));
	trace->streams = builder->streams;
	trace->stream_count = builder->stream_count;
	trace->devices = builder->devices;
	trace->device_count = builder->device_count;
	trace->processes = builder->processes;
	trace->process_count = builder->process_count;
	trace->threads = builder->threads;
	trace->thread_count = builder->thread_count;
	trace->losses = builder->losses;
	trace->loss_count = builder->loss_count;
	builder->streams = NULL;
	builder->devices = NULL;
	builder->processes = NULL;
	builder->threads = NULL;
	builder->losses = NULL;
	builder->loss_count = 0;
	trace->fact_count = builder->fact_count;
	for (size_t i = 0; i < builder->fact_count; i++)
		trace->facts[i] =
			(struct dp_fact){ builder->facts[i].name,
					  dp_trace_string(trace, builder->fact_values[i]) };
	trace->clamped = builder->clamped;
	trace->replayed = builder->replayed;
	memcpy(trace->detail, builder->detail, sizeof(trace->detail));
}

static int compare_uuids(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Devices with one UUID are one GPU, however many processes see it. */
static int count_gpus(struct dp_trace *trace, struct dp_error *error)
{
	uint32_t *uuids = dp_alloc__array(trace->device_count, sizeof(*uuids));

	if (!uuids)
		return dp_error__nomem(error, trace->device_count);
	for (size_t i = 0; i < trace->device_count; i++)
		uuids[i] = trace->devices[i].uuid;
	if (trace->device_count)
		qsort(uuids, trace->device_count, sizeof(*uuids), compare_uuids);
	for (size_t i = 0; i < trace->device_count; i++)
		trace->gpu_count += !i || uuids[i] == DP_NONE || uuids[i] != uuids[i - 1];
	free(uuids);
	return DP_OK;
}

int dp_builder__finish(struct dp_builder *builder, struct dp_trace **trace, const char *path,
		       const char *format, bool allow_no_gpu)
{
	struct dp_trace *made = NULL;
	int status = builder->status;
	bool moved = false;
	int64_t zero_ns;

	if (!status && !builder->ops.count && !allow_no_gpu)
		status = no_gpu(builder);
	if (!status)
		status = drop_distant(builder);
	if (!status)
		status = sort_tables(builder);
	if (!status)
		status = sort_all(builder);
	if (!status)
		status = dp_builder__link_calls(builder);
	if (builder->resolution_ns <= 0)
		builder->resolution_ns = find_resolution(&builder->ops);
	if (!status)
		status = dp_builder__correct_clocks(builder, builder->resolution_ns, &moved);
	if (!status && moved)
		status = sort_columns(builder, &builder->collectives, compare_collectives);
	if (status)
		goto out;
	made = dp_alloc__zeroed(1, sizeof(*made));
	if (made) {
		made->path = duplicate(path);
		made->format = duplicate(format);
	}
	if (!made || !made->path || !made->format) {
		status = dp_error__nomem(builder->error, 0);
		goto out;
	}
	zero_ns = rebase(builder, made);
	take_columns(made, builder);
	dp_trace__take_host(made, builder);
	take_tables(made, builder);
	status = dp_trace__index_streams(made, builder->error);
	if (!status)
		status = count_gpus(made, builder->error);
	if (!status)
		status = dp_trace__take_pauses(made, builder, zero_ns);
	if (!status) {
		*trace = made;
		made = NULL;
	}
out:
	dp_trace_free(made);
	dp_builder__free(builder);
	return status;
}
