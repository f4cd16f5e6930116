/* The commands, each one file cmd_<verb>.c and one entry in the table of main.c. */
#ifndef DP_CLI_CMD_H
#define DP_CLI_CMD_H

#include "opt.h"

#include <stdio.h>

/* What the process ends with. */
enum cmd_exit { CMD_DONE = 0, CMD_FAILED = 1, CMD_USAGE = 2, CMD_CROSSED = 3 };

/* An example of the help text: a command line, and what it is for. */
struct cmd_example {
	const char *line;
	const char *what;
};

struct cmd {
	const char *name;
	const char *summary;		    /* one line, no full stop */
	const char *operands;		    /* "[FILE...]", or "" */
	const struct cmd_example *examples; /* ends with a line of NULL */
	const struct opt *options;	    /* ends with a name of NULL */
	const char *notes;		    /* what the help text ends with, or NULL */
	/* argv[0] is the verb. */
	enum cmd_exit (*run)(const struct cmd *cmd, int argc, char **argv);
	bool command; /* its operands are a command: what follows the first is that command's */
};

extern const struct cmd cmd_record;
extern const struct cmd cmd_analyze;
extern const struct cmd cmd_compare;
extern const struct cmd cmd_ranks;
extern const struct cmd cmd_reduce;
extern const struct cmd cmd_export;
extern const struct cmd cmd_info;
extern const struct cmd cmd_help;

/* The table, NULL beyond the end; a verb's entry, or NULL. */
const struct cmd *cmd_at(size_t index);
const struct cmd *cmd_find(const char *name);

/* For did-you-mean and for lists: the names in the table. */
const char *cmd_name(size_t index);

/* Prints the help text of a command to standard output, on a terminal through the pager. */
enum cmd_exit cmd_print_help(const struct cmd *cmd);

/* The same of the program, to a file. */
void cmd_print_overview(FILE *file);

/* Says that there is no such command, and which one was meant. */
enum cmd_exit cmd_unknown(const char *name);

/*
 * Parses the options of a command into a struct of its own. True to go on: then the operands are
 * argv[0] to argv[*argc - 1]. Returns false if *status is to be returned: help was requested, or
 * the command line is wrong and the error was printed.
 */
bool cmd_parse(const struct cmd *cmd, void *into, int *argc, char ***argv, enum cmd_exit *status);

#endif
