/* Long names that a format would repeat very often. */
#include "report/long_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool dp_long_name__is(const char *name)
{
	return strnlen(name, DP_LONG_NAME + 1) > DP_LONG_NAME;
}

const char *dp_long_name__cut(char cut[DP_LONG_NAME_CUT], const char *name, uint32_t number)
{
	size_t length = DP_LONG_NAME;

	/* not inside a character (UTF-8, RFC 3629) */
	while (length && ((unsigned char)name[length] & 0xc0) == 0x80)
		length--;
	snprintf(cut, DP_LONG_NAME_CUT, "%.*s... [name %" PRIu32 "]", (int)length, name, number);
	return cut;
}
