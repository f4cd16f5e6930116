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

/* Enough for any of these numbers. */
#define DP_TEXT_SIZE 48

/* Writes "21,998". Returns buf. */
char *dp_text__count(char buf[DP_TEXT_SIZE], uint64_t count);

#endif
