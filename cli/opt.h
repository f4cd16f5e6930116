/*
 * Option tables: one per command. Parsing, the help text and its list of choices all follow from
 * the table, and tests compare man pages and completions with the help text.
 */
#ifndef DP_CLI_OPT_H
#define DP_CLI_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Why a value is rejected: one line, without the option's name. */
struct opt_why {
	char text[2048]; /* enough for the names of all metrics */
};

struct opt {
	char letter; /* 0: none */
	const char *name;
	const char *argument; /* its name in the help text; NULL: none */
	const char *help;
	/*
	 * Returns false with *why set if the value is wrong. value stays valid as long as argv,
	 * and is NULL for an option without one.
	 */
	bool (*set)(void *into, const char *value, struct opt_why *why);
	const char *(*choice)(size_t index); /* the possible values, or NULL: any */
	bool list;	   /* the value is split at commas, and each part is set separately */
	bool hide_choices; /* there are too many for the help text */
};

/*
 * Parses argv[0..argc): sets options, moves operands to the front and counts them in *operands.
 * "--" ends the options, as does the first operand if command is set; "-" is an operand. Returns
 * false with *why set at the first error. At -h or --help, sets *help and stops parsing.
 */
bool opt_parse(const struct opt *options, void *into, int argc, char **argv, bool command,
	       int *operands, bool *help, struct opt_why *why);

/* Sets the width of the following texts, if less than 80 columns: a terminal's. */
void opt_wrap_at(size_t width);

/* Prints the table for the help text. */
void opt_print(const struct opt *options);

/* Prints words in lines, all but the first indented. */
void opt_print_wrapped(const char *text, size_t indent);

/* Sets *why and returns false, so that a setter may return it. */
bool opt_refuse(struct opt_why *why, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Returns the name (NULL ends the names) that was probably meant: it begins with word or is a
 * typing error away; otherwise NULL.
 */
const char *opt_nearest(const char *(*name)(size_t index), const char *word);

/*
 * Read values: a decimal count from least to UINT64_MAX; a time such as "1.5ms"; bytes such as
 * "1.5G" or "512MiB" (K, M, G, T: powers of 1024), at least least. Return false with *why set on
 * error. They ignore the locale.
 */
bool opt_count(const char *text, uint64_t least, uint64_t *count, struct opt_why *why);
bool opt_time(const char *text, int64_t *ns, struct opt_why *why);
bool opt_bytes(const char *text, uint64_t least, uint64_t *bytes, struct opt_why *why);

/*
 * Reads the permissions of a file in octal, such as "640", which must let its owner read and write
 * it; the umask is applied. Call it from the main thread: it reads the umask by setting it.
 */
bool opt_mode(const char *text, mode_t *mode, struct opt_why *why);

/*
 * Reads a decimal number without a sign, such as "12.5", of whose fraction six digits count, and
 * moves *at after it. Returns false if there is none, or one beyond 2^53.
 */
bool opt_decimal(const char **at, double *number);

#endif
