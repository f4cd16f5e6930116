/*
 * Adds the loops that kernels show to iterations known from annotations or their number: loops
 * inside the iterations, around several of them, or apart from them. A detected copy of the same
 * loop is left out, since its boundaries are less certain.
 *
 * Cost: linear in iterations, per loop.
 */
#include "loops/loops.h"
#include "base/parameters.h"

enum relation {
	UNRELATED, /* the same loop, or across its boundaries */
	AROUND,
	ADJACENT,
	INSIDE,
};

static bool most(size_t some, size_t n)
{
	return n > 0 && (double)some >= dp_param.merge_most * (double)n;
}

/* Returns true if this many iterations inside others make a nested loop. */
static bool is_nested(size_t inside, size_t hosts)
{
	return (double)inside >= dp_param.nested_least * (double)hosts;
}

/*
 * Counts a loop's iterations that lie inside iterations of the other, the iterations that hold
 * them, and those that touch none.
 */
static void count_overlaps(const struct dp_sequence_loop *loop,
			   const struct dp_sequence_loop *other, size_t *inside, size_t *hosts,
			   size_t *apart)
{
	size_t k = 0, last = SIZE_MAX;

	*inside = *hosts = *apart = 0;
	for (size_t i = 0; i < loop->count; i++) {
		const struct dp_sequence_iteration *s = &loop->iterations[i];

		while (k < other->count && other->iterations[k].end <= s->first)
			k++;
		if (k == other->count || other->iterations[k].first >= s->end) {
			++*apart;
		} else if (other->iterations[k].first <= s->first &&
			   s->end <= other->iterations[k].end) {
			++*inside;
			*hosts += k != last;
			last = k;
		}
	}
}

static enum relation relation_of(const struct dp_sequence_loop *loop,
				 const struct dp_sequence_loop *marked)
{
	size_t inside, hosts, apart;

	count_overlaps(loop, marked, &inside, &hosts, &apart);
	if (most(apart, loop->count))
		return ADJACENT;
	/* layers may also run elsewhere, in an evaluation */
	if (most(inside + apart, loop->count))
		return is_nested(inside, hosts) ? INSIDE : UNRELATED;
	count_overlaps(marked, loop, &inside, &hosts, &apart);
	if (most(inside, marked->count))
		return is_nested(inside, hosts) ? AROUND : UNRELATED;
	return UNRELATED;
}

/*
 * The order of the merged loops: outermost first, and of those next to the marked loop and inside
 * it the chosen ones first.
 */
enum {
	AROUND_OTHER,
	AROUND_CHOSEN,
	ADJACENT_CHOSEN, /* and the marked one */
	ADJACENT_OTHER,
	INSIDE_CHOSEN,
	INSIDE_OTHER,
	LEFT_OUT,
};

/*
 * Sets the group of each loop of a tree, the last of which is the marked one. Returns the index of
 * the first chosen loop next to that which comes after it.
 */
static size_t set_groups(uint8_t *groups, const struct dp_loops *tree, bool all)
{
	size_t last = tree->count - 1, after = 0;
	const struct dp_sequence_loop *loops = tree->loops, *marked = &loops[last];

	for (size_t i = 0; i < last; i++) {
		enum relation relation = relation_of(&loops[i], marked);
		bool chosen = loops[i].chosen;

		groups[i] = LEFT_OUT;
		if (relation == INSIDE)
			groups[i] = chosen ? INSIDE_CHOSEN : INSIDE_OTHER;
		else if (relation == AROUND && all)
			groups[i] = chosen ? AROUND_CHOSEN : AROUND_OTHER;
		else if (relation == ADJACENT && all)
			groups[i] = chosen ? ADJACENT_CHOSEN : ADJACENT_OTHER;
		if (groups[i] == ADJACENT_CHOSEN &&
		    loops[i].iterations[0].first <= marked->iterations[0].first)
			after = i + 1;
	}
	return after;
}

/*
 * Makes the marked loop the parent of those inside that have no other there, and the innermost loop
 * around it its parent.
 */
static void set_parents(struct dp_loops *tree, const uint8_t *groups)
{
	size_t last = tree->count - 1;
	struct dp_sequence_loop *loops = tree->loops;
	uint32_t *around = &loops[last].parent;

	*around = DP_NONE;
	for (uint32_t i = 0; i < last; i++) {
		uint32_t parent = loops[i].parent;

		if (groups[i] <= AROUND_CHOSEN &&
		    (*around == DP_NONE || groups[i] >= groups[*around]))
			*around = i;
		while (parent != DP_NONE && groups[parent] == LEFT_OUT)
			parent = loops[parent].parent;
		if ((groups[i] == INSIDE_CHOSEN || groups[i] == INSIDE_OTHER) &&
		    (parent == DP_NONE || groups[parent] < INSIDE_CHOSEN))
			loops[i].parent = (uint32_t)last;
		loops[i].chosen &= groups[i] == ADJACENT_CHOSEN;
	}
}

static int merge_in(struct dp_loops *marked, struct dp_loops *tree, bool all)
{
	size_t count = tree->count + 1, after;
	uint8_t *groups = dp_alloc__array(count, sizeof(*groups));
	uint32_t *made = dp_alloc__array(count, sizeof(*made)), used = 0;
	int status = made && groups ? DP_OK : DP_ERR_NOMEM;

	if (marked->count != 1)
		goto out;
	if (!status)
		status = dp_array__reserve(&tree->loops, &tree->room, count, sizeof(*tree->loops));
	if (status)
		goto out;
	tree->loops[tree->count++] = marked->loops[0];
	after = set_groups(groups, tree, all);
	set_parents(tree, groups);
	for (int at = 0; at <= LEFT_OUT; at++)
		for (size_t i = 0; i < count; i++) {
			if (at == ADJACENT_CHOSEN && i == after)
				made[count - 1] = used++;
			if (i < count - 1 && groups[i] == at)
				made[i] = at == LEFT_OUT ? DP_NONE : used++;
		}
	status = dp_loops__reorder(tree, made);
	if (status)
		tree->count--;
	else
		dp_loops__move(marked, tree);
out:
	free(groups);
	free(made);
	return status;
}

int dp_loops__add_adjacent(struct dp_loops *marked, struct dp_loops *tree)
{
	return merge_in(marked, tree, true);
}

int dp_loops__inside(struct dp_loops *marked, struct dp_loops *tree)
{
	return merge_in(marked, tree, false);
}
