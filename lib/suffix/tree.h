/* The inside of a suffix tree: text, suffix array, LCP in text order, index on demand. */
#ifndef DP_SUFFIX_TREE_H
#define DP_SUFFIX_TREE_H

#include "base/base.h"
#include "suffix/symbols.h"

#include <deepprof/suffix.h>

struct dp_suffix_index;

struct dp_suffix_tree {
	size_t count;
	struct dp_symbols symbols;
	void *text; /* uint16_t, or uint32_t where wide_text */
	void *sa;   /* int32_t, or int64_t where wide_index */
	void *plcp; /* the same; in text order: lcp of a place is plcp[sa[place]] */
	bool wide_text;
	bool wide_index;
	struct dp_suffix_index *index; /* NULL until first used */
};

/* Forces forms that only large input needs, so that they can be tested on small input. */
enum { DP_SUFFIX_WIDE_TEXT = 1, DP_SUFFIX_WIDE_INDEX = 2 };

/*
 * dp_suffix_tree_new() with such flags. If owned is not NULL it is the same as symbols and is
 * freed as soon as it was read.
 */
int dp_suffix__build(struct dp_suffix_tree **tree, const uint32_t *symbols, size_t count,
		     uint32_t *owned, unsigned flags, struct dp_error *error);

static inline size_t dp_suffix__sa(const struct dp_suffix_tree *tree, size_t place)
{
	return tree->wide_index ? (size_t)((const int64_t *)tree->sa)[place]
				: (size_t)((const int32_t *)tree->sa)[place];
}

static inline size_t dp_suffix__plcp(const struct dp_suffix_tree *tree, size_t position)
{
	return tree->wide_index ? (size_t)((const int64_t *)tree->plcp)[position]
				: (size_t)((const int32_t *)tree->plcp)[position];
}

static inline size_t dp_suffix__lcp(const struct dp_suffix_tree *tree, size_t place)
{
	return dp_suffix__plcp(tree, dp_suffix__sa(tree, place));
}

static inline size_t dp_suffix__symbol(const struct dp_suffix_tree *tree, size_t position)
{
	return tree->wide_text ? ((const uint32_t *)tree->text)[position]
			       : ((const uint16_t *)tree->text)[position];
}

/* The depth of the node of places [left, right): two at least, or one for a leaf. */
size_t dp_suffix__depth(const struct dp_suffix_tree *tree, size_t left, size_t right);

/* Builds tree->index unless it is there. DP_OK or DP_ERR_NOMEM. */
int dp_suffix__need_index(struct dp_suffix_tree *tree);

void dp_suffix__index_free(struct dp_suffix_index *index);
size_t dp_suffix__index_bytes(const struct dp_suffix_index *index);

/* These need the index. The first place in [from, end) whose LCP is at most limit, or end. */
size_t dp_suffix__next_at_most(const struct dp_suffix_tree *tree, size_t from, size_t end,
			       size_t limit);

/* The last place in [0, from] whose LCP is below limit, or 0. */
size_t dp_suffix__last_below(const struct dp_suffix_tree *tree, size_t from, size_t limit);

/* The least LCP of the places [from, end), which are one at least. */
size_t dp_suffix__least(const struct dp_suffix_tree *tree, size_t from, size_t end);

#endif
