/*
 * Recognizes recaptured CUDA graphs by their durations. Programs capture a graph again if buffers
 * move or a function is compiled once more, as JAX does; its launches are then a loop's next
 * iterations, but traces name a graph by its number alone.
 *
 * Cost: linear in the symbols and, if there are several graphs, in the trace's calls.
 */
#include "sequence/graphs.h"
#include "base/parameters.h"
#include "base/search.h"
#include "sequence/sequence.h"
#include "stats/stat.h"

#include <math.h>
#include <string.h>

/* A graph, in order of first launch. */
struct graph {
	uint32_t symbol;
	size_t first, last;	   /* launches, as positions in the sequence, */
	int64_t first_ns, last_ns; /* and when these were */
	double *times_ns;	   /* of each launch */
	size_t launches, room;
	double median_ns;
	uint32_t root;	   /* the first graph that it continues, or itself */
	bool is_continued; /* by a later graph */
};

struct graphs {
	struct graph *items;
	size_t count;
	uint32_t *of;	  /* each symbol's graph, or DP_NONE */
	int64_t *made_ns; /* when graphs were instantiated, ascending; none: not recorded */
	size_t made;
};

static void graphs_fini(struct graphs *graphs)
{
	for (size_t g = 0; g < graphs->count; g++)
		free(graphs->items[g].times_ns);
	free(graphs->items);
	free(graphs->of);
	free(graphs->made_ns);
}

/* Numbers the graphs. */
static int number_graphs(struct graphs *graphs, const struct dp_sequence *sequence)
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
		graphs->items[graphs->count] =
			(struct graph){ .symbol = s, .root = (uint32_t)graphs->count };
		graphs->count++;
	}
	return DP_OK;
}

/* Finds when each graph is launched, and the median of its times. */
static int read_launches(struct graphs *graphs, const struct dp_sequence *sequence)
{
	const struct dp_ops *ops = dp_trace_ops(sequence->trace);

	for (size_t i = 0; i < sequence->count; i++) {
		uint32_t g = graphs->of[sequence->symbols[i]], op = sequence->ops[i];
		struct graph *graph;

		if (g == DP_NONE)
			continue;
		graph = &graphs->items[g];
		if (dp_array__reserve(&graph->times_ns, &graph->room, graph->launches + 1,
				      sizeof(*graph->times_ns)))
			return DP_ERR_NOMEM;
		if (!graph->launches)
			graph->first = i;
		graph->last = i;
		graph->times_ns[graph->launches++] = (double)(ops->end_ns[op] - ops->start_ns[op]);
	}
	for (size_t g = 0; g < graphs->count; g++) {
		struct graph *graph = &graphs->items[g];

		graph->first_ns = dp_sequence__launched_ns(sequence, graph->first);
		graph->last_ns = dp_sequence__launched_ns(sequence, graph->last);
		graph->median_ns = dp_stat__median(graph->times_ns, graph->launches);
	}
	return DP_OK;
}

/* Finds when the sequence's process instantiated graphs. */
static int read_made(struct graphs *graphs, const struct dp_sequence *sequence)
{
	const struct dp_trace *trace = sequence->trace;
	const struct dp_calls *calls = dp_trace_calls(trace);
	uint32_t process = dp_trace_stream(trace, sequence->stream)->process;
	uint32_t known = DP_NONE; /* the name of the last one found */
	size_t room = 0;

	for (size_t i = 0; i < calls->count; i++) {
		if (calls->kind[i] != DP_CALL_OTHER || calls->thread[i] == DP_NONE ||
		    (calls->name[i] != known &&
		     !strstr(dp_trace_string(trace, calls->name[i]), "GraphInstantiate")) ||
		    dp_trace_thread(trace, calls->thread[i])->process != process)
			continue;
		known = calls->name[i];
		if (dp_array__reserve(&graphs->made_ns, &room, graphs->made + 1,
				      sizeof(*graphs->made_ns)))
			return DP_ERR_NOMEM;
		graphs->made_ns[graphs->made++] = calls->start_ns[i];
	}
	return DP_OK;
}

/* Returns true if a graph was instantiated between two times, or if that is not recorded. */
static bool was_made(const struct graphs *graphs, int64_t from_ns, int64_t to_ns)
{
	size_t at;

	DP_FIND(at, 0, graphs->made, graphs->made_ns[at] > from_ns);
	return !graphs->made || (at < graphs->made && graphs->made_ns[at] < to_ns);
}

/* The share by which the durations of two graphs differ. */
static double share_apart(const struct graph *a, const struct graph *b)
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
static bool takes_as_long(const struct graphs *graphs, size_t g, size_t other)
{
	const struct graph *a = &graphs->items[g], *b = &graphs->items[other];

	if (share_apart(a, b) > dp_param.graph_same)
		return false;
	for (int k = -1; k <= 1; k += 2)
		if (alternates(graphs, other, k > 0) &&
		    (!alternates(graphs, g, k > 0) ||
		     share_apart(a + k, b + k) > dp_param.graph_same))
			return false;
	return true;
}

/* Returns true if graph g may continue an earlier one. */
static bool may_continue(const struct graphs *graphs, size_t g, size_t earlier)
{
	const struct graph *now = &graphs->items[g], *a = &graphs->items[earlier];

	return !a->is_continued && a->last < now->first && takes_as_long(graphs, g, earlier) &&
	       share_apart(now, &graphs->items[a->root]) <= dp_param.graph_same &&
	       was_made(graphs, a->last_ns, now->first_ns);
}

/* The graph that graph g continues, or SIZE_MAX. */
static size_t find_earlier(const struct graphs *graphs, size_t g)
{
	const struct graph *items = graphs->items;
	size_t begin = g - DP_MIN(g, dp_param.graphs_look), best = SIZE_MAX;
	double least = (double)INFINITY;

	for (size_t k = begin; k < g; k++)
		if (share_apart(&items[k], &items[g]) < least && may_continue(graphs, g, k)) {
			least = share_apart(&items[k], &items[g]);
			best = k;
		}
	return best;
}

int dp_graphs__find_recaptured(uint32_t *first, const struct dp_sequence *sequence)
{
	struct graphs graphs = { 0 };
	int status = number_graphs(&graphs, sequence);

	for (uint32_t s = 0; s < sequence->alphabet; s++)
		first[s] = s;
	if (!status && graphs.count > 1)
		status = read_launches(&graphs, sequence);
	if (!status && graphs.count > 1)
		status = read_made(&graphs, sequence);
	for (size_t g = 1; g < graphs.count && !status; g++) {
		size_t earlier = find_earlier(&graphs, g);

		if (earlier == SIZE_MAX)
			continue;
		graphs.items[earlier].is_continued = true;
		graphs.items[g].root = graphs.items[earlier].root;
		first[graphs.items[g].symbol] = graphs.items[graphs.items[g].root].symbol;
	}
	graphs_fini(&graphs);
	return status;
}
