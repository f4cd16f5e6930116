/* deepprof info: reports what a trace contains, without analyzing it. */
#include "cmd.h"
#include "common.h"
#include "output_format.h"
#include "info.h"
#include "message.h"
#include "progress.h"

#include <stdio.h>
#include <string.h>

struct info_options {
	struct common common;
	uint64_t top;
	bool build;
	bool lines; /* JSON, one document per line */
};

static bool set_build(void *into, const char *value, struct opt_why *why)
{
	((struct info_options *)into)->build = true;
	return true;
}

static bool set_top(void *into, const char *value, struct opt_why *why)
{
	return opt_count(value, 0, &((struct info_options *)into)->top, why);
}

static const char *format_name(size_t index)
{
	const struct dp_report_format *format = dp_trace_info_format(index);

	return format ? format->name : NULL;
}

static const struct opt options[] = {
	{ 0, "build", NULL,
	  "show the version, libraries, formats, metrics and rules of this program",
	  set_build },
	{ 0, "top", "N", "list the N kernels with the most total time (default: 10)", set_top },
	{ 0, "format", "FORMAT", "output format (default: from the -o extension)",
	  common_set_format, format_name },
	COMMON_INPUT_OPTIONS,
	COMMON_OUTPUT_OPTIONS,
	COMMON_MESSAGE_OPTIONS,
	{ .name = NULL },
};

static bool write_trace(const struct info_options *args, const struct dp_trace *trace,
			struct output *output)
{
	struct dp_report_options report = DP_REPORT_OPTIONS_INIT;
	struct dp_sink sink = output_sink(output);
	struct dp_error error = DP_ERROR_INIT;
	int status;

	common_look(&args->common, output, &report);
	report.top = (size_t)args->top;
	status = dp_trace_info_write(trace, args->common.format, &report, &sink, &error);
	if (status && !error.path[0])
		snprintf(error.path, sizeof(error.path), "%s", dp_trace_path(trace));
	return output_written(output, status, &error);
}

static bool info_file(const struct info_options *args, const char *path, struct output *output)
{
	struct dp_trace *trace = source_open(path, &args->common.source);
	bool done;

	progress_end();
	if (!trace)
		return false;
	if (args->lines)
		output_begin_line(output);
	done = write_trace(args, trace, output);
	if (args->lines)
		output_end_line(output);
	dp_trace_free(trace);
	return done;
}

static enum cmd_exit run_build(const struct info_options *args)
{
	struct output output;

	if (!common_open_output(&args->common, &output, true))
		return CMD_FAILED;
	if (!strcmp(args->common.format, "json"))
		info_build_json(&output);
	else
		info_build_text(&output);
	return output_close(&output, true) ? CMD_DONE : CMD_FAILED;
}

static enum cmd_exit run_files(const struct info_options *args, int count, char **files)
{
	struct output output;
	int done = 0;

	if (!common_open_output(&args->common, &output, true))
		return CMD_FAILED;
	for (int i = 0; i < count && !output_failed(&output); i++) {
		if (done && strcmp(args->common.format, "json"))
			output_print(&output, "\n");
		done += info_file(args, files[i], &output);
	}
	if (output_failed(&output))
		done = count;
	return output_close(&output, done > 0) && done == count ? CMD_DONE : CMD_FAILED;
}

static enum cmd_exit run(const struct cmd *cmd, int argc, char **argv)
{
	struct info_options args = { .top = 10 };
	enum cmd_exit status = CMD_DONE;

	args.common.source.verb = cmd->name;
	args.common.source.allow_no_gpu = true;
	if (!cmd_parse(cmd, &args, &argc, &argv, &status))
		return status;
	if (common_compresses(&args.common)) {
		message("%s: info cannot write compressed files; pipe the output to gzip",
			args.common.output);
		return CMD_USAGE;
	}
	if (!output_format_choose(FORMAT_INFO, &args.common, &args.lines))
		return CMD_USAGE;
	if (args.build && argc) {
		message("info: --build takes no FILE");
		return CMD_USAGE;
	}
	if (args.build)
		return run_build(&args);
	if (!common_finish(&args.common, &argc, &argv))
		return CMD_USAGE;
	args.lines = (args.lines || argc > 1) && !strcmp(args.common.format, "json");
	return run_files(&args, argc, argv);
}

static const struct cmd_example examples[] = {
	{ "deepprof info trace.json.gz", "show what the trace holds" },
	{ "deepprof info --format=json trace.sqlite", "show the same for programs" },
	{ "deepprof info --build", "show what this deepprof supports" },
	{ NULL, NULL },
};

const struct cmd cmd_info = {
	.name = "info",
	.summary = "show what a trace holds without analyzing it",
	.operands = "[FILE...]",
	.examples = examples,
	.options = options,
	.notes = "The default FILE is " SOURCE_DEFAULT "; - is standard input.",
	.run = run,
};
