/*
 * The loops of one sequence, for the facade: from annotations if they mark iterations, for known
 * numbers of iterations, or unaided; and which of them wins where annotations and kernels disagree.
 *
 * In: a sequence and the options. Out: a tree of loops (lib/loops), in the sequence's indices.
 * Called by analysis_search.c for each sequence. Cost: that of one search, or of two if few
 * iterations are marked.
 */
#include "analysis_model.h"
#include "base/parameters.h"
#include "base/text.h"

#include <math.h>

bool dp_analysis__counts_fit(const struct dp_analysis_options *options, size_t kernels)
{
	for (size_t i = 0; i < options->iterations_count; i++)
		if (options->iterations[i] > kernels)
			return false;
	return true;
}

/*
 * Returns true if an iteration is shorter than the pattern by more than the parameter lacking says.
 * Kernels that are other ones, or in another order, are as many inserted as deleted.
 */
static bool lacks_kernels(const struct dp_sequence_loop *loop, size_t index)
{
	const struct dp_sequence_iteration *iteration = &loop->iterations[index];

	return (double)iteration->deleted >
	       (double)iteration->inserted + dp_param.lacking * (double)loop->length;
}

/*
 * Adds the loop of marked iterations. Those at the ends of the analyzed part are partial if the
 * requested range leaves some of their kernels out, if the file is known to have lost what
 * followed, or if they lack kernels. Averages leave partial iterations out.
 */
static int add_marked(struct dp_loops *loops, const struct dp_loop_search *s,
		      struct dp_marks *marks)
{
	struct dp_sequence_iteration *last = &marks->iterations[marks->count - 1];
	bool at_end = last->end == s->sequence->count;
	struct dp_sequence_loop *loop;

	last->partial |= at_end && dp_trace_loss_count(s->trace);
	loop = dp_loops__add_known(loops, s->sequence->symbols, marks->iterations, marks->count);
	if (!loop)
		return DP_ERR_NOMEM;
	loop->annotation = marks->name;
	loop->mixed = marks->mixed;
	if (loop->iterations[0].first == 0)
		loop->iterations[0].partial |= lacks_kernels(loop, 0);
	if (at_end)
		loop->iterations[loop->count - 1].partial |= lacks_kernels(loop, loop->count - 1);
	return DP_OK;
}

/* Gives a loop the boundaries of annotations; its place in the tree stays the same. */
static int take_marks(const struct dp_loop_search *s, struct dp_marks *marks,
		      struct dp_sequence_loop *loop)
{
	struct dp_loops by_marks = { 0 };
	struct dp_sequence_loop swap = *loop;
	int status = add_marked(&by_marks, s, marks);

	if (!status) {
		*loop = by_marks.loops[0];
		loop->parent = swap.parent;
		loop->chosen = swap.chosen;
		loop->may_be_pass = swap.may_be_pass;
		loop->copies = swap.copies;
		loop->memsets = swap.memsets;
		by_marks.loops[0] = swap;
	}
	dp_loops__fini(&by_marks);
	return status;
}

/* The name of the first annotation, cut for quoting. */
static const char *name_of(const struct dp_loop_search *s, const struct dp_marks *marks)
{
	return dp_explain__quote(s->explain, dp_trace_string(s->trace, marks->name));
}

/*
 * Finds annotations that repeat like a loop that was found unaided. The loop takes their boundaries
 * or, if each of its iterations holds one annotation that marks less than it, has more confidence.
 */
static int use_repeated(const struct dp_loop_search *s, struct dp_loops *loops)
{
	int status = DP_OK;

	for (size_t i = 0; i < loops->count && !status; i++) {
		struct dp_sequence_loop *loop = &loops->loops[i];
		struct dp_marks marks;

		if (!loop->chosen)
			continue;
		status = dp_sequence__repeated(&marks, s->sequence, s->annotations,
					       loop->iterations, loop->count);
		if (status)
			return status;
		if (marks.count)
			dp_explain__add(
				s->explain, "annotations",
				DP_FACTS({ "ranges", "count", (double)marks.count },
					 { "iterations", "count", (double)dp_loops__whole(loop) },
					 { "inside", "count", marks.inside }),
				"{ranges:annotation} like%s repeat as the loop with "
				"{iterations:iteration} does: %s",
				name_of(s, &marks),
				marks.inside ? "each lies inside an iteration, which "
					       "confirms the loop"
					     : "they are its boundaries");
		if (marks.count && marks.inside) {
			loop->confidence.feature[DP_FEATURE_ANNOTATED] = 1;
			dp_confidence__judge(&loop->confidence);
			loop->may_be_pass = false;
		} else if (marks.count) {
			status = take_marks(s, &marks, loop);
		}
		dp_marks__fini(&marks);
	}
	return status;
}

/* Puts the last loop before all others, around loop `inner`. */
static int put_around(struct dp_loops *loops, size_t inner)
{
	size_t last = loops->count - 1;
	uint32_t *made = dp_alloc__array(loops->count, sizeof(*made));
	int status = DP_ERR_NOMEM;

	loops->loops[last].chosen = false;
	loops->loops[inner].parent = (uint32_t)last;
	for (size_t k = 0; k < loops->count && made; k++)
		made[k] = k < last ? (uint32_t)k + 1 : 0;
	if (made)
		status = dp_loops__reorder(loops, made);
	free(made);
	return status;
}

/*
 * Adds the loop around a reported one that annotations show and kernels do not: sets *added to
 * whether there is one.
 */
static int add_around(bool *added, const struct dp_loop_search *s, struct dp_loops *loops,
		      size_t inner)
{
	const struct dp_sequence_loop *loop = &loops->loops[inner];
	struct dp_marks marks;
	int status;

	*added = false;
	status = dp_sequence__around(&marks, s->sequence, s->annotations, loop->iterations,
				     loop->count);
	if (status || !marks.count)
		return status;
	dp_explain__add(s->explain, "annotations",
			DP_FACTS({ "ranges", "count", (double)marks.count },
				 { "iterations", "count", (double)dp_loops__whole(loop) }),
			"{ranges:annotation} like%s hold the {iterations:iteration} of the loop, "
			"several each: they are the loop around it",
			name_of(s, &marks));
	status = add_marked(loops, s, &marks);
	dp_marks__fini(&marks);
	if (!status)
		status = put_around(loops, inner);
	*added = !status;
	return status;
}

/* Adds the loops that annotations show around those of the report that have none around them. */
static int use_around(const struct dp_loop_search *s, struct dp_loops *loops)
{
	int status = DP_OK;
	bool added;

	for (size_t i = 0; i < loops->count && !status; i += 1 + added) {
		added = false;
		if (loops->loops[i].chosen && loops->loops[i].parent == DP_NONE)
			status = add_around(&added, s, loops, i);
	}
	return status;
}

/* Returns an empty list: if one of several streams has no loops, the others are still analyzed. */
static int no_loops(struct dp_loops **loops)
{
	*loops = dp_alloc__zeroed(1, sizeof(**loops));
	return *loops ? DP_OK : DP_ERR_NOMEM;
}

/*
 * Finds loops from the operations, and gives them the boundaries of annotations that repeat like
 * them.
 */
static int find_unaided(const struct dp_loop_search *s, struct dp_loops **loops)
{
	/* without a known number, one symbol's order is no evidence */
	bool single = s->sequence->alphabet == 1 && !s->request.counts_count;
	int status = single ? no_loops(loops) : dp_loops__find(loops, &s->request, s->error);

	if (!status && s->request.counts_count)
		return dp_analysis__counted(loops, s);
	if (!status)
		status = dp_analysis__operations(loops, s);
	if (!status && !s->options->ignore_marks)
		status = use_repeated(s, *loops);
	if (!status && !s->options->ignore_marks)
		status = use_around(s, *loops);
	return status;
}

/* Returns true if a loop at the level of the report has two whole iterations to compare. */
static bool has_several(const struct dp_loops *loops)
{
	for (size_t l = 0; l < loops->count; l++)
		if (loops->loops[l].chosen && dp_loops__whole(&loops->loops[l]) > 1)
			return true;
	return false;
}

/*
 * Returns true if several iterations are unlikely to be layers of the single marked one, and cover
 * most kernels; all of them if they may be layers, since most passes do something else, too.
 */
static bool is_surer(const struct dp_loops *loops, const struct dp_sequence *sequence)
{
	const struct dp_sequence_loop *loop = dp_loops__main(loops);
	size_t covered = loop ? dp_loops__covered(loop) : 0;

	return loop && loop->confidence.loop > dp_param.surer && has_several(loops) &&
	       (loop->may_be_pass ? covered == sequence->count : covered * 2 > sequence->count);
}

/*
 * One mark around everything is no iteration: it shows when the profiler was on. In a part of a
 * capture it may be part of a longer iteration.
 */
static bool is_everything(const struct dp_loops *loops, const struct dp_sequence *sequence)
{
	return loops->count == 1 && loops->loops[0].count == 1 &&
	       !loops->loops[0].iterations[0].partial &&
	       (double)dp_loops__covered(&loops->loops[0]) >=
		       dp_param.everything * (double)sequence->count;
}

/* Keeps no loops, only the best candidate. */
static int only_candidate(const struct dp_loop_search *s, struct dp_loops **loops,
			  const struct dp_loops *tree)
{
	const struct dp_sequence_loop *nearest = dp_loops__main(tree);

	dp_loops__free(*loops);
	*loops = NULL;
	if (no_loops(loops))
		return DP_ERR_NOMEM;
	(*loops)->best = nearest ? dp_loops__describe(nearest, s->sequence->count) : tree->best;
	return DP_OK;
}

/*
 * Warns if the requested marks are no loop, since they mark fewer than two whole iterations, and
 * one of kernels next to them is larger: it is the main one of the report.
 */
static void warn_outweighed(const struct dp_loop_search *s, const struct dp_loops *loops)
{
	const struct dp_sequence_loop *loop = dp_loops__main(loops);
	size_t marked = 0;

	for (size_t l = 0; l < loops->count; l++)
		if (loops->loops[l].found_by == DP_FOUND_BY_MARKS)
			marked = DP_MAX(marked, dp_loops__whole(&loops->loops[l]));
	if (!loop || loop->found_by == DP_FOUND_BY_MARKS || marked > 1)
		return;
	dp_log__write(&s->options->log, DP_LOG_WARNING,
		      "stream %lld: the marks '%s' match fewer than two whole iterations; "
		      "using kernel order instead",
		      (long long)dp_trace_stream(s->trace, s->sequence->stream)->stream,
		      s->options->marks);
}

/*
 * Adds the loops that kernels show besides the marked iterations. If annotations that were not
 * requested mark a single iteration, as when a profiler records one step, there is nothing to
 * compare; then the loops inside it, even by other annotations, are used instead.
 */
static int find_adjacent(struct dp_loop_search *s, struct dp_loops **loops)
{
	struct dp_loops_request unaided = s->request;
	struct dp_loops *tree = NULL;
	const struct dp_sequence_loop *found;
	bool several = s->options->marks || has_several(*loops);
	int status;

	unaided.counts = NULL;
	unaided.counts_count = 0;
	unaided.paper = false;
	status = several ? dp_loops__find(&tree, &unaided, s->error) : find_unaided(s, &tree);
	if (status)
		return status;
	found = dp_loops__main(tree);
	if (!several && is_surer(tree, s->sequence)) {
		s->replaced = is_everything(*loops, s->sequence);
		dp_log__write(
			&s->options->log, DP_LOG_WARNING,
			"stream %lld: annotations mark fewer than two iterations; using %s instead",
			(long long)dp_trace_stream(s->trace, s->sequence->stream)->stream,
			found->found_by == DP_FOUND_BY_MARKS ? "other annotations"
							     : "kernel order");
		dp_explain__add(
			s->explain, "annotations",
			DP_FACTS({ "loop", "1", found->confidence.loop },
				 { "least", "1", dp_param.surer }),
			"the annotations mark fewer than two whole iterations; what is found "
			"without them is a loop with a probability of {loop}, more than {least}, and "
			"replaces them");
		dp_loops__swap(loops, &tree);
	} else if (!several && is_everything(*loops, s->sequence)) {
		status = only_candidate(s, loops, tree);
	} else {
		status = dp_loops__add_adjacent(*loops, tree);
		if (!status && s->options->marks)
			warn_outweighed(s, *loops);
	}
	dp_loops__free(tree);
	return status;
}

/*
 * Warns if the requested number matches a loop although another loop is likely. The same pattern
 * found a few times more or less often is the same loop. Whether the number is right is known to
 * whoever gave it: the loop has no confidence.
 */
static void warn_likely(const struct dp_loop_search *s, struct dp_loops *loops)
{
	uint64_t given = s->options->iterations[0];
	char percent[DP_TEXT_SIZE], kernels[DP_TEXT_SIZE], found[DP_TEXT_SIZE];
	char likely[DP_TEXT_SIZE];

	if (!loops->likely.iterations || !loops->count ||
	    dp_loops__whole(&loops->loops[0]) != given ||
	    loops->loops[0].length == loops->likely.length)
		return;
	dp_log__write(
		&s->options->log, DP_LOG_WARNING,
		"stream %lld: found %s iteration%s; without -n, %s iterations of %s kernel%s are "
		"found (%s confidence)",
		(long long)dp_trace_stream(s->trace, s->sequence->stream)->stream,
		dp_text__count(found, given), given == 1 ? "" : "s",
		dp_text__count(likely, loops->likely.iterations),
		dp_text__count(kernels, loops->likely.length), loops->likely.length == 1 ? "" : "s",
		dp_text__percent(percent, loops->likely.confidence));
	loops->loops[0].confidence.loop = (double)NAN;
}

/* Warns if the loop with the requested number looks like layers. */
static void warn_layers(const struct dp_loop_search *s, const struct dp_loops *loops)
{
	const struct dp_sequence_loop *loop = dp_loops__main(loops);
	char kernels[DP_TEXT_SIZE], found[DP_TEXT_SIZE];
	bool asked = false;

	for (size_t i = 0; loop && i < s->options->iterations_count; i++)
		asked |= dp_loops__whole(loop) == s->options->iterations[i];
	if (!asked || loop->found_by != DP_FOUND_BY_COUNT || loop->parent != DP_NONE ||
	    !(loop->confidence.feature[DP_FEATURE_LAYERS] > 0))
		return;
	dp_log__write(
		&s->options->log, DP_LOG_WARNING,
		"stream %lld: the %s iterations of %s kernels look like the layers of a single "
		"pass",
		(long long)dp_trace_stream(s->trace, s->sequence->stream)->stream,
		dp_text__count(found, dp_loops__whole(loop)),
		dp_text__count(kernels, loop->length));
}

/*
 * If no likely loop has the requested number of iterations, or another one is likelier, but
 * annotations mark as many, takes those: -n confirms them. Sets *marked to the number that they mark
 * if that was needed, else to 0.
 */
static int use_marked_count(const struct dp_loop_search *s, struct dp_loops **loops, size_t *marked)
{
	const struct dp_loops_request *request = &s->request;
	struct dp_marks marks = { 0 };
	struct dp_loops *by_marks = NULL;
	int status;

	*marked = 0;
	if (request->paper || request->counts_count != 1 || s->options->ignore_marks)
		return DP_OK;
	for (size_t l = 0; l < (*loops)->count; l++)
		if (((dp_loops__whole(&(*loops)->loops[l]) == request->counts[0] &&
		      !(*loops)->likely.iterations) ||
		     (*loops)->loops[l].matches_in_sequence) &&
		    dp_confidence__listed(&(*loops)->loops[l].confidence))
			return DP_OK;
	status = dp_sequence__marks(&marks, s->sequence, s->annotations, s->error);
	if (!status)
		status = no_loops(&by_marks);
	if (!status && marks.count)
		status = add_marked(by_marks, s, &marks);
	if (!status && marks.count)
		*marked = dp_loops__whole(&by_marks->loops[0]);
	if (!status && *marked == request->counts[0]) {
		dp_explain__add(s->explain, "annotations",
				DP_FACTS({ "known", "count", (double)request->counts[0] }),
				"no likely loop of kernels has the {known:iteration} of -n, but "
				"annotations like%s mark as many",
				name_of(s, &marks));
		dp_loops__swap(loops, &by_marks);
	}
	dp_loops__free(by_marks);
	dp_marks__fini(&marks);
	return status;
}

/* Finds the loops of kernels. */
static int find_by_kernels(struct dp_loop_search *s, struct dp_loops **loops)
{
	const struct dp_analysis_options *options = s->options;
	bool fits = !s->has_others || dp_analysis__counts_fit(options, s->sequence->count);
	int status = fits ? find_unaided(s, loops) : no_loops(loops);

	s->marked_count = 0;
	if (!status && fits && options->iterations_count)
		status = use_marked_count(s, loops, &s->marked_count);
	return status;
}

void dp_analysis__warn_counts(const struct dp_loop_search *s, struct dp_loops *loops)
{
	dp_analysis__missing_counts(s->options, dp_trace_stream(s->trace, s->sequence->stream),
				    loops, s->marked_count);
	warn_likely(s, loops);
	warn_layers(s, loops);
}

int dp_analysis__find_loops(struct dp_loops **loops, struct dp_loop_search *s)
{
	const struct dp_analysis_options *options = s->options;
	struct dp_marks marks = { 0 };
	int status = DP_OK;

	s->replaced = false;
	s->request = dp_analysis__request(s->sequence);
	s->request.counts = options->iterations;
	s->request.counts_count = options->iterations_count;
	s->request.paper = options->paper;
	s->request.epsilon = options->epsilon;
	s->request.max_unmatched = options->max_unmatched;
	s->request.explain = s->explain;
	if (options->marks || (!options->iterations_count && !options->ignore_marks))
		status = dp_sequence__marks(&marks, s->sequence, s->annotations, s->error);
	if (!status && marks.count) {
		s->marked = true;
		dp_explain__add(
			s->explain, "annotations",
			DP_FACTS({ "iterations", "count",
				   (double)dp_iterations__whole(marks.iterations, marks.count) }),
			"annotations like%s mark {iterations:iteration}", name_of(s, &marks));
		status = no_loops(loops);
		if (!status)
			status = add_marked(*loops, s, &marks);
		if (!status)
			status = find_adjacent(s, loops);
	} else if (!status && options->marks) {
		status = no_loops(loops);
	} else if (!status) {
		status = find_by_kernels(s, loops);
	}
	dp_marks__fini(&marks);
	return status;
}
