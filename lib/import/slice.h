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

/*
 * Reads a decimal number, also in scientific notation ("8.96e-04"), times unit (2^30 at most),
 * rounded to the nearest integer, halves away from 0. Nine fraction digits count: for a second that
 * is a nanosecond, for a GB one byte. *digits is the number of fraction digits as written, reduced
 * by a positive exponent: below 0, the number was rounded before its point. digits may be NULL.
 * |*value| is below 2^62.
 */
bool dp_slice__scaled(struct dp_slice text, uint64_t unit, int64_t *value, int *digits);

#endif
