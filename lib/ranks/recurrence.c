/* Since when, and how often, a rank is slow. */
#include "ranks/blame.h"

#include <math.h>

size_t dp_blame__since(const double *values, size_t count)
{
	double total = 0, before = 0, best = 0;
	size_t since = 0;

	for (size_t i = 0; i < count; i++)
		total += values[i];
	/* the split whose two means explain most of the squares */
	for (size_t i = 1; i < count; i++) {
		double first, second, gain;

		before += values[i - 1];
		first = before / (double)i;
		second = (total - before) / (double)(count - i);
		gain = (second - first) * (second - first) * (double)i * (double)(count - i);
		/* a rank with a third of the excess, or half of all, before was slow already */
		if (second > 0 && first < second / 3 && before < total - before && gain > best) {
			best = gain;
			since = i;
		}
	}
	return since;
}

size_t dp_blame__every(const double *values, size_t count)
{
	double high = -INFINITY;
	size_t last = SIZE_MAX, every = 0, distances = 0, regular = 0;

	for (size_t i = 0; i < count; i++)
		high = fmax(high, values[i]);
	for (size_t i = 0; i < count; i++) {
		/* an unknown value is part of the next one: distances across it are unknown */
		if (isnan(values[i]))
			last = SIZE_MAX;
		if (!(values[i] > high / 2) || (i && isnan(values[i - 1])))
			continue;
		if (last != SIZE_MAX) {
			every = every ? every : i - last;
			regular += i - last == every;
			distances++;
		}
		last = i;
	}
	/* three distances of which nine in ten are equal are no coincidence */
	return every > 1 && distances >= 3 && regular * 10 >= distances * 9 ? every : 0;
}
