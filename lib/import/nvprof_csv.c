/*
 * Importer of `nvprof --print-gpu-trace --csv`: 17 columns in 2017, 20 and 22 (unified memory)
 * later, and a form with the two devices of peer copies. Columns are mapped by name and units are
 * read from the row below the header, so one reader handles all of them.
 *
 * This file splits the input into lines and libcsv splits a line into fields, one line at a time:
 * an unclosed quote, or a banner with a quote in it, then damages its own line only. nvprof writes
 * no line breaks inside fields. Cost: linear; memory for one line.
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

#define LINE_BYTES ((size_t)1 << 20) /* a longer line is lost; names of 20 KiB have been seen */

/* Callbacks of libcsv. */

static void on_field(void *text, size_t length, void *arg)
{
	struct dp_nvprof *reader = arg;

	if (reader->field_count++ >= MAX_FIELDS)
		return;
	/* Unescaped fields together are never longer than the line. */
	length = DP_MIN(length, LINE_BYTES - reader->fields_length);
	memcpy(reader->fields + reader->fields_length, text, length);
	reader->fields_length += length;
	reader->field_at[reader->field_count] = reader->fields_length;
}

static void on_row(int terminator, void *arg)
{
	struct dp_nvprof *reader = arg;

	reader->rows_in_line++;
	dp_nvprof__row(reader);
	reader->field_count = 0;
	reader->fields_length = 0;
}

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
				 (uint64_t)records, reader->offset);
	else
		dp_log__write(&reader->import->options->log, DP_LOG_INFO, "line %llu: %.*s",
			      (unsigned long long)reader->line_number,
			      (int)DP_MIN(rest.length, 400), rest.at);
}

/* Reads "==PID== text" or "======== text". Returns false if the line is not a banner. */
static bool read_banner(struct dp_nvprof *reader)
{
	struct dp_slice rest = dp_slice__trim(reader->line), digits;
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
	struct dp_slice line = dp_slice__trim(reader->line);

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

static int csv_failed(struct dp_nvprof *reader)
{
	return dp_error__set(reader->import->error,
			     csv_error(&reader->csv) == CSV_ENOMEM ? DP_ERR_NOMEM : DP_ERR_LIMIT,
			     "%s", csv_strerror(csv_error(&reader->csv)));
}

/* Reads one line with its newline. */
static int read_line(struct dp_nvprof *reader, const char *at, size_t length)
{
	reader->line.at = at;
	reader->line.length = length;
	reader->line_number++;
	if (at[0] == '=' && read_banner(reader))
		goto out;
	if (reader->state == BEFORE)
		look_at_line(reader);
	reader->rows_in_line = 0;
	if (csv_parse(&reader->csv, at, length, on_field, on_row, reader) != length)
		return csv_failed(reader);
	if (!reader->rows_in_line && dp_slice__trim(reader->line).length) {
		csv_fini(&reader->csv, NULL, NULL, NULL);
		if (reader->state == ROWS)
			dp_nvprof__bad_row(reader, reader->field_count, "quote that is not closed",
					   (struct dp_slice){ "", 0 });
		reader->field_count = 0;
		reader->fields_length = 0;
	}
out:
	reader->offset += length;
	return reader->status;
}

/* Passes the complete lines of buf to read_line(); *used is their length. */
static int read_lines(struct dp_nvprof *reader, const char *buf, size_t length, size_t *used)
{
	int status = DP_OK;
	const char *newline;

	*used = 0;
	while (status == DP_OK && *used < length) {
		newline = memchr(buf + *used, '\n', length - *used);
		if (!newline)
			break;
		status = read_line(reader, buf + *used, (size_t)(newline + 1 - buf) - *used);
		*used = (size_t)(newline + 1 - buf);
	}
	return status;
}

/* Drops the rest of a line that was too long. Returns false if the buffer does not hold its end. */
static bool drop_line(struct dp_nvprof *reader, char *buf, size_t *have)
{
	const char *newline = memchr(buf, '\n', *have);
	size_t used = newline ? (size_t)(newline + 1 - buf) : *have;

	reader->offset += used;
	*have -= used;
	memmove(buf, buf + used, *have);
	return newline != NULL;
}

static void skip_mark(struct dp_nvprof *reader, char *buf, size_t *have)
{
	if (*have < 3 || memcmp(buf, "\xef\xbb\xbf", 3))
		return;
	*have -= 3;
	reader->offset += 3;
	memmove(buf, buf + 3, *have);
}

/* Reads all of the input through a buffer of LINE_BYTES. */
static int read_all(struct dp_nvprof *reader, char *buf)
{
	struct dp_import *import = reader->import;
	size_t have = 0, got, used;
	bool cut = false;
	int status;

	for (;;) {
		status = dp_input__read(import->input, buf + have, LINE_BYTES - have, &got,
					import->error);
		if (status != DP_OK || !got)
			break;
		have += got;
		if (!reader->offset)
			skip_mark(reader, buf, &have);
		if (cut && !drop_line(reader, buf, &have))
			continue;
		cut = false;
		status = read_lines(reader, buf, have, &used);
		if (status != DP_OK)
			break;
		have -= used;
		memmove(buf, buf + used, have);
		if (have == LINE_BYTES) {
			reader->line.length = 0;
			reader->line_number++;
			dp_nvprof__bad_row(reader, 0, "line of more than 1 MiB",
					   (struct dp_slice){ "", 0 });
			cut = drop_line(reader, buf, &have) == false;
		}
		dp_import__progress(import, dp_input__position(import->input),
				    dp_input__size(import->input));
	}
	/* The last line may lack its newline; there is room, as full buffers were emptied above. */
	if (status == DP_OK && have) {
		buf[have] = '\n';
		status = read_line(reader, buf, have + 1);
	}
	return status;
}

/* Reports that the file has no GPU trace as CSV: what it is instead, and what to do. */
static int no_section(struct dp_nvprof *reader)
{
	static const char *const forms[] = {
		[FORM_TEXT] = "an nvprof trace as text, which leaves digits out",
		[FORM_API] = "an nvprof trace of API calls only, without the GPU's operations",
		[FORM_SUMMARY] = "an nvprof summary, which has no times of single operations",
		[FORM_METRICS] = "an nvprof table of events or metrics, which has no times",
	};
	struct dp_error *error = reader->import->error;

	if (reader->other != FORM_NONE)
		return dp_error__set(error, DP_ERR_UNSUPPORTED,
				     "%s: use nvprof --print-gpu-trace --csv, or nvprof -o FILE, "
				     "which deepprof reads as it is",
				     forms[reader->other]);
	if (reader->nothing_profiled)
		return DP_OK;
	dp_error__set(error, DP_ERR_DAMAGED, "%s",
		      reader->state == UNITS ? "nvprof CSV that ends behind its header"
					     : "nvprof output without a header row of columns");
	dp_error__where(error, NULL, NULL, reader->line_number, 0);
	return DP_ERR_DAMAGED;
}

/* Reports the result after the last line. */
static int conclude(struct dp_nvprof *reader)
{
	struct dp_import *import = reader->import;
	const struct dp_log *log = &import->options->log;

	dp_nvprof__end_section(reader);
	if (reader->bad && !reader->good) {
		dp_error__set(import->error, DP_ERR_DAMAGED, "%s", reader->bad_message);
		dp_error__where(import->error, NULL, NULL, reader->bad_line, reader->bad_column);
		return import->error->status;
	}
	if (!reader->sections)
		return no_section(reader);
	if (reader->bad) {
		dp_builder__loss(import->builder, "rows that cannot be read", reader->bad,
				 reader->bad_offset);
		dp_log__write(log, DP_LOG_WARNING, "line %llu:%llu: %s",
			      (unsigned long long)reader->bad_line,
			      (unsigned long long)reader->bad_column, reader->bad_message);
	}
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
	struct dp_nvprof reader = { .import = import, .process = DP_NONE };
	char *buf = malloc(LINE_BYTES);
	int status;

	reader.fields = malloc(LINE_BYTES);
	if (!buf || !reader.fields || csv_init(&reader.csv, 0)) {
		status = dp_error__nomem(import->error, LINE_BYTES);
		goto out;
	}
	csv_set_realloc_func(&reader.csv, realloc);
	csv_set_free_func(&reader.csv, free);
	status = read_all(&reader, buf);
	csv_free(&reader.csv);
	if (status == DP_OK)
		status = conclude(&reader);
out:
	free(reader.last_end_ns);
	free(reader.fields);
	free(buf);
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
