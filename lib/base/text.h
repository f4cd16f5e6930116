/* Texts with a length, and numbers as people read them. */
#ifndef DP_BASE_TEXT_H
#define DP_BASE_TEXT_H

#include "base/base.h"

#include <string.h>

/* Returns true if length bytes are equal to word; text may be NULL if there are none. */
static inline bool dp_text__is(const char *text, size_t length, const char *word)
{
	return text && length == strlen(word) && !memcmp(text, word, length);
}

/*
 * Writes a name with '#' for each number in it: "layer_#" for "layer_7", and "step#" for "step#7".
 * text has room for strlen(name) + 1 bytes. Returns the length.
 */
size_t dp_text__without_numbers(char *text, const char *name);

/*
 * Returns true if two names are the same except for their numbers. Then *differing is the set of
 * numbers that differ: bit i stands for number i of the name, up to 64.
 */
bool dp_text__equal_but_numbers(uint64_t *differing, const char *a, const char *b);

/* Enough for any of these numbers. */
#define DP_TEXT_SIZE 48

/* Writes "21,998". Returns buf. */
char *dp_text__count(char buf[DP_TEXT_SIZE], uint64_t count);

/*
 * Write a number with this many decimals, or with this many significant digits ("%g"). The decimal
 * sign is a point in every locale. Both return buf.
 */
char *dp_text__fixed(char buf[DP_TEXT_SIZE], double value, int decimals);
char *dp_text__digits(char buf[DP_TEXT_SIZE], double value, int digits);

/*
 * Writes a number with its noun, in the plural unless the number is "1": "5 launches", "2 copies".
 * What does not fit is cut. Returns out.
 */
char *dp_text__counted(char *out, size_t size, const char *number, const char *noun);

/* Writes a probability, with a decimal near 0 and 1: "94%", "99.6%". Returns buf. */
char *dp_text__percent(char buf[DP_TEXT_SIZE], double probability);

#endif
