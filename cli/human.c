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

/* Bytes of the character at text, which is valid UTF-8. */
static size_t character(const char *text)
{
	size_t n = 1;

	while (((unsigned char)text[n] & 0xc0) == 0x80)
		n++;
	return n;
}

/* C0, DEL, and C1 (U+0080 to U+009F, c2 80 to c2 9f). */
static bool is_control(const char *text)
{
	unsigned char c = (unsigned char)text[0];

	return c < 0x20 || c == 0x7f || (c == 0xc2 && (unsigned char)text[1] < 0xa0);
}

static size_t count_characters(const char *text)
{
	size_t n = 0;

	for (; *text; text += character(text))
		n++;
	return n;
}

const char *human_text(char *buf, size_t size, const char *text, size_t columns, bool ascii)
{
	bool cut = count_characters(text) > columns;
	size_t room = cut && columns > 3 ? columns - 3 : columns, used = 0;

	for (; *text && room; room--) {
		size_t n = character(text);
		bool plain = !is_control(text) && !(ascii && n > 1);

		if (used + (plain ? n : 1) + 4 > size)
			break;
		if (plain)
			memcpy(buf + used, text, n);
		else
			buf[used] = '?';
		used += plain ? n : 1;
		text += n;
	}
	snprintf(buf + used, size - used, "%s", cut && columns > 3 ? "..." : "");
	return buf;
}

/* Past the last "::" that is no part of template arguments or parameters. */
static const char *unqualified(const char *name)
{
	static const char anonymous[] = "(anonymous namespace)";
	const char *base = name;

	while (*name && *name != '<' && (*name != '(' || !strncmp(name, anonymous, 21))) {
		if (*name == '(') {
			name += 21;
		} else if (name[0] == ':' && name[1] == ':') {
			name += 2;
			base = name;
		} else {
			name++;
		}
	}
	return *base ? base : name;
}

const char *human_kernel(char *buf, size_t size, const char *name, size_t columns, bool ascii)
{
	if (!strncmp(name, "void ", 5))
		name += 5;
	if (count_characters(name) > columns)
		name = unqualified(name);
	return human_text(buf, size, name, columns, ascii);
}
