/*
 * Where the time of an iteration goes, as a bar: the mean period in parts that sum to it. A part
 * has as many columns as its share gives, by largest remainders, and at least one if it is named.
 */
#include "report/text.h"

#include <math.h>
#include <string.h>

#define INDENT 2
#define TITLE 7

/* A part that is smaller is not named. */
#define LEAST_SHARE 0.005

static const struct {
	const char *summary;
	const char *words;
	const char *glyph;
	const char *plain; /* ASCII */
	const char *style;
} parts[] = {
	{ "avg_compute_ns", "compute", "\xe2\x96\x88", "#", DP_STYLE_GREEN },
	{ "avg_comm_exposed_ns", "communication", "\xe2\x96\x93", "%", "35" },
	{ "avg_copy_exposed_ns", "copies", "\xe2\x96\x92", "=", "36" },
	{ "avg_idle_host_ns", "waiting for the host", "\xe2\x96\x91", ".", "31" },
	{ "avg_idle_sync_ns", "host synchronizes", "s", "s", "31" },
	{ "avg_idle_copy_ns", "host copies", "c", "c", "31" },
	{ "avg_idle_launch_ns", "between launches", "\xc2\xb7", ":", "33" },
	{ "avg_idle_other_ns", "idle otherwise", "-", "-", "33" },
};

/* Instead of the causes, where the trace has no launches. */
#define FIRST_CAUSE 3
static const char *const idle_summary = "avg_idle_ns";
static const char *const idle_words = "idle";

struct spent {
	double value_ns[DP_COUNT(parts)];
	size_t columns[DP_COUNT(parts)];
	double total_ns;
	bool causes;
};

static double value_of(const struct dp_render *render, size_t loop, const char *name)
{
	size_t index;

	return dp_text__find_summary(name, &index) ? dp_loop_summary(render->analysis, loop, index)
						   : (double)NAN;
}

static bool measure(struct spent *spent, const struct dp_render *render, size_t loop)
{
	*spent = (struct spent){ .causes = true };
	for (size_t i = 0; i < DP_COUNT(parts); i++) {
		double value = value_of(render, loop, parts[i].summary);

		if (i == FIRST_CAUSE && isnan(value)) {
			spent->causes = false;
			value = value_of(render, loop, idle_summary);
		}
		if (isnan(value) && (spent->causes || i <= FIRST_CAUSE))
			return false;
		spent->value_ns[i] = isnan(value) ? 0 : value;
		spent->total_ns += spent->value_ns[i];
	}
	return spent->total_ns > 0;
}

static double share(const struct spent *spent, size_t part)
{
	return spent->value_ns[part] / spent->total_ns;
}

/* All columns are given away: whole ones first, then one each to the largest rests. */
static void give_columns(struct spent *spent, size_t room)
{
	double rest[DP_COUNT(parts)];
	size_t left = room;

	for (size_t i = 0; i < DP_COUNT(parts); i++) {
		double exact = share(spent, i) * (double)room;

		spent->columns[i] = DP_MIN((size_t)exact, left);
		rest[i] = exact - (double)spent->columns[i];
		left -= spent->columns[i];
	}
	while (left--) {
		size_t most = 0;

		for (size_t i = 1; i < DP_COUNT(parts); i++)
			if (rest[i] > rest[most])
				most = i;
		spent->columns[most]++;
		rest[most] -= 1;
	}
}

static const char *glyph(const struct dp_render *render, size_t part)
{
	return render->options->ascii ? parts[part].plain : parts[part].glyph;
}

static void draw(struct dp_render *render, const struct spent *spent)
{
	for (size_t i = 0; i < DP_COUNT(parts); i++) {
		if (!spent->columns[i])
			continue;
		dp_text__style_begin(render, parts[i].style);
		for (size_t n = 0; n < spent->columns[i]; n++)
			dp_render__text(render, glyph(render, i));
		dp_text__style_end(render);
	}
	dp_render__text(render, "\n");
}

void dp_text__spent(struct dp_render *render, size_t loop)
{
	size_t width = ((struct dp_text *)render->state)->width;
	struct dp_words words = { 0 };
	char number[DP_NUMBER_SIZE];
	struct spent spent;

	if (!measure(&spent, render, loop))
		return;
	give_columns(&spent, DP_MIN(width, 100) - INDENT - TITLE);
	dp_text__blanks(render, INDENT);
	dp_text__column(render, "spent", TITLE);
	draw(render, &spent);
	for (size_t i = 0; i < DP_COUNT(parts); i++)
		if (share(&spent, i) >= LEAST_SHARE)
			dp_words__add(
				&words, "%s%s %s %s", words.used ? ", " : "", glyph(render, i),
				i == FIRST_CAUSE && !spent.causes ? idle_words : parts[i].words,
				dp_human__share(number, share(&spent, i)));
	dp_text__blanks(render, INDENT + TITLE);
	dp_text__wrap(render, INDENT + TITLE, INDENT + TITLE, words.text);
}
