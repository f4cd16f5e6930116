/* Patterns as families of kernels, with ids that two runs share. */
#include "compare/compare.h"
#include "base/sort.h"
#include "sequence/family.h"

#include <string.h>

/* The id of a kernel's family; DP_NONE without memory. */
static uint32_t intern(struct dp_strings *names, char **room, size_t *size, const char *name)
{
	size_t length = strlen(name);

	if (length >= *size) {
		char *more = realloc(*room, 2 * length + 1);

		if (!more)
			return DP_NONE;
		*room = more;
		*size = 2 * length + 1;
	}
	length = dp_family__name(*room, name);
	return dp_strings__intern(names, *room, length);
}

int dp_families__init(struct dp_pattern_families *made, struct dp_strings *names,
		      const struct dp_analysis *analysis, size_t loop)
{
	size_t length = dp_analysis_loop(analysis, loop)->length, size = 0;
	uint32_t *scratch = dp_alloc__array(length, sizeof(*scratch));
	char *room = NULL;
	int status = DP_ERR_NOMEM;

	*made = (struct dp_pattern_families){
		.symbols = dp_alloc__array(length, sizeof(*made->symbols)),
		.sorted = dp_alloc__array(length, sizeof(*made->sorted)),
		.length = length,
	};
	if (!scratch || !made->symbols || !made->sorted)
		goto out;
	for (size_t i = 0; i < length; i++) {
		made->symbols[i] = intern(names, &room, &size, dp_loop_kernel(analysis, loop, i));
		if (made->symbols[i] == DP_NONE)
			goto out;
	}
	memcpy(made->sorted, made->symbols, length * sizeof(*made->sorted));
	dp_sort__u32(made->sorted, scratch, length);
	status = DP_OK;
out:
	free(room);
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
