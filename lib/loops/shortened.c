/*
 * Searches of a sequence in which symbols stand for stretches of another one: repetitions that are
 * collapsed (tree.c), or iterations that are folded (enclosing.c). Cost: O(1).
 */
#include "loops/driver.h"

static void evidence_at(void *ctx, size_t index, struct dp_evidence_at *out)
{
	const struct dp_shortened *s = ctx;

	s->evidence->at(s->evidence->ctx, s->names.position[index], out);
}

void dp_shortened__begin(struct dp_shortened *s, const struct dp_driver *from,
			 const uint32_t *symbols, size_t count, uint32_t alphabet,
			 const uint32_t *position)
{
	const struct dp_loops_request *r = from->request;

	*s = (struct dp_shortened){
		.driver = { .request = &s->request,
			    .sequence = { symbols, count, alphabet, NULL, r->explain },
			    .keep_all = from->keep_all,
			    .per_symbol = (double)r->count / (double)count,
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
	dp_search_sequence__fini(&s->driver.sequence);
	dp_loops__fini(&s->loops);
}
