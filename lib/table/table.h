/*
 * The seam of the tables. A table is a struct dp_table and an entry in the list in table.c: what
 * its columns are, and a function that lists its rows.
 */
#ifndef DP_TABLE_TABLE_H
#define DP_TABLE_TABLE_H

#include "table/arrow.h"

/* A field that is a member of a row. */
#define DP_FIELD(type, member, cell, unit, help)                  \
	{                                                         \
#member, cell, offsetof(type, member), unit, help \
	}

/* The rows of a table as they are listed. */
struct dp_table_rows {
	const struct dp_analysis *analysis; /* one of them is set: what the table is of */
	const struct dp_comparison *comparison;
	const struct dp_ranks *ranks;
	struct dp_field *fields; /* those of the table, then those of metrics */
	size_t field_count;
	size_t row_size;
	char *rows; /* that dp_table_rows__add() made */
	size_t count, room;
	struct dp_batch *batches;
	size_t batch_count, batch_room;
	struct dp_memory_block *blocks;
};

/* Which metrics of the analysis are columns behind a table's own. */
enum dp_table_metrics { DP_TABLE_NO_METRICS, DP_TABLE_ITERATION_METRICS, DP_TABLE_SUMMARY_METRICS };

struct dp_table {
	struct dp_table_info info;
	const struct dp_field *fields; /* ends with a NULL name */
	size_t row_size;	       /* of what dp_table_rows__add() gives */
	enum dp_table_metrics metrics;
	/* Lists all rows. Errors: DP_ERR_NOMEM. */
	int (*list)(struct dp_table_rows *rows);
};

/*
 * One row more, zeroed, valid until the next; NULL where memory runs out. Its columns are at the
 * offsets that the fields say. All that it points to must stay as long as what the table is of.
 */
void *dp_table_rows__add(struct dp_table_rows *rows);

/*
 * A batch of rows that are in memory already: returns its columns, one for each field, to be filled
 * in at once; NULL where memory runs out. What they point to must stay as long as what the table is
 * of, or come from dp_table_rows__memory().
 */
struct dp_arrow_column *dp_table_rows__batch(struct dp_table_rows *rows, size_t count);

/* Memory that is there until the stream is released; NULL where it runs out. */
void *dp_table_rows__memory(struct dp_table_rows *rows, size_t count, size_t size);

/* How many fields of a table are its own, metrics excluded. */
size_t dp_table__own_fields(const struct dp_table *table);

/* By index; NULL beyond the end. */
const struct dp_table *dp_table__at(size_t index);

/* The tables. */
extern const struct dp_table dp_table__loops, dp_table__iterations, dp_table__variants,
	dp_table__kernels, dp_table__places, dp_table__operators, dp_table__host_ranges,
	dp_table__findings, dp_table__evidence, dp_table__finding_ranges, dp_table__finding_loops;
extern const struct dp_table dp_table__streams, dp_table__operations, dp_table__copies,
	dp_table__samples;
extern const struct dp_table dp_table__pairs, dp_table__pair_metrics, dp_table__pair_parts,
	dp_table__pair_kernels, dp_table__pair_places, dp_table__pair_findings;
extern const struct dp_table dp_table__ranks, dp_table__rank_iterations, dp_table__collectives,
	dp_table__rank_collectives;

#endif
