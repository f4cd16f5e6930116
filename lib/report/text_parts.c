/* Styles, columns and words of the text report. */
#include "base/text.h"
#include "report/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void dp_text__style_begin(struct dp_render *render, const char *style)
{
	if (render->options->color)
		dp_render__format(render, "\033[%sm", style);
}

void dp_text__style_end(struct dp_render *render)
{
	if (render->options->color)
		dp_render__text(render, "\033[0m");
}

void dp_text__styled(struct dp_render *render, const char *style, const char *text)
{
	dp_text__style_begin(render, style);
	dp_render__text(render, text);
	dp_text__style_end(render);
}

void dp_words__add(struct dp_words *words, const char *format, ...)
{
	size_t room = sizeof(words->text) - words->used;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(words->text + words->used, room, format, args);
	va_end(args);
	if (n > 0 && (size_t)n < room)
		words->used += (size_t)n;
	words->text[words->used] = '\0';
}

void dp_text__blanks(struct dp_render *render, size_t count)
{
	static const char blanks[] = "                                ";

	for (; count >= sizeof(blanks) - 1; count -= sizeof(blanks) - 1)
		dp_render__text(render, blanks);
	dp_render__write(render, blanks, count);
}

void dp_text__column(struct dp_render *render, const char *text, int columns)
{
	size_t width = dp_label_width(text), room = (size_t)abs(columns);
	size_t fill = room > width ? room - width : 0;

	if (columns < 0)
		dp_text__blanks(render, fill);
	dp_render__text(render, text);
	if (columns > 0)
		dp_text__blanks(render, fill);
}

void dp_text__cell(struct dp_render *render, const char *text, int columns)
{
	dp_text__column(render, text, -DP_MAX(columns, (int)dp_label_width(text) + 1));
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_stop(char c)
{
	return c == ',' || c == ';' || c == ':';
}

/* Returns true if words end with "(deepprof", and the name of a command follows. */
static bool is_command(const char *words, size_t length)
{
	static const char name[] = "(deepprof";

	return length == sizeof(name) - 1 && !strncmp(words, name, length);
}

/*
 * The length up to the next possible break: a number is not separated from what it counts or
 * numbers, nor "<=" or "=" from both of its sides.
 */
static size_t unbroken(const char *words)
{
	size_t length = strcspn(words, " ");

	while (length && words[length] && !is_stop(words[length - 1]) &&
	       (is_digit(words[length - 1]) || is_digit(words[length + 1]) ||
		words[length + 1] == '<' || words[length + 1] == '=' || is_command(words, length)))
		length += 1 + strcspn(words + length + 1, " ");
	return length;
}

size_t dp_text__lines(const struct dp_render *render, size_t used, size_t indent, const char *words)
{
	const struct dp_text *text = render->state;
	size_t lines = 1;
	bool first = true;

	while (*words) {
		size_t length = unbroken(words), width = dp_label__width_of(words, length);

		if (!first && used + 1 + width > text->width) {
			lines++;
			used = indent;
			first = true;
		}
		used += width + !first;
		first = false;
		words += length;
		words += strspn(words, " ");
	}
	return lines;
}

void dp_text__label(struct dp_render *render, const char *label)
{
	dp_text__blanks(render, DP_TEXT_INDENT);
	dp_text__column(render, label, DP_TEXT_BODY - DP_TEXT_INDENT);
}

void dp_text__wrap(struct dp_render *render, size_t used, size_t indent, const char *words)
{
	const struct dp_text *text = render->state;
	bool first = true;

	while (*words) {
		size_t length = unbroken(words), width = dp_label__width_of(words, length);

		if (!first && used + 1 + width > text->width) {
			dp_render__text(render, "\n");
			dp_text__blanks(render, indent);
			used = indent;
			first = true;
		}
		if (!first)
			dp_render__text(render, " ");
		dp_render__write(render, words, length);
		used += width + !first;
		first = false;
		words += length;
		words += strspn(words, " ");
	}
	dp_render__text(render, "\n");
}

char *dp_text__title(char buf[DP_NUMBER_SIZE], const char *name)
{
	static const char *const units[] = { "_ns", "_bytes" };
	/* endings that are unclear by themselves */
	static const char *const clearer[][2] = { { "_operation_ns", "_operation_gap" },
						  { "d2d_exposed_ns", "exposed_device_copies" },
						  { "size_bytes", "upload_size" },
						  { "h2d_bytes", "upload_size" },
						  { "d2h_bytes", "download_size" } };
	size_t length;

	snprintf(buf, DP_NUMBER_SIZE, "%s", name);
	length = strlen(buf);
	for (size_t i = 0; i < DP_COUNT(clearer); i++) {
		size_t n = strlen(clearer[i][0]);

		if (length >= n && !strcmp(buf + length - n, clearer[i][0]))
			snprintf(buf + length - n, DP_NUMBER_SIZE - (length - n), "%s",
				 clearer[i][1]);
	}
	length = strlen(buf);
	for (size_t i = 0; i < DP_COUNT(units); i++) {
		size_t n = strlen(units[i]);

		if (length > n && !strcmp(buf + length - n, units[i]))
			buf[length - n] = '\0';
	}
	for (char *at = buf; *at; at++)
		if (*at == '_')
			*at = ' ';
	return buf;
}

bool dp_text__find_metric(const char *name, size_t *index)
{
	const struct dp_metric_info *info;

	for (size_t i = 0; (info = dp_metric(i)); i++) {
		if (strcmp(info->name, name))
			continue;
		*index = i;
		return true;
	}
	return false;
}

bool dp_text__find_summary(const char *name, size_t *index)
{
	const struct dp_metric_info *info;

	for (size_t i = 0; (info = dp_summary_metric(i)); i++) {
		if (strcmp(info->name, name))
			continue;
		*index = i;
		return true;
	}
	return false;
}

double dp_text__summary(const struct dp_render *render, size_t loop, const char *name)
{
	size_t index;

	return dp_text__find_summary(name, &index)
		       ? dp_analysis_loop_summary(render->analysis, loop, index)
		       : (double)NAN;
}

/* Returns true if another process has a device with the same number. */
static bool is_shared(const struct dp_trace *trace, size_t index)
{
	int64_t id = dp_trace_device(trace, index)->id;
	const struct dp_device *other;

	for (size_t i = 0; (other = dp_trace_device(trace, i)); i++)
		if (i != index && other->id == id)
			return true;
	return false;
}

char *dp_text__device(char buf[DP_LABEL_SIZE], const struct dp_trace *trace, size_t index)
{
	const struct dp_device *device = dp_trace_device(trace, index);
	const struct dp_process *process = dp_trace_process(trace, device->process);
	int n = device->id < 0 ? snprintf(buf, DP_LABEL_SIZE, "GPU")
			       : snprintf(buf, DP_LABEL_SIZE, "GPU %lld", (long long)device->id);

	if (dp_trace_process_count(trace) > 1 && process->rank >= 0)
		snprintf(buf + n, DP_LABEL_SIZE - (size_t)n, " (rank %lld)",
			 (long long)process->rank);
	else if (process->pid >= 0 && is_shared(trace, index))
		snprintf(buf + n, DP_LABEL_SIZE - (size_t)n, " (pid %lld)",
			 (long long)process->pid);
	return buf;
}

char *dp_text__plural(char buf[DP_NUMBER_SIZE], uint64_t count, const char *noun)
{
	char digits[DP_TEXT_SIZE];

	return dp_text__counted(buf, DP_NUMBER_SIZE, dp_text__count(digits, count), noun);
}
