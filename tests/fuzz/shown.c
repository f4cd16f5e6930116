#include "shown.h"
#include "base/utf8.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOLDS(condition) \
	((condition) ? (void)0 : (fprintf(stderr, "broken: %s\n", #condition), abort()))

int fuzz_show(void *ctx, const void *data, size_t size)
{
	struct fuzz_shown *shown = ctx;

	if (shown->length + size + 1 > shown->room) {
		shown->room = 2 * shown->room + size + 1;
		shown->text = realloc(shown->text, shown->room);
		HOLDS(shown->text);
	}
	memcpy(shown->text + shown->length, data, size);
	shown->length += size;
	return 0;
}

static bool is_obeyed(uint32_t code)
{
	return (code < 0x20 && code != '\n' && code != '\t') || (code >= 0x7f && code < 0xa0) ||
	       (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

/* Whether eight bytes are printable ASCII, as nearly all of a page of HTML is. */
static bool is_plain(const char *text)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), high = ones << 7;
	uint64_t word;

	memcpy(&word, text, sizeof(word));
	return !((word | (word - ones * 0x20) | (word + ones)) & high);
}

void fuzz_check_shown(const struct fuzz_shown *shown)
{
	uint32_t code;

	for (size_t i = 0, n; i < shown->length; i += n) {
		n = 1;
		if (shown->text[i] == '\n' || shown->text[i] == '\t')
			continue;
		n = sizeof(uint64_t);
		if (shown->length - i >= n && is_plain(shown->text + i))
			continue;
		n = dp_utf8__next(shown->text + i, shown->length - i, &code);
		HOLDS(!is_obeyed(code) && dp_utf8__valid(shown->text + i, n));
	}
}
