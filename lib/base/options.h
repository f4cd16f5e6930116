/* Options and results of public functions: structs that may grow and begin with their size. */
#ifndef DP_BASE_OPTIONS_H
#define DP_BASE_OPTIONS_H

#include "base/base.h"

#include <string.h>

/*
 * Returns true for a size that is known here. A struct without members, or with more than are
 * known, was not initialized or is of a later version.
 */
static inline bool dp_options__is_known(size_t size, size_t known)
{
	return size > sizeof(size) && size <= known;
}

/*
 * Copies a caller's options over all, which holds the defaults and has known bytes; NULL keeps the
 * defaults. A caller of an earlier version has a shorter struct. Errors: DP_ERR_ARGUMENT, a size
 * that is not known.
 */
static inline int dp_options__take(void *all, size_t known, const void *options,
				   struct dp_error *error)
{
	size_t size;

	if (!options)
		return DP_OK;
	memcpy(&size, options, sizeof(size));
	if (!dp_options__is_known(size, known))
		return dp_error__set(error, DP_ERR_ARGUMENT, "options of an unknown size: %zu",
				     size);
	memcpy(all, options, size);
	return DP_OK;
}

/* Fills a caller's result, of a known size, from all; its size stays. */
static inline void dp_options__give(void *result, const void *all)
{
	size_t size;

	memcpy(&size, result, sizeof(size));
	memcpy((char *)result + sizeof(size), (const char *)all + sizeof(size),
	       size - sizeof(size));
}

#endif
