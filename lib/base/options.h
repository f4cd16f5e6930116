/* Options of public functions: structs that may grow, and that begin with their size. */
#ifndef DP_BASE_OPTIONS_H
#define DP_BASE_OPTIONS_H

#include "base/base.h"

#include <string.h>

/*
 * Copies a caller's options over all, which holds the defaults and has known bytes; NULL keeps the
 * defaults. A caller of an earlier version has a shorter struct. A struct without members, or with
 * more than are known here, was not initialized or is of a later version: DP_ERR_ARGUMENT.
 */
static inline int dp_options__take(void *all, size_t known, const void *options,
				   struct dp_error *error)
{
	size_t size;

	if (!options)
		return DP_OK;
	memcpy(&size, options, sizeof(size));
	if (size <= sizeof(size) || size > known)
		return dp_error__set(error, DP_ERR_ARGUMENT, "options of an unknown size: %zu",
				     size);
	memcpy(all, options, size);
	return DP_OK;
}

#endif
