/* Numbers as people read them, in any locale. */
#include "base/text.h"

#include <stdio.h>

char *dp_text__count(char buf[DP_TEXT_SIZE], uint64_t count)
{
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)count), used = 0;

	for (int i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			buf[used++] = ',';
		buf[used++] = digits[i];
	}
	buf[used] = '\0';
	return buf;
}
