/* Loops in words: the title of a loop, and where it runs and how it was found. */
#include "base/text.h"
#include "report/capture.h"
#include "report/text.h"

#include <math.h>
#include <string.h>

#define REGULAR_MOST 2 /* variants that are shown */
#define PARTIAL_MOST 2 /* partial iterations that are named */
#define WHOLE 0.95     /* coverage above which the rest is not worth mentioning */
#define LIKELY 0.5
#define MOST 0.5	   /* of the time that was analyzed */
#define LEAST_OUTSIDE 0.05 /* share of the rest that is named: as for a loss in an iteration */
#define LEAST_REST 0.005   /* the same of all other parts together, which rounding does not make */
#define LEAST_ELSEWHERE \
	0.1 /* share of an iteration's kernels: fewer are not missed in their number */
#define ANNOTATION_COLUMNS 32
#define DIFFERENT_LEAST 0.25 /* share of the iterations whose number of kernels is another one */
#define RANGE_LEAST 0.05     /* of the pattern's kernels: less is no news */
#define COPIES_LEAST 0.2     /* times the kernels: fewer copies are not missed */
#define DIGITS "0123456789"

static const char *found_by_words(const struct dp_loop *loop)
{
	switch (loop->found_by) {
	case DP_FOUND_BY_COUNT:
		if (!loop->matches_count)
			return "detected from kernel order, does not match -n";
		if (loop->matches_in_sequence)
			return "matched to -n together with adjacent loops";
		return loop->confidence < LIKELY && loop->variants > 1
			       ? "split to match -n, though iterations differ"
			       : "matched to -n";
	case DP_FOUND_BY_MARKS:
		return "from annotations";
	case DP_FOUND_BY_AUTO:
		break;
	}
	return loop->copies + loop->memsets ? "detected from the order of kernels and copies"
					    : "detected from kernel order";
}

double dp_text__share_inside(const struct dp_analysis *analysis, size_t inner, size_t outer)
{
	const struct dp_iteration *in, *out = dp_analysis_loop_iteration(analysis, outer, 0);
	size_t at = 0, whole = 0, inside = 0;

	for (size_t k = 0; (in = dp_analysis_loop_iteration(analysis, inner, k)); k++) {
		if (in->partial)
			continue;
		whole++;
		while (out && out->first_kernel + out->kernels <= in->first_kernel)
			out = dp_analysis_loop_iteration(analysis, outer, ++at);
		inside += out && in->first_kernel >= out->first_kernel;
	}
	return whole ? (double)inside / (double)whole : 0;
}

const char *dp_text__inside(const struct dp_analysis *analysis, const struct dp_loop *loop)
{
	return dp_text__share_inside(analysis, loop->id, loop->parent) < WHOLE ? "mostly inside"
									       : "nested in";
}

static const char *phase_words(enum dp_phase_evidence phase)
{
	switch (phase) {
	case DP_PHASE_KERNEL_GAP:
		return "starts after the GPU's longest pause";
	case DP_PHASE_FINISH_KERNEL:
		return "starts after optimizer-like kernels";
	case DP_PHASE_INPUT_COPY:
		return "starts at its input upload";
	case DP_PHASE_LAUNCH_GAP:
		return "starts after a pause in kernel launches";
	case DP_PHASE_FIRST_LAUNCH:
		return "starts at the first launch in the capture";
	case DP_PHASE_COMPLETE:
		return NULL;
	case DP_PHASE_MARKS:
	case DP_PHASE_NONE:
		break;
	}
	return NULL;
}

/* Adds the evidence for where an iteration begins. */
static void add_phase(struct dp_words *words, const struct dp_loop *loop)
{
	const char *begins = phase_words(loop->phase), *who = loop->iterations == 1 ? "it" : "each";

	if (loop->phase == DP_PHASE_COMPLETE && loop->iterations > 1)
		dp_words__add(words, "; start fits both ends of the loop");
	else if (loop->phase == DP_PHASE_NONE)
		dp_words__add(words, "; start unknown");
	else if (begins)
		dp_words__add(words, "; %s %s", who, begins);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/*
 * Returns the set of a name's numbers that differ between a loop's annotations. If a thread has the
 * name once per iteration, the name is all of them. Cost: linear in ranges and the bytes of their
 * names.
 */
static uint64_t differing_numbers(struct dp_render *render, const struct dp_loop *loop)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	const struct dp_ranges *ranges = dp_trace_ranges(trace);
	size_t names = dp_trace_string_count(trace), same = 0;
	const char *name = loop->annotation;
	uint32_t thread = DP_NONE;
	uint64_t set = 0, differing;
	bool *seen;

	if (!strpbrk(name, DIGITS))
		return 0;
	seen = dp_alloc__zeroed(names, sizeof(*seen));
	if (!seen) {
		render->status = dp_error__nomem(render->error, names);
		return 0;
	}
	for (size_t i = 0; i < ranges->count; i++) {
		const char *other = dp_trace_string(trace, ranges->name[i]);

		if (other == name) {
			thread = same ? thread : ranges->thread[i];
			same += !same || ranges->thread[i] == thread;
		} else if (!seen[ranges->name[i]]) {
			seen[ranges->name[i]] = true;
			if (dp_text__equal_but_numbers(&differing, name, other))
				set |= differing;
		}
	}
	free(seen);
	return same >= loop->iterations ? 0 : set;
}

/*
 * Adds " (ProfilerStep#)": the name of the annotations, with '#' for numbers that differ, and
 * whether there are others.
 */
static void add_annotation(struct dp_words *words, struct dp_render *render,
			   const struct dp_loop *loop)
{
	uint64_t differing = differing_numbers(render, loop);
	char text[DP_LABEL_SIZE], shown[DP_LABEL_SIZE];
	const char *name = loop->annotation;
	size_t used = 0;

	while (*name && used + 1 < sizeof(text)) {
		if (!is_digit(*name)) {
			text[used++] = *name++;
			continue;
		}
		if (differing & 1) {
			if (!used || text[used - 1] != '#')
				text[used++] = '#';
			name += strspn(name, DIGITS);
		} else {
			while (is_digit(*name) && used + 1 < sizeof(text))
				text[used++] = *name++;
		}
		differing >>= 1;
	}
	text[used] = '\0';
	dp_words__add(words, " (%s%s)",
		      dp_label__text(shown, text, ANNOTATION_COLUMNS, render->options->ascii),
		      loop->mixed ? " and others" : "");
}

/*
 * Returns true if many whole iterations have another number of kernels than the pattern, and some
 * of them a notably different one.
 */
static bool varies(const struct dp_render *render, const struct dp_loop *loop)
{
	const struct dp_variant *v;
	size_t different = 0;

	for (size_t i = 0; (v = dp_analysis_loop_variant(render->analysis, loop->id, i)); i++)
		different += v->inserted != v->deleted ? v->count : 0;
	return loop->complete > 1 &&
	       (double)different >= DIFFERENT_LEAST * (double)loop->complete &&
	       (double)(loop->max_kernels - loop->min_kernels) >=
		       RANGE_LEAST * (double)loop->length;
}

/* Adds the copies and memsets of the pattern, or the copies of nearly all iterations. */
static void add_copies(struct dp_words *words, const struct dp_loop *loop)
{
	bool searched = loop->copies + loop->memsets;
	char number[DP_NUMBER_SIZE];

	if (loop->copies_each > 0 &&
	    (searched || loop->copies_each >= COPIES_LEAST * (double)loop->length))
		dp_words__add(words, "%s %s %s", loop->memsets ? "," : " and",
			      dp_text__count(number, (uint64_t)loop->copies_each),
			      loop->copies_each > 1 ? "copies" : "copy");
	if (loop->memsets)
		dp_words__add(words, " and %s", dp_text__plural(number, loop->memsets, "memset"));
}

void dp_text__contents(struct dp_words *words, const struct dp_render *render, size_t id)
{
	const struct dp_loop *loop = dp_analysis_loop(render->analysis, id);
	bool searched = loop->copies + loop->memsets, varying = varies(render, loop);
	char number[DP_NUMBER_SIZE];

	if (varying) {
		dp_words__add(words, "%s%s", dp_text__count(number, loop->min_kernels),
			      render->options->ascii ? "-" : "\xe2\x80\x93");
		dp_words__add(words, "%s", dp_text__plural(number, loop->max_kernels, "kernel"));
	}
	/* the numbers of copies and memsets that were searched, too, vary as well */
	if (varying && searched)
		dp_words__add(words, " (pattern: ");
	if (!varying || searched)
		dp_words__add(words, "%s", dp_text__plural(number, loop->length, "kernel"));
	add_copies(words, loop);
	if (varying && searched)
		dp_words__add(words, ")");
}

/* Adds "median period 176.2 ms (±2.5 ms)"; of two kinds of iterations, with the number of each. */
static void add_period(struct dp_words *words, struct dp_render *render, size_t id)
{
	const struct dp_loop *loop = dp_analysis_loop(render->analysis, id);
	double median_ns = dp_text__summary(render, id, "median_period_ns");
	double mad_ns = dp_text__summary(render, id, "mad_period_ns");
	bool ascii = render->options->ascii;
	char number[DP_NUMBER_SIZE];

	if (loop->complete == 1) {
		dp_words__add(words, ", next one after %s",
			      dp_human__duration(number, median_ns, ascii));
		return;
	}
	if (dp_text__period_groups(words, ", periods ", render, id))
		return;
	dp_words__add(words, ", %s %s", dp_text__period_name(render, id),
		      dp_human__duration(number, median_ns, ascii));
	if (dp_text__period_count(render, id) > 1)
		dp_words__add(words, " (%s%s)", ascii ? "+-" : "\xc2\xb1",
			      dp_human__rough(number, mad_ns, ascii));
}

/* "6 iterations of 1,462 kernels, median period 176.2 ms (±2.5 ms)". */
void dp_text__loop_title(struct dp_words *words, struct dp_render *render, size_t id)
{
	const struct dp_loop *loop = dp_analysis_loop(render->analysis, id);
	double duration_ns = dp_text__summary(render, id, "median_duration_ns");
	double throughput = dp_text__summary(render, id, "avg_throughput");
	double flop_rate = dp_text__summary(render, id, "avg_flop_rate");
	double mfu = dp_text__summary(render, id, "avg_mfu");
	bool ascii = render->options->ascii;
	char number[DP_NUMBER_SIZE];

	if (loop->complete == 0)
		dp_words__add(words, "no whole iteration: %s partial, of ",
			      dp_text__count(number, loop->iterations));
	else if (loop->complete == 1)
		dp_words__add(words, "one iteration of ");
	else
		dp_words__add(words, "%s of ",
			      dp_text__plural(number, loop->complete, "iteration"));
	dp_text__contents(words, render, id);
	if (isfinite(dp_text__summary(render, id, "median_period_ns")))
		add_period(words, render, id);
	else if (isfinite(duration_ns))
		dp_words__add(words, loop->complete == 1 ? ", %s long" : ", median duration %s",
			      dp_human__duration(number, duration_ns, ascii));
	if (isfinite(throughput))
		dp_words__add(words, ", throughput %s",
			      dp_human__value(number, throughput, "samples/s", ascii));
	if (isfinite(flop_rate))
		dp_words__add(words, ", %s", dp_human__value(number, flop_rate, "FLOP/s", ascii));
	if (isfinite(mfu))
		dp_words__add(words, " (MFU %s)", dp_human__share(number, mfu));
}

const char *dp_text__ordinal_ending(size_t n)
{
	static const char *const endings[] = { "th", "st", "nd", "rd" };

	return n / 10 % 10 == 1 || n % 10 > 3 ? "th" : endings[n % 10];
}

/* Adds ", every 10th: +2 kernels" for variants at regular distances. */
static void add_regular(struct dp_words *words, const struct dp_render *render,
			const struct dp_loop *loop)
{
	char number[DP_NUMBER_SIZE];
	const struct dp_variant *v;
	size_t shown = 0;

	for (size_t i = 1;
	     shown < REGULAR_MOST && (v = dp_analysis_loop_variant(render->analysis, loop->id, i));
	     i++) {
		int64_t net = (int64_t)v->inserted - (int64_t)v->deleted;

		if (!v->period)
			continue;
		shown++;
		dp_words__add(words, ", every %s%s: ", dp_text__count(number, v->period),
			      dp_text__ordinal_ending(v->period));
		if (net == 0)
			dp_words__add(words, "%s",
				      dp_text__plural(number,
						      (uint64_t)v->inserted + v->substituted,
						      "other kernel"));
		else
			dp_words__add(words, "%s%s",
				      dp_number__sign(net < 0, render->options->ascii),
				      dp_text__plural(number, (uint64_t)(net < 0 ? -net : net),
						      "kernel"));
	}
}

/* Adds "; partial iterations 0 and 7 excluded": why the numbers of the others have gaps. */
static void add_partial(struct dp_words *words, const struct dp_render *render,
			const struct dp_loop *loop)
{
	size_t partial = loop->iterations - loop->complete, named = 0;
	char number[DP_NUMBER_SIZE];

	if (!partial || !loop->complete)
		return;
	if (partial > PARTIAL_MOST) {
		dp_words__add(words, "; %s excluded",
			      dp_text__plural(number, partial, "partial iteration"));
		return;
	}
	dp_words__add(words, "; partial iteration%s", partial > 1 ? "s" : "");
	for (size_t k = 0; k < loop->iterations; k++) {
		const struct dp_iteration *at =
			dp_analysis_loop_iteration(render->analysis, loop->id, k);

		if (at && at->partial)
			dp_words__add(words, "%s %s", named++ ? " and" : "",
				      dp_text__count(number, k));
	}
	dp_words__add(words, " excluded");
}

/* Adds what is special about some of the iterations. */
static void add_exceptions(struct dp_words *words, const struct dp_render *render,
			   const struct dp_loop *loop)
{
	size_t different = 0, warmup = 0;
	char number[DP_NUMBER_SIZE];

	for (size_t k = 0; k < loop->iterations; k++) {
		const struct dp_iteration *at =
			dp_analysis_loop_iteration(render->analysis, loop->id, k);

		different += at && at->variant && !at->partial;
		warmup += at && at->warmup;
	}
	if (warmup == 1)
		dp_words__add(words, "; the first is warm-up");
	else if (warmup)
		dp_words__add(words, "; the first %s are warm-up", dp_text__count(number, warmup));
	if (different && different == loop->complete)
		dp_words__add(words, different == 1 ? "; it differs from the pattern"
						    : "; all differ from the pattern");
	else if (different)
		dp_words__add(words, "; %s %s from the pattern", dp_text__count(number, different),
			      different == 1 ? "differs" : "differ");
	if (different)
		add_regular(words, render, loop);
	add_partial(words, render, loop);
}

bool dp_text__is_minor(double *share, const struct dp_render *render, const struct dp_loop *loop)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	const struct dp_scope *scope = dp_analysis_scope(render->analysis);
	const struct dp_iteration *first =
		dp_analysis_loop_iteration(render->analysis, loop->id, 0);
	const struct dp_iteration *last =
		dp_analysis_loop_iteration(render->analysis, loop->id, loop->iterations - 1);
	int64_t from_ns = DP_MAX(scope->range_start_ns, 0);
	int64_t to_ns = DP_MIN(scope->range_end_ns, dp_trace_duration_ns(trace));

	if (!first || !last)
		return false;
	*share = (double)(last->end_ns - first->start_ns) / ((double)to_ns - (double)from_ns);
	return *share < MOST;
}

/* Adds what the device does while the loop does not run. */
static void add_outside(struct dp_words *words, const struct dp_render *render,
			const struct dp_loop *loop, int64_t start_ns, int64_t end_ns)
{
	static const char *const names[DP_CAPTURE_PARTS] = { "kernels", "uploads", "downloads",
							     "other copies and memsets", "idle" };
	double shares[DP_CAPTURE_PARTS], rest = 0;
	char number[DP_NUMBER_SIZE];
	bool any = false;

	if (!dp_capture__outside(shares, dp_analysis_trace(render->analysis),
				 dp_analysis_scope(render->analysis), loop->device, start_ns,
				 end_ns))
		return;
	for (size_t i = 0; i < DP_CAPTURE_PARTS; i++) {
		if (!(shares[i] >= LEAST_OUTSIDE)) {
			rest += shares[i];
			continue;
		}
		if (!any)
			dp_words__add(words, "; the rest of the %s: ", dp_text__whole(render));
		dp_words__add(words, "%s%s %s", any ? ", " : "", names[i],
			      dp_human__share(number, shares[i]));
		any = true;
	}
	if (any && rest >= LEAST_REST)
		dp_words__add(words, ", all else %s", dp_human__share(number, rest));
}

/*
 * If a loop takes less than half of the time that was analyzed: adds when it runs, and what its
 * device does in the rest, since shares of that time then say little about the loop. Returns true
 * if it did.
 */
static bool add_extent(struct dp_words *words, const struct dp_render *render,
		       const struct dp_loop *loop)
{
	const struct dp_iteration *first =
		dp_analysis_loop_iteration(render->analysis, loop->id, 0);
	const struct dp_iteration *last =
		dp_analysis_loop_iteration(render->analysis, loop->id, loop->iterations - 1);
	char from[DP_NUMBER_SIZE], to[DP_NUMBER_SIZE];
	double share;

	if (!dp_text__is_minor(&share, render, loop))
		return false;
	dp_human__apart(from, to, (double)first->start_ns, (double)last->end_ns,
			render->options->ascii);
	dp_words__add(words, "; runs from %s to %s", from, to);
	add_outside(words, render, loop, first->start_ns, last->end_ns);
	return true;
}

/*
 * If the stream has no other loop at this level: adds where the kernels are that the loop does not
 * cover.
 */
static void add_rest(struct dp_words *words, const struct dp_render *render,
		     const struct dp_loop *loop, bool dated)
{
	size_t last = loop->iterations - 1, between = 0, before, all, after;
	double start_ns;
	const struct dp_iteration *at = dp_analysis_loop_iteration(render->analysis, loop->id, 0);
	static const char *const verbs[] = { "precede", "follow", "run" };
	static const char *const verbs_of_one[] = { "precedes", "follows", "runs" };
	static const char *const ends[] = { " the first iteration", " the last iteration",
					    " between iterations" };
	static const char *const places[] = { "before the first", "after the last",
					      "between them" };
	const struct dp_loop *other;
	char number[DP_NUMBER_SIZE];
	size_t where;

	if (loop->coverage > WHOLE || !at)
		return;
	for (size_t i = 0; (other = dp_analysis_loop(render->analysis, i)); i++)
		if (other->selected && other->stream == loop->stream && other->id != loop->id)
			return;
	before = at->first_kernel;
	after = before + at->kernels;
	for (size_t k = 1; k <= last; k++) {
		at = dp_analysis_loop_iteration(render->analysis, loop->id, k);
		between += at->foreign_kernels;
		before = DP_MIN(before, at->first_kernel);
		after = DP_MAX(after, at->first_kernel + at->kernels);
	}
	all = (size_t)llround((double)(after - before - between) / loop->coverage);
	after = DP_MAX(all, after) - after;
	all = before + between + after;
	where = before >= after && before >= between ? 0 : after >= between ? 1 : 2;
	if (DP_MAX(DP_MAX(before, between), after) < all)
		dp_words__add(words, "; %s outside iterations, mostly %s",
			      dp_text__plural(number, all, "kernel"), places[where]);
	else
		dp_words__add(words, "; %s %s%s", dp_text__plural(number, all, "kernel"),
			      all == 1 ? verbs_of_one[where] : verbs[where], ends[where]);
	/* a first step, which is no iteration, may take longer than all others */
	start_ns = (double)dp_analysis_loop_iteration(render->analysis, loop->id, 0)->start_ns;
	if (!dated && where == 0 &&
	    start_ns > dp_text__summary(render, loop->id, "median_period_ns"))
		dp_words__add(words, " (%s)",
			      dp_human__duration(number, start_ns, render->options->ascii));
}

size_t dp_text__kernels_elsewhere(size_t *streams, const struct dp_render *render, size_t id)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	const struct dp_loop *loop = dp_analysis_loop(render->analysis, id);
	const struct dp_iteration *first = dp_analysis_loop_iteration(render->analysis, id, 0);
	const struct dp_iteration *last =
		dp_analysis_loop_iteration(render->analysis, id, loop->iterations - 1);
	const struct dp_ops *ops = dp_trace_ops(trace);
	size_t kernels = 0;

	*streams = 0;
	for (size_t s = 0; first && last && s < dp_trace_stream_count(trace); s++) {
		size_t count, before = kernels;
		const uint32_t *rows = dp_trace_stream_ops(trace, (uint32_t)s, &count);

		if (dp_trace_stream(trace, s)->device != loop->device || s == loop->stream ||
		    dp_analysis_loop_has_stream(render->analysis, id, s))
			continue;
		for (size_t i = 0; i < count; i++)
			kernels += dp_op_is_kernel(ops->kind[rows[i]]) &&
				   ops->start_ns[rows[i]] >= first->start_ns &&
				   ops->start_ns[rows[i]] < last->end_ns;
		*streams += kernels > before;
	}
	kernels = (kernels + loop->iterations / 2) / DP_MAX(loop->iterations, 1);
	return (double)kernels >= LEAST_ELSEWHERE * (double)loop->length ? kernels : 0;
}

/* Adds "; 144 more per iteration on 8 other streams": kernels that no iteration counts. */
static void add_elsewhere(struct dp_words *words, const struct dp_render *render, size_t id)
{
	char number[DP_NUMBER_SIZE];
	size_t streams, kernels = dp_text__kernels_elsewhere(&streams, render, id);

	if (!kernels)
		return;
	dp_words__add(words, "; %s more%s", dp_text__count(number, kernels),
		      dp_analysis_loop(render->analysis, id)->iterations > 1 ? " per iteration"
									     : "");
	dp_words__add(words, " on %s", dp_text__plural(number, streams, "other stream"));
}

/* Returns true if a finding reports that the period grows, of which a step may be a part. */
static bool grows(const struct dp_render *render, size_t id)
{
	const struct dp_finding *finding;
	bool found = false;

	for (size_t i = 0; !found && (finding = dp_analysis_finding(render->analysis, i)); i++)
		found = dp_finding_concerns(finding, (uint32_t)id) &&
			!strcmp(finding->rule, "growing-iteration");
	return found;
}

/* Adds from which iteration on periods are longer. */
static void add_step(struct dp_words *words, const struct dp_render *render, size_t id)
{
	double first = dp_text__summary(render, id, "period_step_iteration");
	char longer[DP_NUMBER_SIZE], iteration[DP_TEXT_SIZE];

	dp_words__add(words, "; period +%s from iteration %s on",
		      dp_human__duration(longer, dp_text__summary(render, id, "period_step_ns"),
					 render->options->ascii),
		      dp_text__count(iteration, (uint64_t)first));
}

bool dp_text__loop_streams(struct dp_words *words, const struct dp_render *render, size_t id)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	const struct dp_loop *loop = dp_analysis_loop(render->analysis, id);
	const struct dp_stream *stream = dp_trace_stream(trace, loop->stream);
	char number[DP_NUMBER_SIZE];
	size_t more = 0;

	if (stream->stream >= 0)
		dp_words__add(words, ", stream %lld", (long long)stream->stream);
	for (size_t s = 0; s < dp_trace_stream_count(trace); s++)
		more += s != loop->stream && dp_analysis_loop_has_stream(render->analysis, id, s);
	if (more)
		dp_words__add(words, " and %s", dp_text__plural(number, more, "other"));
	return more > 0;
}

/* Returns true if the iterations from the step on are those that are reported as slow. */
static bool is_slow_step(const struct dp_render *render, size_t id)
{
	double first = dp_text__summary(render, id, "period_step_iteration");

	return dp_text__slow_from(render, id, (size_t)first);
}

void dp_text__loop_origin(struct dp_words *words, struct dp_render *render, size_t id,
			  bool slow_shown)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	const struct dp_loop *loop = dp_analysis_loop(render->analysis, id);
	char device[DP_LABEL_SIZE], number[DP_NUMBER_SIZE];
	bool several;

	if (loop->parent != DP_NONE)
		dp_words__add(words, "%s loop %u; ", dp_text__inside(render->analysis, loop),
			      (unsigned)loop->parent);
	dp_words__add(words, "%s", dp_text__device(device, trace, loop->device));
	several = dp_text__loop_streams(words, render, id);
	dp_words__add(words, ": %s of %s kernels", dp_human__share(number, loop->coverage),
		      several ? "their" : "its");
	add_elsewhere(words, render, id);
	dp_words__add(words, "; %s", found_by_words(loop));
	if (loop->annotation)
		add_annotation(words, render, loop);
	if (loop->found_by != DP_FOUND_BY_MARKS && isfinite(loop->confidence))
		dp_words__add(words, " (%s confidence)",
			      dp_text__percent(number, loop->confidence));
	if (loop->single)
		dp_words__add(words,
			      "; an annotation marks nearly all of the %s as a single "
			      "iteration, whose layers these may be",
			      several ? "streams" : "stream");
	if (loop->found_by != DP_FOUND_BY_MARKS && render->options->verbose)
		add_phase(words, loop);
	add_exceptions(words, render, loop);
	add_rest(words, render, loop, add_extent(words, render, loop));
	if (dp_text__summary(render, id, "period_step_ns") > 0 && !grows(render, id) &&
	    !(slow_shown && is_slow_step(render, id)))
		add_step(words, render, id);
}

void dp_text__loop_in_words(struct dp_words *words, struct dp_render *render, size_t id)
{
	dp_text__loop_title(words, render, id);
	dp_words__add(words, ". ");
	dp_text__loop_origin(words, render, id, false);
	dp_words__add(words, ".");
}
