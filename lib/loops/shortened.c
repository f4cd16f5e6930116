/*
 * A sequence with runs collapsed (collapsing.c) or with iterations folded (enclosing.c), searched
 * as the one that it was made from. Cost: constant, and that of dp_loops__map().
 */
#include "loops/shortened.h"

static void evidence_at(void *ctx, size_t index, struct dp_evidence_at *out)
{
	const struct dp_shortened *s = ctx;

	s->evidence->at(s->evidence->ctx, s->names.position[index], out);
}

void dp_shortened__begin(struct dp_shortened *s, const struct dp_detection *from,
			 const uint32_t *symbols, size_t count, uint32_t alphabet,
			 const uint32_t *position)
{
	const struct dp_loops_request *r = from->request;

	*s = (struct dp_shortened){
		.detection = { .request = &s->request,
			       .sequence = { symbols, count, alphabet, NULL, r->explain },
			       .keep_all = from->keep_all,
			       .per_symbol = (double)r->count / (double)count,
			       .kernel_symbols = from->kernel_symbols ? from->kernel_symbols
								      : from->sequence.alphabet,
			       .loops = &s->loops },
		.request = *r,
		.evidence = &r->evidence,
		.names = { .position = position },
	};
	s->request.symbols = symbols;
	s->request.count = count;
	s->request.alphabet = alphabet;
	s->request.family = NULL;
	if (r->evidence.at) {
		s->request.evidence.at = evidence_at;
		s->request.evidence.ctx = s;
	}
	s->names.before = dp_explain__rename(
		r->explain,
		(struct dp_explain_names){ "symbol", dp_explain__shortened_at, &s->names });
}

void dp_shortened__end(struct dp_shortened *s)
{
	dp_explain__rename(s->request.explain, s->names.before);
	dp_detection__fini(&s->detection);
	dp_loops__fini(&s->loops);
}

int dp_shortened__take(struct dp_detection *d, struct dp_shortened *s)
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
