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

/* The state of a merge. */
struct merge {
	struct dp_loops *to, *tree;
	enum relation *relations; /* of each loop of the tree */
	uint32_t *made;	    /* each loop's index afterwards, or DP_NONE */
	uint32_t marked;    /* the loop's */
	uint32_t around;    /* the loop that encloses it, or DP_NONE */
};

/* Moves the loops of one relation to the marked one, in order. */
static void move(struct merge *m, enum relation relation, bool chosen)
{
	for (size_t i = 0; i < m->tree->count; i++) {
		struct dp_sequence_loop *loop = &m->tree->loops[i];

		if (m->relations[i] != relation || loop->chosen != chosen)
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
	if (m->relations[i] == INSIDE)
		return parent != DP_NONE && m->relations[parent] == INSIDE ? m->made[parent]
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

	move(m, AROUND, false);
	move(m, AROUND, true);
	around = m->to->count;
	m->around = around ? (uint32_t)around - 1 : DP_NONE;
	move(m, ADJACENT, true);
	insert_marked(m, marked, around);
	move(m, ADJACENT, false);
	move(m, INSIDE, true);
	move(m, INSIDE, false);
}

static int merge_in(struct dp_loops *marked, struct dp_loops *tree, bool all)
{
	struct dp_loops made = { 0 };
	struct merge m = { .to = &made, .tree = tree };
	int status = DP_ERR_NOMEM;

	if (marked->count != 1)
		return DP_OK;
	m.relations = dp_alloc__array(tree->count + 1, sizeof(*m.relations));
	m.made = dp_alloc__array(tree->count + 1, sizeof(*m.made));
	made.loops = dp_alloc__zeroed(tree->count + 1, sizeof(*made.loops));
	if (!m.relations || !m.made || !made.loops)
		goto out;
	for (size_t i = 0; i < tree->count; i++) {
		m.relations[i] = relation_of(&tree->loops[i], &marked->loops[0]);
		if (!all && m.relations[i] != INSIDE)
			m.relations[i] = UNRELATED;
		m.made[i] = DP_NONE;
	}
	move_all(&m, &marked->loops[0]);
	for (size_t i = 0; i < tree->count; i++)
		if (m.made[i] != DP_NONE) {
			made.loops[m.made[i]].parent = parent_of(&m, i);
			made.loops[m.made[i]].chosen &= m.relations[i] == ADJACENT;
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
	free(m.relations);
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
