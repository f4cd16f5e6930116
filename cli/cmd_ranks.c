/* deepprof ranks: compares the ranks of a distributed job, and reports which delays it. */
#include "cmd.h"
#include "output_format.h"
#include "message.h"
#include "ranks_read.h"

#include <stdio.h>
#include <stdlib.h>
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
	{ 'j', "jobs", "N", "analyze N files at a time (default: one per core)", set_threads },
	ANALYZE_LOOP_OPTIONS,
	{ 0, "level", "LEVEL", "level of nested loops to report", analyze_set_level,
	  analyze_level_name },
	{ 0, "format", "FORMAT", "report format (default: from the -o extension)",
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
	int status;

	common_look(&ranks->args.common, output, &report);
	status = dp_ranks_write(result, ranks->args.common.format, &report, &sink, &error);
	return output_written(output, status, &error);
}

/* Used if no report lists them. */
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
	if (dp_ranks_matching(result)->unrelated)
		message_warning("ranks: the files may be of different jobs: they share no "
				"collectives, and not all of them state their rank");
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

/* Summaries next to traces are read instead of these. */
static bool overwrites(const struct common *common, const struct ranks_files *files)
{
	bool found = common_overwrites(common, files->count, files->paths);

	for (size_t i = 0; i < files->count && !found; i++) {
		char *summary = ranks_summary_name(files->paths[i]);

		if (!summary)
			message("out of memory");
		found = !summary || common_overwrites(common, 1, &summary);
		free(summary);
	}
	return found;
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
		message("ranks: specify the traces of all ranks, or a folder with them");
		return CMD_USAGE;
	}
	if (!analyze_options_finish(&ranks.args, &argc, &argv))
		return CMD_USAGE;
	if (!output_format_choose(FORMAT_RANKS, &ranks.args.common, NULL))
		return CMD_USAGE;
	status = CMD_FAILED;
	if (ranks_files_find(&files, argc, argv) && !overwrites(&ranks.args.common, &files))
		status = compare_files(&ranks, &files);
	ranks_files_free(&files);
	return status;
}

static const struct cmd_example examples[] = {
	{ "deepprof ranks traces/", "find out which rank holds up the job" },
	{ "deepprof ranks -o job.html traces/", "write a page for a browser" },
	{ "deepprof ranks -o job.json rank*.json.gz", "write everything as JSON" },
	{ NULL, NULL },
};

const struct cmd cmd_ranks = {
	.name = "ranks",
	.summary = "compare the ranks of a distributed job: who is late, and why",
	.operands = "DIR|FILE...",
	.examples = examples,
	.options = options,
	.notes =
		"Each file holds one or several ranks. The number of a rank is the one in its trace, "
		"else in the file name (rank3), else its position in the order of names. Files that "
		"are damaged or belong to another job are reported and excluded. Summaries from "
		"'deepprof reduce' are read instead of their traces.",
	.run = run,
};
