/* Reports a name that a table lacks, with the names it has, the nearest first. */
#include "base/base.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The most names listed: enough for all formats of a report, in one or two lines. */
#define LISTED_MOST 10

/* The longest name, in bytes, that is compared and shown; longer ones are cut. */
#define LONGEST 40

/* Returns the Levenshtein distance of two words: insertions, deletions and substitutions. */
static size_t edits(const char *from, const char *to, size_t length)
{
	size_t row[LONGEST + 1];

	for (size_t j = 0; j <= length; j++)
		row[j] = j;
	for (size_t i = 0; i < LONGEST && from[i]; i++) {
		size_t kept = i;

		row[0] = i + 1;
		for (size_t j = 1; j <= length; j++) {
			size_t least = kept + (from[i] != to[j - 1]);

			kept = row[j];
			least = least < kept + 1 ? least : kept + 1;
			row[j] = least < row[j - 1] + 1 ? least : row[j - 1] + 1;
		}
	}
	return row[length];
}

/* Returns the distance of a name from the one requested: nearest are names that begin with it. */
static size_t distance(const char *asked, const char *name)
{
	size_t length = strlen(name);

	if (strlen(asked) > 2 && strstr(name, asked))
		return strstr(name, asked) > name;
	return edits(asked, name, length < LONGEST ? length : LONGEST);
}

/* An entry sorted by distance; equally distant names keep the table's order. */
struct place {
	size_t distance, index;
};

static bool is_before(const struct place *a, const struct place *b)
{
	return a->distance < b->distance || (a->distance == b->distance && a->index < b->index);
}

int dp_error__unknown(struct dp_error *error, const char *what, const char *name,
		      const char *(*at)(size_t index, const void *ctx), const void *ctx)
{
	struct place last = { 0, 0 };
	size_t count = 0, used = 0;
	char list[LISTED_MOST * (LONGEST + 2)] = "";

	while (at(count, ctx))
		count++;
	for (size_t listed = 0; listed < count && listed < LISTED_MOST; listed++) {
		struct place next = { SIZE_MAX, 0 };

		for (size_t i = 0; i < count; i++) {
			struct place here = { distance(name, at(i, ctx)), i };

			if ((!listed || is_before(&last, &here)) && is_before(&here, &next))
				next = here;
		}
		last = next;
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%.*s",
					 listed ? ", " : "", LONGEST, at(next.index, ctx));
	}
	if (count > LISTED_MOST)
		return dp_error__set(error, DP_ERR_ARGUMENT,
				     "unknown %s '%.*s'; choose %s, ... (%zu more)", what, LONGEST,
				     name, list, count - LISTED_MOST);
	return dp_error__set(error, DP_ERR_ARGUMENT, "unknown %s '%.*s'; choose %s", what, LONGEST,
			     name, list);
}
