/*
 * What is stored of a process's command line and environment. Both may hold passwords and tokens,
 * and trace files are sent to other people: variables are stored by name, never by prefix, and
 * anything in a command line that looks like a secret is replaced.
 */
#ifndef DP_SPOOL_SECRET_H
#define DP_SPOOL_SECRET_H

#include <stdbool.h>
#include <stddef.h>

#define DP_SECRET_REPLACED "[redacted]"

/* Returns the names of the environment variables that are stored; NULL beyond the end. */
const char *dp_secret__variable(size_t index);

/* Returns true if the first length bytes are one of these names. */
bool dp_secret__may_store(const char *name, size_t length);

/*
 * Writes a command line whose arguments each end with a NUL, as in /proc/PID/cmdline, with the byte
 * `between` between them and DP_SECRET_REPLACED in place of what looks like a secret:
 *   - the value of an option or assignment with the name of one: --token X, api_key=X,
 *     "Authorization: Bearer X", also within an argument, as in JSON or a shell's command;
 *   - user and password in a URL, the password in --user NAME:PASSWORD;
 *   - words with a known form (hf_..., sk-..., ghp_..., AKIA..., JSON Web Tokens), and long ones
 *     that look random.
 * No rule finds every secret; a password among the operands looks like any word.
 *
 * Returns the length of the text, of which at most room - 1 bytes and a NUL are written.
 * Allocates nothing. Cost: linear in bytes.
 */
size_t dp_secret__command(char *out, size_t room, const char *arguments, size_t bytes,
			  char between);

/* Returns true if an option, variable or key with this name is a secret. */
bool dp_secret__is_name(const char *name, size_t length);

/*
 * Returns the length of the token that text (of length bytes) begins with, 0 if none by its looks.
 * before is the preceding byte, or 0. Cost: called for each byte, linear in all.
 */
size_t dp_secret__token(const char *text, size_t length, char before);

#endif
