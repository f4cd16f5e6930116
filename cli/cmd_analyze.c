/* deepprof analyze: from trace files to reports. */
#include "cmd.h"
#include "output_format.h"
#include "message.h"
#include "analyze_options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct analyze {
	struct analyze_options args;
	bool lines; /* JSON, one document per line */
	bool brief;
};

static bool set_brief(void *into, const char *value, struct opt_why *why)
{
	((struct analyze *)into)->brief = true;
	return true;
}

static const char *format_name(size_t index)
{
	const struct dp_report_format *format = dp_report_format(index);

	return format ? format->name : NULL;
}

static const struct opt options[] = {
	ANALYZE_OPTIONS,
	{ 0, "format", "FORMAT", "report format (default: from the -o extension)",
	  common_set_format, format_name },
	{ 0, "explain", NULL, "show how the iterations were found (text, json)",
	  analyze_set_explain },
	{ 0, "brief", NULL, "limit the report to 20 KB, without iterations (json)", set_brief },
	COMMON_INPUT_OPTIONS,
	COMMON_OUTPUT_OPTIONS,
	COMMON_COLOR_OPTION,
	COMMON_MESSAGE_OPTIONS,
	{ .name = NULL },
};

static const struct dp_report_format *format_by_name(const char *name)
{
	const struct dp_report_format *format;

	for (size_t i = 0; (format = dp_report_format(i)); i++)
		if (!strcmp(format->name, name))
			return format;
	return NULL;
}

static bool has_rows(const struct dp_analysis *analysis)
{
	const struct dp_loop *loop;

	for (size_t i = 0; (loop = dp_analysis_loop(analysis, i)); i++)
		if (loop->selected && loop->iterations)
			return true;
	return false;
}

/* Warns, because a table cannot show why a trace has no rows in it. */
static void tell_no_rows(const struct dp_analysis *analysis, const char *path)
{
	size_t streams = dp_trace_stream_count(dp_analysis_trace(analysis));
	const struct dp_stream_candidate *candidate, *best = NULL;
	char iterations[DP_LABEL_NUMBER_SIZE], length[DP_LABEL_NUMBER_SIZE];

	for (size_t s = 0; s < streams; s++)
		if ((candidate = dp_analysis_candidate(analysis, s)) && candidate->length &&
		    (!best || candidate->confidence >= best->confidence))
			best = candidate;
	if (best) {
		dp_label_count(iterations, sizeof(iterations), best->iterations);
		dp_label_count(length, sizeof(length), best->length);
	}
	/* fewer than three kernels are rarely a layer of a network */
	if (best && best->layers && best->length < 3 && !isfinite(best->confidence))
		message_warning("%s: no rows: %s repetitions of %s kernel%s may be a short loop or "
				"parts of a single pass (see 'deepprof analyze')",
				path, iterations, length, best->length > 1 ? "s" : "");
	else if (best && best->layers)
		message_warning("%s: no rows: %s repetitions of %s kernels look like the layers of "
				"a single pass (see 'deepprof analyze')",
				path, iterations, length);
	else if (best)
		message_warning(
			"%s: no rows: no stable iteration was found; the best candidate has "
			"%s kernels (%.0f%% confidence; see 'deepprof analyze')",
			path, length, best->confidence * 100);
	else
		message_warning("%s: no rows: no kernels repeat often and regularly enough", path);
}

/* *collectives counts traces that have collectives. */
static bool report_file(const struct analyze *analyze, const char *path, bool follows,
			struct output *output, int *collectives)
{
	struct dp_report_options report = DP_REPORT_OPTIONS_INIT;
	struct dp_analysis *analysis;
	struct dp_trace *trace;
	bool done = false;

	analysis = analyze_file(&analyze->args, path, &trace);
	if (!analysis)
		return false;
	if (!analyze_has_kernels(trace, path))
		goto out;
	*collectives += dp_trace_collectives(trace)->count > 0;
	common_look(&analyze->args.common, output, &report);
	report.follows = follows;
	report.brief = analyze->brief;
	if (analyze->lines)
		output_begin_line(output);
	if (!strcmp(analyze->args.common.format, "csv") && !has_rows(analysis))
		tell_no_rows(analysis, path);
	done = analyze_write(&analyze->args, analysis, path, &report, output);
	if (analyze->lines)
		output_end_line(output);
out:
	dp_analysis_free(analysis);
	dp_trace_free(trace);
	return done;
}

/* Writes one report per file, also if others fail. */
static enum cmd_exit report_files(const struct analyze *analyze, int count, char **files)
{
	const struct dp_report_format *format = format_by_name(analyze->args.common.format);
	struct output output;
	int done = 0, collectives = 0;
	bool failed;

	if (!common_open_output(&analyze->args.common, &output, format && !format->binary))
		return CMD_FAILED;
	if (format && format->binary && output_is_terminal(&output)) {
		output_close(&output, false);
		message("analyze: --format=%s is binary; use -o FILE", format->name);
		return CMD_USAGE;
	}
	for (int i = 0; i < count && !output_failed(&output); i++)
		done += report_file(analyze, files[i], done > 0, &output, &collectives);
	/* A pager's reader may quit before the end, which is not a failure. */
	failed = done < count && !output_failed(&output);
	if (!output_close(&output, done > 0) || failed)
		return CMD_FAILED;
	if (collectives > 1 && !analyze->args.common.quiet)
		message("%d of these traces have collectives; if they are ranks of one job, 'deepprof "
			"ranks' on the same files shows which rank waits for which",
			collectives);
	return CMD_DONE;
}

static enum cmd_exit run(const struct cmd *cmd, int argc, char **argv)
{
	struct analyze analyze = { .args.options = DP_ANALYSIS_OPTIONS_INIT };
	const struct dp_report_format *format;
	enum cmd_exit status = CMD_DONE;

	analyze.args.common.source.verb = cmd->name;
	if (!cmd_parse(cmd, &analyze, &argc, &argv, &status))
		return status;
	if (!analyze_options_finish(&analyze.args, &argc, &argv))
		return CMD_USAGE;
	if (!output_format_choose(FORMAT_ANALYZE, &analyze.args.common, &analyze.lines))
		return CMD_USAGE;
	format = format_by_name(analyze.args.common.format);
	if (analyze.args.options.explain && strcmp(analyze.args.common.format, "text") &&
	    strcmp(analyze.args.common.format, "json")) {
		message("analyze: --explain requires --format=text or --format=json");
		return CMD_USAGE;
	}
	if (analyze.brief && strcmp(analyze.args.common.format, "json")) {
		message("analyze: --brief requires --format=json");
		return CMD_USAGE;
	}
	if (argc > 1 && format && format->single) {
		message("analyze: --format=%s takes one FILE at a time", format->name);
		return CMD_USAGE;
	}
	analyze.lines |= argc > 1 && !strcmp(analyze.args.common.format, "json");
	/* Lines are made of the output, which is impossible after compression. */
	if (analyze.lines && common_compresses(&analyze.args.common)) {
		message("analyze: cannot compress JSON lines; pipe the output to gzip");
		return CMD_USAGE;
	}
	return report_files(&analyze, argc, argv);
}

static const struct cmd_example examples[] = {
	{ "deepprof analyze trace.json.gz", "find the iterations and report on them" },
	{ "deepprof analyze -n 500,50 run.sqlite", "500 training steps, 50 of evaluation" },
	{ "deepprof analyze --format=csv run.csv", "one row per iteration" },
	{ NULL, NULL },
};

const struct cmd cmd_analyze = {
	.name = "analyze",
	.summary = "report a trace's iterations and what the GPU waited for",
	.operands = "[FILE...]",
	.examples = examples,
	.options = options,
	.notes = "The default FILE is " SOURCE_DEFAULT "; - is standard input. The format of a "
		 "trace is detected from its content, and it may be compressed with gzip.",
	.run = run,
};
