/* The options of every command that reads a trace and writes a report. */
#ifndef DP_CLI_COMMON_H
#define DP_CLI_COMMON_H

#include "opt.h"
#include "output.h"
#include "source.h"
#include "tty.h"

#include <deepprof/report.h>

/* The first member of a command's own options. */
struct common {
	struct source_options source;
	const char *format;
	const char *output;
	bool force;
	mode_t mode;	   /* of the file, after the umask; 0: owner only */
	bool writes_files; /* even without -o: -f and --mode do not require it */
	bool no_pager;
	enum tty_color color;
	int verbosity; /* of the report and of standard error: 0, 1 and more */
	bool quiet;    /* nothing but errors on standard error, however much the report shows */
};

bool common_set_format(void *into, const char *value, struct opt_why *why);
bool common_set_input_format(void *into, const char *value, struct opt_why *why);
bool common_set_output(void *into, const char *value, struct opt_why *why);
bool common_set_force(void *into, const char *value, struct opt_why *why);
bool common_set_mode(void *into, const char *value, struct opt_why *why);
bool common_set_no_pager(void *into, const char *value, struct opt_why *why);
bool common_set_color(void *into, const char *value, struct opt_why *why);
bool common_set_verbose(void *into, const char *value, struct opt_why *why);
bool common_set_quiet(void *into, const char *value, struct opt_why *why);

const char *common_color_name(size_t index);

/* Returns true if the name after -o ends in .gz, which requests compression. */
bool common_compresses(const struct common *common);

/*
 * Opens the file after -o, or standard output; if pageable, through a pager if that is a terminal
 * and options allow it. Returns false after printing the error.
 */
bool common_open_output(const struct common *common, struct output *output, bool pageable);

/* Rows of an option table. */
#define COMMON_INPUT_OPTIONS                                                 \
	{                                                                    \
		.name = "input-format", .argument = "FORMAT",                \
		.help = "format of the trace (default: from its content)",          \
		.set = common_set_input_format, .choice = source_format_name \
	}
#define COMMON_MODE_OPTION                                                                    \
	{                                                                                     \
		.name = "mode", .argument = "MODE",                                           \
		.help = "permissions of that file, such as 644; the umask applies (default: 600)",          \
		.set = common_set_mode                                                        \
	}
#define COMMON_OUTPUT_OPTIONS                                                              \
	{ 'o', "output", "FILE", "write to FILE, which must not exist; - is standard output", \
	  common_set_output },                                                             \
		{ 'f', "force", NULL, "overwrite the file that -o names", common_set_force },       \
		COMMON_MODE_OPTION,                                                        \
	{                                                                                  \
		.name = "no-pager", .help = "do not use a pager",      \
		.set = common_set_no_pager                                                 \
	}
#define COMMON_COLOR_OPTION                                                         \
	{                                                                           \
		.name = "color", .argument = "WHEN", .help = "when to use colors", \
		.set = common_set_color, .choice = common_color_name                \
	}
#define COMMON_MESSAGE_OPTIONS                                                   \
	{ 'v', "verbose", NULL, "show more; -vv shows everything", common_set_verbose },     \
	{                                                                        \
		'q', "quiet", NULL, "print no warnings and no progress", common_set_quiet \
	}

/* Returns true, after printing the error, if -o names one of the files. */
bool common_overwrites(const struct common *common, size_t count, char *const *files);

/*
 * After parsing, sets the operands, or the default file, and the verbosity. Returns false after
 * printing the error if -o names one of the operands.
 */
bool common_finish(struct common *common, int *argc, char ***argv);

/* Sets the look of a report by the options and its destination. */
void common_look(const struct common *common, const struct output *output,
		 struct dp_report_options *report);

#endif
