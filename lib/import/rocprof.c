/*
 * Importer of what ROCm's rocprof writes (v1; bin/tblextr.py in ROCm/rocprofiler).
 *
 * results.csv has a row per kernel in the order of dispatch. Its columns depend on the version and
 * the options: the first ones (2018) have neither process nor GPU nor queue, each counter adds one,
 * and the four times are missing without --timestamp on. So columns are mapped by name.
 *
 * results.json (of --hip-trace and the like) is a Chrome trace: see kineto_rocprof.h.
 *
 * Cost: linear; memory for one line (csv_lines.h).
 */
#include "import/chrome.h"
#include "import/csv_lines.h"
#include "import/kineto.h"

#include <stdio.h>

/* Times beyond this are damage: differences of two stay within 63 bits. */
#define TIME_LIMIT (INT64_MAX / 2)

enum column { NAME, GPU, QUEUE, PID, BEGIN, END, COLUMNS };

static const char *const column_names[COLUMNS] = {
	[NAME] = "KernelName", [GPU] = "gpu-id",    [QUEUE] = "queue-id",
	[PID] = "pid",	       [BEGIN] = "BeginNs", [END] = "EndNs",
};

struct rocprof {
	struct dp_csv_lines csv;
	int index[COLUMNS]; /* of the field, or -1 */
	size_t columns;	    /* in the header; 0 above it */
	uint64_t good;
};

static struct dp_slice cell(const struct rocprof *rocprof, enum column column)
{
	struct dp_slice none = { "", 0 };
	int index = rocprof->index[column];

	return index < 0 ? none : dp_csv_lines__field(&rocprof->csv, (size_t)index);
}

static void bad_cell(struct rocprof *rocprof, enum column column, const char *message)
{
	struct dp_slice text = cell(rocprof, column);

	dp_csv_lines__bad_row(&rocprof->csv, (size_t)rocprof->index[column],
			      text.length ? message : "empty field", text);
}

static bool is_header(const struct rocprof *rocprof)
{
	return dp_slice__is(dp_csv_lines__field(&rocprof->csv, 0), "Index") &&
	       dp_slice__is(dp_csv_lines__field(&rocprof->csv, 1), column_names[NAME]);
}

static void read_header(struct rocprof *rocprof)
{
	size_t kept = DP_MIN(rocprof->csv.field_count, (size_t)DP_CSV_FIELDS);

	for (int column = 0; column < COLUMNS; column++) {
		rocprof->index[column] = -1;
		for (size_t i = kept; i-- > 0;)
			if (dp_slice__is(dp_csv_lines__field(&rocprof->csv, i),
					 column_names[column]))
				rocprof->index[column] = (int)i;
	}
	rocprof->columns = rocprof->csv.field_count;
	if (rocprof->index[BEGIN] >= 0 && rocprof->index[END] >= 0)
		return;
	if (rocprof->columns > DP_CSV_FIELDS)
		rocprof->csv.status =
			dp_error__set(rocprof->csv.import->error, DP_ERR_LIMIT,
				      "%zu columns, and no kernel times in the first %d",
				      rocprof->columns, DP_CSV_FIELDS);
	else
		rocprof->csv.status = dp_error__set(
			rocprof->csv.import->error, DP_ERR_UNSUPPORTED,
			"rocprof's table of counters, which has no kernel times: record with "
			"rocprof --timestamp on, or with rocprofv3 --sys-trace --output-format "
			"rocpd");
}

/* Reads a number of a column, *value if the header lacks it. Returns false for another text. */
static bool read_number(struct rocprof *rocprof, enum column column, int64_t *value)
{
	if (rocprof->index[column] < 0 || dp_slice__integer(cell(rocprof, column), value))
		return true;
	bad_cell(rocprof, column, "not a number:");
	return false;
}

/* rocprof writes 0 for a kernel that had not ended when it stopped. */
static bool read_time(struct rocprof *rocprof, enum column column, int64_t *time_ns)
{
	if (dp_slice__integer(cell(rocprof, column), time_ns) && *time_ns && *time_ns <= TIME_LIMIT)
		return true;
	bad_cell(rocprof, column, "not a time:");
	return false;
}

static void read_kernel(struct rocprof *rocprof)
{
	struct dp_builder *builder = rocprof->csv.import->builder;
	struct dp_op op = { .kind = DP_OP_KERNEL };
	struct dp_slice name = cell(rocprof, NAME);
	int64_t pid = -1, gpu = 0, queue = 0;

	if (!name.length) {
		bad_cell(rocprof, NAME, "");
		return;
	}
	if (!read_time(rocprof, BEGIN, &op.start_ns) || !read_time(rocprof, END, &op.end_ns) ||
	    !read_number(rocprof, PID, &pid) || !read_number(rocprof, GPU, &gpu) ||
	    !read_number(rocprof, QUEUE, &queue))
		return;
	if (op.end_ns < op.start_ns) {
		bad_cell(rocprof, END, "the kernel ends before it begins: EndNs");
		return;
	}
	op.name = dp_builder__kernel_name(builder, name.at, name.length);
	op.stream = dp_builder__stream(builder, dp_builder__process(builder, pid), gpu, -1, queue);
	/* A failure of the builder is kept, so checking the last call is enough. */
	rocprof->csv.status = dp_builder__op(builder, &op);
	rocprof->good++;
}

static void bad_length(struct rocprof *rocprof)
{
	struct dp_csv_lines *csv = &rocprof->csv;
	char message[64];

	snprintf(message, sizeof(message), "row of %zu fields under a header of %zu",
		 csv->field_count, rocprof->columns);
	dp_csv_lines__bad_row(csv, DP_MIN(csv->field_count, rocprof->columns), message,
			      (struct dp_slice){ "", 0 });
}

static void read_row(void *ctx)
{
	struct rocprof *rocprof = ctx;
	struct dp_csv_lines *csv = &rocprof->csv;

	if (csv->status)
		return;
	if (is_header(rocprof))
		read_header(rocprof);
	else if (rocprof->columns && csv->field_count != rocprof->columns)
		bad_length(rocprof);
	else if (rocprof->columns)
		read_kernel(rocprof);
}

static bool has_rows(void *ctx)
{
	const struct rocprof *rocprof = ctx;

	return rocprof->columns > 0;
}

static int read_csv(struct dp_import *import)
{
	struct rocprof rocprof = {
		.csv = { .import = import, .row = read_row, .has_rows = has_rows },
	};
	int status;

	rocprof.csv.ctx = &rocprof;
	status = dp_csv_lines__read(&rocprof.csv);
	if (!status)
		status = dp_csv_lines__conclude(&rocprof.csv, rocprof.good);
	if (status)
		return status;
	if (!rocprof.columns)
		return dp_error__set(import->error, DP_ERR_DAMAGED,
				     "rocprof CSV without a header row of columns");
	dp_builder__detail(import->builder, "CSV, %zu columns", rocprof.columns);
	return DP_OK;
}

static int read_rocprof(struct dp_import *import)
{
	struct dp_probe probe = { .path = import->path };
	struct dp_chrome_look look;

	probe.head = dp_input__head(import->input, &probe.length);
	dp_chrome__look(&look, &probe);
	return look.json ? dp_kineto__read(import) : read_csv(import);
}

static int probe(const struct dp_probe *probe)
{
	struct dp_slice head = { probe->head, probe->length };
	struct dp_chrome_look look;

	if (dp_slice__starts(head, "\xef\xbb\xbf")) {
		head.at += 3;
		head.length -= 3;
	}
	if (dp_slice__starts(head, "\"Index\",\"KernelName\"") ||
	    dp_slice__starts(head, "Index,KernelName,"))
		return 90;
	dp_chrome__look(&look, probe);
	return look.rocprof ? 90 : 0;
}

const struct dp_importer dp_importer__rocprof = {
	.info = { "rocprof", "ROCm rocprof, results.csv and results.json" },
	.how_to_record = "rocprof --hip-trace, or rocprofv3 --sys-trace --output-format rocpd",
	.probe = probe,
	.read = read_rocprof,
};
