/* The caller-owned error: the first error is kept, and its place is added on the way up. */
#include "base/base.h"
#include "base/utf8.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *dp_status_name(int status)
{
	switch (status) {
	case DP_OK:
		return "ok";
	case DP_ERR_NOMEM:
		return "out of memory";
	case DP_ERR_IO:
		return "input/output error";
	case DP_ERR_FORMAT:
		return "unknown format";
	case DP_ERR_DAMAGED:
		return "damaged file";
	case DP_ERR_NO_GPU:
		return "no GPU activity";
	case DP_ERR_ARGUMENT:
		return "bad argument";
	case DP_ERR_LIMIT:
		return "too large";
	case DP_ERR_UNSUPPORTED:
		return "not supported";
	default:
		return "unknown status";
	}
}

const char *dp_version(void)
{
	return DP_VERSION_STRING;
}

/* Other bytes of a path are shown unchanged: it must identify the file. */
static void hide_controls(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			*text = '?';
}

/*
 * Messages quote file contents: anything that could move a cursor or break the line, or is not
 * UTF-8, is shown as '?'.
 */
static void clean(char *text)
{
	dp_utf8__mask(text);
	hide_controls(text);
}

/* Cuts text at the end of a character, so that it stays valid UTF-8. */
static void cut(char *text, size_t size)
{
	size_t n = strlen(text);

	if (n + 1 < size)
		return;
	while (n > 0 && ((unsigned char)text[n - 1] & 0xc0) == 0x80)
		n--;
	if (n > 0 && (unsigned char)text[n - 1] >= 0xc0)
		text[n - 1] = '\0';
}

int dp_error__set(struct dp_error *error, int status, const char *format, ...)
{
	va_list args;

	if (!error || error->status)
		return status;
	error->status = status;
	va_start(args, format);
	vsnprintf(error->message, sizeof(error->message), format, args);
	va_end(args);
	cut(error->message, sizeof(error->message));
	clean(error->message);
	return status;
}

int dp_error__system(struct dp_error *error, const char *what)
{
	int system = errno;

	if (error && !error->status)
		error->system = system;
	return dp_error__set(error, DP_ERR_IO, "%s%s%s", what ? what : "", what ? ": " : "",
			     strerror(system));
}

int dp_error__nomem(struct dp_error *error, size_t bytes)
{
	if (!bytes || bytes == SIZE_MAX)
		return dp_error__set(error, DP_ERR_NOMEM, "out of memory");
	return dp_error__set(error, DP_ERR_NOMEM, "out of memory: %zu more bytes were needed",
			     bytes);
}

void dp_error__where(struct dp_error *error, const char *path, const char *table, uint64_t line,
		     uint64_t column)
{
	if (!error)
		return;
	if (path && !error->path[0])
		snprintf(error->path, sizeof(error->path), "%s", path);
	if (table && !error->table[0]) {
		snprintf(error->table, sizeof(error->table), "%s", table);
		clean(error->table);
	}
	if (!error->line) {
		error->line = line;
		error->column = column;
	}
}

size_t dp_error_format(const struct dp_error *error, char *buf, size_t size)
{
	char path[sizeof(error->path)], place[64] = "";
	const char *colon = error->path[0] ? ": " : "";
	const char *after = error->table[0] ? ": " : "";
	int n;

	memcpy(path, error->path, sizeof(path));
	hide_controls(path);
	if (error->line && error->column)
		snprintf(place, sizeof(place), "%s%llu:%llu", error->path[0] ? ":" : "line ",
			 (unsigned long long)error->line, (unsigned long long)error->column);
	else if (error->line)
		snprintf(place, sizeof(place), "%s%llu", error->path[0] ? ":" : "line ",
			 (unsigned long long)error->line);
	if (place[0] && !error->path[0])
		colon = ": ";
	n = snprintf(buf, size, "%s%s%s%s%s%s", path, place, colon, error->table, after,
		     error->message[0] ? error->message : dp_status_name(error->status));
	return n < 0 ? 0 : (size_t)n;
}

void dp_log__write(const struct dp_log *log, enum dp_log_level level, const char *format, ...)
{
	char message[512];
	va_list args;

	if (!log || !log->write)
		return;
	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	cut(message, sizeof(message));
	clean(message);
	log->write(log->ctx, level, message);
}
