/*
 * Importer of what ROCm's rocprof writes (v1: bin/tblextr.py in ROCm/rocprofiler; v2).
 *
 * results.csv has a row per kernel in the order of dispatch. Its columns depend on the version and
 * the options: the first ones (2018) have neither process nor GPU nor queue, each counter adds one,
 * and the four times are missing without --timestamp on. So columns are mapped by name.
 *
 * rocprofv2's file plugin names the columns differently, and its kernels end with " (.kd)".
 * rocprof-compute's pmc_perf.csv is such a table, too, with or without times.
 *
 * results.json (of --hip-trace and the like) is a Chrome trace: see kineto_rocprof.h.
 *
 * Cost: linear; memory for one line (csv_lines.h).
 */
#include "import/chrome.h"
#include "import/csv_table.h"
#include "import/kineto.h"

enum column { NAME, GPU, QUEUE, PID, BEGIN, END, COLUMNS };

static const char *const column_names[COLUMNS] = {
	[NAME] = "KernelName,Kernel_Name",   [GPU] = "gpu-id,GPU_ID",
	[QUEUE] = "queue-id,Queue_ID",	     [PID] = "pid,PID",
	[BEGIN] = "BeginNs,Start_Timestamp", [END] = "EndNs,End_Timestamp",
};

struct rocprof {
	struct dp_csv_lines csv;
	struct dp_csv_table table;
	uint64_t good;
};

static bool is_header(const struct rocprof *rocprof)
{
	static const char *const first[][2] = { { "Index", "KernelName" },
						{ "Dispatch_ID", "GPU_ID" },
						{ "Dispatch_ID", "Kernel_Name" } };

	for (size_t i = 0; i < DP_COUNT(first); i++)
		if (dp_slice__is(dp_csv_lines__field(&rocprof->csv, 0), first[i][0]) &&
		    dp_slice__is(dp_csv_lines__field(&rocprof->csv, 1), first[i][1]))
			return true;
	return false;
}

static void read_header(struct rocprof *rocprof)
{
	struct dp_csv_table *table = &rocprof->table;

	dp_csv_table__header(table, column_names, COLUMNS);
	if (dp_csv_table__has(table, BEGIN) && dp_csv_table__has(table, END))
		return;
	if (table->columns > DP_CSV_FIELDS)
		rocprof->csv.status =
			dp_error__set(rocprof->csv.import->error, DP_ERR_LIMIT,
				      "%zu columns, and no kernel times in the first %d",
				      table->columns, DP_CSV_FIELDS);
	else
		rocprof->csv.status = dp_error__set(
			rocprof->csv.import->error, DP_ERR_UNSUPPORTED,
			"rocprof's table of counters, which has no kernel times: record with "
			"rocprof --timestamp on, or rocprofv3 --sys-trace");
}

static void read_kernel(struct rocprof *rocprof)
{
	struct dp_builder *builder = rocprof->csv.import->builder;
	struct dp_csv_table *table = &rocprof->table;
	struct dp_op op = { .kind = DP_OP_KERNEL };
	struct dp_slice name = dp_csv_table__cell(table, NAME);
	int64_t pid = -1, gpu = 0, queue = 0;

	if (!name.length) {
		dp_csv_table__bad_cell(table, NAME, "");
		return;
	}
	if (!dp_csv_table__times(table, BEGIN, END, &op.start_ns, &op.end_ns) ||
	    !dp_csv_table__number(table, PID, &pid) || !dp_csv_table__number(table, GPU, &gpu) ||
	    !dp_csv_table__number(table, QUEUE, &queue))
		return;
	op.name = dp_builder__kernel_name(builder, name.at, name.length);
	op.stream = dp_builder__stream(builder, dp_builder__process(builder, pid), gpu, -1, queue);
	/* A failure of the builder is kept, so checking the last call is enough. */
	rocprof->csv.status = dp_builder__op(builder, &op);
	rocprof->good++;
}

static void read_row(void *ctx)
{
	struct rocprof *rocprof = ctx;

	if (rocprof->csv.status)
		return;
	if (is_header(rocprof))
		read_header(rocprof);
	else if (rocprof->table.columns && dp_csv_table__check_length(&rocprof->table))
		read_kernel(rocprof);
}

static bool has_rows(void *ctx)
{
	const struct rocprof *rocprof = ctx;

	return rocprof->table.columns > 0;
}

static int read_csv(struct dp_import *import)
{
	struct rocprof rocprof = {
		.csv = { .import = import, .row = read_row, .has_rows = has_rows },
	};
	int status;

	rocprof.csv.ctx = &rocprof;
	rocprof.table.csv = &rocprof.csv;
	status = dp_csv_lines__read(&rocprof.csv);
	if (!status)
		status = dp_csv_lines__conclude(&rocprof.csv, rocprof.good);
	if (status)
		return status;
	if (!rocprof.table.columns)
		return dp_error__set(import->error, DP_ERR_DAMAGED,
				     "rocprof CSV without a header row of columns");
	dp_builder__detail(import->builder, "CSV, %zu columns", rocprof.table.columns);
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

/*
 * rocprof-compute joins the counters of several runs to one table, which has no queue. Some of its
 * tables have the times of one run.
 */
static bool is_timed_table(const struct dp_probe *probe, struct dp_slice head)
{
	return (dp_slice__starts(head, "Dispatch_ID,Kernel_Name,") ||
		dp_slice__starts(head, "Dispatch_ID,GPU_ID,")) &&
	       dp_probe__contains(probe, ",Start_Timestamp") &&
	       dp_probe__contains(probe, ",End_Timestamp");
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
	    dp_slice__starts(head, "Index,KernelName,") ||
	    dp_slice__starts(head, "Dispatch_ID,GPU_ID,Queue_ID,") || is_timed_table(probe, head) ||
	    dp_slice__starts(head, "\"Dispatch_ID\",\"GPU_ID\",\"Queue_ID\","))
		return 90;
	dp_chrome__look(&look, probe);
	return look.rocprof ? 90 : 0;
}

const struct dp_importer dp_importer__rocprof = {
	.info = { "rocprof", "ROCm rocprof (v1, v2), CSV and results.json" },
	.how_to_record = "rocprof --hip-trace, or rocprofv3 --sys-trace -f rocpd",
	.probe = probe,
	.read = read_rocprof,
};
