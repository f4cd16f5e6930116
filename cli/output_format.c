/* Determines the format by the extension of an output file. */
#include "output_format.h"
#include "message.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* An extension and the format each command writes for it; NULL: the command cannot write it. */
struct extension {
	const char *text;
	const char *format[FORMAT_VERBS]; /* analyze, compare, export, info, ranks */
	bool lines;
	bool hidden; /* omitted from lists */
};

static const struct extension extensions[] = {
	{ ".txt", { "text", "text", NULL, "text", "text" }, false, false },
	{ ".json", { "json", "json", "chrome", "json", "json" }, false, false },
	{ ".jsonl", { "json", NULL, NULL, "json" }, true, false },
	{ ".csv", { "csv", "csv", NULL, NULL, "csv" }, false, false },
	{ ".md", { "markdown", "markdown", NULL, NULL, "markdown" }, false, false },
	{ ".html", { "html", "html", NULL, NULL, "html" }, false, false },
	{ ".htm", { "html", "html", NULL, NULL, "html" }, false, true },
	{ ".trace", { "chrome", NULL, "chrome", NULL }, false, false },
	{ ".pftrace", { "perfetto", NULL, "perfetto", NULL, "perfetto" }, false, false },
	{ ".perfetto-trace", { "perfetto", NULL, "perfetto", NULL, "perfetto" }, false, false },
	{ ".sqlite", { "sqlite", NULL, "sqlite", NULL }, false, false },
	{ ".sqlite3", { "sqlite", NULL, "sqlite", NULL }, false, true },
	{ ".db", { "sqlite", NULL, "sqlite", NULL }, false, false },
	/* Formats of other tools: text under such a name would be misleading. */
	{ ".arrow", { NULL }, false, true },
	{ ".ncu-rep", { NULL }, false, true },
	{ ".nsys-rep", { NULL }, false, true },
	{ ".nvprof", { NULL }, false, true },
	{ ".nvvp", { NULL }, false, true },
	{ ".parquet", { NULL }, false, true },
	{ ".pb", { NULL }, false, true },
	{ ".pdf", { NULL }, false, true },
	{ ".png", { NULL }, false, true },
	{ ".qdrep", { NULL }, false, true },
	{ ".sql", { NULL }, false, true },
	{ ".svg", { NULL }, false, true },
	{ ".tsv", { NULL }, false, true },
	{ ".xlsx", { NULL }, false, true },
	{ ".xml", { NULL }, false, true },
	{ ".yaml", { NULL }, false, true },
	{ ".yml", { NULL }, false, true },
};

#define EXTENSIONS (sizeof(extensions) / sizeof(extensions[0]))

/* Finds the extension of a name; returns its length without ".gz", 0 if there is none. */
static size_t find(const struct common *common, const char **at)
{
	const char *path = common->output, *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	const char *end = path + strlen(path) - (common_compresses(common) ? strlen(".gz") : 0);

	for (*at = end; *at > name && (*at)[-1] != '.'; --*at)
		;
	/* A dot at the beginning hides a file. */
	if (*at <= name + 1)
		return 0;
	--*at;
	return end - *at > 1 ? (size_t)(end - *at) : 0;
}

static const struct extension *look_up(const char *at, size_t length)
{
	for (size_t i = 0; i < EXTENSIONS; i++)
		if (strlen(extensions[i].text) == length &&
		    !strncasecmp(extensions[i].text, at, length))
			return &extensions[i];
	return NULL;
}

/* Lists the extensions that a command writes: ".txt .json .csv". */
static void list(char *text, size_t size, enum format_verb verb)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < EXTENSIONS && used < size; i++)
		if (extensions[i].format[verb] && !extensions[i].hidden)
			used += (size_t)snprintf(text + used, size - used, "%s%s", used ? " " : "",
						 extensions[i].text);
}

bool output_format_choose(enum format_verb verb, struct common *common, bool *lines)
{
	static const char *const otherwise[] = { "text", "text", NULL, "text", "text" };
	const struct extension *extension = NULL;
	const char *at = "";
	size_t length = 0;
	char known[256];

	if (common->format)
		return true;
	if (common->output && strcmp(common->output, "-") != 0)
		length = find(common, &at);
	if (length)
		extension = look_up(at, length);
	common->format = extension ? extension->format[verb] : otherwise[verb];
	if (lines && extension)
		*lines |= extension->lines;
	if (!length || (extension && common->format))
		return true;
	list(known, sizeof(known), verb);
	if (!common->format) {
		message("%s: %s cannot write %.*s; choose %s, or any name with --format=",
			common->output, common->source.verb, (int)length, at, known);
		return false;
	}
	message_warning(
		"%s: no format has the extension %.*s, so text is written; use --format= or "
		"one of %s",
		common->output, (int)length, at, known);
	return true;
}
