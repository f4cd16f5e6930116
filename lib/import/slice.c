/* Words in parts of a text. */
#include "import/slice.h"
#include "base/base.h"

#include <string.h>

/* Larger values are damage: sums of two stay within 63 bits. */
#define VALUE_LIMIT ((int64_t)1 << 62)

/* Longer numbers, and larger exponents, are damage. */
#define DIGITS_MOST 40

bool dp_slice__is(struct dp_slice text, const char *word)
{
	size_t length = strlen(word);

	return text.length == length && !memcmp(text.at, word, length);
}

bool dp_slice__starts(struct dp_slice text, const char *word)
{
	size_t length = strlen(word);

	return text.length >= length && !memcmp(text.at, word, length);
}

/* memmem() is not POSIX 2008. Only banners and headers are searched: short, or few. */
bool dp_slice__has(struct dp_slice text, const char *word)
{
	size_t length = strlen(word);

	for (size_t i = 0; i + length <= text.length; i++)
		if (text.at[i] == word[0] && !memcmp(text.at + i, word, length))
			return true;
	return false;
}

struct dp_slice dp_slice__trim(struct dp_slice text)
{
	while (text.length && strchr(" \t\r\n", text.at[text.length - 1]) &&
	       text.at[text.length - 1])
		text.length--;
	while (text.length && (text.at[0] == ' ' || text.at[0] == '\t')) {
		text.at++;
		text.length--;
	}
	return text;
}

bool dp_slice__integer(struct dp_slice text, int64_t *value)
{
	int64_t sum = 0;

	for (size_t i = 0; i < text.length; i++)
		if (text.at[i] < '0' || text.at[i] > '9' || __builtin_mul_overflow(sum, 10, &sum) ||
		    __builtin_add_overflow(sum, text.at[i] - '0', &sum))
			return false;
	*value = sum;
	return text.length > 0;
}

/* Reads a number without an exponent, up to where it ends: *length. */
static bool read_plain(struct dp_slice text, uint64_t unit, int64_t *value, int *digits,
		       size_t *length)
{
	uint64_t whole = 0, part = 0, scaled;
	int whole_digits = 0, part_digits = 0, kept;
	size_t i = 0;
	bool negative = text.length && text.at[0] == '-';

	if (negative)
		i++;
	for (; i < text.length && text.at[i] >= '0' && text.at[i] <= '9'; i++, whole_digits++) {
		if (whole > (uint64_t)VALUE_LIMIT / 16)
			return false;
		whole = whole * 10 + (uint64_t)(text.at[i] - '0');
	}
	if (i < text.length && text.at[i] == '.')
		for (i++; i < text.length && text.at[i] >= '0' && text.at[i] <= '9'; i++)
			if (part_digits++ < 9)
				part = part * 10 + (uint64_t)(text.at[i] - '0');
	*length = i;
	if (!(whole_digits + part_digits))
		return false;
	*digits = part_digits;
	for (kept = part_digits; kept < 9; kept++)
		part *= 10;
	part = (part * unit + 500000000) / 1000000000;
	if (__builtin_mul_overflow(whole, unit, &scaled) || scaled > (uint64_t)VALUE_LIMIT)
		return false;
	*value = (int64_t)(scaled + part);
	if (negative)
		*value = -*value;
	return true;
}

/* Reads "e-04" or "E+15". Exponents that make any number 0 are DIGITS_MOST. */
static bool read_exponent(struct dp_slice text, int *exponent)
{
	struct dp_slice number = text;
	int64_t value;
	bool negative;

	number.at++;
	number.length--;
	negative = number.length && number.at[0] == '-';
	if (negative || (number.length && number.at[0] == '+')) {
		number.at++;
		number.length--;
	}
	if (!dp_slice__integer(number, &value) || (!negative && value > DIGITS_MOST))
		return false;
	*exponent = (int)DP_MIN(value, (int64_t)DIGITS_MOST);
	if (negative)
		*exponent = -*exponent;
	return true;
}

/* Writes a mantissa, which is a number, with its point moved to the right. Returns the length. */
static size_t move_point(char *out, struct dp_slice mantissa, int exponent)
{
	char digits[DIGITS_MOST];
	size_t used = 0;
	int count = 0, point = -1;

	for (size_t i = 0; i < mantissa.length; i++)
		if (mantissa.at[i] == '-')
			out[used++] = '-';
		else if (mantissa.at[i] == '.')
			point = count;
		else
			digits[count++] = mantissa.at[i];
	point = (point < 0 ? count : point) + exponent;
	for (int i = DP_MIN(point, 0); i < DP_MAX(point, count); i++) {
		if (i == point)
			out[used++] = '.';
		out[used++] = i < 0 || i >= count ? '0' : digits[i];
	}
	return used;
}

/* The same digits without an exponent are read exactly, which a double would not be. */
static bool read_scientific(struct dp_slice text, size_t mantissa, uint64_t unit, int64_t *value,
			    int *digits)
{
	struct dp_slice exponent_text = { text.at + mantissa, text.length - mantissa };
	char plain[3 * DIGITS_MOST];
	struct dp_slice number = { plain, 0 };
	int exponent, ignored;
	size_t length;

	if (mantissa > DIGITS_MOST || !read_exponent(exponent_text, &exponent))
		return false;
	text.length = mantissa;
	number.length = move_point(plain, text, exponent);
	*digits -= DP_MAX(exponent, 0);
	return read_plain(number, unit, value, &ignored, &length) && length == number.length;
}

bool dp_slice__scaled(struct dp_slice text, uint64_t unit, int64_t *value, int *digits)
{
	int own;
	size_t length;

	if (!digits)
		digits = &own;
	if (!read_plain(text, unit, value, digits, &length))
		return false;
	if (length == text.length)
		return true;
	return (text.at[length] == 'e' || text.at[length] == 'E') &&
	       read_scientific(text, length, unit, value, digits);
}
