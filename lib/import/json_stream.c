/* The window over the input. Cost: linear; each byte is moved at most once per doubling. */
#include "import/json_stream.h"

#include <string.h>

#define WINDOW ((size_t)256 << 10)
#define LARGEST ((size_t)16 << 20)

int dp_json_stream__open(struct dp_json_stream *stream, const struct dp_import *import)
{
	memset(stream, 0, sizeof(*stream));
	stream->import = import;
	stream->buf = malloc(WINDOW + DP_JSON_PAD);
	if (!stream->buf)
		return dp_error__nomem(import->error, WINDOW);
	memset(stream->buf, 0, DP_JSON_PAD);
	stream->room = WINDOW;
	stream->credit = LARGEST; /* takes some milliseconds */
	stream->json.at = stream->json.end = stream->buf;
	dp_json_stream__more(stream);
	return stream->status;
}

void dp_json_stream__close(struct dp_json_stream *stream)
{
	free(stream->buf);
	stream->buf = NULL;
}

uint64_t dp_json_stream__offset(const struct dp_json_stream *stream, const char *at)
{
	return stream->offset + (uint64_t)(at - stream->buf);
}

/* Counts the lines of the window before at. */
static void count_lines(const struct dp_json_stream *stream, const char *at, uint64_t *lines,
			uint64_t *line_start)
{
	size_t length = (size_t)(at - stream->buf);
	size_t newlines = dp_json__count(stream->buf, length, '\n');

	*lines = stream->lines + newlines;
	*line_start = stream->line_start;
	if (!newlines)
		return;
	while (at[-1] != '\n')
		at--;
	*line_start = dp_json_stream__offset(stream, at);
}

void dp_json_stream__place(const struct dp_json_stream *stream, uint64_t *line, uint64_t *column)
{
	uint64_t line_start;

	count_lines(stream, stream->json.at, line, &line_start);
	*line += 1;
	*column = dp_json_stream__offset(stream, stream->json.at) - line_start + 1;
}

/* Moves the remaining text to the front. */
static void discard(struct dp_json_stream *stream)
{
	size_t used = (size_t)(stream->json.at - stream->buf);
	size_t left = (size_t)(stream->json.end - stream->json.at);

	if (!used)
		return;
	count_lines(stream, stream->json.at, &stream->lines, &stream->line_start);
	stream->offset += used;
	memmove(stream->buf, stream->json.at, left);
	stream->json.at = stream->buf;
	stream->json.end = stream->buf + left;
}

static enum dp_json_result grow(struct dp_json_stream *stream)
{
	size_t left = (size_t)(stream->json.end - stream->json.at);
	char *buf;

	if (left < stream->room)
		return DP_JSON_OK;
	if (stream->room >= LARGEST)
		return DP_JSON_BROKEN;
	buf = realloc(stream->buf, stream->room * 2 + DP_JSON_PAD);
	if (!buf) {
		stream->status = dp_error__nomem(stream->import->error, stream->room * 2);
		return DP_JSON_BROKEN;
	}
	stream->buf = buf;
	stream->room *= 2;
	stream->json.at = buf;
	stream->json.end = buf + left;
	return DP_JSON_OK;
}

enum dp_json_result dp_json_stream__more(struct dp_json_stream *stream)
{
	const struct dp_import *import = stream->import;
	enum dp_json_result result = DP_JSON_BROKEN;
	size_t filled, got;

	if (stream->last || stream->status)
		return DP_JSON_BROKEN;
	discard(stream);
	if (grow(stream) != DP_JSON_OK)
		return DP_JSON_BROKEN;
	filled = (size_t)(stream->json.end - stream->buf);
	while (filled < stream->room && !stream->last && !stream->status) {
		stream->status = dp_input__read(import->input, stream->buf + filled,
						stream->room - filled, &got, import->error);
		if (stream->status)
			break;
		stream->last = got == 0;
		filled += got;
		if (got)
			result = DP_JSON_OK;
	}
	stream->json.end = stream->buf + filled;
	memset(stream->buf + filled, 0, DP_JSON_PAD);
	dp_import__progress(import, dp_input__position(import->input),
			    dp_input__size(import->input));
	return stream->status ? DP_JSON_BROKEN : result;
}

char dp_json_stream__peek(struct dp_json_stream *stream)
{
	char c;

	for (;;) {
		c = dp_json__peek(&stream->json);
		if (stream->json.at < stream->json.end)
			return c;
		stream->json.at = stream->json.end;
		if (dp_json_stream__more(stream) != DP_JSON_OK)
			return 0;
	}
}

/* Moves behind what was scanned up to at, or notes where that failed. */
static void finish(struct dp_json_stream *stream, const char *at, enum dp_json_result result)
{
	stream->cut = result == DP_JSON_MORE && stream->last;
	if (result == DP_JSON_OK) {
		stream->credit += (uint64_t)(at - stream->json.at);
		stream->json.at = at;
	} else {
		stream->failed = dp_json_stream__offset(
			stream, result == DP_JSON_MORE ? stream->json.end : at);
	}
}

static enum dp_json_result finish_token(struct dp_json_stream *stream, const char *at,
					enum dp_json_result result)
{
	finish(stream, at, result);
	return result == DP_JSON_OK ? DP_JSON_OK : DP_JSON_BROKEN;
}

void dp_json_stream__pass(struct dp_json_stream *stream)
{
	uint64_t at = dp_json_stream__offset(stream, stream->json.at);
	uint64_t again = stream->failed > at ? stream->failed - at : 0;

	stream->failed = 0;
	if (again && again <= stream->credit) {
		stream->credit -= again;
		again = 1;
	}
	stream->json.at += DP_MIN(again, (uint64_t)(stream->json.end - stream->json.at));
}

enum dp_json_result dp_json_stream__string(struct dp_json_stream *stream, enum dp_json_place place,
					   struct dp_json_text *text)
{
	enum dp_json_result result;
	struct dp_json at;

	do {
		at = stream->json;
		result = dp_json__string(&at, place, text);
	} while (result == DP_JSON_MORE && dp_json_stream__more(stream) == DP_JSON_OK);
	return finish_token(stream, at.at, result);
}

enum dp_json_result dp_json_stream__number(struct dp_json_stream *stream, enum dp_json_place place,
					   int64_t *value, bool *known)
{
	enum dp_json_result result;
	struct dp_json at;

	do {
		at = stream->json;
		result = dp_json__number(&at, place, 0, value, known);
	} while (result == DP_JSON_MORE && dp_json_stream__more(stream) == DP_JSON_OK);
	return finish_token(stream, at.at, result);
}

enum dp_json_result dp_json_stream__skip(struct dp_json_stream *stream)
{
	enum dp_json_result result;
	struct dp_json at;

	dp_json_stream__peek(stream);
	do {
		at = stream->json;
		result = dp_json__skip(&at, DP_JSON_ANYWHERE);
	} while (result == DP_JSON_MORE && dp_json_stream__more(stream) == DP_JSON_OK);
	return finish_token(stream, at.at, result);
}

bool dp_json_stream__key(struct dp_json_stream *stream, struct dp_json_text *key)
{
	char c = dp_json_stream__peek(stream);

	if (c == ',') {
		stream->json.at++;
		c = dp_json_stream__peek(stream);
	}
	return c == '"' && dp_json_stream__string(stream, DP_JSON_KEY, key) == DP_JSON_OK;
}

char dp_json_stream__value(struct dp_json_stream *stream)
{
	dp_json_stream__peek(stream);
	if (stream->json.at < stream->json.end)
		stream->json.at++;
	return dp_json_stream__peek(stream);
}

enum dp_json_result
dp_json_stream__piece(struct dp_json_stream *stream,
		      enum dp_json_result (*parse)(void *ctx, struct dp_json *json), void *ctx)
{
	enum dp_json_result result;
	struct dp_json json;

	do {
		json = stream->json;
		result = parse(ctx, &json);
	} while (result == DP_JSON_MORE && dp_json_stream__more(stream) == DP_JSON_OK);
	finish(stream, json.at, result);
	return result == DP_JSON_MORE && !stream->last ? DP_JSON_BROKEN : result;
}

/* The most bytes of white space before a key. */
#define NEAR 256

/* Returns true if the object at brace may be an array's element, also if a comma was lost. */
static bool in_array(const struct dp_json_stream *stream, const char *brace)
{
	const char *p = brace;

	while (p > stream->buf && brace - p < NEAR && dp_json__is_space(p[-1]))
		p--;
	return p == stream->buf || brace - p == NEAR || p[-1] == ',' || p[-1] == '[' ||
	       p[-1] == '}';
}

static const char *over_space(const char *p, const char *limit)
{
	while (p < limit && dp_json__is_space(*p))
		p++;
	return p;
}

/* Returns true if the brace at p opens an object whose first key is in keys; NEAR bytes suffice. */
static bool begins(const struct dp_json_stream *stream, const char *p, const char *const *keys)
{
	const char *limit = p + DP_MIN(NEAR, stream->json.end - p), *colon;

	p = over_space(p + 1, limit);
	if (p == limit || *p++ != '"')
		return false;
	for (; *keys; keys++) {
		size_t length = strlen(*keys);

		if ((size_t)(limit - p) <= length || memcmp(p, *keys, length) || p[length] != '"')
			continue;
		colon = over_space(p + length + 1, limit);
		return colon < limit && *colon == ':';
	}
	return false;
}

bool dp_json_stream__find_object(struct dp_json_stream *stream, const char *const *keys)
{
	const char *p;

	for (;;) {
		p = memchr(stream->json.at, '{', (size_t)(stream->json.end - stream->json.at));
		stream->json.at = p ? p : stream->json.end;
		if (!p || (stream->json.end - p < NEAR && !stream->last)) {
			if (dp_json_stream__more(stream) != DP_JSON_OK && !stream->last)
				return false;
			if (stream->json.at == stream->json.end && stream->last)
				return false;
			continue;
		}
		if (in_array(stream, p) && begins(stream, p, keys))
			return true;
		stream->json.at++;
	}
}
