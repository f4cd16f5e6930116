/*
 * Explains what a cut came to, and what the stages before it and after it changed.
 *
 * Cost: linear in iterations and edits, if explanations are requested.
 */
#include "iterate/cut.h"
#include "base/parameters.h"

/* What an explanation says of a kind of change. */
static const char *const texts[DP_CUT_CHANGES] = {
	[DP_CUT_CHANGE_SEAM] = "seam: {count:end} of its spans next to other loops moved by up to "
			       "{most:symbol}, to make iterations there whole",
	[DP_CUT_CHANGE_JOINED] =
		"joined: {count:iteration} joined from parts, with {symbols:symbol} "
		"between these",
	[DP_CUT_CHANGE_COMPLETED] =
		"completed: {count:iteration} counted as whole without {symbols:symbol} at the "
		"start or end: others stand in for them, or a loop inside ends early",
	[DP_CUT_CHANGE_DROPPED] = "dropped: {count:part} with less than {limit} of the pattern, "
				  "{symbols:symbol} in all: not counted as iterations",
	[DP_CUT_CHANGE_INSERTIONS] =
		"insertions: {symbols:symbol} near the start of {count:iteration} "
		"moved to the one before: the start follows them",
	[DP_CUT_CHANGE_UNLIKE] =
		"unlike: {count:iteration} lacked more than {limit} of the pattern, "
		"up to {most:symbol}, several of them the same ones: removed "
		"as other work",
	[DP_CUT_CHANGE_UPLOAD] =
		"upload: {count:start} moved by up to {most:symbol} to the nearest "
		"kernel after an upload, where most iterations start",
};

/* The limit that decided on a change; 0: none. */
static double limit_of(enum dp_cut_change_kind kind)
{
	return kind == DP_CUT_CHANGE_DROPPED  ? dp_param.span_least
	       : kind == DP_CUT_CHANGE_UNLIKE ? 1 / dp_param.unlike_lack
					      : 0;
}

static void explain_changes(struct dp_explain *explain, const struct dp_cut_changes *changes)
{
	for (int kind = 0; kind < DP_CUT_CHANGES; kind++) {
		const struct dp_cut_change *at = &changes->of[kind];
		double limit = limit_of((enum dp_cut_change_kind)kind);

		if (at->count > 0)
			dp_explain__add(explain, "change",
					DP_FACTS({ "count", "count", (double)at->count },
						 { "symbols", "count", (double)at->symbols },
						 { "most", "count", (double)at->most },
						 { limit > 0 ? "limit" : NULL, "1", limit }),
					"%s", texts[kind]);
	}
}

/* What the iterations of a cut are. */
struct outcome {
	size_t equal;  /* whole ones that equal the pattern, … */
	size_t ways;   /* … and ways in which all others differ from it */
	size_t starts; /* whole ones that start with the pattern's first symbol */
	size_t after;  /* symbols inserted after an iteration that belong to it */
	size_t none;   /* symbols between the first and the last one that belong to none */
	bool first_is_partial, last_is_partial;
};

static struct outcome look_at(const struct dp_cut *cut, const struct dp_cut_pattern *pattern,
			      const uint32_t *symbols)
{
	struct outcome o = { .first_is_partial = cut->count && cut->iterations[0].partial };

	for (size_t k = 0; k < cut->count; k++) {
		const struct dp_sequence_iteration *s = &cut->iterations[k];

		o.equal += !s->partial && s->variant == 0;
		o.ways = DP_MAX(o.ways, s->variant);
		o.starts += !s->partial && symbols[s->first] == pattern->exact[0];
		o.none += k ? s->first - s[-1].end : 0;
		o.last_is_partial = k && s->partial;
	}
	for (size_t i = 0; i < cut->edit_count; i++)
		o.after += cut->edits[i].kind == DP_EDIT_INSERTED &&
			   cut->edits[i].offset == pattern->length;
	return o;
}

void dp_cut_changes__explain(struct dp_explain *explain, const struct dp_cut *cut,
			     const struct dp_cut_pattern *pattern, const uint32_t *symbols)
{
	struct outcome o;

	if (!explain)
		return;
	o = look_at(cut, pattern, symbols);
	dp_explain__add(
		explain, "iterations",
		DP_FACTS({ "length", "count", (double)pattern->length },
			 { "iterations", "count", (double)cut->whole },
			 { "partial", "count", (double)(cut->count - cut->whole) },
			 { "equal", "count", (double)o.equal }, { "ways", "count", (double)o.ways },
			 { "starts", "count", (double)o.starts },
			 { "after", "count", (double)o.after },
			 { "none", "count", (double)o.none }),
		"of {length:symbol}: {iterations} whole%s%s%s%s%s",
		o.first_is_partial && o.last_is_partial ? ", a partial one before and after them"
		: o.first_is_partial			? ", a partial one before them"
		: o.last_is_partial			? ", a partial one after them"
							: "",
		cut->count == 0 && !cut->changes.of[DP_CUT_CHANGE_DROPPED].count
			? ", as other patterns match all that it does: no loop"
		: cut->whole == 0	? ": no loop"
		: o.equal == cut->whole ? "; all equal the pattern"
					: "; {equal} equal the pattern, the others differ from it "
					  "in {ways:way}",
		o.starts < cut->whole ? "; {starts} start with its first kernel" : "",
		o.after ? "; {after:symbol} between two of them belong to the one before" : "",
		o.none ? "; {none:symbol} between them belong to none" : "");
	explain_changes(explain, &cut->changes);
}
