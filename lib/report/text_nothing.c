/* Why a device has no loop. */
#include "report/text.h"

/* A stream whose class doesn't tell it from the others that were analyzed. */
static bool needs_name(const struct dp_trace *trace, size_t index)
{
	return dp_trace_stream(trace, index)->stream_class != DP_STREAM_MAIN &&
	       dp_trace_stream(trace, index)->stream >= 0;
}

static void write_nothing(struct dp_render *render, size_t stream,
			  const struct dp_candidate *candidate)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	char name[DP_LABEL_SIZE], number[DP_NUMBER_SIZE];
	struct dp_words words = { 0 };

	dp_text__style_begin(render, DP_STYLE_YELLOW);
	dp_render__format(render, "\nNo stable iteration found on %s",
			  dp_text__device(name, trace, dp_trace_stream(trace, stream)->device));
	if (needs_name(trace, stream))
		dp_render__format(render, ", stream %lld",
				  (long long)dp_trace_stream(trace, stream)->stream);
	dp_render__text(render, ".");
	dp_text__style_end(render);
	dp_render__text(render, "\n  ");
	if (candidate->length) {
		dp_words__add(&words, "The best candidate has %s",
			      dp_text__plural(number, candidate->length, "kernel"));
		dp_words__add(&words, " and covers %s of the stream",
			      dp_human__share(number, candidate->coverage));
		dp_words__add(&words, ", which is %s sure: too little to rely on.",
			      dp_human__share(number, candidate->confidence));
	} else {
		dp_words__add(&words, "No part of its stream repeats often and regularly enough.");
	}
	dp_text__wrap(render, 2, 2, words.text);
	dp_render__text(render, "  ");
	dp_text__wrap(render, 2, 2,
		      "If you know the number of iterations, say so (-n N); or record a longer "
		      "part of the run, or one with annotations (--marks). 'deepprof info' tells "
		      "which kernels took most time.");
}

void dp_text__without(struct dp_render *render)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	size_t loops = dp_analysis_loop_count(render->analysis), told = 0;
	struct dp_candidate candidate;

	for (size_t i = 0; i < dp_trace_stream_count(trace); i++) {
		if (!dp_analysis_candidate(render->analysis, i, &candidate) ||
		    (loops && !candidate.length))
			continue;
		if (told++ < 2 || render->options->verbose)
			write_nothing(render, i, &candidate);
	}
	if (!told && !loops)
		dp_render__text(render, "\nNo kernels: there are no iterations to find.\n");
	else if (told > 2 && !render->options->verbose)
		dp_render__format(render, "\nNor on %zu more.\n", told - 2);
}
