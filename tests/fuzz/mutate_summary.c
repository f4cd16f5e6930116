/* Summaries of ranks: numbers of seven bits a byte, in sections with their lengths. */
#include "mutate.h"

#include <stdbool.h>
#include <string.h>

enum { HEAD = 16, SECTION_HEAD = 8 };

static uint32_t get32(const uint8_t *at)
{
	return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void put32(uint8_t *at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

/* The place and length of one section; false if there is none. */
static bool any_section(struct fuzz_input *input, size_t *place, size_t *length)
{
	size_t seen = 0;

	for (size_t at = HEAD; at + SECTION_HEAD < input->size;) {
		size_t of = get32(input->data + at);

		if (of > input->size - at - SECTION_HEAD)
			of = input->size - at - SECTION_HEAD;
		if (fuzz_below(input, ++seen) == 0) {
			*place = at;
			*length = of;
		}
		at += SECTION_HEAD + of;
	}
	return seen && *length;
}

static size_t put_number(uint8_t bytes[10], uint64_t value)
{
	size_t size = 0;

	for (; value > 0x7f; value >>= 7)
		bytes[size++] = (uint8_t)(value | 0x80);
	bytes[size++] = (uint8_t)value;
	return size;
}

/* Replaces a number; calls lie at the end, where most numbers are. */
void fuzz_grammar(struct fuzz_input *input)
{
	size_t place = 0, length = 0, at, old = 1, size, before = input->size;
	int64_t value = fuzz_number(input);
	uint8_t bytes[10];

	if (!any_section(input, &place, &length))
		return;
	at = place + SECTION_HEAD + fuzz_below(input, length);
	while (at > place + SECTION_HEAD && input->data[at - 1] & 0x80)
		at--;
	while (at + old < place + SECTION_HEAD + length && input->data[at + old - 1] & 0x80)
		old++;
	size = put_number(bytes, fuzz_below(input, 2) ? fuzz_below(input, 64)
						      : (uint64_t)value << 1 ^
								(value < 0 ? UINT64_MAX : 0));
	fuzz_splice(input, at, old, bytes, size);
	if (input->size != before || size == old)
		put32(input->data + place, (uint32_t)(length + input->size - before));
}
