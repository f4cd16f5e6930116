/* Joins the names of annotations that differ in their numbers only. */
#include "activity/range_names.h"
#include "base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Longer names are no numbered ones, and many ranges may have them. */
#define NAME_BYTES 272

#define DIGITS "0123456789"

/* A name of an annotation, before its text is known. */
#define MARKED 0

static bool is_digit(char c)
{
	return isdigit((unsigned char)c);
}

/* Returns true if a name contains a line of a file: "train.py:32". */
static bool names_line(const char *name)
{
	for (const char *at = name; (at = strchr(at, ':')); at++) {
		const char *extension = at;

		while (extension > name && isalnum((unsigned char)extension[-1]))
			extension--;
		if (is_digit(at[1]) && extension > name && extension < at && extension[-1] == '.')
			return true;
	}
	return false;
}

/*
 * Returns true if a name ends in the number that XLA gives an instruction, "while.682"; that of a
 * model's module, "model.layers.7", follows other points.
 */
static bool is_instruction(const char *name)
{
	const char *point = strchr(name, '.');

	return point && is_digit(point[1]) && !point[1 + strspn(point + 1, DIGITS)];
}

/*
 * Returns true if a name has numbers, and these are no parts of names: "aten::conv2d" and
 * "aten::conv3d" are two functions.
 */
static bool is_numbered(const char *name)
{
	return strnlen(name, NAME_BYTES) < NAME_BYTES && strpbrk(name, DIGITS) &&
	       !strstr(name, "::") && !names_line(name) && !is_instruction(name);
}

/* Notes a name of an annotation. */
static int note(struct dp_range_names *names, const struct dp_trace *trace, uint32_t name)
{
	const char *full = dp_trace_string(trace, name);
	size_t known = names->texts.count;
	char text[NAME_BYTES];
	uint32_t id;

	names->joined[name] = DP_NONE;
	if (!is_numbered(full))
		return DP_OK;
	id = dp_strings__intern(&names->texts, text, dp_text__without_numbers(text, full));
	if (id == DP_NONE)
		return DP_ERR_NOMEM;
	names->joined[name] = id;
	names->several[id] = id < known;
	if (id == known)
		names->first[id] = name;
	return DP_OK;
}

int dp_range_names__init(struct dp_range_names *names, const struct dp_trace *trace)
{
	const struct dp_ranges *ranges = dp_trace_ranges(trace);
	size_t strings = dp_trace_string_count(trace);
	int status = DP_OK;

	*names = (struct dp_range_names){ .joined = NULL };
	if (!ranges->count)
		return DP_OK;
	names->joined = dp_alloc__array(strings, sizeof(*names->joined));
	names->first = dp_alloc__array(strings, sizeof(*names->first));
	names->several = dp_alloc__zeroed(strings, sizeof(*names->several));
	if (!names->joined || !names->first || !names->several)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < strings; i++)
		names->joined[i] = DP_NONE;
	/* each name is looked at once */
	for (size_t i = 0; i < ranges->count; i++)
		if (ranges->kind[i] != DP_RANGE_OPERATOR && ranges->name[i] < strings)
			names->joined[ranges->name[i]] = MARKED;
	for (size_t i = 0; i < strings && !status; i++)
		if (names->joined[i] == MARKED)
			status = note(names, trace, (uint32_t)i);
	return status;
}

void dp_range_names__fini(struct dp_range_names *names)
{
	dp_strings__fini(&names->texts);
	free(names->joined);
	free(names->first);
	free(names->several);
	*names = (struct dp_range_names){ .joined = NULL };
}

uint32_t dp_range_names__common(const struct dp_range_names *names, uint32_t name)
{
	if (!names->joined || name == DP_NONE || names->joined[name] == DP_NONE)
		return name;
	return names->first[names->joined[name]];
}

const char *dp_range_names__text(const struct dp_range_names *names, const struct dp_trace *trace,
				 uint32_t name)
{
	uint32_t id = names->joined && name != DP_NONE ? names->joined[name] : DP_NONE;

	return id != DP_NONE && names->several[id] ? dp_strings__get(&names->texts, id)
						   : dp_trace_string(trace, name);
}
