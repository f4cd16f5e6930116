/* deepprof help: the short form of the man pages, example first. */
#include "cmd.h"
#include "message.h"
#include "pager.h"
#include "tty.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void print_examples(const struct cmd_example *example)
{
	size_t width = 0;

	for (const struct cmd_example *each = example; each->line; each++)
		if (strlen(each->line) > width)
			width = strlen(each->line);
	for (; example->line; example++)
		printf("  %-*s  %s\n", (int)width, example->line, example->what);
}

static void print_help(const struct cmd *cmd)
{
	printf("deepprof %s: %s\n\n", cmd->name, cmd->summary);
	print_examples(cmd->examples);
	printf("\nusage: deepprof %s [OPTION...]%s%s\n\n", cmd->name, *cmd->operands ? " " : "",
	       cmd->operands);
	opt_print(cmd->options);
	if (cmd->notes) {
		putchar('\n');
		opt_print_wrapped(cmd->notes, 0);
	}
	printf("\n'man deepprof%s%s' has the details.\n", strcmp(cmd->name, "help") ? "-" : "",
	       strcmp(cmd->name, "help") ? cmd->name : "");
}

enum cmd_exit cmd_print_help(const struct cmd *cmd)
{
	struct pager pager = PAGER_INIT;

	opt_wrap_at(tty_width(STDOUT_FILENO));
	pager_take_stdout(&pager);
	print_help(cmd);
	/* If the pager failed, the text is shown without it. */
	if (!pager_return_stdout(&pager))
		print_help(cmd);
	return CMD_DONE;
}

void cmd_print_overview(FILE *file)
{
	fputs("deepprof finds the iterations of a GPU program in its trace and reports what\n"
	      "the GPU waited for in each.\n\n"
	      "  deepprof record python train.py    run a program and record it\n"
	      "  deepprof analyze trace.json.gz     report on a trace\n"
	      "  deepprof compare before after      show what got slower or faster\n"
	      "  deepprof info trace.json.gz        show what the trace holds\n\n"
	      "usage: deepprof COMMAND [OPTION...] [FILE...]\n\n",
	      file);
	for (size_t i = 0; cmd_at(i); i++)
		fprintf(file, "  %-9s %s\n", cmd_at(i)->name, cmd_at(i)->summary);
	fputs("\n'deepprof help COMMAND' lists the options of a command, 'deepprof --version'\n"
	      "prints the version, and 'man deepprof' has the details.\n",
	      file);
}

static enum cmd_exit run(const struct cmd *cmd, int argc, char **argv)
{
	enum cmd_exit status = CMD_DONE;
	const struct cmd *other;

	if (!cmd_parse(cmd, NULL, &argc, &argv, &status))
		return status;
	if (!argc) {
		cmd_print_overview(stdout);
		return CMD_DONE;
	}
	if (argc > 1) {
		message("help: takes one command at a time");
		return CMD_USAGE;
	}
	other = cmd_find(argv[0]);
	return other ? cmd_print_help(other) : cmd_unknown(argv[0]);
}

static const struct opt options[] = {
	{ .name = NULL },
};

static const struct cmd_example examples[] = {
	{ "deepprof help", "the commands" },
	{ "deepprof help analyze", "the options of one command" },
	{ NULL, NULL },
};

const struct cmd cmd_help = {
	.name = "help",
	.summary = "show what a command does and its options",
	.operands = "[COMMAND]",
	.examples = examples,
	.options = options,
	.run = run,
};
