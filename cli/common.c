/* Options shared by the commands. */
#include "common.h"
#include "message.h"

#include <limits.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

bool common_set_format(void *into, const char *value, struct opt_why *why)
{
	((struct common *)into)->format = value;
	return true;
}

bool common_set_input_format(void *into, const char *value, struct opt_why *why)
{
	((struct common *)into)->source.input_format = value;
	return true;
}

bool common_set_output(void *into, const char *value, struct opt_why *why)
{
	((struct common *)into)->output = value;
	return *value || opt_refuse(why, "expected a file name");
}

bool common_set_force(void *into, const char *value, struct opt_why *why)
{
	((struct common *)into)->force = true;
	return true;
}

bool common_set_mode(void *into, const char *value, struct opt_why *why)
{
	return opt_mode(value, &((struct common *)into)->mode, why);
}

bool common_set_no_pager(void *into, const char *value, struct opt_why *why)
{
	((struct common *)into)->no_pager = true;
	return true;
}

const char *common_color_name(size_t index)
{
	static const char *const names[] = { "auto", "always", "never", NULL };

	return names[index];
}

bool common_set_color(void *into, const char *value, struct opt_why *why)
{
	((struct common *)into)->color = !strcmp(value, "auto")	    ? TTY_COLOR_AUTO
					 : !strcmp(value, "always") ? TTY_COLOR_ALWAYS
								    : TTY_COLOR_NEVER;
	return true;
}

bool common_set_verbose(void *into, const char *value, struct opt_why *why)
{
	((struct common *)into)->verbosity++;
	return true;
}

bool common_set_quiet(void *into, const char *value, struct opt_why *why)
{
	((struct common *)into)->quiet = true;
	return true;
}

bool common_compresses(const struct common *common)
{
	size_t length = common->output ? strlen(common->output) : 0;

	return length > 3 && !strcasecmp(common->output + length - 3, ".gz");
}

bool common_open_output(const struct common *common, struct output *output, bool pageable)
{
	return output_open(output, common->output, common->force, common->mode,
			   pageable && !common->no_pager);
}

/* Overwriting an input is never intended. */
bool common_overwrites(const struct common *common, size_t count, char *const *files)
{
	const char *output = common->output;
	struct stat out, in;

	if (!output || !strcmp(output, "-") || stat(output, &out) || !S_ISREG(out.st_mode))
		return false;
	for (size_t i = 0; i < count; i++) {
		int failed =
			strcmp(files[i], "-") != 0 ? stat(files[i], &in) : fstat(STDIN_FILENO, &in);

		if (!failed && in.st_dev == out.st_dev && in.st_ino == out.st_ino) {
			message("%s: -o names a file that is read", output);
			return true;
		}
	}
	return false;
}

bool common_finish(struct common *common, int *argc, char ***argv)
{
	static char default_file[] = SOURCE_DEFAULT;
	static char *defaults[] = { default_file, NULL };

	if (!*argc) {
		*argv = defaults;
		*argc = 1;
	}
	message_level(common->quiet ? -1 : common->verbosity);
	common->source.quiet = common->quiet;
	if (common->force && !common->output && !common->writes_files) {
		message("%s: -f requires -o FILE", common->source.verb);
		return false;
	}
	if (common->mode && !common->output && !common->writes_files) {
		message("%s: --mode requires -o FILE", common->source.verb);
		return false;
	}
	return !common_overwrites(common, (size_t)*argc, *argv);
}

void common_look(const struct common *common, const struct output *output,
		 struct dp_report_options *report)
{
	report->width = tty_width(output->fd);
	report->color = tty_color(output->fd, common->color);
	report->ascii = !tty_utf8();
	report->verbose = common->verbosity > 0;
	report->all = common->verbosity > 1;
	report->gzip = common_compresses(common);
	/* LINES describes a terminal, wherever it comes from: a file gets all lines. */
	report->height = output_is_terminal(output) ? tty_height(output->fd) : UINT_MAX;
}
