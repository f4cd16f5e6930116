/* UTF-8 made valid (Unicode 15, 3.9, "substitution of maximal subparts"). */
#ifndef DP_BASE_UTF8_H
#define DP_BASE_UTF8_H

#include "base/base.h"

/* Returns true if length bytes are valid UTF-8 without NUL. */
bool dp_utf8__valid(const char *text, size_t length);

/*
 * Copies text, which ends at a NUL if it has one, with U+FFFD for what is invalid. Returns
 * *out_length bytes and a NUL, which the caller frees, or NULL if memory runs out.
 */
char *dp_utf8__repair(const char *text, size_t length, size_t *out_length);

/*
 * Decodes the character at text, which has length bytes (1 or more). Returns how many bytes it
 * takes; *code is U+FFFD if they are not well-formed.
 */
size_t dp_utf8__next(const char *text, size_t length, uint32_t *code);

/*
 * Returns how many bytes of a text to keep so that these are at most `most`, and no character is
 * cut: all of them if it is not longer. Constant cost.
 */
size_t dp_utf8__cut(const char *text, size_t length, size_t most);

/* Makes text valid in place: '?' for each byte that is not part of a character. */
void dp_utf8__mask(char *text);

#endif
