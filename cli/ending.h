/* What is written, by the ending of the name after -o: one table for all commands. */
#ifndef DP_CLI_ENDING_H
#define DP_CLI_ENDING_H

#include "common.h"

#include <stdbool.h>

enum ending_verb { ENDING_ANALYZE, ENDING_COMPARE, ENDING_EXPORT, ENDING_INFO, ENDING_RANKS, ENDING_VERBS };

/*
 * Without --format, sets common->format by the name after -o, its letters' case and a .gz behind it
 * aside; *lines, where it is not NULL, becomes true where JSON is to be in lines. Where the name
 * says nothing it is text, or for export stays NULL. False for a name that means what the command
 * can't write, which was said.
 */
bool ending_choose(enum ending_verb verb, struct common *common, bool *lines);

#endif
