/*
 * Makes a cut: its iterations one after the other, each with its edits behind those of the one
 * before.
 *
 * Cost: linear in what is added, and that of dp_diff__run() where edits are to be found.
 */
#include "iterate/cut.h"
#include "align/diff.h"
#include "base/substrings.h"

#include <string.h>

int dp_cut__add_edit(struct dp_cut *cut, struct dp_sequence_iteration *it, size_t position,
		     size_t offset, uint32_t kind)
{
	int status = dp_array__reserve(&cut->edits, &cut->edit_room, cut->edit_count + 1,
				       sizeof(*cut->edits));

	if (status)
		return status;
	cut->edits[cut->edit_count++] = (struct dp_edit){ position, (uint32_t)offset, kind };
	it->inserted += kind == DP_EDIT_INSERTED;
	it->deleted += kind == DP_EDIT_DELETED;
	it->substituted += kind == DP_EDIT_SUBSTITUTED;
	return DP_OK;
}

int dp_cut__add_edits(struct dp_cut *cut, struct dp_sequence_iteration *it,
		      const struct dp_edit *edits, size_t count)
{
	int status = DP_OK;

	for (size_t i = 0; i < count && !status; i++)
		status = dp_cut__add_edit(cut, it, edits[i].position, edits[i].offset,
					  edits[i].kind);
	return status;
}

int dp_cut__add_iteration(struct dp_cut *cut, const struct dp_sequence_iteration *it)
{
	int status = dp_array__reserve(&cut->iterations, &cut->room, cut->count + 1,
				       sizeof(*cut->iterations));

	if (status)
		return status;
	cut->iterations[cut->count++] = *it;
	cut->whole += !it->partial;
	cut->covered += it->end - it->first;
	return DP_OK;
}

/* Drops deletions at the ends of a partial iteration: what the capture cut off is not an edit. */
static size_t drop_missing(struct dp_edit *edits, size_t n,
			   const struct dp_sequence_iteration *iteration)
{
	size_t from = 0;

	while (n > 0 && edits[n - 1].kind == DP_EDIT_DELETED &&
	       edits[n - 1].position == iteration->end)
		n--;
	while (from < n && edits[from].kind == DP_EDIT_DELETED &&
	       edits[from].position == iteration->first)
		from++;
	if (from)
		memmove(edits, edits + from, (n - from) * sizeof(*edits));
	return n - from;
}

int dp_cut__add_compared(struct dp_cut *cut, const struct dp_sequence_iteration *iteration,
			 const uint32_t *symbols, const uint32_t *pattern, size_t m)
{
	struct dp_sequence_iteration it = { .first = iteration->first,
					    .end = iteration->end,
					    .edits = cut->edit_count,
					    .partial = iteration->partial };
	struct dp_edit *edits;
	size_t n;
	int status = dp_diff__run(&edits, &n, (struct dp_diff_range){ symbols, it.first, it.end },
				  (struct dp_diff_range){ pattern, 0, m });

	if (status)
		return status;
	if (it.partial && n)
		n = drop_missing(edits, n, &it);
	status = dp_cut__add_edits(cut, &it, edits, n);
	free(edits);
	return status ? status : dp_cut__add_iteration(cut, &it);
}

int dp_cut__add_copy(struct dp_cut *cut, const struct dp_sequence_iteration *iteration,
		     const struct dp_edit *edits)
{
	struct dp_sequence_iteration it = *iteration;
	size_t count = dp_iteration__edit_count(&it);
	int status = dp_array__reserve(&cut->edits, &cut->edit_room, cut->edit_count + count,
				       sizeof(*edits));

	if (status)
		return status;
	if (count > 0 && cut->edits + cut->edit_count != edits + it.edits)
		memmove(cut->edits + cut->edit_count, edits + it.edits, count * sizeof(*edits));
	it.edits = cut->edit_count;
	cut->edit_count += count;
	return dp_cut__add_iteration(cut, &it);
}

int dp_cut__number_variants(struct dp_cut *cut, const uint32_t *symbols)
{
	struct dp_substrings variants = dp_substrings__of(symbols);
	int status = DP_OK;

	for (size_t i = 0; i < cut->count && !status; i++) {
		struct dp_sequence_iteration *s = &cut->iterations[i];

		s->variant = 0;
		if (!dp_iteration__edit_count(s))
			continue;
		status = dp_substrings__number(
			&s->variant, &variants,
			dp_substrings__at(&variants, s->first, s->end - s->first));
		s->variant++; /* 0 is the pattern itself */
	}
	dp_substrings__fini(&variants);
	return status;
}

struct dp_cut dp_cut__refill(const struct dp_cut *cut)
{
	return (struct dp_cut){
		.iterations = cut->iterations,
		.room = cut->room,
		.edits = cut->edits,
		.edit_room = cut->edit_room,
		.renamed = cut->renamed,
		.changes = cut->changes,
	};
}

void dp_cut__fini(struct dp_cut *cut)
{
	free(cut->iterations);
	free(cut->edits);
	*cut = (struct dp_cut){ 0 };
}
