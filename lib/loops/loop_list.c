/*
 * The list of a sequence's loops, and counts over one loop. Cost: linear in loops or iterations.
 */
#include "loops/detection.h"

void dp_loops__clear(struct dp_loops *loops)
{
	for (size_t i = 0; i < loops->count; i++) {
		free(loops->loops[i].pattern);
		free(loops->loops[i].iterations);
		free(loops->loops[i].edits);
	}
	loops->count = 0;
}

void dp_loops__fini(struct dp_loops *loops)
{
	dp_loops__clear(loops);
	free(loops->loops);
}

void dp_loops__free(struct dp_loops *loops)
{
	if (!loops)
		return;
	dp_loops__fini(loops);
	free(loops);
}

void dp_detection__fini(struct dp_detection *d)
{
	dp_search_sequence__fini(&d->sequence);
	free(d->coarse);
}

struct dp_sequence_loop *dp_detection__add(struct dp_detection *d)
{
	struct dp_loops *loops = d->loops;

	if (dp_array__reserve(&loops->loops, &loops->room, loops->count + 1, sizeof(*loops->loops)))
		return NULL;
	loops->loops[loops->count] =
		(struct dp_sequence_loop){ .parent = DP_NONE, .annotation = DP_NONE };
	return &loops->loops[loops->count++];
}

void dp_detection__take_cut(struct dp_sequence_loop *loop, struct dp_cut *cut)
{
	dp_array__shrink(&cut->iterations, &cut->room, cut->count, sizeof(*cut->iterations));
	dp_array__shrink(&cut->edits, &cut->edit_room, cut->edit_count, sizeof(*cut->edits));
	loop->iterations = cut->iterations;
	loop->count = cut->count;
	loop->edits = cut->edits;
	loop->edit_count = cut->edit_count;
	*cut = (struct dp_cut){ 0 };
}

size_t dp_loops__whole(const struct dp_sequence_loop *loop)
{
	size_t whole = 0;

	for (size_t i = 0; i < loop->count; i++)
		whole += !loop->iterations[i].partial;
	return whole;
}

size_t dp_loops__equal(const struct dp_sequence_loop *loop)
{
	size_t n = 0;

	for (size_t i = 0; i < loop->count; i++)
		n += !loop->iterations[i].partial &&
		     !dp_repetition__edit_count(&loop->iterations[i]);
	return n;
}

size_t dp_loops__covered(const struct dp_sequence_loop *loop)
{
	size_t symbols = 0;

	for (size_t i = 0; i < loop->count; i++)
		symbols += loop->iterations[i].end - loop->iterations[i].first;
	return symbols;
}

const struct dp_sequence_loop *dp_loops__main(const struct dp_loops *loops)
{
	const struct dp_sequence_loop *most = NULL;

	for (size_t i = 0; i < loops->count; i++)
		if (loops->loops[i].chosen &&
		    (!most || dp_loops__covered(&loops->loops[i]) > dp_loops__covered(most)))
			most = &loops->loops[i];
	return most;
}

static size_t first_of(const struct dp_sequence_loop *loop)
{
	return loop->count ? loop->iterations[0].first : SIZE_MAX;
}

/* The number of loops in [from, to) that enclose a loop. */
static size_t depth_of(const struct dp_loops *loops, size_t loop, size_t from, size_t to)
{
	size_t depth = 0;
	uint32_t parent = loops->loops[loop].parent;

	for (; parent != DP_NONE && parent >= from && parent < to; depth++)
		parent = loops->loops[parent].parent;
	return depth;
}

void dp_detection__sort(struct dp_loops *loops, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		for (size_t k = i; k > from; k--) {
			struct dp_sequence_loop *b = &loops->loops[k], *a = b - 1, swap = *a;
			size_t outer = depth_of(loops, k - 1, from, to);
			size_t inner = depth_of(loops, k, from, to);

			if (outer < inner || (outer == inner && first_of(a) <= first_of(b)))
				break;
			*a = *b;
			*b = swap;
			for (size_t j = 0; j < loops->count; j++) {
				uint32_t *parent = &loops->loops[j].parent;

				if (*parent == k)
					*parent = (uint32_t)k - 1;
				else if (*parent == k - 1)
					*parent = (uint32_t)k;
			}
		}
}
