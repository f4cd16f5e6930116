/* Headers, units and records of nvprof's CSV. */
#include "import/nvprof_reader.h"

#include <stdio.h>
#include <string.h>

#define TIME_LIMIT ((int64_t)1 << 60)

static const char *const column_names[COLUMNS] = {
	[START] = "Start",	   [DURATION] = "Duration",
	[GRID] = "Grid X",	   [SIZE] = "Size",
	[SRC_KIND] = "SrcMemType", [DST_KIND] = "DstMemType",
	[DEVICE] = "Device",	   [CONTEXT] = "Context",
	[STREAM] = "Stream",	   [SRC_DEVICE] = "Src Dev",
	[SRC_CONTEXT] = "Src Ctx", [UNIFIED] = "Unified Memory",
	[NAME] = "Name",	   [CORRELATION] = "Correlation_ID",
};

/* Returns the field of a column, "" if the header lacks it. shift: extra fields before the name. */
static struct dp_slice cell(const struct dp_nvprof *reader, enum column column, size_t shift)
{
	struct dp_slice none = { "", 0 };
	int index = reader->index[column];

	if (index < 0)
		return none;
	if (shift && index > reader->index[DEVICE])
		index += (int)shift;
	return dp_csv_lines__field(&reader->csv, (size_t)index);
}

static void bad_cell(struct dp_nvprof *reader, enum column column, size_t shift,
		     const char *message)
{
	int index = reader->index[column];

	dp_csv_lines__bad_row(&reader->csv, index < 0 ? 0 : (size_t)index, message,
			      cell(reader, column, shift));
}

/*
 * Sections: a header, its units, rows.
 */

static bool is_header(const struct dp_nvprof *reader, enum other_form *other)
{
	struct dp_slice first = dp_csv_lines__field(&reader->csv, 0),
			second = dp_csv_lines__field(&reader->csv, 1);

	*other = FORM_NONE;
	if (!first.length || first.at[0] < 'A' || first.at[0] > 'Z')
		return false;
	if (dp_slice__is(first, "Start") && dp_slice__is(second, "Duration")) {
		*other = FORM_API;
		for (size_t i = 2; i < reader->csv.field_count; i++)
			if (dp_slice__is(dp_csv_lines__field(&reader->csv, i), "Device"))
				*other = FORM_NONE;
		return true;
	}
	if (dp_slice__is(first, "Time(%)") ||
	    (dp_slice__is(first, "Type") && dp_slice__is(second, "Time(%)")))
		*other = FORM_SUMMARY;
	else if (dp_slice__is(first, "Device") &&
		 (dp_slice__is(second, "Kernel") || dp_slice__is(second, "Context")))
		*other = FORM_METRICS;
	return *other != FORM_NONE;
}

static void begin_section(struct dp_nvprof *reader, enum other_form other)
{
	if (other != FORM_NONE) {
		reader->other = other;
		reader->state = SKIP;
		return;
	}
	if (reader->process == DP_NONE)
		reader->process = dp_builder__process(reader->import->builder, -1);
	for (int column = 0; column < COLUMNS; column++) {
		reader->index[column] = -1;
		for (size_t i = reader->csv.field_count < DP_CSV_FIELDS ? reader->csv.field_count
									: DP_CSV_FIELDS;
		     i-- > 0;)
			if (dp_slice__is(dp_csv_lines__field(&reader->csv, i),
					 column_names[column]))
				reader->index[column] = (int)i;
	}
	reader->columns = reader->csv.field_count;
	reader->start_digits = 0;
	reader->state = UNITS;
}

static void read_units(struct dp_nvprof *reader)
{
	static const char unknown[] = "unknown unit";

	reader->state = SKIP;
	reader->start_unit_ns = dp_nvprof__time_unit(cell(reader, START, 0));
	reader->duration_unit_ns = dp_nvprof__time_unit(cell(reader, DURATION, 0));
	reader->size_unit = dp_nvprof__size_unit(cell(reader, SIZE, 0));
	reader->unified_unit = dp_nvprof__size_unit(cell(reader, UNIFIED, 0));
	if (reader->index[NAME] < 0 || reader->index[STREAM] < 0)
		dp_csv_lines__bad_row(&reader->csv, 0,
				      "no column Name or Stream in the header above",
				      (struct dp_slice){ "", 0 });
	else if (!reader->start_unit_ns)
		bad_cell(reader, START, 0, unknown);
	else if (!reader->duration_unit_ns)
		bad_cell(reader, DURATION, 0, unknown);
	else if (!reader->size_unit)
		bad_cell(reader, SIZE, 0, unknown);
	else if (!reader->unified_unit)
		bad_cell(reader, UNIFIED, 0, unknown);
	else {
		reader->state = ROWS;
		reader->sections++;
	}
}

/* The resolution of the section's starts is known at its end, by the digits that were used. */
void dp_nvprof__end_section(struct dp_nvprof *reader)
{
	int64_t step_ns = (int64_t)reader->start_unit_ns;

	if (reader->state != ROWS || !reader->good)
		return;
	for (unsigned i = 0; i < reader->start_digits && step_ns > 1; i++)
		step_ns /= 10;
	reader->resolution_ns = DP_MAX(reader->resolution_ns, step_ns);
}

/*
 * Rows.
 */

/* Reads "7" or "name (7)" as an id; -1 for an empty cell. Returns false for other texts. */
static bool read_id(struct dp_slice text, int64_t *id)
{
	size_t name_length;

	*id = -1;
	return !text.length || dp_nvprof__numbered(text, id, &name_length);
}

/* Reads the device of a cell, and names the device when it is first seen. */
static bool read_device(struct dp_nvprof *reader, struct dp_slice text, int64_t *id)
{
	struct dp_builder *builder = reader->import->builder;
	struct device_cell *known = &reader->device;
	size_t name_length;
	uint32_t device, name;

	*id = -1;
	if (!text.length)
		return true;
	if (text.length == known->length && !memcmp(text.at, known->cell, text.length)) {
		*id = known->id;
		return true;
	}
	if (!dp_nvprof__numbered(text, id, &name_length))
		return false;
	if (name_length) {
		device = dp_builder__device(builder, reader->process, *id);
		name = dp_builder__string(builder, text.at, name_length);
		if (device != DP_NONE && name != DP_NONE)
			dp_builder__name_device(builder, device,
						&(struct dp_gpu){ name, DP_NONE, 0 });
	}
	if (text.length <= sizeof(known->cell)) {
		memcpy(known->cell, text.at, text.length);
		known->length = text.length;
		known->id = *id;
	}
	return true;
}

/* Moves a start of coarse resolution to the end of the previous operation: see nvprof_csv.c. */
static void place_start(struct dp_nvprof *reader, struct dp_op *op, int64_t step_ns)
{
	int64_t *last;
	size_t need = (size_t)op->stream + 1;
	int64_t overlap_ns, duration_ns = op->end_ns - op->start_ns;

	if (dp_array__reserve(&reader->last_end_ns, &reader->last_end_room, need,
			      sizeof(*reader->last_end_ns))) {
		reader->csv.status = dp_error__nomem(reader->import->error, need * sizeof(*last));
		return;
	}
	for (; reader->last_end_count < need; reader->last_end_count++)
		reader->last_end_ns[reader->last_end_count] = -TIME_LIMIT;
	last = &reader->last_end_ns[op->stream];
	overlap_ns = *last - op->start_ns;
	if (overlap_ns > 0 && overlap_ns <= step_ns) {
		op->start_ns += overlap_ns;
		op->end_ns = op->start_ns + duration_ns;
	}
	*last = DP_MAX(*last, op->end_ns);
}

/* Adds a host call: nvprof writes them between the operations with --print-api-trace. */
static void push_call(struct dp_nvprof *reader, const struct dp_op *times, struct dp_slice name)
{
	struct dp_call call = { times->start_ns, times->end_ns, 0, DP_NONE, times->correlation };

	call.name = dp_builder__string(reader->import->builder, name.at, name.length);
	reader->csv.status = dp_builder__add_call(reader->import->builder, &call);
	reader->good++;
}

/* Reads an operation's kind, name and bytes. Returns false if the row is not an operation. */
static bool read_kind(struct dp_nvprof *reader, struct dp_op *op, struct dp_slice name,
		      size_t shift)
{
	struct dp_builder *builder = reader->import->builder;
	bool unified = dp_slice__starts(name, "[Unified Memory");
	struct dp_slice size = cell(reader, unified ? UNIFIED : SIZE, shift);
	int64_t bytes = 0;

	if (!name.length || name.at[0] != '[') {
		op->kind = DP_OP_KERNEL;
		name = dp_nvprof__correlation(name, &op->correlation);
		op->name = dp_builder__kernel_name(builder, name.at, name.length);
		return true;
	}
	if (unified && !dp_slice__has(name, "Memcpy")) {
		reader->faults++;
		return false;
	}
	op->kind = dp_slice__has(name, "memset") ? DP_OP_MEMSET : DP_OP_COPY;
	if (op->kind == DP_OP_COPY && !unified && !dp_slice__has(name, "memcpy")) {
		reader->unknown++;
		return false;
	}
	if (dp_slice__scaled(size, unified ? reader->unified_unit : reader->size_unit, &bytes,
			     NULL) &&
	    bytes > 0)
		op->bytes = (uint64_t)bytes;
	op->src_kind = dp_nvprof__memory_kind(cell(reader, SRC_KIND, shift));
	op->dst_kind = dp_nvprof__memory_kind(cell(reader, DST_KIND, shift));
	if (op->kind == DP_OP_MEMSET) {
		op->name = dp_builder__set_name(builder);
		/* nvprof puts a memset's memory into the source column. */
		if (op->dst_kind == DP_MEMORY_UNKNOWN)
			op->dst_kind = op->src_kind;
		op->src_kind = DP_MEMORY_UNKNOWN;
		return true;
	}
	op->copy_kind = dp_nvprof__copy_kind(name, unified);
	op->name = dp_builder__copy_name(builder, op->copy_kind);
	return true;
}

/* Reads device, context and stream. Returns false after reporting a cell that cannot be read. */
static bool read_place(struct dp_nvprof *reader, struct dp_op *op, size_t shift)
{
	struct dp_slice device_text = cell(reader, DEVICE, shift);
	struct dp_slice context_text = cell(reader, CONTEXT, shift);
	int64_t device, context, stream;

	/* Peer copies may have only the two ends. */
	if (!device_text.length)
		device_text = cell(reader, SRC_DEVICE, shift);
	if (!context_text.length)
		context_text = cell(reader, SRC_CONTEXT, shift);
	if (!read_device(reader, device_text, &device))
		bad_cell(reader, DEVICE, shift, "no device number in");
	else if (!read_id(context_text, &context))
		bad_cell(reader, CONTEXT, shift, "no context number in");
	else if (!read_id(cell(reader, STREAM, shift), &stream))
		bad_cell(reader, STREAM, shift, "no stream number in");
	else {
		op->stream = dp_builder__stream(reader->import->builder, reader->process, device,
						context, stream);
		return true;
	}
	return false;
}

/* Reads start, duration and correlation id. */
static bool read_times(struct dp_nvprof *reader, struct dp_op *op, size_t shift, int64_t *step_ns)
{
	struct dp_slice duration_text = cell(reader, DURATION, 0);
	struct dp_slice correlation_text = cell(reader, CORRELATION, shift);
	int64_t duration = 0, correlation;
	int digits;

	if (!dp_slice__scaled(cell(reader, START, 0), reader->start_unit_ns, &op->start_ns,
			      &digits)) {
		bad_cell(reader, START, 0, "no time in");
		return false;
	}
	if (duration_text.length &&
	    !dp_slice__scaled(duration_text, reader->duration_unit_ns, &duration, NULL)) {
		bad_cell(reader, DURATION, 0, "no duration in");
		return false;
	}
	if (__builtin_add_overflow(op->start_ns, duration, &op->end_ns) ||
	    op->end_ns > TIME_LIMIT || op->end_ns < -TIME_LIMIT || op->start_ns < -TIME_LIMIT) {
		bad_cell(reader, DURATION, 0, "too long a duration");
		return false;
	}
	if (dp_nvprof__whole(correlation_text, &correlation) && correlation <= UINT32_MAX)
		op->correlation = (uint32_t)correlation;
	if (digits > (int)reader->start_digits)
		reader->start_digits = (unsigned)digits;
	*step_ns = (int64_t)reader->start_unit_ns;
	for (unsigned i = 0; i<reader->start_digits && * step_ns> 1; i++)
		*step_ns /= 10;
	return true;
}

/*
 * A page migration between two devices lists both, one field more than the header. Returns by how
 * much the fields behind the device are shifted, or SIZE_MAX if the row's length is wrong.
 */
static size_t row_shift(struct dp_nvprof *reader)
{
	if (reader->csv.field_count == reader->columns)
		return 0;
	if (reader->csv.field_count == reader->columns + 1 && reader->index[DEVICE] >= 0 &&
	    dp_slice__starts(cell(reader, NAME, 1), "[Unified Memory"))
		return 1;
	return SIZE_MAX;
}

static void read_row(struct dp_nvprof *reader)
{
	struct dp_op op = { 0 };
	size_t shift = row_shift(reader);
	int64_t step_ns;
	struct dp_slice name;
	char message[64];

	if (shift == SIZE_MAX) {
		snprintf(message, sizeof(message), "row of %zu fields under a header of %zu",
			 reader->csv.field_count, reader->columns);
		dp_csv_lines__bad_row(&reader->csv,
				      DP_MIN(reader->csv.field_count, reader->columns), message,
				      (struct dp_slice){ "", 0 });
		return;
	}
	name = cell(reader, NAME, shift);
	if (!name.length) {
		bad_cell(reader, NAME, shift, "no name");
		return;
	}
	if (!read_times(reader, &op, shift, &step_ns))
		return;
	if (name.at[0] != '[' && !cell(reader, DEVICE, shift).length &&
	    !cell(reader, GRID, shift).length) {
		push_call(reader, &op, name);
		return;
	}
	/* A page fault is not an operation and has no device either. */
	if (!read_kind(reader, &op, name, shift) || !read_place(reader, &op, shift))
		return;
	if (op.stream != DP_NONE && step_ns > 1)
		place_start(reader, &op, step_ns);
	/* A failure of the builder is kept, so checking the last call is enough. */
	if (reader->csv.status == DP_OK)
		reader->csv.status = dp_builder__op(reader->import->builder, &op);
	reader->good++;
}

void dp_nvprof__row(struct dp_nvprof *reader)
{
	enum other_form other;

	if (is_header(reader, &other)) {
		dp_nvprof__end_section(reader);
		begin_section(reader, other);
	} else if (reader->state == UNITS) {
		read_units(reader);
	} else if (reader->state == ROWS && reader->csv.status == DP_OK) {
		read_row(reader);
	}
}
