/* Endings of names. */
#include "ending.h"
#include "message.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* An ending and what each command writes for it; NULL: something else, which it can't. */
struct ending {
	const char *text;
	const char *format[ENDING_VERBS]; /* analyze, compare, export, info, ranks */
	bool lines;
	bool hidden; /* not among those that are listed */
};

static const struct ending endings[] = {
	{ ".txt", { "text", "text", NULL, "text", "text" }, false, false },
	{ ".json", { "json", "json", "chrome", "json", "json" }, false, false },
	{ ".jsonl", { "json", NULL, NULL, "json" }, true, false },
	{ ".csv", { "csv", "csv", NULL, NULL, "csv" }, false, false },
	{ ".md", { "markdown", "markdown", NULL, NULL }, false, false },
	{ ".html", { "html", "html", NULL, NULL, "html" }, false, false },
	{ ".htm", { "html", "html", NULL, NULL, "html" }, false, true },
	{ ".trace", { "chrome", NULL, "chrome", NULL }, false, false },
	{ ".pftrace", { "perfetto", NULL, "perfetto", NULL, "perfetto" }, false, false },
	{ ".perfetto-trace", { "perfetto", NULL, "perfetto", NULL, "perfetto" }, false, false },
	{ ".sqlite", { "sqlite", NULL, "sqlite", NULL }, false, false },
	{ ".sqlite3", { "sqlite", NULL, "sqlite", NULL }, false, true },
	{ ".db", { "sqlite", NULL, "sqlite", NULL }, false, false },
	/* What others write or read: text under such a name would but mislead. */
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

#define ENDINGS (sizeof(endings) / sizeof(endings[0]))

/* Where the ending begins in a name, and its length without ".gz"; 0: it has none. */
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

static const struct ending *look_up(const char *at, size_t length)
{
	for (size_t i = 0; i < ENDINGS; i++)
		if (strlen(endings[i].text) == length && !strncasecmp(endings[i].text, at, length))
			return &endings[i];
	return NULL;
}

/* ".txt .json .csv": those that a command writes. */
static void list(char *text, size_t size, enum ending_verb verb)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < ENDINGS && used < size; i++)
		if (endings[i].format[verb] && !endings[i].hidden)
			used += (size_t)snprintf(text + used, size - used, "%s%s", used ? " " : "",
						 endings[i].text);
}

bool ending_choose(enum ending_verb verb, struct common *common, bool *lines)
{
	static const char *const otherwise[] = { "text", "text", NULL, "text", "text" };
	const struct ending *ending = NULL;
	const char *at = "";
	size_t length = 0;
	char known[256];

	if (common->format)
		return true;
	if (common->output && strcmp(common->output, "-") != 0)
		length = find(common, &at);
	if (length)
		ending = look_up(at, length);
	common->format = ending ? ending->format[verb] : otherwise[verb];
	if (lines && ending)
		*lines |= ending->lines;
	if (!length || (ending && common->format))
		return true;
	list(known, sizeof(known), verb);
	if (!common->format) {
		message("%s: %s writes no %.*s: it writes %s, and any name with --format=",
			common->output, common->source.verb, (int)length, at, known);
		return false;
	}
	message_warning("%s: no format has the ending %.*s, text is written (--format=, or one of "
			"%s)",
			common->output, (int)length, at, known);
	return true;
}
