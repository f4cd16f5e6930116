/*
 * Aligns the positions of two patterns by a longest common subsequence of their families. Patterns
 * are cycles: if two runs were cut at different kernels, the second one is rotated to where most of
 * the adjacent pairs that are unique in both match the first.
 */
#include "base/lookup.h"
#include "compare/compare.h"
#include "compare/lcs.h"

#include <math.h>
#include <string.h>

/*
 * Between aligned kernels, at most this many replace each other one by one, if they are equally
 * many.
 */
#define REPLACED_MOST 8

/* Share of the kernels in both that must align; otherwise rotations are tried. */
#define WELL_ALIGNED 0.9

struct sides {
	const struct dp_analysis *run[2];
	size_t loop[2];
	struct dp_pattern_families families[2];
	struct dp_family_names names;
	uint32_t *partner; /* for each position of the first, that of the rotated second */
	uint32_t *turned;
	size_t turn; /* the second's position that comes first */
	size_t same;
};

static size_t count_partners(const uint32_t *partner, size_t count)
{
	size_t same = 0;

	for (size_t i = 0; i < count; i++)
		same += partner[i] != DP_NONE;
	return same;
}

static int align(struct sides *sides, size_t turn)
{
	const struct dp_pattern_families *a = &sides->families[0], *b = &sides->families[1];

	memcpy(sides->turned, b->symbols + turn, (b->length - turn) * sizeof(*b->symbols));
	memcpy(sides->turned + b->length - turn, b->symbols, turn * sizeof(*b->symbols));
	if (dp_lcs__run(sides->partner, a->symbols, a->length, sides->turned, b->length,
			(uint32_t)sides->names.families.count))
		return DP_ERR_NOMEM;
	sides->turn = turn;
	sides->same = count_partners(sides->partner, a->length);
	return DP_OK;
}

/* The id of two adjacent kernels, the same in both patterns; DP_NONE if memory runs out. */
static uint32_t number_of(struct dp_lookup *pairs, const struct dp_pattern_families *families,
			  size_t i)
{
	size_t next = i + 1 < families->length ? i + 1 : 0;
	struct dp_key key = { { families->symbols[i], families->symbols[next], 0, 0 } };
	uint32_t number = dp_lookup__get(pairs, &key);

	if (number != DP_NONE)
		return number;
	number = (uint32_t)pairs->count;
	return dp_lookup__set(pairs, &key, number) ? DP_NONE : number;
}

/* Sets, per id, its only position plus 1; 0 if there is none, SIZE_MAX if there are several. */
static int mark_unique(size_t *place, struct dp_lookup *pairs,
		       const struct dp_pattern_families *families)
{
	for (size_t i = 0; i < families->length; i++) {
		uint32_t number = number_of(pairs, families, i);

		if (number == DP_NONE)
			return DP_ERR_NOMEM;
		place[number] = place[number] ? SIZE_MAX : i + 1;
	}
	return DP_OK;
}

/* Finds the rotation of the second that matches most of the unique adjacent pairs. */
static int find_turn(const struct sides *sides, size_t *turn)
{
	const struct dp_pattern_families *a = &sides->families[0], *b = &sides->families[1];
	size_t most = a->length + b->length;
	size_t *first = dp_alloc__zeroed(most, sizeof(*first));
	size_t *second = dp_alloc__zeroed(most, sizeof(*second));
	size_t *votes = dp_alloc__zeroed(b->length, sizeof(*votes));
	struct dp_lookup pairs = { 0 };
	int status = DP_ERR_NOMEM;

	*turn = 0;
	if (!first || !second || !votes || mark_unique(first, &pairs, a) ||
	    mark_unique(second, &pairs, b))
		goto out;
	for (size_t i = 0; i < pairs.count; i++) {
		if (!first[i] || first[i] == SIZE_MAX || !second[i] || second[i] == SIZE_MAX)
			continue;
		votes[(second[i] + b->length - first[i] % b->length) % b->length]++;
	}
	for (size_t i = 1; i < b->length; i++)
		if (votes[i] > votes[*turn])
			*turn = i;
	status = DP_OK;
out:
	dp_lookup__fini(&pairs);
	free(first);
	free(second);
	free(votes);
	return status;
}

static int align_turned(struct sides *sides, double alike)
{
	size_t all = sides->families[0].length + sides->families[1].length, turn;
	size_t straight;

	if (align(sides, 0))
		return DP_ERR_NOMEM;
	straight = sides->same;
	if (2.0 * (double)straight >= WELL_ALIGNED * alike * (double)all)
		return DP_OK;
	if (find_turn(sides, &turn) || (turn && align(sides, turn)))
		return DP_ERR_NOMEM;
	return turn && sides->same <= straight ? align(sides, 0) : DP_OK;
}

static const struct dp_estimate none = { .value = (double)NAN };

/* The time at a position; analyses of chosen metrics have none. */
static struct dp_estimate estimate(const struct dp_time_stat *stat, double wider)
{
	double n = stat ? (double)stat->count : 0;
	double variance;

	if (!stat)
		return none;
	variance = stat->stddev_ns * stat->stddev_ns / (n - 1) * wider;
	return (struct dp_estimate){
		.value = stat->mean_ns,
		.variance = variance,
		.least = stat->min_ns,
		.most = stat->max_ns,
		.freedom = DP_MAX(n / wider - 1, 2),
		.count = stat->count,
	};
}

static void add(struct dp_comparison *comparison, struct dp_pair_data *pair,
		const struct sides *sides, size_t i, size_t j)
{
	struct dp_pair_place *made = &pair->places[pair->place_count++];
	size_t length = sides->families[1].length;
	struct dp_estimate both[2] = { none, none };

	made->index[0] = i;
	made->index[1] = j == SIZE_MAX ? j : (j + sides->turn) % length;
	for (int run = 0; run < 2; run++)
		if (made->index[run] != SIZE_MAX)
			both[run] = estimate(dp_analysis_loop_position_stat(sides->run[run],
									    sides->loop[run],
									    made->index[run]),
					     pair->widening[run]);
	made->ns = dp_difference__of(both, comparison->deviations);
}

/* Adds the positions between two that are aligned. */
static void add_between(struct dp_comparison *comparison, struct dp_pair_data *pair,
			const struct sides *sides, const size_t from[2], const size_t to[2])
{
	size_t removed = to[0] - from[0], added = to[1] - from[1];
	bool replaced = removed == added && removed <= REPLACED_MOST;

	for (size_t i = 0; i < removed; i++)
		add(comparison, pair, sides, from[0] + i, replaced ? from[1] + i : SIZE_MAX);
	for (size_t j = 0; j < added && !replaced; j++)
		add(comparison, pair, sides, SIZE_MAX, from[1] + j);
	pair->info.replaced += replaced ? removed : 0;
	pair->info.removed += replaced ? 0 : removed;
	pair->info.added += replaced ? 0 : added;
}

static void add_all(struct dp_comparison *comparison, struct dp_pair_data *pair,
		    const struct sides *sides)
{
	size_t from[2] = { 0, 0 }, to[2];

	for (size_t i = 0; i < sides->families[0].length; i++) {
		if (sides->partner[i] == DP_NONE)
			continue;
		to[0] = i;
		to[1] = sides->partner[i];
		add_between(comparison, pair, sides, from, to);
		add(comparison, pair, sides, to[0], to[1]);
		from[0] = to[0] + 1;
		from[1] = to[1] + 1;
	}
	to[0] = sides->families[0].length;
	to[1] = sides->families[1].length;
	add_between(comparison, pair, sides, from, to);
	pair->info.same = sides->same;
}

int dp_compare__places(struct dp_comparison *comparison, struct dp_pair_data *pair)
{
	struct sides sides = { .same = 0 };
	size_t lengths = 0;
	int status = DP_ERR_NOMEM;

	for (int run = 0; run < 2; run++) {
		sides.run[run] = comparison->run[run];
		sides.loop[run] = pair->info.loop[run];
		if (dp_families__init(&sides.families[run], &sides.names, sides.run[run],
				      sides.loop[run]))
			goto out;
		lengths += sides.families[run].length;
	}
	sides.partner = dp_alloc__array(sides.families[0].length, sizeof(*sides.partner));
	sides.turned = dp_alloc__array(sides.families[1].length, sizeof(*sides.turned));
	pair->places = dp_alloc__array(lengths, sizeof(*pair->places));
	if (!sides.partner || !sides.turned || !pair->places ||
	    align_turned(&sides, pair->info.similarity))
		goto out;
	add_all(comparison, pair, &sides);
	status = DP_OK;
out:
	dp_families__fini(&sides.families[0]);
	dp_families__fini(&sides.families[1]);
	dp_family_names__fini(&sides.names);
	free(sides.partner);
	free(sides.turned);
	return status;
}
