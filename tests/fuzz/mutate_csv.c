/* nvprof's CSV, rocprof's and rocprofv3's: rows, columns, cells, units, dialects, and the program's
 * own output in between. */
#include "mutate.h"

#include <stdbool.h>
#include <string.h>

/* The place of a line or a cell, including its end mark. */
struct span {
	size_t at, length;
};

static struct span line_at(const struct fuzz_input *input, size_t place)
{
	size_t start = place, end = place;

	while (start && input->data[start - 1] != '\n')
		start--;
	while (end < input->size && input->data[end] != '\n')
		end++;
	end += end < input->size;
	return (struct span){ start, end - start };
}

static struct span any_line(struct fuzz_input *input)
{
	return line_at(input, fuzz_below(input, input->size));
}

/* The column's cell without its comma; of length 0 at the line's end if there is none. */
static struct span cell_of(const struct fuzz_input *input, struct span line, size_t column)
{
	size_t at = line.at, end = line.at + line.length, start = at;
	bool quoted = false;

	for (; at < end; at++) {
		uint8_t c = input->data[at];

		quoted ^= c == '"';
		if (quoted || (c != ',' && c != '\n' && c != '\r'))
			continue;
		if (!column--)
			return (struct span){ start, at - start };
		start = at + 1;
		if (c != ',')
			break;
	}
	return (struct span){ end, 0 };
}

static struct span any_cell(struct fuzz_input *input)
{
	return cell_of(input, any_line(input), fuzz_below(input, 20));
}

static void put_number(struct fuzz_input *input)
{
	struct span cell = any_cell(input);
	char buf[64];
	const char *text = fuzz_number_text(input, buf);

	fuzz_splice(input, cell.at, cell.length, text, strlen(text));
}

static void put_word(struct fuzz_input *input)
{
	static const char *const words[] = { "ns",
					     "us",
					     "ms",
					     "s",
					     "B",
					     "KB",
					     "MB",
					     "GB",
					     "GB/s",
					     "MB/s",
					     "Start",
					     "Duration",
					     "Name",
					     "Stream",
					     "Device",
					     "Context",
					     "Correlation_ID",
					     "Size",
					     "Throughput",
					     "[CUDA memcpy HtoD]",
					     "[CUDA memset]",
					     "\"a,b\"",
					     "\"a\"\"b\"",
					     "\"",
					     "\"a\nb\"",
					     "",
					     "Pageable",
					     "Pinned",
					     "Managed",
					     "-",
					     "void k<int>(float*)",
					     "\xff",
					     "Tesla V100 (0)",
					     "KernelName",
					     "gpu-id",
					     "queue-id",
					     "pid",
					     "BeginNs",
					     "EndNs",
					     "None",
					     "Kind",
					     "Guid",
					     "Agent 4",
					     "GPU 1",
					     "Agent_Id",
					     "Stream_Id",
					     "Kernel_Name",
					     "Direction",
					     "Start_Timestamp",
					     "HOST_TO_DEVICE",
					     "DEVICE_TO_DEVICE" };
	const char *word = words[fuzz_below(input, sizeof(words) / sizeof(words[0]))];
	struct span cell = any_cell(input);

	fuzz_splice(input, cell.at, cell.length, word, strlen(word));
}

static void copy_cell(struct fuzz_input *input)
{
	struct span to = any_cell(input), from = any_cell(input);

	fuzz_splice(input, to.at, to.length, input->data + from.at, from.length);
}

static void repeat_line(struct fuzz_input *input)
{
	struct span line = any_line(input), to = any_line(input);
	size_t times = fuzz_below(input, 8) ? 1 : fuzz_below(input, 100);
	uint8_t copy[4096];

	line.length = line.length < sizeof(copy) ? line.length : sizeof(copy);
	memcpy(copy, input->data + line.at, line.length);
	while (times--)
		fuzz_splice(input, to.at, 0, copy, line.length);
}

static void delete_line(struct fuzz_input *input)
{
	struct span line = any_line(input);

	fuzz_splice(input, line.at, line.length, NULL, 0);
}

static void change_cell(struct fuzz_input *input, struct span cell, size_t way)
{
	size_t end = cell.at + cell.length;

	if (way == 0) {
		fuzz_splice(input, cell.at,
			    cell.length + (end < input->size && input->data[end] == ','), NULL, 0);
	} else if (way == 1) {
		fuzz_splice(input, cell.at, 0, ",", 1);
		fuzz_splice(input, cell.at, 0, input->data + cell.at + 1, cell.length);
	} else {
		fuzz_splice(input, cell.at, cell.length, NULL, 0);
	}
}

/* In all lines: deleted, doubled, or emptied. */
static void change_column(struct fuzz_input *input)
{
	size_t column = fuzz_below(input, 20), way = fuzz_below(input, 3), at = 0;

	while (at < input->size) {
		struct span line = line_at(input, at);
		size_t rest = input->size - line.at - line.length;

		change_cell(input, cell_of(input, line, column), way);
		at = input->size - rest;
	}
}

/* Ends of lines, delimiters, quotes: of the whole file, as a program that rewrites it would. */
static void change_dialect(struct fuzz_input *input)
{
	static const char *const from[] = { "\n", ",", "\"", "." };
	static const char *const to[] = { "\r\n", ";", "'", ",", "\t", "\r", "", "\"\"" };
	const char *old = from[fuzz_below(input, 4)], *new = to[fuzz_below(input, 8)];

	for (size_t at = 0, changes = 0; at < input->size && changes < 2000; at++)
		if (input->data[at] == (uint8_t)*old) {
			fuzz_splice(input, at, 1, new, strlen(new));
			at += strlen(new);
			at -= at > 0;
			changes++;
		}
}

static void insert_text(struct fuzz_input *input)
{
	static const char *const texts[] = {
		"==77== NVPROF is profiling process 77, command: a\n",
		"==77== Warning: 12 records have invalid timestamps\n",
		"==77== Profiling result:\n",
		"==78== API calls:\n",
		"======== Profiling result:\n",
		"epoch 1, loss 0.5\n",
		"\n",
		"\xef\xbb\xbf",
		"\"Start\",\"Duration\",\"Device\",\"Context\",\"Stream\",\"Name\"\n",
		"ms,us,,,,\n",
		"\"Index\",\"KernelName\",\"gpu-id\",\"BeginNs\",\"EndNs\"\n",
		"\"Kind\",\"Agent_Id\",\"Kernel_Name\",\"Start_Timestamp\",\"End_Timestamp\"\n",
		"\"Kind\",\"Direction\",\"Stream_Id\",\"Source_Agent_Id\",\"Start_Timestamp\",\"End_Timestamp\"\n",
		"\"Domain\",\"Function\",\"Start_Timestamp\",\"End_Timestamp\"\n",
		"\"Type\",\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n",
	};
	const char *text = texts[fuzz_below(input, sizeof(texts) / sizeof(texts[0]))];
	struct span line = any_line(input);

	fuzz_splice(input, fuzz_below(input, 4) ? line.at : fuzz_below(input, input->size), 0, text,
		    strlen(text));
}

void fuzz_grammar(struct fuzz_input *input)
{
	static void (*const ways[])(struct fuzz_input *) = {
		put_number,  put_number,  put_word,	 put_word,	 copy_cell,
		repeat_line, delete_line, change_column, change_dialect, insert_text
	};

	if (input->size)
		ways[fuzz_below(input, sizeof(ways) / sizeof(ways[0]))](input);
}
