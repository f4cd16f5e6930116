/*
 * Anchors: repeats of the suffix tree that occur about once per iteration.
 *
 * All repeats of one length, 1, 2, 4, ..., are the maximal ranges of suffixes whose LCP values
 * reach it, so one pass over the LCP array finds those of each length, or depth of the tree. A long
 * sequence's tree is that of its parse (suffix/parse.h), and the depths are a phrase's first
 * symbol, its first few, and 1, 2, 4 ... phrases. The distances between the occurrences of a repeat
 * show whether it may occur once per iteration: the distances of an anchor are alike and cover the
 * sequence. Anchors are collected by their median distance; the best one of each class of distances
 * is taken, and of its windows, from one occurrence to the next, the most frequent one is the
 * candidate.
 *
 * Layers have anchors, too, and so do pairs of iterations: description length and the levels decide
 * which of them is the iteration (search.h, levels.h). If the number of iterations is known,
 * repeats that occur about as often are anchors whatever their distances (criterion 2 of Gu, Liu,
 * Zhou, Wang, "DeepProf", arXiv 1707.03750).
 */
#include "pattern/anchors.h"
#include "base/parameters.h"
#include "base/search.h"
#include "base/sort.h"
#include "suffix/parse.h"

#include <deepprof/suffix.h>

#include <math.h>
#include <string.h>

enum {
	BINS = 512,	/* of distances: as many reach 5e8 */
	COUNT_BINS = 7, /* bins by a count's distance from a known one, in powers of two */
	SAMPLE = 31,	/* windows that stand for all of an anchor */
};

/* A repeat and its windows, each from one occurrence to the next. */
struct anchor {
	size_t first; /* index of its first occurrence in where[] */
	size_t count;
	double distance; /* the median length of a window */
	double regular;	 /* share of windows whose length is near that */
	double score;
};

/* The repeats of one depth with about the same distance, or about as many occurrences. */
struct bin {
	struct anchor best;
	size_t support; /* occurrences with regular distances */
	unsigned depth;
};

/* The leaves are symbols, or the phrases of the sequence's parse. */
struct dp_anchor_tree {
	const uint32_t *symbols;
	size_t n;
	struct dp_parse parse; /* without names if the leaves are symbols */
	size_t leaves;
	uint32_t *suffixes; /* the suffix array */
	uint8_t *depths;    /* what a suffix shares with the one before: depth_of() */
};

struct finder {
	const struct dp_anchor_tree *tree;
	size_t least;
	uint32_t *names; /* the repeat at each leaf; DP_NONE: none that counts */
	size_t *where;	 /* positions, by repeat */
	size_t *starts;	 /* of each repeat in where */
	uint64_t known;	 /* number of iterations; 0: none is */
	struct bin bins[BINS];		/* by distance, */
	struct bin counted[COUNT_BINS]; /* and by how near the number of occurrences is to known */
	struct dp_candidate *out;
	size_t out_count, out_room;
	size_t repeats; /* occurring often enough, of all depths */
};

/* A leaf's position in the sequence; that of the last one is the sequence's end. */
static inline size_t position(const struct dp_anchor_tree *tree, size_t leaf)
{
	return tree->parse.begin ? tree->parse.begin[leaf] : leaf;
}

/*
 * Sorts the occurrences of all repeats of one depth by repeat, then by position; starts[i] is where
 * repeat i begins in where[]. Returns the number of repeats.
 */
static uint32_t group_repeats(struct finder *f, unsigned depth)
{
	const struct dp_anchor_tree *tree = f->tree;
	size_t sum = 0, n = tree->leaves;
	uint32_t count = 0;

	for (size_t i = 0, j; i < n; i = j) {
		for (j = i + 1; j < n && tree->depths[j] > depth; j++)
			;
		for (size_t k = i; k < j; k++)
			f->names[tree->suffixes[k]] = j - i < f->least ? DP_NONE : count;
		if (j - i < f->least)
			continue;
		f->starts[count++] = sum;
		sum += j - i;
	}
	f->starts[count] = sum;
	for (size_t p = 0; p < n; p++)
		if (f->names[p] != DP_NONE)
			f->where[f->starts[f->names[p]]++] = position(tree, p);
	/* each start has become its end, which is the start of the next repeat */
	for (uint32_t i = count; i > 0; i--)
		f->starts[i] = f->starts[i - 1];
	f->starts[0] = 0;
	return count;
}

/* The occurrence that window i of a sample of n begins with. */
static size_t sampled(size_t i, size_t n, size_t count)
{
	return i * (count - 1) / n;
}

static double median_distance(const size_t *where, size_t count)
{
	size_t distances[SAMPLE] = { 0 };
	size_t n = DP_MIN(count - 1, (size_t)SAMPLE);

	for (size_t i = 0; i < n; i++) {
		size_t at = sampled(i, n, count);

		distances[i] = where[at + 1] - where[at];
	}
	dp_sort__size(distances, n);
	return (double)distances[n / 2];
}

static int bin_of(double distance)
{
	int bin = (int)(log(distance) / log(dp_param.distance_bin));

	return DP_MIN(DP_MAX(bin, 0), BINS - 1);
}

/* The bin of repeats that occur about as often as a known count; none if they occur too often. */
static struct bin *bin_of_count(struct finder *f, size_t count)
{
	uint64_t off = count > f->known ? count - f->known : f->known - count;
	unsigned bin = 0;

	while (bin < COUNT_BINS && (UINT64_C(1) << bin) < off + 1)
		bin++;
	return f->known && (double)count <= (double)f->known + dp_param.count_more &&
			       bin < COUNT_BINS
		       ? &f->counted[bin]
		       : NULL;
}

/* Of equal anchors, the first in the sequence is better: the order in the tree depends on names. */
static bool is_better_anchor(const struct finder *f, const struct anchor *a, const struct anchor *b)
{
	if (a->score != b->score)
		return a->score > b->score;
	return a->score > 0 && f->where[a->first] < f->where[b->first];
}

/* Returns true if a window is of about median length, and so may be an iteration. */
static bool is_window(const struct anchor *anchor, size_t length)
{
	return (double)length >= dp_param.distance_low * anchor->distance &&
	       (double)length <= dp_param.distance_high * anchor->distance;
}

/*
 * Puts a repeat into its bins. It scores by the share of the sequence in windows of about median
 * length, less if few of them are near it.
 */
static void add_repeat(struct finder *f, size_t first, size_t count, unsigned depth)
{
	const size_t *where = f->where + first;
	struct anchor anchor = { first, count, .distance = median_distance(where, count) };
	struct bin *bin = &f->bins[bin_of(anchor.distance)];
	double covered = 0;

	for (size_t i = 0; i + 1 < count; i++) {
		size_t length = where[i + 1] - where[i];

		covered += is_window(&anchor, length) ? (double)length : 0;
		anchor.regular += (double)length >= dp_param.distance_near * anchor.distance &&
				  (double)length * dp_param.distance_near <= anchor.distance;
	}
	anchor.regular /= (double)(count - 1);
	anchor.score = covered / (double)f->tree->n *
		       (1 - dp_param.distance_regular * (1 - anchor.regular));
	bin->support += anchor.regular >= dp_param.anchor_regular ? count : 0;
	bin->depth = depth;
	if (is_better_anchor(f, &anchor, &bin->best))
		bin->best = anchor;
	bin = bin_of_count(f, count);
	if (bin && is_better_anchor(f, &anchor, &bin->best))
		*bin = (struct bin){ anchor, 0, depth };
}

/* The leaf at a position, if there is one. */
static size_t leaf_at(const struct dp_anchor_tree *tree, size_t position)
{
	size_t at;

	if (!tree->parse.begin)
		return position;
	DP_FIND(at, 0, tree->leaves, tree->parse.begin[at] >= position);
	return at;
}

/* The length in symbols of a repeat of one depth at a position. */
static size_t anchor_length(const struct dp_anchor_tree *tree, unsigned depth, size_t at)
{
	size_t phrases = depth > 1 ? (size_t)1 << (depth - 2) : 0;

	if (!tree->parse.begin || !depth)
		return (size_t)1 << depth;
	/* no gram follows the last phrase */
	return DP_MIN(position(tree, leaf_at(tree, at) + phrases) + DP_PARSE_GRAM, tree->n) - at;
}

/* Windows with the same fingerprint count as equal; this only picks the candidate. */
static uint64_t fingerprint(const uint32_t *symbols, size_t length)
{
	uint64_t print = length;

	for (size_t i = 0; i <= dp_param.print_gaps; i++)
		print = (print ^ symbols[i * (length - 1) / dp_param.print_gaps]) *
			0x9e3779b97f4a7c15u;
	return print;
}

/*
 * The occurrence whose window is the most frequent one in a sample; one of median length if few are
 * equal, perhaps by chance. What only this one has is removed later (pattern.h).
 */
static size_t pick_window(const struct finder *f, const struct anchor *anchor)
{
	const size_t *where = f->where + anchor->first;
	size_t n = DP_MIN(anchor->count - 1, (size_t)SAMPLE), pick = 0, most = 1, median = 0;
	uint64_t prints[SAMPLE];

	for (size_t i = 0; i < n; i++) {
		size_t at = sampled(i, n, anchor->count), length = where[at + 1] - where[at],
		       same = 0;

		prints[i] = fingerprint(f->tree->symbols + where[at], length);
		for (size_t k = 0; k <= i; k++)
			same += prints[k] == prints[i];
		if (is_window(anchor, length) && same > most) {
			most = same;
			pick = at;
		}
		if ((double)length == anchor->distance)
			median = at;
	}
	return (double)most >= dp_param.modal_share * (double)n && most > 1 ? pick : median;
}

static void put_candidate(struct finder *f, const struct bin *bin)
{
	const struct anchor *anchor = &bin->best;
	const size_t *where = f->where + anchor->first, pick = pick_window(f, anchor);
	struct dp_candidate *c = &f->out[f->out_count++];

	*c = (struct dp_candidate){
		.at = where[pick],
		.length = where[pick + 1] - where[pick],
		.anchor = anchor_length(f->tree, bin->depth, where[pick]),
		.score = anchor->score,
		.regular = anchor->regular,
	};
	for (size_t i = 0; i + 1 < anchor->count; i++) {
		if (!is_window(anchor, where[i + 1] - where[i]))
			continue;
		if (!c->windows++)
			c->first = where[i];
		c->last = where[i + 1];
	}
}

static int by_bin_score(const void *a, const void *b)
{
	const struct bin *x = *(const struct bin *const *)a, *y = *(const struct bin *const *)b;
	if (x->best.score != y->best.score)
		return x->best.score > y->best.score ? -1 : 1;
	return x->best.distance < y->best.distance ? -1 : 1;
}

/*
 * Returns true if a bin's repeats are no coincidence: of many repeats that occur a few times, some
 * are regular by chance. Few and long iterations have anchors everywhere.
 */
static bool is_supported(const struct finder *f, const struct bin *bin)
{
	return bin->best.distance <= (double)dp_param.window_long ||
	       bin->support >= f->tree->leaves / dp_param.long_support;
}

/* Adds the candidates of one depth, from its best bins. */
static void take_candidates(struct finder *f, size_t share)
{
	struct bin *order[BINS];
	size_t n = 0, counted = 0;

	for (int i = 0; i < COUNT_BINS && counted < dp_param.counted_repeats; i++) {
		if (!(f->counted[i].best.score > 0) || f->out_count == f->out_room)
			continue;
		put_candidate(f, &f->counted[i]);
		counted++;
	}
	for (int i = 0; i < BINS; i++)
		if (f->bins[i].best.score > 0 && is_supported(f, &f->bins[i]))
			order[n++] = &f->bins[i];
	qsort(order, n, sizeof(*order), by_bin_score);
	for (size_t i = 0; i < n && i + counted < share && f->out_count < f->out_room; i++)
		put_candidate(f, order[i]);
}

static int by_score(const void *a, const void *b)
{
	const struct dp_candidate *x = a, *y = b;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	if (x->length != y->length)
		return x->length < y->length ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static void find_candidates(struct finder *f)
{
	size_t share = DP_MAX(f->out_room / DP_ANCHOR_DEPTHS, 1);

	for (unsigned depth = 0; depth < DP_ANCHOR_DEPTHS; depth++) {
		uint32_t count = group_repeats(f, depth);

		f->repeats += count;
		memset(f->bins, 0, sizeof(f->bins));
		memset(f->counted, 0, sizeof(f->counted));
		for (uint32_t i = 0; i < count; i++)
			add_repeat(f, f->starts[i], f->starts[i + 1] - f->starts[i], depth);
		take_candidates(f, share);
	}
}

/*
 * The number of depths at which two adjacent suffixes still share a locus; 0 if they share nothing.
 * The depths are 1, 2, 4 ... symbols, or for phrases a symbol, a gram, and 1, 2, 4 ... phrases.
 */
static uint8_t depth_of(const struct dp_anchor_tree *tree, size_t lcp, size_t leaf, size_t before)
{
	const struct dp_parse *parse = &tree->parse;
	uint8_t depth = 0;

	if (parse->names) {
		uint32_t a = parse->names[leaf], b = parse->names[before];

		depth = (parse->firsts[a] == parse->firsts[b]) +
			(parse->grams[a] == parse->grams[b]);
	}
	for (; lcp && depth < DP_ANCHOR_DEPTHS; lcp >>= 1)
		depth++;
	return depth;
}

static int read_tree(struct dp_anchor_tree *tree, const struct dp_suffix_tree *from)
{
	size_t n = tree->leaves, before = 0;

	tree->suffixes = dp_alloc__array(n, sizeof(*tree->suffixes));
	tree->depths = dp_alloc__zeroed(n, sizeof(*tree->depths));
	if (!tree->suffixes || !tree->depths)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < n; i++) {
		size_t leaf = dp_suffix_tree_suffix(from, i);

		tree->suffixes[i] = (uint32_t)leaf;
		if (i > 0)
			tree->depths[i] = depth_of(tree, dp_suffix_tree_lcp(from, i), leaf, before);
		before = leaf;
	}
	return DP_OK;
}

/*
 * Makes the leaves phrases, about two thirds of `most`: a phrase is half a window long on average.
 */
static int parse_symbols(struct dp_anchor_tree *tree, size_t most)
{
	int status = dp_parse__make(&tree->parse, tree->symbols, tree->n,
				    dp_param.parse_window * tree->n / most);

	tree->leaves = tree->parse.count;
	return status;
}

int dp_anchor_tree__new(struct dp_anchor_tree **tree, const uint32_t *symbols, size_t n,
			size_t most)
{
	struct dp_suffix_tree *from = NULL;
	struct dp_anchor_tree *made = calloc(1, sizeof(*made));
	int status = made ? DP_OK : DP_ERR_NOMEM;

	if (!status) {
		*made = (struct dp_anchor_tree){ .symbols = symbols, .n = n, .leaves = n };
		if (n > most)
			status = parse_symbols(made, most);
	}
	if (!status)
		status = dp_suffix_tree_new(&from, n > most ? made->parse.names : symbols,
					    made->leaves, NULL);
	if (!status)
		status = read_tree(made, from);
	dp_suffix_tree_free(from);
	if (status)
		dp_anchor_tree__free(made);
	else
		*tree = made;
	return status;
}

void dp_anchor_tree__free(struct dp_anchor_tree *tree)
{
	if (!tree)
		return;
	dp_parse__fini(&tree->parse);
	free(tree->suffixes);
	free(tree->depths);
	free(tree);
}

/*
 * Explains the number of repeats, and the candidate whose anchors cover most at the most regular
 * distance.
 */
static void explain_candidates(struct dp_explain *explain, const struct finder *f)
{
	const struct dp_candidate *first = f->out;

	if (!f->out_count)
		dp_explain__add(explain, "anchors",
				DP_FACTS({ "symbols", "count", (double)f->tree->n },
					 { "repeats", "count", (double)f->repeats },
					 { "candidates", "count", 0 }),
				"the suffix tree of {symbols:symbol} has {repeats:repeat}, none of "
				"which recurs at about one distance: no candidate");
	else
		dp_explain__add(explain, "anchors",
				DP_FACTS({ "symbols", "count", (double)f->tree->n },
					 { "repeats", "count", (double)f->repeats },
					 { "candidates", "count", (double)f->out_count },
					 { "length", "count", (double)first->length },
					 { "occurrences", "count", (double)first->windows },
					 { "anchor", "count", (double)first->anchor },
					 { "regular", "1", first->regular }),
				"the suffix tree of {symbols:symbol} has {repeats:repeat} of %s; "
				"grouped by the distance at which they recur, they give "
				"{candidates:candidate}; the first has {length:symbol}, as an "
				"anchor of length {anchor} recurs {occurrences:time}, {regular} of "
				"them at that distance",
				f->tree->parse.begin ? "1 or 8 of them, or of 1, 2, 4 ... 16 phrases"
						     : "1, 2, 4 ... 64 of them");
}

int dp_anchors__candidates(struct dp_candidate *candidates, size_t room,
			   const struct dp_anchor_tree *tree, size_t least, uint64_t known,
			   struct dp_explain *explain)
{
	size_t n = tree->leaves;
	struct finder *f;
	int status = DP_ERR_NOMEM;

	if (n < 2 || room == 0)
		return 0;
	f = calloc(1, sizeof(*f));
	if (!f)
		return DP_ERR_NOMEM;
	f->tree = tree;
	f->least = DP_MAX(least, 2);
	f->out = candidates;
	f->out_room = room;
	f->known = known;
	f->names = dp_alloc__array(n, sizeof(*f->names));
	f->where = dp_alloc__array(n, sizeof(*f->where));
	f->starts = dp_alloc__array(n / f->least + 2, sizeof(*f->starts));
	if (f->names && f->where && f->starts) {
		find_candidates(f);
		qsort(candidates, f->out_count, sizeof(*candidates), by_score);
		explain_candidates(explain, f);
		status = (int)f->out_count;
	}
	free(f->names);
	free(f->where);
	free(f->starts);
	free(f);
	return status;
}
