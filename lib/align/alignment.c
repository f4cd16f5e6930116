/* Accessors that need nothing but an alignment. Cost: linear in its edits. */
#include "align/align.h"
#include "base/base.h"

size_t dp_align__advance(const struct dp_alignment *alignment, size_t span)
{
	const struct dp_align_span *s = &alignment->spans[span];
	size_t advance = s->end - s->begin;

	for (size_t i = 0; i < s->edit_count; i++) {
		uint32_t kind = alignment->edits[s->edits + i].kind;

		if (kind == DP_EDIT_INSERTED)
			advance--;
		else if (kind == DP_EDIT_DELETED)
			advance++;
	}
	return advance;
}

void dp_align__fini(struct dp_alignment *alignment)
{
	free(alignment->spans);
	free(alignment->edits);
	*alignment = (struct dp_alignment){ 0 };
}
