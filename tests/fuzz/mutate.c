/* Functions that the grammars share, and libFuzzer's entry points. */
#include "mutate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room) __attribute__((weak));
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned int seed);

/* Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014. */
uint64_t fuzz_next(struct fuzz_input *input)
{
	uint64_t z = input->state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

size_t fuzz_below(struct fuzz_input *input, size_t limit)
{
	return limit ? (size_t)(fuzz_next(input) % limit) : 0;
}

int64_t fuzz_number(struct fuzz_input *input)
{
	static const int64_t ends[] = { 0,
					1,
					-1,
					2,
					7,
					127,
					128,
					255,
					32767,
					65535,
					65536,
					INT32_MAX,
					INT32_MIN,
					UINT32_MAX,
					INT64_C(1) << 32,
					INT64_C(1) << 53,
					INT64_C(1) << 61,
					-(INT64_C(1) << 61),
					INT64_C(1) << 62,
					INT64_MAX,
					INT64_MAX - 1,
					INT64_MIN,
					INT64_C(1700000000000000000) };
	uint64_t number = (uint64_t)ends[fuzz_below(input, sizeof(ends) / sizeof(ends[0]))];

	switch (fuzz_below(input, 4)) {
	case 0:
		return (int64_t)(number + fuzz_below(input, 5) - 2);
	case 1:
		return (int64_t)fuzz_below(input, 1000000);
	default:
		return (int64_t)number;
	}
}

const char *fuzz_number_text(struct fuzz_input *input, char buf[64])
{
	static const char *const odd[] = { "",
					   "-",
					   "-0",
					   "+1",
					   "01",
					   "1.",
					   ".5",
					   "1e3",
					   "1E+400",
					   "1e-400",
					   "0x10",
					   "NaN",
					   "inf",
					   "-1e308",
					   "null",
					   "true",
					   "0.0000001",
					   "1.5",
					   "9223372036854775808",
					   "18446744073709551615",
					   "18446744073709551616",
					   "123456789012345678901234567890",
					   "1700000000.123456789",
					   "1,5",
					   "1 000",
					   "\"7\"" };

	if (fuzz_below(input, 3) == 0)
		return odd[fuzz_below(input, sizeof(odd) / sizeof(odd[0]))];
	if (fuzz_below(input, 3) == 0)
		snprintf(buf, 64, "%" PRId64 ".%03zu", fuzz_number(input), fuzz_below(input, 1000));
	else
		snprintf(buf, 64, "%" PRId64, fuzz_number(input));
	return buf;
}

void fuzz_splice(struct fuzz_input *input, size_t at, size_t length, const void *bytes,
		 size_t count)
{
	uint8_t *copy;

	if (at > input->size || length > input->size - at ||
	    count > input->room - (input->size - length))
		return;
	copy = malloc(count + 1);
	if (!copy)
		return;
	if (count)
		memcpy(copy, bytes, count);
	memmove(input->data + at + count, input->data + at + length, input->size - at - length);
	memcpy(input->data + at, copy, count);
	input->size = input->size - length + count;
	free(copy);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned int seed)
{
	struct fuzz_input input = { data, size, room, seed };

	if (LLVMFuzzerMutate && fuzz_below(&input, 2))
		return LLVMFuzzerMutate(data, size, room);
	for (size_t left = 1 + fuzz_below(&input, 4); left; left--)
		fuzz_grammar(&input);
	return input.size;
}
