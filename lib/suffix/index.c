/*
 * The index of LCP minima that children and parents are found by: the LCP values in the order of
 * the suffix array, and above them a tree of minima with FANOUT children per node. Searches climb
 * and descend it: O(FANOUT · log count). Cost: one pass to build; 4 bytes per symbol (8 with
 * 64-bit indices) and a fifteenth of that again.
 */
#include "suffix/tree.h"

#include <string.h>

#define FANOUT 16
#define MAX_LEVELS 16

/* How many random reads are under way at once. */
#define AHEAD 32

struct dp_suffix_index {
	/* level[0] is the LCP array, level[k + 1][i] the minimum of FANOUT values of level[k]. */
	void *level[MAX_LEVELS];
	size_t count[MAX_LEVELS];
	size_t levels;
	size_t bytes;
	bool wide;
};

static inline size_t value(const struct dp_suffix_index *index, size_t level, size_t i)
{
	return index->wide ? ((const uint64_t *)index->level[level])[i]
			   : ((const uint32_t *)index->level[level])[i];
}

static inline void set_value(struct dp_suffix_index *index, size_t level, size_t i, size_t x)
{
	if (index->wide)
		((uint64_t *)index->level[level])[i] = x;
	else
		((uint32_t *)index->level[level])[i] = (uint32_t)x;
}

static int add_level(struct dp_suffix_index *index, size_t count)
{
	size_t size = index->wide ? 8 : 4;

	index->level[index->levels] = dp_alloc__array(count, size);
	if (!index->level[index->levels])
		return DP_ERR_NOMEM;
	index->count[index->levels++] = count;
	index->bytes += count * size;
	return DP_OK;
}

static void fill_minima(struct dp_suffix_index *index, size_t level)
{
	for (size_t i = 0; i < index->count[level]; i++) {
		size_t end = DP_MIN((i + 1) * FANOUT, index->count[level - 1]);
		size_t least = SIZE_MAX;

		for (size_t k = i * FANOUT; k < end; k++)
			least = DP_MIN(least, value(index, level - 1, k));
		set_value(index, level, i, least);
	}
}

int dp_suffix__need_index(struct dp_suffix_tree *tree)
{
	struct dp_suffix_index *index;

	if (tree->index)
		return DP_OK;
	index = dp_alloc__zeroed(1, sizeof(*index));
	if (!index)
		return DP_ERR_NOMEM;
	index->wide = tree->wide_index;
	index->bytes = sizeof(*index);
	if (add_level(index, tree->count))
		goto failed;
	for (size_t i = 0; i < tree->count; i++) {
		size_t soon = dp_suffix__sa(tree, DP_MIN(i + AHEAD, tree->count - 1));

		__builtin_prefetch((const char *)tree->plcp + soon * (index->wide ? 8 : 4));
		set_value(index, 0, i, dp_suffix__lcp(tree, i));
	}
	while (index->count[index->levels - 1] > FANOUT) {
		size_t below = index->count[index->levels - 1];

		if (add_level(index, below / FANOUT + (below % FANOUT != 0)))
			goto failed;
		fill_minima(index, index->levels - 1);
	}
	tree->index = index;
	return DP_OK;
failed:
	dp_suffix__index_free(index);
	return DP_ERR_NOMEM;
}

void dp_suffix__index_free(struct dp_suffix_index *index)
{
	if (!index)
		return;
	for (size_t i = 0; i < index->levels; i++)
		free(index->level[i]);
	free(index);
}

size_t dp_suffix__index_bytes(const struct dp_suffix_index *index)
{
	return index ? index->bytes : 0;
}

/* Below a value at a level that is at most limit, the first place whose LCP is. */
static size_t descend_first(const struct dp_suffix_index *index, size_t level, size_t i,
			    size_t limit)
{
	while (level-- > 0) {
		i *= FANOUT;
		while (value(index, level, i) > limit)
			i++;
	}
	return i;
}

size_t dp_suffix__next_at_most(const struct dp_suffix_tree *tree, size_t from, size_t end,
			       size_t limit)
{
	const struct dp_suffix_index *index = tree->index;
	size_t i = from;

	for (size_t level = 0; from < end && level < index->levels; level++) {
		size_t count = index->count[level];
		size_t stop = DP_MIN((i / FANOUT + 1) * FANOUT, count);

		for (; i < stop; i++)
			if (value(index, level, i) <= limit)
				return DP_MIN(end, descend_first(index, level, i, limit));
		if (stop == count)
			break;
		i = stop / FANOUT;
	}
	return end;
}

/* Below a value at a level that is below limit, the last place whose LCP is. */
static size_t descend_last(const struct dp_suffix_index *index, size_t level, size_t i,
			   size_t limit)
{
	while (level-- > 0) {
		i = DP_MIN((i + 1) * FANOUT, index->count[level]) - 1;
		while (value(index, level, i) >= limit)
			i--;
	}
	return i;
}

size_t dp_suffix__last_below(const struct dp_suffix_tree *tree, size_t from, size_t limit)
{
	const struct dp_suffix_index *index = tree->index;
	size_t i = from;

	for (size_t level = 0; level < index->levels; level++) {
		size_t start = i / FANOUT * FANOUT;

		for (size_t k = i + 1; k-- > start;)
			if (value(index, level, k) < limit)
				return descend_last(index, level, k, limit);
		if (!start)
			break;
		i = start / FANOUT - 1;
	}
	return 0;
}

size_t dp_suffix__least(const struct dp_suffix_tree *tree, size_t from, size_t end)
{
	const struct dp_suffix_index *index = tree->index;
	size_t least = SIZE_MAX;

	for (size_t level = 0; from < end; level++) {
		bool top = level + 1 == index->levels;

		for (; from < end && (top || from % FANOUT); from++)
			least = DP_MIN(least, value(index, level, from));
		for (; from < end && end % FANOUT; end--)
			least = DP_MIN(least, value(index, level, end - 1));
		from /= FANOUT;
		end /= FANOUT;
	}
	return least;
}
