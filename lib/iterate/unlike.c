/*
 * Iterations that are something else: a prefill between decoding steps takes the place of an
 * iteration and shares most of its kernels, so it is aligned as one that lacks the rest.
 *
 * Cost: linear in iterations and edits.
 */
#include "iterate/cut.h"
#include "base/parameters.h"

#include <string.h>

/*
 * The number of the pattern's symbols that an iteration lacks; another exact name does not count.
 */
static size_t missing(const struct dp_cut *cut, const struct dp_sequence_iteration *s,
		      const struct dp_cut_pattern *p, const uint32_t *aligned)
{
	size_t n = s->deleted;

	for (size_t i = 0; s->substituted > 0 && i < dp_iteration__edit_count(s); i++) {
		const struct dp_edit *e = &cut->edits[s->edits + i];

		n += e->kind == DP_EDIT_SUBSTITUTED &&
		     aligned[e->position] != p->rotated[e->offset];
	}
	return n;
}

/* Renumbers the remaining variants without gaps; numbers[] has a zero for each so far. */
static void renumber(struct dp_cut *cut, uint32_t *numbers)
{
	uint32_t next = 1;

	for (size_t i = 0; i < cut->count; i++) {
		uint32_t *variant = &cut->iterations[i].variant;

		if (*variant && !numbers[*variant])
			numbers[*variant] = next++;
		*variant = numbers[*variant];
	}
}

/* Removes the flagged iterations. */
static int remove_flagged(struct dp_cut *cut, const bool *flags)
{
	struct dp_cut kept = dp_cut__refill(cut);
	int status = DP_OK;

	for (size_t i = 0; i < cut->count && !status; i++)
		if (!flags[i])
			status = dp_cut__add_copy(&kept, &cut->iterations[i], cut->edits);
	kept.renamed = DP_MIN(kept.renamed, kept.edit_count);
	*cut = kept;
	return status;
}

int dp_unlike__remove(struct dp_cut *cut, const struct dp_cut_pattern *pattern,
		      const uint32_t *aligned)
{
	size_t flagged = 0;
	uint32_t *alike = NULL;
	bool *flags = NULL, recurs = false;
	int status = DP_ERR_NOMEM;

	/* the pattern itself, and at most one variant per iteration */
	alike = dp_alloc__zeroed(cut->count + 1, sizeof(*alike));
	flags = dp_alloc__zeroed(cut->count, sizeof(*flags));
	if (!alike || !flags)
		goto out;
	for (size_t i = 0; i < cut->count; i++) {
		const struct dp_sequence_iteration *s = &cut->iterations[i];

		flags[i] = !s->partial &&
			   (double)missing(cut, s, pattern, aligned) * dp_param.unlike_lack >
				   (double)pattern->length;
		if (flags[i]) {
			alike[s->variant]++;
			flagged++;
		}
	}
	for (size_t i = 0; i < cut->count && flagged > 0; i++)
		recurs |= flags[i] && alike[cut->iterations[i].variant] >= dp_param.unlike_alike;
	status = DP_OK;
	if (recurs && (double)flagged * dp_param.unlike_most < (double)cut->count) {
		memset(alike, 0, (cut->count + 1) * sizeof(*alike));
		status = remove_flagged(cut, flags);
		renumber(cut, alike);
	}
out:
	free(flags);
	free(alike);
	return status;
}
