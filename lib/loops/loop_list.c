/*
 * The list of a sequence's loops, and counts over one loop. Cost: linear in loops or iterations.
 */
#include "loops/detection.h"

static void loop_fini(struct dp_sequence_loop *loop)
{
	free(loop->pattern);
	free(loop->iterations);
	free(loop->edits);
}

void dp_loops__clear(struct dp_loops *loops)
{
	for (size_t i = 0; i < loops->count; i++)
		loop_fini(&loops->loops[i]);
	loops->count = 0;
}

void dp_loops__fini(struct dp_loops *loops)
{
	dp_loops__clear(loops);
	free(loops->loops);
}

void dp_loops__move(struct dp_loops *to, struct dp_loops *from)
{
	free(to->loops);
	to->loops = from->loops;
	to->count = from->count;
	to->room = from->room;
	from->loops = NULL;
	from->count = from->room = 0;
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

struct dp_sequence_loop *dp_loops__add(struct dp_loops *loops)
{
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
	free(loop->iterations);
	free(loop->edits);
	loop->iterations = cut->iterations;
	loop->count = cut->count;
	loop->edits = cut->edits;
	loop->edit_count = cut->edit_count;
	*cut = (struct dp_cut){ 0 };
}

int dp_detection__finish_cut(struct dp_sequence_loop *loop, struct dp_cut *cut,
			     const uint32_t *symbols)
{
	int status = dp_cut__number_variants(cut, symbols);

	if (!status)
		dp_detection__take_cut(loop, cut);
	return status;
}

size_t dp_loops__whole(const struct dp_sequence_loop *loop)
{
	return dp_iterations__whole(loop->iterations, loop->count);
}

size_t dp_loops__equal(const struct dp_sequence_loop *loop)
{
	size_t n = 0;

	for (size_t i = 0; i < loop->count; i++)
		n += !loop->iterations[i].partial &&
		     !dp_iteration__edit_count(&loop->iterations[i]);
	return n;
}

size_t dp_loops__covered(const struct dp_sequence_loop *loop)
{
	return dp_iterations__covered(loop->iterations, loop->count);
}

struct dp_unlisted dp_loops__describe(const struct dp_sequence_loop *loop, size_t n)
{
	return (struct dp_unlisted){
		.length = loop->length,
		.coverage = (double)dp_loops__covered(loop) / (double)n,
		.confidence = dp_confidence__of(&loop->confidence),
		.iterations = dp_loops__whole(loop),
		.layers = loop->may_be_pass,
	};
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

/* The new index of the nearest loop around one that is kept, or DP_NONE; made[] has all of them. */
static uint32_t new_parent(const struct dp_loops *loops, size_t loop, const uint32_t *made)
{
	uint32_t parent = loops->loops[loop].parent;

	while (parent != DP_NONE && made[parent] == DP_NONE)
		parent = loops->loops[parent].parent;
	return parent == DP_NONE ? DP_NONE : made[parent];
}

int dp_loops__reorder(struct dp_loops *loops, const uint32_t *made)
{
	struct dp_sequence_loop *sorted = dp_alloc__array(loops->count, sizeof(*sorted));
	size_t kept = 0;

	if (!sorted)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < loops->count; i++) {
		if (made[i] == DP_NONE) {
			loop_fini(&loops->loops[i]);
			continue;
		}
		sorted[made[i]] = loops->loops[i];
		sorted[made[i]].parent = new_parent(loops, i, made);
		kept++;
	}
	free(loops->loops);
	loops->loops = sorted;
	loops->room = loops->count;
	loops->count = kept;
	return DP_OK;
}

/* The level of a loop, and within it its depth, as one number. */
static size_t rank_of(const struct dp_loops *loops, size_t i, const uint8_t *level)
{
	size_t depth = 0;

	for (uint32_t k = loops->loops[i].parent; k != DP_NONE && level[k] == level[i]; depth++)
		k = loops->loops[k].parent;
	return level[i] * loops->count + depth;
}

static size_t first_of(const struct dp_sequence_loop *loop)
{
	return loop->count ? loop->iterations[0].first : SIZE_MAX;
}

int dp_detection__sort(struct dp_loops *loops, size_t chosen, size_t around)
{
	uint8_t *level = dp_alloc__array(loops->count, sizeof(*level));
	uint32_t *made = dp_alloc__zeroed(loops->count, sizeof(*made));
	int status = level && made ? DP_OK : DP_ERR_NOMEM;

	for (size_t i = 0; i < loops->count && !status; i++)
		level[i] = i < chosen ? 1 : i < around ? 0 : 2;
	/* each goes behind those that come before it */
	for (size_t i = 0; i < loops->count && !status; i++)
		for (size_t k = 0; k < i; k++) {
			size_t a = rank_of(loops, k, level), b = rank_of(loops, i, level);
			const struct dp_sequence_loop *x = &loops->loops[k], *y = &loops->loops[i];

			made[a < b || (a == b && first_of(x) <= first_of(y)) ? i : k]++;
		}
	if (!status)
		status = dp_loops__reorder(loops, made);
	free(made);
	free(level);
	return status;
}
