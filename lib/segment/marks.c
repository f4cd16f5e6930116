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

/* Of an iteration that the capture cuts off, what is missing before or behind is no edit. */
static size_t drop_missing(struct dp_edit *edits, size_t n, const struct dp_segment *segment)
{
	size_t from = 0;

	while (n > 0 && edits[n - 1].kind == DP_EDIT_DELETED &&
	       edits[n - 1].position == segment->end - segment->first)
		n--;
	while (from < n && edits[from].kind == DP_EDIT_DELETED && edits[from].position == 0)
		from++;
	memmove(edits, edits + from, (n - from) * sizeof(*edits));
	return n - from;
}

static int mark_segment(struct dp_cut *cut, const uint32_t *symbols, struct dp_segment segment,
			const uint32_t *pattern, size_t m)
{
	size_t first = segment.first, n;
	struct dp_edit *edits;
	int status = dp_diff__run(&edits, &n, symbols + first, segment.end - first, pattern, m);

	if (status)
		return status;
	if (segment.partial && n)
		n = drop_missing(edits, n, &segment);
	segment.edits = cut->edit_count;
	segment.inserted = segment.deleted = segment.substituted = 0;
	status = dp_array__reserve(&cut->edits, &cut->edit_room, cut->edit_count + n,
				   sizeof(*cut->edits));
	for (size_t i = 0; i < n && !status; i++) {
		segment.inserted += edits[i].kind == DP_EDIT_INSERTED;
		segment.deleted += edits[i].kind == DP_EDIT_DELETED;
		segment.substituted += edits[i].kind == DP_EDIT_SUBSTITUTED;
		edits[i].position += first;
		cut->edits[cut->edit_count++] = edits[i];
	}
	free(edits);
	if (!status)
		cut->segments[cut->count++] = segment;
	return status;
}

static int by_length(const void *a, const void *b)
{
	const struct marked *x = a, *y = b;

	if (x->length != y->length)
		return x->length < y->length ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

/* The iteration that stands for the others: one that occurs twice, else one of median length. */
static int choose(struct marked *chosen, size_t *times, const uint32_t *symbols,
		  const struct dp_segment *segments, size_t n)
{
	struct marked *marked = dp_alloc__array(n, sizeof(*marked));
	size_t count = 0, index = 0, complete = 0;
	int status;

	if (!marked)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < n; i++)
		complete += !segments[i].partial;
	for (size_t i = 0; i < n; i++) {
		size_t length = segments[i].end - segments[i].first;

		if (!segments[i].partial || complete == 0)
			marked[count++] =
				(struct marked){ hash_of(symbols + segments[i].first, length),
						 segments[i].first, length };
	}
	status = most_frequent(&index, times, symbols, marked, count);
	if (!status && *times < 2) {
		qsort(marked, count, sizeof(*marked), by_length);
		index = (count - 1) / 2;
	}
	if (!status)
		*chosen = marked[index];
	free(marked);
	return status;
}

int dp_marks__script(struct dp_segmented_loop *loop, const uint32_t *symbols,
		     const struct dp_segment *segments, size_t n)
{
	struct dp_cut cut = { 0 };
	struct marked chosen;
	int status = choose(&chosen, &loop->occurrences, symbols, segments, n);

	if (status)
		return status;
	loop->length = chosen.length;
	loop->pattern = dp_alloc__array(loop->length, sizeof(*loop->pattern));
	cut.segments = dp_alloc__array(n, sizeof(*cut.segments));
	if (!loop->pattern || !cut.segments)
		status = DP_ERR_NOMEM;
	else
		memcpy(loop->pattern, symbols + chosen.first,
		       loop->length * sizeof(*loop->pattern));
	for (size_t i = 0; i < n && !status; i++)
		status = mark_segment(&cut, symbols, segments[i], loop->pattern, loop->length);
	if (!status)
		status = dp_variants__number(cut.segments, n, cut.edits, symbols);
	loop->segments = cut.segments;
	loop->count = cut.count;
	loop->edits = cut.edits;
	loop->edit_count = cut.edit_count;
	return status;
}

/* Marks that are out of order or beyond the end are an error of the caller's. */
static int check(const struct dp_boundaries *b, size_t count, struct dp_error *error)
{
	for (size_t i = 0; i < b->count; i++) {
		if (b->starts[i] >= b->ends[i] || b->ends[i] > count)
			return dp_error__set(error, DP_ERR_ARGUMENT,
					     "mark %zu is empty or ends behind the sequence", i);
		if (i && b->starts[i] < b->ends[i - 1])
			return dp_error__set(error, DP_ERR_ARGUMENT, "marks are not ascending");
	}
	return DP_OK;
}

int dp_loops__from_marks(struct dp_loops **loops, const struct dp_loops_request *request,
			 const struct dp_boundaries *boundaries, struct dp_error *error)
{
	struct dp_loops *made = NULL;
	struct dp_segment *segments = NULL;
	size_t n = boundaries->count;
	int status = check(boundaries, request->count, error);

	if (status)
		return status;
	status = DP_ERR_NOMEM;
	made = calloc(1, sizeof(*made));
	segments = dp_alloc__zeroed(n, sizeof(*segments));
	if (!made || !segments)
		goto out;
	status = DP_OK;
	if (n == 0)
		goto out;
	for (size_t i = 0; i < n; i++) {
		segments[i].first = boundaries->starts[i];
		segments[i].end = boundaries->ends[i];
		segments[i].partial =
			(i == 0 && boundaries->cut_first) || (i + 1 == n && boundaries->cut_last);
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
	status = dp_marks__script(&made->loops[0], request->symbols, segments, n);
out:
	free(segments);
	if (status) {
		dp_loops__free(made);
		return status == DP_ERR_NOMEM ? dp_error__nomem(error, 0) : status;
	}
	*loops = made;
	return DP_OK;
}
