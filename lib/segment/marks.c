/*
 * Loops from boundaries that are known. The pattern is the iteration that occurs most often, by
 * hash and comparison; each iteration's edit script is a diff with it. Cost: linear.
 */
#include "segment/cut.h"
#include "segment/diff.h"

#include <string.h>

struct marked {
	uint64_t hash;
	size_t first, length;
};

static uint64_t hash_of(const uint32_t *symbols, size_t n)
{
	uint64_t h = n;

	for (size_t i = 0; i < n; i++)
		h = (h ^ symbols[i]) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 32;
}

/* The index of the most frequent iteration, of equals the first. */
static int most_frequent(size_t *index, size_t *times, const uint32_t *symbols,
			 const struct marked *marked, size_t n)
{
	size_t slots = 16, slot, *table, *counts;
	int status = DP_ERR_NOMEM;

	while (slots / 2 < n)
		slots *= 2;
	table = dp_alloc__zeroed(slots, sizeof(*table));
	counts = dp_alloc__zeroed(n, sizeof(*counts));
	if (!table || !counts)
		goto out;
	for (size_t i = 0; i < n; i++) {
		const struct marked *m = &marked[i], *o;

		for (slot = (size_t)m->hash & (slots - 1); table[slot];
		     slot = (slot + 1) & (slots - 1)) {
			o = &marked[table[slot] - 1];
			if (o->hash == m->hash && o->length == m->length &&
			    !memcmp(symbols + o->first, symbols + m->first,
				    m->length * sizeof(*symbols)))
				break;
		}
		if (!table[slot])
			table[slot] = i + 1;
		counts[table[slot] - 1]++;
	}
	*index = 0;
	for (size_t i = 1; i < n; i++)
		if (counts[i] > counts[*index])
			*index = i;
	*times = counts[*index];
	status = DP_OK;
out:
	free(counts);
	free(table);
	return status;
}

static int mark_segment(struct dp_cut *cut, const uint32_t *symbols, const struct marked *mark,
			const uint32_t *pattern, size_t m)
{
	struct dp_segment segment = { .first = mark->first,
				      .end = mark->first + mark->length,
				      .edits = cut->edit_count };
	struct dp_edit *edits;
	size_t n;
	int status = dp_diff__run(&edits, &n, symbols + mark->first, mark->length, pattern, m);

	if (status)
		return status;
	status = dp_array__reserve(&cut->edits, &cut->edit_room, cut->edit_count + n,
				   sizeof(*cut->edits));
	for (size_t i = 0; i < n && !status; i++) {
		segment.inserted += edits[i].kind == DP_EDIT_INSERTED;
		segment.deleted += edits[i].kind == DP_EDIT_DELETED;
		segment.substituted += edits[i].kind == DP_EDIT_SUBSTITUTED;
		edits[i].position += mark->first;
		cut->edits[cut->edit_count++] = edits[i];
	}
	free(edits);
	if (!status)
		cut->segments[cut->count++] = segment;
	return status;
}

static int make(struct dp_segmented_loop *loop, const struct dp_loops_request *r,
		const struct marked *marked, size_t n)
{
	struct dp_cut cut = { 0 };
	size_t index, edits = 0;
	int status = most_frequent(&index, &loop->occurrences, r->symbols, marked, n);

	if (status)
		return status;
	loop->length = marked[index].length;
	loop->pattern = dp_alloc__array(loop->length, sizeof(*loop->pattern));
	cut.segments = dp_alloc__array(n, sizeof(*cut.segments));
	if (!loop->pattern || !cut.segments)
		status = DP_ERR_NOMEM;
	else
		memcpy(loop->pattern, r->symbols + marked[index].first,
		       loop->length * sizeof(*loop->pattern));
	for (size_t i = 0; i < n && !status; i++)
		status = mark_segment(&cut, r->symbols, &marked[i], loop->pattern, loop->length);
	if (!status)
		status = dp_variants__number(cut.segments, n, cut.edits, r->symbols);
	edits = cut.edit_count;
	loop->segments = cut.segments;
	loop->count = cut.count;
	loop->edits = cut.edits;
	loop->edit_count = edits;
	return status;
}

/* Marks that are out of order or beyond the end are an error of the caller's. */
static int check(const size_t *starts, const size_t *ends, size_t n, size_t count,
		 struct dp_error *error)
{
	for (size_t i = 0; i < n; i++) {
		if (starts[i] >= ends[i] || ends[i] > count)
			return dp_error__set(error, DP_ERR_ARGUMENT,
					     "mark %zu is empty or ends behind the sequence", i);
		if (i && starts[i] < ends[i - 1])
			return dp_error__set(error, DP_ERR_ARGUMENT, "marks are not ascending");
	}
	return DP_OK;
}

int dp_loops__from_marks(struct dp_loops **loops, const struct dp_loops_request *request,
			 const size_t *starts, const size_t *ends, size_t n,
			 struct dp_error *error)
{
	struct dp_loops *made = NULL;
	struct marked *marked = NULL;
	int status = check(starts, ends, n, request->count, error);

	if (status)
		return status;
	status = DP_ERR_NOMEM;
	made = calloc(1, sizeof(*made));
	marked = dp_alloc__array(n, sizeof(*marked));
	if (!made || !marked)
		goto out;
	status = DP_OK;
	if (n == 0)
		goto out;
	for (size_t i = 0; i < n; i++) {
		size_t length = ends[i] - starts[i];

		marked[i] = (struct marked){ hash_of(request->symbols + starts[i], length),
					     starts[i], length };
	}
	made->loops = calloc(1, sizeof(*made->loops));
	if (!made->loops) {
		status = DP_ERR_NOMEM;
		goto out;
	}
	made->count = 1;
	made->loops[0] = (struct dp_segmented_loop){
		.parent = DP_NONE,
		.found_by = DP_FOUND_BY_MARKS,
		.phase = DP_PHASE_MARKS,
		.confidence = 1.0,
		.chosen = true,
	};
	status = make(&made->loops[0], request, marked, n);
out:
	free(marked);
	if (status) {
		dp_loops__free(made);
		return status == DP_ERR_NOMEM ? dp_error__nomem(error, 0) : status;
	}
	*loops = made;
	return DP_OK;
}
