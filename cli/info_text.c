/* What a trace holds, for people. */
#include "human.h"
#include "info.h"
#include "tty.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NARROW = 60 }; /* columns; below, tables have but what says most */

/* Columns of a UUID, and of what tells it from others; of a name at least. */
enum { UUID_COLUMNS = 40, UUID_BRIEF = 12, NAME_LEAST = 10 };

/* Rows of a table without -v: more than a screen or two nobody reads. */
enum { ROWS_MOST = 100 };

/* How it may look. */
struct look {
	struct output *output;
	size_t width;
	bool ascii;
};

static void label(const struct look *look, const char *name)
{
	output_print(look->output, "%-11s ", name);
}

/* "12 kernels", "1 kernel" */
static void counted(const struct look *look, const char *before, uint64_t count, const char *one,
		    const char *many)
{
	char number[HUMAN_SIZE];

	output_print(look->output, "%s%s %s", before, human_count(number, count),
		     count == 1 ? one : many);
}

/* How many rows of a table are printed, of count. */
static size_t rows_of(const struct info *info, size_t count)
{
	return info->verbose || count <= ROWS_MOST ? count : ROWS_MOST;
}

static void print_rest(const struct look *look, size_t rest, const char *one, const char *many)
{
	if (!rest)
		return;
	counted(look, "    and ", rest, one, many);
	output_print(look->output, " (-v lists all)\n");
}

/* Behind a label and an indent, as many words in a line as fit. */
static void print_words(const struct look *look, const char *name, const char *indent,
			const char *text)
{
	size_t least = look->width > 80 ? 66 : look->width - 13, room = least - strlen(indent);

	while (*text) {
		size_t length = strlen(text);

		if (length > room)
			for (length = room; length > 1 && text[length] != ' ';)
				length--;
		label(look, name);
		output_print(look->output, "%s%.*s\n", indent, (int)length, text);
		name = "";
		text += length;
		text += *text == ' ';
	}
}

static void print_operations(const struct info *info, const struct look *look)
{
	uint64_t count = (uint64_t)dp_trace_ops(info->trace)->count;
	char all[HUMAN_SIZE], kernels[HUMAN_SIZE], copies[HUMAN_SIZE], sets[HUMAN_SIZE];
	char bytes[HUMAN_SIZE], text[256];

	human_bytes(bytes, info->copy_bytes);
	snprintf(text, sizeof(text), "%s: %s %s, %s %s%s%s, %s %s", human_count(all, count),
		 human_count(kernels, info->kernels), info->kernels == 1 ? "kernel" : "kernels",
		 human_count(copies, info->copies), info->copies == 1 ? "copy" : "copies",
		 info->copy_bytes ? " of " : "", info->copy_bytes ? bytes : "",
		 human_count(sets, info->sets), info->sets == 1 ? "memset" : "memsets");
	print_words(look, "operations", "", text);
}

static void print_host(const struct info *info, const struct look *look)
{
	uint64_t calls = dp_trace_calls(info->trace)->count;
	uint64_t syncs = info->synchronizations;
	uint64_t ranges = dp_trace_ranges(info->trace)->count;

	label(look, "host");
	if (!calls && !syncs && !ranges) {
		output_print(look->output, "nothing recorded\n");
		return;
	}
	counted(look, "", calls, "call", "calls");
	counted(look, ", ", syncs, "synchronization", "synchronizations");
	counted(look, ", ", ranges, "range\n", "ranges\n");
}

/* What says more about the device than its operations do. */
static void print_state(const struct info *info, const struct look *look)
{
	uint64_t memory = dp_trace_memory(info->trace)->count;
	uint64_t samples = dp_trace_samples(info->trace)->count;

	if (!memory && !samples)
		return;
	label(look, "device");
	if (memory)
		counted(look, "", memory, "change of its memory", "changes of its memory");
	if (samples)
		counted(look, memory ? ", " : "", samples, "sample", "samples");
	output_print(look->output, "\n");
}

static void print_hints(const struct info *info, const struct look *look)
{
	bool first = true;

	for (unsigned need = 0; need < DP_NEEDS; need++) {
		const struct dp_need_info *hint = dp_trace_need(info->trace, (enum dp_need)need);

		if (!hint || !dp_trace_lacks(info->trace, (enum dp_need)need))
			continue;
		print_words(look, first ? "lacking" : "", "", hint->what);
		print_words(look, "", "  ", hint->gives);
		print_words(look, "", "  ", hint->record);
		first = false;
	}
}

static void print_loss(const struct look *look, bool first, const struct dp_loss *loss)
{
	char number[HUMAN_SIZE], reason[512];

	label(look, first ? "lost" : "");
	if (loss->records)
		counted(look, "", loss->records, "record: ", "records: ");
	output_print(look->output, "%s",
		     dp_label_text(reason, sizeof(reason), loss->reason, 120, look->ascii));
	if (loss->offset)
		output_print(look->output, ", at byte %s", human_count(number, loss->offset));
	output_print(look->output, "\n");
}

static void print_losses(const struct info *info, const struct look *look)
{
	size_t count = dp_trace_loss_count(info->trace);
	uint64_t clamped = dp_trace_clamped(info->trace);

	for (size_t i = 0; i < count; i++)
		print_loss(look, !i, dp_trace_loss(info->trace, i));
	if (!count) {
		label(look, "lost");
		output_print(look->output, "nothing\n");
	}
	if (clamped) {
		label(look, "clamped");
		counted(look, "", clamped, "negative duration, taken for 0\n",
			"negative durations, taken for 0\n");
	}
}

static const char *fact_of(const struct info *info, const char *name)
{
	const struct dp_fact *fact;

	for (size_t i = 0; (fact = dp_trace_fact(info->trace, i)); i++)
		if (!strcmp(fact->name, name))
			return fact->value;
	return NULL;
}

/* Where and by what it was recorded, and how that ended. */
static void print_facts(const struct info *info, const struct look *look)
{
	static const struct {
		const char *name, *before;
	} parts[] = { { "host", "on " },
		      { "recorder", "by " },
		      { "driver", "with driver " },
		      { "cupti", "CUPTI " } };
	char text[1024] = "", value[256];
	size_t used = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		const char *fact = fact_of(info, parts[i].name);

		if (fact)
			used += (size_t)snprintf(
				text + used, sizeof(text) - used, "%s%s%s", used ? ", " : "",
				parts[i].before,
				dp_label_text(value, sizeof(value), fact, 60, look->ascii));
	}
	if (used)
		print_words(look, "recorded", "", text);
	if (fact_of(info, "exit_status")) {
		label(look, "ended");
		output_print(look->output, "with exit status %s\n",
			     dp_label_text(value, sizeof(value), fact_of(info, "exit_status"), 20,
					   look->ascii));
	}
}

/* Of each process that recording was off in: how often, and how long. */
static void print_pauses(const struct info *info, const struct look *look)
{
	bool several = dp_trace_process_count(info->trace) > 1, first = true;
	size_t paused = 0, rows = rows_of(info, dp_trace_process_count(info->trace));
	char number[HUMAN_SIZE];
	const struct dp_pause *pause;

	for (size_t i = 0; (pause = dp_trace_pause(info->trace, i)); first = false) {
		uint32_t process = pause->process;
		size_t from = i;

		while ((pause = dp_trace_pause(info->trace, i)) && pause->process == process)
			i++;
		if (paused++ >= rows)
			continue;
		label(look, first ? "paused" : "");
		counted(look, "", i - from, "time", "times");
		output_print(look->output, ", %s in all",
			     human_time(number, (double)dp_trace_paused_ns(info->trace, process),
					look->ascii));
		if (several)
			output_print(look->output, ", process %" PRIu32, process);
		output_print(look->output, "\n");
	}
	print_rest(look, paused > rows ? paused - rows : 0, "other process with pauses",
		   "other processes with pauses");
}

/* "1 ns": the step of the times in the file. */
static const char *resolution(char *buf, const struct dp_trace *trace, const struct look *look)
{
	int64_t ns = dp_trace_resolution_ns(trace);

	if (ns >= 1000 && ns < 1000000 && ns % 1000 == 0)
		snprintf(buf, HUMAN_SIZE, "%" PRId64 " %s", ns / 1000,
			 look->ascii ? "us" : "\xc2\xb5s");
	else if (ns < 1000)
		snprintf(buf, HUMAN_SIZE, "%" PRId64 " ns", ns);
	else
		human_time(buf, (double)ns, look->ascii);
	return buf;
}

static void print_head(const struct info *info, const struct look *look)
{
	const struct dp_trace *trace = info->trace;
	char text[4096], number[HUMAN_SIZE];
	const char *detail = dp_trace_format_detail(trace);
	int64_t t0_ns;

	label(look, "trace");
	output_print(look->output, "%s\n",
		     dp_label_text(text, sizeof(text), info->path, 1000, look->ascii));
	label(look, "format");
	output_print(look->output, "%s%s%s\n", dp_trace_format(trace), *detail ? ", " : "",
		     dp_label_text(text, sizeof(text), detail, 100, look->ascii));
	if (dp_trace_t0(trace, &t0_ns)) {
		label(look, "start");
		output_print(look->output, "%s\n", human_date(number, t0_ns));
	}
	print_facts(info, look);
	label(look, "duration");
	output_print(look->output, "%s\n",
		     human_time(number, (double)dp_trace_duration_ns(trace), look->ascii));
	label(look, "resolution");
	output_print(look->output, "%s\n", resolution(number, trace, look));
	print_operations(info, look);
	print_host(info, look);
	print_state(info, look);
	print_pauses(info, look);
	print_losses(info, look);
	print_hints(info, look);
	label(look, "loaded");
	output_print(look->output, "%s of deepprof's own memory\n",
		     human_bytes(number, dp_trace_bytes(trace)));
}

/* A name for the last column, or a dash where the trace does not tell it. */
static const char *named(char *buf, size_t size, const struct info *info, uint32_t name,
			 size_t columns, const struct look *look)
{
	const char *text = dp_trace_string(info->trace, name);

	return dp_label_text(buf, size, *text ? text : "-", columns, look->ascii);
}

/* An identifier, or a dash where the trace does not tell it. */
static const char *id(char *buf, int64_t value)
{
	if (value < 0)
		snprintf(buf, HUMAN_SIZE, "-");
	else
		snprintf(buf, HUMAN_SIZE, "%" PRId64, value);
	return buf;
}

static void print_processes(const struct info *info, const struct look *look)
{
	char pid[HUMAN_SIZE], rank[HUMAN_SIZE], name[1024];
	size_t count = dp_trace_process_count(info->trace);
	const struct dp_process *process = dp_trace_process(info->trace, 0);
	size_t rows = rows_of(info, count);

	if (!count || (count == 1 && process->pid < 0 && process->name == DP_NONE))
		return;
	output_print(look->output, "\nprocess    pid  rank  name\n");
	for (size_t i = 0; i < rows && (process = dp_trace_process(info->trace, i)); i++)
		output_print(
			look->output, "%7zu %6s %5s  %s\n", i, id(pid, process->pid),
			id(rank, process->rank),
			named(name, sizeof(name), info, process->name, look->width - 22, look));
	print_rest(look, count - rows, "other process", "other processes");
}

/* How many columns UUIDs take with the blanks behind them; 0 where none is known. */
static size_t uuid_columns(const struct info *info, const struct look *look)
{
	size_t columns = info->verbose ? UUID_COLUMNS : UUID_BRIEF;
	const struct dp_device *device;

	for (size_t i = 0; (device = dp_trace_device(info->trace, i)); i++)
		if (device->uuid != DP_NONE && (info->verbose || look->width >= NARROW))
			return columns + 2;
	return 0;
}

/* Rows of one GPU share a UUID, the beginning of which is enough to distinguish GPUs. */
static void print_devices(const struct info *info, const struct look *look)
{
	size_t columns = uuid_columns(info, look), room = look->width - 29;
	char number[HUMAN_SIZE], memory[HUMAN_SIZE], name[1024];
	size_t count = dp_trace_device_count(info->trace), rows = rows_of(info, count);
	const struct dp_device *device;

	room = room > columns + NAME_LEAST ? room - columns : NAME_LEAST;
	output_print(look->output, "\n device  process     memory  %-*sname\n", (int)columns,
		     columns ? "uuid" : "");
	for (size_t i = 0; i < rows && (device = dp_trace_device(info->trace, i)); i++) {
		output_print(look->output, "%7s %8" PRIu32 " %10s  ", id(number, device->id),
			     device->process,
			     device->total_bytes ? human_bytes(memory, device->total_bytes) : "-");
		if (columns)
			output_print(
				look->output, "%-*.*s", (int)columns, (int)columns - 2,
				named(name, sizeof(name), info, device->uuid, UUID_COLUMNS, look));
		output_print(look->output, "%s\n",
			     named(name, sizeof(name), info, device->name, room, look));
	}
	print_rest(look, count - rows, "other device", "other devices");
}

static void print_right(const struct look *look, const char *text, int columns)
{
	int width = (int)dp_label_width(text);

	output_print(look->output, "%*s%s", columns > width ? columns - width : 0, "", text);
}

/* The table of streams: columns of a wide terminal and of a narrow one; 0: left out there. */
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

static int column_width(const struct look *look, enum column column)
{
	return look->width >= 80   ? columns[column].wide
	       : look->width >= 60 ? columns[column].narrow
				   : columns[column].narrowest;
}

static void print_cell(const struct look *look, enum column column, const char *text)
{
	int width = column_width(look, column);

	if (!width)
		return;
	if (column)
		output_print(look->output, " ");
	if (column == CLASS)
		output_print(look->output, "%-*s", width, text);
	else
		print_right(look, text, width);
}

static void print_stream(const struct info *info, const struct look *look,
			 const struct dp_stream *stream)
{
	const struct dp_device *device = dp_trace_device(info->trace, stream->device);
	char text[HUMAN_SIZE];

	print_cell(look, DEVICE, id(text, device ? device->id : -1));
	print_cell(look, PROCESS, id(text, stream->process));
	print_cell(look, CONTEXT, id(text, stream->context));
	print_cell(look, STREAM, id(text, stream->stream));
	print_cell(look, CLASS, info_class_name(stream->stream_class));
	print_cell(look, KERNELS, human_count(text, stream->kernels));
	print_cell(look, COPIES, human_count(text, stream->copies));
	print_cell(look, SETS, human_count(text, stream->sets));
	print_cell(look, BUSY, human_time(text, (double)stream->busy_ns, look->ascii));
	output_print(look->output, "\n");
}

static void print_streams(const struct info *info, const struct look *look)
{
	size_t count = dp_trace_stream_count(info->trace), rows = rows_of(info, count);
	const struct dp_stream *stream;

	output_print(look->output, "\n");
	for (enum column c = 0; c < COLUMNS; c++)
		print_cell(look, c, look->width >= 80 ? columns[c].title : columns[c].brief);
	output_print(look->output, "\n");
	for (size_t i = 0; i < rows && (stream = dp_trace_stream(info->trace, i)); i++)
		print_stream(info, look, stream);
	print_rest(look, count - rows, "other stream", "other streams");
}

static void print_kernel(const struct info *info, const struct look *look,
			 const struct info_kernel *kernel)
{
	double share = info->kernel_ns ? (double)kernel->total_ns / (double)info->kernel_ns : 0;
	char total[HUMAN_SIZE], count[HUMAN_SIZE], mean[HUMAN_SIZE], name[8192];
	size_t numbers = look->width >= NARROW ? 38 : 18;

	output_print(look->output, "%6.1f%%", 100 * share);
	print_right(look, human_time(total, (double)kernel->total_ns, look->ascii), 9);
	human_time(mean, (double)kernel->total_ns / (double)kernel->count, look->ascii);
	if (look->width >= NARROW) {
		output_print(look->output, " %10s", human_count(count, kernel->count));
		print_right(look, mean, 9);
	}
	output_print(look->output, "  %s\n",
		     dp_label_kernel(name, sizeof(name), dp_trace_string(info->trace, kernel->name),
				     info->verbose ? SIZE_MAX : look->width - numbers,
				     look->ascii));
}

static void print_kernels(const struct info *info, const struct look *look)
{
	if (!info->top)
		return;
	output_print(look->output, look->width >= NARROW
					   ? "\n  share    total      count     mean  kernel\n"
					   : "\n  share    total  kernel\n");
	for (size_t i = 0; i < info->top; i++)
		print_kernel(info, look, &info->names[i]);
	if (info->top < info->name_count)
		counted(look, "         and ", info->name_count - info->top, "other name\n",
			"other names\n");
}

void info_write_text(const struct info *info, struct output *output)
{
	struct look look = { output, tty_width(output->fd), !tty_utf8() };

	if (look.width < 40)
		look.width = 40;
	print_head(info, &look);
	print_processes(info, &look);
	if (dp_trace_device_count(info->trace))
		print_devices(info, &look);
	if (dp_trace_stream_count(info->trace))
		print_streams(info, &look);
	print_kernels(info, &look);
}
