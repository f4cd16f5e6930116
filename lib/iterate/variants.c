/*
 * Variants: iterations with equal edits share a number, that of a substring which has three words
 * for each edit: its kind, its offset, and the symbol that is inserted or takes the place of
 * another. What is deleted follows from the offset.
 *
 * Cost: O(iterations + edits), expected, and these words for each variant.
 */
#include "iterate/cut.h"
#include "base/substrings.h"

/* The words of the variants so far, and, at their end, those of an iteration. */
struct words {
	uint32_t *data;
	size_t count, room;
};

enum { WORDS = 3 }; /* of an edit */

/* Appends the words of an iteration, which begin with whether it is partial. */
static int add_words(struct words *w, const struct dp_sequence_iteration *s,
		     const struct dp_edit *edits, const uint32_t *symbols)
{
	size_t count = dp_iteration__edit_count(s);
	int status = dp_array__reserve(&w->data, &w->room, w->count + 1 + WORDS * count,
				       sizeof(*w->data));

	if (status)
		return status;
	w->data[w->count++] = s->partial;
	for (size_t i = 0; i < count; i++) {
		const struct dp_edit *e = &edits[s->edits + i];

		w->data[w->count++] = e->kind;
		w->data[w->count++] = e->offset;
		w->data[w->count++] = e->kind == DP_EDIT_DELETED ? 0 : symbols[e->position];
	}
	return DP_OK;
}

int dp_variants__number(struct dp_cut *cut, const uint32_t *symbols)
{
	struct dp_substrings variants = { .symbols = NULL };
	struct words words = { .data = NULL };
	int status = DP_OK;

	dp_hash__draw(&variants.key);
	for (size_t i = 0; i < cut->count && !status; i++) {
		struct dp_sequence_iteration *s = &cut->iterations[i];
		size_t at = words.count, known = variants.count;

		s->variant = 0;
		if (!dp_iteration__edit_count(s))
			continue;
		status = add_words(&words, s, cut->edits, symbols);
		if (status)
			break;
		variants.symbols = words.data;
		status = dp_substrings__number(&s->variant, &variants,
					       dp_substrings__at(&variants, at, words.count - at));
		s->variant++; /* 0 is the pattern itself */
		if (variants.count == known)
			words.count = at;
	}
	dp_substrings__fini(&variants);
	free(words.data);
	return status;
}
