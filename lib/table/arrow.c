/*
 * Arrow arrays and schemas. Each array, including children, owns its memory independently, as
 * consumers may move a child out of its parent and release them in any order.
 */
#include "table/arrow.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>

enum {
	BUFFERS = 3,
	GATHERED = 256,	     /* rows of some hundred bytes, less than a second-level cache */
	HUGE_PAGE = 2 << 20, /* bytes, on x86-64 and, with pages of 4 KiB, on AArch64 */
};

/* What an array owns. */
struct body {
	struct dp_analysis *held; /* of which a buffer is borrowed; NULL: none */
	const void *buffers[BUFFERS];
	void *own[BUFFERS]; /* those of them that the array owns */
	struct ArrowArray **children;
	struct ArrowArray *storage; /* of the children */
	struct ArrowArray dictionary;
};

static void body_free(struct body *body)
{
	for (size_t i = 0; i < BUFFERS; i++)
		free(body->own[i]);
	free(body->children);
	free(body->storage);
	dp_analysis_free(body->held);
	free(body);
}

static void array_release(struct ArrowArray *array)
{
	for (int64_t i = 0; i < array->n_children; i++)
		if (array->children[i]->release)
			array->children[i]->release(array->children[i]);
	if (array->dictionary && array->dictionary->release)
		array->dictionary->release(array->dictionary);
	body_free(array->private_data);
	array->release = NULL;
}

/* An array without buffers yet. NULL if memory runs out. */
static struct body *array_init(struct ArrowArray *out, size_t rows, int64_t buffers)
{
	struct body *body = calloc(1, sizeof(*body));

	if (!body)
		return NULL;
	*out = (struct ArrowArray){
		.length = (int64_t)rows,
		.n_buffers = buffers,
		.buffers = body->buffers,
		.release = array_release,
		.private_data = body,
	};
	return body;
}

/*
 * Memory for a column. Large ones use huge pages if the system has them: with a million rows, page
 * faults take longer than filling the columns.
 */
static void *column_memory(size_t count, size_t size)
{
	size_t bytes = dp_size__mul(count, size);
	void *memory;

	if (bytes < HUGE_PAGE || bytes > SIZE_MAX / 2)
		return dp_alloc__array(count, size);
	bytes = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
	memory = aligned_alloc(HUGE_PAGE, bytes);
#ifdef MADV_HUGEPAGE
	if (memory)
		madvise(memory, bytes, MADV_HUGEPAGE);
#endif
	return memory;
}

/* A buffer that the array owns, to be filled by the caller. NULL if memory runs out. */
static void *buffer(struct body *body, size_t which, size_t count, size_t size)
{
	/* never empty, since consumers may read whole words */
	body->own[which] = column_memory(count + 1, size);
	body->buffers[which] = body->own[which];
	return body->own[which];
}

static const char *cell(const struct dp_arrow_column *column, size_t row)
{
	return (const char *)column->at + row * column->stride;
}

static bool is_null(const struct dp_arrow_column *column, enum dp_cell kind, size_t row)
{
	const char *at = cell(column, row);

	switch (kind) {
	case DP_CELL_ID:
		return *(const int64_t *)at < 0;
	case DP_CELL_DOUBLE:
		return isnan(*(const double *)at);
	case DP_CELL_TEXT:
		return !*(const char *const *)at;
	case DP_CELL_NAME:
		return *(const uint32_t *)at == DP_NONE;
	case DP_CELL_INT64:
	case DP_CELL_UINT32:
	case DP_CELL_BOOL:
		break;
	}
	return false;
}

static bool can_be_null(enum dp_cell kind)
{
	return kind != DP_CELL_INT64 && kind != DP_CELL_UINT32 && kind != DP_CELL_BOOL;
}

/* Makes the bitmap of valid values if any is missing. */
static int validity(struct ArrowArray *array, const struct dp_arrow_column *column,
		    enum dp_cell kind)
{
	struct body *body = array->private_data;
	size_t rows = (size_t)array->length, first = 0;
	uint8_t *bits;

	/* One value for all. */
	if (!column->stride && rows && !is_null(column, kind, 0))
		return DP_OK;
	while (first < rows && !is_null(column, kind, first))
		first++;
	if (first == rows)
		return DP_OK;
	bits = buffer(body, 0, rows / 8 + 1, 1);
	if (!bits)
		return DP_ERR_NOMEM;
	memset(bits, 0xff, rows / 8 + 1);
	for (size_t row = first; row < rows; row++) {
		if (!is_null(column, kind, row))
			continue;
		bits[row / 8] &= (uint8_t) ~(1u << row % 8);
		array->null_count++;
	}
	return DP_OK;
}

/* The size of a value whose layout in memory is Arrow's; 0 for a text or a bit. */
static size_t cell_size(enum dp_cell kind)
{
	switch (kind) {
	case DP_CELL_INT64:
	case DP_CELL_ID:
	case DP_CELL_DOUBLE:
		return sizeof(uint64_t);
	case DP_CELL_UINT32:
	case DP_CELL_NAME:
		return sizeof(uint32_t);
	case DP_CELL_BOOL:
	case DP_CELL_TEXT:
		break;
	}
	return 0;
}

/* Makes a column of fixed-size values: borrowed, or room for gather(). */
static int fixed(struct body *body, const struct dp_arrow_column *column, size_t rows, size_t size,
		 const struct dp_analysis *analysis)
{
	if (column->stays && column->stride == size) {
		body->held = dp_analysis_retain(analysis);
		body->buffers[1] = column->at;
		return DP_OK;
	}
	return buffer(body, 1, rows, size) ? DP_OK : DP_ERR_NOMEM;
}

static void copy_cells(char *to, const struct dp_arrow_column *column, size_t size, size_t first,
		       size_t end)
{
	if (size == sizeof(uint64_t))
		for (size_t row = first; row < end; row++)
			memcpy(to + row * sizeof(uint64_t), cell(column, row), sizeof(uint64_t));
	else
		for (size_t row = first; row < end; row++)
			memcpy(to + row * sizeof(uint32_t), cell(column, row), sizeof(uint32_t));
}

/* first is a multiple of 8. */
static void pack_bits(uint8_t *to, const struct dp_arrow_column *column, size_t first, size_t end)
{
	for (size_t row = first; row < end; row += 8) {
		unsigned bits = 0;

		for (size_t i = 0; i < 8 && row + i < end; i++)
			bits |= (unsigned)*(const bool *)cell(column, row + i) << i;
		to[row / 8] = (uint8_t)bits;
	}
}

/*
 * Fills the buffers of columns that are copied, block by block: all columns but the first that are
 * members of one struct are then read from the cache.
 */
static void gather(struct ArrowArray *out, const struct dp_field *fields,
		   const struct dp_arrow_column *columns, size_t count)
{
	size_t rows = (size_t)out->length;

	for (size_t first = 0; first < rows; first += GATHERED)
		for (size_t i = 0; i < count; i++) {
			struct body *body = out->children[i]->private_data;
			size_t end = DP_MIN(first + GATHERED, rows);
			size_t size = cell_size(fields[i].cell);

			if (size && body->own[1])
				copy_cells(body->own[1], &columns[i], size, first, end);
			else if (fields[i].cell == DP_CELL_BOOL)
				pack_bits(body->own[1], &columns[i], first, end);
		}
}

/* Makes a column of texts, with null for NULL. text() gives that of a row. */
static int texts(struct body *body, size_t rows, const char *(*text)(const void *of, size_t row),
		 const void *of)
{
	int64_t *offsets = buffer(body, 1, rows, sizeof(*offsets));
	char *bytes;

	if (!offsets)
		return DP_ERR_NOMEM;
	offsets[0] = 0;
	for (size_t row = 0; row < rows; row++) {
		const char *at = text(of, row);

		offsets[row + 1] = offsets[row] + (at ? (int64_t)strlen(at) : 0);
	}
	bytes = buffer(body, 2, (size_t)offsets[rows], 1);
	for (size_t row = 0; bytes && row < rows; row++)
		if (offsets[row + 1] > offsets[row])
			memcpy(bytes + offsets[row], text(of, row),
			       (size_t)(offsets[row + 1] - offsets[row]));
	return bytes ? DP_OK : DP_ERR_NOMEM;
}

static const char *text_cell(const void *of, size_t row)
{
	return *(const char *const *)cell(of, row);
}

static const char *trace_text(const void *of, size_t row)
{
	return dp_trace_string(of, (uint32_t)row);
}

/* Makes indices into the strings of the trace, which are the dictionary. */
static int names(struct ArrowArray *array, const struct dp_arrow_column *column,
		 const struct dp_analysis *analysis)
{
	const struct dp_trace *trace = dp_analysis_trace(analysis);
	size_t strings = dp_trace_string_count(trace);
	struct body *body = array->private_data, *dictionary;
	int status;

	status = fixed(body, column, (size_t)array->length, sizeof(uint32_t), analysis);
	if (status)
		return status;
	dictionary = array_init(&body->dictionary, strings, 3);
	if (!dictionary)
		return DP_ERR_NOMEM;
	array->dictionary = &body->dictionary;
	return texts(dictionary, strings, trace_text, trace);
}

static int values(struct ArrowArray *array, const struct dp_arrow_column *column, enum dp_cell kind,
		  const struct dp_analysis *analysis)
{
	struct body *body = array->private_data;
	size_t rows = (size_t)array->length;

	switch (kind) {
	case DP_CELL_BOOL:
		return buffer(body, 1, rows / 8, 1) ? DP_OK : DP_ERR_NOMEM;
	case DP_CELL_TEXT:
		return texts(body, rows, text_cell, column);
	case DP_CELL_NAME:
		return names(array, column, analysis);
	case DP_CELL_INT64:
	case DP_CELL_ID:
	case DP_CELL_UINT32:
	case DP_CELL_DOUBLE:
		break;
	}
	return fixed(body, column, rows, cell_size(kind), analysis);
}

static int column_array(struct ArrowArray *out, const struct dp_field *field,
			const struct dp_arrow_column *column, size_t rows, bool nan,
			const struct dp_analysis *analysis)
{
	int status = DP_OK;

	if (!array_init(out, rows, field->cell == DP_CELL_TEXT ? 3 : 2))
		return DP_ERR_NOMEM;
	if (can_be_null(field->cell) && !(nan && field->cell == DP_CELL_DOUBLE))
		status = validity(out, column, field->cell);
	if (!status)
		status = values(out, column, field->cell, analysis);
	if (status)
		out->release(out);
	return status;
}

int dp_arrow__batch(struct ArrowArray *out, const struct dp_field *fields,
		    const struct dp_arrow_column *columns, size_t count, size_t rows, bool nan,
		    const struct dp_analysis *analysis)
{
	struct ArrowArray made;
	struct body *body = array_init(&made, rows, 1);
	int status = DP_OK;

	if (!body)
		return DP_ERR_NOMEM;
	body->children = dp_alloc__zeroed(count + 1, sizeof(struct ArrowArray *));
	body->storage = dp_alloc__zeroed(count + 1, sizeof(*body->storage));
	made.children = body->children;
	if (!body->children || !body->storage)
		status = DP_ERR_NOMEM;
	for (size_t i = 0; !status && i < count; i++) {
		status = column_array(&body->storage[i], &fields[i], &columns[i], rows, nan,
				      analysis);
		body->children[i] = &body->storage[i];
		made.n_children += !status;
	}
	if (status) {
		made.release(&made);
		return status;
	}
	gather(&made, fields, columns, count);
	*out = made;
	return DP_OK;
}

static void schema_release(struct ArrowSchema *schema)
{
	for (int64_t i = 0; i < schema->n_children; i++) {
		if (schema->children[i]->release)
			schema->children[i]->release(schema->children[i]);
		free(schema->children[i]);
	}
	if (schema->dictionary && schema->dictionary->release)
		schema->dictionary->release(schema->dictionary);
	free(schema->dictionary);
	free(schema->children);
	free(schema->private_data); /* the metadata */
	schema->release = NULL;
}

/* The specification's format: a number of pairs, then lengths and texts, unaligned. */
static char *put_text(char *at, const char *text)
{
	int32_t length = (int32_t)strlen(text);

	memcpy(at, &length, sizeof(length));
	memcpy(at + sizeof(length), text, (size_t)length);
	return at + sizeof(length) + length;
}

static char *metadata(const struct dp_field *field)
{
	int32_t pairs = field->unit ? 2 : 1;
	size_t bytes = 5 * sizeof(int32_t) + strlen("unit") + strlen("help") + strlen(field->help) +
		       (field->unit ? strlen(field->unit) : 0);
	char *made = malloc(bytes), *at = made;

	if (!made)
		return NULL;
	memcpy(at, &pairs, sizeof(pairs));
	at = put_text(put_text(at + sizeof(pairs), "help"), field->help);
	if (field->unit)
		put_text(put_text(at, "unit"), field->unit);
	return made;
}

static const char *format(enum dp_cell kind)
{
	switch (kind) {
	case DP_CELL_BOOL:
		return "b";
	case DP_CELL_DOUBLE:
		return "g";
	case DP_CELL_TEXT:
		return "U";
	case DP_CELL_UINT32:
	case DP_CELL_NAME:
		return "I";
	case DP_CELL_INT64:
	case DP_CELL_ID:
		break;
	}
	return "l";
}

static void schema_init(struct ArrowSchema *out, const char *format, const char *name)
{
	*out = (struct ArrowSchema){ .format = format, .name = name, .release = schema_release };
}

static int field_schema(struct ArrowSchema *out, const struct dp_field *field)
{
	schema_init(out, format(field->cell), field->name);
	if (can_be_null(field->cell))
		out->flags = ARROW_FLAG_NULLABLE;
	out->metadata = out->private_data = metadata(field);
	if (field->cell == DP_CELL_NAME) {
		out->dictionary = calloc(1, sizeof(*out->dictionary));
		if (out->dictionary)
			schema_init(out->dictionary, "U", "");
	}
	if (out->metadata && (field->cell != DP_CELL_NAME || out->dictionary))
		return DP_OK;
	out->release(out);
	return DP_ERR_NOMEM;
}

int dp_arrow__schema(struct ArrowSchema *out, const struct dp_field *fields, size_t count)
{
	struct ArrowSchema made;
	int status = DP_OK;

	schema_init(&made, "+s", "");
	made.children = dp_alloc__zeroed(count + 1, sizeof(struct ArrowSchema *));
	if (!made.children)
		return DP_ERR_NOMEM;
	for (size_t i = 0; !status && i < count; i++) {
		struct ArrowSchema *child = malloc(sizeof(*child));

		status = child ? field_schema(child, &fields[i]) : DP_ERR_NOMEM;
		if (status)
			free(child);
		else
			made.children[made.n_children++] = child;
	}
	if (status)
		made.release(&made);
	else
		*out = made;
	return status;
}
