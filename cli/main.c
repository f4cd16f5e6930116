/* deepprof: the command table. */
#include "cleanup.h"
#include "cmd.h"
#include "message.h"

#include <deepprof/common.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct cmd *const commands[] = {
	&cmd_record, &cmd_analyze, &cmd_compare, &cmd_ranks,
	&cmd_reduce, &cmd_export,  &cmd_info,	 &cmd_help,
};

const struct cmd *cmd_at(size_t index)
{
	return index < sizeof(commands) / sizeof(commands[0]) ? commands[index] : NULL;
}

const char *cmd_name(size_t index)
{
	const struct cmd *cmd = cmd_at(index);

	return cmd ? cmd->name : NULL;
}

const struct cmd *cmd_find(const char *name)
{
	for (size_t i = 0; cmd_at(i); i++)
		if (!strcmp(cmd_at(i)->name, name))
			return cmd_at(i);
	return NULL;
}

/* Returns the command that other profilers call this, or one with a similar name, or NULL. */
static const char *synonym(const char *name)
{
	static const char *const words[][2] = {
		{ "report", "analyze" }, { "stats", "analyze" },     { "stat", "analyze" },
		{ "view", "analyze" },	 { "show", "analyze" },	     { "profile", "record" },
		{ "run", "record" },	 { "diff", "compare" },	     { "convert", "export" },
		{ "dump", "export" },	 { "version", "--version" },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(words[i][0], name) && (words[i][1][0] == '-' || cmd_find(words[i][1])))
			return words[i][1];
	return opt_nearest(cmd_name, name);
}

enum cmd_exit cmd_unknown(const char *name)
{
	const char *nearest = synonym(name);
	char list[200] = "", word[4096];
	size_t used = 0;

	if (nearest) {
		message("unknown command '%.80s'; did you mean '%s'?", name, nearest);
	} else if (!access(name, F_OK)) {
		message("unknown command '%.80s'; to analyze that file: deepprof analyze %s", name,
			message_word(word, sizeof(word), name));
	} else {
		for (size_t i = 0; cmd_name(i) && used < sizeof(list); i++)
			used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
						 i ? ", " : "", cmd_name(i));
		message("unknown command '%.80s'; choose %s", name, list);
	}
	return CMD_USAGE;
}

bool cmd_parse(const struct cmd *cmd, void *into, int *argc, char ***argv, enum cmd_exit *status)
{
	struct opt_why why = { "" };
	bool help = false;
	int operands;

	if (!opt_parse(cmd->options, into, *argc - 1, *argv + 1, cmd->command, &operands, &help,
		       &why)) {
		message("%s: %s", cmd->name, why.text);
		message("'deepprof help %s' lists the options", cmd->name);
		*status = CMD_USAGE;
		return false;
	}
	if (help) {
		*status = cmd_print_help(cmd);
		return false;
	}
	*argv += 1;
	*argc = operands;
	return true;
}

/* Only a help text was printed, which is still in the buffer: errno is that of its one write. */
static int finish(int status)
{
	if (!fflush(stdout))
		return status;
	if (errno == EPIPE)
		cleanup_die_of_pipe();
	else
		message("standard output: %s", strerror(errno));
	return CMD_FAILED;
}

static int run(int argc, char **argv)
{
	const struct cmd *cmd;
	const char *first = argc > 1 ? argv[1] : NULL;

	if (!first) {
		cmd_print_overview(stderr);
		return CMD_USAGE;
	}
	if (!strcmp(first, "--version") || !strcmp(first, "-V")) {
		printf("deepprof %s\n", dp_version());
		return CMD_DONE;
	}
	if (!strcmp(first, "--help") || !strcmp(first, "-h")) {
		cmd_print_overview(stdout);
		return CMD_DONE;
	}
	if (first[0] == '-' && first[1]) {
		message("unknown option '%.80s'; options follow the command: 'deepprof help'",
			first);
		return CMD_USAGE;
	}
	cmd = cmd_find(first);
	return cmd ? cmd->run(cmd, argc - 1, argv + 1) : cmd_unknown(first);
}

int main(int argc, char **argv)
{
	cleanup_init();
	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	return finish(run(argc, argv));
}
