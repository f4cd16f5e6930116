/* Counting sort. */
#include "metric/groups.h"

static uint32_t key_of(const uint32_t *key, const uint32_t *map, size_t i)
{
	return map && key[i] != DP_NONE ? map[key[i]] : key[i];
}

int dp_groups__init(struct dp_groups *groups, const uint32_t *key, const uint32_t *map,
		    size_t count, size_t keys)
{
	size_t used = 0;

	*groups = (struct dp_groups){ .keys = keys };
	groups->first = dp_alloc__zeroed(keys + 2, sizeof(*groups->first));
	if (!groups->first)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < count; i++) {
		uint32_t at = key_of(key, map, i);

		if (at < keys)
			groups->first[at + 2]++;
	}
	for (size_t k = 0; k < keys; k++)
		groups->first[k + 2] += groups->first[k + 1];
	used = groups->first[keys + 1];
	groups->rows = dp_alloc__array(used, sizeof(*groups->rows));
	if (!groups->rows)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < count; i++) {
		uint32_t at = key_of(key, map, i);

		if (at < keys)
			groups->rows[groups->first[at + 1]++] = (uint32_t)i;
	}
	return DP_OK;
}

void dp_groups__fini(struct dp_groups *groups)
{
	free(groups->rows);
	free(groups->first);
	*groups = (struct dp_groups){ 0 };
}

const uint32_t *dp_groups__rows(const struct dp_groups *groups, size_t key, size_t *count)
{
	if (key >= groups->keys) {
		*count = 0;
		return NULL;
	}
	*count = groups->first[key + 1] - groups->first[key];
	return groups->rows + groups->first[key];
}
