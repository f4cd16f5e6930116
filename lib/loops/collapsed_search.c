/*
 * A sequence with the runs of units collapsed (collapsing.c), or those of iterations (enclosing.c),
 * is searched as the one that it was made from. Cost: constant, and that of dp_loops__map().
 */
#include "loops/collapsed_search.h"

static void evidence_at(void *ctx, size_t index, struct dp_evidence_at *out)
{
	const struct dp_collapsed_search *s = ctx;

	s->evidence->at(s->evidence->ctx, s->names.position[index], out);
}

void dp_collapsed_search__begin(struct dp_collapsed_search *s, const struct dp_detection *from,
				const struct dp_runs *runs)
{
	const struct dp_loops_request *r = from->request;

	*s = (struct dp_collapsed_search){
		.detection = { .request = &s->request,
			       .sequence = { runs->symbols, runs->count, runs->alphabet, NULL,
					     r->explain, from->sequence.open },
			       .keep_all = from->keep_all,
			       .per_symbol = (double)r->count / (double)runs->count,
			       .kernel_symbols = from->kernel_symbols ? from->kernel_symbols
								      : from->sequence.alphabet,
			       .loops = &s->loops },
		.request = *r,
		.evidence = &r->evidence,
		.names = { .position = runs->position },
	};
	s->request.symbols = runs->symbols;
	s->request.count = runs->count;
	s->request.alphabet = runs->alphabet;
	s->request.family = NULL;
	if (r->evidence.at) {
		s->request.evidence.at = evidence_at;
		s->request.evidence.ctx = s;
	}
	s->names.before = dp_explain__rename(
		r->explain,
		(struct dp_explain_names){ "symbol", dp_explain__collapsed_at, &s->names });
}

void dp_collapsed_search__end(struct dp_collapsed_search *s)
{
	dp_explain__rename(s->request.explain, s->names.before);
	dp_detection__fini(&s->detection);
	dp_loops__fini(&s->loops);
}

int dp_collapsed_search__take(struct dp_detection *d, struct dp_collapsed_search *s)
{
	int status = dp_loops__map(&s->loops, s->names.position, d->request->symbols);

	for (size_t i = 0; i < s->loops.count && !status; i++) {
		struct dp_sequence_loop *loop = dp_detection__add(d);

		if (!loop)
			return DP_ERR_NOMEM;
		*loop = s->loops.loops[i];
		s->loops.loops[i] = (struct dp_sequence_loop){ .parent = DP_NONE };
	}
	return status;
}
