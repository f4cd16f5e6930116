/* deepprof ranks: all ranks of a distributed job, and who holds it up. */
#include "cmd.h"
#include "output_format.h"
#include "message.h"
#include "ranks_read.h"

#include <stdio.h>
#include <string.h>

struct ranks {
	struct analyze_options args;
	uint64_t threads; /* 0: one per core */
};

static const char *format_name(size_t index)
{
	const struct dp_report_format *format = dp_ranks_format(index);

	return format ? format->name : NULL;
}

static bool set_threads(void *into, const char *value, struct opt_why *why)
{
	return opt_count(value, 1, &((struct ranks *)into)->threads, why);
}

static const struct opt options[] = {
	{ 'j', "jobs", "N", "files that are analyzed at a time (one per core)", set_threads },
	{ 'n', "iterations", "N[,N...]",
	  "how many iterations each rank has; else found from the kernels alone",
	  analyze_set_iterations, .list = true },
	{ 0, "marks", "REGEX", "iterations are the annotations whose names match",
	  analyze_set_marks },
	{ 0, "ignore-marks", NULL, "find iterations from kernels, whatever annotations say",
	  analyze_set_ignore_marks },
	{ 0, "level", "LEVEL", "which of nested loops to report on", analyze_set_level,
	  analyze_level_name },
	{ 0, "format", "FORMAT", "of the report; without it, what the name after -o says",
	  common_set_format, format_name },
	COMMON_INPUT_OPTIONS,
	COMMON_OUTPUT_OPTIONS,
	COMMON_COLOR_OPTION,
	COMMON_MESSAGE_OPTIONS,
	{ .name = NULL },
};

static bool write_result(const struct ranks *ranks, const struct dp_ranks *result,
			 struct output *output)
{
	struct dp_report_options report = DP_REPORT_OPTIONS_INIT;
	struct dp_sink sink = output_sink(output);
	struct dp_error error = DP_ERROR_INIT;

	common_look(&ranks->args.common, output, &report);
	if (!dp_ranks_write(result, ranks->args.common.format, &report, &sink, &error))
		return true;
	/* What went wrong with the output is reported where it is closed. */
	if (!output_failed(output))
		message_error(&error);
	return output_failed(output);
}

/* Without a report that names them. */
static void print_left_out(const struct ranks_summaries *read)
{
	for (size_t i = 0; i < read->left_out_count; i++)
		message("%s: %s", read->left_out[i].file, read->left_out[i].why);
}

static bool compare(const struct ranks *ranks, const struct ranks_summaries *read,
		    struct output *output)
{
	struct dp_ranks_options compared = DP_RANKS_OPTIONS_INIT;
	struct dp_error error = DP_ERROR_INIT;
	struct dp_ranks *result = NULL;
	bool done;

	compared.left_out = read->left_out;
	compared.left_out_count = read->left_out_count;
	if (!read->count) {
		print_left_out(read);
		return false;
	}
	if (dp_ranks_run(&result, read->summaries, read->count, &compared, &error)) {
		message_error(&error);
		return false;
	}
	done = write_result(ranks, result, output);
	dp_ranks_free(result);
	return done;
}

static enum cmd_exit compare_files(const struct ranks *ranks, const struct ranks_files *files)
{
	struct ranks_reading reading;
	struct ranks_summaries read;
	struct output output;
	bool done;

	if (!ranks_reading_init(&reading, &ranks->args, ranks->threads))
		return CMD_FAILED;
	if (!common_open_output(&ranks->args.common, &output, true)) {
		ranks_reading_fini(&reading);
		return CMD_FAILED;
	}
	done = ranks_read(&read, files, &reading, "ranks");
	done = done && compare(ranks, &read, &output);
	done = output_close(&output, done) && done;
	ranks_summaries_free(&read);
	ranks_reading_fini(&reading);
	return done ? CMD_DONE : CMD_FAILED;
}

static enum cmd_exit run(const struct cmd *cmd, int argc, char **argv)
{
	struct ranks ranks = { .args.options = DP_ANALYSIS_OPTIONS_INIT, .args.needs_all = true };
	enum cmd_exit status = CMD_DONE;
	struct ranks_files files;

	ranks.args.common.source.verb = cmd->name;
	if (!cmd_parse(cmd, &ranks, &argc, &argv, &status))
		return status;
	if (!argc) {
		message("ranks: name the folder with the traces of all ranks, or the traces");
		return CMD_USAGE;
	}
	if (!analyze_options_finish(&ranks.args, &argc, &argv))
		return CMD_USAGE;
	if (!output_format_choose(FORMAT_RANKS, &ranks.args.common, NULL))
		return CMD_USAGE;
	status = CMD_FAILED;
	if (ranks_files_find(&files, argc, argv))
		status = compare_files(&ranks, &files);
	ranks_files_free(&files);
	return status;
}

static const struct cmd_example examples[] = {
	{ "deepprof ranks traces/", "who holds the job up" },
	{ "deepprof ranks -o job.html traces/", "a page for a browser" },
	{ "deepprof ranks -o job.json rank*.json.gz", "everything, for programs" },
	{ NULL, NULL },
};

const struct cmd cmd_ranks = {
	.name = "ranks",
	.summary = "compare the ranks of a distributed job: who is late, and why",
	.operands = "DIR|FILE...",
	.examples = examples,
	.options = options,
	.notes = "Each file holds one rank or several. The number of a rank is what its trace states, "
		 "else what the file's name does (rank3), else its place in order of names. Files "
		 "that are damaged or of another job are named and left out. Summaries that "
		 "'deepprof reduce' made are read instead of their traces.",
	.run = run,
};
