/* Numbers and text for people. */
#include "human.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

const char *human_count(char *buf, uint64_t count)
{
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%" PRIu64, count), used = 0;

	for (int i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			buf[used++] = ',';
		buf[used++] = digits[i];
	}
	buf[used] = '\0';
	return buf;
}

/* Four significant digits. */
static void significant(char *buf, double value, const char *unit)
{
	int places = value >= 99.995 ? 1 : value >= 9.9995 ? 2 : 3;

	snprintf(buf, HUMAN_SIZE, "%.*f %s", places, value, unit);
}

const char *human_time(char *buf, double ns, bool ascii)
{
	if (ns < 1e3)
		snprintf(buf, HUMAN_SIZE, "%.0f ns", ns);
	else if (ns < 999.95e3)
		significant(buf, ns / 1e3, ascii ? "us" : "\xc2\xb5s");
	else if (ns < 999.95e6)
		significant(buf, ns / 1e6, "ms");
	else
		significant(buf, ns / 1e9, "s");
	return buf;
}

const char *human_bytes(char *buf, uint64_t bytes)
{
	static const char *const units[] = { "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	double value = (double)bytes / 1024;
	size_t unit = 0;

	if (bytes < 1024) {
		snprintf(buf, HUMAN_SIZE, "%" PRIu64 " B", bytes);
		return buf;
	}
	for (; value >= 1023.95 && unit < 5; unit++)
		value /= 1024;
	significant(buf, value, units[unit]);
	return buf;
}

const char *human_date(char *buf, int64_t epoch_ns)
{
	int64_t ns = epoch_ns % 1000000000;
	time_t seconds = (time_t)(epoch_ns / 1000000000 - (ns < 0));
	struct tm date;
	char day[HUMAN_SIZE / 2 + 8];

	if (ns < 0)
		ns += 1000000000;
	if (!gmtime_r(&seconds, &date) || !strftime(day, sizeof(day), "%Y-%m-%d %H:%M:%S", &date))
		day[0] = '\0';
	snprintf(buf, HUMAN_SIZE, "%.31s.%09d UTC", day, (int)ns);
	return buf;
}

/* Whether a shell takes the text as it is, and no option is seen in it. */
static bool is_plain(const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789/._-+,:@%=";

	return *text && *text != '-' && !text[strspn(text, plain)];
}

const char *human_word(char *buf, size_t size, const char *text)
{
	size_t used = 0;

	if (is_plain(text)) {
		snprintf(buf, size, "%s", text);
		return buf;
	}
	used += (size_t)snprintf(buf, size, "'%s", *text == '-' ? "./" : "");
	for (; *text && used < size; text++)
		used += (size_t)snprintf(buf + used, size - used, *text == '\'' ? "'\\''" : "%c",
					 *text);
	if (used < size)
		used += (size_t)snprintf(buf + used, size - used, "'");
	if (used >= size)
		buf[0] = '\0';
	return buf;
}
