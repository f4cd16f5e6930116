/*
 * Searches the latest symbols for loops (stream.c), and decides which are known from then on: those
 * that two successive searches found, and known ones that the searched symbols need not contain.
 */
#include "base/parameters.h"
#include "online/detector_model.h"
#include "pattern/pattern.h"

#include <string.h>

static int copy_seen(struct dp_detector *d, const struct dp_stream_loops *found)
{
	int status = DP_OK;

	dp_stream_loops__fini(&d->seen);
	d->seen.collapsed = found->collapsed;
	for (size_t i = 0; i < found->count && !status; i++)
		status = dp_stream_loops__add(&d->seen, &found->items[i]);
	return status;
}

/* What a search found, and what will be known. */
struct searched {
	struct dp_stream_loops found, next; /* next: the loops that will be known */
	uint32_t known[DP_PATTERNS_MAX];    /* of each found, or DP_NONE */
	bool seen[DP_PATTERNS_MAX];	    /* by the search before, too */
	bool kept[DP_PATTERNS_MAX];	    /* of each known loop, whether it stays */
	size_t n;			    /* symbols searched */
	bool settling;			    /* all symbols fed so far were searched */
	bool full_window;		    /* the whole window was */
};

static bool comparable(const struct dp_stream_loops *a, const struct dp_stream_loops *b)
{
	return a->collapsed == b->collapsed || a->count == 0 || b->count == 0;
}

static int compare_with_known(struct dp_detector *d, struct searched *s)
{
	uint32_t j;
	int status = DP_OK;

	for (size_t i = 0; i < DP_PATTERNS_MAX; i++)
		s->known[i] = DP_NONE;
	for (uint32_t k = 0; comparable(&d->known, &s->found) && k < d->known.count && !status;
	     k++) {
		status = dp_stream_loops__same(&j, &s->found, d->known.items[k].exact,
					       d->known.items[k].length);
		if (!status && j != DP_NONE && s->known[j] == DP_NONE)
			s->known[j] = k;
	}
	for (size_t k = 0; comparable(&d->seen, &s->found) && k < d->seen.count && !status; k++) {
		status = dp_stream_loops__same(&j, &s->found, d->seen.items[k].exact,
					       d->seen.items[k].length);
		if (!status && j != DP_NONE)
			s->seen[j] = true;
	}
	return status;
}

/* Keeps a known loop, with this pattern. */
static int keep_loop(struct dp_detector *d, struct searched *s, uint32_t k,
		     const struct dp_stream_loop *as)
{
	const struct dp_stream_loop *old = &d->known.items[k];
	int status = dp_stream_loops__add(&s->next, as);

	if (!status) {
		struct dp_stream_loop *loop = &s->next.items[s->next.count - 1];

		loop->id = old->id;
		loop->next_index = old->next_index;
		loop->last = old->last;
		s->kept[k] = true;
	}
	return status;
}

/* Sets *rotated to true if the patterns differ, but one is a rotation of the other. */
static int is_rotated(bool *rotated, const struct dp_stream_loop *a, const struct dp_stream_loop *b)
{
	size_t m = a->length, offset;
	uint32_t *twice;
	int status;

	*rotated = false;
	if (b->length != m || !memcmp(a->exact, b->exact, m * sizeof(*a->exact)))
		return DP_OK;
	twice = dp_pattern__repeat(b->exact, m, 0, 2 * m);
	if (!twice)
		return DP_ERR_NOMEM;
	status = dp_pattern__rotation(&offset, twice, a->exact, m);
	*rotated = !status && offset != SIZE_MAX;
	free(twice);
	return status;
}

/*
 * Keeps a known loop that was found again, with the new pattern; its boundary changes only if the
 * new one has more confidence.
 */
static int keep_found(struct dp_detector *d, struct searched *s, uint32_t k,
		      const struct dp_stream_loop *found)
{
	const struct dp_stream_loop *old = &d->known.items[k];
	bool rotated = true;
	int status = DP_OK;

	if (s->settling && found->confidence <= old->confidence)
		status = is_rotated(&rotated, found, old);
	else
		rotated = !s->settling;
	return status ? status : keep_loop(d, s, k, rotated ? old : found);
}

/* Chooses the known loops: those found twice, and old ones that did not appear. */
static int choose_known(struct dp_detector *d, struct searched *s, bool final)
{
	int status = DP_OK;

	s->next.names = s->found.names;
	s->next.classes = s->found.classes;
	s->next.by_class = s->found.by_class;
	s->next.collapsed = s->found.count > 0 ? s->found.collapsed : d->known.collapsed;
	s->found.names = (struct dp_lookup){ 0 };
	for (size_t i = 0; i < s->found.count && !status; i++) {
		struct dp_stream_loop *f = &s->found.items[i];

		if (s->known[i] != DP_NONE) {
			status = keep_found(d, s, s->known[i], f);
		} else if (s->seen[i] || final) {
			status = dp_stream_loops__add(&s->next, f);
			if (!status)
				s->next.items[s->next.count - 1].last = d->fed;
		}
	}
	/* the most recent first */
	while (!status && s->next.count < DP_PATTERNS_MAX && comparable(&d->known, &s->found)) {
		uint32_t best = DP_NONE;

		for (uint32_t k = 0; k < d->known.count; k++) {
			const struct dp_stream_loop *old = &d->known.items[k];
			bool came =
				s->settling || (s->full_window && old->last > d->fed - s->n / 2);

			if (!s->kept[k] && !(came && s->found.count > 0) &&
			    (best == DP_NONE || old->last > d->known.items[best].last))
				best = k;
		}
		if (best == DP_NONE)
			break;
		status = keep_loop(d, s, best, &d->known.items[best]);
	}
	return status;
}

static bool equal_loops(const struct dp_stream_loop *a, const struct dp_stream_loop *b)
{
	return a->id == b->id && a->length == b->length &&
	       !memcmp(a->exact, b->exact, a->length * sizeof(*a->exact)) &&
	       !memcmp(a->coarse, b->coarse, a->length * sizeof(*a->coarse));
}

static bool unchanged(const struct dp_detector *d, const struct searched *s)
{
	if (s->next.collapsed != d->known.collapsed || s->next.count != d->known.count ||
	    s->next.by_class || d->known.by_class)
		return false;
	for (size_t i = 0; i < s->next.count; i++)
		if (!equal_loops(&s->next.items[i], &d->known.items[i]))
			return false;
	return true;
}

/* Makes the loops known, and returns to the first symbol not yet reported. */
static int adopt(struct dp_detector *d, struct searched *s)
{
	struct dp_align_pattern patterns[DP_PATTERNS_MAX];
	struct dp_aligner *aligner = NULL;
	uint32_t first = d->next_id;
	bool placed = false;
	int status = DP_OK;

	for (size_t i = 0; i < s->next.count; i++) {
		struct dp_stream_loop *loop = &s->next.items[i];

		patterns[i] = (struct dp_align_pattern){ loop->coarse, loop->length };
		if (loop->id == DP_NONE)
			loop->id = d->next_id++;
		if (d->placed && !placed && loop->id == d->known.items[d->start.pattern].id &&
		    loop->length == d->known.items[d->start.pattern].length &&
		    !memcmp(loop->exact, d->known.items[d->start.pattern].exact,
			    loop->length * sizeof(*loop->exact))) {
			placed = true;
			d->start.pattern = (uint32_t)i;
		}
	}
	if (s->next.count > 0)
		status = dp_aligner__new(&aligner, patterns, s->next.count, d->window);
	if (status)
		return status;
	for (size_t k = 0; k < d->known.count; k++)
		if (!s->kept[k] && d->options.end)
			d->options.end(d->options.ctx, d->known.items[k].id);
	dp_aligner__free(d->aligner);
	d->aligner = aligner;
	dp_stream_loops__fini(&d->known);
	d->known = s->next;
	s->next = (struct dp_stream_loops){ 0 };
	for (size_t i = 0; i < d->known.count; i++) {
		struct dp_stream_loop *l = &d->known.items[i];
		struct dp_detector_loop event = { l->id, d->fed, l->confidence,
						  dp_stream_loop__length(l),
						  l->shown ? l->shown : l->exact };

		if (l->id >= first && d->options.loop)
			d->options.loop(d->options.ctx, &event);
	}
	d->placed = placed;
	d->in_step = false;
	d->look_at = d->known.count > 0 ? d->fed + dp_param.online_gather : DP_DETECTOR_NEVER;
	return DP_OK;
}

/*
 * Plans the next search: when, and after how many foreign symbols. This patience is least after a
 * search that found something new, and doubles with each one that was due to foreign symbols and
 * found nothing. A loop found for the first time is searched for once more soon. Both end as soon
 * as the symbols searched exceed online_eager times those fed, and so do searches because loops
 * have alternated.
 */
static void plan_search(struct dp_detector *d, bool changed, const struct searched *s)
{
	uint64_t least = dp_param.online_patience,
		 most = dp_param.online_windows * (uint64_t)d->window;
	uint64_t unconfirmed = 0; /* length of the longest loop found for the first time */
	bool was_due = dp_detector__foreign(d) >= d->patience;
	bool eager = dp_detector__may_search(d);

	if (d->fed < d->window) {
		/* each search covers all symbols fed, and waits for a share of them */
		least = DP_MAX(least, d->fed / dp_param.online_often);
		most = DP_MAX(d->fed / dp_param.online_seldom, least);
	}
	for (size_t i = 0; i < s->found.count; i++)
		if (s->known[i] == DP_NONE && !s->seen[i])
			unconfirmed = DP_MAX(unconfirmed, s->found.items[i].length);
	if (eager && (changed || unconfirmed > 0))
		d->patience = least;
	else if (was_due)
		d->patience = DP_MIN(2 * d->patience, most);
	d->patience = DP_MAX(d->patience, least);
	d->searched = d->fed;
	d->alternations_searched = d->alternations;
	d->foreign = 0;
	d->search_at = DP_DETECTOR_NEVER;
	if (d->fed < d->window)
		d->search_at = DP_MIN(d->fed + d->fed / 2, (uint64_t)d->window);
	else if (d->known.count == 0)
		d->search_at = d->fed + DP_MAX(d->patience, d->window / 2);
	d->confirming = unconfirmed > 0 && !d->confirming && eager && d->known.count > 0;
	if (d->confirming)
		d->search_at =
			DP_MIN(d->search_at,
			       d->fed + DP_MAX(unconfirmed, least / dp_param.online_confirm));
}

int dp_detector__search(struct dp_detector *d, bool final)
{
	struct searched s = { .n = (size_t)DP_MIN(d->fed, (uint64_t)d->window) };
	uint32_t first = d->next_id;
	size_t names = d->known.names.count, count = d->known.count;
	bool changed = false;
	int status;

	s.settling = d->fed <= d->window;
	if (!s.settling && d->known.count > 0)
		s.n = (size_t)DP_MIN(dp_param.online_depth * d->patience, (uint64_t)d->window);
	s.full_window = s.n == d->window;
	status = dp_stream__search(&s.found, dp_detector__at(d, d->fed - s.n), s.n, !s.settling,
				   !final);
	if (!status)
		status = compare_with_known(d, &s);
	if (!status)
		status = copy_seen(d, &s.found);
	if (!status)
		status = choose_known(d, &s, final);
	if (!status && !unchanged(d, &s)) {
		status = adopt(d, &s);
		changed = d->next_id > first || d->known.count < count ||
			  d->known.names.count > names;
	}
	d->spent += s.n;
	if (!status)
		plan_search(d, changed, &s);
	dp_stream_loops__fini(&s.found);
	dp_stream_loops__fini(&s.next);
	if (status)
		return status;
	return dp_detector__look(d, final);
}
