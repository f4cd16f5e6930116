/* Patterns as families of kernels, with ids that two runs share. */
#include "compare/compare.h"
#include "base/sort.h"
#include "sequence/family.h"

#include <string.h>

void dp_family_names__fini(struct dp_family_names *names)
{
	dp_strings__fini(&names->families);
	dp_lookup__fini(&names->of_name);
	free(names->room);
}

/* DP_NONE without memory. */
static uint32_t intern(struct dp_family_names *names, const char *name)
{
	size_t length = strlen(name);

	if (length >= names->size) {
		char *more = realloc(names->room, 2 * length + 1);

		if (!more)
			return DP_NONE;
		names->room = more;
		names->size = 2 * length + 1;
	}
	length = dp_family__name(names->room, name);
	return dp_strings__intern(&names->families, names->room, length);
}

/* The id of a kernel's family; DP_NONE if memory runs out. */
static uint32_t family_of(struct dp_family_names *names, const char *name)
{
	struct dp_key key = { { (int64_t)(uintptr_t)name, 0, 0, 0 } };
	uint32_t family = dp_lookup__get(&names->of_name, &key);

	if (family != DP_NONE)
		return family;
	family = intern(names, name);
	if (family != DP_NONE && dp_lookup__set(&names->of_name, &key, family))
		return DP_NONE;
	return family;
}

int dp_families__init(struct dp_pattern_families *made, struct dp_family_names *names,
		      const struct dp_analysis *analysis, size_t loop)
{
	size_t length = dp_analysis_loop(analysis, loop)->length;
	uint32_t *scratch = dp_alloc__array(length, sizeof(*scratch));
	int status = DP_ERR_NOMEM;

	*made = (struct dp_pattern_families){
		.symbols = dp_alloc__array(length, sizeof(*made->symbols)),
		.sorted = dp_alloc__array(length, sizeof(*made->sorted)),
		.length = length,
	};
	if (!scratch || !made->symbols || !made->sorted)
		goto out;
	for (size_t i = 0; i < length; i++) {
		made->symbols[i] = family_of(names, dp_analysis_loop_kernel(analysis, loop, i));
		if (made->symbols[i] == DP_NONE)
			goto out;
	}
	memcpy(made->sorted, made->symbols, length * sizeof(*made->sorted));
	dp_sort__u32(made->sorted, scratch, length);
	status = DP_OK;
out:
	free(scratch);
	if (status)
		dp_families__fini(made);
	return status;
}

void dp_families__fini(struct dp_pattern_families *families)
{
	free(families->symbols);
	free(families->sorted);
	*families = (struct dp_pattern_families){ NULL, NULL, 0 };
}

double dp_families__alike(const struct dp_pattern_families *a, const struct dp_pattern_families *b)
{
	size_t i = 0, j = 0, both = 0;

	while (i < a->length && j < b->length) {
		uint32_t x = a->sorted[i], y = b->sorted[j];

		both += x == y;
		i += x <= y;
		j += y <= x;
	}
	return a->length + b->length ? 2.0 * (double)both / (double)(a->length + b->length) : 0;
}
