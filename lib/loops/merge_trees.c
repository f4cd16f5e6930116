/*
 * Adds the loops that kernels show to iterations known from annotations or their number: loops
 * inside the iterations, around several of them, or apart from them. A detected copy of the same
 * loop is left out, since its boundaries are less certain.
 *
 * Cost: linear in iterations, per loop.
 */
#include "loops/loops.h"

enum place {
	PLACE_NONE, /* the same loop, or across its boundaries */
	PLACE_AROUND,
	PLACE_ADJACENT,
	PLACE_INSIDE,
};

/* Returns true if `some` are most of n, even if a few are cut off or cross a boundary. */
static bool most(size_t some, size_t n)
{
	return n > 0 && some * 5 >= n * 4;
}

/*
 * Counts a loop's iterations that lie inside iterations of the other, the iterations that hold
 * them, and those that touch none.
 */
static void count_places(const struct dp_sequence_loop *loop,
			 const struct dp_sequence_loop *other, size_t *inside, size_t *hosts,
			 size_t *apart)
{
	size_t k = 0, last = SIZE_MAX;

	*inside = *hosts = *apart = 0;
	for (size_t i = 0; i < loop->count; i++) {
		const struct dp_repetition *s = &loop->iterations[i];

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

static enum place place_of(const struct dp_sequence_loop *loop,
			   const struct dp_sequence_loop *marked)
{
	size_t inside, hosts, apart;

	count_places(loop, marked, &inside, &hosts, &apart);
	if (most(apart, loop->count))
		return PLACE_ADJACENT;
	/* layers may also run elsewhere, in an evaluation */
	if (most(inside + apart, loop->count))
		return inside * 2 >= hosts * 3 ? PLACE_INSIDE : PLACE_NONE;
	count_places(marked, loop, &inside, &hosts, &apart);
	if (most(inside, marked->count))
		return inside * 2 >= hosts * 3 ? PLACE_AROUND : PLACE_NONE;
	return PLACE_NONE;
}

/* The state of a merge. */
struct merge {
	struct dp_loops *to, *tree;
	enum place *places; /* of each loop of the tree */
	uint32_t *made;	    /* each loop's index afterwards, or DP_NONE */
	uint32_t marked;    /* the loop's */
	uint32_t around;    /* the loop that encloses it, or DP_NONE */
};

/* Moves the loops of one place, in order. */
static void move(struct merge *m, enum place place, bool chosen)
{
	for (size_t i = 0; i < m->tree->count; i++) {
		struct dp_sequence_loop *loop = &m->tree->loops[i];

		if (m->places[i] != place || loop->chosen != chosen)
			continue;
		m->made[i] = (uint32_t)m->to->count;
		m->to->loops[m->to->count++] = *loop;
		loop->pattern = NULL;
		loop->iterations = NULL;
		loop->edits = NULL;
	}
}

/* The nearest moved loop around a loop of the tree; else the marked one, or the one around that. */
static uint32_t parent_of(const struct merge *m, size_t i)
{
	uint32_t parent = m->tree->loops[i].parent;

	while (parent != DP_NONE && m->made[parent] == DP_NONE)
		parent = m->tree->loops[parent].parent;
	if (m->places[i] == PLACE_INSIDE)
		return parent != DP_NONE && m->places[parent] == PLACE_INSIDE ? m->made[parent]
									      : m->marked;
	return parent == DP_NONE ? DP_NONE : m->made[parent];
}

/* Inserts the marked loop among those from index `from` on, by its first iteration. */
static void insert_marked(struct merge *m, const struct dp_sequence_loop *marked, size_t from)
{
	struct dp_sequence_loop *loops = m->to->loops;
	size_t at = m->to->count++;

	for (; at > from && loops[at - 1].count > 0 && marked->count > 0 &&
	       loops[at - 1].iterations[0].first > marked->iterations[0].first;
	     at--)
		loops[at] = loops[at - 1];
	loops[at] = *marked;
	m->marked = (uint32_t)at;
	for (size_t i = 0; i < m->tree->count; i++)
		if (m->made[i] != DP_NONE && m->made[i] >= at)
			m->made[i]++;
}

/* Moves all loops, outermost first, and those of one level by their first iteration. */
static void move_all(struct merge *m, const struct dp_sequence_loop *marked)
{
	size_t around;

	move(m, PLACE_AROUND, false);
	move(m, PLACE_AROUND, true);
	around = m->to->count;
	m->around = around ? (uint32_t)around - 1 : DP_NONE;
	move(m, PLACE_ADJACENT, true);
	insert_marked(m, marked, around);
	move(m, PLACE_ADJACENT, false);
	move(m, PLACE_INSIDE, true);
	move(m, PLACE_INSIDE, false);
}

static int merge_in(struct dp_loops *marked, struct dp_loops *tree, bool all)
{
	struct dp_loops made = { 0 };
	struct merge m = { .to = &made, .tree = tree };
	int status = DP_ERR_NOMEM;

	if (marked->count != 1)
		return DP_OK;
	m.places = dp_alloc__array(tree->count + 1, sizeof(*m.places));
	m.made = dp_alloc__array(tree->count + 1, sizeof(*m.made));
	made.loops = dp_alloc__zeroed(tree->count + 1, sizeof(*made.loops));
	if (!m.places || !m.made || !made.loops)
		goto out;
	for (size_t i = 0; i < tree->count; i++) {
		m.places[i] = place_of(&tree->loops[i], &marked->loops[0]);
		if (!all && m.places[i] != PLACE_INSIDE)
			m.places[i] = PLACE_NONE;
		m.made[i] = DP_NONE;
	}
	move_all(&m, &marked->loops[0]);
	for (size_t i = 0; i < tree->count; i++)
		if (m.made[i] != DP_NONE) {
			made.loops[m.made[i]].parent = parent_of(&m, i);
			made.loops[m.made[i]].chosen &= m.places[i] == PLACE_ADJACENT;
		}
	made.loops[m.marked].parent = m.around;
	free(marked->loops);
	marked->loops = made.loops;
	marked->count = made.count;
	marked->room = tree->count + 1;
	made.loops = NULL;
	status = DP_OK;
out:
	free(made.loops);
	free(m.made);
	free(m.places);
	return status;
}

int dp_loops__add_adjacent(struct dp_loops *marked, struct dp_loops *tree)
{
	return merge_in(marked, tree, true);
}

int dp_loops__inside(struct dp_loops *known, struct dp_loops *tree)
{
	return merge_in(known, tree, false);
}
