/* What the program says on standard error: one line at a time, safe to show. */
#ifndef DP_CLI_MESSAGE_H
#define DP_CLI_MESSAGE_H

#include <deepprof/common.h>

/*
 * "deepprof: …". What is not safe to show (utf8.h) is shown as '?'. A progress line is cleared
 * first.
 */
void message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same for an error of the library. */
void message_error(const struct dp_error *error);

/* Warnings can be turned off, and more can be turned on: -1 quiet, 0, 1 verbose, 2 debug. */
void message_level(int level);
void message_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * The file that the library's log is of from now on; it is named in each line. Keeps the path. What
 * was logged is forgotten.
 */
void message_subject(const char *path);

/*
 * The library's log on standard error, by level. Of warnings only the first of each file, unless
 * verbose.
 */
struct dp_log message_log(void);

/* How many of the log's warnings on this file were not shown; and a line that says so, if any. */
unsigned message_hidden(void);
void message_tell_hidden(void);

/* text as a word of a shell's command line: quoted where it must be. "" where there is no room. */
const char *message_word(char *buf, size_t size, const char *text);

#endif
