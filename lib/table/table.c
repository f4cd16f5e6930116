/* From a table's rows to an Arrow stream. */
#include "table/table.h"
#include "base/options.h"

#include <errno.h>
#include <string.h>

static const struct dp_table *const tables[] = {
	&dp_table__loops,
	&dp_table__iterations,
	&dp_table__variants,
	&dp_table__kernels,
	&dp_table__places,
	&dp_table__operators,
	&dp_table__host_ranges,
	&dp_table__findings,
	&dp_table__evidence,
	&dp_table__finding_ranges,
	&dp_table__finding_loops,
	&dp_table__streams,
	&dp_table__operations,
	&dp_table__copies,
	&dp_table__samples,
	&dp_table__pairs,
	&dp_table__pair_metrics,
	&dp_table__pair_parts,
	&dp_table__pair_kernels,
	&dp_table__pair_places,
	&dp_table__pair_findings,
	&dp_table__ranks,
	&dp_table__rank_iterations,
	&dp_table__collectives,
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
	struct dp_analysis *held; /* NULL: of one of these */
	struct dp_comparison *comparison;
	struct dp_ranks *ranks;
	size_t next; /* batch */
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

static size_t count_each(const struct dp_table_rows *rows, enum dp_table_each each)
{
	switch (each) {
	case DP_EACH_LOOP:
		return dp_analysis_loop_count(rows->analysis);
	case DP_EACH_FINDING:
		return dp_analysis_finding_count(rows->analysis);
	case DP_EACH_PAIR:
		return dp_comparison_pair_count(rows->comparison);
	case DP_EACH_RANK:
		return dp_ranks_count(rows->ranks);
	case DP_EACH_RANK_ITERATION:
		return dp_ranks_iteration_count(rows->ranks);
	case DP_EACH_TABLE:
		break;
	}
	return 1;
}

/* Returns true for a row of the requested loop. */
static bool is_chosen(const struct dp_table_rows *rows, const char *row)
{
	int64_t loop = 0;

	if (rows->loop)
		memcpy(&loop, row + rows->loop->offset, sizeof(loop));
	return !rows->loop || loop == (int64_t)rows->first_loop;
}

static int write_rows(struct dp_table_rows *rows, const struct dp_table *table, size_t of)
{
	enum dp_table_row got = DP_ROW;

	for (size_t i = 0; got != DP_ROW_END; i++) {
		char *row;

		if (dp_array__reserve(&rows->rows, &rows->room, rows->count + 1, rows->row_size))
			return DP_ERR_NOMEM;
		row = rows->rows + rows->count * rows->row_size;
		memset(row, 0, rows->row_size);
		got = table->row(row, rows, of, i);
		rows->count += got == DP_ROW && is_chosen(rows, row);
	}
	return DP_OK;
}

/* Lists rows one by one, as a batch. */
static int list_rows(struct dp_table_rows *rows, const struct dp_table *table)
{
	size_t count = count_each(rows, table->each);
	struct dp_arrow_column *columns;
	int status = DP_OK;

	for (size_t i = 0; i < count && !status; i++)
		status = write_rows(rows, table, i);
	if (status || !rows->count)
		return status;
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
	dp_comparison_free(body->comparison);
	dp_ranks_free(body->ranks);
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

/* Names of the tables of an "analysis", a "comparison" or "ranks". */
static const char *table_name(size_t index, const void *of)
{
	for (size_t i = 0; i < DP_COUNT(tables); i++)
		if (!strcmp(tables[i]->info.of, of) && !index--)
			return tables[i]->info.name;
	return NULL;
}

/* Which loops' rows are listed: those of all, or of one, for tables with such a column. */
static int choose_loops(struct dp_table_rows *rows, const struct dp_table *table, int64_t loop,
			struct dp_error *error)
{
	size_t loops = rows->analysis ? dp_analysis_loop_count(rows->analysis) : 0;
	const struct dp_field *field = table->fields;

	rows->end_loop = loops;
	if (loop < 0)
		return DP_OK;
	while (field->name && strcmp(field->name, "loop") != 0)
		field++;
	if (!field->name)
		return dp_error__set(error, DP_ERR_ARGUMENT, "table %s has no column loop",
				     table->info.name);
	if (!loops)
		return dp_error__set(error, DP_ERR_ARGUMENT, "no loop %lld: none was found",
				     (long long)loop);
	if ((uint64_t)loop >= loops)
		return dp_error__set(error, DP_ERR_ARGUMENT, "no loop %lld: the last one is %zu",
				     (long long)loop, loops - 1);
	rows->loop = field;
	rows->first_loop = (size_t)loop;
	rows->end_loop = rows->first_loop + 1;
	return DP_OK;
}

/* Lists the rows. A loop that is not reported on has them in some tables only. */
static int list(struct dp_table_rows *rows, const struct dp_table *table, struct dp_error *error)
{
	int status = table->list ? table->list(rows) : list_rows(rows, table);

	if (status)
		return dp_error__nomem(error, 0);
	if (rows->loop && !rows->batch_count &&
	    !dp_analysis_loop(rows->analysis, rows->first_loop)->selected)
		return dp_error__set(error, DP_ERR_ARGUMENT,
				     "table %s has no rows of loop %zu, which is not reported on",
				     table->info.name, rows->first_loop);
	return DP_OK;
}

static int make(struct ArrowArrayStream *stream, const char *name, const char *of,
		const struct dp_table_rows *start, const struct dp_table_options *options,
		struct dp_error *error)
{
	const struct dp_table *table = find(name, of);
	struct body *body;
	struct dp_table_rows rows = *start;
	struct dp_table_options all = DP_TABLE_OPTIONS_INIT;
	int status;

	if (!table)
		return dp_error__unknown(error, "table", name, table_name, of);
	status = dp_options__take(&all, sizeof(all), options, error);
	if (!status)
		status = choose_loops(&rows, table, all.loop, error);
	if (status)
		return status;
	body = calloc(1, sizeof(*body));
	if (!body)
		return dp_error__nomem(error, sizeof(*body));
	body->rows = rows;
	body->rows.row_size = table->row_size;
	body->nan = all.nan;
	if (start->analysis)
		body->held = dp_analysis_retain(start->analysis);
	if (start->comparison)
		body->comparison = dp_comparison_retain(start->comparison);
	if (start->ranks)
		body->ranks = dp_ranks_retain(start->ranks);
	status = fields(&body->rows, table) ? dp_error__nomem(error, 0)
					    : list(&body->rows, table, error);
	if (status) {
		body_free(body);
		return status;
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

int dp_ranks_table(struct ArrowArrayStream *stream, const struct dp_ranks *ranks, const char *table,
		   const struct dp_table_options *options, struct dp_error *error)
{
	return make(stream, table, "ranks", &(struct dp_table_rows){ .ranks = ranks }, options,
		    error);
}
