/* Text of any origin, such as names of files: what is valid UTF-8, and what is safe to show. */
#ifndef DP_CLI_UTF8_H
#define DP_CLI_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The character at text, which is not at its end: returns how many bytes it takes. *code is U+FFFD
 * for a byte that belongs to none.
 */
size_t utf8_next(const char *text, uint32_t *code);

/*
 * Characters that do something else than being seen: controls, which move a terminal's cursor and
 * begin its commands, separators of lines, and marks that turn the direction of writing.
 */
bool utf8_is_control(uint32_t code);

/* Puts '?' for each of those, and for each byte of no character, where the text stands. */
void utf8_mask(char *text);

#endif
