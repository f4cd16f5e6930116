/* What a terminal can show. */
#include "tty.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool tty_is_terminal(int fd)
{
	return isatty(fd) == 1;
}

/* Returns a number from the environment (COLUMNS and LINES in POSIX 8.3); 0 if there is none. */
static unsigned from_environment(const char *name)
{
	const char *text = getenv(name);
	int value = text ? atoi(text) : 0;

	return value >= 20 && value <= 10000 ? (unsigned)value : 0;
}

static bool measure(int fd, struct winsize *size)
{
	return tty_is_terminal(fd) && !ioctl(fd, TIOCGWINSZ, size);
}

unsigned tty_width(int fd)
{
	unsigned width = from_environment("COLUMNS");
	struct winsize size;

	if (!width && measure(fd, &size) && size.ws_col >= 20)
		width = size.ws_col;
	return width ? width : 80;
}

unsigned tty_height(int fd)
{
	unsigned height = from_environment("LINES");
	struct winsize size;

	if (!height && measure(fd, &size))
		height = size.ws_row;
	return height;
}

bool tty_is_dumb(void)
{
	const char *term = getenv("TERM");

	return !term || !*term || !strcmp(term, "dumb");
}

bool tty_color(int fd, enum tty_color when)
{
	const char *no_color = getenv("NO_COLOR");

	if (when != TTY_COLOR_AUTO)
		return when == TTY_COLOR_ALWAYS;
	return tty_is_terminal(fd) && !(no_color && *no_color) && !tty_is_dumb();
}

bool tty_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *locale = getenv(names[i]), *set;

		if (!locale || !*locale)
			continue;
		set = strchr(locale, '.');
		return set && (!strncasecmp(set, ".UTF-8", 6) || !strncasecmp(set, ".UTF8", 5));
	}
	return false;
}
