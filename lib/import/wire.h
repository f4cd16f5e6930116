/*
 * Reads protocol buffers (https://protobuf.dev/programming-guides/encoding/): a window that moves
 * over messages of any size, and a cursor in a small message in memory. Only the window is
 * allocated; lengths are checked against the enclosing message before they are used.
 */
#ifndef DP_IMPORT_WIRE_H
#define DP_IMPORT_WIRE_H

#include "base/base.h"
#include "import/input.h"

enum dp_wire_type {
	DP_WIRE_VARINT = 0,
	DP_WIRE_FIXED64 = 1,
	DP_WIRE_BYTES = 2,
	DP_WIRE_FIXED32 = 5
};

/* One field. A cursor's field has its bytes at bytes; in a stream, they come next. */
struct dp_wire_field {
	uint32_t number;
	enum dp_wire_type type;
	uint64_t value; /* of a varint or fixed type; otherwise the length */
	const unsigned char *bytes;
};

struct dp_wire_cursor {
	const unsigned char *at;
	const unsigned char *end;
	bool broken;
};

/* Does the same as dp_wire__next, for any field. */
bool dp_wire__next_any(struct dp_wire_cursor *cursor, struct dp_wire_field *field);

/* Passes copies of both, so that the caller's may stay in registers. */
static inline bool dp_wire__next_rare(struct dp_wire_cursor *cursor, struct dp_wire_field *field)
{
	struct dp_wire_cursor at = *cursor;
	struct dp_wire_field found;
	bool more = dp_wire__next_any(&at, &found);

	*cursor = at;
	if (more)
		*field = found;
	return more;
}

/*
 * Reads a varint of 2 to 8 bytes at once: masks the bytes behind the first without a high bit, and
 * joins the groups of seven bits in three steps. Returns the position after it, NULL if it is
 * longer.
 */
static inline const unsigned char *dp_wire__varint8(const unsigned char *at, uint64_t *value)
{
	uint64_t v = (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 |
		     (uint64_t)at[3] << 24 | (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 |
		     (uint64_t)at[6] << 48 | (uint64_t)at[7] << 56;
	uint64_t last = ~v & UINT64_C(0x8080808080808080);

	if (!last)
		return NULL;
	v &= last ^ (last - 1);
	v = (v & UINT64_C(0x007f007f007f007f)) | (v & UINT64_C(0x7f007f007f007f00)) >> 1;
	v = (v & UINT64_C(0x00003fff00003fff)) | (v & UINT64_C(0x3fff00003fff0000)) >> 2;
	*value = (v & UINT64_C(0x0fffffff)) | (v & UINT64_C(0x0fffffff00000000)) >> 4;
	return at + (__builtin_ctzll(last) / 8 + 1);
}

/*
 * Reads a varint, which has at most ten bytes of seven bits each. Returns the position after it,
 * NULL if it does not end.
 */
const unsigned char *dp_wire__varint(const unsigned char *at, const unsigned char *end,
				     uint64_t *value);

/* Reads the next field. Returns false at the end of the message or if it is broken. */
static inline bool dp_wire__next(struct dp_wire_cursor *cursor, struct dp_wire_field *field)
{
	const unsigned char *at = cursor->at;
	ptrdiff_t left = cursor->end - at;

	if (left <= 0)
		return false;
	/* Most fields: one byte for the tag of a varint or bytes, then a value or a length. */
	if (left < 2 || at[0] >= 0x80 || at[0] < 8 || (at[0] & 5))
		return dp_wire__next_rare(cursor, field);
	field->number = at[0] >> 3;
	field->type = (enum dp_wire_type)(at[0] & 7);
	if (at[1] < 0x80) {
		field->value = at[1];
		at += 2;
	} else {
		uint64_t value = 0; /* a local: field's address is not taken */

		at = left < 9 ? dp_wire__varint(at + 1, cursor->end, &value)
			      : dp_wire__varint8(at + 1, &value);
		if (!at)
			return dp_wire__next_rare(cursor, field);
		field->value = value;
	}
	if (field->type == DP_WIRE_BYTES) {
		if (field->value > (uint64_t)(cursor->end - at)) {
			cursor->broken = true;
			cursor->at = cursor->end;
			return false;
		}
		cursor->at = at + field->value;
	} else {
		cursor->at = at;
	}
	field->bytes = at;
	return true;
}

/* Returns a field's bytes as a message. */
static inline struct dp_wire_cursor dp_wire__cursor(const struct dp_wire_field *field)
{
	bool bytes = field->type == DP_WIRE_BYTES;

	return (struct dp_wire_cursor){ field->bytes,
					field->bytes ? field->bytes + (bytes ? field->value : 0)
						     : NULL,
					!bytes };
}

/* A small message: the last field of each number below 64. */
struct dp_wire_message {
	uint64_t has; /* a bit for each number */
	struct dp_wire_field field[64];
};

/* Reads a message to its end. Returns false if it is broken, with the fields before that. */
bool dp_wire__message(struct dp_wire_message *message, struct dp_wire_cursor cursor);

static inline bool dp_wire__has(const struct dp_wire_message *message, unsigned number)
{
	return message->has >> number & 1;
}

/* Returns a number, 0 if it is missing. */
static inline uint64_t dp_wire__value(const struct dp_wire_message *message, unsigned number)
{
	return dp_wire__has(message, number) ? message->field[number].value : 0;
}

/* Returns a nested message, an empty one if it is missing. */
static inline struct dp_wire_cursor dp_wire__inside(const struct dp_wire_message *message,
						    unsigned number)
{
	return dp_wire__has(message, number) ? dp_wire__cursor(&message->field[number])
					     : (struct dp_wire_cursor){ NULL, NULL, false };
}

/* Returns a text without a final NUL, NULL if it is missing. */
static inline const char *dp_wire__text(const struct dp_wire_message *message, unsigned number,
					size_t *length)
{
	if (!dp_wire__has(message, number) || message->field[number].type != DP_WIRE_BYTES)
		return NULL;
	*length = (size_t)message->field[number].value;
	return (const char *)message->field[number].bytes;
}

struct dp_wire {
	struct dp_input *input;
	struct dp_error *error;
	unsigned char *buf;
	size_t at, end;	 /* in buf */
	uint64_t offset; /* of buf in the content */
	bool last;	 /* the content ends at end */
	int status;	 /* of the input */
};

/* Starts reading input, which is borrowed. Errors: DP_ERR_NOMEM. */
int dp_wire__open(struct dp_wire *wire, struct dp_input *input, struct dp_error *error);
void dp_wire__close(struct dp_wire *wire);

/* Returns the stream's position in the content. */
static inline uint64_t dp_wire__offset(const struct dp_wire *wire)
{
	return wire->offset + wire->at;
}

enum dp_wire_result {
	DP_WIRE_END,	/* of the message */
	DP_WIRE_FIELD,	/* *field is set; its bytes, if any, come next */
	DP_WIRE_BROKEN, /* no valid field: the rest of the message cannot be read */
	DP_WIRE_CUT,	/* the content ends inside the message */
};

/* Does the same as dp_wire__field, for any field. */
enum dp_wire_result dp_wire__field_any(struct dp_wire *wire, uint64_t limit,
				       struct dp_wire_field *field);

/* Reads the next field of the message that ends at limit. */
static inline enum dp_wire_result dp_wire__field(struct dp_wire *wire, uint64_t limit,
						 struct dp_wire_field *field)
{
	const unsigned char *at = wire->buf + wire->at;
	uint64_t left = limit - dp_wire__offset(wire);

	/* Most fields: a small message, a byte for its tag and up to two for its length. */
	if (wire->end - wire->at < 3 || dp_wire__offset(wire) >= limit || left < 3 ||
	    at[0] >= 0x80 || at[0] < 8 || (at[0] & 7) != DP_WIRE_BYTES ||
	    (at[1] >= 0x80 && at[2] >= 0x80))
		return dp_wire__field_any(wire, limit, field);
	field->number = at[0] >> 3;
	field->type = DP_WIRE_BYTES;
	field->value = at[1] < 0x80 ? at[1] : (at[1] & 0x7fu) | (uint32_t)at[2] << 7;
	field->bytes = NULL;
	wire->at += at[1] < 0x80 ? 2 : 3;
	return field->value > limit - dp_wire__offset(wire) ? DP_WIRE_BROKEN : DP_WIRE_FIELD;
}

/* Moves forward to offset. Returns false if the content ends before it. */
bool dp_wire__seek(struct dp_wire *wire, uint64_t offset);

#define DP_WIRE_VIEW ((size_t)1 << 20)

/* Does the same as dp_wire__view if the bytes may not be in the window yet. */
const unsigned char *dp_wire__view_any(struct dp_wire *wire, uint64_t length);

/*
 * Returns the next length bytes in place and moves after them; they are valid until the stream
 * moves again. Returns NULL if there are fewer, or if length exceeds DP_WIRE_VIEW.
 */
static inline const unsigned char *dp_wire__view(struct dp_wire *wire, uint64_t length)
{
	const unsigned char *bytes = wire->buf + wire->at;

	if (length > wire->end - wire->at || length > DP_WIRE_VIEW)
		return dp_wire__view_any(wire, length);
	wire->at += (size_t)length;
	return bytes;
}

#endif
