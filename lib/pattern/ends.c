/*
 * Captures mostly begin and end with whole iterations. What a loop leaves at both ends of the
 * sequence is then what surrounds it in an iteration of the loop around it, cut in two where one of
 * these ends and the next begins.
 */
#include "pattern/ends.h"
#include "base/parameters.h"

#include <string.h>

bool dp_ends__are(const struct dp_ends *ends, const struct dp_search_sequence *s, size_t begin,
		  size_t end)
{
	size_t word = sizeof(*s->symbols);

	return end - begin == ends->tail + ends->head &&
	       !memcmp(s->symbols + begin, s->symbols + s->n - ends->tail, ends->tail * word) &&
	       !memcmp(s->symbols + begin + ends->tail, s->symbols, ends->head * word);
}

/* Returns how often patterns leave the tail and then the head between iterations. */
static size_t count_between(const struct dp_ends *ends, const struct dp_search_sequence *s)
{
	const struct dp_alignment *al = &s->alignment;
	size_t same = 0, run = 0;

	for (size_t k = 1; k < al->span_count; k++) {
		size_t before = al->spans[k - 1].end;

		same += al->spans[k].begin > before &&
			dp_ends__are(ends, s, before, al->spans[k].begin);
	}
	for (size_t e = 0; e < al->edit_count; e++) {
		const struct dp_edit *x = &al->edits[e];
		bool joined = run > 0 && x->position == x[-1].position + 1;

		run = x->kind != DP_EDIT_INSERTED ? 0 : joined ? run + 1 : 1;
		same += run > 0 && dp_ends__are(ends, s, x->position + 1 - run, x->position + 1);
	}
	return same;
}

/* Sets *has to true if the ends have a symbol that no pattern has. */
static int has_others(bool *has, const struct dp_ends *ends, const struct dp_patterns *patterns,
		      const struct dp_search_sequence *s)
{
	bool *inside = dp_alloc__zeroed(s->alphabet, sizeof(*inside));

	if (!inside)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < patterns->count; i++)
		for (size_t k = 0; k < patterns->items[i].length; k++)
			inside[patterns->items[i].symbols[k]] = true;
	*has = false;
	for (size_t i = 0; i < ends->head; i++)
		*has |= !inside[s->symbols[i]];
	for (size_t i = s->n - ends->tail; i < s->n; i++)
		*has |= !inside[s->symbols[i]];
	free(inside);
	return DP_OK;
}

int dp_ends__find(struct dp_ends *ends, bool *any, const struct dp_patterns *patterns,
		  struct dp_search_sequence *s)
{
	const struct dp_alignment *al = &s->alignment;
	int status = patterns->count ? dp_search_sequence__align(s, patterns) : DP_OK;

	*any = false;
	if (status || patterns->count == 0 || al->span_count == 0)
		return status;
	ends->head = al->spans[0].begin;
	ends->tail = s->n - al->spans[al->span_count - 1].end;
	if (ends->head == 0 || ends->tail == 0 || count_between(ends, s) < dp_param.loop_least)
		return DP_OK;
	return has_others(any, ends, patterns, s);
}
