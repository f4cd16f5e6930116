/* Rows of a table by a key that each has, such as operations by device. */
#ifndef DP_METRIC_GROUPS_H
#define DP_METRIC_GROUPS_H

#include "base/base.h"

struct dp_groups {
	uint32_t *rows; /* of key k: from first[k] to first[k + 1], in order */
	size_t *first;
	size_t keys;
};

/*
 * *groups is the caller's, to be released with fini, on failure too. Row i has the key key[i], or
 * map[key[i]] where there is a map; it is left out where that is not below keys. Errors:
 * DP_ERR_NOMEM. Cost: linear.
 */
int dp_groups__init(struct dp_groups *groups, const uint32_t *key, const uint32_t *map,
		    size_t count, size_t keys);
void dp_groups__fini(struct dp_groups *groups);

/* The rows of a key, borrowed; *count of them. */
const uint32_t *dp_groups__rows(const struct dp_groups *groups, size_t key, size_t *count);

#endif
