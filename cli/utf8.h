/* Makes text of any origin, such as names of files, safe to show. */
#ifndef DP_CLI_UTF8_H
#define DP_CLI_UTF8_H

/*
 * Replaces by '?' each byte that is not part of a character, and each character that is not merely
 * visible: controls, which move a terminal's cursor and begin its commands, line separators, and
 * marks that change the direction of writing.
 */
void utf8_mask(char *text);

#endif
