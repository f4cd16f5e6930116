/* Numbers in text. printf() is used only for what no locale changes. */
#include "report/number.h"
#include "base/text.h"
#include <deepprof/report.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Whole numbers below this are exact in an int64_t. */
#define INTEGER_LIMIT 9.2e18

bool dp_number__is_integer(const char *unit)
{
	return !strcmp(unit, "ns") || !strcmp(unit, "bytes") || !strcmp(unit, "bytes/s") ||
	       !strcmp(unit, "count");
}

size_t dp_number__integer(char buf[DP_NUMBER_SIZE], int64_t value)
{
	uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
	char digits[24];
	size_t n = 0, used = 0;

	do
		digits[n++] = (char)('0' + rest % 10);
	while (rest /= 10);
	if (value < 0)
		buf[used++] = '-';
	while (n)
		buf[used++] = digits[--n];
	buf[used] = '\0';
	return used;
}

void dp_number__json(char buf[DP_NUMBER_SIZE], double value, const char *unit)
{
	if (!isfinite(value)) {
		strcpy(buf, "null");
	} else if (dp_number__is_integer(unit) && fabs(value) < INTEGER_LIMIT) {
		dp_number__integer(buf, llround(value));
	} else {
		dp_text__digits(buf, value, 9);
	}
}

/*
 * Writes 0 <= value < 10,000 with this many significant digits; all digits before the point are
 * kept.
 */
static void significant(char buf[DP_NUMBER_SIZE], double value, int digits)
{
	long long scale = 1, limit = 1, shown;
	int decimals = digits - 1;

	for (int i = 0; i < digits; i++)
		limit *= 10;
	for (int i = 0; i < decimals; i++)
		scale *= 10;
	for (; decimals && llround(value * (double)scale) >= limit; decimals--)
		scale /= 10;
	shown = llround(value * (double)scale);
	if (decimals)
		snprintf(buf, DP_NUMBER_SIZE, "%lld.%0*lld", shown / scale, decimals,
			 shown % scale);
	else
		snprintf(buf, DP_NUMBER_SIZE, "%lld", shown);
}

static char *none(char buf[DP_NUMBER_SIZE])
{
	return strcpy(buf, "-");
}

/* "10 min 16 s", "2 h 05 min"; with more digits "10 min 16.3 s", "2 h 05 min 07 s", "… 07.1 s". */
static char *long_duration(char buf[DP_NUMBER_SIZE], double seconds, int more)
{
	bool rounded = llround(fmin(seconds, INTEGER_LIMIT)) >= 3600;
	int decimals = more - (rounded && more > 0);
	unsigned long long scale = 1, parts, s;
	char fraction[24] = "";
	int used;

	for (int i = 0; i < decimals; i++)
		scale *= 10;
	parts = (unsigned long long)llround(fmin(seconds * (double)scale, INTEGER_LIMIT));
	s = parts / scale;
	if (decimals)
		snprintf(fraction, sizeof(fraction), ".%0*llu", decimals % 16, parts % scale);
	if (s >= 3600)
		used = snprintf(buf, DP_NUMBER_SIZE, "%llu h %02d min", s / 3600,
				(int)(s / 60 % 60));
	else
		used = snprintf(buf, DP_NUMBER_SIZE, "%d min", (int)(s / 60));
	if (s < 3600 || more)
		snprintf(buf + used, DP_NUMBER_SIZE - (size_t)used, " %02d%s s", (int)(s % 60),
			 fraction);
	return buf;
}

const char *dp_number__sign(bool negative, bool ascii)
{
	return !negative ? "+" : ascii ? "-" : "\xe2\x88\x92";
}

static const char *const duration_units[] = { "ns", "\xc2\xb5s", "ms", "s" };

static const char *duration_unit(size_t unit, bool ascii)
{
	return unit == 1 && ascii ? "us" : duration_units[unit];
}

/* Of most durations, significant digits. */
enum { DIGITS = 4, DIGITS_MOST = 12 };

static char *duration(char buf[DP_NUMBER_SIZE], double ns, int precision, bool ascii)
{
	char digits[DP_NUMBER_SIZE];
	size_t unit = 0;

	if (!isfinite(ns))
		return none(buf);
	if (ns < 0) {
		duration(digits, -ns, precision, ascii);
		snprintf(buf, DP_NUMBER_SIZE, "%s%.32s", dp_number__sign(true, ascii), digits);
		return buf;
	}
	for (; unit < 3 && ns >= 999.95; unit++)
		ns /= 1000;
	if (unit == 3 && ns >= 120)
		return long_duration(buf, ns, DP_MAX(precision - DIGITS, 0));
	if (unit == 0 && fabs(ns - round(ns)) < 0.05)
		dp_number__integer(digits, llround(ns));
	else
		significant(digits, ns, precision);
	snprintf(buf, DP_NUMBER_SIZE, "%.32s %s", digits, duration_unit(unit, ascii));
	return buf;
}

char *dp_human__duration(char buf[DP_NUMBER_SIZE], double ns, bool ascii)
{
	return duration(buf, ns, DIGITS, ascii);
}

void dp_human__apart(char low[DP_NUMBER_SIZE], char high[DP_NUMBER_SIZE], double low_ns,
		     double high_ns, bool ascii)
{
	int precision = DIGITS;

	do {
		duration(low, low_ns, precision, ascii);
		duration(high, high_ns, precision, ascii);
	} while ((low_ns < high_ns || low_ns > high_ns) && !strcmp(low, high) &&
		 ++precision <= DIGITS_MOST);
}

char *dp_human__rough(char buf[DP_NUMBER_SIZE], double ns, bool ascii)
{
	return duration(buf, ns, 2, ascii);
}

char *dp_human__step(char buf[DP_NUMBER_SIZE], int64_t ns, bool ascii)
{
	size_t unit = 0;

	for (; ns && ns % 1000 == 0 && unit < 3; unit++)
		ns /= 1000;
	snprintf(buf, DP_NUMBER_SIZE, "%lld %s", (long long)ns, duration_unit(unit, ascii));
	return buf;
}

char *dp_human__share(char buf[DP_NUMBER_SIZE], double share)
{
	long long tenths;

	if (!isfinite(share) || fabs(share) > 1e12)
		return none(buf);
	tenths = llround(fabs(share) * 1000);
	/* "100%" and "0%" are shown only if they are exact */
	if (tenths >= 1000 && fabs(share) < 1)
		tenths = 999;
	if (!tenths && fabs(share) > 0)
		snprintf(buf, DP_NUMBER_SIZE, "<0.1%%");
	else if (tenths % 1000 == 0 || tenths >= 10000)
		snprintf(buf, DP_NUMBER_SIZE, "%s%lld%%", share < 0 ? "-" : "", tenths / 10);
	else
		snprintf(buf, DP_NUMBER_SIZE, "%s%lld.%lld%%", share < 0 ? "-" : "", tenths / 10,
			 tenths % 10);
	return buf;
}

static const char *const byte_units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };

char *dp_human__bytes(char buf[DP_NUMBER_SIZE], double bytes)
{
	char digits[DP_NUMBER_SIZE];
	size_t unit = 0;

	if (!isfinite(bytes) || bytes < 0)
		return none(buf);
	/* three digits before the point, except for whole bytes: "1023 B" */
	for (; unit < DP_COUNT(byte_units) - 1 && bytes >= (unit ? 1000 : 1024); unit++)
		bytes /= 1024;
	if (unit)
		significant(digits, fmin(bytes, 9999), 4);
	else
		dp_number__integer(digits, llround(bytes));
	snprintf(buf, DP_NUMBER_SIZE, "%.32s %s", digits, byte_units[unit]);
	return buf;
}

/* Rounds to four significant digits; more digits before the point are kept. */
static double four_digits(double value)
{
	double scale = fabs(value) > 0 ? pow(10, fmin(0, floor(log10(fabs(value))) - 3)) : 1;

	return scale > 0 ? round(value / scale) * scale : value;
}

/* In powers of 1000, as vendors and benchmarks state bandwidths and peaks. */
static char *rate(char buf[DP_NUMBER_SIZE], double value, const char *name)
{
	static const char *const units[] = { "", "k", "M", "G", "T", "P", "E" };
	char digits[DP_NUMBER_SIZE];
	size_t unit = 0;

	for (; unit < DP_COUNT(units) - 1 && value >= 999.95; unit++)
		value /= 1000;
	if (value < 0)
		return none(buf);
	if (unit)
		significant(digits, fmin(value, 9999), 4);
	else
		dp_number__integer(digits, llround(value));
	snprintf(buf, DP_NUMBER_SIZE, "%.32s %s%s", digits, units[unit], name);
	return buf;
}

char *dp_human__value(char buf[DP_NUMBER_SIZE], double value, const char *unit, bool ascii)
{
	char digits[DP_NUMBER_SIZE];

	if (!strcmp(unit, "ns"))
		return dp_human__duration(buf, value, ascii);
	if (!strcmp(unit, "bytes"))
		return dp_human__bytes(buf, value);
	if (!strcmp(unit, "1"))
		return dp_human__share(buf, value);
	if (!isfinite(value))
		return none(buf);
	if (!strcmp(unit, "bytes/s"))
		return rate(buf, value, "B/s");
	if (!strcmp(unit, "FLOP/s"))
		return rate(buf, value, unit);
	if (!strcmp(unit, "count") && value >= 0 && value < INTEGER_LIMIT) {
		if (value > 0 && value < 0.5) /* a mean over iterations, few of which have any */
			return strcpy(buf, "<1");
		dp_text__count(buf, (uint64_t)llround(value));
		return buf;
	}
	dp_number__json(digits, four_digits(value), "");
	snprintf(buf, DP_NUMBER_SIZE, "%.24s %.32s", digits, unit);
	return buf;
}

char *dp_human__two(char buf[3 * DP_NUMBER_SIZE], const double values[2], const char *unit,
		    const char *between, bool ascii)
{
	char first[DP_NUMBER_SIZE], second[DP_NUMBER_SIZE];
	char *space, *other;

	dp_human__value(first, values[0], unit, ascii);
	dp_human__value(second, values[1], unit, ascii);
	/* "2 min 20 s" has two units: neither of them is that of all its digits */
	space = strchr(first, ' ');
	other = strchr(second, ' ');
	if (space && other && !strcmp(space, other) && !strchr(space + 1, ' '))
		*space = '\0';
	snprintf(buf, 3 * DP_NUMBER_SIZE, "%s%s%s", first, between, second);
	return buf;
}

char *dp_human__range(char buf[3 * DP_NUMBER_SIZE], double low_ns, double high_ns, bool ascii)
{
	const double values[2] = { low_ns, high_ns };

	if (!(high_ns > low_ns))
		return dp_human__duration(buf, low_ns, ascii);
	return dp_human__two(buf, values, "ns", ascii ? " to " : "\xe2\x80\x93", ascii);
}

/* Copies as much as fits the caller's buffer. */
static char *label(char *buf, size_t size, const char *text)
{
	snprintf(buf, size, "%s", text);
	return buf;
}

char *dp_label_count(char *buf, size_t size, uint64_t count)
{
	char digits[DP_TEXT_SIZE];

	return label(buf, size, dp_text__count(digits, count));
}

char *dp_label_duration(char *buf, size_t size, double ns, bool ascii)
{
	char text[DP_NUMBER_SIZE];

	return label(buf, size, dp_human__duration(text, ns, ascii));
}

char *dp_label_bytes(char *buf, size_t size, uint64_t bytes)
{
	char text[DP_NUMBER_SIZE];

	return label(buf, size, dp_human__bytes(text, (double)bytes));
}
