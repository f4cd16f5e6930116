/* Sparklines (Tufte, "Beautiful Evidence", 2006) of Unicode's eighth blocks, or of ASCII. */
#include "report/sparkline.h"

#include <math.h>
#include <string.h>

#define LEVELS 8
#define LEAST_SPREAD 0.1

void dp_sparkline__init(struct dp_sparkline *bars, size_t count, size_t room)
{
	memset(bars, 0, sizeof(*bars));
	room = DP_MAX(1, DP_MIN(room, DP_SPARKLINE_COLUMNS));
	bars->group = count ? (count - 1) / room + 1 : 1;
	bars->columns = count ? (count - 1) / bars->group + 1 : 0;
}

void dp_sparkline__add(struct dp_sparkline *bars, size_t index, double value, char mark)
{
	size_t column = index / bars->group;

	if (column >= bars->columns)
		return;
	if (mark)
		bars->mark[column] = mark;
	if (mark || !isfinite(value))
		return;
	if (!bars->count[column]++ || value > bars->most[column])
		bars->most[column] = value;
}

static bool is_blank(const struct dp_sparkline *bars, size_t column)
{
	return !bars->count[column] && !bars->mark[column];
}

void dp_sparkline__trim(struct dp_sparkline *bars)
{
	size_t first = 0;

	while (bars->columns && is_blank(bars, bars->columns - 1))
		bars->columns--;
	while (first < bars->columns && is_blank(bars, first))
		first++;
	bars->columns -= first;
	memmove(bars->most, bars->most + first, bars->columns * sizeof(*bars->most));
	memmove(bars->count, bars->count + first, bars->columns * sizeof(*bars->count));
	memmove(bars->mark, bars->mark + first, bars->columns * sizeof(*bars->mark));
}

bool dp_sparkline__range(const struct dp_sparkline *bars, double *low, double *high)
{
	bool found = false;

	for (size_t i = 0; i < bars->columns; i++) {
		double value = bars->most[i];

		if (!bars->count[i])
			continue;
		*low = found ? fmin(*low, value) : value;
		*high = found ? fmax(*high, value) : value;
		found = true;
	}
	return found;
}

void dp_sparkline__draw_within(struct dp_render *render, const struct dp_sparkline *bars,
			       double low, double high)
{
	static const char *const blocks[LEVELS] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	static const char *const ascii[LEVELS] = { "_", ".", "-", "=", "+", "*", "#", "@" };
	const char *const *levels = render->options->ascii ? ascii : blocks;

	low = fmin(low, high * (1 - LEAST_SPREAD));
	for (size_t i = 0; i < bars->columns; i++) {
		double level = (bars->most[i] - low) / (high - low);

		if (bars->count[i])
			dp_render__text(
				render,
				levels[level > 0 ? DP_MIN((int)(level * LEVELS), LEVELS - 1) : 0]);
		else
			dp_render__text(render, (char[]){ bars->mark[i] ? bars->mark[i] : ' ', 0 });
	}
}

void dp_sparkline__draw(struct dp_render *render, const struct dp_sparkline *bars)
{
	double low, high;

	if (dp_sparkline__range(bars, &low, &high))
		dp_sparkline__draw_within(render, bars, low, high);
}
