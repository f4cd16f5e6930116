/* Tables of the trace that was analyzed. */
#include "table/table.h"

#include <math.h>

/* Streams. */

struct stream_row {
	int64_t index, pid, rank, device;
	const char *device_name;
	int64_t context, stream;
	const char *stream_class;
	int64_t kernels, copies, sets, busy_ns;
};

static const struct dp_field stream_fields[] = {
	DP_FIELD(struct stream_row, index, DP_CELL_INT64, NULL, "its number in other tables"),
	DP_FIELD(struct stream_row, pid, DP_CELL_ID, NULL, "the process's id"),
	DP_FIELD(struct stream_row, rank, DP_CELL_ID, NULL, "the process's rank in its job"),
	DP_FIELD(struct stream_row, device, DP_CELL_ID, NULL, "the device's id"),
	DP_FIELD(struct stream_row, device_name, DP_CELL_TEXT, NULL, "the device's name"),
	DP_FIELD(struct stream_row, context, DP_CELL_ID, NULL, "the context's id"),
	DP_FIELD(struct stream_row, stream, DP_CELL_ID, NULL, "the stream's id"),
	{ "class", DP_CELL_TEXT, offsetof(struct stream_row, stream_class), NULL,
	  "main, copy or assist" },
	DP_FIELD(struct stream_row, kernels, DP_CELL_INT64, "count",
		 "kernels, graph replays included"),
	DP_FIELD(struct stream_row, copies, DP_CELL_INT64, "count", "copies"),
	DP_FIELD(struct stream_row, sets, DP_CELL_INT64, "count", "memsets"),
	DP_FIELD(struct stream_row, busy_ns, DP_CELL_INT64, "ns",
		 "time in which it runs an operation"),
	{ NULL },
};

static enum dp_table_row stream_row(void *out, const struct dp_table_rows *rows, size_t of,
				    size_t index)
{
	const struct dp_trace *trace = dp_analysis_trace(rows->analysis);
	const struct dp_stream *stream = dp_trace_stream(trace, index);
	const struct dp_device *device;

	if (!stream)
		return DP_ROW_END;
	device = dp_trace_device(trace, stream->device);
	*(struct stream_row *)out = (struct stream_row){
		(int64_t)index,
		dp_trace_process(trace, stream->process)->pid,
		dp_trace_process(trace, stream->process)->rank,
		device->id,
		device->name == DP_NONE ? NULL : dp_trace_string(trace, device->name),
		stream->context,
		stream->stream,
		dp_stream_class_name(stream->stream_class),
		(int64_t)stream->kernels,
		(int64_t)stream->copies,
		(int64_t)stream->memsets,
		stream->busy_ns,
	};
	return DP_ROW;
}

const struct dp_table dp_table__streams = {
	.info = { "streams", "analysis", "the streams of the trace" },
	.fields = stream_fields,
	.row_size = sizeof(struct stream_row),
	.each = DP_EACH_TABLE,
	.row = stream_row,
};

/* Operations: the trace's own columns. */

static const struct dp_field operation_fields[] = {
	{ "start_ns", DP_CELL_INT64, 0, "ns", "start" },
	{ "end_ns", DP_CELL_INT64, 0, "ns", "end" },
	{ "name", DP_CELL_NAME, 0, NULL, "the kernel's name, or what is copied or set" },
	{ "stream", DP_CELL_UINT32, 0, NULL, "index in the table of streams" },
	{ "bytes", DP_CELL_INT64, 0, "bytes", "of copies and memsets; 0: unknown" },
	{ "correlation", DP_CELL_UINT32, 0, NULL, "CUPTI's correlation id; 0: unknown" },
	{ "kernel", DP_CELL_BOOL, 0, NULL, "a kernel or the replay of a graph" },
	{ NULL },
};

static bool *kernel_flags(struct dp_table_rows *rows, const struct dp_ops *ops)
{
	bool *flags = dp_table_rows__memory(rows, ops->count, sizeof(*flags));

	for (size_t i = 0; flags && i < ops->count; i++)
		flags[i] = dp_op_is_kernel(ops->kind[i]);
	return flags;
}

static int list_operations(struct dp_table_rows *rows)
{
	const struct dp_ops *ops = dp_trace_ops(dp_analysis_trace(rows->analysis));
	struct dp_arrow_column *columns = dp_table_rows__batch(rows, ops->count);
	bool *flags = kernel_flags(rows, ops);

	if (!columns || !flags)
		return DP_ERR_NOMEM;
	columns[0] = (struct dp_arrow_column){ ops->start_ns, sizeof(int64_t), true };
	columns[1] = (struct dp_arrow_column){ ops->end_ns, sizeof(int64_t), true };
	columns[2] = (struct dp_arrow_column){ ops->name, sizeof(uint32_t), true };
	columns[3] = (struct dp_arrow_column){ ops->stream, sizeof(uint32_t), true };
	columns[4] = (struct dp_arrow_column){ ops->bytes, sizeof(uint64_t), true };
	columns[5] = (struct dp_arrow_column){ ops->correlation, sizeof(uint32_t), true };
	columns[6] = (struct dp_arrow_column){ flags, sizeof(*flags), false };
	return DP_OK;
}

const struct dp_table dp_table__operations = {
	.info = { "operations", "analysis", "all GPU operations of the trace, by start" },
	.fields = operation_fields,
	.list = list_operations,
};

/* Copies and memsets. */

struct copy_row {
	int64_t operation, start_ns, end_ns, stream;
	const char *kind, *source, *destination;
	int64_t bytes;
};

static const struct dp_field copy_fields[] = {
	DP_FIELD(struct copy_row, operation, DP_CELL_INT64, NULL, "row in the table of operations"),
	DP_FIELD(struct copy_row, start_ns, DP_CELL_INT64, "ns", "start"),
	DP_FIELD(struct copy_row, end_ns, DP_CELL_INT64, "ns", "end"),
	DP_FIELD(struct copy_row, stream, DP_CELL_INT64, NULL, "index in the table of streams"),
	DP_FIELD(struct copy_row, kind, DP_CELL_TEXT, NULL,
		 "HtoD, DtoH, DtoD and the like, as CUPTI names them, or memset"),
	DP_FIELD(struct copy_row, source, DP_CELL_TEXT, NULL, "kind of memory that is read"),
	DP_FIELD(struct copy_row, destination, DP_CELL_TEXT, NULL,
		 "kind of memory that is written"),
	DP_FIELD(struct copy_row, bytes, DP_CELL_INT64, "bytes", "size; 0: unknown"),
	{ NULL },
};

static const char *copy_name(uint8_t kind)
{
	static const char *const names[] = {
		[DP_COPY_HTOD] = "HtoD",       [DP_COPY_DTOH] = "DtoH",
		[DP_COPY_HTOA] = "HtoA",       [DP_COPY_ATOH] = "AtoH",
		[DP_COPY_ATOA] = "AtoA",       [DP_COPY_ATOD] = "AtoD",
		[DP_COPY_DTOA] = "DtoA",       [DP_COPY_DTOD] = "DtoD",
		[DP_COPY_HTOH] = "HtoH",       [DP_COPY_PTOP] = "PtoP",
		[DP_COPY_UM_HTOD] = "UM HtoD", [DP_COPY_UM_DTOH] = "UM DtoH",
		[DP_COPY_UM_DTOD] = "UM DtoD",
	};

	return kind < DP_COUNT(names) ? names[kind] : NULL;
}

static const char *memory_name(uint8_t kind)
{
	static const char *const names[] = {
		[DP_MEMORY_PAGEABLE] = "pageable",
		[DP_MEMORY_PINNED] = "pinned",
		[DP_MEMORY_DEVICE] = "device",
		[DP_MEMORY_ARRAY] = "array",
		[DP_MEMORY_MANAGED] = "managed",
		[DP_MEMORY_DEVICE_STATIC] = "device static",
		[DP_MEMORY_MANAGED_STATIC] = "managed static",
	};

	return kind < DP_COUNT(names) ? names[kind] : NULL;
}

static enum dp_table_row copy_row(void *out, const struct dp_table_rows *rows, size_t of, size_t i)
{
	const struct dp_ops *ops = dp_trace_ops(dp_analysis_trace(rows->analysis));
	bool set;

	if (i >= ops->count)
		return DP_ROW_END;
	if (dp_op_is_kernel(ops->kind[i]))
		return DP_ROW_NONE;
	set = ops->kind[i] == DP_OP_MEMSET;
	*(struct copy_row *)out = (struct copy_row){
		(int64_t)i,
		ops->start_ns[i],
		ops->end_ns[i],
		ops->stream[i],
		set ? "memset" : copy_name(ops->copy_kind[i]),
		set ? NULL : memory_name(ops->src_kind[i]),
		memory_name(ops->dst_kind[i]),
		(int64_t)ops->bytes[i],
	};
	return DP_ROW;
}

const struct dp_table dp_table__copies = {
	.info = { "copies", "analysis", "copies and memsets, by start" },
	.fields = copy_fields,
	.row_size = sizeof(struct copy_row),
	.each = DP_EACH_TABLE,
	.row = copy_row,
};

/* Samples of devices. */

struct sample_row {
	int64_t time_ns, device;
	double energy_J, power_W, clock_MHz; /* named as the metrics that are made of them */
	bool throttled;
};

static const struct dp_field sample_fields[] = {
	DP_FIELD(struct sample_row, time_ns, DP_CELL_INT64, "ns", "when it was taken"),
	DP_FIELD(struct sample_row, device, DP_CELL_ID, NULL, "the device's id"),
	DP_FIELD(struct sample_row, energy_J, DP_CELL_DOUBLE, "J",
		 "energy used since some time before the capture"),
	DP_FIELD(struct sample_row, power_W, DP_CELL_DOUBLE, "W", "power"),
	DP_FIELD(struct sample_row, clock_MHz, DP_CELL_DOUBLE, "MHz",
		 "clock of the multiprocessors"),
	DP_FIELD(struct sample_row, throttled, DP_CELL_BOOL, NULL, "the clocks are reduced"),
	{ NULL },
};

/* A sampled value in its unit, where 0 is one that is not known. */
static double known(uint64_t value, double per_unit)
{
	return value ? (double)value / per_unit : (double)NAN;
}

static enum dp_table_row sample_row(void *out, const struct dp_table_rows *rows, size_t of,
				    size_t i)
{
	const struct dp_trace *trace = dp_analysis_trace(rows->analysis);
	const struct dp_samples *samples = dp_trace_samples(trace);

	if (i >= samples->count)
		return DP_ROW_END;
	*(struct sample_row *)out = (struct sample_row){
		samples->time_ns[i],
		dp_trace_device(trace, samples->device[i])->id,
		known(samples->energy_mj[i], 1e3),
		known(samples->power_mw[i], 1e3),
		known(samples->clock_mhz[i], 1),
		samples->throttle[i] & DP_THROTTLE_SLOW,
	};
	return DP_ROW;
}

const struct dp_table dp_table__samples = {
	.info = { "samples", "analysis", "power and clocks of the devices" },
	.fields = sample_fields,
	.row_size = sizeof(struct sample_row),
	.each = DP_EACH_TABLE,
	.row = sample_row,
};
