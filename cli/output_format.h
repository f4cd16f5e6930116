/* Chooses the output format by the extension after -o: one table for all commands. */
#ifndef DP_CLI_OUTPUT_FORMAT_H
#define DP_CLI_OUTPUT_FORMAT_H

#include "common.h"

#include <stdbool.h>

enum format_verb {
	FORMAT_ANALYZE,
	FORMAT_COMPARE,
	FORMAT_EXPORT,
	FORMAT_INFO,
	FORMAT_RANKS,
	FORMAT_VERBS
};

/*
 * Without --format, sets common->format by the extension after -o, ignoring case and a final .gz.
 * *lines, unless lines is NULL, becomes true for JSON Lines. An unknown extension means text, or
 * NULL for export. Returns false after printing the error if the command cannot write the
 * extension's format.
 */
bool output_format_choose(enum format_verb verb, struct common *common, bool *lines);

#endif
