/*
 * Copies in the verbose text report: direction, amount and rate. Cost: linear in the operations.
 */
#include "base/text.h"
#include "report/text.h"

#include <math.h>
#include <stdio.h>

#define DIRECTIONS 14
#define MEMORIES 8
#define CLASSES (DIRECTIONS * MEMORIES * MEMORIES)
#define ROWS_MOST 12
#define NARROW 80    /* in fewer columns the rate is left out, and names are short */
#define NARROWEST 52 /* and the time */

struct copies {
	uint64_t count;
	double bytes;
	double time_ns; /* sum of durations */
};

/* The direction and the kinds of memory at both ends, as one number. */
static size_t class_of(const struct dp_ops *ops, size_t i)
{
	size_t direction = ops->copy_kind[i] < DIRECTIONS ? ops->copy_kind[i] : DP_COPY_UNKNOWN;
	size_t from = ops->src_kind[i] < MEMORIES ? ops->src_kind[i] : DP_MEMORY_UNKNOWN;
	size_t to = ops->dst_kind[i] < MEMORIES ? ops->dst_kind[i] : DP_MEMORY_UNKNOWN;

	return (direction * MEMORIES + from) * MEMORIES + to;
}

static size_t width_of(const struct dp_render *render)
{
	return ((const struct dp_text *)render->state)->width;
}

/* "host to device (pageable to device)", in short "pageable to device". Returns buf. */
static char *name_of(char buf[DP_LABEL_SIZE], size_t class, bool brief)
{
	static const char *const directions[DIRECTIONS] = { "copy",
							    "host to device",
							    "device to host",
							    "host to array",
							    "array to host",
							    "array to array",
							    "array to device",
							    "device to array",
							    "device to device",
							    "host to host",
							    "peer to peer",
							    "migration to device",
							    "migration to host",
							    "migration between devices" };
	static const char *const memories[MEMORIES] = { "?",	  "pageable",	   "pinned",
							"device", "array",	   "managed",
							"static", "managed static" };
	size_t to = class % MEMORIES, from = class / MEMORIES % MEMORIES;
	const char *direction = directions[class / MEMORIES / MEMORIES];
	/* if the kinds of memory imply the direction, once is enough */
	bool same = (from == DP_MEMORY_DEVICE || from == DP_MEMORY_ARRAY) && from == to;

	if ((from == DP_MEMORY_UNKNOWN && to == DP_MEMORY_UNKNOWN) ||
	    (same && class / MEMORIES / MEMORIES != DP_COPY_UNKNOWN))
		snprintf(buf, DP_LABEL_SIZE, "%s", direction);
	else if (brief && from != DP_MEMORY_UNKNOWN && to != DP_MEMORY_UNKNOWN)
		snprintf(buf, DP_LABEL_SIZE, "%s to %s", memories[from], memories[to]);
	else if (brief)
		snprintf(buf, DP_LABEL_SIZE, "%s", direction);
	else if (from == to)
		snprintf(buf, DP_LABEL_SIZE, "%s (%s)", direction, memories[from]);
	else
		snprintf(buf, DP_LABEL_SIZE, "%s (%s to %s)", direction, memories[from],
			 memories[to]);
	return buf;
}

static void write_row(struct dp_render *render, const struct copies *copies, size_t class)
{
	char text[DP_LABEL_SIZE], number[DP_NUMBER_SIZE], digits[DP_TEXT_SIZE];
	double seconds = copies->time_ns / 1e9;
	bool ascii = render->options->ascii;

	dp_text__column(render, dp_text__count(digits, copies->count), -9);
	dp_text__column(render, dp_human__bytes(number, copies->bytes), -11);
	if (width_of(render) >= NARROWEST)
		dp_text__cell(render, dp_human__duration(number, copies->time_ns, ascii), 10);
	dp_human__value(number, seconds > 0 ? copies->bytes / seconds : -1, "bytes/s", ascii);
	if (width_of(render) >= NARROW)
		dp_text__column(render, number, -13);
	dp_render__format(render, "  %s\n", name_of(text, class, width_of(render) < NARROW));
}

/* Writes the rows that took longest; returns the number of the others. */
static size_t write_rows(struct dp_render *render, struct copies *all)
{
	size_t left = 0;

	for (size_t rows = 0; rows < ROWS_MOST || render->options->all; rows++) {
		size_t most = 0;

		for (size_t i = 1; i < CLASSES; i++)
			if (all[i].count &&
			    (!all[most].count || all[i].time_ns > all[most].time_ns))
				most = i;
		if (!all[most].count)
			break;
		write_row(render, &all[most], most);
		all[most].count = 0;
	}
	for (size_t i = 0; i < CLASSES; i++)
		left += all[i].count > 0;
	return left;
}

/* Writes why sums are missing. */
static void write_unknown(struct dp_render *render, size_t unknown, size_t count)
{
	char some[DP_TEXT_SIZE], all[DP_TEXT_SIZE];

	if (unknown == count)
		dp_render__text(render, "the bytes of copies are not recorded\n");
	else if (unknown)
		dp_render__format(render, "the bytes of %s of %s copies are not recorded\n",
				  dp_text__count(some, unknown), dp_text__count(all, count));
}

void dp_text__copies(struct dp_render *render)
{
	const struct dp_ops *ops = dp_trace_ops(dp_analysis_trace(render->analysis));
	struct copies *all = dp_alloc__zeroed(CLASSES, sizeof(*all));
	char number[DP_NUMBER_SIZE];
	size_t count = 0, unknown = 0, left;

	if (!all) {
		render->status = dp_error__nomem(render->error, CLASSES * sizeof(*all));
		return;
	}
	for (size_t i = 0; i < ops->count; i++) {
		struct copies *at;

		if (ops->kind[i] != DP_OP_COPY)
			continue;
		at = &all[class_of(ops, i)];
		at->count++;
		/* the sum of sizes is unknown if one of them is */
		at->bytes += ops->bytes[i] ? (double)ops->bytes[i] : (double)NAN;
		unknown += !ops->bytes[i];
		at->time_ns += (double)ops->end_ns[i] - (double)ops->start_ns[i];
		count++;
	}
	if (count) {
		dp_text__style_begin(render, DP_STYLE_DIM);
		dp_render__format(render, "\n%9s%11s", "count", "bytes");
		if (width_of(render) >= NARROWEST)
			dp_render__format(render, "%10s", "time");
		if (width_of(render) >= NARROW)
			dp_render__format(render, "%13s", "rate");
		dp_render__text(render, "  copies");
		dp_text__style_end(render);
		dp_render__text(render, "\n");
		left = write_rows(render, all);
		if (left)
			dp_render__format(render, "and %s (-vv shows all)\n",
					  dp_text__plural(number, left, "more kind"));
		write_unknown(render, unknown, count);
	}
	free(all);
}
