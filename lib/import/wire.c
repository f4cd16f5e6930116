/* The window is filled in large pieces; anything viewed as a whole fits in it. Cost: linear. */
#include "import/wire.h"

#include <string.h>

#define WINDOW (DP_WIRE_VIEW + ((size_t)256 << 10))

const unsigned char *dp_wire__varint(const unsigned char *at, const unsigned char *end,
				     uint64_t *value)
{
	uint64_t v = 0;

	for (unsigned shift = 0; at < end && shift < 70; shift += 7) {
		unsigned char byte = *at++;

		v |= (uint64_t)(byte & 0x7f) << (shift < 64 ? shift : 63);
		if (!(byte & 0x80)) {
			*value = v;
			return at;
		}
	}
	return NULL;
}

static uint64_t little_endian(const unsigned char *at, unsigned bytes)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)at[i] << (8 * i);
	return value;
}

/* Reads the tag and the value or length. Returns NULL if they are missing or invalid. */
static inline const unsigned char *head(const unsigned char *at, const unsigned char *end,
					struct dp_wire_field *field)
{
	unsigned bytes;
	uint64_t tag;

	if (at < end && *at < 0x80)
		tag = *at++;
	else
		at = dp_wire__varint(at, end, &tag);
	if (!at || tag < 8 || tag > UINT32_MAX)
		return NULL;
	field->number = (uint32_t)(tag >> 3);
	field->type = (enum dp_wire_type)(tag & 7);
	switch (field->type) {
	case DP_WIRE_VARINT:
	case DP_WIRE_BYTES:
		if (at < end && *at < 0x80) {
			field->value = *at;
			return at + 1;
		}
		return dp_wire__varint(at, end, &field->value);
	case DP_WIRE_FIXED64:
	case DP_WIRE_FIXED32:
		bytes = field->type == DP_WIRE_FIXED64 ? 8 : 4;
		if (end - at < (ptrdiff_t)bytes)
			return NULL;
		field->value = little_endian(at, bytes);
		return at + bytes;
	}
	return NULL;
}

bool dp_wire__next_any(struct dp_wire_cursor *cursor, struct dp_wire_field *field)
{
	const unsigned char *at = cursor->at;

	if (at >= cursor->end || cursor->broken)
		return false;
	at = head(at, cursor->end, field);
	if (!at || (field->type == DP_WIRE_BYTES && field->value > (uint64_t)(cursor->end - at))) {
		cursor->broken = true;
		cursor->at = cursor->end;
		return false;
	}
	field->bytes = at;
	cursor->at = field->type == DP_WIRE_BYTES ? at + field->value : at;
	return true;
}

bool dp_wire__message(struct dp_wire_message *message, struct dp_wire_cursor cursor)
{
	struct dp_wire_field field;

	message->has = 0;
	while (dp_wire__next(&cursor, &field)) {
		if (field.number >= DP_COUNT(message->field))
			continue;
		message->has |= UINT64_C(1) << field.number;
		message->field[field.number] = field;
	}
	return !cursor.broken;
}

int dp_wire__open(struct dp_wire *wire, struct dp_input *input, struct dp_error *error)
{
	*wire = (struct dp_wire){ .input = input, .error = error, .buf = malloc(WINDOW) };
	return wire->buf ? DP_OK : dp_error__nomem(error, WINDOW);
}

void dp_wire__close(struct dp_wire *wire)
{
	free(wire->buf);
	wire->buf = NULL;
}

/* Brings need bytes into the window, or all that are left. */
static void fill(struct dp_wire *wire, size_t need)
{
	size_t got;

	if (wire->end - wire->at >= need || wire->last || wire->status)
		return;
	memmove(wire->buf, wire->buf + wire->at, wire->end - wire->at);
	wire->offset += wire->at;
	wire->end -= wire->at;
	wire->at = 0;
	while (wire->end < WINDOW && !wire->last && !wire->status) {
		wire->status = dp_input__read(wire->input, wire->buf + wire->end,
					      WINDOW - wire->end, &got, wire->error);
		if (wire->status)
			break;
		wire->last = got == 0;
		wire->end += got;
		/* A pipe returns what it has. */
		if (wire->end >= need && got < WINDOW / 4)
			break;
	}
}

/* Tag and length, ten bytes each at most. */
enum { HEAD_BYTES = 20 };

enum dp_wire_result dp_wire__field_any(struct dp_wire *wire, uint64_t limit,
				       struct dp_wire_field *field)
{
	uint64_t at = dp_wire__offset(wire);
	const unsigned char *end, *behind;
	size_t room;

	if (at >= limit)
		return DP_WIRE_END;
	fill(wire, HEAD_BYTES);
	room = wire->end - wire->at;
	if (!room)
		return DP_WIRE_CUT;
	end = wire->buf + wire->at + DP_MIN((uint64_t)room, limit - at);
	behind = head(wire->buf + wire->at, end, field);
	if (!behind)
		return room < limit - at && room < HEAD_BYTES ? DP_WIRE_CUT : DP_WIRE_BROKEN;
	wire->at = (size_t)(behind - wire->buf);
	if (field->type == DP_WIRE_BYTES && field->value > limit - dp_wire__offset(wire))
		return DP_WIRE_BROKEN;
	field->bytes = NULL;
	return DP_WIRE_FIELD;
}

bool dp_wire__seek(struct dp_wire *wire, uint64_t offset)
{
	uint64_t behind = wire->offset + wire->end, passed;

	if (offset > behind && !wire->last && !wire->status) {
		wire->status = dp_input__skip(wire->input, offset - behind, &passed, wire->error);
		wire->offset = behind + passed;
		wire->at = wire->end = 0;
	}
	if (offset > wire->offset + wire->end)
		return false;
	if (offset >= dp_wire__offset(wire))
		wire->at = (size_t)(offset - wire->offset);
	return true;
}

const unsigned char *dp_wire__view_any(struct dp_wire *wire, uint64_t length)
{
	const unsigned char *bytes;

	if (length > DP_WIRE_VIEW)
		return NULL;
	fill(wire, (size_t)length);
	if (wire->end - wire->at < length)
		return NULL;
	bytes = wire->buf + wire->at;
	wire->at += (size_t)length;
	return bytes;
}
