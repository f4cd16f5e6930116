/* What a terminal can show, judged without setlocale(): the library's locale stays the caller's. */
#ifndef DP_CLI_TTY_H
#define DP_CLI_TTY_H

#include <stdbool.h>

enum tty_color { TTY_COLOR_AUTO, TTY_COLOR_ALWAYS, TTY_COLOR_NEVER };

bool tty_is_terminal(int fd);

/*
 * Columns: what COLUMNS says, else those of the terminal on fd; 80 where it is none, so that files
 * do not depend on a window.
 */
unsigned tty_width(int fd);

/* Lines: what LINES says, else those of the terminal on fd; 0 where it is none. */
unsigned tty_height(int fd);

/* True where ANSI escapes are to be written to fd: see https://no-color.org/ for NO_COLOR. */
bool tty_color(int fd, enum tty_color when);

/* True for TERM=dumb and where TERM is not set. */
bool tty_is_dumb(void);

/* True where the environment's locale (LC_ALL, LC_CTYPE, LANG; POSIX 8.2) has UTF-8. */
bool tty_utf8(void);

#endif
