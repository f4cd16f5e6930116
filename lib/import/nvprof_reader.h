/* The state of the nvprof CSV importer, between its lines (nvprof_csv.c) and rows (nvprof_rows.c).
 */
#ifndef DP_IMPORT_NVPROF_READER_H
#define DP_IMPORT_NVPROF_READER_H

#include "import/import.h"
#include "import/nvprof_cells.h"

#include <csv.h>

#define MAX_FIELDS 64

enum column {
	START,
	DURATION,
	GRID,
	SIZE,
	SRC_KIND,
	DST_KIND,
	DEVICE,
	CONTEXT,
	STREAM,
	SRC_DEVICE,
	SRC_CONTEXT,
	UNIFIED,
	NAME,
	CORRELATION,
	COLUMNS
};

/* What nvprof prints besides a GPU trace as CSV. */
enum other_form {
	FORM_NONE,
	FORM_TEXT,
	FORM_API,
	FORM_SUMMARY,
	FORM_METRICS,
};

enum state {
	BEFORE, /* no header so far: banners, and what the profiled program printed */
	UNITS,	/* a header was read, its units come next */
	ROWS,	/* in a GPU trace */
	SKIP,	/* in a section that is none */
};

/* A device cell, "Tesla V100 (0)", is the same for thousands of rows. */
struct device_cell {
	char cell[256];
	size_t length;
	int64_t id;
};

struct dp_nvprof {
	struct dp_import *import;
	struct csv_parser csv;
	struct dp_slice line; /* the current one, with its newline if it has one */
	char *fields; /* the row's fields, one behind the other; as long as a line at the most */
	size_t fields_length;
	size_t field_at[MAX_FIELDS + 1];
	size_t field_count; /* all of the row; those beyond MAX_FIELDS are not kept */
	size_t rows_in_line;
	int status;

	enum state state;
	enum other_form other;
	int index[COLUMNS]; /* of the field, or -1 */
	size_t columns;	    /* of the header */
	uint64_t start_unit_ns;
	uint64_t duration_unit_ns;
	uint64_t size_unit;
	uint64_t unified_unit;

	bool result_banner;
	bool nothing_profiled;
	uint32_t process;
	struct device_cell device;
	int64_t *last_end_ns; /* by stream id, of the operations in file order */
	size_t last_end_room;
	size_t last_end_count;

	uint64_t line_number;
	uint64_t offset; /* of the line */
	size_t sections;
	unsigned start_digits; /* most fraction digits that a start had, in this section */
	int64_t resolution_ns; /* the coarsest section's */
	uint64_t good;
	uint64_t bad;
	uint64_t bad_offset; /* the first bad row */
	uint64_t bad_line;
	uint64_t bad_column;
	char bad_message[160];
	uint64_t faults; /* unified-memory records that are no operations */
	uint64_t unknown;
};

/* A row is complete: a header, units, or a record. Sets reader->status on failure. */
void dp_nvprof__row(struct dp_nvprof *reader);

/* The section is over: what its rows' starts reveal about the resolution. */
void dp_nvprof__end_section(struct dp_nvprof *reader);

/* A row cannot be used; the first one is reported. index is that of the field to blame. */
void dp_nvprof__bad_row(struct dp_nvprof *reader, size_t index, const char *message,
			struct dp_slice what);

#endif
