/* What needs nothing but an alignment. Cost: linear in its edits; O(1) for each item of a walk. */
#include "align/alignment.h"
#include "base/base.h"
#include "base/parameters.h"

bool dp_align__goes_on(const struct dp_align_span *s, const struct dp_align_span *after, size_t m)
{
	return after->pattern == s->pattern && m >= dp_param.step_long && after->begin > s->end &&
	       after->begin - s->end == (after->begin_offset + m - s->end_offset) % m;
}

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

size_t dp_align__losses(const struct dp_alignment *alignment, size_t span)
{
	const struct dp_align_span *s = &alignment->spans[span];
	size_t losses = 0;

	for (size_t i = 0; i < s->edit_count; i++) {
		const struct dp_edit *e = &alignment->edits[s->edits + i];

		losses += e->kind == DP_EDIT_DELETED &&
			  !(i && e[-1].kind == DP_EDIT_DELETED && e[-1].position == e->position);
	}
	return losses;
}

size_t dp_align__covered(const struct dp_alignment *alignment, size_t *of)
{
	size_t before = 0, covered = 0;

	for (size_t k = 0; k < alignment->span_count; k++) {
		const struct dp_align_span *span = &alignment->spans[k];
		size_t own = span->end - DP_MAX(span->begin, before);

		covered += own;
		if (of)
			of[span->pattern] += own;
		before = DP_MAX(before, span->end);
	}
	return covered;
}

void dp_align__fini(struct dp_alignment *alignment)
{
	free(alignment->spans);
	free(alignment->edits);
	*alignment = (struct dp_alignment){ 0 };
}

void dp_walk__begin(struct dp_walk *walk, const struct dp_alignment *alignment, size_t span,
		    size_t length, size_t first)
{
	const struct dp_align_span *s = &alignment->spans[span];

	*walk = (struct dp_walk){
		.alignment = alignment,
		.span = s,
		.length = length,
		.first = first,
		.at = s->begin,
		.offset = (s->begin_offset + length - first) % length,
		.edit = s->edits,
	};
}

bool dp_walk__next(struct dp_walk *walk, struct dp_walk_item *item)
{
	const struct dp_align_span *s = walk->span;
	bool more = walk->edit < s->edits + s->edit_count;
	const struct dp_edit *edit = more ? &walk->alignment->edits[walk->edit] : NULL;
	size_t end = more ? (size_t)edit->position : s->end;

	item->at = walk->at;
	item->offset = walk->offset;
	if (walk->at < end) {
		item->kind = DP_WALK_MATCH;
		item->length = DP_MIN(end - walk->at, walk->length - walk->offset);
		walk->offset += item->length;
	} else if (more) {
		item->kind = edit->kind;
		item->length = edit->kind != DP_EDIT_DELETED;
		walk->offset += edit->kind != DP_EDIT_INSERTED;
		walk->edit++;
	} else {
		return false;
	}
	walk->at += item->length;
	if (walk->offset == walk->length)
		walk->offset = 0;
	return true;
}
