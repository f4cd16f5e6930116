/* Repetitions that are collapsed, and rotations of a pattern, held against what each must satisfy.
 */
#include "pattern/pattern.h"
#include "pattern/runs.h"
#include "test.h"

#include <string.h>

enum { MOST = 400, ALPHABET = 3, LEAST_TIMES = 3, LEAST_SYMBOLS = 4 };

static uint32_t symbols[MOST];
static size_t count;

/* Repetitions of short random units, with other symbols between them. */
static void make(uint64_t seed)
{
	uint64_t random = seed + 1;
	uint32_t unit[8];

	count = 0;
	while (count < MOST - sizeof(unit) / sizeof(unit[0]) * 8) {
		size_t length, times;

		random = random * 6364136223846793005u + 1442695040888963407u;
		length = 1 + (size_t)(random >> 60) % 8;
		times = 1 + (size_t)(random >> 52) % 8;
		for (size_t i = 0; i < length; i++)
			unit[i] = (uint32_t)(random >> (8 + 5 * i)) % ALPHABET;
		for (size_t i = 0; i < length * times; i++)
			symbols[count++] = unit[i % length];
	}
}

/* The symbols that repetitions of a period have in addition to the first, each found by itself. */
static size_t repeated(size_t period)
{
	size_t all = 0;

	for (size_t at = 0, end; at + period < count; at = end) {
		for (end = at; end + period < count && symbols[end] == symbols[end + period];)
			end++;
		if (end - at + period >= DP_MAX(LEAST_TIMES * period, LEAST_SYMBOLS + period))
			all += end - at;
		end = DP_MAX(end, at + 1);
	}
	return all;
}

static size_t shortest(void)
{
	for (size_t period = 1; period <= 64 && period < count; period++)
		if (repeated(period) * 100 > count)
			return period;
	return 0;
}

/* Writes the collapsed sequence out again. */
static void check_collapsed(size_t period)
{
	struct dp_runs runs;

	ck_assert_int_eq(dp_runs__collapse(&runs, symbols, count, ALPHABET, period, true), DP_OK);
	ck_assert_uint_gt(runs.runs, 0);
	ck_assert_uint_lt(runs.count, count);
	ck_assert_uint_eq(runs.position[0], 0);
	ck_assert_uint_eq(runs.position[runs.count], count);
	for (size_t k = 0; k < runs.count; k++) {
		size_t at = runs.position[k], length = runs.position[k + 1] - at;
		const struct dp_substring *unit;

		if (runs.symbols[k] < ALPHABET) {
			ck_assert_uint_eq(length, 1);
			ck_assert_uint_eq(runs.symbols[k], symbols[at]);
			continue;
		}
		ck_assert_uint_lt(runs.symbols[k], runs.alphabet);
		unit = &runs.units[runs.symbols[k] - ALPHABET];
		ck_assert_uint_eq(unit->length, period);
		ck_assert_uint_eq(length % period, 0);
		for (size_t i = 0; i < length; i++)
			ck_assert_uint_eq(symbols[at + i], symbols[unit->at + i % period]);
	}
	dp_runs__fini(&runs);
}

TEST_LOOP(collapsed_sequences_can_be_expanded, 500)
{
	size_t period;

	make((uint64_t)_i);
	period = dp_runs__shortest_period(symbols, count);
	ck_assert_uint_eq(period, shortest());
	if (period)
		check_collapsed(period);
}

/* Counts that grow steadily need few bits, however many there are. */
TEST(steady_counts_need_few_bits)
{
	static const uint8_t shuffled[] = { 9, 2, 14, 0, 7, 12, 5, 15, 3, 10, 1, 13, 6, 11, 4, 8 };
	double bits[2];

	for (int steady = 0; steady < 2; steady++) {
		struct dp_runs runs;

		count = 0;
		for (size_t i = 0; i < DP_COUNT(shuffled); i++) {
			symbols[count++] = 1;
			for (size_t k = 0; k < 6 + (steady ? i : shuffled[i]); k++)
				symbols[count++] = 0;
		}
		ck_assert_int_eq(dp_runs__collapse(&runs, symbols, count, ALPHABET, 1, true),
				 DP_OK);
		ck_assert_uint_eq(runs.count, 32);
		ck_assert_int_eq(dp_runs__bits(&bits[steady], &runs, ALPHABET), DP_OK);
		dp_runs__fini(&runs);
	}
	ck_assert_double_lt(bits[1], bits[0] / 4);
}

/* Runs that are always longer at another place do not vary. */
TEST(runs_vary_at_their_place)
{
	static const struct {
		size_t times[3];
		size_t variation;
	} cases[] = { { { 6, 6, 6 }, 0 }, { { 6, 9, 6 }, 3 }, { { 9, 5, 7 }, 4 } };

	for (size_t c = 0; c < DP_COUNT(cases); c++) {
		struct dp_runs runs;
		size_t variation;

		count = 0;
		symbols[count++] = 2;
		for (size_t i = 0; i < DP_COUNT(cases[c].times); i++) {
			for (size_t k = 0; k < cases[c].times[i]; k++)
				symbols[count++] = 0;
			symbols[count++] = 1;
			for (size_t k = 0; k < 20; k++)
				symbols[count++] = 0;
			symbols[count++] = 2;
		}
		ck_assert_int_eq(dp_runs__collapse(&runs, symbols, count, ALPHABET, 1, true),
				 DP_OK);
		ck_assert_int_eq(dp_runs__variation(&variation, &runs, ALPHABET), DP_OK);
		ck_assert_uint_eq(variation, cases[c].variation);
		dp_runs__fini(&runs);
	}
}

TEST_LOOP(rotations_are_found, 200)
{
	uint32_t twice[2 * 20], stretch[20];
	uint64_t random = (uint64_t)_i + 1;
	size_t m = 1 + (size_t)_i % 20, by = (size_t)_i * 7 % m, offset;
	bool changed = _i % 3 == 0;

	for (size_t i = 0; i < m; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		twice[i] = twice[i + m] = (uint32_t)(random >> 40) % 2;
	}
	memcpy(stretch, twice + by, m * sizeof(*stretch));
	if (changed)
		stretch[m / 2] = 2;
	ck_assert_int_eq(dp_pattern__rotation(&offset, twice, stretch, m), DP_OK);
	if (changed) {
		ck_assert_uint_eq(offset, SIZE_MAX);
		return;
	}
	ck_assert_uint_lt(offset, m);
	ck_assert_int_eq(memcmp(twice + offset, stretch, m * sizeof(*stretch)), 0);
}
