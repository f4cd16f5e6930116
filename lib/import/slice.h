/* Parts of a text, such as the fields of a line. Nothing here allocates. */
#ifndef DP_IMPORT_SLICE_H
#define DP_IMPORT_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A borrowed text without a NUL. */
struct dp_slice {
	const char *at;
	size_t length;
};

bool dp_slice__is(struct dp_slice text, const char *word);
bool dp_slice__starts(struct dp_slice text, const char *word);
bool dp_slice__has(struct dp_slice text, const char *word);

/* Returns text without surrounding blanks and line ends. */
struct dp_slice dp_slice__trim(struct dp_slice text);

/* Reads a number of decimal digits only. Returns false for other texts, and above INT64_MAX. */
bool dp_slice__integer(struct dp_slice text, int64_t *value);

#endif
