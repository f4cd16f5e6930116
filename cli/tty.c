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

unsigned tty_width(int fd)
{
	struct winsize size;
	const char *columns = getenv("COLUMNS");
	int width = 0;

	if (!tty_is_terminal(fd))
		return 80;
	if (!ioctl(fd, TIOCGWINSZ, &size))
		width = size.ws_col;
	if (!width && columns)
		width = atoi(columns);
	return width >= 20 && width <= 10000 ? (unsigned)width : 80;
}

bool tty_is_dumb(void)
{
	const char *term = getenv("TERM");

	return !term || !*term || !strcmp(term, "dumb");
}

bool tty_color(int fd, enum tty_color wish)
{
	const char *no_color = getenv("NO_COLOR");

	if (wish != TTY_COLOR_AUTO)
		return wish == TTY_COLOR_ALWAYS;
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
