/*
 * Where names differ that are alike once they are short. Those of equal labels are sorted by the
 * whole name: then the one most like each is beside it. Cost: n labels, and sorting them.
 */
#include "report/label.h"

#include <string.h>

struct entry {
	uint64_t label; /* a hash of it */
	const char *name;
	size_t index;
};

/* FNV-1a. Names that are made to collide are only shown in another way. */
static uint64_t hash(const char *text)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return h;
}

static int by_label(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int order;

	if (x->label != y->label)
		return x->label < y->label ? -1 : 1;
	order = strcmp(x->name, y->name);
	return order ? order : (x->index > y->index) - (x->index < y->index);
}

/* From where on they differ; 0 where they don't, or have other labels. */
static size_t difference(const struct entry *a, const struct entry *b)
{
	size_t i = 0;

	if (a->label != b->label)
		return 0;
	while (a->name[i] && a->name[i] == b->name[i])
		i++;
	return a->name[i] == b->name[i] ? 0 : i;
}

int dp_label__tell_apart(size_t *places, const char *const *names, size_t count, size_t columns,
			 bool ascii)
{
	struct entry *entries = dp_alloc__array(count, sizeof(*entries));
	char label[DP_LABEL_SIZE];

	if (!entries)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < count; i++) {
		dp_label__kernel(label, names[i], columns, ascii);
		entries[i] = (struct entry){ hash(label), names[i], i };
		places[i] = 0;
	}
	if (count)
		qsort(entries, count, sizeof(*entries), by_label);
	for (size_t i = 1; i < count; i++) {
		size_t place = difference(&entries[i - 1], &entries[i]);
		size_t *before = &places[entries[i - 1].index], *at = &places[entries[i].index];

		*before = DP_MAX(*before, place);
		*at = DP_MAX(*at, place);
	}
	free(entries);
	return DP_OK;
}
