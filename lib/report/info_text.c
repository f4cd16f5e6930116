/* The contents of a trace, for people. */
#include "base/text.h"
#include "report/capture.h"
#include "report/info.h"
#include "report/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NARROW = 60 }; /* columns; in fewer, tables show only the most important ones */

/* Columns of a UUID, of the part that distinguishes it, and the fewest of a name. */
enum { UUID_COLUMNS = 40, UUID_BRIEF = 12, NAME_LEAST = 10 };

/* Rows of a table without -v: a screen or two. */
enum { ROWS_MOST = 100 };

static size_t width_of(const struct dp_render *render)
{
	return DP_MAX(render->options->width, 40u);
}

enum { LABEL_COLUMNS = 12 }; /* of "not recorded", the longest label */

static void label(struct dp_render *render, const char *name)
{
	dp_render__format(render, "%-*s ", LABEL_COLUMNS, name);
}

static void print_line(struct dp_render *render, const char *name, const char *text)
{
	label(render, name);
	dp_render__format(render, "%s\n", text);
}

static char *duration(char buf[DP_NUMBER_SIZE], const struct dp_render *render, double ns)
{
	return dp_human__duration(buf, ns, render->options->ascii);
}

/* A text of the trace, safe to show. */
#define TEXT_SIZE 4096

static char *safe(char buf[TEXT_SIZE], const struct dp_render *render, const char *text,
		  size_t columns)
{
	return dp_label_text(buf, TEXT_SIZE, text, columns, render->options->ascii);
}

/* "12 kernels", "1 kernel" */
static void counted(struct dp_render *render, const char *before, uint64_t count, const char *one,
		    const char *many)
{
	char number[DP_NUMBER_SIZE];

	dp_render__format(render, "%s%s %s", before, dp_text__count(number, count),
			  count == 1 ? one : many);
}

/* The number of rows of a table that are printed, of count. */
static size_t rows_of(const struct dp_render *render, size_t count)
{
	return render->options->verbose || count <= ROWS_MOST ? count : ROWS_MOST;
}

static void print_rest(struct dp_render *render, size_t rest, const char *one, const char *many)
{
	if (!rest)
		return;
	counted(render, "    and ", rest, one, many);
	dp_render__text(render, " (-v lists all)\n");
}

/* Prints a label and words, as many per line as fit behind an indent. */
static void print_words(struct dp_render *render, const char *name, const char *indent,
			const char *text)
{
	size_t room = DP_MIN(width_of(render), 80u) - LABEL_COLUMNS - 2 - strlen(indent);

	while (*text) {
		size_t length = strlen(text);

		if (length > room)
			for (length = room; length && text[length] != ' ';)
				length--;
		length = length ? length : room; /* breaks a word that is longer than a line */
		label(render, name);
		dp_render__format(render, "%s%.*s\n", indent, (int)length, text);
		name = "";
		text += length;
		text += *text == ' ';
	}
}

static void print_operations(struct dp_render *render, const struct dp_info *info)
{
	uint64_t count = (uint64_t)dp_trace_ops(info->trace)->count;
	char all[DP_NUMBER_SIZE], kernels[DP_NUMBER_SIZE], copies[DP_NUMBER_SIZE];
	char sets[DP_NUMBER_SIZE], bytes[DP_NUMBER_SIZE], text[512];

	dp_human__bytes(bytes, (double)info->copy_bytes);
	snprintf(text, sizeof(text), "%s: %s, %s %s%s%s, %s", dp_text__count(all, count),
		 dp_text__plural(kernels, info->kernels, "kernel"),
		 dp_text__count(copies, info->copies), info->copies == 1 ? "copy" : "copies",
		 info->copy_bytes ? " of " : "", info->copy_bytes ? bytes : "",
		 dp_text__plural(sets, info->memsets, "memset"));
	print_words(render, "operations", "", text);
}

/* Adds a number behind others. */
static void add_count(struct dp_words *words, uint64_t count, const char *one, const char *many)
{
	char digits[DP_TEXT_SIZE];

	dp_words__add(words, "%s%s %s", words->used ? ", " : "", dp_text__count(digits, count),
		      count == 1 ? one : many);
}

/* Prints how the launches of CUDA graphs were recorded, if there are any. */
static void print_graphs(struct dp_render *render, const struct dp_info *info)
{
	if (!info->graphs && !info->graph_nodes)
		return;
	label(render, "graphs");
	if (info->graphs)
		counted(render, "", info->graphs, "launch recorded as one operation",
			"launches recorded as one operation each");
	if (info->graph_nodes)
		counted(render, info->graphs ? ", " : "", info->graph_nodes,
			"operation recorded by node", "operations recorded by node");
	dp_render__text(render, "\n");
}

static void print_host(struct dp_render *render, const struct dp_info *info)
{
	uint64_t calls = dp_trace_calls(info->trace)->count;
	uint64_t syncs = info->synchronizations;
	uint64_t ranges = dp_trace_ranges(info->trace)->count;
	uint64_t samples = dp_trace_function_samples(info->trace)->count;
	struct dp_words words = { 0 };

	if (!calls && !syncs && !ranges && !samples) {
		print_line(render, "host", "nothing recorded");
		return;
	}
	add_count(&words, calls, "call", "calls");
	add_count(&words, syncs, "synchronization", "synchronizations");
	add_count(&words, ranges, "range", "ranges");
	if (samples)
		add_count(&words, samples, "call-stack sample", "call-stack samples");
	print_words(render, "host", "", words.text);
}

/* Prints what describes the device further, if anything. */
static void print_state(struct dp_render *render, const struct dp_info *info)
{
	uint64_t memory = dp_trace_memory(info->trace)->count;
	uint64_t samples = dp_trace_samples(info->trace)->count;
	uint64_t counters = dp_trace_activity(info->trace)->count;
	struct dp_words words = { 0 };

	if (!memory && !samples && !counters)
		return;
	if (memory)
		add_count(&words, memory, "change of its memory", "changes of its memory");
	if (samples)
		add_count(&words, samples, "sample", "samples");
	if (counters)
		add_count(&words, counters, "sample of hardware counters",
			  "samples of hardware counters");
	print_words(render, "device", "", words.text);
}

/* Prints what was not recorded, for which metrics it is needed, and how to record it. */
static void print_hints(struct dp_render *render, const struct dp_info *info)
{
	char text[TEXT_SIZE];
	bool first = true;

	for (unsigned need = 0; need < DP_NEEDS; need++) {
		const struct dp_need_info *hint = dp_trace_need(info->trace, (enum dp_need)need);

		if (!hint || !dp_trace_lacks(info->trace, (enum dp_need)need))
			continue;
		print_words(render, first ? "not recorded" : "", "", hint->what);
		snprintf(text, sizeof(text), "for %s", hint->gives);
		print_words(render, "", "  ", text);
		print_words(render, "", "  ", hint->record);
		first = false;
	}
}

static void print_loss(struct dp_render *render, bool first, const struct dp_loss *loss)
{
	char number[DP_NUMBER_SIZE], reason[TEXT_SIZE];

	label(render, first ? "lost" : "");
	if (loss->records)
		counted(render, "", loss->records, "record: ", "records: ");
	dp_render__text(render, safe(reason, render, loss->reason, 120));
	if (loss->offset)
		dp_render__format(render, ", at byte %s", dp_text__count(number, loss->offset));
	dp_render__text(render, "\n");
}

static void print_losses(struct dp_render *render, const struct dp_info *info)
{
	size_t count = dp_trace_loss_count(info->trace);
	uint64_t clamped = dp_trace_clamped(info->trace);

	for (size_t i = 0; i < count; i++)
		print_loss(render, !i, dp_trace_loss(info->trace, i));
	if (!count)
		print_line(render, "lost", "nothing");
	if (clamped) {
		label(render, "clamped");
		counted(render, "", clamped, "negative duration, taken for 0\n",
			"negative durations, taken for 0\n");
	}
}

static const char *fact_of(const struct dp_info *info, const char *name)
{
	const struct dp_fact *fact;

	for (size_t i = 0; (fact = dp_trace_fact(info->trace, i)); i++)
		if (!strcmp(fact->name, name))
			return fact->value;
	return NULL;
}

/* CUPTI's number is that of its interface up to CUDA 12; from 13 on 130100 is 13.1. */
static const char *cupti_version(char buf[DP_NUMBER_SIZE], const char *fact)
{
	unsigned long version = strtoul(fact, NULL, 10), update = version % 100;

	if (version < 130000)
		snprintf(buf, DP_NUMBER_SIZE, "API %lu", version);
	else if (update)
		snprintf(buf, DP_NUMBER_SIZE, "%lu.%lu.%lu", version / 10000, version / 100 % 100,
			 update);
	else
		snprintf(buf, DP_NUMBER_SIZE, "%lu.%lu", version / 10000, version / 100 % 100);
	return buf;
}

/* Prints where and by what the trace was recorded, and how recording ended. */
static void print_facts(struct dp_render *render, const struct dp_info *info)
{
	static const struct {
		const char *name, *before;
	} parts[] = { { "host", "on " }, { "recorder", "by " }, { "driver", "with driver " } };
	const char *fact, *status = fact_of(info, "exit_status");
	struct dp_words words = { 0 };
	char value[TEXT_SIZE], number[DP_NUMBER_SIZE];
	const char *doubts[DP_CAPTURE_DOUBTS];
	size_t doubt_count = dp_capture__doubts(doubts, info->trace);

	for (size_t i = 0; i < DP_COUNT(parts); i++)
		if ((fact = fact_of(info, parts[i].name)))
			dp_words__add(&words, "%s%s%s", words.used ? ", " : "", parts[i].before,
				      safe(value, render, fact, 60));
	if ((fact = fact_of(info, "cupti")))
		dp_words__add(&words, "%sCUPTI %s", words.used ? ", " : "",
			      cupti_version(number, fact));
	print_words(render, "recorded", "", words.text);
	for (size_t i = 0; i < doubt_count; i++)
		print_words(render, "inexact", "", safe(value, render, doubts[i], 200));
	if (status) {
		label(render, "ended");
		dp_render__format(render, "with exit status %s\n", safe(value, render, status, 20));
	}
}

/* Prints how often and how long recording was off, by process. */
static void print_pauses(struct dp_render *render, const struct dp_info *info)
{
	bool several = dp_trace_process_count(info->trace) > 1, first = true;
	size_t paused = 0, rows = rows_of(render, dp_trace_process_count(info->trace));
	char number[DP_NUMBER_SIZE];
	const struct dp_pause *pause;

	for (size_t i = 0; (pause = dp_trace_pause(info->trace, i)); first = false) {
		uint32_t process = pause->process;
		double paused_ns;
		size_t from = i;

		while ((pause = dp_trace_pause(info->trace, i)) && pause->process == process)
			i++;
		if (paused++ >= rows)
			continue;
		label(render, first ? "paused" : "");
		counted(render, "", i - from, "time", "times");
		paused_ns = (double)dp_trace_paused_ns(info->trace, process);
		dp_render__format(render, ", %s in all", duration(number, render, paused_ns));
		if (several)
			dp_render__format(render, ", process %" PRIu32, process);
		dp_render__text(render, "\n");
	}
	print_rest(render, paused > rows ? paused - rows : 0, "other process with pauses",
		   "other processes with pauses");
}

/* "2024-05-03 12:00:01.123456789 UTC" */
static const char *date(char buf[DP_NUMBER_SIZE], int64_t epoch_ns)
{
	int64_t ns = epoch_ns % 1000000000;
	time_t seconds = (time_t)(epoch_ns / 1000000000 - (ns < 0));
	struct tm date;
	char day[32];

	if (ns < 0)
		ns += 1000000000;
	if (!gmtime_r(&seconds, &date) || !strftime(day, sizeof(day), "%Y-%m-%d %H:%M:%S", &date))
		day[0] = '\0';
	snprintf(buf, DP_NUMBER_SIZE, "%.31s.%09d UTC", day, (int)ns);
	return buf;
}

static void print_head(struct dp_render *render, const struct dp_info *info)
{
	const struct dp_trace *trace = info->trace;
	const char *detail = dp_trace_format_detail(trace);
	char text[TEXT_SIZE], number[DP_NUMBER_SIZE];
	int64_t t0_ns;

	print_line(render, "trace", safe(text, render, dp_trace_path(trace), 1000));
	label(render, "format");
	dp_render__format(render, "%s%s%s\n", dp_trace_format(trace), *detail ? ", " : "",
			  safe(text, render, detail, 100));
	if (dp_trace_t0(trace, &t0_ns))
		print_line(render, "start", date(number, t0_ns));
	print_facts(render, info);
	if (dp_trace_duration_ns(trace))
		print_line(render, "duration",
			   duration(number, render, (double)dp_trace_duration_ns(trace)));
	print_line(render, "resolution",
		   dp_human__step(number, dp_trace_resolution_ns(trace), render->options->ascii));
	print_operations(render, info);
	print_graphs(render, info);
	print_host(render, info);
	print_state(render, info);
	print_pauses(render, info);
	print_losses(render, info);
	print_hints(render, info);
	label(render, "loaded");
	dp_render__format(render, "%s of deepprof's own memory\n",
			  dp_human__bytes(number, (double)dp_trace_bytes(trace)));
}

/* A name for the last column, or a dash if it is unknown. */
static const char *named(char buf[TEXT_SIZE], const struct dp_render *render,
			 const struct dp_info *info, uint32_t name, size_t columns)
{
	const char *text = dp_trace_string(info->trace, name);

	return safe(buf, render, *text ? text : "-", columns);
}

/* An identifier, or a dash if it is unknown. */
static const char *id(char *buf, int64_t value)
{
	if (value < 0)
		snprintf(buf, DP_NUMBER_SIZE, "-");
	else
		snprintf(buf, DP_NUMBER_SIZE, "%" PRId64, value);
	return buf;
}

static void print_processes(struct dp_render *render, const struct dp_info *info)
{
	char pid[DP_NUMBER_SIZE], rank[DP_NUMBER_SIZE], name[TEXT_SIZE];
	size_t count = dp_trace_process_count(info->trace);
	const struct dp_process *process = dp_trace_process(info->trace, 0);
	size_t rows = rows_of(render, count);

	if (!count || (count == 1 && process->pid < 0 && process->name == DP_NONE))
		return;
	dp_render__text(render, "\nprocess    pid  rank  name\n");
	for (size_t i = 0; i < rows && (process = dp_trace_process(info->trace, i)); i++)
		dp_render__format(render, "%7zu %6s %5s  %s\n", i, id(pid, process->pid),
				  id(rank, process->rank),
				  named(name, render, info, process->name, width_of(render) - 22));
	print_rest(render, count - rows, "other process", "other processes");
}

/* Columns of UUIDs and the spaces after them; 0 if none is known. */
static size_t uuid_columns(const struct dp_render *render, const struct dp_info *info)
{
	size_t columns = render->options->verbose ? UUID_COLUMNS : UUID_BRIEF;
	const struct dp_device *device;

	for (size_t i = 0; (device = dp_trace_device(info->trace, i)); i++)
		if (device->uuid != DP_NONE &&
		    (render->options->verbose || width_of(render) >= NARROW))
			return columns + 2;
	return 0;
}

/* Rows of one GPU share a UUID, the beginning of which is enough to distinguish GPUs. */
static void print_devices(struct dp_render *render, const struct dp_info *info)
{
	size_t columns = uuid_columns(render, info), room = width_of(render) - 29;
	char number[DP_NUMBER_SIZE], memory[DP_NUMBER_SIZE], name[TEXT_SIZE];
	size_t count = dp_trace_device_count(info->trace), rows = rows_of(render, count);
	const struct dp_device *device;

	room = room > columns + NAME_LEAST ? room - columns : NAME_LEAST;
	dp_render__format(render, "\n device  process     memory  %-*sname\n", (int)columns,
			  columns ? "uuid" : "");
	for (size_t i = 0; i < rows && (device = dp_trace_device(info->trace, i)); i++) {
		dp_render__format(
			render, "%7s %8" PRIu32 " %10s  ", id(number, device->id), device->process,
			device->total_bytes ? dp_human__bytes(memory, (double)device->total_bytes)
					    : "-");
		if (columns)
			dp_render__format(render, "%-*.*s", (int)columns, (int)columns - 2,
					  named(name, render, info, device->uuid, UUID_COLUMNS));
		dp_render__format(render, "%s\n", named(name, render, info, device->name, room));
	}
	print_rest(render, count - rows, "other device", "other devices");
}

/* The table of streams: columns on a wide terminal and on a narrow one; 0: left out. */
enum column { DEVICE, PROCESS, CONTEXT, STREAM, CLASS, KERNELS, COPIES, SETS, BUSY, COLUMNS };

static const struct {
	const char *title, *brief;
	int wide, narrow, narrowest;
} columns[COLUMNS] = {
	[DEVICE] = { " device", "dev", 7, 3, 3 },   [PROCESS] = { "process", "proc", 8, 4, 0 },
	[CONTEXT] = { "context", "ctx", 8, 3, 0 },  [STREAM] = { "stream", "stream", 8, 6, 6 },
	[CLASS] = { "class ", "class ", 6, 6, 0 },  [KERNELS] = { "kernels", "kernels", 11, 9, 9 },
	[COPIES] = { "copies", "copies", 9, 7, 7 }, [SETS] = { "memsets", "sets", 7, 6, 0 },
	[BUSY] = { "busy", "busy", 8, 8, 8 },
};

static int column_width(const struct dp_render *render, enum column column)
{
	return width_of(render) >= 80	? columns[column].wide
	       : width_of(render) >= 60 ? columns[column].narrow
					: columns[column].narrowest;
}

static void print_cell(struct dp_render *render, enum column column, const char *text)
{
	int width = column_width(render, column);

	if (!width)
		return;
	if (column)
		dp_render__text(render, " ");
	dp_text__column(render, text, column == CLASS ? width : -width);
}

static void print_stream(struct dp_render *render, const struct dp_info *info,
			 const struct dp_stream *stream)
{
	const struct dp_device *device = dp_trace_device(info->trace, stream->device);
	char text[DP_NUMBER_SIZE];

	print_cell(render, DEVICE, id(text, device ? device->id : -1));
	print_cell(render, PROCESS, id(text, stream->process));
	print_cell(render, CONTEXT, id(text, stream->context));
	print_cell(render, STREAM, id(text, stream->stream));
	print_cell(render, CLASS, dp_stream_class_name(stream->stream_class));
	print_cell(render, KERNELS, dp_text__count(text, stream->kernels));
	print_cell(render, COPIES, dp_text__count(text, stream->copies));
	print_cell(render, SETS, dp_text__count(text, stream->memsets));
	print_cell(render, BUSY, duration(text, render, (double)stream->busy_ns));
	dp_render__text(render, "\n");
}

static void print_streams(struct dp_render *render, const struct dp_info *info)
{
	size_t count = dp_trace_stream_count(info->trace), rows = rows_of(render, count);
	const struct dp_stream *stream;

	dp_render__text(render, "\n");
	for (enum column c = 0; c < COLUMNS; c++)
		print_cell(render, c, width_of(render) >= 80 ? columns[c].title : columns[c].brief);
	dp_render__text(render, "\n");
	for (size_t i = 0; i < rows && (stream = dp_trace_stream(info->trace, i)); i++)
		print_stream(render, info, stream);
	print_rest(render, count - rows, "other stream", "other streams");
}

/* Columns for a kernel's name. */
static size_t kernel_room(const struct dp_render *render)
{
	return DP_MIN(width_of(render) - (width_of(render) >= NARROW ? 38 : 18), DP_LABEL_COLUMNS);
}

/* place is where the name differs from similar ones. */
static void print_kernel(struct dp_render *render, const struct dp_info *info,
			 const struct dp_info_kernel *kernel, size_t place)
{
	const char *full = dp_trace_string(info->trace, kernel->name);
	double total_ns = (double)kernel->total_ns;
	char number[DP_NUMBER_SIZE], name[8192];
	bool wide = width_of(render) >= NARROW, ascii = render->options->ascii;

	dp_text__column(render, dp_text__fixed(number, 100 * kernel->share, 1), -6);
	dp_render__text(render, "%");
	dp_text__cell(render, duration(number, render, total_ns), 9);
	if (wide) {
		dp_text__column(render, dp_text__count(number, kernel->count), -11);
		dp_text__cell(render, duration(number, render, total_ns / (double)kernel->count),
			      9);
	}
	if (render->options->verbose)
		dp_label_kernel(name, sizeof(name), full, SIZE_MAX, ascii);
	else
		dp_label__kernel_at(name, full, place, kernel_room(render), ascii);
	dp_render__format(render, "  %s\n", name);
}

/*
 * Finds where names of the first kernels with equal short forms differ. The caller frees the
 * result; NULL if memory runs out.
 */
static size_t *tell_apart(const struct dp_render *render, const struct dp_info *info, size_t top)
{
	const char **names = dp_alloc__array(top, sizeof(*names));
	size_t *places = dp_alloc__zeroed(top, sizeof(*places));
	int status = names && places ? DP_OK : DP_ERR_NOMEM;

	for (size_t i = 0; i < top && !status; i++)
		names[i] = dp_trace_string(info->trace, info->names[i].name);
	if (!status && !render->options->verbose)
		status = dp_label__tell_apart(places, names, top, kernel_room(render),
					      render->options->ascii);
	free(names);
	if (!status)
		return places;
	free(places);
	return NULL;
}

static void print_kernels(struct dp_render *render, const struct dp_info *info)
{
	size_t top = DP_MIN(render->options->top, info->name_count), *places;

	if (!top)
		return;
	places = tell_apart(render, info, top);
	if (!places) {
		render->status = dp_error__nomem(render->error, top);
		return;
	}
	dp_render__format(render, width_of(render) >= NARROW
					  ? "\n  share    total      count     mean  kernel\n"
					  : "\n  share    total  kernel\n");
	for (size_t i = 0; i < top; i++)
		print_kernel(render, info, &info->names[i], places[i]);
	free(places);
	if (top < info->name_count)
		counted(render, "         and ", info->name_count - top, "other name\n",
			"other names\n");
}

static void write_text(struct dp_render *render, const void *what)
{
	const struct dp_info *info = what;

	print_head(render, info);
	print_processes(render, info);
	if (dp_trace_device_count(info->trace))
		print_devices(render, info);
	if (dp_trace_stream_count(info->trace))
		print_streams(render, info);
	print_kernels(render, info);
}

const struct dp_whole_renderer dp_info_renderer__text = {
	.info = { "text", "txt", "for people", false, false },
	.write = write_text,
};
