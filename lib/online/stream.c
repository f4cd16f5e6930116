/*
 * The detector's knowledge: loops by their patterns, with names that join symbols that a search
 * found to replace each other.
 */
#include "online/stream.h"
#include "base/parameters.h"
#include "loops/searches.h"
#include "online/collapse.h"

#include <string.h>

uint32_t dp_stream_loops__class(const struct dp_stream_loops *loops, uint32_t symbol)
{
	struct dp_key key = { { symbol } };

	return DP_MIN(dp_lookup__get(&loops->names, &key), loops->classes);
}

static int set_class(struct dp_stream_loops *loops, uint32_t symbol, uint32_t class)
{
	struct dp_key key = { { symbol } };

	return dp_lookup__set(&loops->names, &key, class);
}

void dp_stream_loops__fini(struct dp_stream_loops *loops)
{
	for (size_t i = 0; i < loops->count; i++) {
		free(loops->items[i].exact);
		free(loops->items[i].coarse);
		free(loops->items[i].shown);
	}
	dp_lookup__fini(&loops->names);
	*loops = (struct dp_stream_loops){ 0 };
}

/* Gives every symbol of a pattern a name. */
static int name_symbols(struct dp_stream_loops *loops, const uint32_t *exact, size_t length)
{
	int status = DP_OK;

	for (size_t i = 0; i < length && !status; i++)
		if (dp_stream_loops__class(loops, exact[i]) == loops->classes)
			status = set_class(loops, exact[i], loops->classes++);
	return status;
}

size_t dp_stream_loop__length(const struct dp_stream_loop *loop)
{
	return loop->shown ? loop->shown_length : loop->length;
}

int dp_stream_loops__add(struct dp_stream_loops *loops, const struct dp_stream_loop *like)
{
	struct dp_stream_loop *loop = &loops->items[loops->count];
	size_t length = like->length;
	int status = name_symbols(loops, like->exact, length);

	if (status)
		return status;
	*loop = *like;
	loop->id = DP_NONE;
	loop->exact = dp_alloc__array(length, sizeof(*loop->exact));
	loop->coarse = dp_alloc__array(length, sizeof(*loop->coarse));
	if (like->shown)
		loop->shown = dp_alloc__array(like->shown_length, sizeof(*loop->shown));
	if (!loop->exact || !loop->coarse || (like->shown && !loop->shown)) {
		free(loop->exact);
		free(loop->coarse);
		free(loop->shown);
		return DP_ERR_NOMEM;
	}
	memcpy(loop->exact, like->exact, length * sizeof(*loop->exact));
	if (like->shown)
		memcpy(loop->shown, like->shown, like->shown_length * sizeof(*loop->shown));
	for (size_t i = 0; i < length; i++)
		loop->coarse[i] = dp_stream_loops__class(loops, loop->exact[i]);
	loops->count++;
	return DP_OK;
}

/* Returns true if one length exceeds another by more than two patterns of one loop may differ. */
static bool is_longer(size_t length, size_t other)
{
	return length * dp_param.online_longer > other * (dp_param.online_longer + 1);
}

/*
 * Two patterns of one loop, found by two searches, differ by the edits of the iterations that each
 * was taken from. Those of two loops share fewer kernels, or one holds the other several times. So
 * three iterations of one should match about three of the other.
 */
static int alike(bool *same, const uint32_t *thrice, size_t n, const struct dp_stream_loop *loop)
{
	struct dp_align_pattern pattern = { loop->coarse, loop->length };
	struct dp_alignment al;
	size_t expected = 3 * loop->length, advance = 0, uncovered = dp_param.online_uncovered;
	int status = dp_align__run(&al, thrice, n, &pattern, 1);

	if (status)
		return status;
	for (size_t k = 0; k < al.span_count; k++)
		advance += dp_align__advance(&al, k);
	*same = dp_align__covered(&al, NULL) * uncovered >= n * (uncovered - 1) &&
		al.edit_count * dp_param.online_edited <= n &&
		advance * uncovered >= expected * (uncovered - 1) && !is_longer(advance, expected);
	dp_align__fini(&al);
	return DP_OK;
}

int dp_stream_loops__same(uint32_t *index, const struct dp_stream_loops *loops,
			  const uint32_t *exact, size_t length)
{
	uint32_t *thrice = dp_alloc__array(length, 3 * sizeof(*thrice));
	bool same = false;
	int status = DP_OK;

	*index = DP_NONE;
	if (!thrice)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < length; i++)
		thrice[i] = thrice[length + i] = thrice[2 * length + i] =
			dp_stream_loops__class(loops, exact[i]);
	for (size_t i = 0; i < loops->count && !status && !same; i++) {
		size_t other = loops->items[i].length;

		if (is_longer(length, other) || is_longer(other, length))
			continue;
		status = alike(&same, thrice, 3 * length, &loops->items[i]);
		if (!status && same)
			*index = (uint32_t)i;
	}
	free(thrice);
	return status;
}

/* Numbers the symbols densely; keys receives the symbol of each number. */
static int make_dense(struct dp_stream_loops *found, uint32_t *dense, uint32_t **keys,
		      const uint32_t *symbols, size_t n)
{
	size_t room = 0;
	int status = DP_OK;

	for (size_t i = 0; i < n && !status; i++) {
		dense[i] = dp_stream_loops__class(found, symbols[i]);
		if (dense[i] < found->classes)
			continue;
		status = dp_array__reserve(keys, &room, dense[i] + 1, sizeof(**keys));
		if (!status) {
			(*keys)[found->classes++] = symbols[i];
			status = set_class(found, symbols[i], dense[i]);
		}
	}
	return status;
}

/* Takes the classes that the tree found as the names from now on. */
static int take_classes(struct dp_stream_loops *found, const struct dp_detection *d,
			const uint32_t *keys)
{
	int status = DP_OK;

	found->classes = d->request->alphabet;
	if (!d->coarse)
		return DP_OK;
	found->classes = d->sequence.alphabet;
	found->by_class = true;
	for (size_t i = 0; i < d->request->count && !status; i++)
		status = set_class(found, keys[d->request->symbols[i]], d->coarse[i]);
	return status;
}

/* Adds a loop by its symbols as fed, or collapsed if only then its iterations are alike. */
static int take_loop(struct dp_stream_loops *found, uint32_t *pattern, size_t length)
{
	struct dp_stream_loop loop = { .exact = pattern, .length = length };
	struct dp_runs collapsed = { 0 };
	uint32_t *rotated = NULL;
	int status = DP_OK;

	if (found->collapsed) {
		status = dp_collapse__iteration(&collapsed, pattern, length);
		if (!status)
			rotated =
				dp_pattern__repeat(pattern, length, collapsed.position[0], length);
		if (!status && !rotated)
			status = DP_ERR_NOMEM;
		loop = (struct dp_stream_loop){ .exact = collapsed.symbols,
						.length = collapsed.count,
						.shown = rotated,
						.shown_length = length };
	}
	if (!status)
		status = dp_stream_loops__add(found, &loop);
	free(rotated);
	dp_runs__fini(&collapsed);
	return status;
}

/* Adds the loops of the level that is shown. */
static int take_loops(struct dp_stream_loops *found, const struct dp_loops *loops,
		      const uint32_t *keys)
{
	int status = DP_OK;

	for (size_t k = 0; k < loops->count && !status; k++) {
		const struct dp_sequence_loop *loop = &loops->loops[k];

		if (!loop->chosen || found->count == DP_PATTERNS_MAX)
			continue;
		for (size_t i = 0; i < loop->length; i++)
			loop->pattern[i] = keys[loop->pattern[i]];
		status = take_loop(found, loop->pattern, loop->length);
		if (status)
			break;
		found->items[found->count - 1].confidence = dp_confidence__of(&loop->confidence);
	}
	return status;
}

int dp_stream__search(struct dp_stream_loops *found, const uint32_t *symbols, size_t n,
		      bool open_begin, bool goes_on)
{
	struct dp_loops loops = { 0 };
	struct dp_loops_request r = {
		.count = n,
		.epsilon = 1,
		.evidence = { .open_begin = open_begin, .open_end = true, .goes_on = goes_on },
	};
	struct dp_detection d = { .request = &r, .loops = &loops };
	uint32_t *dense = dp_alloc__array(DP_MAX(n, 1), sizeof(*dense)), *keys = NULL;
	int status = dense ? DP_OK : DP_ERR_NOMEM;

	*found = (struct dp_stream_loops){ 0 };
	if (!status)
		status = make_dense(found, dense, &keys, symbols, n);
	r.symbols = dense;
	r.alphabet = found->classes;
	d.sequence = (struct dp_search_sequence){ dense, n, r.alphabet, NULL, NULL, true };
	if (!status)
		status = dp_detection__tree(&d);
	if (!status)
		status = take_classes(found, &d, keys);
	found->collapsed = d.collapsed;
	if (!status)
		status = take_loops(found, &loops, keys);
	dp_loops__fini(&loops);
	dp_detection__fini(&d);
	free(keys);
	free(dense);
	return status;
}
