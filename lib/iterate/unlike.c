/*
 * Iterations that are something else: a prefill between decoding steps takes the place of an
 * iteration and shares most of its kernels, so it is aligned as one that lacks the rest.
 *
 * Cost: linear in iterations and edits.
 */
#include "iterate/corrections.h"
#include "base/parameters.h"

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

/* Removes the flagged iterations. */
static int remove_flagged(struct dp_cut *cut, const bool *flags,
			  const struct dp_cut_pattern *pattern, const uint32_t *aligned)
{
	struct dp_cut kept = dp_cut__refill(cut);
	int status = DP_OK;

	for (size_t i = 0; i < cut->count && !status; i++)
		if (flags[i])
			dp_cut_changes__note(&kept.changes, DP_CUT_CHANGE_UNLIKE,
					     missing(cut, &cut->iterations[i], pattern, aligned));
		else
			status = dp_cut__add_copy(&kept, &cut->iterations[i], cut->edits);
	kept.renamed = DP_MIN(kept.renamed, kept.edit_count);
	*cut = kept;
	return status;
}

int dp_unlike__remove(struct dp_cut *cut, const struct dp_cut_pattern *pattern,
		      const struct dp_cut_source *source)
{
	/* the pattern itself, and at most one variant per iteration */
	uint32_t *alike = dp_alloc__zeroed(cut->count + 1, sizeof(*alike));
	bool *flags = dp_alloc__zeroed(cut->count, sizeof(*flags)), few, recurs = false;
	size_t flagged = 0;
	int status = DP_ERR_NOMEM;

	if (!alike || !flags)
		goto out;
	for (size_t i = 0; i < cut->count; i++) {
		const struct dp_sequence_iteration *s = &cut->iterations[i];

		flags[i] = !s->partial && (double)missing(cut, s, pattern, source->aligned) *
							  dp_param.unlike_lack >
						  (double)pattern->length;
		flagged += flags[i];
	}
	few = flagged > 0 && (double)flagged * dp_param.unlike_most < (double)cut->count;
	status = few ? dp_cut__number_variants(cut, source->symbols) : DP_OK;
	for (size_t i = 0; i < cut->count && few && !status; i++)
		recurs |= flags[i] && ++alike[cut->iterations[i].variant] >= dp_param.unlike_alike;
	if (recurs)
		status = remove_flagged(cut, flags, pattern, source->aligned);
out:
	free(flags);
	free(alike);
	return status;
}
