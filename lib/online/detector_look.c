/*
 * Aligns and cuts the symbols since the last reported iteration, from a known boundary, in the same
 * way as a whole sequence (align.c, cut.c), so that both give the same iterations.
 */
#include "iterate/seams.h"
#include "base/parameters.h"
#include "online/detector_model.h"
#include "online/collapse.h"

#include <string.h>

/* The number of symbols at the end whose alignment may still change: an alignment looks ahead. */
static size_t unsettled(void)
{
	return dp_param.align_look + dp_param.insertion_shift;
}

/* The number of symbols of the next iteration that must follow before one is final. */
static size_t settling(size_t length)
{
	return DP_MIN(dp_param.insertion_shift, length - 1) + 1;
}

static void report_iteration(struct dp_detector *d, uint32_t loop,
			     const struct dp_sequence_iteration *s, uint64_t base)
{
	struct dp_stream_loop *l = &d->known.items[loop];
	struct dp_detector_iteration it = {
		.loop = l->id,
		.index = l->next_index++,
		.first = base + s->first,
		.count = s->end - s->first,
		.inserted = s->inserted,
		.deleted = s->deleted,
		.substituted = s->substituted,
		.partial = s->partial,
	};

	d->alternations += d->latest != DP_NONE && d->latest != l->id;
	d->latest = l->id;
	l->last = base + s->end;
	if (d->options.iteration)
		d->options.iteration(d->options.ctx, &it);
}

/* An iteration and its loop. */
struct found {
	struct dp_sequence_iteration s;
	uint32_t loop;
};

/* Merges the iterations of all loops in order. */
static int merge_iterations(struct found **list, size_t *count, const struct dp_cut *cuts, size_t n)
{
	size_t next[DP_PATTERNS_MAX] = { 0 }, total = 0;

	for (size_t j = 0; j < n; j++)
		total += cuts[j].count;
	*count = total;
	*list = dp_alloc__array(DP_MAX(total, 1), sizeof(**list));
	if (!*list)
		return DP_ERR_NOMEM;
	for (size_t k = 0; k < total; k++) {
		size_t best = n;

		for (size_t j = 0; j < n; j++)
			if (next[j] < cuts[j].count &&
			    (best == n || cuts[j].iterations[next[j]].first <
						  cuts[best].iterations[next[best]].first))
				best = j;
		(*list)[k] = (struct found){ cuts[best].iterations[next[best]++], (uint32_t)best };
	}
	return DP_OK;
}

/* The symbols not yet reported, aligned and cut. */
struct look {
	size_t n;
	struct dp_runs collapsed; /* the same collapsed, if loops are known by that */
	struct dp_alignment alignment;
	struct dp_cut cuts[DP_PATTERNS_MAX];
	struct found *list;
	size_t count;
	size_t quiet;	/* symbols at the end without a difference */
	size_t settled; /* nothing before this position will change */
	bool in_step;	/* the end fits */
};

static void look_fini(struct look *look, size_t n)
{
	for (size_t j = 0; j < n; j++)
		dp_cut__fini(&look->cuts[j]);
	dp_align__fini(&look->alignment);
	dp_runs__fini(&look->collapsed);
	free(look->list);
}

static void mark_settled(const struct dp_detector *d, struct look *look)
{
	const struct dp_alignment *al = &look->alignment;
	const struct dp_align_span *last = al->span_count ? &al->spans[al->span_count - 1] : NULL;
	size_t from;

	look->in_step = last && last->end == look->n && last->end > last->begin;
	look->settled = look->n > unsettled() ? look->n - unsettled() : 0;
	if (!look->in_step)
		return;
	from = last->begin;
	if (last->edit_count > 0)
		from = (size_t)al->edits[last->edits + last->edit_count - 1].position + 1;
	look->quiet = look->n - DP_MIN(from, look->n);
	if (look->quiet >= dp_param.online_quiet &&
	    ((al->span_count == 1 && d->placed) || last->begin == 0 ||
	     look->n - last->begin >= unsettled()))
		look->settled = look->n;
}

/* Maps iterations from the collapsed sequence back to the symbols as fed. */
static void expand(const struct dp_detector *d, struct look *look)
{
	const uint32_t *position = look->collapsed.position;
	struct dp_alignment *al = &look->alignment;

	for (size_t k = 0; k < al->span_count; k++) {
		al->spans[k].begin = position[al->spans[k].begin];
		al->spans[k].end = position[al->spans[k].end];
	}
	for (size_t i = 0; i < al->edit_count; i++)
		al->edits[i].position = position[al->edits[i].position];
	for (size_t j = 0; j < d->known.count; j++)
		for (size_t i = 0; i < look->cuts[j].count; i++) {
			struct dp_sequence_iteration *s = &look->cuts[j].iterations[i];

			s->first = position[s->first];
			s->end = position[s->end];
		}
}

/* Aligns n symbols and cuts them. */
static int align_and_cut(struct dp_detector *d, struct look *look, const uint32_t *symbols,
			 size_t n)
{
	struct dp_cut_pattern patterns[DP_PATTERNS_MAX];
	struct dp_align_pattern list[DP_PATTERNS_MAX];
	struct dp_cut_source source = { .alignment = &look->alignment, .n = n };
	int status = dp_array__reserve(&d->ids, &d->ids_room, n, sizeof(*d->ids));

	if (status)
		return status;
	for (size_t i = 0; i < n; i++)
		d->ids[i] = dp_stream_loops__class(&d->known, symbols[i]);
	status = dp_aligner__run(d->aligner, &look->alignment, d->ids, n,
				 d->placed ? &d->start : NULL);
	if (status)
		return status;
	for (size_t j = 0; j < d->known.count; j++) {
		const struct dp_stream_loop *loop = &d->known.items[j];

		list[j] = (struct dp_align_pattern){ loop->coarse, loop->length };
		patterns[j] = (struct dp_cut_pattern){
			.exact = d->known.by_class ? loop->exact : loop->coarse,
			.rotated = loop->coarse,
			.length = loop->length,
		};
	}
	for (size_t j = 0; j < d->known.count && !status; j++)
		status = dp_seams__close(&look->alignment, d->ids, list, (uint32_t)j, 0, NULL);
	if (status)
		return status;
	/* names to compare with, like those of the patterns above */
	source.symbols = d->known.by_class ? symbols : d->ids;
	source.aligned = d->ids;
	return dp_cut__run(look->cuts, &source, patterns, d->known.count);
}

static int look_at(struct dp_detector *d, struct look *look)
{
	const uint32_t *symbols = dp_detector__at(d, d->reported);
	int status = DP_OK;

	memset(look, 0, sizeof(*look));
	look->n = (size_t)(d->fed - d->reported);
	if (d->known.collapsed)
		status = dp_collapse__symbols(&look->collapsed, symbols, look->n);
	if (!status)
		status = d->known.collapsed ? align_and_cut(d, look, look->collapsed.symbols,
							    look->collapsed.count)
					    : align_and_cut(d, look, symbols, look->n);
	if (!status && d->known.collapsed)
		expand(d, look);
	if (!status)
		status = merge_iterations(&look->list, &look->count, look->cuts, d->known.count);
	mark_settled(d, look);
	return status;
}

/*
 * Returns true if iteration k may be reported now. *skip: it is none, since the part begins inside
 * it.
 */
static bool may_report(const struct dp_detector *d, const struct look *look, size_t k, bool final,
		       bool *skip)
{
	const struct found *t = &look->list[k];
	size_t m = dp_stream_loop__length(&d->known.items[t->loop]), need = m;
	bool inside = k == 0 && !d->placed && d->reported > 0;

	*skip = false;
	if (t->s.partial) {
		*skip = inside && t->s.end < look->n;
		if (!final && !*skip && (k + 1 == look->count || d->reported > 0))
			return false;
	}
	if (final)
		return true;
	if (k + 1 < look->count && look->list[k + 1].s.first == t->s.end)
		need = settling(m);
	return t->s.end + need <= look->settled;
}

/* Drops what can no longer be reported. */
static void give_up(struct dp_detector *d)
{
	uint64_t reported = d->fed - d->window / 2;

	if (d->fed - d->reported < d->window)
		return;
	d->foreign += reported - d->reported;
	d->reported = reported;
	d->placed = d->clean = false;
}

/*
 * The number of symbols from `from` on that no span covers. A span shorter than an iteration
 * explains nothing: an evaluation shares its forward pass with the training.
 */
static size_t uncovered(const struct dp_detector *d, const struct look *look, size_t from)
{
	size_t sum = 0;

	for (size_t k = 0; k < look->alignment.span_count; k++) {
		const struct dp_align_span *s = &look->alignment.spans[k];

		if (k + 1 < look->alignment.span_count &&
		    (double)(s->end - s->begin) <
			    dp_param.span_least *
				    (double)dp_stream_loop__length(&d->known.items[s->pattern]))
			continue;
		if (s->begin > from)
			sum += s->begin - from;
		from = DP_MAX(from, s->end);
	}
	return sum + look->n - DP_MIN(from, look->n);
}

/* When to look next. */
static void plan_look(struct dp_detector *d, const struct look *look)
{
	const struct dp_alignment *al = &look->alignment;
	const struct dp_align_span *last = al->span_count ? &al->spans[al->span_count - 1] : NULL;
	size_t rest = (size_t)(d->fed - d->reported), done = look->n - rest, m,
	       wait = rest / dp_param.online_grow;

	d->looked = d->fed;
	d->loose = uncovered(d, look, done);
	d->in_step = look->in_step && !d->known.collapsed;
	d->clean = false;
	give_up(d);
	if (!d->in_step) {
		d->look_at = d->fed + DP_MAX(wait, dp_param.online_gather);
		return;
	}
	m = d->known.items[last->pattern].length;
	d->pattern = last->pattern;
	d->offset = last->end_offset;
	d->clean = d->placed && d->start.pattern == last->pattern && d->start.offset == 0 &&
		   last->begin <= done && look->quiet >= rest && rest % m == d->offset &&
		   rest < m + settling(m);
	d->look_at = d->fed + m - d->offset + settling(m);
	if (d->clean)
		d->look_at = d->reported + m + settling(m);
	else if (look->settled < look->n)
		d->look_at = DP_MAX(d->look_at, d->fed + DP_MAX(wait, dp_param.online_quiet));
}

/* Reports the iterations that are final. */
int dp_detector__look(struct dp_detector *d, bool final)
{
	struct look look;
	size_t done = 0, k = 0;
	bool skip;
	int status;

	if (d->known.count == 0 || d->fed == d->reported)
		return DP_OK;
	status = look_at(d, &look);
	if (status)
		goto out;
	/* iterations behind foreign symbols wait until those were searched */
	d->loose = uncovered(d, &look, 0);
	if (!final && dp_detector__foreign(d) >= d->patience)
		goto out;
	for (; k < look.count && may_report(d, &look, k, final, &skip); k++) {
		const struct dp_sequence_iteration *s = &look.list[k].s;

		d->foreign += s->first - done;
		if (!skip)
			report_iteration(d, look.list[k].loop, s, d->reported);
		else
			d->foreign += s->end - s->first;
		done = s->end;
	}
	if (done > 0) {
		d->placed = k < look.count && look.list[k].s.first == done;
		if (d->placed)
			d->start = (struct dp_align_start){ look.list[k].loop, 0 };
		d->reported += done;
	}
	plan_look(d, &look);
out:
	look_fini(&look, d->known.count);
	return status;
}

/* Reports an iteration without a difference. */
void dp_detector__close(struct dp_detector *d)
{
	size_t m = d->known.items[d->pattern].length;
	struct dp_sequence_iteration s = { .end = m };

	report_iteration(d, d->pattern, &s, d->reported);
	d->reported += m;
	d->look_at += m;
	d->looked = d->fed;
}
