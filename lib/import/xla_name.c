/*
 * Names of XLA's ranges: KIND:#KEY=VALUE,KEY=VALUE#. Nothing in values is escaped, and operators of
 * the framework may contain commas ("jit(f)/NMQ,dQ->NMd/dot_general"): a value ends before a comma,
 * a word and an equals sign.
 */
#include "import/xla_name.h"
#include "base/text.h"
#include "base/utf8.h"

#include <stdio.h>

enum { STEP_BYTES = 80 }; /* of a step's name; with prefix and number it fits DP_XLA_STEP_SIZE */

/* Part of the text. */
struct part {
	const char *at;
	size_t length;
};

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static const char *skip_word(const char *at, const char *end)
{
	while (at < end && is_word(*at))
		at++;
	return at;
}

/* Returns what follows "KEY=", NULL if the text does not begin like that. */
static const char *skip_key(const char *at, const char *end)
{
	const char *equals = skip_word(at, end);

	return equals > at && equals < end && *equals == '=' ? equals + 1 : NULL;
}

/* Moves *at behind a pair. Returns false if there is none. */
static bool next_pair(const char **at, const char *end, struct part *key, struct part *value)
{
	const char *from = skip_key(*at, end), *to = from;

	if (!from)
		return false;
	while (to < end && !(*to == ',' && skip_key(to + 1, end)))
		to++;
	*key = (struct part){ *at, (size_t)(from - 1 - *at) };
	*value = (struct part){ from, (size_t)(to - from) };
	*at = to < end ? to + 1 : end;
	return true;
}

/* Returns the first value of a key, empty if there is none. */
static struct part find(const char *at, const char *end, const char *wanted)
{
	struct part key, value;

	while (next_pair(&at, end, &key, &value))
		if (dp_text__is(key.at, key.length, wanted))
			return value;
	return (struct part){ end, 0 };
}

/* The text ends with a NUL, or is at least as long as the prefix. */
static bool starts(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

bool dp_xla_name__is_likely(const char *text)
{
	return starts(text, "Xla") || starts(text, "Thunk:");
}

/* The keys of names by kind, the preferred one first; the last row is for all other kinds. */
static const struct {
	const char *kind; /* NULL: any that begins with Xla */
	const char *keys[2];
} kinds[] = {
	{ "XlaModule", { "hlo_module" } },
	{ "Thunk", { "name", "hlo_op" } },
	{ NULL, { "name", "module" } },
};

size_t dp_xla_name__plain(char *plain, const char *text, size_t length)
{
	const char *end = text + length, *colon = skip_word(text, end);
	size_t i = 0, kind = (size_t)(colon - text), used = 0;
	struct part value = { end, 0 };

	if (end - colon < 3 || colon[0] != ':' || colon[1] != '#' || end[-1] != '#')
		return 0;
	while (kinds[i].kind && !dp_text__is(text, kind, kinds[i].kind))
		i++;
	if (!kinds[i].kind && !starts(text, "Xla"))
		return 0;
	for (size_t k = 0; k < DP_COUNT(kinds[i].keys) && kinds[i].keys[k] && !value.length; k++)
		value = find(colon + 2, end - 1, kinds[i].keys[k]);
	if (!value.length)
		return 0;
	if (!kinds[i].kind) {
		memcpy(plain, text, kind);
		memcpy(plain + kind, ": ", 2);
		used = kind + 2;
	}
	memcpy(plain + used, value.at, value.length);
	return used + value.length;
}

size_t dp_xla_name__step(char step[DP_XLA_STEP_SIZE], const char *number, const char *name,
			 size_t length)
{
	int n = snprintf(step, DP_XLA_STEP_SIZE, "Step#%.20s%.*s", number,
			 (int)dp_utf8__cut(name, length, STEP_BYTES), name);

	return (size_t)n;
}
