/* Numbers as people read them, in any locale: printf() is used only for what none changes. */
#include "base/text.h"

#include <math.h>
#include <stdio.h>

#define DIGITS "0123456789"

/* Probabilities this near 0 or 1 have a decimal. */
#define EXTREME 0.01

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

size_t dp_text__without_numbers(char *text, const char *name)
{
	size_t used = 0;

	while (*name) {
		bool digit = is_digit(*name);

		if (!digit || !used || text[used - 1] != '#')
			text[used++] = digit ? '#' : *name;
		name++;
		while (digit && is_digit(*name))
			name++;
	}
	text[used] = '\0';
	return used;
}

bool dp_text__equal_but_numbers(uint64_t *differing, const char *a, const char *b)
{
	uint64_t number = 1;

	*differing = 0;
	while (*a && *b) {
		size_t digits = strspn(a, DIGITS), others = strspn(b, DIGITS);

		if (digits && others) {
			if (digits != others || memcmp(a, b, digits) != 0)
				*differing |= number;
			number <<= 1;
			a += digits;
			b += others;
		} else if (*a++ != *b++) {
			return false;
		}
	}
	return !*a && !*b;
}

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

/* Replaces a locale's decimal sign, which may have several bytes. */
static char *with_point(char *text, double value)
{
	char *to = text;

	if (!isfinite(value))
		return text;
	for (const char *from = text; *from; from++) {
		if (strchr("0123456789+-e", *from))
			*to++ = *from;
		else if (to == text || to[-1] != '.')
			*to++ = '.';
	}
	*to = '\0';
	return text;
}

char *dp_text__fixed(char buf[DP_TEXT_SIZE], double value, int decimals)
{
	snprintf(buf, DP_TEXT_SIZE, "%.*f", decimals, value);
	return with_point(buf, value);
}

char *dp_text__digits(char buf[DP_TEXT_SIZE], double value, int digits)
{
	snprintf(buf, DP_TEXT_SIZE, "%.*g", digits, value);
	return with_point(buf, value);
}

char *dp_text__counted(char *out, size_t size, const char *number, const char *noun)
{
	size_t length = strlen(noun);
	const char *last = noun + length - 2; /* letters: a noun has two at least */
	bool several = strcmp(number, "1") != 0;
	bool takes_es = strchr("sxz", last[1]) || !strcmp(last, "ch") || !strcmp(last, "sh");
	bool takes_ies = several && last[1] == 'y' && !strchr("aeou", last[0]);

	snprintf(out, size, "%s %.*s%s", number, (int)(length - takes_ies), noun,
		 takes_ies	       ? "ies"
		 : several && takes_es ? "es"
		 : several	       ? "s"
				       : "");
	return out;
}

char *dp_text__percent(char buf[DP_TEXT_SIZE], double probability)
{
	bool extreme = probability < EXTREME || probability >= 1 - EXTREME;

	return strcat(dp_text__fixed(buf, 100 * probability, extreme), "%");
}
