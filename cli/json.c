/* JSON as info writes it (RFC 8259). */
#include "json.h"
#include "utf8.h"

#include <inttypes.h>

static void escape_one(struct json *json, uint32_t code)
{
	static const char letters[] = "btn\0fr";

	if (code == '"' || code == '\\')
		output_print(json->output, "\\%c", (char)code);
	else if (code >= 8 && code <= 13 && letters[code - 8])
		output_print(json->output, "\\%c", letters[code - 8]);
	else
		output_print(json->output, "\\u%04x", (unsigned)code);
}

/* A name of a file may be any bytes; JSON is UTF-8: U+FFFD for each byte of no character. */
static void quote(struct json *json, const char *text)
{
	const char *run = text;
	uint32_t code;
	size_t bytes;

	output_write(json->output, "\"", 1);
	for (; *text; text += bytes) {
		bytes = utf8_next(text, &code);
		if (!utf8_is_control(code) && code != '"' && code != '\\' && code != 0xfffd)
			continue;
		output_write(json->output, run, (size_t)(text - run));
		escape_one(json, code);
		run = text + bytes;
	}
	output_write(json->output, run, (size_t)(text - run));
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

void json_put_integer(struct json *json, const char *key, int64_t value)
{
	indent(json, key);
	output_print(json->output, "%" PRId64, value);
}

void json_put_count(struct json *json, const char *key, uint64_t value)
{
	indent(json, key);
	output_print(json->output, "%" PRIu64, value);
}

void json_put_null(struct json *json, const char *key)
{
	indent(json, key);
	output_write(json->output, "null", 4);
}

void json_put_text(struct json *json, const char *key, const char *text)
{
	if (!text) {
		json_put_null(json, key);
		return;
	}
	indent(json, key);
	quote(json, text);
}

void json_put_real(struct json *json, const char *key, double value)
{
	indent(json, key);
	output_print(json->output, "%.6f", value);
}
