/* What lies below the top of the stack of open nodes, see open.h. */
#include "suffix/open.h"

#include <string.h>

/* Nodes that are kept one by one: as many as stay in the cache next to the rest. */
#define TOP_ROOM 2048

/* count nodes from first on, each by step further than the one below it. */
struct dp_open_run {
	struct dp_open first;
	struct dp_open step;
	size_t count;
};

int dp_open__init(struct dp_open_nodes *nodes, size_t limit)
{
	*nodes = (struct dp_open_nodes){ .room = DP_MIN(DP_MAX(limit, 2), TOP_ROOM) };
	nodes->top = dp_alloc__array(nodes->room, sizeof(*nodes->top));
	return nodes->top ? DP_OK : DP_ERR_NOMEM;
}

void dp_open__fini(struct dp_open_nodes *nodes)
{
	free(nodes->top);
	free(nodes->runs);
}

static struct dp_open sum(struct dp_open node, struct dp_open step, size_t times)
{
	return (struct dp_open){ node.left + times * step.left, node.depth + times * step.depth };
}

static bool is_same(struct dp_open a, struct dp_open b)
{
	return a.left == b.left && a.depth == b.depth;
}

/* Makes a run longer by those of nodes that go on it (it takes any step if it is of one node). */
static size_t extend(struct dp_open_run *run, const struct dp_open *nodes, size_t count)
{
	struct dp_open next;
	size_t i = 0;

	if (run->count == 1)
		run->step = (struct dp_open){ nodes[0].left - run->first.left,
					      nodes[0].depth - run->first.depth };
	next = sum(run->first, run->step, run->count);
	for (; i < count && is_same(nodes[i], next); i++)
		next = sum(next, run->step, 1);
	run->count += i;
	return i;
}

static int add_run(struct dp_open_nodes *nodes, struct dp_open first)
{
	if (nodes->run_count == nodes->run_room &&
	    dp_array__reserve(&nodes->runs, &nodes->run_room, nodes->run_count + 1,
			      sizeof(*nodes->runs)))
		return DP_ERR_NOMEM;
	nodes->runs[nodes->run_count++] = (struct dp_open_run){ .first = first, .count = 1 };
	return DP_OK;
}

int dp_open__spill(struct dp_open_nodes *nodes)
{
	size_t half = nodes->count / 2, i = 0;

	if (!nodes->run_count && add_run(nodes, nodes->top[i++]))
		return DP_ERR_NOMEM;
	while (i < half) {
		i += extend(&nodes->runs[nodes->run_count - 1], nodes->top + i, half - i);
		if (i < half && add_run(nodes, nodes->top[i++]))
			return DP_ERR_NOMEM;
	}
	nodes->count -= half;
	memmove(nodes->top, nodes->top + half, nodes->count * sizeof(*nodes->top));
	return DP_OK;
}

/* Moves the last nodes of a run to before end; returns how many: all, or room. */
static size_t take(struct dp_open_run *run, struct dp_open *end, size_t room)
{
	size_t count = DP_MIN(room, run->count);
	struct dp_open next = sum(run->first, run->step, run->count - count);

	for (struct dp_open *to = end - count; to < end; to++) {
		*to = next;
		next = sum(next, run->step, 1);
	}
	run->count -= count;
	return count;
}

void dp_open__refill(struct dp_open_nodes *nodes)
{
	size_t room = nodes->room / 2, first = room;
	struct dp_open last = nodes->top[0];

	while (first > 0 && nodes->run_count > 0) {
		struct dp_open_run *run = &nodes->runs[nodes->run_count - 1];

		first -= take(run, nodes->top + first, first);
		nodes->run_count -= !run->count;
	}
	nodes->count = room - first;
	memmove(nodes->top, nodes->top + first, nodes->count * sizeof(*nodes->top));
	nodes->top[nodes->count++] = last;
}
