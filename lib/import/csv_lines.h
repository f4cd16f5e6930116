/*
 * Reads CSV of profilers line by line, and its fields with libcsv, one line at a time: an unclosed
 * quote, or a banner with a quote in it, then damages its own line only. Profilers write no line
 * breaks inside fields. Cost: linear; memory for one line of at most 1 MiB.
 */
#ifndef DP_IMPORT_CSV_LINES_H
#define DP_IMPORT_CSV_LINES_H

#include "import/import.h"
#include "import/slice.h"

#include <csv.h>

/* rocprof writes a column per counter, and the times behind them. */
#define DP_CSV_FIELDS 1024

/* Zero it, and set the members of the first group. */
struct dp_csv_lines {
	struct dp_import *import;
	void *ctx;
	bool (*skip)(void *ctx);     /* looks at the line; true if it is not CSV; or NULL */
	void (*row)(void *ctx);	     /* reads the fields; sets status on failure */
	bool (*has_rows)(void *ctx); /* true below a header: an unclosed quote is then a bad row */

	int status;
	struct dp_slice line; /* the current one, with its newline if it has one */
	uint64_t line_number; /* from 1 */
	uint64_t offset;      /* of the line */
	size_t field_count;   /* all of the row; only DP_CSV_FIELDS are kept */
	uint64_t bad;	      /* rows that cannot be used; below: the first of them */
	uint64_t bad_offset;
	uint64_t bad_line;
	uint64_t bad_column;
	char bad_message[160];

	struct csv_parser parser;
	size_t rows_in_line;
	char *fields; /* the row's fields in sequence; at most as long as a line */
	size_t fields_length;
	size_t field_at[DP_CSV_FIELDS + 1];
};

/* Reads all of the input. Errors: DP_ERR_NOMEM, DP_ERR_LIMIT, the input's, and status. */
int dp_csv_lines__read(struct dp_csv_lines *csv);

/* Returns a field of the row, "" if the row is too short. Valid in row() only. */
struct dp_slice dp_csv_lines__field(const struct dp_csv_lines *csv, size_t index);

/* Counts a row that cannot be used, and keeps the first. index is that of the faulty field. */
void dp_csv_lines__bad_row(struct dp_csv_lines *csv, size_t index, const char *message,
			   struct dp_slice what);

/*
 * Reports bad rows: as a loss if other rows were good, else as an error. Returns the status of that
 * error. Call it when everything has been read.
 */
int dp_csv_lines__conclude(struct dp_csv_lines *csv, uint64_t good);

#endif
