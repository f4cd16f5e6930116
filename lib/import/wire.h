/*
 * Protocol buffers, read (https://protobuf.dev/programming-guides/encoding/): a window that moves
 * over messages of any size, and a cursor in a small message that lies in memory. Nothing is
 * allocated but the window; lengths are checked against the message that they lie in before
 * anything is done.
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

/* One field. The bytes of a cursor's field lie at bytes; of a stream's, they come next. */
struct dp_wire_field {
	uint32_t number;
	enum dp_wire_type type;
	uint64_t value; /* of a varint or a fixed one; else the length */
	const unsigned char *bytes;
};

struct dp_wire_cursor {
	const unsigned char *at;
	const unsigned char *end;
	bool broken;
};

/* The next field; false at the end of the message, or where it is broken. */
bool dp_wire__next(struct dp_wire_cursor *cursor, struct dp_wire_field *field);

/* A field's bytes as a message. */
static inline struct dp_wire_cursor dp_wire__cursor(const struct dp_wire_field *field)
{
	bool bytes = field->type == DP_WIRE_BYTES;

	return (struct dp_wire_cursor){ field->bytes,
					field->bytes ? field->bytes + (bytes ? field->value : 0)
						     : NULL,
					!bytes };
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

/* Reads from input, which is borrowed. Errors: DP_ERR_NOMEM. */
int dp_wire__open(struct dp_wire *wire, struct dp_input *input, struct dp_error *error);
void dp_wire__close(struct dp_wire *wire);

/* Where the stream is in the content. */
static inline uint64_t dp_wire__offset(const struct dp_wire *wire)
{
	return wire->offset + wire->at;
}

enum dp_wire_result {
	DP_WIRE_END,	/* of the message */
	DP_WIRE_FIELD,	/* *field; where it has bytes, they come next */
	DP_WIRE_BROKEN, /* no field is here: what is left of the message can't be read */
	DP_WIRE_CUT,	/* the content ends inside the message */
};

/* The next field of the message that ends at limit. */
enum dp_wire_result dp_wire__field(struct dp_wire *wire, uint64_t limit,
				   struct dp_wire_field *field);

/* Moves on to a place that is not behind. False where the content ends before. */
bool dp_wire__seek(struct dp_wire *wire, uint64_t offset);

/*
 * The next length bytes where they lie, which are then behind; valid until the stream moves again.
 * NULL where there are fewer, or more than DP_WIRE_VIEW.
 */
#define DP_WIRE_VIEW ((size_t)1 << 20)
const unsigned char *dp_wire__view(struct dp_wire *wire, uint64_t length);

#endif
