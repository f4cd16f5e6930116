/* Lines of CSV, and their fields. */
#include "import/csv_lines.h"

#include <stdio.h>
#include <string.h>

#define LINE_BYTES ((size_t)1 << 20) /* a longer line is lost; names of 20 KiB have been seen */

/* Callbacks of libcsv. */

static void on_field(void *text, size_t length, void *arg)
{
	struct dp_csv_lines *csv = arg;

	if (csv->field_count++ >= DP_CSV_FIELDS)
		return;
	/* Unescaped fields together are never longer than the line. */
	length = DP_MIN(length, LINE_BYTES - csv->fields_length);
	memcpy(csv->fields + csv->fields_length, text, length);
	csv->fields_length += length;
	csv->field_at[csv->field_count] = csv->fields_length;
}

static void on_row(int terminator, void *arg)
{
	struct dp_csv_lines *csv = arg;

	csv->rows_in_line++;
	csv->row(csv->ctx);
	csv->field_count = 0;
	csv->fields_length = 0;
}

struct dp_slice dp_csv_lines__field(const struct dp_csv_lines *csv, size_t index)
{
	struct dp_slice text = { "", 0 };

	if (index < csv->field_count && index < DP_CSV_FIELDS) {
		text.at = csv->fields + csv->field_at[index];
		text.length = csv->field_at[index + 1] - csv->field_at[index];
	}
	return text;
}

/* Returns the column at which a field begins, from 1. Searched again, as only messages need it. */
static uint64_t byte_column(const char *line, size_t length, size_t index)
{
	bool quoted = false;
	size_t i;

	for (i = 0; i < length && index > 0; i++) {
		if (line[i] == '"')
			quoted = !quoted;
		else if (line[i] == ',' && !quoted)
			index--;
	}
	return i + 1;
}

void dp_csv_lines__bad_row(struct dp_csv_lines *csv, size_t index, const char *message,
			   struct dp_slice what)
{
	if (csv->bad++)
		return;
	csv->bad_offset = csv->offset;
	csv->bad_line = csv->line_number;
	csv->bad_column = byte_column(csv->line.at, csv->line.length, index);
	snprintf(csv->bad_message, sizeof(csv->bad_message), "%s%s%.*s%s", message,
		 what.length ? " '" : "", (int)DP_MIN(what.length, 40), what.at,
		 what.length ? "'" : "");
}

static int csv_failed(struct dp_csv_lines *csv)
{
	int error = csv_error(&csv->parser);

	return dp_error__set(csv->import->error, error == CSV_ENOMEM ? DP_ERR_NOMEM : DP_ERR_LIMIT,
			     "%s", csv_strerror(error));
}

/* Reads one line with its newline. */
static int read_line(struct dp_csv_lines *csv, const char *at, size_t length)
{
	csv->line.at = at;
	csv->line.length = length;
	csv->line_number++;
	if (csv->skip && csv->skip(csv->ctx))
		goto out;
	csv->rows_in_line = 0;
	if (csv_parse(&csv->parser, at, length, on_field, on_row, csv) != length)
		return csv_failed(csv);
	if (!csv->rows_in_line && dp_slice__trim(csv->line).length) {
		csv_fini(&csv->parser, NULL, NULL, NULL);
		if (csv->has_rows(csv->ctx))
			dp_csv_lines__bad_row(csv, csv->field_count, "quote that is not closed",
					      (struct dp_slice){ "", 0 });
		csv->field_count = 0;
		csv->fields_length = 0;
	}
out:
	csv->offset += length;
	return csv->status;
}

/* Passes the complete lines of buf to read_line(); *used is their length. */
static int read_lines(struct dp_csv_lines *csv, const char *buf, size_t length, size_t *used)
{
	int status = DP_OK;
	const char *newline;

	*used = 0;
	while (status == DP_OK && *used < length) {
		newline = memchr(buf + *used, '\n', length - *used);
		if (!newline)
			break;
		status = read_line(csv, buf + *used, (size_t)(newline + 1 - buf) - *used);
		*used = (size_t)(newline + 1 - buf);
	}
	return status;
}

/* Drops the rest of a line that was too long. Returns false if the buffer does not hold its end. */
static bool drop_line(struct dp_csv_lines *csv, char *buf, size_t *have)
{
	const char *newline = memchr(buf, '\n', *have);
	size_t used = newline ? (size_t)(newline + 1 - buf) : *have;

	csv->offset += used;
	*have -= used;
	memmove(buf, buf + used, *have);
	return newline != NULL;
}

static void skip_mark(struct dp_csv_lines *csv, char *buf, size_t *have)
{
	if (*have < 3 || memcmp(buf, "\xef\xbb\xbf", 3))
		return;
	*have -= 3;
	csv->offset += 3;
	memmove(buf, buf + 3, *have);
}

/* Reads all of the input through a buffer of LINE_BYTES. */
static int read_all(struct dp_csv_lines *csv, char *buf)
{
	struct dp_import *import = csv->import;
	size_t have = 0, got, used;
	bool cut = false;
	int status;

	for (;;) {
		status = dp_input__read(import->input, buf + have, LINE_BYTES - have, &got,
					import->error);
		if (status != DP_OK || !got)
			break;
		have += got;
		if (!csv->offset)
			skip_mark(csv, buf, &have);
		if (cut && !drop_line(csv, buf, &have))
			continue;
		cut = false;
		status = read_lines(csv, buf, have, &used);
		if (status != DP_OK)
			break;
		have -= used;
		memmove(buf, buf + used, have);
		if (have == LINE_BYTES) {
			csv->line.length = 0;
			csv->line_number++;
			dp_csv_lines__bad_row(csv, 0, "line of more than 1 MiB",
					      (struct dp_slice){ "", 0 });
			cut = drop_line(csv, buf, &have) == false;
		}
		dp_import__progress(import, dp_input__position(import->input),
				    dp_input__size(import->input));
	}
	/* The last line may lack its newline; there is room, as full buffers were emptied above. */
	if (status == DP_OK && have) {
		buf[have] = '\n';
		status = read_line(csv, buf, have + 1);
	}
	return status;
}

int dp_csv_lines__read(struct dp_csv_lines *csv)
{
	char *buf = malloc(LINE_BYTES);
	int status;

	csv->fields = malloc(LINE_BYTES);
	if (!buf || !csv->fields || csv_init(&csv->parser, 0)) {
		status = dp_error__nomem(csv->import->error, LINE_BYTES);
		goto out;
	}
	csv_set_realloc_func(&csv->parser, realloc);
	csv_set_free_func(&csv->parser, free);
	status = read_all(csv, buf);
	csv_free(&csv->parser);
out:
	free(csv->fields);
	free(buf);
	csv->fields = NULL;
	csv->field_count = 0;
	return status;
}

int dp_csv_lines__conclude(struct dp_csv_lines *csv, uint64_t good)
{
	struct dp_import *import = csv->import;

	if (!csv->bad)
		return DP_OK;
	if (!good) {
		dp_error__set(import->error, DP_ERR_DAMAGED, "%s", csv->bad_message);
		dp_error__where(import->error, NULL, NULL, csv->bad_line, csv->bad_column);
		return import->error->status;
	}
	dp_builder__loss(import->builder, "rows that cannot be read", csv->bad, csv->bad_offset);
	dp_log__write(&import->options->log, DP_LOG_WARNING, "line %llu:%llu: %s",
		      (unsigned long long)csv->bad_line, (unsigned long long)csv->bad_column,
		      csv->bad_message);
	return DP_OK;
}
