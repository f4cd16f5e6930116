/* Values of options: counts and times, exact and independent of the locale. */
#include "opt.h"

#include <string.h>
#include <sys/stat.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Appends a decimal digit. Returns false if the number would be too large. */
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
		return opt_refuse(why, "expected a whole number of %llu or more",
				  (unsigned long long)least);
	*count = number;
	return true;
}

/*
 * Computes "1.5" times unit, exactly, as far as the unit is divisible; the text ends at end.
 * Returns false if it is not a number or too large.
 */
static bool scaled(const char *text, const char *end, uint64_t unit, uint64_t *product)
{
	uint64_t whole = 0, part = 0, parts = 1;

	if (!is_digit(*text))
		return false;
	for (; is_digit(*text); text++)
		if (!append(&whole, *text, INT64_MAX))
			return false;
	if (*text == '.')
		text++;
	for (; is_digit(*text); text++) {
		if (parts > INT64_MAX / 10 / unit)
			continue;
		part = part * 10 + (uint64_t)(*text - '0');
		parts *= 10;
	}
	if (text != end || whole > INT64_MAX / unit)
		return false;
	part = part * unit / parts;
	*product = whole * unit + part;
	return *product <= INT64_MAX;
}

/* Returns a unit of time in ns; 0 if unknown. */
static uint64_t ns_of(const char *unit)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{ "ns", 1 },
		{ "us", 1000 },
		{ "\xc2\xb5s", 1000 },
		{ "ms", 1000000 },
		{ "s", 1000000000 },
		{ "m", UINT64_C(60000000000) },
		{ "min", UINT64_C(60000000000) },
		{ "h", UINT64_C(3600000000000) },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(unit, units[i].name))
			return units[i].ns;
	return 0;
}

/* Returns where the number ends. */
static const char *behind_number(const char *text)
{
	return text + strspn(text, "0123456789.");
}

bool opt_time(const char *text, int64_t *ns, struct opt_why *why)
{
	const char *end = behind_number(text);
	uint64_t unit = ns_of(end), number;

	if (!strcmp(text, "0"))
		unit = 1;
	if (!unit || !is_digit(*text) ||
	    memchr(text, '.', (size_t)(end - text)) != strrchr(text, '.'))
		return opt_refuse(why, "expected a number and a unit: ns, us, ms, s, m or h");
	if (!scaled(text, end, unit, &number))
		return opt_refuse(why, "too large");
	*ns = (int64_t)number;
	return true;
}

bool opt_bytes(const char *text, uint64_t least, uint64_t *bytes, struct opt_why *why)
{
	static const char units[] = "KMGTkmgt";
	const char *end = behind_number(text), *unit = *end ? strchr(units, *end) : NULL;
	uint64_t number, times = 1;

	if (!is_digit(*text) || (*end && !unit) || (unit && end[1] && strcmp(end + 1, "iB") != 0) ||
	    memchr(text, '.', (size_t)(end - text)) != strrchr(text, '.'))
		return opt_refuse(why, "expected a number of bytes, or of K, M, G or T");
	if (unit)
		times <<= 10 * ((unit - units) % 4 + 1);
	if (!scaled(text, end, times, &number))
		return opt_refuse(why, "too large");
	if (!number)
		return opt_refuse(why, "expected a size above 0");
	if (number < least)
		return opt_refuse(
			why, least >> 20 ? "expected at least %lluM" : "expected at least %lluK",
			(unsigned long long)(least >> 20 ? least >> 20 : least >> 10));
	*bytes = number;
	return true;
}

bool opt_mode(const char *text, mode_t *mode, struct opt_why *why)
{
	mode_t bits = 0, mask;
	size_t length = strlen(text);

	for (; *text >= '0' && *text <= '7' && bits <= 0777; text++)
		bits = bits * 8 + (mode_t)(*text - '0');
	if (*text || !length || bits > 0777)
		return opt_refuse(why, "expected permissions in octal, from 600 to 777");
	if ((bits & 0600) != 0600)
		return opt_refuse(why, "its owner must be able to read and write it, such as 640");
	mask = umask(0);
	umask(mask);
	*mode = bits & ~mask;
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
