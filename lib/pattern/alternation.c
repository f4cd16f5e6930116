/*
 * Steps of numerical programs may alternate: sweeps in x and y come first in turn, buffers are
 * swapped. Then the shortest exact repetition is of two steps or more, each of them one part of it.
 */
#include "pattern/alternation.h"
#include "base/hash.h"
#include "base/parameters.h"

/*
 * The share of the pattern's symbols that equal the symbol `distance` before; if `period` is not 0,
 * of those that differ from the symbol so far before. Repetitions inside the pattern, such as
 * layers, also recur at every multiple of their length; what each part has once does not recur at
 * that of a layer.
 */
static double recurring_share(const struct dp_pattern *p, size_t distance, size_t period)
{
	size_t all = 0, same = 0;

	for (size_t i = distance; i < p->length; i++) {
		if (period && p->symbols[i] == p->symbols[i - period])
			continue;
		all++;
		same += p->symbols[i] == p->symbols[i - distance];
	}
	return all ? (double)same / (double)all : 0;
}

/*
 * The number of equal-length parts of the pattern that are alike except for kernels that replace
 * each other, as in alternating sweeps in x and y: each part is an iteration. 1 if there are none.
 */
static size_t alternating(const struct dp_pattern *p)
{
	size_t parts = 2;

	while (parts <= dp_param.alternating_parts &&
	       (p->length % parts ||
		recurring_share(p, p->length / parts, 0) < dp_param.alternating_same))
		parts++;
	if (parts > dp_param.alternating_parts)
		return 1;
	for (size_t period = 1; period <= dp_param.layer_long && period * 2 < p->length / parts;
	     period++)
		if (recurring_share(p, period, 0) >= dp_param.alternating_inside &&
		    recurring_share(p, p->length / parts, period) < dp_param.alternating_same)
			return 1;
	return parts;
}

int dp_alternation__take_one(struct dp_pattern *p, const struct dp_search_sequence *sequence)
{
	size_t parts = alternating(p);

	if (parts == 1)
		return DP_OK;
	dp_explain__add(sequence->explain, "levels",
			DP_FACTS({ "length", "count", (double)p->length },
				 { "parts", "count", (double)parts }),
			"the pattern of {length:symbol} is {parts} parts that are alike except for "
			"symbols that replace each other: each is an iteration");
	p->length /= parts;
	return dp_pattern__refine(p, sequence->symbols, sequence->n, sequence->symbol_bits);
}

enum { PARTS_MAX = 8 }; /* at least alternating_parts */

/*
 * Sums of hashes stand for the multisets; a collision costs only a search. Each step moves
 * all parts by one symbol.
 */
bool dp_alternation__is_reordered(const struct dp_pattern *p, size_t parts)
{
	size_t m = p->length / parts;
	uint64_t sums[PARTS_MAX] = { 0 };

	if (parts > PARTS_MAX || p->length % parts)
		return false;
	for (size_t i = 0; i < p->length; i++)
		sums[i / m] += dp_hash__symbols(&p->symbols[i], 1);
	for (size_t offset = 0; offset < m; offset++) {
		size_t same = 1;

		while (same < parts && sums[same] == sums[0])
			same++;
		if (same == parts)
			return true;
		for (size_t k = 0; k < parts; k++) {
			uint64_t moved = dp_hash__symbols(&p->symbols[k * m + offset], 1);

			sums[k] -= moved;
			sums[(k + parts - 1) % parts] += moved;
		}
	}
	return false;
}
