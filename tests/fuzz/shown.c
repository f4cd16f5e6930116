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

void fuzz_check_shown(struct fuzz_shown *shown)
{
	uint32_t code;

	HOLDS(dp_utf8__valid(shown->text, shown->length));
	for (size_t i = 0; i < shown->length;) {
		i += dp_utf8__next(shown->text + i, shown->length - i, &code);
		HOLDS(!is_obeyed(code));
	}
	free(shown->text);
}
