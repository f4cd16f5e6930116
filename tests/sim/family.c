/* What is common to all families. */
#include "families.h"

#include <string.h>

void family_cut(struct family *f, size_t cut, size_t launched)
{
	size_t without = launched - cut;

	memmove(f->symbols, f->symbols + cut, (f->n - cut) * sizeof(*f->symbols));
	memmove(f->evidence, f->evidence + cut, (f->n - cut) * sizeof(*f->evidence));
	f->n -= cut;
	for (size_t k = 0; k < f->loop_count; k++) {
		struct family_loop *l = &f->loops[k];
		size_t kept = 0;

		for (size_t i = 0; i < l->count; i++) {
			if (l->starts[i] < cut)
				continue;
			l->starts[kept] = l->starts[i] - cut;
			l->ends[kept++] = l->ends[i] - cut;
		}
		l->count = kept;
	}
	for (size_t i = 0; i < without; i++)
		f->evidence[i].has_launch = false;
}

void family_free(struct family *family)
{
	free(family->symbols);
	free(family->evidence);
	for (size_t k = 0; k < family->loop_count; k++) {
		free(family->loops[k].starts);
		free(family->loops[k].ends);
	}
	memset(family, 0, sizeof(*family));
}

void family_evidence(void *ctx, size_t index, struct dp_evidence_at *out)
{
	*out = ((const struct family *)ctx)->evidence[index];
}

const char *family_name(enum family_kind kind)
{
	static const char *const names[] = {
		"clean", "statistics",	 "async",     "shapes",	     "jitter",
		"loss",	 "evaluation",	 "gan",	      "superstep",   "autotune",
		"graph", "decode",	 "recurrent", "recompile",   "dense",
		"few",	 "accumulation", "random",    "single pass", "flat",
	};

	return kind < DP_COUNT(names) ? names[kind] : "?";
}
