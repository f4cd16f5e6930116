/*
 * Where the time of an iteration goes, as a bar: the mean period in parts that sum up to it. A
 * part's columns follow from its share by largest remainders, with at least one if it is named.
 */
#include "report/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Smaller parts are not named. */
#define LEAST_SHARE 0.02
#define LEAST_SHARE_VERBOSE 0.005

/* Share of idle time without known cause that is mentioned. */
#define LEAST_DOUBT 0.2

static const struct {
	const char *summary;
	const char *words;
	const char *glyph; /* one column */
	const char *plain; /* ASCII */
	const char *style;
} parts[] = {
	{ "avg_compute_ns", "compute", "\xe2\x96\x88", "#", DP_STYLE_GREEN },
	{ "avg_comm_exposed_ns", "exposed communication", "\xe2\x96\x93", "%", "35" },
	{ "avg_copy_exposed_ns", "exposed copies", "\xe2\x96\x92", "=", "36" },
	{ "avg_host_wait_ns", "host wait", "\xe2\x96\x91", ".", "31" },
	{ "avg_input_wait_ns", "input wait", "i", "i", "31" },
	{ "avg_idle_sync_ns", "sync wait", "s", "s", "31" },
	{ "avg_idle_copy_ns", "host in copies", "c", "c", "31" },
	{ "avg_idle_launch_ns", "launch latency", "\xc2\xb7", ":", "33" },
	{ "avg_idle_other_ns", "idle otherwise", "-", "-", "33" },
};

/* Replaces the causes if the trace has no launches. */
#define FIRST_CAUSE 3
static const char *const idle_summary = "avg_idle_ns";
static const char *const idle_words = "idle";
static const char *const no_cause = " (cause not recorded)";

struct spent {
	double value_ns[DP_COUNT(parts)];
	size_t columns[DP_COUNT(parts)];
	double total_ns;
	bool causes;
};

static bool measure(struct spent *spent, const struct dp_render *render, size_t loop)
{
	*spent = (struct spent){ .causes = true };
	for (size_t i = 0; i < DP_COUNT(parts); i++) {
		double value = dp_text__summary(render, loop, parts[i].summary);

		if (i == FIRST_CAUSE && isnan(value)) {
			spent->causes = false;
			value = dp_text__summary(render, loop, idle_summary);
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

/* Distributes all columns: whole ones first, then one each to the largest remainders. */
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

/* One of the bar's parts: "# compute 54.5%". Returns its width. */
static size_t legend(char *buf, size_t size, const struct dp_render *render,
		     const struct spent *spent, size_t part)
{
	char number[DP_NUMBER_SIZE];

	bool unknown = part == FIRST_CAUSE && !spent->causes;

	snprintf(buf, size, " %s %s%s", unknown ? idle_words : parts[part].words,
		 dp_human__share(number, share(spent, part)), unknown ? no_cause : "");
	return dp_label_width(glyph(render, part)) + dp_label_width(buf);
}

/* Writes the legend; a part is never split across lines. */
static void write_legend(struct dp_render *render, const struct spent *spent)
{
	size_t width = ((struct dp_text *)render->state)->width, used = DP_TEXT_BODY;
	double least = render->options->verbose ? LEAST_SHARE_VERBOSE : LEAST_SHARE;
	char text[100];

	dp_text__blanks(render, DP_TEXT_BODY);
	for (size_t i = 0; i < DP_COUNT(parts); i++) {
		size_t more = legend(text, sizeof(text), render, spent, i);

		if (share(spent, i) < least && !spent->columns[i])
			continue;
		if (used > DP_TEXT_BODY && used + 2 + more + 1 > width) {
			dp_render__text(render, ",\n");
			dp_text__blanks(render, DP_TEXT_BODY);
			used = DP_TEXT_BODY;
		}
		if (used > DP_TEXT_BODY) {
			dp_render__text(render, ", ");
			used += 2;
		}
		dp_text__styled(render, parts[i].style, glyph(render, i));
		dp_render__text(render, text);
		used += more;
	}
	dp_render__text(render, "\n");
}

/* Writes that most of the time is idle, and that the trace does not show why. */
static void write_doubt(struct dp_render *render, const struct spent *spent)
{
	size_t other = DP_COUNT(parts) - 1;

	if (!(share(spent, other) >= LEAST_DOUBT))
		return;
	for (size_t i = 0; i < other; i++)
		if (spent->value_ns[i] > spent->value_ns[other])
			return;
	dp_text__blanks(render, DP_TEXT_BODY);
	dp_text__wrap(render, DP_TEXT_BODY, DP_TEXT_BODY,
		      "the trace does not show why the GPU is idle otherwise: it may wait for work "
		      "on other streams, or for launches that were not recorded (of a graph, or "
		      "by another thread)");
}

const char *dp_text__part(const struct dp_render *render, size_t loop, size_t index,
			  const char **metric)
{
	bool causes = isfinite(dp_text__summary(render, loop, parts[FIRST_CAUSE].summary));

	if (index >= DP_COUNT(parts) || (!causes && index > FIRST_CAUSE))
		return NULL;
	*metric = causes || index < FIRST_CAUSE ? parts[index].summary : idle_summary;
	*metric += strlen("avg_");
	return causes || index < FIRST_CAUSE ? parts[index].words : idle_words;
}

const char *dp_text__part_words(const char *metric)
{
	for (size_t i = 0; i < DP_COUNT(parts); i++)
		if (!strcmp(parts[i].summary + strlen("avg_"), metric))
			return parts[i].words;
	return idle_words;
}

void dp_text__spent(struct dp_render *render, size_t loop)
{
	size_t width = ((struct dp_text *)render->state)->width;
	struct spent spent;

	if (!measure(&spent, render, loop))
		return;
	give_columns(&spent, DP_MIN(width, 100) - DP_TEXT_BODY);
	dp_text__label(render, "spent");
	draw(render, &spent);
	write_legend(render, &spent);
	if (spent.causes)
		write_doubt(render, &spent);
}
