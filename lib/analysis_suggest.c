/*
 * The number of iterations that a report suggests for -n if it has no loop: that of the best
 * candidate or, without one, of the launches of one kernel in a row. Only a number is suggested for
 * which a search finds a loop.
 *
 * Cost: a search for this number, if there is one.
 */
#include "analysis_model.h"

#include <math.h>

#define HINT_LEAST 0.2	 /* smallest confidence of a candidate whose number is suggested */
#define IN_ROW_LEAST 8	 /* launches of one kernel that are worth a mention, */
#define IN_ROW_SHARE 0.1 /* and this share of the kernels: networks have shorter rows, too */

/*
 * Returns true if the number of a candidate's iterations is worth trying. One kernel matches any
 * number, and an unlikely loop is no advice. If boundaries cut the first and the last layer of a
 * network, these partial iterations make up another one: the number is wrong.
 */
static bool is_hint(const struct dp_stream_candidate *candidate)
{
	double covered = candidate->coverage * (double)candidate->kernels;

	return candidate->length > 1 && candidate->iterations > 1 &&
	       !(candidate->confidence < HINT_LEAST) &&
	       round(covered / (double)candidate->length) == (double)candidate->iterations;
}

/* Returns true if launches of one kernel in a row may be a benchmark's. */
static bool has_row(const struct dp_stream_candidate *candidate)
{
	return candidate->in_row >= IN_ROW_LEAST &&
	       (double)candidate->in_row >= IN_ROW_SHARE * (double)candidate->kernels;
}

static bool has_loop_of(const struct dp_loops *loops, uint64_t number)
{
	for (size_t i = 0; i < loops->count; i++)
		if (dp_loops__whole(&loops->loops[i]) == number ||
		    loops->loops[i].matches_in_sequence)
			return true;
	return false;
}

int dp_analysis__suggest(struct dp_stream_candidate *candidate, const struct dp_loop_search *search,
			 uint32_t stream)
{
	uint64_t number = is_hint(candidate)   ? candidate->iterations
			  : has_row(candidate) ? candidate->in_row
					       : 0;
	struct dp_analysis_options options = *search->options;
	struct dp_loop_search again = *search;
	struct dp_searched searched = { 0 };
	int status;

	if (!number)
		return DP_OK;
	options.iterations = &number;
	options.iterations_count = 1;
	options.log = (struct dp_log){ 0 };
	again.options = &options;
	again.explain = NULL;
	status = dp_analysis__search(&searched, &again, stream);
	if (!status && has_loop_of(searched.loops, number))
		candidate->suggested = (size_t)number;
	dp_searched__fini(&searched);
	return status;
}
