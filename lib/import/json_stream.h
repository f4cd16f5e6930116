/*
 * A window that moves over the JSON text of an input. A value (an event, a key) is scanned in
 * place; the window grows for a larger one, up to 16 MiB, beyond which a value counts as broken. So
 * memory is bounded for any file, and broken text can be scanned again, as much of it as could be
 * read: otherwise a value that begins in each line and ends in none would be scanned for each line.
 */
#ifndef DP_IMPORT_JSON_STREAM_H
#define DP_IMPORT_JSON_STREAM_H

#include "import/import.h"
#include "import/json_scan.h"

struct dp_json_stream {
	const struct dp_import *import;
	struct dp_json json; /* json.at is the next byte */
	char *buf;
	size_t room;
	uint64_t offset;     /* of buf's first byte in the (decompressed) content */
	bool last;	     /* the content ends at json.end */
	bool cut;	     /* the last value requested runs into the end */
	uint64_t lines;	     /* newlines before buf */
	uint64_t line_start; /* offset of the line that buf's first byte is in */
	uint64_t failed;     /* offset at which the last value was broken, 0: passed */
	uint64_t credit;     /* bytes that may be scanned again */
	int status;	     /* of the input or an allocation; ends the reading */
};

/* Errors: DP_ERR_NOMEM, DP_ERR_IO. */
int dp_json_stream__open(struct dp_json_stream *stream, const struct dp_import *import);
void dp_json_stream__close(struct dp_json_stream *stream);

/* Returns the offset in the content of a position in the window. */
uint64_t dp_json_stream__offset(const struct dp_json_stream *stream, const char *at);

/* Returns the line and column of json.at, both from 1. Cost: linear in the window. */
void dp_json_stream__place(const struct dp_json_stream *stream, uint64_t *line, uint64_t *column);

/*
 * Appends more text behind json.end; text before json.at may be discarded. Returns DP_JSON_BROKEN
 * if there is none, the input failed (status), or the piece from json.at would exceed the limit.
 */
enum dp_json_result dp_json_stream__more(struct dp_json_stream *stream);

/* Returns the next character that is not white space, 0 at the end. */
char dp_json_stream__peek(struct dp_json_stream *stream);

/* Like the functions of json_scan.h, but never return DP_JSON_MORE. */
enum dp_json_result dp_json_stream__string(struct dp_json_stream *stream, enum dp_json_place place,
					   struct dp_json_text *text);
enum dp_json_result dp_json_stream__number(struct dp_json_stream *stream, enum dp_json_place place,
					   int64_t *value, bool *known);

/* Skips a value. */
enum dp_json_result dp_json_stream__skip(struct dp_json_stream *stream);

/*
 * Reads the next key of an object of any size, after skipping a comma. Returns false if the object
 * ends or is broken. The text is valid until json.at moves.
 */
bool dp_json_stream__key(struct dp_json_stream *stream, struct dp_json_text *key);

/* Moves from a key over the colon to the value. Returns its first character, 0 at the end. */
char dp_json_stream__value(struct dp_json_stream *stream);

/*
 * Reads a piece that must be in memory as a whole: calls parse, again with more text if needed, and
 * moves behind the piece. Returns DP_JSON_MORE if the content ends in it.
 */
enum dp_json_result
dp_json_stream__piece(struct dp_json_stream *stream,
		      enum dp_json_result (*parse)(void *ctx, struct dp_json *json), void *ctx);

/*
 * After a broken value at json.at: moves on by a byte, since it may contain whole ones, or to where
 * it was broken once more text would have been scanned again than could be read.
 */
void dp_json_stream__pass(struct dp_json_stream *stream);

/*
 * Moves to the next object behind json.at that begins with one of keys (which end with NULL) and is
 * not a member's value. Returns false if there is none.
 */
bool dp_json_stream__find_object(struct dp_json_stream *stream, const char *const *keys);

#endif
