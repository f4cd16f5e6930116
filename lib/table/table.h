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

/* The same, a member of the row's member called of, which is a struct of the public headers. */
#define DP_FIELD_OF(type, member, cell, unit, help)                  \
	{                                                            \
#member, cell, offsetof(type, of.member), unit, help \
	}

/* The rows of a table as they are listed. */
struct dp_table_rows {
	const struct dp_analysis *analysis; /* one of them is set: what the table is of */
	const struct dp_comparison *comparison;
	const struct dp_ranks *ranks;
	size_t first_loop, end_loop; /* of an analysis: whose rows are listed */
	const struct dp_field *loop; /* in rows of one loop alone, its id; NULL: of all */
	struct dp_field *fields; /* those of the table, then those of metrics */
	size_t field_count;
	size_t row_size;
	char *rows; /* that were written one by one */
	size_t count, room;
	struct dp_batch *batches;
	size_t batch_count, batch_room;
	struct dp_memory_block *blocks;
};

/* Which metrics of the analysis are columns behind a table's own. */
enum dp_table_metrics { DP_TABLE_NO_METRICS, DP_TABLE_ITERATION_METRICS, DP_TABLE_SUMMARY_METRICS };

/* What a table has rows of each of. */
enum dp_table_each {
	DP_EACH_TABLE, /* just once */
	DP_EACH_LOOP,
	DP_EACH_FINDING,
	DP_EACH_PAIR,
	DP_EACH_RANK,
	DP_EACH_RANK_ITERATION,
};

enum dp_table_row { DP_ROW_END, DP_ROW_NONE, DP_ROW };

struct dp_table {
	struct dp_table_info info;
	const struct dp_field *fields; /* ends with a NULL name */
	size_t row_size;
	enum dp_table_metrics metrics;
	/*
	 * Writes one row, zeroed before: the index-th of a loop, finding or whatever each says.
	 * Returns DP_ROW, DP_ROW_NONE where there is no such row but more may follow, or
	 * DP_ROW_END. All that it points to must stay as long as what the table is of.
	 */
	enum dp_table_each each;
	enum dp_table_row (*row)(void *row, const struct dp_table_rows *rows, size_t of,
				 size_t index);
	/* Or, of rows that are in memory already, all of them. Errors: DP_ERR_NOMEM. */
	int (*list)(struct dp_table_rows *rows);
};

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
