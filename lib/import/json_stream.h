/*
 * A window that moves over the JSON text of an input. A value (an event, a key) is scanned where it
 * lies; the window grows for one that is larger, up to 16 MiB, beyond which it counts as broken. So
 * memory is bounded whatever the file holds, and what turns out to be broken can be looked at
 * again.
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
	bool cut;	     /* the last value that was asked for runs into the end */
	uint64_t lines;	     /* newlines before buf */
	uint64_t line_start; /* offset of the line that buf's first byte is in */
	int status;	     /* of the input or an allocation; then nothing more comes */
};

/* Errors: DP_ERR_NOMEM, DP_ERR_IO. */
int dp_json_stream__open(struct dp_json_stream *stream, const struct dp_import *import);
void dp_json_stream__close(struct dp_json_stream *stream);

/* Offset in the content of a place in the window. */
uint64_t dp_json_stream__offset(const struct dp_json_stream *stream, const char *at);

/* Line and column of json.at, both from 1. Cost: linear in the window. */
void dp_json_stream__place(const struct dp_json_stream *stream, uint64_t *line, uint64_t *column);

/*
 * Brings more text behind json.end; what lies before json.at may go. DP_JSON_BROKEN where there
 * is none, where the input failed (status), or where the piece from json.at would be larger than
 * the limit.
 */
enum dp_json_result dp_json_stream__more(struct dp_json_stream *stream);

/* The next character that is no white space, 0 at the end. */
char dp_json_stream__peek(struct dp_json_stream *stream);

/* As the functions of json_scan.h, but never DP_JSON_MORE. */
enum dp_json_result dp_json_stream__string(struct dp_json_stream *stream, enum dp_json_place place,
					   struct dp_json_text *text);
enum dp_json_result dp_json_stream__number(struct dp_json_stream *stream, enum dp_json_place place,
					   int64_t *value, bool *known);

/* Moves over a value. */
enum dp_json_result dp_json_stream__skip(struct dp_json_stream *stream);

/*
 * The next key of an object of any size, behind a comma if there is one. False where the object
 * ends or is broken. The text is valid until json.at moves.
 */
bool dp_json_stream__key(struct dp_json_stream *stream, struct dp_json_text *key);

/* Behind a key: over the colon, to the value. Returns its first character, 0 at the end. */
char dp_json_stream__value(struct dp_json_stream *stream);

/* Where a piece could not be read, and why. */
struct dp_json_piece {
	const char *failed; /* valid until the window moves */
	uint64_t length;    /* of a piece that was read */
};

/*
 * Reads what must lie in one piece with parse, which may be called again with more text, and moves
 * behind it. DP_JSON_MORE: the content ends in it.
 */
enum dp_json_result dp_json_stream__piece(struct dp_json_stream *stream,
					  enum dp_json_result (*parse)(void *ctx,
								       struct dp_json *json),
					  void *ctx, struct dp_json_piece *piece);

/*
 * Moves to the next place behind json.at where an object begins whose first key is one of those
 * of keys (NULL at the end), and which does not belong to a key. False where there is none.
 */
bool dp_json_stream__find_object(struct dp_json_stream *stream, const char *const *keys);

#endif
