/*
 * A JSON scanner for trace files: no document, no allocation, nothing copied. It reads text that
 * lies in memory, 16 bytes at a time, and it forgives what trace writers do wrong: raw control
 * characters in strings, quotes inside strings that nobody escaped, NaN.
 *
 * The text must be followed by DP_JSON_PAD readable bytes that are 0. Where a function runs
 * into the end it returns DP_JSON_MORE and the caller asks again with more text. Whether a string
 * or a number ends is seen by what follows, so a value needs something behind it.
 *
 * A bare quote is distinguished from the end of a string by what follows it: after white space, a
 * string that ends has a colon (a key), or a comma or a closing bracket (a value). In a correct
 * document that is always so, hence nothing correct is read differently.
 */
#ifndef DP_IMPORT_JSON_SCAN_H
#define DP_IMPORT_JSON_SCAN_H

#include "base/text.h"

#define DP_JSON_PAD 64

enum dp_json_result { DP_JSON_OK, DP_JSON_MORE, DP_JSON_BROKEN };

/* What may follow a string, as bits. */
enum dp_json_place {
	DP_JSON_KEY = 1,       /* a colon */
	DP_JSON_IN_OBJECT = 2, /* a comma or a closing brace */
	DP_JSON_IN_ARRAY = 4,  /* a comma or a closing square bracket */
	DP_JSON_ANYWHERE = 7,
};

/* A place in a text; at and end move in the same allocation. */
struct dp_json {
	const char *at;
	const char *end;
};

/* A string as it lies in the text, without the quotes. */
struct dp_json_text {
	const char *at;
	size_t length;
	bool escaped; /* has backslashes: dp_json__unescape() */
	bool bare;    /* has quotes that should have been escaped */
};

static inline bool dp_json__is(const struct dp_json_text *text, const char *word)
{
	return dp_text__is(text->at, text->length, word);
}

static inline bool dp_json__is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* Moves over white space; the character there, or 0 at the end (and for a NUL in the text). */
static inline char dp_json__peek(struct dp_json *json)
{
	const char *p = json->at;

	while (dp_json__is_space(*p))
		p++;
	json->at = p;
	return *p;
}

/* The string at json->at, which is at its opening quote; moves behind the closing one. */
enum dp_json_result dp_json__string(struct dp_json *json, enum dp_json_place place,
				    struct dp_json_text *text);

/* Moves over any value. */
enum dp_json_result dp_json__skip(struct dp_json *json, enum dp_json_place place);

/*
 * Moves behind the bracket that closes the object (or array) that json->at is in, without looking
 * at what it holds but for this: brackets must match, and in an object a bracket must follow a
 * colon. So a bracket too many or too few shows where the next event begins, not at the file's end.
 */
enum dp_json_result dp_json__leave(struct dp_json *json, bool object);

/* The next member of an object: json->at is then at its value. key->at is NULL at the end. */
enum dp_json_result dp_json__member(struct dp_json *json, struct dp_json_text *key);

/*
 * A number times ten to the power of scale, rounded to the nearest integer, exactly: the decimal
 * text is never a double. A number in quotes is read too. *known is false, and *value 0, where it
 * is no number or beyond 64 bits (NaN, null, "stream 7").
 */
enum dp_json_result dp_json__number(struct dp_json *json, enum dp_json_place place, int scale,
				    int64_t *value, bool *known);

/* The same for length bytes of text that are nothing but a number. */
bool dp_json__decimal(const char *text, size_t length, int scale, int64_t *value);

/* The whole number at a text's end ("stream 7"), or -1. */
int64_t dp_json__last_number(const struct dp_json_text *text);

/*
 * Writes text without its escapes to buf, which has room for text->length bytes; returns the
 * length. \u becomes UTF-8, a surrogate without its partner U+FFFD, an unknown escape itself.
 */
size_t dp_json__unescape(const struct dp_json_text *text, char *buf);

/* How many c are among length bytes. */
size_t dp_json__count(const char *text, size_t length, char c);

#endif
