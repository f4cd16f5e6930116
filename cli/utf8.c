#include "utf8.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Decodes the character at text, which is not at its end. Returns how many bytes it takes; *code is
 * U+FFFD for a byte that is not part of one. Follows the table of well-formed byte sequences
 * (Unicode 15, table 3-7).
 */
static size_t next(const char *text, uint32_t *code)
{
	/* The smallest code for a sequence of this many bytes. */
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *at = (const unsigned char *)text;
	size_t need = at[0] < 0x80 ? 1 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
	uint32_t value = need == 1 ? at[0] : at[0] & (0xffu >> (need + 1));

	for (size_t i = 1; i < need; i++) {
		if ((at[i] & 0xc0) != 0x80)
			goto bad;
		value = value << 6 | (at[i] & 0x3f);
	}
	if ((at[0] >= 0x80 && at[0] < 0xc2) || at[0] > 0xf4 || value < least[need] ||
	    value > 0x10ffff || (value >= 0xd800 && value < 0xe000))
		goto bad;
	*code = value;
	return need;
bad:
	*code = 0xfffd;
	return 1;
}

static bool is_control(uint32_t code)
{
	static const uint32_t ranges[][2] = {
		{ 0x0000, 0x001f }, /* C0 */
		{ 0x007f, 0x009f }, /* delete, C1: U+009B is ESC [ in one character */
		{ 0x061c, 0x061c }, /* Arabic letter mark */
		{ 0x200e, 0x200f }, /* marks of direction */
		{ 0x2028, 0x202e }, /* separators, embeddings and overrides */
		{ 0x2066, 0x2069 }, /* isolates */
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (code >= ranges[i][0] && code <= ranges[i][1])
			return true;
	return false;
}

void utf8_mask(char *text)
{
	char *to = text;
	uint32_t code;

	while (*text) {
		size_t bytes = next(text, &code);

		if (is_control(code) || (code == 0xfffd && bytes == 1)) {
			*to++ = '?';
			text += bytes;
			continue;
		}
		while (bytes--)
			*to++ = *text++;
	}
	*to = '\0';
}
