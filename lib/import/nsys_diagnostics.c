/*
 * The table DIAGNOSTIC_EVENT: timestamp, severity and text. The order of rows is not reliable.
 */
#include "import/nsys_diagnostics.h"

#include <stdio.h>
#include <string.h>

enum { SEVERITY, TIMESTAMP, TEXT, COLUMNS };

/* ENUM_DIAGNOSTIC_SEVERITY_LEVEL: 0 unknown, 1 information, 4 verbose. */
enum { WARNING = 2, ERROR = 3 };

/* The builder shortens longer texts anyway. */
struct reason {
	char text[200];
	int rank;
	int64_t timestamp;
};

/*
 * Ranks causes ("Installed CUDA driver version … is not supported") above results ("No CUDA events
 * collected"), and errors above warnings; 0 if the text is not about CUDA.
 */
static int rank_of(int64_t severity, const char *text)
{
	if (severity < WARNING || severity > ERROR ||
	    (!strstr(text, "CUDA") && !strstr(text, "CUPTI")))
		return 0;
	return (int)severity + (strstr(text, "events") ? 0 : 10);
}

static void take(struct reason *best, struct dp_rows *rows)
{
	struct reason row = { .timestamp = dp_rows__id(rows, TIMESTAMP) };
	size_t length;
	const char *text = dp_rows__text(rows, TEXT, &length);

	snprintf(row.text, sizeof(row.text), "%.*s", (int)DP_MIN(length, sizeof(row.text)),
		 text ? text : "");
	row.rank = rank_of(dp_rows__id(rows, SEVERITY), row.text);
	if (row.rank > best->rank ||
	    (row.rank && row.rank == best->rank && row.timestamp < best->timestamp))
		*best = row;
}

int dp_nsys__explain_no_gpu(struct dp_database *database, struct dp_builder *builder)
{
	static const struct dp_column columns[COLUMNS] = {
		[SEVERITY] = { "severity", false },
		[TIMESTAMP] = { "timestamp", false },
		[TEXT] = { "text", false },
	};
	struct reason best = { .rank = 0 };
	struct dp_rows rows;
	const char *table = dp_database__table(database, "DIAGNOSTIC_EVENT");
	int status = dp_rows__open(&rows, database, table, columns, COLUMNS);

	while (status == 1 && (status = dp_rows__next(&rows)) == 1)
		take(&best, &rows);
	dp_rows__close(&rows);
	if (!status && best.rank)
		dp_builder__explain_no_gpu(builder, "nsys", best.text, strlen(best.text));
	return status;
}
