/*
 * The driver: from symbols to loops. Patterns are searched for under the kernels' families,
 * aligned with the whole, turned to where the evidence puts an iteration's beginning, and cut.
 */
#include "segment/loops.h"
#include "pattern/paper.h"
#include "segment/cut.h"
#include "segment/levels.h"
#include "segment/paper_match.h"
#include "segment/phase.h"
#include "segment/search.h"

#include <math.h>
#include <string.h>

enum { LAYERS_MAX = 200 }; /* a network has hardly more layers */

static const double shown_min = 0.5; /* confidence of a loop that is told of */

struct driver {
	const struct dp_loops_request *request;
	uint32_t *coarse; /* symbols by family; NULL: as they are */
	const uint32_t *symbols;
	uint32_t alphabet; /* of those */
	struct dp_loops *loops;
	size_t room;
};

void dp_loops__free(struct dp_loops *loops)
{
	if (!loops)
		return;
	for (size_t i = 0; i < loops->count; i++) {
		free(loops->loops[i].pattern);
		free(loops->loops[i].segments);
		free(loops->loops[i].edits);
	}
	free(loops->loops);
	free(loops);
}

static struct dp_segmented_loop *add_loop(struct driver *d)
{
	struct dp_loops *loops = d->loops;

	if (dp_array__reserve(&loops->loops, &d->room, loops->count + 1, sizeof(*loops->loops)))
		return NULL;
	loops->loops[loops->count] = (struct dp_segmented_loop){ .parent = DP_NONE };
	return &loops->loops[loops->count++];
}

/* The loop takes the cut's arrays. */
static void take_cut(struct dp_segmented_loop *loop, struct dp_cut *cut)
{
	dp_array__shrink(&cut->segments, &cut->room, cut->count, sizeof(*cut->segments));
	dp_array__shrink(&cut->edits, &cut->edit_room, cut->edit_count, sizeof(*cut->edits));
	loop->segments = cut->segments;
	loop->count = cut->count;
	loop->edits = cut->edits;
	loop->edit_count = cut->edit_count;
	*cut = (struct dp_cut){ 0 };
}

static size_t edits_of(const struct dp_segment *s)
{
	return (size_t)s->inserted + s->deleted + s->substituted;
}

static size_t count_exact(const struct dp_segmented_loop *loop)
{
	size_t n = 0;

	for (size_t i = 0; i < loop->count; i++)
		n += !loop->segments[i].partial && !edits_of(&loop->segments[i]);
	return n;
}

static int use_families(struct driver *d)
{
	const struct dp_loops_request *r = d->request;

	d->symbols = r->symbols;
	d->alphabet = r->alphabet;
	if (!r->family)
		return DP_OK;
	d->coarse = dp_alloc__array(r->count, sizeof(*d->coarse));
	if (!d->coarse)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < r->count; i++)
		d->coarse[i] = r->family[r->symbols[i]];
	d->symbols = d->coarse;
	return DP_OK;
}

/*
 * The exact names of a pattern that was found under families: at each offset the one that most of
 * a number of iterations have, by majority votes.
 */
static int name_exactly(const struct driver *d, const struct dp_alignment *al, uint32_t pattern,
			uint32_t *exact, size_t m)
{
	uint32_t *lead = dp_alloc__zeroed(m, sizeof(*lead));
	size_t rounds = 0;

	if (!lead)
		return DP_ERR_NOMEM;
	for (size_t k = 0; k < al->span_count && rounds < 256; k++) {
		struct dp_walk walk;
		struct dp_walk_step step;

		if (al->spans[k].pattern != pattern)
			continue;
		dp_walk__begin(&walk, al, k, m, 0);
		while (rounds < 256 && dp_walk__next(&walk, &step)) {
			rounds += step.offset == 0 && step.kind != DP_EDIT_INSERTED;
			for (size_t i = 0; step.kind == DP_WALK_RUN && i < step.length; i++) {
				uint32_t symbol = d->request->symbols[step.at + i];
				size_t o = step.offset + i;

				if (lead[o] == 0)
					exact[o] = symbol;
				lead[o] = exact[o] == symbol ? lead[o] + 1 : lead[o] - 1;
			}
		}
	}
	free(lead);
	return DP_OK;
}

/* Patterns that are being made to loops. */
struct batch {
	struct dp_alignment alignment;
	struct dp_cut_pattern list[DP_PATTERNS_MAX];
	struct dp_cut cuts[DP_PATTERNS_MAX];
	struct dp_phase phases[DP_PATTERNS_MAX];
	uint32_t *exact[DP_PATTERNS_MAX];
	uint32_t *turned[DP_PATTERNS_MAX];
	size_t count;
};

static void batch_fini(struct batch *b)
{
	dp_align__fini(&b->alignment);
	for (size_t i = 0; i < b->count; i++) {
		dp_cut__fini(&b->cuts[i]);
		free(b->exact[i]);
		free(b->turned[i]);
	}
}

static uint32_t *rotate(const uint32_t *pattern, size_t m, size_t first)
{
	uint32_t *turned = dp_alloc__array(m, sizeof(*turned));

	if (!turned)
		return NULL;
	memcpy(turned, pattern + first, (m - first) * sizeof(*turned));
	memcpy(turned + m - first, pattern, first * sizeof(*turned));
	return turned;
}

static int batch_cut(struct driver *d, struct batch *b, const struct dp_patterns *patterns)
{
	const struct dp_loops_request *r = d->request;
	int status = dp_patterns__align(&b->alignment, patterns, d->symbols, r->count);

	b->count = patterns->count;
	for (size_t i = 0; i < b->count && !status; i++) {
		const struct dp_hypothesis *h = &patterns->items[i];

		b->exact[i] = dp_alloc__array(h->length, sizeof(*b->exact[i]));
		if (!b->exact[i])
			return DP_ERR_NOMEM;
		memcpy(b->exact[i], h->pattern, h->length * sizeof(*h->pattern));
		if (d->coarse)
			status =
				name_exactly(d, &b->alignment, (uint32_t)i, b->exact[i], h->length);
		if (!status)
			status = dp_phase__find(&b->phases[i], &b->alignment, r->count, (uint32_t)i,
						h->length, &r->evidence);
		if (status)
			return status;
		b->turned[i] = rotate(h->pattern, h->length, b->phases[i].first);
		if (!b->turned[i])
			return DP_ERR_NOMEM;
		b->list[i] = (struct dp_cut_pattern){
			.exact = d->coarse ? b->exact[i] : NULL,
			.turned = b->turned[i],
			.length = h->length,
			.first = b->phases[i].first,
		};
	}
	if (!status)
		status = dp_cut__run(b->cuts, &b->alignment, r->symbols, d->symbols, r->count,
				     b->list, b->count);
	return status;
}

/* How well a loop's iterations agree with its pattern: 1 less edits per symbol. */
static double agreement(const struct dp_segmented_loop *loop)
{
	size_t symbols = 0;

	for (size_t i = 0; i < loop->count; i++)
		symbols += loop->segments[i].end - loop->segments[i].first;
	return symbols ? 1.0 - DP_MIN((double)loop->edit_count / (double)symbols, 1.0) : 0;
}

/*
 * Layers of a single pass look like a loop. A program's loop mostly fills the capture, has loops
 * inside, or is gone on with after something else; layers stand between other kernels, once.
 */
static double not_layers(const struct driver *d, const struct batch *b, size_t i, bool structured)
{
	const struct dp_cut *cut = &b->cuts[i];
	size_t spans = 0, ends;

	for (size_t k = 0; k < b->alignment.span_count; k++)
		spans += b->alignment.spans[k].pattern == i &&
			 dp_align__advance(&b->alignment, k) >= 2 * b->list[i].length;
	ends = (size_t)(cut->segments[0].first <= 1) +
	       (cut->segments[cut->count - 1].end + 1 >= d->request->count);
	if (b->list[i].length == 1)
		return cut->covered == d->request->count ? 0.7 : 0.0;
	if (b->phases[i].host_beat || ends == 2 || cut->complete >= LAYERS_MAX)
		return 1.0;
	if (structured)
		return spans > 1 || ends > 0 ? 1.0 : 0.9;
	return spans > 2 ? 0.9 : ends > 0 ? 0.6 : 0.4;
}

static double confidence(const struct driver *d, const struct batch *b, size_t i,
			 const struct dp_segmented_loop *loop, bool structured)
{
	double trips = (double)b->cuts[i].complete, many = 1.0 - exp(-trips / 2.5);
	double agree = DP_MAX(1.0 - 2.0 * (1.0 - agreement(loop)), 0.0);
	double phase = 0.5 + 0.5 * b->phases[i].confidence;

	if (loop->found_by == DP_FOUND_BY_COUNT)
		return agree * phase;
	return many * agree * phase * not_layers(d, b, i, structured);
}

/* Makes a loop of one pattern of a batch. */
static int batch_loop(struct driver *d, struct batch *b, size_t i, enum dp_found_by found_by,
		      bool structured)
{
	struct dp_segmented_loop *loop, view = {
		.found_by = found_by,
		.segments = b->cuts[i].segments,
		.count = b->cuts[i].count,
		.edit_count = b->cuts[i].edit_count,
	};

	if (b->cuts[i].complete == 0)
		return DP_OK;
	view.confidence = confidence(d, b, i, &view, structured);
	if (found_by == DP_FOUND_BY_AUTO && view.confidence < shown_min) {
		if (view.confidence >= d->loops->best_confidence) {
			d->loops->best_confidence = view.confidence;
			d->loops->best_length = b->list[i].length;
			d->loops->best_coverage =
				(double)b->cuts[i].covered / (double)d->request->count;
		}
		return DP_OK;
	}
	loop = add_loop(d);
	if (!loop)
		return DP_ERR_NOMEM;
	loop->found_by = found_by;
	loop->chosen = true;
	loop->confidence = view.confidence;
	loop->length = b->list[i].length;
	loop->phase = b->phases[i].decided_by;
	loop->pattern = rotate(b->exact[i], loop->length, b->list[i].first);
	if (!loop->pattern)
		return DP_ERR_NOMEM;
	take_cut(loop, &b->cuts[i]);
	loop->occurrences = count_exact(loop);
	return DP_OK;
}

/*
 * Makes loops of the patterns of one level; made[] gets the index of each, DP_NONE where there is
 * none.
 */
static int make_level(struct driver *d, const struct dp_patterns *patterns, uint32_t *made,
		      const bool *structured)
{
	enum dp_found_by by = d->request->counts_count ? DP_FOUND_BY_COUNT : DP_FOUND_BY_AUTO;
	struct batch b = { .count = 0 };
	int status = DP_OK;

	if (patterns->count > 0)
		status = batch_cut(d, &b, patterns);
	for (size_t i = 0; i < b.count && !status; i++) {
		size_t before = d->loops->count;

		status = batch_loop(d, &b, i, by, structured ? structured[i] : true);
		made[i] = d->loops->count > before ? (uint32_t)before : DP_NONE;
	}
	batch_fini(&b);
	return status;
}

static size_t first_of(const struct dp_segmented_loop *loop)
{
	return loop->count ? loop->segments[0].first : SIZE_MAX;
}

/* Orders loops [from, to) by their first iteration, and the parents of all with them. */
static void sort_level(struct dp_loops *loops, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		for (size_t k = i; k > from; k--) {
			struct dp_segmented_loop *b = &loops->loops[k], *a = b - 1, swap = *a;

			if (first_of(a) <= first_of(b))
				break;
			*a = *b;
			*b = swap;
			for (size_t j = 0; j < loops->count; j++) {
				uint32_t *parent = &loops->loops[j].parent;

				if (*parent == k)
					*parent = (uint32_t)k - 1;
				else if (*parent == k - 1)
					*parent = (uint32_t)k;
			}
		}
}

static void set_parents(struct dp_loops *loops, const uint32_t *made, size_t count,
			const uint32_t *parents, const uint32_t *above)
{
	for (size_t i = 0; i < count; i++)
		if (made[i] != DP_NONE && parents[i] != DP_NONE)
			loops->loops[made[i]].parent = above[parents[i]];
}

/* Of each symbol, whether kernels of that name finish a step; NULL where nothing is known. */
static int ask_finishing(const struct driver *d, bool **finishing)
{
	const struct dp_loops_request *r = d->request;
	bool *asked = dp_alloc__zeroed(r->alphabet, sizeof(*asked));
	bool *finishes = dp_alloc__zeroed(d->alphabet, sizeof(*finishes));
	uint32_t left = r->alphabet;

	*finishing = finishes;
	if (!asked || !finishes) {
		free(asked);
		return DP_ERR_NOMEM;
	}
	for (size_t i = 0; i < r->count && left > 0; i++) {
		struct dp_evidence_at at = { 0 };

		if (asked[r->symbols[i]])
			continue;
		asked[r->symbols[i]] = true;
		left--;
		r->evidence.at(r->evidence.ctx, i, &at);
		finishes[d->symbols[i]] |= at.finishes_step;
	}
	free(asked);
	return DP_OK;
}

/* Without help: the tree. */
static int find_tree(struct driver *d)
{
	const struct dp_loops_request *r = d->request;
	uint32_t outer[DP_PATTERNS_MAX], chosen[DP_PATTERNS_MAX], inner[DP_PATTERNS_MAX];
	struct dp_loops *loops = d->loops;
	struct dp_levels levels;
	bool *finishing = NULL;
	size_t ends[3];
	int status = r->evidence.at ? ask_finishing(d, &finishing) : DP_OK;

	if (!status)
		status = dp_levels__find(&levels, d->symbols, r->count, d->alphabet, finishing);
	free(finishing);
	if (status)
		return status;
	status = make_level(d, &levels.outer, outer, NULL);
	ends[0] = loops->count;
	if (!status)
		status = make_level(d, &levels.chosen, chosen, levels.structured);
	ends[1] = loops->count;
	if (!status && ends[1] > ends[0])
		status = make_level(d, &levels.inner, inner, NULL);
	ends[2] = loops->count;
	for (size_t i = 0; i < loops->count && !status; i++)
		loops->loops[i].chosen = i >= ends[0] && i < ends[1];
	if (!status) {
		set_parents(loops, chosen, levels.chosen.count, levels.chosen_parent, outer);
		if (ends[2] > ends[1])
			set_parents(loops, inner, levels.inner.count, levels.inner_parent, chosen);
		sort_level(loops, 0, ends[0]);
		sort_level(loops, ends[0], ends[1]);
		sort_level(loops, ends[1], ends[2]);
	}
	dp_levels__fini(&levels);
	return status;
}

static int find_counts(struct driver *d)
{
	const struct dp_loops_request *r = d->request;
	struct dp_patterns patterns = { .count = 0 };
	uint32_t made[DP_PATTERNS_MAX];
	int status = dp_search__counts(&patterns, d->symbols, r->count, d->alphabet, r->counts,
				       r->counts_count);

	if (!status)
		status = make_level(d, &patterns, made, NULL);
	if (!status)
		sort_level(d->loops, 0, d->loops->count);
	dp_patterns__fini(&patterns);
	return status;
}

static int find(struct driver *d)
{
	int status = use_families(d);

	if (status)
		return status;
	return d->request->counts_count ? find_counts(d) : find_tree(d);
}

/* One search and one match for each count, as published. */
static int find_as_published(struct driver *d, struct dp_error *error)
{
	const struct dp_loops_request *r = d->request;
	struct dp_suffix_tree *tree = NULL;
	struct dp_paper_pattern p;
	struct dp_cut cut = { 0 };
	struct dp_segmented_loop *loop;
	int status = dp_suffix_tree_new(&tree, r->symbols, r->count, error);

	for (size_t i = 0; i < r->counts_count && !status; i++) {
		status = dp_paper__search(&p, tree, r->counts[i], r->epsilon);
		if (status || p.length == 0)
			continue;
		status = dp_paper__match(&cut, r->symbols, r->count, r->symbols + p.at, p.length,
					 r->max_unmatched);
		if (!status)
			status =
				dp_variants__number(cut.segments, cut.count, cut.edits, r->symbols);
		loop = status ? NULL : add_loop(d);
		if (loop)
			loop->pattern = rotate(r->symbols + p.at, p.length, 0);
		if (!loop || !loop->pattern) {
			status = DP_ERR_NOMEM;
			break;
		}
		loop->found_by = DP_FOUND_BY_COUNT;
		loop->chosen = true;
		loop->length = p.length;
		loop->occurrences = p.occurrences;
		loop->confidence =
			(double)DP_MIN(cut.count, (size_t)r->counts[i]) / (double)r->counts[i];
		take_cut(loop, &cut);
	}
	dp_cut__fini(&cut);
	dp_suffix_tree_free(tree);
	return status;
}

static int check(const struct dp_loops_request *r, struct dp_error *error)
{
	for (size_t i = 0; i < r->counts_count; i++)
		if (r->counts[i] == 0 || r->counts[i] > r->count)
			return dp_error__set(error, DP_ERR_ARGUMENT,
					     "%llu iterations in a sequence of %zu kernels",
					     (unsigned long long)r->counts[i], r->count);
	if (r->paper && r->counts_count == 0)
		return dp_error__set(error, DP_ERR_ARGUMENT,
				     "the paper's algorithm needs the number of iterations");
	return DP_OK;
}

int dp_loops__find(struct dp_loops **loops, const struct dp_loops_request *request,
		   struct dp_error *error)
{
	struct driver d = { .request = request };
	int status = check(request, error);

	if (status)
		return status;
	d.loops = calloc(1, sizeof(*d.loops));
	if (!d.loops)
		return dp_error__nomem(error, sizeof(*d.loops));
	if (request->count > 0)
		status = request->paper ? find_as_published(&d, error) : find(&d);
	free(d.coarse);
	if (status) {
		dp_loops__free(d.loops);
		return status == DP_ERR_NOMEM ? dp_error__nomem(error, 0) : status;
	}
	*loops = d.loops;
	return DP_OK;
}
