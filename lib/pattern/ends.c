/*
 * If a capture begins and ends with whole iterations, the symbols before the first inner iteration
 * and after the last one are the two ends of an outer one. Elsewhere they occur joined, tail first,
 * perhaps with something else between them that runs after some of the outer iterations. In
 * a sequence of epochs, b s s e b s s s e b s e, with any number of steps s, the head is b, the
 * tail is e, and e b is what the steps leave between them.
 */
#include "pattern/ends.h"
#include "base/parameters.h"

#include <string.h>

bool dp_ends__separate(const struct dp_ends *ends, const struct dp_search_sequence *s, size_t begin,
		       size_t end)
{
	size_t word = sizeof(*s->symbols);

	return end - begin >= ends->tail + ends->head &&
	       !memcmp(s->symbols + begin, s->symbols + s->n - ends->tail, ends->tail * word) &&
	       !memcmp(s->symbols + end - ends->head, s->symbols, ends->head * word);
}

/* The number of consecutive symbols that are inserted, from edit e on. */
static size_t inserted_from(const struct dp_alignment *al, size_t e)
{
	size_t count = 0;

	while (e + count < al->edit_count && al->edits[e + count].kind == DP_EDIT_INSERTED &&
	       al->edits[e + count].position == al->edits[e].position + count)
		count++;
	return count;
}

/* Returns how often patterns leave the tail and then the head between iterations. */
static size_t count_between(const struct dp_ends *ends, const struct dp_search_sequence *s)
{
	const struct dp_alignment *al = &s->alignment;
	size_t same = 0, inserted;

	for (size_t k = 1; k < al->span_count; k++) {
		size_t before = al->spans[k - 1].end;

		same += al->spans[k].begin > before &&
			dp_ends__separate(ends, s, before, al->spans[k].begin);
	}
	for (size_t e = 0; e < al->edit_count; e += DP_MAX(inserted, 1)) {
		size_t at = al->edits[e].position;

		inserted = inserted_from(al, e);
		same += inserted > 0 && dp_ends__separate(ends, s, at, at + inserted);
	}
	return same;
}

int dp_ends__find(struct dp_ends *ends, bool *found, const struct dp_patterns *patterns,
		  struct dp_search_sequence *s)
{
	const struct dp_alignment *al = &s->alignment;
	int status = patterns->count ? dp_search_sequence__align(s, patterns) : DP_OK;

	*found = false;
	if (status || patterns->count == 0 || al->span_count == 0)
		return status;
	ends->head = al->spans[0].begin;
	ends->tail = s->n - al->spans[al->span_count - 1].end;
	*found = ends->head > 0 && ends->tail > 0 && count_between(ends, s) >= dp_param.loop_least;
	return DP_OK;
}
