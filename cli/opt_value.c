/* Values of options: counts and times, exact and independent of the locale. */
#include "opt.h"

#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Appends a decimal digit; false where it no longer fits. */
static bool append(uint64_t *number, char digit, uint64_t most)
{
	uint64_t value = (uint64_t)(digit - '0');

	if (*number > (most - value) / 10)
		return false;
	*number = *number * 10 + value;
	return true;
}

bool opt_count(const char *text, uint64_t least, uint64_t *count, struct opt_why *why)
{
	const char *at = text;
	uint64_t number = 0;

	for (; is_digit(*at); at++)
		if (!append(&number, *at, UINT64_MAX))
			return opt_refuse(why, "too large");
	if (at == text || *at || number < least)
		return opt_refuse(why, "a whole number, %llu or more, is needed",
				  (unsigned long long)least);
	*count = number;
	return true;
}

/* Nanoseconds in a unit as a power of ten, or -1. */
static int unit_digits(const char *unit)
{
	static const struct {
		const char *name;
		int digits;
	} units[] = {
		{ "ns", 0 }, { "us", 3 }, { "\xc2\xb5s", 3 }, { "ms", 6 }, { "s", 9 },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(unit, units[i].name))
			return units[i].digits;
	return -1;
}

/* What follows the decimal point: as many digits as the unit has nanoseconds for. */
static bool fraction(const char **at, int digits, uint64_t *number)
{
	for (; is_digit(**at); (*at)++, digits -= digits > 0)
		if (digits > 0 && !append(number, **at, INT64_MAX))
			return false;
	for (; digits > 0; digits--)
		if (!append(number, '0', INT64_MAX))
			return false;
	return true;
}

bool opt_time(const char *text, int64_t *ns, struct opt_why *why)
{
	size_t length = strspn(text, "0123456789.");
	int digits = unit_digits(text + length);
	uint64_t number = 0;
	const char *at = text;

	if (!strcmp(text, "0"))
		digits = 0;
	if (!is_digit(*at) || digits < 0)
		return opt_refuse(why, "a time is a number and a unit: ns, us, ms or s");
	for (; is_digit(*at); at++)
		if (!append(&number, *at, INT64_MAX))
			return opt_refuse(why, "too large");
	if (*at == '.')
		at++;
	if (!fraction(&at, digits, &number))
		return opt_refuse(why, "too large");
	if (at != text + length)
		return opt_refuse(why, "a time is a number and a unit: ns, us, ms or s");
	*ns = (int64_t)number;
	return true;
}

bool opt_bytes(const char *text, uint64_t *bytes, struct opt_why *why)
{
	static const char units[] = "KMG";
	uint64_t number = 0;
	const char *at = text, *unit;

	for (; is_digit(*at); at++)
		if (!append(&number, *at, INT64_MAX))
			return opt_refuse(why, "too large");
	unit = *at ? strchr(units, *at) : NULL;
	if (at == text || (*at && !unit) || (unit && at[1] && strcmp(at + 1, "iB") != 0) || !number)
		return opt_refuse(why, "a size is a number of bytes, or of K, M or G");
	for (const char *each = units; unit && each <= unit; each++) {
		if (number > INT64_MAX / 1024)
			return opt_refuse(why, "too large");
		number *= 1024;
	}
	*bytes = number;
	return true;
}

bool opt_decimal(const char **at, double *number)
{
	uint64_t whole = 0, part = 0, unit = 1;
	const char *text = *at;

	if (!is_digit(*text))
		return false;
	for (; is_digit(*text); text++)
		if (!append(&whole, *text, UINT64_C(1) << 53))
			return false;
	if (*text == '.')
		for (text++; is_digit(*text); text++)
			if (unit < 1000000) {
				part = part * 10 + (uint64_t)(*text - '0');
				unit *= 10;
			}
	*number = (double)whole + (double)part / (double)unit;
	*at = text;
	return true;
}
