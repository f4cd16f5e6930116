/*
 * Loops from known boundaries. The pattern is the most frequent iteration, found by hash and
 * comparison; the edits of each iteration are a diff against it. Cost: linear.
 */
#include "loops/loops.h"
#include "iterate/cut.h"
#include "align/diff.h"

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

/* The index of the most frequent iteration; of equals, the first. */
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

/* Drops the deletions at the ends of a partial iteration: what the capture cut off is no edit. */
static size_t drop_missing(struct dp_edit *edits, size_t n, const struct dp_repetition *iteration)
{
	size_t from = 0;

	while (n > 0 && edits[n - 1].kind == DP_EDIT_DELETED &&
	       edits[n - 1].position == iteration->end - iteration->first)
		n--;
	while (from < n && edits[from].kind == DP_EDIT_DELETED && edits[from].position == 0)
		from++;
	if (from)
		memmove(edits, edits + from, (n - from) * sizeof(*edits));
	return n - from;
}

static int mark_segment(struct dp_cut *cut, const uint32_t *symbols, struct dp_repetition iteration,
			const uint32_t *pattern, size_t m)
{
	size_t first = iteration.first, n;
	struct dp_edit *edits;
	int status = dp_diff__run(&edits, &n, symbols + first, iteration.end - first, pattern, m);

	if (status)
		return status;
	if (iteration.partial && n)
		n = drop_missing(edits, n, &iteration);
	iteration.edits = cut->edit_count;
	iteration.inserted = iteration.deleted = iteration.substituted = 0;
	status = dp_array__reserve(&cut->edits, &cut->edit_room, cut->edit_count + n,
				   sizeof(*cut->edits));
	for (size_t i = 0; i < n && !status; i++) {
		iteration.inserted += edits[i].kind == DP_EDIT_INSERTED;
		iteration.deleted += edits[i].kind == DP_EDIT_DELETED;
		iteration.substituted += edits[i].kind == DP_EDIT_SUBSTITUTED;
		edits[i].position += first;
		cut->edits[cut->edit_count++] = edits[i];
	}
	free(edits);
	if (!status)
		cut->iterations[cut->count++] = iteration;
	return status;
}

static int by_length(const void *a, const void *b)
{
	const struct marked *x = a, *y = b;

	if (x->length != y->length)
		return x->length < y->length ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

/* Chooses the pattern: an iteration that occurs twice or more, else one of median length. */
static int choose(struct marked *chosen, size_t *times, const uint32_t *symbols,
		  const struct dp_repetition *iterations, size_t n)
{
	struct marked *marked = dp_alloc__array(n, sizeof(*marked));
	size_t count = 0, index = 0, complete = 0;
	int status;

	if (!marked)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < n; i++)
		complete += !iterations[i].partial;
	for (size_t i = 0; i < n; i++) {
		size_t length = iterations[i].end - iterations[i].first;

		if (!iterations[i].partial || complete == 0)
			marked[count++] =
				(struct marked){ hash_of(symbols + iterations[i].first, length),
						 iterations[i].first, length };
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

int dp_marks__script(struct dp_sequence_loop *loop, const uint32_t *symbols,
		     const struct dp_repetition *iterations, size_t n)
{
	struct dp_cut cut = { 0 };
	struct marked chosen;
	int status = choose(&chosen, &loop->occurrences, symbols, iterations, n);

	if (status)
		return status;
	loop->length = chosen.length;
	loop->pattern = dp_alloc__array(loop->length, sizeof(*loop->pattern));
	cut.iterations = dp_alloc__array(n, sizeof(*cut.iterations));
	if (!loop->pattern || !cut.iterations)
		status = DP_ERR_NOMEM;
	else
		memcpy(loop->pattern, symbols + chosen.first,
		       loop->length * sizeof(*loop->pattern));
	for (size_t i = 0; i < n && !status; i++)
		status = mark_segment(&cut, symbols, iterations[i], loop->pattern, loop->length);
	if (!status)
		status = dp_variants__number(cut.iterations, n, cut.edits, symbols);
	loop->iterations = cut.iterations;
	loop->count = cut.count;
	loop->edits = cut.edits;
	loop->edit_count = cut.edit_count;
	return status;
}

/* Refuses marks that are out of order or beyond the end: an error of the caller. */
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
	struct dp_repetition *iterations = NULL;
	size_t n = boundaries->count;
	int status = check(boundaries, request->count, error);

	if (status)
		return status;
	status = DP_ERR_NOMEM;
	made = calloc(1, sizeof(*made));
	iterations = dp_alloc__zeroed(n, sizeof(*iterations));
	if (!made || !iterations)
		goto out;
	status = DP_OK;
	if (n == 0)
		goto out;
	for (size_t i = 0; i < n; i++) {
		iterations[i].first = boundaries->starts[i];
		iterations[i].end = boundaries->ends[i];
		iterations[i].partial =
			(i == 0 && boundaries->cut_first) || (i + 1 == n && boundaries->cut_last);
	}
	made->loops = calloc(1, sizeof(*made->loops));
	if (!made->loops) {
		status = DP_ERR_NOMEM;
		goto out;
	}
	made->count = 1;
	made->loops[0] = (struct dp_sequence_loop){
		.parent = DP_NONE,
		.found_by = DP_FOUND_BY_MARKS,
		.phase = DP_PHASE_MARKS,
		.annotation = boundaries->name,
		.confidence = { .loop = 1, .boundary = 1 },
		.chosen = true,
	};
	status = dp_marks__script(&made->loops[0], request->symbols, iterations, n);
out:
	free(iterations);
	if (status) {
		dp_loops__free(made);
		return status == DP_ERR_NOMEM ? dp_error__nomem(error, 0) : status;
	}
	*loops = made;
	return DP_OK;
}
