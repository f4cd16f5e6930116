/* deepprof export: iterations and trace for other programs. */
#include "cmd.h"
#include "output_format.h"
#include "message.h"
#include "analyze_options.h"

#include <string.h>

struct export
{
	struct analyze_options args;
	bool kineto;
};

/* The renderers whose output other programs read. */
static const char *format_name(size_t index)
{
	static const char *const names[] = { "chrome", "perfetto", "sqlite", NULL };

	return names[index];
}

static const char *compat_name(size_t index)
{
	static const char *const names[] = { "kineto", NULL };

	return names[index];
}

static bool set_compat(void *into, const char *value, struct opt_why *why)
{
	((struct export *)into)->kineto = true;
	return true;
}

static const struct opt options[] = {
	{ 0, "format", "FORMAT", "format to write (default: from the -o extension)",
	  common_set_format, format_name },
	{ 0, "compat", "TOOL",
	  "write a timeline as that tool does, with its ProfilerStep ranges over the iterations",
	  set_compat, compat_name },
	ANALYZE_OPTIONS,
	COMMON_INPUT_OPTIONS,
	{ 'o', "output", "FILE",
	  "write to FILE, which must not exist (*.gz: compressed); - is standard output",
	  common_set_output },
	{ 'f', "force", NULL, "overwrite the file that -o names", common_set_force },
	COMMON_MODE_OPTION,
	COMMON_MESSAGE_OPTIONS,
	{ .name = NULL },
};

/* Returns true if a format must not be written to a terminal. */
static bool is_binary(const char *name)
{
	const struct dp_report_format *format;

	for (size_t i = 0; (format = dp_report_format(i)); i++)
		if (!strcmp(format->name, name))
			return format->binary;
	return false;
}

static enum cmd_exit export_file(const struct export *export, const char *path)
{
	struct dp_report_options report = DP_REPORT_OPTIONS_INIT;
	struct dp_analysis *analysis;
	struct dp_trace *trace;
	struct output output;
	bool done;

	report.gzip = common_compresses(&export->args.common);
	report.kineto = export->kineto;
	if (!common_open_output(&export->args.common, &output, false))
		return CMD_FAILED;
	if (is_binary(export->args.common.format) && output_is_terminal(&output)) {
		output_close(&output, false);
		message("export: --format=%s is binary; use -o FILE", export->args.common.format);
		return CMD_USAGE;
	}
	analysis = analyze_file(&export->args, path, &trace);
	done = analysis && analyze_write(&export->args, analysis, path, &report, &output);
	if (analysis) {
		dp_analysis_free(analysis);
		dp_trace_free(trace);
	}
	return output_close(&output, done) && done ? CMD_DONE : CMD_FAILED;
}

static enum cmd_exit run(const struct cmd *cmd, int argc, char **argv)
{
	struct export export = { .args.options = DP_ANALYSIS_OPTIONS_INIT };
	struct common *common = &export.args.common;
	enum cmd_exit status = CMD_DONE;

	common->source.verb = cmd->name;
	if (!cmd_parse(cmd, &export, &argc, &argv, &status))
		return status;
	if (argc > 1) {
		message("export: takes one FILE at a time");
		return CMD_USAGE;
	}
	if (!analyze_options_finish(&export.args, &argc, &argv))
		return CMD_USAGE;
	if (!output_format_choose(FORMAT_EXPORT, common, NULL))
		return CMD_USAGE;
	if (!common->format && export.kineto)
		common->format = "chrome";
	if (!common->format) {
		message("export: choose --format=chrome, perfetto or sqlite");
		return CMD_USAGE;
	}
	if (export.kineto && strcmp(common->format, "chrome") != 0) {
		message("export: --compat requires --format=chrome");
		return CMD_USAGE;
	}
	return export_file(&export, argv[0]);
}

static const struct cmd_example examples[] = {
	{ "deepprof export -o run.json.gz run.sqlite", "a timeline for Perfetto" },
	{ "deepprof export -o run.pftrace run.sqlite", "the same, smaller" },
	{ "deepprof export -o found.sqlite trace.json.gz", "tables for SQL" },
	{ "deepprof export --compat=kineto -o k.json run.db", "add steps for other tools" },
	{ NULL, NULL },
};

const struct cmd cmd_export = {
	.name = "export",
	.summary = "write iterations and trace for other programs",
	.operands = "[FILE]",
	.examples = examples,
	.options = options,
	.notes = "The default FILE is " SOURCE_DEFAULT "; - is standard input.",
	.run = run,
};
