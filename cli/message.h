/* Messages on standard error: one line at a time, safe to show. */
#ifndef DP_CLI_MESSAGE_H
#define DP_CLI_MESSAGE_H

#include <deepprof/common.h>

/*
 * Prints "deepprof: …". Unsafe characters (utf8.h) are shown as '?'. Clears a progress line first.
 */
void message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Does the same for an error of the library. */
void message_error(const struct dp_error *error);

/* Sets which messages are shown: -1 quiet, 0, 1 verbose, 2 debug. */
void message_level(int level);
void message_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Sets the file that the library's log is about, which each line names. Borrows the path. Resets
 * what was logged.
 */
void message_subject(const char *path);

/*
 * Returns the library's log on standard error, by level. Shows only the first warning of each file,
 * unless verbose.
 */
struct dp_log message_log(void);

/* Return the number of the log's hidden warnings about this file; print a line about them. */
unsigned message_hidden(void);
void message_tell_hidden(void);

/* Quotes text as a word of a shell's command line if needed. Returns "" if there is no room. */
const char *message_word(char *buf, size_t size, const char *text);

#endif
