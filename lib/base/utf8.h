/* UTF-8 made valid (Unicode 15, 3.9, "substitution of maximal subparts"). */
#ifndef DP_BASE_UTF8_H
#define DP_BASE_UTF8_H

#include "base/base.h"

/* True where length bytes are valid UTF-8 without NUL. */
bool dp_utf8__valid(const char *text, size_t length);

/*
 * Copies text, a NUL ending it, with U+FFFD for what is not valid. The result is the caller's,
 * *out_length bytes and a NUL; NULL where memory runs out.
 */
char *dp_utf8__repair(const char *text, size_t length, size_t *out_length);

/*
 * The character at text, of which length bytes (1 or more) are there: returns how many bytes it
 * takes; *code is U+FFFD where they are not well-formed.
 */
size_t dp_utf8__next(const char *text, size_t length, uint32_t *code);

/* Makes text valid where it stands: '?' for each byte that is of no character. */
void dp_utf8__mask(char *text);

#endif
