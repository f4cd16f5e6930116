/*
 * Finds CUDA graphs that are recorded again by how long they take. Programs record a graph again if
 * buffers move or a function is compiled once more, as JAX does; its launches are then a loop's
 * next iterations, but traces name a graph by its number alone.
 */
#include "sequence/graphs.h"
#include "base/parameters.h"
#include "sequence/sequence.h"
#include "stats/stat.h"

#include <math.h>

/* A graph, in order of first launch. */
struct graph {
	uint32_t symbol;
	size_t first, last; /* launches, as places in the sequence */
	size_t launches;
	double *times_ns; /* of each */
	double median_ns;
	bool again; /* a later graph is this one */
};

struct graphs {
	struct graph *items;
	size_t count;
	uint32_t *of; /* each symbol's graph, or DP_NONE */
	double *times_ns;
};

static void fini(struct graphs *graphs)
{
	free(graphs->items);
	free(graphs->of);
	free(graphs->times_ns);
}

/* Numbers the graphs. */
static int number(struct graphs *graphs, const struct dp_sequence *sequence)
{
	graphs->of = dp_alloc__array(sequence->alphabet, sizeof(*graphs->of));
	graphs->items = dp_alloc__array(sequence->alphabet, sizeof(*graphs->items));
	if (!graphs->of || !graphs->items)
		return DP_ERR_NOMEM;
	for (uint32_t s = 0; s < sequence->alphabet; s++) {
		graphs->of[s] = DP_NONE;
		if (sequence->op_kind[s] != DP_OP_GRAPH)
			continue;
		graphs->of[s] = (uint32_t)graphs->count;
		graphs->items[graphs->count++] = (struct graph){ .symbol = s, .first = SIZE_MAX };
	}
	return DP_OK;
}

/* The graph that symbol i of the sequence is, or NULL. */
static struct graph *graph_at(const struct graphs *graphs, const struct dp_sequence *sequence,
			      size_t i)
{
	uint32_t g = graphs->of[sequence->symbols[i]];

	return g == DP_NONE ? NULL : &graphs->items[g];
}

/* Finds when each graph is launched, and the median of its times. */
static int read_launches(struct graphs *graphs, const struct dp_sequence *sequence)
{
	const struct dp_ops *ops = dp_trace_ops(sequence->trace);
	struct graph *graph;
	size_t launches = 0;

	for (size_t i = 0; i < sequence->count; i++)
		if ((graph = graph_at(graphs, sequence, i))) {
			graph->first = DP_MIN(graph->first, i);
			graph->last = i;
			graph->launches++;
			launches++;
		}
	graphs->times_ns = dp_alloc__array(launches, sizeof(*graphs->times_ns));
	if (!graphs->times_ns)
		return DP_ERR_NOMEM;
	launches = 0;
	for (size_t g = 0; g < graphs->count; g++) {
		graph = &graphs->items[g];
		graph->times_ns = graphs->times_ns + launches;
		launches += graph->launches;
		graph->launches = 0;
	}
	for (size_t i = 0; i < sequence->count; i++)
		if ((graph = graph_at(graphs, sequence, i))) {
			uint32_t op = sequence->ops[i];

			graph->times_ns[graph->launches++] =
				(double)(ops->end_ns[op] - ops->start_ns[op]);
		}
	for (size_t g = 0; g < graphs->count; g++) {
		graph = &graphs->items[g];
		graph->median_ns = dp_stat__median(graph->times_ns, graph->launches);
	}
	return DP_OK;
}

/* The share by which the times of two graphs differ. */
static double difference(const struct graph *a, const struct graph *b)
{
	return fabs(a->median_ns - b->median_ns) / fmax(fmax(a->median_ns, b->median_ns), 1);
}

/* Returns true if a graph and the one before or after it, in order of first launch, alternate. */
static bool alternates(const struct graphs *graphs, size_t g, bool after)
{
	size_t from = after ? g : g - 1;

	return (after ? g + 1 < graphs->count : g > 0) &&
	       graphs->items[from + 1].first < graphs->items[from].last;
}

/* Returns true if a graph takes as long as another, and so do those that alternate with them. */
static bool is_like(const struct graphs *graphs, size_t g, size_t other)
{
	const struct graph *a = &graphs->items[g], *b = &graphs->items[other];

	if (difference(a, b) > dp_param.graph_same)
		return false;
	for (int k = -1; k <= 1; k += 2)
		if (alternates(graphs, other, k > 0) &&
		    (!alternates(graphs, g, k > 0) ||
		     difference(a + k, b + k) > dp_param.graph_same))
			return false;
	return true;
}

/* Returns true if graph g may be an earlier one again. */
static bool may_be(const struct graphs *graphs, size_t g, size_t earlier)
{
	const struct graph *a = &graphs->items[earlier];

	return !a->again && a->last < graphs->items[g].first && is_like(graphs, g, earlier);
}

/* The graph that graph g is again, or SIZE_MAX; expected: the one after that of the last match. */
static size_t find_earlier(const struct graphs *graphs, size_t g, size_t expected)
{
	const struct graph *items = graphs->items;
	size_t begin = g - DP_MIN(g, dp_param.graphs_look), best = SIZE_MAX;
	double least = (double)INFINITY;

	if (expected < g && may_be(graphs, g, expected))
		return expected;
	for (size_t k = begin; k < g; k++)
		if (may_be(graphs, g, k) && difference(&items[k], &items[g]) < least) {
			least = difference(&items[k], &items[g]);
			best = k;
		}
	return best;
}

int dp_graphs__find_again(uint32_t *first, const struct dp_sequence *sequence)
{
	struct graphs graphs = { 0 };
	size_t expected = SIZE_MAX;
	int status = number(&graphs, sequence);

	for (uint32_t s = 0; s < sequence->alphabet; s++)
		first[s] = s;
	if (!status && graphs.count > 1)
		status = read_launches(&graphs, sequence);
	for (size_t g = 1; g < graphs.count && !status; g++) {
		size_t earlier = find_earlier(&graphs, g, expected);

		if (earlier == SIZE_MAX)
			continue;
		graphs.items[earlier].again = true;
		first[graphs.items[g].symbol] = first[graphs.items[earlier].symbol];
		expected = earlier + 1;
	}
	fini(&graphs);
	return status;
}
