/*
 * The state of the nvprof CSV importer, for lines (nvprof_csv.c) and rows (nvprof_rows.c).
 */
#ifndef DP_IMPORT_NVPROF_READER_H
#define DP_IMPORT_NVPROF_READER_H

#include "import/csv_lines.h"
#include "import/nvprof_cells.h"

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

/* What else nvprof prints than a GPU trace as CSV. */
enum other_form {
	FORM_NONE,
	FORM_TEXT,
	FORM_API,
	FORM_SUMMARY,
	FORM_METRICS,
};

enum state {
	BEFORE, /* no header so far: banners, and output of the profiled program */
	UNITS,	/* a header was read, its units come next */
	ROWS,	/* in a GPU trace */
	SKIP,	/* in another section */
};

/* A device cell, "Tesla V100 (0)": thousands of rows have the same. */
struct device_cell {
	char cell[256];
	size_t length;
	int64_t id;
};

struct dp_nvprof {
	struct dp_import *import;
	struct dp_csv_lines csv;

	enum state state;
	enum other_form other;
	int index[COLUMNS]; /* of the field, or -1 */
	size_t columns;	    /* in the header */
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

	size_t sections;
	unsigned start_digits; /* most fraction digits of a start in this section */
	int64_t resolution_ns; /* of the coarsest section */
	uint64_t good;
	uint64_t faults; /* unified-memory records that are not operations */
	uint64_t unknown;
};

/* Handles a complete row: a header, units, or a record. Sets the status of reader->csv on failure.
 */
void dp_nvprof__row(struct dp_nvprof *reader);

/* Ends a section: derives the resolution from the starts of its rows. */
void dp_nvprof__end_section(struct dp_nvprof *reader);

#endif
