/*
 * Option tables: one per command. Parsing, the help text and its list of choices all come from the
 * table, and the tests hold man pages and completions against what the help text says.
 */
#ifndef DP_CLI_OPT_H
#define DP_CLI_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Why a value can't be taken: one line, without the option's name. */
struct opt_why {
	char text[2048]; /* room for the names of all metrics */
};

struct opt {
	char letter; /* 0: none */
	const char *name;
	const char *argument; /* what help calls it; NULL: the option takes none */
	const char *help;
	/* False with *why set where the value is wrong; value is NULL for an option that takes
	 * none, and stays valid as long as argv. */
	bool (*set)(void *into, const char *value, struct opt_why *why);
	const char *(*choice)(size_t index); /* the values that there are, or NULL: any */
	bool list;	   /* the value is split at commas, and each part is set by itself */
	bool hide_choices; /* they are too many for the help text */
};

/*
 * Goes through argv[0..argc): options are set, operands are moved to the front and counted in
 * *operands. "--" ends the options, as does the first operand where command is set; "-" is an
 * operand. Returns false with *why set at the first
 * thing that is wrong. *help becomes true, and parsing ends, at -h or --help.
 */
bool opt_parse(const struct opt *options, void *into, int argc, char **argv, bool command,
	       int *operands, bool *help, struct opt_why *why);

/* Where the following are narrower than 80 columns, which they are at most: a terminal's. */
void opt_wrap_at(size_t width);

/* Prints the table for the help text. */
void opt_print(const struct opt *options);

/* Prints words in lines, all but the first indented. */
void opt_print_wrapped(const char *text, size_t indent);

/* Sets *why; false, so that a setter may return it. */
bool opt_refuse(struct opt_why *why, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Of the names (NULL ends them) the one that was probably meant: it begins with word or is a
 * typing error away; else NULL.
 */
const char *opt_nearest(const char *(*name)(size_t index), const char *word);

/* Values: a decimal count from least to UINT64_MAX; a time such as "1.5ms"; bytes such as "1.5G" or
 * "512MiB" (K, M, G, T: powers of 1024), not fewer than least; false with *why set otherwise. They
 * do not look at the locale. */
bool opt_count(const char *text, uint64_t least, uint64_t *count, struct opt_why *why);
bool opt_time(const char *text, int64_t *ns, struct opt_why *why);
bool opt_bytes(const char *text, uint64_t least, uint64_t *bytes, struct opt_why *why);

/*
 * The permissions of a file in octal, such as "640", which must let its owner read and write it;
 * the umask takes from it what it has. Call it from the main thread: it looks at the umask by
 * setting it.
 */
bool opt_mode(const char *text, mode_t *mode, struct opt_why *why);

/* A decimal number without a sign, such as "12.5", of whose fraction six digits count; *at is moved
 * behind it. False where there is none, or one beyond 2^53. */
bool opt_decimal(const char **at, double *number);

#endif
