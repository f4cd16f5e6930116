/* Dense, order-preserving names for arbitrary symbols. */
#ifndef DP_SUFFIX_SYMBOLS_H
#define DP_SUFFIX_SYMBOLS_H

#include "base/base.h"

/* The distinct values of a string in order: the name of a value is its index here. */
struct dp_symbols {
	uint32_t *values;
	size_t count;
};

/*
 * Collects the distinct values of text. Cost: linear. Freed with dp_symbols__fini(), also after a
 * failure.
 */
int dp_symbols__init(struct dp_symbols *symbols, const uint32_t *text, size_t count);

void dp_symbols__fini(struct dp_symbols *symbols);

/* The name of a value, or SIZE_MAX if there is no such value. Cost: logarithmic. */
size_t dp_symbols__find(const struct dp_symbols *symbols, uint32_t value);

/*
 * Writes the names of text[0..count), all of whose values are known, as uint16_t (narrow: there
 * are at most 65536) or uint32_t. Cost: linear; a search per symbol where values are large.
 */
int dp_symbols__rename(const struct dp_symbols *symbols, const uint32_t *text, size_t count,
		       void *out, bool narrow);

#endif
