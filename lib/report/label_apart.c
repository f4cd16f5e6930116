/*
 * Finds where names differ whose short forms are equal. Names with equal labels are sorted in full,
 * so that the most similar one is adjacent to each. Cost: n labels, and sorting them.
 */
#include "report/label.h"

#include <string.h>

struct entry {
	uint64_t label; /* a hash of it */
	const char *name;
	size_t index;
	size_t place; /* where it differs; 0: nowhere */
};

/* FNV-1a. Colliding names are only displayed differently. */
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
	order = x->name == y->name ? 0 : strcmp(x->name, y->name);
	return order ? order : (x->index > y->index) - (x->index < y->index);
}

/* Where two names begin to differ; 0 if they do not, or have different labels. */
static size_t difference(const struct entry *a, const struct entry *b)
{
	size_t i = 0;

	if (a->label != b->label || a->name == b->name)
		return 0;
	while (a->name[i] && a->name[i] == b->name[i])
		i++;
	return a->name[i] == b->name[i] ? 0 : i;
}

/* Compares labels with these places, and moves the places of names that look alike. */
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
	/* a second round for labels that became equal by the first */
	for (int round = 0; round < 2; round++)
		look(entries, places, names, count, columns, ascii);
	free(entries);
	return DP_OK;
}
