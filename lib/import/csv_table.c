/* Finds the columns of a CSV table by name, and reads its fields. */
#include "import/csv_table.h"

#include <stdio.h>
#include <string.h>

/* Times beyond this are damage: differences of two stay within 63 bits. */
#define TIME_LIMIT (INT64_MAX / 2)

/* Returns true if text is one of the names, which are separated by commas. */
static bool is_one_of(struct dp_slice text, const char *names)
{
	for (size_t n = strcspn(names, ",");; n = strcspn(names, ",")) {
		if (text.length == n && !memcmp(text.at, names, n))
			return true;
		if (!names[n])
			return false;
		names += n + 1;
	}
}

void dp_csv_table__header(struct dp_csv_table *table, const char *const *names, size_t count)
{
	size_t kept = DP_MIN(table->csv->field_count, (size_t)DP_CSV_FIELDS);

	for (size_t column = 0; column < count; column++) {
		table->index[column] = -1;
		for (size_t i = kept; i-- > 0;)
			if (is_one_of(dp_csv_lines__field(table->csv, i), names[column]))
				table->index[column] = (int)i;
	}
	table->columns = table->csv->field_count;
}

struct dp_slice dp_csv_table__cell(const struct dp_csv_table *table, size_t column)
{
	struct dp_slice none = { "", 0 };
	int index = table->index[column];

	return index < 0 ? none : dp_csv_lines__field(table->csv, (size_t)index);
}

void dp_csv_table__bad_cell(struct dp_csv_table *table, size_t column, const char *message)
{
	struct dp_slice text = dp_csv_table__cell(table, column);

	dp_csv_lines__bad_row(table->csv, (size_t)DP_MAX(table->index[column], 0),
			      text.length ? message : "empty field", text);
}

bool dp_csv_table__check_length(struct dp_csv_table *table)
{
	struct dp_csv_lines *csv = table->csv;
	char message[64];

	if (csv->field_count == table->columns)
		return true;
	snprintf(message, sizeof(message), "row of %zu fields under a header of %zu",
		 csv->field_count, table->columns);
	dp_csv_lines__bad_row(csv, DP_MIN(csv->field_count, table->columns), message,
			      (struct dp_slice){ "", 0 });
	return false;
}

bool dp_csv_table__number(struct dp_csv_table *table, size_t column, int64_t *value)
{
	if (!dp_csv_table__has(table, column) ||
	    dp_slice__integer(dp_csv_table__cell(table, column), value))
		return true;
	dp_csv_table__bad_cell(table, column, "not a number:");
	return false;
}

/*
 * Reads a time that another program has written as a number with a fraction or an exponent. One
 * that it has rounded to fewer digits, as spreadsheets do, is of no use.
 */
static bool read_converted(struct dp_slice text, int64_t *time_ns)
{
	int digits;

	return dp_slice__scaled(text, 1, time_ns, &digits) && digits >= 0 && *time_ns > 0;
}

/* ROCm's profilers write 0 for a kernel that had not ended when they stopped. */
static bool read_time(struct dp_csv_table *table, size_t column, int64_t *time_ns)
{
	struct dp_slice text = dp_csv_table__cell(table, column);

	if ((dp_slice__integer(text, time_ns) || read_converted(text, time_ns)) && *time_ns &&
	    *time_ns <= TIME_LIMIT)
		return true;
	dp_csv_table__bad_cell(table, column, "not a time:");
	return false;
}

bool dp_csv_table__times(struct dp_csv_table *table, size_t start, size_t end, int64_t *start_ns,
			 int64_t *end_ns)
{
	if (!read_time(table, start, start_ns) || !read_time(table, end, end_ns))
		return false;
	if (*end_ns >= *start_ns)
		return true;
	dp_csv_table__bad_cell(table, end, "the operation ends before it begins:");
	return false;
}
