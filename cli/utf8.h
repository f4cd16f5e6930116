/* Text of any origin, such as names of files, made safe to show. */
#ifndef DP_CLI_UTF8_H
#define DP_CLI_UTF8_H

/*
 * Puts '?' where the text stands for each byte of no character, and for each character that does
 * something else than being seen: controls, which move a terminal's cursor and begin its commands,
 * separators of lines, and marks that turn the direction of writing.
 */
void utf8_mask(char *text);

#endif
