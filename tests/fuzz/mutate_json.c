/* JSON: values, members and numbers, as the text has them; well-formed or not. */
#include "mutate.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { VALUES_MOST = 4096, DEPTH_MOST = 64 };

/* Where a value or a key is. */
struct value {
	size_t at, length;
	char first; /* its first character */
	bool key;
};

struct values {
	struct value all[VALUES_MOST];
	size_t count;
};

static size_t string_end(const struct fuzz_input *input, size_t at)
{
	for (at++; at < input->size && input->data[at] != '"'; at++)
		at += input->data[at] == '\\';
	return at < input->size ? at + 1 : input->size;
}

static size_t scalar_end(const struct fuzz_input *input, size_t at)
{
	while (at < input->size && !strchr(",:{}[]\" \t\r\n", input->data[at]))
		at++;
	return at;
}

static size_t skip_space(const struct fuzz_input *input, size_t at)
{
	while (at < input->size && input->data[at] && strchr(" \t\r\n", input->data[at]))
		at++;
	return at;
}

static void add(struct values *values, size_t at, size_t end, char first, bool key)
{
	if (values->count < VALUES_MOST)
		values->all[values->count++] = (struct value){ at, end - at, first, key };
}

/* Objects and arrays are noted when they end. */
static void find_values(struct values *values, const struct fuzz_input *input)
{
	size_t open[DEPTH_MOST], depth = 0, end;

	values->count = 0;
	for (size_t at = 0; at < input->size;) {
		char c = (char)input->data[at];

		if (c == '{' || c == '[') {
			if (depth < DEPTH_MOST)
				open[depth] = at;
			depth++;
			at++;
		} else if (c == '}' || c == ']') {
			at++;
			if (depth && --depth < DEPTH_MOST)
				add(values, open[depth], at, (char)input->data[open[depth]], false);
		} else if (c == '"') {
			end = string_end(input, at);
			add(values, at, end, c,
			    skip_space(input, end) < input->size &&
				    input->data[skip_space(input, end)] == ':');
			at = end;
		} else if (!c || strchr(",: \t\r\n", c)) {
			at++;
		} else {
			end = scalar_end(input, at);
			end += end == at;
			add(values, at, end, c, false);
			at = end;
		}
	}
}

static const struct value *any(struct fuzz_input *input, const struct values *values)
{
	return &values->all[fuzz_below(input, values->count)];
}

static bool is_number(const struct value *value)
{
	return value->first == '-' || (value->first >= '0' && value->first <= '9');
}

static void put_number(struct fuzz_input *input, const struct values *values)
{
	const struct value *value = any(input, values);
	char buf[64];
	const char *text = fuzz_number_text(input, buf);

	for (size_t tries = 0; tries < 16 && !is_number(value); tries++)
		value = any(input, values);
	fuzz_splice(input, value->at, value->length, text, strlen(text));
}

/* Replaces a value, or a key and its value, by another one. */
static void copy_value(struct fuzz_input *input, const struct values *values)
{
	const struct value *to = any(input, values), *from = any(input, values);

	for (size_t tries = 0; tries < 16 && from->key != to->key; tries++)
		from = any(input, values);
	fuzz_splice(input, to->at, to->length, input->data + from->at, from->length);
}

static size_t with_comma(const struct fuzz_input *input, size_t end)
{
	size_t at = skip_space(input, end);

	return at < input->size && input->data[at] == ',' ? at + 1 : end;
}

static void delete_value(struct fuzz_input *input, const struct values *values)
{
	const struct value *value = any(input, values);
	size_t end = value->at + value->length;

	fuzz_splice(input, value->at,
		    (fuzz_below(input, 2) ? with_comma(input, end) : end) - value->at, NULL, 0);
}

/* Adds an event, or many. */
static void repeat_value(struct fuzz_input *input, const struct values *values)
{
	struct value value = *any(input, values);
	size_t times = fuzz_below(input, 4) ? 1 : 1 + fuzz_below(input, 200);

	for (size_t i = 0; i < times && value.length < input->room / 4; i++) {
		fuzz_splice(input, value.at, 0, ",", 1);
		fuzz_splice(input, value.at, 0, input->data + value.at + 1, value.length);
	}
}

/* Repeats a member's name: the last one counts, or the first. */
static void repeat_member(struct fuzz_input *input, const struct values *values)
{
	const struct value *key = any(input, values), *value = any(input, values);
	char member[512];
	int n;

	for (size_t tries = 0; tries < 16 && !key->key; tries++)
		key = any(input, values);
	n = snprintf(member, sizeof(member), "%.*s:%.*s,", (int)(key->length % 200),
		     (const char *)input->data + key->at, (int)(value->length % 200),
		     (const char *)input->data + value->at);
	fuzz_splice(input, key->at, 0, member, (size_t)n);
}

static void nest(struct fuzz_input *input, const struct values *values)
{
	struct value value = *any(input, values);
	size_t depth = fuzz_below(input, 8) ? 1 + fuzz_below(input, 3) : fuzz_below(input, 3000);
	bool object = fuzz_below(input, 2);

	for (size_t i = 0; i < depth; i++) {
		fuzz_splice(input, value.at + value.length, 0, object ? "}" : "]", 1);
		fuzz_splice(input, value.at, 0, object ? "{\"a\":" : "[", object ? 5 : 1);
		value.length += object ? 6 : 2;
	}
}

static void spoil_text(struct fuzz_input *input, const struct values *values)
{
	static const char *const parts[] = {
		"\\u0000", "\\ud800",  "\\udc00",      "\\uD83D\\uDE00",
		"\\",	   "\\\"",     "\\x",	       "\\u12",
		"\xff",	   "\xc0\x80", "\xe2\x82",     "\xed\xa0\x80",
		"\t",	   "\n",       "\x1b[31m",     "\"",
		"%s",	   "<script>", "\xe2\x80\xae", " ",
		"[name 0]"
	};
	const char *part = parts[fuzz_below(input, sizeof(parts) / sizeof(parts[0]))];
	const struct value *value = any(input, values);

	for (size_t tries = 0; tries < 16 && value->first != '"'; tries++)
		value = any(input, values);
	for (size_t times = fuzz_below(input, 16) ? 1 : 400; times; times--)
		fuzz_splice(input, value->at + 1 + fuzz_below(input, value->length), 0, part,
			    strlen(part));
}

static void spoil_structure(struct fuzz_input *input, const struct values *values)
{
	static const char *const parts[] = {
		",",  ":",  "[",    "]", "{", "}", "/**/", "//\n", "\xef\xbb\xbf",
		"\0", ",,", "null", "\""
	};
	const char *part = parts[fuzz_below(input, sizeof(parts) / sizeof(parts[0]))];
	const struct value *value = any(input, values);

	if (fuzz_below(input, 4) == 0)
		input->size = value->at + fuzz_below(input, value->length + 1);
	else
		fuzz_splice(input, value->at + (fuzz_below(input, 2) ? value->length : 0), 0, part,
			    strlen(part) + (*part == 0));
}

void fuzz_grammar(struct fuzz_input *input)
{
	static void (*const ways[])(struct fuzz_input *, const struct values *) = {
		put_number,   put_number,    copy_value, copy_value, delete_value,   repeat_value,
		repeat_value, repeat_member, nest,	 spoil_text, spoil_structure
	};
	static struct values values;

	find_values(&values, input);
	if (values.count)
		ways[fuzz_below(input, sizeof(ways) / sizeof(ways[0]))](input, &values);
}
