/* The commands, each one file cmd_<verb>.c and one entry in the table of main.c. */
#ifndef DP_CLI_CMD_H
#define DP_CLI_CMD_H

#include "opt.h"

#include <stdio.h>

/* The exit status of the process. */
enum cmd_exit { CMD_DONE = 0, CMD_FAILED = 1, CMD_USAGE = 2, CMD_CROSSED = 3 };

/* An example of the help text: a command line, and its purpose. */
struct cmd_example {
	const char *line;
	const char *what;
};

struct cmd {
	const char *name;
	const char *summary;		    /* one line, no period */
	const char *operands;		    /* "[FILE...]", or "" */
	const struct cmd_example *examples; /* ends with a line of NULL */
	const struct opt *options;	    /* ends with a name of NULL */
	const char *notes;		    /* the end of the help text, or NULL */
	/* argv[0] is the verb. */
	enum cmd_exit (*run)(const struct cmd *cmd, int argc, char **argv);
	bool command; /* its operands are a command, and the first ends the options */
};

extern const struct cmd cmd_record;
extern const struct cmd cmd_analyze;
extern const struct cmd cmd_compare;
extern const struct cmd cmd_ranks;
extern const struct cmd cmd_reduce;
extern const struct cmd cmd_export;
extern const struct cmd cmd_info;
extern const struct cmd cmd_help;

/* Returns an entry of the table, NULL beyond its end; or a verb's entry, or NULL. */
const struct cmd *cmd_at(size_t index);
const struct cmd *cmd_find(const char *name);

/* Returns the names in the table, for suggestions and lists. */
const char *cmd_name(size_t index);

/* Prints the help text of a command to standard output, through the pager on a terminal. */
enum cmd_exit cmd_print_help(const struct cmd *cmd);

/* Prints the help text of the program to a file. */
void cmd_print_overview(FILE *file);

/* Reports an unknown command, and suggests a similar one. */
enum cmd_exit cmd_unknown(const char *name);

/*
 * Parses the options of a command into its own struct. On success, the operands are argv[0] to
 * argv[*argc - 1]. Returns false if *status must be returned: after printing help or an error.
 */
bool cmd_parse(const struct cmd *cmd, void *into, int *argc, char ***argv, enum cmd_exit *status);

#endif
