/* The head of the text report: what was measured, what is missing, the streams. */
#include "base/text.h"
#include "report/capture.h"
#include "report/text.h"

#include <math.h>
#include <string.h>

#define LOSSES_MOST 3
#define DEVICES_MOST 3
#define STREAMS_MOST 4 /* of one device */
#define STREAMS_MANY 8 /* of several */
#define SIMPLE_MOST 4  /* devices */
#define MINOR_SHARE 0.01 /* of what the streams of a device are busy */

void dp_text__devices(struct dp_words *words, const struct dp_trace *trace, bool ascii)
{
	size_t count = dp_trace_device_count(trace), shown = 0;
	char label[DP_LABEL_SIZE], number[DP_NUMBER_SIZE];

	/* "1 GPU" above "GPU 2" would be read as two */
	if (count == 1 && dp_trace_device(trace, 0)->id > 0)
		dp_words__add(words, "GPU %lld", (long long)dp_trace_device(trace, 0)->id);
	else
		dp_words__add(words, "%s",
			      dp_text__plural(number, dp_trace_gpu_count(trace), "GPU"));
	for (size_t i = 0; i < count && shown < DEVICES_MOST; i++) {
		uint32_t name = dp_trace_device(trace, i)->name;
		bool seen = name == DP_NONE;

		for (size_t k = 0; k < i && !seen; k++)
			seen = dp_trace_device(trace, k)->name == name;
		if (seen)
			continue;
		dp_label__text(label, dp_trace_string(trace, name), 40, ascii);
		dp_words__add(words, "%s%s", shown++ ? ", " : " (", label);
	}
	if (shown)
		dp_words__add(words, ")");
	if (dp_trace_gpu_count(trace) < count)
		dp_words__add(words, ", %zu processes", dp_trace_process_count(trace));
}

/* Adds one end of the range that was analyzed. */
static void add_time(struct dp_words *words, const char *before, int64_t ns, bool ascii)
{
	char number[DP_NUMBER_SIZE];

	if (ns != INT64_MIN && ns != INT64_MAX)
		dp_words__add(words, " %s %s", before,
			      dp_human__duration(number, (double)ns, ascii));
}

/* Returns true if an analyzed device has streams that were not chosen. */
static bool leaves_streams(const struct dp_render *render)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	const struct dp_scope *scope = dp_analysis_scope(render->analysis);
	const struct dp_stream *stream;

	for (size_t i = 0; (stream = dp_trace_stream(trace, i)); i++)
		if (scope->stream >= 0 && stream->stream != scope->stream &&
		    (scope->device < 0 ||
		     dp_trace_device(trace, stream->device)->id == scope->device))
			return true;
	return false;
}

void dp_text__scope(struct dp_words *words, const struct dp_render *render)
{
	const struct dp_scope *scope = dp_analysis_scope(render->analysis);
	bool ascii = render->options->ascii;

	if (scope->device >= 0)
		dp_words__add(words, "GPU %lld", (long long)scope->device);
	if (scope->stream >= 0)
		dp_words__add(words, "%sstream %lld", words->used ? ", " : "",
			      (long long)scope->stream);
	if (dp_text__has_range(render)) {
		dp_words__add(words, "%skernels that start", words->used ? ", " : "");
		add_time(words, "from", scope->range_start_ns, ascii);
		add_time(words, scope->range_start_ns == INT64_MIN ? "before" : "to",
			 scope->range_end_ns, ascii);
		dp_words__add(words, "; operations and streams are counted in the whole capture");
	}
	/* a stream's kernels make the iterations; the GPU's time in them is that of all streams */
	if (leaves_streams(render))
		dp_words__add(words, "; busy times, waits and findings are of all %s",
			      scope->device < 0 ? "streams of its GPU" : "its streams");
}

static void write_scope(struct dp_render *render)
{
	struct dp_words words = { 0 };

	dp_text__scope(&words, render);
	if (!words.used)
		return;
	dp_text__styled(render, DP_STYLE_YELLOW, "only");
	dp_render__text(render, " ");
	dp_text__wrap(render, 5, 5, words.text);
}

/* The share of the recorded time in which a stream is busy. */
static double busy_share(const struct dp_trace *trace, const struct dp_stream *stream)
{
	int64_t recorded_ns =
		dp_trace_duration_ns(trace) - dp_trace_paused_ns(trace, stream->process);

	/* work launched before a pause may run in it */
	return recorded_ns > stream->busy_ns ? (double)stream->busy_ns / (double)recorded_ns : 1;
}

/*
 * The streams of a device that are no main ones and have little of its work. The device may be idle
 * for most of the capture.
 */
static size_t count_minor(const struct dp_trace *trace, uint32_t device)
{
	const struct dp_stream *stream;
	double busy_ns = 0;
	size_t minor = 0;

	for (size_t i = 0; (stream = dp_trace_stream(trace, i)); i++)
		busy_ns += stream->device == device ? (double)stream->busy_ns : 0;
	for (size_t i = 0; (stream = dp_trace_stream(trace, i)); i++)
		minor += stream->device == device && stream->stream_class != DP_STREAM_MAIN &&
			 (double)stream->busy_ns < MINOR_SHARE * busy_ns;
	return minor;
}

/* Returns true for a few devices with one important stream each: a few words replace the table. */
static bool is_simple(const struct dp_trace *trace, size_t *minor)
{
	size_t devices = dp_trace_device_count(trace);

	*minor = 0;
	if (devices > SIMPLE_MOST)
		return false;
	for (uint32_t device = 0; device < devices; device++)
		*minor += count_minor(trace, device);
	return devices && dp_trace_stream_count(trace) - *minor == devices;
}

/*
 * "; GPU busy 46.4% of the capture", "; GPU 0 busy 91.3%, GPU 1 89.1%; 2 minor streams (under 1%
 * of the work each)": of all streams together, like the idle time below it. What findings say is
 * about iterations.
 */
static void add_busy(struct dp_words *words, const struct dp_trace *trace)
{
	const struct dp_scope whole = { -1, -1, INT64_MIN, INT64_MAX };
	char device[DP_LABEL_SIZE], number[DP_NUMBER_SIZE];
	size_t count = dp_trace_device_count(trace), minor;

	for (size_t i = 0; i < count && count <= SIMPLE_MOST; i++) {
		double share = dp_capture__busy(trace, &whole, (uint32_t)i);

		if (isnan(share))
			return;
		dp_human__share(number, share);
		if (count == 1)
			dp_words__add(words, "; GPU busy %s of the capture", number);
		else
			dp_words__add(words, "%s %s%s %s", i ? "," : ";",
				      dp_text__device(device, trace, (uint32_t)i), i ? "" : " busy",
				      number);
	}
	if (is_simple(trace, &minor) && minor)
		dp_words__add(words, "; %s (under 1%% of the work%s)",
			      dp_text__plural(number, minor, "minor stream"),
			      minor > 1 ? " each" : "");
}

static void write_source(struct dp_render *render, const struct dp_trace *trace)
{
	size_t width = ((struct dp_text *)render->state)->width;
	char label[DP_LABEL_SIZE], number[DP_NUMBER_SIZE];
	struct dp_words words = { 0 };
	bool ascii = render->options->ascii;

	dp_label__text(label, dp_trace_path(trace), width, ascii);
	dp_text__styled(render, DP_STYLE_HEAD, label[0] ? label : "(no name)");
	dp_render__text(render, "\n");
	dp_words__add(&words, "%s", dp_label__text(label, dp_trace_format(trace), 24, ascii));
	if (*dp_trace_format_detail(trace))
		dp_words__add(&words, " %s",
			      dp_label__text(label, dp_trace_format_detail(trace), 48, ascii));
	dp_words__add(&words, ", ");
	dp_text__devices(&words, trace, ascii);
	dp_words__add(&words, ", %s",
		      dp_human__duration(number, (double)dp_trace_duration_ns(trace), ascii));
	if (render->options->verbose)
		dp_words__add(&words, " from the first GPU operation to the last, times to %s",
			      dp_human__step(number, dp_trace_resolution_ns(trace), ascii));
	add_busy(&words, trace);
	dp_text__wrap(render, 0, 0, words.text);
}

static void write_operations(struct dp_render *render, const struct dp_trace *trace)
{
	size_t kernels = 0, graphs = 0, copies = 0, sets = 0;
	const struct dp_stream *stream;
	char number[DP_NUMBER_SIZE], digits[DP_TEXT_SIZE];
	struct dp_words words = { 0 };

	for (size_t i = 0; (stream = dp_trace_stream(trace, i)); i++) {
		kernels += stream->kernels;
		copies += stream->copies;
		sets += stream->memsets;
		graphs += dp_text__graphs(trace, i);
	}
	dp_words__add(&words,
		      "%s: ", dp_text__plural(number, dp_trace_ops(trace)->count, "GPU operation"));
	dp_words__add(&words, "%s, ", dp_text__plural(number, kernels - graphs, "kernel"));
	if (graphs)
		dp_words__add(&words, "%s, ", dp_text__plural(number, graphs, "graph launch"));
	dp_words__add(&words, "%s %s, ", dp_text__count(digits, copies),
		      copies == 1 ? "copy" : "copies");
	dp_words__add(&words, "%s", dp_text__plural(number, sets, "memset"));
	dp_text__wrap(render, 0, 0, words.text);
}

/* Writes a paragraph with a title. */
static void write_note(struct dp_render *render, const char *title, const struct dp_words *words)
{
	size_t indent = strlen(title) + 1;

	if (!words->used)
		return;
	dp_text__styled(render, DP_STYLE_YELLOW, title);
	dp_render__text(render, " ");
	dp_text__wrap(render, indent, indent, words->text);
}

static void write_losses(struct dp_render *render, const struct dp_trace *trace)
{
	size_t count = dp_trace_loss_count(trace);
	char label[DP_LABEL_SIZE], number[DP_NUMBER_SIZE];
	struct dp_words words = { 0 };

	for (size_t i = 0; i < count && i < LOSSES_MOST; i++) {
		const struct dp_loss *loss = dp_trace_loss(trace, i);

		dp_label__text(label, loss->reason, 100, render->options->ascii);
		dp_words__add(&words, "%s%s", words.used ? "; " : "", label);
		if (loss->records)
			dp_words__add(&words, " (%s)",
				      dp_text__plural(number, loss->records, "record"));
	}
	if (count > LOSSES_MOST)
		dp_words__add(&words, "; %s",
			      dp_text__plural(number, count - LOSSES_MOST, "more reason"));
	if (dp_trace_clamped(trace))
		dp_words__add(&words, "%s%s with an end before the start", words.used ? "; " : "",
			      dp_text__plural(number, dp_trace_clamped(trace), "event"));
	write_note(render, count ? "incomplete:" : "inexact:", &words);
}

/* Writes why times are inexact. */
static void write_doubts(struct dp_render *render, const struct dp_trace *trace)
{
	const char *doubts[DP_CAPTURE_DOUBTS];
	size_t count = dp_capture__doubts(doubts, trace);
	char label[DP_LABEL_SIZE];
	struct dp_words words = { 0 };

	for (size_t i = 0; i < count; i++)
		dp_words__add(
			&words, "%s%s", words.used ? "; " : "",
			dp_label__text(label, doubts[i], DP_LABEL_SIZE, render->options->ascii));
	write_note(render, "inexact:", &words);
}

/* Writes when recording was off: unexplained, that time would look like a wait. */
static void write_pauses(struct dp_render *render, const struct dp_trace *trace)
{
	char number[DP_NUMBER_SIZE];
	struct dp_words words = { 0 };
	size_t all = dp_trace_process_count(trace);
	struct dp_paused paused;

	if (!dp_capture__paused(&paused, trace))
		return;
	dp_words__add(&words, "recording was off %s",
		      dp_text__plural(number, paused.times, "time"));
	dp_words__add(
		&words, ", %s in all",
		dp_human__duration(number, (double)paused.longest_ns, render->options->ascii));
	if (paused.processes < all)
		dp_words__add(&words, " (in %zu of %zu processes)", paused.processes, all);
	dp_words__add(&words, "; in no average or finding");
	write_note(render, "paused:", &words);
}

/* Orders streams by interest: main ones by device, then the busiest. */
static bool is_before(const struct dp_trace *trace, const struct dp_stream *a,
		      const struct dp_stream *b)
{
	bool main = a->stream_class == DP_STREAM_MAIN;

	if (main != (b->stream_class == DP_STREAM_MAIN))
		return main;
	if (main)
		return dp_trace_device(trace, a->device)->id <
		       dp_trace_device(trace, b->device)->id;
	return a->busy_ns > b->busy_ns;
}

/* Chooses the first `most` streams in that order. Returns the number of all. */
static size_t choose_streams(const struct dp_trace *trace, size_t *chosen, size_t most)
{
	const struct dp_stream *stream;
	size_t count = 0;

	for (size_t i = 0; (stream = dp_trace_stream(trace, i)); i++) {
		size_t at = DP_MIN(count, most);

		while (at > 0 && is_before(trace, stream, dp_trace_stream(trace, chosen[at - 1]))) {
			if (at < most)
				chosen[at] = chosen[at - 1];
			at--;
		}
		if (at < most)
			chosen[at] = i;
		count++;
	}
	return count;
}

/* The streams' table: a title and a text per column; numbers are right-aligned. */
enum column { DEVICE, STREAM, CLASS, KERNELS, COPIES, SETS, BUSY, SHARE, COLUMNS };

static const char *const titles[COLUMNS] = { "device", "stream",  "class", "kernels",
					     "copies", "memsets", "busy",  "" };

const char *dp_text__stream_class(const struct dp_analysis *analysis, size_t index)
{
	static const char *const classes[] = { "main", "copy", "assist" };
	const struct dp_stream *stream = dp_trace_stream(dp_analysis_trace(analysis), index);
	const struct dp_loop *loop;

	for (size_t i = 0; (loop = dp_analysis_loop(analysis, i)); i++)
		if (loop->selected && loop->stream == index &&
		    stream->stream_class != DP_STREAM_MAIN)
			return "loop";
	return classes[stream->stream_class];
}

static char *cell(char buf[DP_LABEL_SIZE], struct dp_render *render, size_t index,
		  enum column column)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	const struct dp_stream *stream = dp_trace_stream(trace, index);

	switch (column) {
	case DEVICE:
		return dp_text__device(buf, trace, stream->device);
	case STREAM:
		if (stream->stream < 0)
			return strcpy(buf, "-");
		dp_number__integer(buf, stream->stream);
		return buf;
	case CLASS:
		return strcpy(buf, dp_text__stream_class(render->analysis, index));
	case KERNELS:
		return dp_text__count(buf, stream->kernels);
	case COPIES:
		return dp_text__count(buf, stream->copies);
	case SETS:
		return dp_text__count(buf, stream->memsets);
	case BUSY:
		return dp_human__duration(buf, (double)stream->busy_ns, render->options->ascii);
	default:
		return dp_human__share(buf, busy_share(trace, stream));
	}
}

/* What is left out first if lines are too short. */
static const enum column dispensable[] = { SETS, CLASS, COPIES, BUSY };

/* Columns that do not fit get width 0. */
static void drop_columns(const struct dp_render *render, int *widths)
{
	size_t width = ((const struct dp_text *)render->state)->width, total = 0;

	for (enum column c = 0; c < COLUMNS; c++)
		total += (size_t)widths[c] + (c ? 2 : 0);
	for (size_t i = 0; i < DP_COUNT(dispensable) && total > width; i++) {
		total -= (size_t)widths[dispensable[i]] + 2;
		widths[dispensable[i]] = 0;
	}
}

static void write_row(struct dp_render *render, const int *widths, size_t index, bool head)
{
	char text[DP_LABEL_SIZE];

	for (enum column c = 0; c < COLUMNS; c++) {
		bool left = c == DEVICE || c == CLASS;

		if (!widths[c] || (head && !*titles[c]))
			continue;
		if (head)
			strcpy(text, titles[c]);
		else
			cell(text, render, index, c);
		if (c)
			dp_text__blanks(render, 2);
		dp_text__column(render, text, left ? widths[c] : -widths[c]);
	}
	dp_render__text(render, "\n");
}

/* Writes the table; streams holds their indices, or is NULL for all in order. */
static void write_table(struct dp_render *render, const size_t *streams, size_t count)
{
	char text[DP_LABEL_SIZE];
	int widths[COLUMNS];

	for (enum column c = 0; c < COLUMNS; c++) {
		widths[c] = (int)strlen(titles[c]);
		for (size_t i = 0; i < count; i++) {
			cell(text, render, streams ? streams[i] : i, c);
			widths[c] = DP_MAX(widths[c], (int)dp_label_width(text));
		}
	}
	drop_columns(render, widths);
	dp_text__style_begin(render, DP_STYLE_DIM);
	write_row(render, widths, 0, true);
	dp_text__style_end(render);
	for (size_t i = 0; i < count; i++)
		write_row(render, widths, streams ? streams[i] : i, false);
}

/* Lets the last chosen stream that is no main one give way to that of the first loop. */
static void choose_loop(const struct dp_analysis *analysis, size_t *chosen, size_t count)
{
	const struct dp_trace *trace = dp_analysis_trace(analysis);
	const struct dp_loop *loop = dp_analysis_loop(analysis, 0);

	for (size_t i = 0; loop && i < count; i++)
		if (chosen[i] == loop->stream)
			return;
	for (size_t i = count; loop && i-- > 0;)
		if (dp_trace_stream(trace, chosen[i])->stream_class != DP_STREAM_MAIN) {
			chosen[i] = loop->stream;
			return;
		}
}

static void write_streams(struct dp_render *render, const struct dp_trace *trace)
{
	size_t chosen[STREAMS_MANY], total = dp_trace_stream_count(trace), shown;
	size_t most = dp_trace_device_count(trace) > 1 ? STREAMS_MANY : STREAMS_MOST;
	const struct dp_text *text = render->state;
	char number[DP_NUMBER_SIZE];
	size_t minor;

	if (!total || text->given_up >= DP_LEAVE_STREAMS ||
	    (!render->options->verbose && is_simple(trace, &minor)))
		return;
	/* next to a note on losses, a screen has no room for a blank line */
	if (render->options->verbose || !dp_trace_loss_count(trace) ||
	    !dp_analysis_loop_count(render->analysis))
		dp_render__text(render, "\n");
	if (render->options->verbose) {
		write_table(render, NULL, total);
		return;
	}
	choose_streams(trace, chosen, most);
	/* instead of "and 1 other stream", shows that stream */
	shown = total > most ? most - 1 : total;
	choose_loop(render->analysis, chosen, shown);
	write_table(render, chosen, shown);
	if (shown < total)
		dp_render__format(render, "and %s\n",
				  dp_text__plural(number, total - shown, "other stream"));
}

void dp_text__head(struct dp_render *render)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);

	write_source(render, trace);
	if (((const struct dp_text *)render->state)->given_up < DP_LEAVE_COUNTS)
		write_operations(render, trace);
	write_scope(render);
	write_pauses(render, trace);
	write_losses(render, trace);
	write_doubts(render, trace);
	write_streams(render, trace);
}
