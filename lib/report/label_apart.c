/*
 * Where names differ that are alike once they are short. Those of equal labels are sorted by the
 * whole name: then the most similar one is next to each. Cost: n labels, and sorting them.
 */
#include "report/label.h"

#include <string.h>

struct entry {
	uint64_t label; /* a hash of it */
	const char *name;
	size_t index;
	size_t place; /* where it differs; 0: nowhere */
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

/* Looks at labels as they are with these places, and moves those of names that read alike. */
static void look(struct entry *entries, size_t *places, const char *const *names, size_t count,
		 size_t columns, bool ascii)
{
	char label[DP_LABEL_SIZE];

	for (size_t i = 0; i < count; i++) {
		dp_label__kernel_at(label, names[i], places[i], columns, ascii);
		entries[i] = (struct entry){ hash(label), names[i], i, 0 };
	}
	if (count)
		qsort(entries, count, sizeof(*entries), by_label);
	for (size_t i = 1; i < count; i++) {
		size_t place = difference(&entries[i - 1], &entries[i]);

		entries[i - 1].place = DP_MAX(entries[i - 1].place, place);
		entries[i].place = place;
	}
	for (size_t i = 0; i < count; i++)
		if (entries[i].place)
			places[entries[i].index] = entries[i].place;
}

int dp_label__tell_apart(size_t *places, const char *const *names, size_t count, size_t columns,
			 bool ascii)
{
	struct entry *entries = dp_alloc__array(count, sizeof(*entries));

	if (!entries)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < count; i++)
		places[i] = 0;
	/* Once more, for those that became alike by that. */
	for (int round = 0; round < 2; round++)
		look(entries, places, names, count, columns, ascii);
	free(entries);
	return DP_OK;
}
