/*
 * Importer of `nvprof --print-gpu-trace --csv`: 17 columns in 2017, 20 and 22 (unified memory)
 * later, and a form with the two devices of peer copies. Columns are mapped by name and units are
 * read from the row below the header, so one reader handles all of them.
 *
 * Cost: linear; memory for one line (csv_lines.h).
 *
 * Times are read from the decimal digits. A start in seconds has a resolution of 1 us while
 * durations have nanoseconds: a printed start may then be off by up to half a step, and the
 * previous operation seems to end after it. Such a start is moved to that end. Because true starts
 * never precede the end of the previous operation in the stream, a moved start is at most half a
 * step above the true one, however many follow: no drift.
 */
#include "import/nvprof_reader.h"

#include <stdio.h>
#include <string.h>

/*
 * Lines.
 */

/* Sets the process of the rows that follow. */
static void set_process(struct dp_nvprof *reader, int64_t pid)
{
	reader->process = dp_builder__process(reader->import->builder, pid);
	reader->device.length = 0;
}

/* Reads "==308065== NVPROF is profiling process 308065, command: python train.py". */
static void read_process(struct dp_nvprof *reader, struct dp_slice rest, int64_t pid)
{
	struct dp_builder *builder = reader->import->builder;
	static const char word[] = "command: ";
	uint32_t process = dp_builder__process(builder, pid), name;

	if (!reader->result_banner)
		set_process(reader, pid);
	while (rest.length && !dp_slice__starts(rest, word)) {
		rest.at++;
		rest.length--;
	}
	if (!rest.length || process == DP_NONE)
		return;
	rest.at += sizeof(word) - 1;
	rest.length -= sizeof(word) - 1;
	rest = dp_slice__trim(rest);
	name = dp_builder__string(builder, rest.at, rest.length);
	if (name != DP_NONE)
		dp_builder__name_process(builder, process, name, -1);
}

/* "Warning: 376746 records have invalid timestamps …", "Warning: Found 3 invalid records …" */
static void read_warning(struct dp_nvprof *reader, struct dp_slice rest)
{
	struct dp_slice number;
	int64_t records = 0;

	if (dp_slice__starts(rest, "Found ")) {
		rest.at += 6;
		rest.length -= 6;
	}
	number = rest;
	for (number.length = 0; number.length < rest.length && rest.at[number.length] >= '0' &&
				rest.at[number.length] <= '9';)
		number.length++;
	if (dp_nvprof__whole(number, &records) && records > 0 && dp_slice__has(rest, "records"))
		dp_builder__loss(reader->import->builder,
				 dp_slice__has(rest, "invalid timestamps")
					 ? "records without valid times, left out by nvprof"
					 : "records that nvprof calls invalid",
				 (uint64_t)records, reader->csv.offset);
	else
		dp_log__write(&reader->import->options->log, DP_LOG_INFO, "line %llu: %.*s",
			      (unsigned long long)reader->csv.line_number,
			      (int)DP_MIN(rest.length, 400), rest.at);
}

/* Reads "==PID== text" or "======== text". Returns false if the line is not a banner. */
static bool read_banner(struct dp_nvprof *reader)
{
	struct dp_slice rest = dp_slice__trim(reader->csv.line), digits;
	int64_t pid = -1;
	size_t i = 2;

	if (!dp_slice__starts(rest, "=="))
		return false;
	while (i < rest.length && rest.at[i] != '=' && rest.at[i] != ' ')
		i++;
	digits.at = rest.at + 2;
	digits.length = i - 2;
	if (digits.length && !dp_nvprof__whole(digits, &pid))
		return false;
	while (i < rest.length && rest.at[i] == '=')
		i++;
	rest.at += i;
	rest.length -= i;
	rest = dp_slice__trim(rest);
	if (dp_slice__starts(rest, "NVPROF is profiling process") && pid >= 0) {
		read_process(reader, rest, pid);
	} else if (dp_slice__starts(rest, "Profiling result")) {
		reader->result_banner = true;
		/* Without a PID the process is the previous one, or unknown. */
		if (pid >= 0)
			set_process(reader, pid);
	} else if (dp_slice__starts(rest, "Warning: ")) {
		rest.at += 9;
		rest.length -= 9;
		read_warning(reader, rest);
	}
	return true;
}

/* Examines lines before a header: what nvprof prints without --csv, or if it profiled nothing. */
static void look_at_line(struct dp_nvprof *reader)
{
	struct dp_slice line = dp_slice__trim(reader->csv.line);

	if (dp_slice__starts(line, "No kernels were profiled"))
		reader->nothing_profiled = true;
	if (memchr(line.at, ',', line.length))
		return;
	if (dp_slice__starts(line, "Start ") && dp_slice__has(line, " Duration ") &&
	    dp_slice__has(line, "Name"))
		reader->other = FORM_TEXT;
	else if ((dp_slice__starts(line, "Time(%) ") || dp_slice__starts(line, "Type ")) &&
		 dp_slice__has(line, "Time(%)") && dp_slice__has(line, "Calls"))
		reader->other = FORM_SUMMARY;
	else if (dp_slice__starts(line, "Invocations ") &&
		 (dp_slice__has(line, "Metric Name") || dp_slice__has(line, "Event Name")))
		reader->other = FORM_METRICS;
}

static bool skip_line(void *ctx)
{
	struct dp_nvprof *reader = ctx;

	if (reader->csv.line.at[0] == '=' && read_banner(reader))
		return true;
	if (reader->state == BEFORE)
		look_at_line(reader);
	return false;
}

static void read_row(void *ctx)
{
	dp_nvprof__row(ctx);
}

static bool has_rows(void *ctx)
{
	const struct dp_nvprof *reader = ctx;

	return reader->state == ROWS;
}

/* Reports that the file has no GPU trace as CSV: what it is instead, and what to do. */
static int no_section(struct dp_nvprof *reader)
{
	static const char *const forms[] = {
		[FORM_TEXT] = "an nvprof trace as text, which leaves digits out",
		[FORM_API] = "an nvprof trace of API calls, without GPU operations",
		[FORM_SUMMARY] = "an nvprof summary, without times of single operations",
		[FORM_METRICS] = "an nvprof table of events or metrics, which has no times",
	};
	struct dp_error *error = reader->import->error;

	if (reader->other != FORM_NONE)
		return dp_error__set(
			error, DP_ERR_UNSUPPORTED,
			"%s: record with nvprof --print-gpu-trace --csv or nvprof -o FILE",
			forms[reader->other]);
	if (reader->nothing_profiled)
		return DP_OK;
	dp_error__set(error, DP_ERR_DAMAGED, "%s",
		      reader->state == UNITS ? "nvprof CSV that ends behind its header"
					     : "nvprof output without a header row of columns");
	dp_error__where(error, NULL, NULL, reader->csv.line_number, 0);
	return DP_ERR_DAMAGED;
}

/* Reports the result after the last line. */
static int conclude(struct dp_nvprof *reader)
{
	struct dp_import *import = reader->import;
	const struct dp_log *log = &import->options->log;
	int status;

	dp_nvprof__end_section(reader);
	status = dp_csv_lines__conclude(&reader->csv, reader->good);
	if (status)
		return status;
	if (!reader->sections)
		return no_section(reader);
	if (reader->faults || reader->unknown)
		dp_log__write(
			log, DP_LOG_INFO,
			"%llu unified-memory faults and %llu other records are not operations",
			(unsigned long long)reader->faults, (unsigned long long)reader->unknown);
	if (reader->resolution_ns)
		dp_builder__resolution(import->builder, reader->resolution_ns);
	dp_builder__detail(import->builder, "%zu columns", reader->columns);
	return DP_OK;
}

static int read_csv(struct dp_import *import)
{
	struct dp_nvprof reader = {
		.import = import,
		.process = DP_NONE,
		.csv = { .import = import,
			 .skip = skip_line,
			 .row = read_row,
			 .has_rows = has_rows },
	};
	int status;

	reader.csv.ctx = &reader;
	status = dp_csv_lines__read(&reader.csv);
	if (status == DP_OK)
		status = conclude(&reader);
	free(reader.last_end_ns);
	return status;
}

/* Returns how certain it is that nvprof wrote this line. */
static int probe_line(struct dp_slice line)
{
	if (dp_slice__starts(line, "\"Start\",\"Duration\",") ||
	    dp_slice__starts(line, "Start,Duration,"))
		return 90;
	if (dp_slice__starts(line, "==") &&
	    (dp_slice__has(line, "== NVPROF is profiling process") ||
	     dp_slice__has(line, "== Profiling result:")))
		return 85;
	if (dp_slice__starts(line, "Start ") && dp_slice__has(line, " Duration ") &&
	    dp_slice__has(line, "Grid Size"))
		return 80;
	if (dp_slice__starts(line, "\"Type\",\"Time(%)\",") ||
	    dp_slice__starts(line, "\"Time(%)\",\"Time\","))
		return 80;
	return 0;
}

static int probe(const struct dp_probe *probe)
{
	const char *at = probe->head, *end = at + probe->length, *newline;
	int best = 0, sure;

	if (probe->length >= 3 && !memcmp(at, "\xef\xbb\xbf", 3))
		at += 3;
	for (; at < end && best < 85; at = newline + 1) {
		newline = memchr(at, '\n', (size_t)(end - at));
		if (!newline)
			newline = end;
		sure = probe_line(dp_slice__trim((struct dp_slice){ at, (size_t)(newline - at) }));
		best = DP_MAX(best, sure);
	}
	return best;
}

const struct dp_importer dp_importer__nvprof_csv = {
	.info = { "nvprof_csv", "nvprof --print-gpu-trace --csv" },
	.how_to_record = "nvprof --print-gpu-trace --csv --profile-child-processes",
	.probe = probe,
	.read = read_csv,
};
