/* Sparklines (Tufte, "Beautiful Evidence", 2006) of Unicode's eighth blocks, or of ASCII. */
#include "report/spark.h"

#include <math.h>
#include <string.h>

#define LEVELS 8
#define LEAST_SPREAD 0.1

void dp_spark__init(struct dp_spark *spark, size_t count, size_t room)
{
	memset(spark, 0, sizeof(*spark));
	room = DP_MAX(1, DP_MIN(room, DP_SPARK_COLUMNS));
	spark->group = count ? (count - 1) / room + 1 : 1;
	spark->columns = count ? (count - 1) / spark->group + 1 : 0;
}

void dp_spark__add(struct dp_spark *spark, size_t index, double value, bool broken)
{
	size_t column = index / spark->group;

	if (column >= spark->columns)
		return;
	spark->broken[column] |= broken;
	if (broken || !isfinite(value))
		return;
	if (!spark->count[column]++ || value > spark->most[column])
		spark->most[column] = value;
}

bool dp_spark__range(const struct dp_spark *spark, double *low, double *high)
{
	bool found = false;

	for (size_t i = 0; i < spark->columns; i++) {
		double value = spark->most[i];

		if (!spark->count[i])
			continue;
		*low = found ? fmin(*low, value) : value;
		*high = found ? fmax(*high, value) : value;
		found = true;
	}
	return found;
}

void dp_spark__draw_within(struct dp_render *render, const struct dp_spark *spark, double low,
			   double high)
{
	static const char *const blocks[LEVELS] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	static const char *const ascii[LEVELS] = { "_", ".", "-", "=", "+", "*", "#", "@" };
	const char *const *levels = render->options->ascii ? ascii : blocks;

	low = fmin(low, high * (1 - LEAST_SPREAD));
	for (size_t i = 0; i < spark->columns; i++) {
		double level = (spark->most[i] - low) / (high - low);

		if (spark->count[i])
			dp_render__text(
				render,
				levels[level > 0 ? DP_MIN((int)(level * LEVELS), LEVELS - 1) : 0]);
		else
			dp_render__text(render, spark->broken[i] ? "|" : " ");
	}
}

void dp_spark__draw(struct dp_render *render, const struct dp_spark *spark)
{
	double low, high;

	if (dp_spark__range(spark, &low, &high))
		dp_spark__draw_within(render, spark, low, high);
}
