/*
 * A JSON scanner for trace files: it builds no document, allocates and copies nothing. It reads
 * text in memory, 16 bytes at a time, and tolerates what trace writers do wrong: raw control
 * characters in strings, quotes in strings that are not escaped, NaN.
 *
 * The text must be followed by DP_JSON_PAD readable bytes that are 0. A function that runs into the
 * end returns DP_JSON_MORE, and the caller tries again with more text. The end of a string or a
 * number is recognized by what follows, so a value needs something after it.
 *
 * What follows a quote distinguishes a bare quote from the end of a string: behind the end come,
 * after white space, a colon (for a key), or a comma or a closing bracket (for a value). Correct
 * documents always have one of them, so nothing correct is misread.
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

/* A position in a text; at and end point into the same allocation. */
struct dp_json {
	const char *at;
	const char *end;
};

/* A string in place, without the quotes. */
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

/* Skips white space. Returns the next character, or 0 at the end (and for a NUL in the text). */
static inline char dp_json__peek(struct dp_json *json)
{
	const char *p = json->at;

	while (dp_json__is_space(*p))
		p++;
	json->at = p;
	return *p;
}

/* Reads the string at json->at, an opening quote, and moves behind the closing one. */
enum dp_json_result dp_json__string(struct dp_json *json, enum dp_json_place place,
				    struct dp_json_text *text);

/* Skips any value. */
enum dp_json_result dp_json__skip(struct dp_json *json, enum dp_json_place place);

/*
 * Moves behind the bracket that closes the object (or array) around json->at. Only checks that
 * brackets match, and that a bracket in an object follows a colon: a missing or extra bracket is
 * then noticed where the next event begins, not at the file's end.
 */
enum dp_json_result dp_json__leave(struct dp_json *json, bool object);

/* Moves to the value of the next member of an object. key->at is NULL at the end. */
enum dp_json_result dp_json__member(struct dp_json *json, struct dp_json_text *key);

/*
 * Reads a number times ten to the power of scale, rounded to the nearest integer, exactly: the
 * decimal text never becomes a double. A number in quotes is read too. If there is no number, or
 * one beyond 64 bits (NaN, null, "stream 7"), *known is false and *value 0.
 */
enum dp_json_result dp_json__number(struct dp_json *json, enum dp_json_place place, int scale,
				    int64_t *value, bool *known);

/* Does the same for length bytes of text that are only a number. */
bool dp_json__decimal(const char *text, size_t length, int scale, int64_t *value);

/* Returns the integer at a text's end ("stream 7"), or -1. */
int64_t dp_json__last_number(const struct dp_json_text *text);

/*
 * Writes text without its escapes to buf, which has room for text->length bytes; returns the
 * length. \u becomes UTF-8, a surrogate without its partner U+FFFD, an unknown escape itself.
 */
size_t dp_json__unescape(const struct dp_json_text *text, char *buf);

/* Counts the bytes c among length bytes. */
size_t dp_json__count(const char *text, size_t length, char c);

#endif
