/* The program's command line, with secrets removed. */
#include "base/base.h"
#include "spool/secret.h"

#include <deepprof/record.h>
#include <string.h>

/* Joins arguments, each followed by a NUL, as in /proc/PID/cmdline. */
static int join(char **joined, size_t *bytes, char *const *arguments)
{
	size_t used = 0;

	*bytes = 0;
	for (size_t i = 0; arguments[i]; i++)
		*bytes += strlen(arguments[i]) + 1;
	*joined = malloc(*bytes + 1);
	if (!*joined)
		return DP_ERR_NOMEM;
	for (size_t i = 0; arguments[i]; i++) {
		size_t length = strlen(arguments[i]) + 1;

		memcpy(*joined + used, arguments[i], length);
		used += length;
	}
	return DP_OK;
}

int dp_record_command_line(char **line, char *const *arguments, struct dp_error *error)
{
	char *joined, *text;
	size_t bytes, room;

	if (join(&joined, &bytes, arguments))
		return dp_error__nomem(error, bytes);
	room = dp_secret__command(NULL, 0, joined, bytes, ' ') + 1;
	text = malloc(room);
	if (text)
		dp_secret__command(text, room, joined, bytes, ' ');
	free(joined);
	if (!text)
		return dp_error__nomem(error, room);
	*line = text;
	return DP_OK;
}
