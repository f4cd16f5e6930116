/* UTF-8 by the table of well-formed byte sequences (Unicode 15, table 3-7). */
#include "base/utf8.h"

#include <string.h>

/* Returns the length of the well-formed character at text, or 0 and in *bad what to replace. */
static size_t character(const unsigned char *text, size_t length, size_t *bad)
{
	unsigned char low = 0x80, high = 0xbf;
	size_t need, i;

	*bad = 1;
	if (text[0] < 0x80)
		return 1;
	if (text[0] < 0xc2 || text[0] > 0xf4)
		return 0;
	need = text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : 4;
	if (text[0] == 0xe0)
		low = 0xa0;
	else if (text[0] == 0xed)
		high = 0x9f;
	else if (text[0] == 0xf0)
		low = 0x90;
	else if (text[0] == 0xf4)
		high = 0x8f;
	for (i = 1; i < need; i++) {
		if (i >= length || text[i] < low || text[i] > high) {
			*bad = i;
			return 0;
		}
		low = 0x80;
		high = 0xbf;
	}
	return need;
}

bool dp_utf8__valid(const char *text, size_t length)
{
	const unsigned char *at = (const unsigned char *)text;
	size_t i = 0, bad;

	while (i < length) {
		size_t n = at[i] == 0 ? 0 : character(at + i, length - i, &bad);

		if (!n)
			return false;
		i += n;
	}
	return true;
}

char *dp_utf8__repair(const char *text, size_t length, size_t *out_length)
{
	const unsigned char *at = (const unsigned char *)text;
	char *out = length < SIZE_MAX / 3 ? malloc(length * 3 + 1) : NULL;
	size_t i = 0, used = 0, bad, n;

	if (!out)
		return NULL;
	while (i < length && at[i]) {
		n = character(at + i, length - i, &bad);
		if (n) {
			memcpy(out + used, at + i, n);
			used += n;
			i += n;
		} else {
			memcpy(out + used, "\xef\xbf\xbd", 3);
			used += 3;
			i += bad;
		}
	}
	out[used] = '\0';
	*out_length = used;
	return out;
}

size_t dp_utf8__next(const char *text, size_t length, uint32_t *code)
{
	const unsigned char *at = (const unsigned char *)text;
	size_t bad, n = character(at, length, &bad);

	if (!n) {
		*code = 0xfffd;
		return bad;
	}
	*code = n == 1 ? at[0] : at[0] & (0x7fu >> n);
	for (size_t i = 1; i < n; i++)
		*code = *code << 6 | (at[i] & 0x3fu);
	return n;
}

size_t dp_utf8__cut(const char *text, size_t length, size_t most)
{
	if (length <= most)
		return length;
	/* a character has four bytes at most */
	for (int i = 0; i < 3 && most && ((unsigned char)text[most] & 0xc0) == 0x80; i++)
		most--;
	return most;
}

void dp_utf8__mask(char *text)
{
	unsigned char *at = (unsigned char *)text;
	size_t length = strlen(text), bad, n;

	for (size_t i = 0; i < length; i += n) {
		n = character(at + i, length - i, &bad);
		if (!n) {
			memset(at + i, '?', bad);
			n = bad;
		}
	}
}
