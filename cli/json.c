/* JSON as info writes it (RFC 8259). */
#include "json.h"

#include <inttypes.h>

static void escape_one(struct json *json, unsigned char c)
{
	static const char letters[] = "btn\0fr";

	if (c == '"' || c == '\\')
		output_print(json->output, "\\%c", c);
	else if (c >= 8 && c <= 13 && letters[c - 8])
		output_print(json->output, "\\%c", letters[c - 8]);
	else
		output_print(json->output, "\\u%04x", c);
}

static void quote(struct json *json, const char *text)
{
	const char *run = text;

	output_write(json->output, "\"", 1);
	for (;; text++) {
		unsigned char c = (unsigned char)*text;

		if (c >= 0x20 && c != '"' && c != '\\' && c != 0x7f)
			continue;
		output_write(json->output, run, (size_t)(text - run));
		if (!c)
			break;
		escape_one(json, c);
		run = text + 1;
	}
	output_write(json->output, "\"", 1);
}

static void indent(struct json *json, const char *key)
{
	if (json->depth)
		output_print(json->output, "%s\n%*s", json->follows ? "," : "",
			     (int)(2 * json->depth), "");
	json->follows = true;
	if (key) {
		quote(json, key);
		output_write(json->output, ": ", 2);
	}
}

void json_open(struct json *json, const char *key, char bracket)
{
	indent(json, key);
	output_write(json->output, &bracket, 1);
	json->depth++;
	json->follows = false;
}

void json_close(struct json *json, char bracket)
{
	json->depth--;
	if (json->follows)
		output_print(json->output, "\n%*s", (int)(2 * json->depth), "");
	output_write(json->output, &bracket, 1);
	json->follows = true;
	if (!json->depth)
		output_write(json->output, "\n", 1);
}

void json_integer(struct json *json, const char *key, int64_t value)
{
	indent(json, key);
	output_print(json->output, "%" PRId64, value);
}

void json_count(struct json *json, const char *key, uint64_t value)
{
	indent(json, key);
	output_print(json->output, "%" PRIu64, value);
}

void json_null(struct json *json, const char *key)
{
	indent(json, key);
	output_write(json->output, "null", 4);
}

void json_text(struct json *json, const char *key, const char *text)
{
	if (!text) {
		json_null(json, key);
		return;
	}
	indent(json, key);
	quote(json, text);
}

void json_real(struct json *json, const char *key, double value)
{
	indent(json, key);
	output_print(json->output, "%.6f", value);
}
