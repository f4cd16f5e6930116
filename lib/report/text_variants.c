/*
 * Variants in the verbose text report: iterations with the same edits, their number and period, and
 * where they first differ from the pattern. Cost: linear in iterations, and in variants per row.
 */
#include "base/text.h"
#include "report/text.h"

#include <math.h>

#define ROWS_MOST 10
#define NUMBER_COLUMNS 49
#define NARROW 60 /* columns below which only their number fits */
#define NARROW_COLUMNS 22

struct variant {
	size_t count;
	size_t first; /* iteration */
	double sum_ns;
	size_t periods;
};

static void add_iteration(struct variant *variant, size_t k, double period_ns)
{
	if (!variant->count++)
		variant->first = k;
	if (!isfinite(period_ns))
		return;
	variant->sum_ns += period_ns;
	variant->periods++;
}

static void gather(struct variant *variants, const struct dp_render *render,
		   const struct dp_loop *loop)
{
	size_t period = 0;
	bool known = dp_text__find_metric("period_ns", &period);

	for (size_t k = 0; k < loop->iterations; k++) {
		const struct dp_iteration *at =
			dp_analysis_loop_iteration(render->analysis, loop->id, k);
		double period_ns =
			known ? dp_analysis_loop_metric(render->analysis, loop->id, period, k)
			      : (double)NAN;

		/* as in all averages, warm-up is left out; a variant of warm-up alone shows none */
		if (!dp_analysis_loop_is_steady(render->analysis, loop->id, k))
			period_ns = (double)NAN;
		if (!at->partial && at->variant < loop->variants)
			add_iteration(&variants[at->variant], k, period_ns);
	}
}

static bool is_narrow(const struct dp_render *render)
{
	return ((const struct dp_text *)render->state)->width < NARROW;
}

/*
 * Writes "+6 before multi_tensor_apply_kernel": how a variant's first iteration differs, and where
 * first.
 */
static void write_edits(struct dp_render *render, const struct dp_loop *loop, size_t iteration)
{
	const struct dp_iteration *at =
		dp_analysis_loop_iteration(render->analysis, loop->id, iteration);
	const struct dp_edit *edit = dp_analysis_loop_edit(render->analysis, loop->id, at->edits);
	size_t width = ((struct dp_text *)render->state)->width;
	size_t used = is_narrow(render) ? NARROW_COLUMNS : NUMBER_COLUMNS;
	size_t least = is_narrow(render) ? 8 : 16;
	struct dp_words words = { 0 };
	char label[DP_LABEL_SIZE];

	if (!at->variant || !((uint64_t)at->inserted + at->deleted + at->substituted)) {
		dp_render__text(render, "the pattern\n");
		return;
	}
	if (at->inserted)
		dp_words__add(&words, "+%u", (unsigned)at->inserted);
	if (at->deleted)
		dp_words__add(&words, "%s-%u", words.used ? " " : "", (unsigned)at->deleted);
	if (at->substituted)
		dp_words__add(&words, "%s~%u", words.used ? " " : "", (unsigned)at->substituted);
	if (edit && edit->offset < loop->length) {
		dp_words__add(&words, edit->kind == DP_EDIT_INSERTED ? " before " : " at ");
		dp_label__kernel(label,
				 dp_analysis_loop_kernel(render->analysis, loop->id, edit->offset),
				 DP_MAX(width, used + words.used + least) - used - words.used,
				 render->options->ascii);
		dp_words__add(&words, "%s", label);
	} else if (edit) {
		dp_words__add(&words, " at the end");
	}
	dp_render__text(render, words.text);
	dp_render__text(render, "\n");
}

static void write_row(struct dp_render *render, const struct dp_loop *loop,
		      const struct variant *variant, size_t id)
{
	double mean_ns =
		variant->periods ? variant->sum_ns / (double)variant->periods : (double)NAN;
	const struct dp_variant *at = dp_analysis_loop_variant(render->analysis, loop->id, id);
	char number[DP_NUMBER_SIZE], digits[DP_TEXT_SIZE];

	dp_text__column(render, dp_text__count(digits, id), -7);
	dp_text__column(render, dp_text__count(digits, variant->count), -9);
	if (!is_narrow(render)) {
		dp_text__column(render, dp_text__count(digits, variant->first), -9);
		dp_text__column(render, at && at->period ? dp_text__count(digits, at->period) : "-",
				-7);
		dp_text__cell(render, dp_human__duration(number, mean_ns, render->options->ascii),
			      11);
	}
	dp_render__text(render, "  ");
	write_edits(render, loop, variant->first);
}

/* The most frequent ones. */
static void write_rows(struct dp_render *render, const struct dp_loop *loop,
		       struct variant *variants)
{
	char number[DP_NUMBER_SIZE];
	size_t left = 0;

	for (size_t rows = 0; rows < ROWS_MOST || render->options->all; rows++) {
		size_t most = 0;

		for (size_t i = 1; i < loop->variants; i++)
			if (variants[i].count > variants[most].count)
				most = i;
		if (!variants[most].count)
			break;
		write_row(render, loop, &variants[most], most);
		variants[most].count = 0;
	}
	for (size_t i = 0; i < loop->variants; i++)
		left += variants[i].count > 0;
	if (left)
		dp_render__format(render, "and %s (-vv shows all)\n",
				  dp_text__plural(number, left, "more variant"));
}

void dp_text__variants(struct dp_render *render, size_t id)
{
	const struct dp_loop *loop = dp_analysis_loop(render->analysis, id);
	struct variant *variants;

	if (loop->variants < 2)
		return;
	variants = dp_alloc__zeroed(loop->variants, sizeof(*variants));
	if (!variants) {
		render->status = dp_error__nomem(render->error, loop->variants);
		return;
	}
	gather(variants, render, loop);
	dp_text__style_begin(render, DP_STYLE_DIM);
	dp_render__format(render, "\n%7s%9s", "variant", "count");
	if (!is_narrow(render))
		dp_render__format(render, "%9s%7s%11s", "first", "every", "period");
	dp_render__format(render, "  kernels%s",
			  ((const struct dp_text *)render->state)->width < NUMBER_COLUMNS + 30
				  ? ""
				  : " +extra -missing ~other");
	dp_text__style_end(render);
	dp_render__text(render, "\n");
	write_rows(render, loop, variants);
	free(variants);
}
