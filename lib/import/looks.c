/* Recognizes files of other tools by their first bytes and by the tables of databases. */
#include "import/looks.h"
#include "import/database.h"

#include <string.h>

/* Returns the first character that is not white space. */
static char first(const struct dp_probe *probe)
{
	for (size_t i = 0; i < probe->length; i++)
		if (!strchr(" \t\r\n", probe->head[i]))
			return probe->head[i];
	return '\0';
}

/* Names near the beginning of a kind of text file, and its first character. */
struct words {
	const char *first; /* one of these characters; "": any */
	const char *one, *other;
	const char *message;
};

static const struct words texts[] = {
	{ "\"C", "Correlation_Id", "Counter_Name",
	  "rocprofv3's table of counters: record without counters, with rocprofv3 "
	  "--kernel-trace, and analyze kernel_trace.csv" },
	{ "\"N", "TotalDurationNs", "Percentage",
	  "a summary of rocprof or rocprofv3, without times of single kernels: analyze "
	  "results.csv or kernel_trace.csv" },
	{ "D", "Dispatch_ID,", "Kernel_Name,",
	  "a table of rocprof-compute, with counters from several runs: record one run "
	  "with rocprofv3 --output-format rocpd" },
	{ "\"I,", "Process Name", "Host Name",
	  "a table of Nsight Compute, without times of kernels in the program: record with "
	  "nsys profile or deepprof record" },
	{ "", "==PROF== ", "Connected to process",
	  "output of Nsight Compute, without times of kernels in the program: record with "
	  "nsys profile or deepprof record" },
	{ "{", "\"schema\": \"1.", "\"nodes\": [",
	  "PyTorch's execution trace, which has no times of kernels: export a trace with "
	  "torch.profiler's export_chrome_trace()" },
	{ "{", "speedscope.app/", "\"$schema\"",
	  "a speedscope profile, which has no GPU operations: record with deepprof record" },
	{ "<", "<html", "<", "a web page, not a trace" },
	{ "\"SNTD", "Start (ns)", "Duration (ns)",
	  "a CSV table of nsys stats: run nsys export --type=sqlite FILE.nsys-rep and "
	  "analyze its output" },
	/* pandas writes a column of row numbers first. */
	{ "T,", "Time(%)", "Calls",
	  "an nvprof summary, without times of single operations: record with nvprof "
	  "--print-gpu-trace --csv or nvprof -o FILE" },
	{ ",0123456789", "Start\",\"Duration\"", "Name\"",
	  "an nvprof table behind a column of another program: remove that column, and "
	  "analyze the tables of different runs separately" },
	{ "\"TN", "Total Time (ns)", "Instances",
	  "a CSV summary of nsys stats: run nsys export --type=sqlite FILE.nsys-rep and "
	  "analyze its output" },
};

/* Returns true for deepprof's own reports: JSON, CSV, HTML. */
static bool is_report(const struct dp_probe *probe)
{
	static const char columns[] = "file,loop,device,context,stream,index,";
	static const char page[] = "<!DOCTYPE html>";

	if (probe->length >= sizeof(columns) && !memcmp(probe->head, columns, sizeof(columns) - 1))
		return true;
	if (probe->length >= sizeof(page) && !memcmp(probe->head, page, sizeof(page) - 1))
		return dp_probe__contains(probe, "deepprof");
	return first(probe) == '{' && dp_probe__contains(probe, "\"schema\": ") &&
	       (dp_probe__contains(probe, "\"t0_ns\": ") ||
		dp_probe__contains(probe, "\"runs\": [") ||
		dp_probe__contains(probe, "\"ranks\": [")) &&
	       !dp_probe__contains(probe, "traceEvents");
}

struct look {
	const char *magic;
	size_t length, offset;
	const char *message;
};

static const struct look magics[] = {
	{ "\x28\xb5\x2f\xfd", 4, 0, "compressed with zstd: decompress it (zstd -d)" },
	{ "\xfd"
	  "7zXZ",
	  5, 0, "compressed with xz: decompress it (xz -d)" },
	{ "BZh", 3, 0, "compressed with bzip2: decompress it (bzip2 -d)" },
	{ "\x89"
	  "dpsum",
	  6, 0, "a summary from deepprof reduce: read it with deepprof ranks" },
	{ "PK\x03\x04", 4, 0, "a zip archive: unpack it, and name the trace in it" },
	{ "ustar", 5, 257, "a tar archive: unpack it, and name the trace in it" },
	{ "NVR\0", 4, 0,
	  "a report of Nsight Compute, without times of kernels in the program: record with "
	  "nsys profile or deepprof record" },
	{ "\x80\x04\x95", 3, 0,
	  "a Python pickle, such as PyTorch's snapshot of memory: export a trace with "
	  "torch.profiler's export_chrome_trace()" },
	{ "\x7f"
	  "ELF",
	  4, 0, "a program or a library, not a trace: deepprof record runs programs" },
	{ "version https://git-lfs.", 24, 0,
	  "a pointer of Git LFS, not the file itself: fetch that with git lfs pull" },
	{ "%PDF-", 5, 0, "a PDF document, not a trace" },
	{ "\x89PNG", 4, 0, "an image, not a trace" },
	{ "\xff\xd8\xff", 3, 0, "an image, not a trace" },
	{ "GIF8", 4, 0, "an image, not a trace" },
};

static const char *look_at(const struct dp_probe *probe)
{
	char begin = first(probe);

	for (size_t i = 0; i < DP_COUNT(magics); i++)
		if (probe->length >= magics[i].offset + magics[i].length &&
		    !memcmp(probe->head + magics[i].offset, magics[i].magic, magics[i].length))
			return magics[i].message;
	if (is_report(probe))
		return "a report from deepprof, not a trace: analyze the trace instead (compare "
		       "also reads saved JSON reports)";
	for (size_t i = 0; begin && i < DP_COUNT(texts); i++)
		if ((!texts[i].first[0] || strchr(texts[i].first, begin)) &&
		    dp_probe__contains(probe, texts[i].one) &&
		    dp_probe__contains(probe, texts[i].other))
			return texts[i].message;
	return NULL;
}

/* Databases of other tools, by two of their tables. */
static const struct {
	const char *tables[2];
	const char *message;
} databases[] = {
	/* As lib/report/sqlite.c creates them. */
	{ { "annotation_raw", "operation_raw" },
	  "tables for SQL that deepprof exported: read the original trace" },
	{ { "compute_workload", "compute_dispatch" },
	  "a database of rocprof-compute, with counters from several runs: record one run with "
	  "rocprofv3 --output-format rocpd" },
};

int dp_looks__refuse(const struct dp_probe *probe, struct dp_error *error)
{
	const char *message = look_at(probe);

	for (size_t i = 0; i < DP_COUNT(databases) && !message; i++) {
		int found = dp_database__probe(probe, databases[i].tables,
					       DP_COUNT(databases[i].tables));

		if (found < 0)
			return dp_error__nomem(error, 0);
		if (found == (int)DP_COUNT(databases[i].tables))
			message = databases[i].message;
	}
	return message ? dp_error__set(error, DP_ERR_UNSUPPORTED, "%s", message) : DP_OK;
}
