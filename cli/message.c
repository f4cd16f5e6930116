/* Messages on standard error. */
#include "message.h"
#include "progress.h"
#include "utf8.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* A damaged file can have many warnings: the first is the most useful, and errors stay visible. */
enum { LOGGED_MAX = 1 };

static int verbosity;
static unsigned logged;
static const char *subject; /* the file being read, NULL before the first */

void message_level(int level)
{
	verbosity = level;
}

/* Makes one write, so that lines of several processes do not mix; a failure cannot be reported. */
static void put(const char *kind, const char *format, va_list args)
{
	char text[2304];

	vsnprintf(text, sizeof(text), format, args);
	utf8_mask(text);
	progress_clear();
	fprintf(stderr, "deepprof: %s%s\n", kind, text);
}

void message(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put("", format, args);
	va_end(args);
}

void message_error(const struct dp_error *error)
{
	char line[640];

	dp_error_format(error, line, sizeof(line));
	message("%s", line);
}

void message_warning(const char *format, ...)
{
	va_list args;

	if (verbosity < 0)
		return;
	va_start(args, format);
	put("warning: ", format, args);
	va_end(args);
}

static void write_log(void *ctx, enum dp_log_level level, const char *text)
{
	if (level == DP_LOG_WARNING) {
		if (logged++ < LOGGED_MAX || verbosity > 0)
			message_warning("%s%s%s", subject ? subject : "", subject ? ": " : "",
					text);
	} else if (verbosity >= (level == DP_LOG_INFO ? 1 : 2)) {
		message("%s%s%s", subject ? subject : "", subject ? ": " : "", text);
	}
}

void message_subject(const char *path)
{
	subject = strcmp(path, "-") ? path : "standard input";
	logged = 0;
}

void message_tell_hidden(void)
{
	if (message_hidden())
		message_warning("%s: %u more %s with -v", subject, message_hidden(),
				message_hidden() == 1 ? "warning" : "warnings");
}

unsigned message_hidden(void)
{
	return verbosity > 0 || logged < LOGGED_MAX ? 0 : logged - LOGGED_MAX;
}

struct dp_log message_log(void)
{
	return (struct dp_log){ write_log, NULL };
}

/* Returns true if a shell takes the text unchanged, and it does not look like an option. */
static bool is_plain(const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789/._-+,:@%=";

	return *text && *text != '-' && !text[strspn(text, plain)];
}

const char *message_word(char *buf, size_t size, const char *text)
{
	size_t used = 0;

	if (is_plain(text)) {
		snprintf(buf, size, "%s", text);
		return buf;
	}
	used += (size_t)snprintf(buf, size, "'%s", *text == '-' ? "./" : "");
	for (; *text && used < size; text++)
		used += (size_t)snprintf(buf + used, size - used, *text == '\'' ? "'\\''" : "%c",
					 *text);
	if (used < size)
		used += (size_t)snprintf(buf + used, size - used, "'");
	if (used >= size)
		buf[0] = '\0';
	return buf;
}
