/*
 * The loops of a device: those of its main streams (analysis_streams.c), of a stream alone, or of
 * all streams together. dp_analysis__search() makes these attempts, in this order:
 *
 * 1. find(): the main streams, by analysis_loops.c.
 * 2. find_together(): all streams, if there is no loop yet.
 * 3. find_first(): the first of the main streams alone, if there is still none.
 * 4. dp_analysis__after_startup(): what follows the start-up, if that has a loop.
 * 5. find_better(): another stream alone, else all streams, if their loop is better.
 *
 * A library may spread parts of each iteration over streams of its own, which then have most of the
 * time: cuDNN runs the layers and time steps of an LSTM on eight. Their kernels repeat more often
 * than the program's iterations, and with nothing that programs do once per iteration; the stream
 * that the program itself uses shows the iterations around them. Or a stream of the library has
 * too few kernels to tell the program's iterations from each other. Where neither shows a loop of
 * steps, all streams in the order of launches may.
 *
 * Cost: one search; if nothing happens once per iteration of the loop that it finds, also one of
 * each other stream with a share of the kernels, or else one of each with twice as many kernels; a
 * second one of the stream that is taken; and at most three of all streams, if there are others.
 */
#include "analysis_model.h"
#include "base/parameters.h"

/* Makes a sequence that of the search. */
static void use(struct dp_searched *searched, struct dp_loop_search *search)
{
	search->sequence = &searched->sequence;
	search->group = &searched->group;
	dp_explain__rename(search->explain, dp_sequence__names(&searched->sequence));
}

static int find(struct dp_searched *searched, struct dp_loop_search *search)
{
	use(searched, search);
	return dp_analysis__find_loops(&searched->loops, search);
}

/* Searches another group, which it takes over, in place of what was searched before. */
static int find_in(struct dp_searched *searched, struct dp_loop_search *search,
		   const struct dp_stream_group *group)
{
	int status;

	dp_searched__fini(searched);
	searched->group = *group;
	status = dp_sequence__init(&searched->sequence, search->trace, &searched->group,
				   DP_SYMBOLS_OF_KERNELS, search->options->range_start_ns,
				   search->options->range_end_ns);
	return status ? status : find(searched, search);
}

static int find_alone(struct dp_searched *searched, struct dp_loop_search *search, uint32_t stream)
{
	struct dp_stream_group group;

	dp_stream_group__single(&group, search->trace, stream);
	return find_in(searched, search, &group);
}

/* What the sequence is made of. */
static void explain_stream(const struct dp_searched *searched, const struct dp_loop_search *search)
{
	const struct dp_stream_group *group = &searched->group;
	const struct dp_sequence *sequence = &searched->sequence;
	size_t streams = 0;

	dp_explain__begin(search->explain, sequence->stream);
	for (size_t s = group->range.first; s < group->range.end; s++)
		streams += dp_stream_group__has(group, s);
	dp_explain__add(
		search->explain, "stream",
		DP_FACTS({ "kernels", "count", (double)sequence->count },
			 { "streams", "count", (double)streams },
			 { "by_launch", "count", group->by_launch }),
		"{kernels:kernel} of {streams:stream}%s, in the order %s, make the sequence",
		streams > 1 ? " that do the same work" : "",
		group->by_launch ? "of their launches" : "in which they start");
}

/* A search that says nothing, since what it finds may not be taken. */
struct silent {
	struct dp_analysis_options options;
	struct dp_loop_search search;
};

static void make_silent(struct silent *silent, const struct dp_loop_search *search)
{
	silent->options = *search->options;
	silent->options.log = (struct dp_log){ 0 };
	silent->search = *search;
	silent->search.options = &silent->options;
	silent->search.explain = NULL;
}

/*
 * Searches all computing streams of the device in the order of their launches, if that is known and
 * there are others than those searched. Leaves *found empty otherwise.
 */
static int find_all(struct dp_searched *found, const struct dp_searched *searched,
		    struct dp_loop_search *search)
{
	struct dp_stream_group group;
	struct silent silent;
	int status;

	if (!dp_stream_group__has_others(&searched->group, search->trace) ||
	    search->searches++ >= dp_param.searches_most)
		return DP_OK;
	status = dp_stream_group__all(&group, search->trace, searched->group.stream);
	if (status || !group.by_launch) {
		dp_stream_group__fini(&group);
		return status;
	}
	make_silent(&silent, search);
	return find_in(found, &silent.search, &group);
}

static void explain_all(const struct dp_searched *all, struct dp_loop_search *search)
{
	dp_explain__add(search->explain, "stream",
			DP_FACTS({ "streams", "count", (double)all->group.streams }),
			"all {streams:stream} that compute show a loop of steps together, in the "
			"order of their launches: this is reported");
}

/*
 * If the main streams are concurrent and show no loop, searches the first one alone, unless it has
 * fewer kernels than there are to be iterations.
 */
static int find_first(struct dp_searched *searched, struct dp_loop_search *search)
{
	const struct dp_sequence *all = &searched->sequence;
	const struct dp_ops *ops = dp_trace_ops(search->trace);
	size_t kernels = 0;

	for (size_t i = 0; i < all->count; i++)
		kernels += ops->stream[all->ops[i]] == all->stream;
	if (!dp_analysis__counts_fit(search->options, kernels))
		return DP_OK;
	dp_explain__add(search->explain, "stream", DP_FACTS({ "streams", "count", 1 }),
			"in the order of launches no loop is found: {streams:stream} is searched");
	return find_alone(searched, search, searched->sequence.stream);
}

/* The time from the start of a loop's first iteration to the end of its last one. */
static void find_span(const struct dp_searched *searched, const struct dp_sequence_loop *loop,
		      int64_t *start_ns, int64_t *end_ns)
{
	const struct dp_sequence *sequence = &searched->sequence;
	const struct dp_ops *ops = dp_trace_ops(sequence->trace);
	const struct dp_sequence_iteration *first = loop->iterations,
					   *last = first + loop->count - 1;

	*start_ns = INT64_MAX;
	*end_ns = INT64_MIN;
	for (size_t i = first->first; i < first->end; i++)
		*start_ns = DP_MIN(*start_ns, ops->start_ns[sequence->ops[i]]);
	for (size_t i = last->first; i < last->end; i++)
		*end_ns = DP_MAX(*end_ns, ops->end_ns[sequence->ops[i]]);
}

/*
 * Returns the loop of the main streams that runs longest, or NULL: the one with most kernels may be
 * a short set-up.
 */
static const struct dp_sequence_loop *longest(const struct dp_searched *searched)
{
	const struct dp_sequence_loop *best = NULL;
	int64_t start_ns, end_ns, most_ns = -1;

	for (size_t k = 0; k < searched->loops->count; k++) {
		const struct dp_sequence_loop *loop = &searched->loops->loops[k];

		if (!loop->chosen || !loop->count)
			continue;
		find_span(searched, loop, &start_ns, &end_ns);
		if (end_ns - start_ns <= most_ns)
			continue;
		most_ns = end_ns - start_ns;
		best = loop;
	}
	return best;
}

/*
 * Returns true if something happens once per iteration of a loop: an upload, a download, a wait, an
 * optimizer or an annotation.
 */
static bool has_step(const struct dp_sequence_loop *loop)
{
	const double *feature = loop->confidence.feature;

	return loop->found_by == DP_FOUND_BY_MARKS || feature[DP_FEATURE_STEP] > 0 ||
	       feature[DP_FEATURE_ANNOTATED] > 0;
}

/* Returns true if a loop of a stream alone runs for most of the time of one of the main streams. */
static bool runs_along(const struct dp_searched *alone, const struct dp_searched *searched,
		       const struct dp_sequence_loop *main)
{
	int64_t start_ns, end_ns, from_ns, to_ns;

	find_span(alone, dp_loops__main(alone->loops), &start_ns, &end_ns);
	find_span(searched, main, &from_ns, &to_ns);
	return DP_MIN(end_ns, to_ns) - DP_MAX(start_ns, from_ns) > (to_ns - from_ns) / 2;
}

/* Returns true if it is likely, and has at least two of the main streams' iterations in each. */
static bool is_around(const struct dp_searched *alone, const struct dp_sequence_loop *main)
{
	const struct dp_sequence_loop *loop = dp_loops__main(alone->loops);

	return dp_confidence__of(&loop->confidence) >= dp_param.surer &&
	       dp_loops__whole(main) >= 2 * dp_loops__whole(loop);
}

/*
 * Returns true if the stream has a likely loop of steps with at least twice as many iterations as
 * the main streams' loop. It need not be the one that is reported: micro-batches are nested in it.
 */
static bool is_within(const struct dp_searched *alone, const struct dp_sequence_loop *main)
{
	size_t least = 2 * dp_loops__whole(main);

	for (size_t k = 0; k < alone->loops->count; k++) {
		const struct dp_sequence_loop *loop = &alone->loops->loops[k];

		if (has_step(loop) && loop->confidence.loop >= dp_param.surer &&
		    dp_loops__whole(loop) >= least)
			return true;
	}
	return false;
}

/*
 * Returns true if it has more than twice as many kernels as the main streams in all, and its stream
 * no small share of the first one's time.
 */
static bool is_larger(const struct dp_searched *alone, const struct dp_searched *searched)
{
	const struct dp_trace *trace = searched->sequence.trace;
	int64_t own_ns = dp_trace_stream(trace, alone->group.stream)->compute_ns;
	int64_t main_ns = dp_trace_stream(trace, searched->group.stream)->compute_ns;

	return dp_loops__covered(dp_loops__main(alone->loops)) > 2 * searched->sequence.count &&
	       (double)own_ns >= dp_param.alone_least * (double)main_ns;
}

/* Returns true if a stream alone shows the program's loop, and the main streams a library's. */
static bool is_better(const struct dp_searched *alone, const struct dp_searched *searched,
		      const struct dp_sequence_loop *main)
{
	const struct dp_sequence_loop *loop = dp_loops__main(alone->loops);
	bool larger;

	if (!loop || loop->may_be_pass || !has_step(loop) ||
	    dp_loops__covered(loop) * 2 < alone->sequence.count ||
	    !runs_along(alone, searched, main))
		return false;
	larger = is_larger(alone, searched);
	if (is_around(alone, main))
		return larger || !has_step(main);
	return larger && is_within(alone, main);
}

/* Returns true if a loop is likely that of a program, and covers most of what a stream does. */
static bool is_program(const struct dp_searched *alone)
{
	const struct dp_sequence_loop *loop = dp_loops__main(alone->loops);

	return loop && !loop->may_be_pass && has_step(loop) &&
	       dp_confidence__of(&loop->confidence) >= dp_param.surer &&
	       dp_loops__covered(loop) * 2 >= alone->sequence.count;
}

int dp_analysis__has_program(bool *has, const struct dp_loop_search *search, uint32_t stream)
{
	struct dp_searched alone = { 0 };
	struct silent silent;
	int status;

	make_silent(&silent, search);
	status = find_alone(&alone, &silent.search, stream);
	*has = !status && is_program(&alone);
	dp_searched__fini(&alone);
	return status;
}

/* Returns true if neither a number nor annotations are to say which loop is the program's. */
static bool is_unaided(const struct dp_loop_search *search)
{
	return !search->options->iterations_count && !search->options->marks && !search->marked;
}

bool dp_analysis__may_be_on_others(const struct dp_loop_search *search)
{
	return search->options->stream < 0 && !search->options->paper && !search->alone &&
	       is_unaided(search);
}

/* Returns true if a stream that was not searched computes, and has enough kernels. */
static bool may_be_alone(const struct dp_searched *searched, size_t index, size_t least)
{
	const struct dp_stream *stream = dp_trace_stream(searched->sequence.trace, index);

	return stream->compute_ns > 0 && !dp_stream_group__has(&searched->group, index) &&
	       stream->kernels >= least;
}

/* The fewest kernels of a stream that is searched alone: its loop is to replace the one found. */
static size_t least_kernels(const struct dp_searched *searched, const struct dp_sequence_loop *main)
{
	const struct dp_stream_range *range = &searched->group.range;
	size_t kernels = 0;

	for (size_t s = range->first; s < range->end; s++)
		kernels += dp_trace_stream(searched->sequence.trace, s)->kernels;
	return has_step(main) ? 2 * searched->sequence.count
			      : (size_t)(dp_param.alone_least * (double)kernels);
}

/*
 * Finds the stream that alone shows a loop of steps around the one found, or within it; of several,
 * that with most kernels. Sets *best to DP_NONE if there is none.
 */
static int choose_alone(uint32_t *best, const struct dp_searched *searched,
			struct dp_loop_search *search)
{
	const struct dp_sequence_loop *main = longest(searched);
	struct dp_stream_range range = searched->group.range;
	size_t least = least_kernels(searched, main), most = 0;
	struct silent silent;
	int status = DP_OK;

	make_silent(&silent, search);
	*best = DP_NONE;
	for (size_t s = range.first; !status && s < range.end; s++) {
		struct dp_searched alone = { 0 };

		if (dp_trace_stream(search->trace, s)->kernels <= most ||
		    !may_be_alone(searched, s, least) ||
		    search->searches++ >= dp_param.searches_most)
			continue;
		status = find_alone(&alone, &silent.search, (uint32_t)s);
		if (!status && is_better(&alone, searched, main)) {
			*best = (uint32_t)s;
			most = dp_trace_stream(search->trace, s)->kernels;
		}
		dp_searched__fini(&alone);
	}
	return status;
}

/*
 * Takes the loops of all streams together if they show a likely loop of steps, which covers half of
 * their kernels and, if the main streams show a loop, is better than that and of more than twice as
 * many kernels: what a few others add, such as a report of every tenth step, groups the steps.
 */
static int find_together(struct dp_searched *searched, struct dp_loop_search *search)
{
	const struct dp_sequence_loop *loop, *main = longest(searched);
	struct dp_searched all = { 0 };
	struct dp_stream_group group;
	int status = find_all(&all, searched, search);

	loop = !status && all.loops ? dp_loops__main(all.loops) : NULL;
	if (loop && (main ? is_larger(&all, searched) && is_better(&all, searched, main)
			  : has_step(loop) && dp_loops__covered(loop) * 2 >= all.sequence.count)) {
		explain_all(&all, search);
		group = all.group;
		all.group = (struct dp_stream_group){ 0 };
		status = find_in(searched, search, &group);
	}
	dp_searched__fini(&all);
	return status;
}

/* Takes the loops of a stream that alone shows the program's, or of all streams. */
static int find_better(struct dp_searched *searched, struct dp_loop_search *search)
{
	uint32_t best;
	int status = choose_alone(&best, searched, search);

	if (status)
		return status;
	if (best == DP_NONE)
		return find_together(searched, search);
	dp_explain__add(
		search->explain, "stream", DP_FACTS({ "streams", "count", 1 }),
		has_step(longest(searched))
			? "the kernels are few; {streams:other stream} alone shows a loop "
			  "of steps within this one, or around it, and is reported"
			: "no upload, download, wait or optimizer occurs once per iteration; "
			  "{streams:other stream} alone shows a loop of steps around this "
			  "one, or within it, and is reported");
	dp_explain__end(search->explain);
	dp_explain__begin(search->explain, best);
	return find_alone(searched, search, best);
}

int dp_analysis__search(struct dp_searched *searched, struct dp_loop_search *search,
			uint32_t stream)
{
	int status = dp_analysis__sequence(searched, search, stream);

	if (status)
		return status;
	explain_stream(searched, search);
	status = find(searched, search);
	if (!status && !dp_loops__main(searched->loops) && dp_analysis__may_be_on_others(search))
		status = find_together(searched, search);
	if (!status && searched->group.by_launch && !dp_loops__main(searched->loops))
		status = find_first(searched, search);
	if (!status && is_unaided(search))
		status = dp_analysis__after_startup(searched, search);
	if (!status && dp_analysis__may_be_on_others(search) && dp_loops__main(searched->loops))
		status = find_better(searched, search);
	/* not before: a stream alone may have the loop that all together lack */
	if (!status && search->options->iterations_count)
		dp_analysis__warn_counts(search, searched->loops);
	dp_explain__end(search->explain);
	return status;
}
