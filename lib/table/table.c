/* From a table's rows to an Arrow stream. */
#include "table/table.h"

#include <errno.h>
#include <string.h>

static const struct dp_table *const tables[] = {
	&dp_table__loops,	   &dp_table__iterations,    &dp_table__variants,
	&dp_table__kernels,	   &dp_table__places,	     &dp_table__operators,
	&dp_table__host_ranges,	   &dp_table__findings,	     &dp_table__evidence,
	&dp_table__finding_ranges, &dp_table__finding_loops, &dp_table__streams,
	&dp_table__operations,	   &dp_table__copies,	     &dp_table__samples,
	&dp_table__pairs,	   &dp_table__pair_metrics,  &dp_table__pair_parts,
	&dp_table__pair_kernels,   &dp_table__pair_places,   &dp_table__pair_findings,
	&dp_table__ranks,	   &dp_table__rank_iterations, &dp_table__collectives,
	&dp_table__rank_collectives,
};

const struct dp_table *dp_table__at(size_t index)
{
	return index < DP_COUNT(tables) ? tables[index] : NULL;
}

const struct dp_table_info *dp_table(size_t index)
{
	return index < DP_COUNT(tables) ? &tables[index]->info : NULL;
}

struct dp_batch {
	struct dp_arrow_column *columns;
	size_t rows;
};

struct dp_memory_block {
	struct dp_memory_block *next;
	max_align_t bytes[];
};

/* What a stream owns. */
struct body {
	struct dp_table_rows rows;
	struct dp_analysis *held; /* NULL: of something else */
	size_t next;		  /* batch */
	bool nan;
	const char *trouble; /* of the last call; NULL: none */
};

size_t dp_table__own_fields(const struct dp_table *table)
{
	size_t count = 0;

	while (table->fields[count].name)
		count++;
	return count;
}

void *dp_table_rows__memory(struct dp_table_rows *rows, size_t count, size_t size)
{
	size_t bytes = dp_size__mul(count, size);
	struct dp_memory_block *block =
		bytes < SIZE_MAX / 2 ? malloc(sizeof(*block) + bytes) : NULL;

	if (!block)
		return NULL;
	block->next = rows->blocks;
	rows->blocks = block;
	return block->bytes;
}

void *dp_table_rows__add(struct dp_table_rows *rows)
{
	void *row;

	if (dp_array__reserve(&rows->rows, &rows->room, rows->count + 1, rows->row_size))
		return NULL;
	row = rows->rows + rows->count++ * rows->row_size;
	return memset(row, 0, rows->row_size);
}

struct dp_arrow_column *dp_table_rows__batch(struct dp_table_rows *rows, size_t count)
{
	struct dp_arrow_column *columns =
		dp_table_rows__memory(rows, rows->field_count, sizeof(struct dp_arrow_column));

	if (!columns || dp_array__reserve(&rows->batches, &rows->batch_room, rows->batch_count + 1,
					  sizeof(*rows->batches)))
		return NULL;
	rows->batches[rows->batch_count++] = (struct dp_batch){ columns, count };
	return columns;
}

/* The batch of rows that were added one by one. */
static int added(struct dp_table_rows *rows)
{
	struct dp_arrow_column *columns;

	if (!rows->count)
		return DP_OK;
	columns = dp_table_rows__batch(rows, rows->count);
	for (size_t i = 0; columns && i < rows->field_count; i++)
		columns[i] = (struct dp_arrow_column){ rows->rows + rows->fields[i].offset,
						       rows->row_size, false };
	return columns ? DP_OK : DP_ERR_NOMEM;
}

static void rows_fini(struct dp_table_rows *rows)
{
	while (rows->blocks) {
		struct dp_memory_block *block = rows->blocks;

		rows->blocks = block->next;
		free(block);
	}
	free(rows->rows);
	free(rows->batches);
	free(rows->fields);
}

static const struct dp_metric_info *metric(enum dp_table_metrics which, size_t index)
{
	if (which == DP_TABLE_NO_METRICS)
		return NULL;
	return which == DP_TABLE_ITERATION_METRICS ? dp_metric(index) : dp_summary_metric(index);
}

static int fields(struct dp_table_rows *rows, const struct dp_table *table)
{
	size_t own = dp_table__own_fields(table), count = own;
	const struct dp_metric_info *info;

	while (metric(table->metrics, count - own))
		count++;
	rows->fields = dp_alloc__array(count, sizeof(*rows->fields));
	if (!rows->fields)
		return DP_ERR_NOMEM;
	memcpy(rows->fields, table->fields, own * sizeof(*rows->fields));
	for (size_t i = own; i < count; i++) {
		info = metric(table->metrics, i - own);
		rows->fields[i] =
			(struct dp_field){ info->name, DP_CELL_DOUBLE, 0, info->unit, info->help };
	}
	rows->field_count = count;
	return DP_OK;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
	struct body *body = stream->private_data;
	int status = dp_arrow__schema(out, body->rows.fields, body->rows.field_count);

	body->trouble = status ? "out of memory" : NULL;
	return status ? ENOMEM : 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
	struct body *body = stream->private_data;
	const struct dp_batch *batch;
	int status;

	body->trouble = NULL;
	if (body->next == body->rows.batch_count) {
		*out = (struct ArrowArray){ .release = NULL };
		return 0;
	}
	batch = &body->rows.batches[body->next];
	status = dp_arrow__batch(out, body->rows.fields, batch->columns, body->rows.field_count,
				 batch->rows, body->nan, body->held);
	if (status) {
		body->trouble = "out of memory";
		return ENOMEM;
	}
	body->next++;
	return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
	return ((const struct body *)stream->private_data)->trouble;
}

static void body_free(struct body *body)
{
	rows_fini(&body->rows);
	dp_analysis_free(body->held);
	free(body);
}

static void release(struct ArrowArrayStream *stream)
{
	body_free(stream->private_data);
	stream->release = NULL;
}

static const struct dp_table *find(const char *name, const char *of)
{
	for (size_t i = 0; i < DP_COUNT(tables); i++)
		if (!strcmp(tables[i]->info.name, name) && !strcmp(tables[i]->info.of, of))
			return tables[i];
	return NULL;
}

static int make(struct ArrowArrayStream *stream, const char *name, const char *of,
		const struct dp_table_rows *start, const struct dp_table_options *options,
		struct dp_error *error)
{
	const struct dp_table *table = find(name, of);
	struct body *body;
	int status;

	if (!table)
		return dp_error__set(error, DP_ERR_ARGUMENT, "%s is no table of %s%s", name,
				     *of == 'a' ? "an " : *of == 'c' ? "a " : "", of);
	body = calloc(1, sizeof(*body));
	if (!body)
		return dp_error__nomem(error, sizeof(*body));
	body->rows = *start;
	body->rows.row_size = table->row_size;
	body->nan = options && options->nan;
	if (start->analysis)
		body->held = dp_analysis_retain(start->analysis);
	status = fields(&body->rows, table);
	if (!status)
		status = table->list(&body->rows);
	if (!status)
		status = added(&body->rows);
	if (status) {
		body_free(body);
		return dp_error__nomem(error, 0);
	}
	*stream = (struct ArrowArrayStream){ get_schema, get_next, get_last_error, release, body };
	return DP_OK;
}

int dp_analysis_table(struct ArrowArrayStream *stream, const struct dp_analysis *analysis,
		      const char *table, const struct dp_table_options *options,
		      struct dp_error *error)
{
	return make(stream, table, "analysis", &(struct dp_table_rows){ .analysis = analysis },
		    options, error);
}

int dp_comparison_table(struct ArrowArrayStream *stream, const struct dp_comparison *comparison,
			const char *table, const struct dp_table_options *options,
			struct dp_error *error)
{
	return make(stream, table, "comparison",
		    &(struct dp_table_rows){ .comparison = comparison }, options, error);
}

int dp_ranks_table(struct ArrowArrayStream *stream, const struct dp_ranks *ranks,
		   const char *table, const struct dp_table_options *options,
		   struct dp_error *error)
{
	return make(stream, table, "ranks", &(struct dp_table_rows){ .ranks = ranks }, options,
		    error);
}
