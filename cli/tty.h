/* What a terminal can show, without setlocale(): the process's locale stays unchanged. */
#ifndef DP_CLI_TTY_H
#define DP_CLI_TTY_H

#include <stdbool.h>

enum tty_color { TTY_COLOR_AUTO, TTY_COLOR_ALWAYS, TTY_COLOR_NEVER };

bool tty_is_terminal(int fd);

/*
 * Returns the columns: COLUMNS, or those of the terminal on fd; 80 if it is not a terminal, so that
 * files do not depend on a window.
 */
unsigned tty_width(int fd);

/* Returns the lines: LINES, or those of the terminal on fd; 0 if it is not a terminal. */
unsigned tty_height(int fd);

/* Returns true if ANSI escapes should be written to fd: see https://no-color.org/ for NO_COLOR. */
bool tty_color(int fd, enum tty_color when);

/* Returns true if TERM is dumb or not set. */
bool tty_is_dumb(void);

/* Returns true if the environment's locale (LC_ALL, LC_CTYPE, LANG; POSIX 8.2) has UTF-8. */
bool tty_utf8(void);

#endif
