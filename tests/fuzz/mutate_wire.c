/* Protocol buffers: fields, their lengths and numbers, messages inside messages. */
#include "mutate.h"

#include <stdbool.h>

enum { DEPTH = 6, LENGTH_DELIMITED = 2 };

/* A field: its key, and what follows it. */
struct field {
	size_t at, value, end;
	unsigned wire;
};

static bool varint(const struct fuzz_input *input, size_t *at, size_t end, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0; *at < end && shift < 64; shift += 7) {
		uint8_t byte = input->data[(*at)++];

		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

static bool field_at(const struct fuzz_input *input, size_t at, size_t end, struct field *field)
{
	uint64_t key, value = 0;

	*field = (struct field){ .at = at };
	if (!varint(input, &at, end, &key))
		return false;
	field->wire = key & 7;
	field->value = at;
	if (field->wire == 0 && !varint(input, &at, end, &value))
		return false;
	if (field->wire == LENGTH_DELIMITED && !varint(input, &at, end, &value))
		return false;
	if (field->wire == LENGTH_DELIMITED)
		field->end = at + value;
	else
		field->end = field->wire == 1 ? at + 8 : field->wire == 5 ? at + 4 : at;
	return field->end <= end && field->end >= at;
}

/* Any field of the message at [at, end), or of one inside it. */
static bool any_field(struct fuzz_input *input, size_t at, size_t end, struct field *field)
{
	struct field next;
	size_t seen = 0;

	for (int depth = 0; depth < DEPTH; depth++, seen = 0) {
		for (size_t k = at; k < end && field_at(input, k, end, &next); k = next.end)
			if (fuzz_below(input, ++seen) == 0)
				*field = next;
		if (!seen || field->wire != LENGTH_DELIMITED || !fuzz_below(input, 3))
			return seen > 0 || depth > 0;
		at = field->value;
		while (at < field->end && input->data[at] & 0x80)
			at++;
		at++;
		end = field->end;
	}
	return true;
}

static size_t put_varint(uint8_t bytes[10], uint64_t value)
{
	size_t n = 0;

	for (; value > 0x7f; value >>= 7)
		bytes[n++] = (uint8_t)(value | 0x80);
	bytes[n++] = (uint8_t)value;
	return n;
}

/* Replaces the varint at a place by another number. */
static void put_number(struct fuzz_input *input, size_t at)
{
	uint8_t bytes[10];
	size_t end = at;
	uint64_t old;

	if (varint(input, &end, input->size, &old))
		fuzz_splice(input, at, end - at, bytes,
			    put_varint(bytes, (uint64_t)fuzz_number(input)));
}

void fuzz_grammar(struct fuzz_input *input)
{
	struct field field = { .at = 0 };
	uint8_t key;

	if (!any_field(input, 0, input->size, &field))
		return;
	switch (fuzz_below(input, 5)) {
	case 0: /* a number or a length */
		put_number(input, field.value);
		break;
	case 1: /* another field number or wire type */
		key = (uint8_t)(fuzz_below(input, 16) << 3 | fuzz_below(input, 6));
		fuzz_splice(input, field.at, 1, &key, 1);
		break;
	case 2: /* without the field */
		fuzz_splice(input, field.at, field.end - field.at, "", 0);
		break;
	case 3: /* twice */
		if (field.end - field.at < 4096) {
			uint8_t copy[4096];

			for (size_t i = field.at; i < field.end; i++)
				copy[i - field.at] = input->data[i];
			fuzz_splice(input, field.at, 0, copy, field.end - field.at);
		}
		break;
	default: /* cut off */
		fuzz_splice(input, field.end, input->size - field.end, "", 0);
	}
}
