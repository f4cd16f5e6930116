/* deepprof analyze: from trace files to reports. */
#include "cmd.h"
#include "common.h"
#include "message.h"
#include "progress.h"
#include "tty.h"

#include <deepprof/deepprof.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>

enum { LOOPS_MAX = 64, METRICS_MAX = 256 };

struct analyze {
	struct common common;
	struct dp_analysis_options options;
	uint64_t iterations[LOOPS_MAX];
	const char *metrics[METRICS_MAX];
	size_t metrics_count;
	enum tty_color color;
	bool tuned; /* the paper's thresholds were given */
};

static bool set_iterations(void *into, const char *value, struct opt_why *why)
{
	struct analyze *analyze = into;

	if (analyze->options.iterations_count == LOOPS_MAX)
		return opt_refuse(why, "more than %d loops", LOOPS_MAX);
	if (!opt_count(value, 1, &analyze->iterations[analyze->options.iterations_count], why))
		return false;
	analyze->options.iterations_count++;
	return true;
}

static bool set_epsilon(void *into, const char *value, struct opt_why *why)
{
	struct analyze *analyze = into;

	analyze->tuned = true;
	return opt_count(value, 1, &analyze->options.epsilon, why);
}

static bool set_max_unmatched(void *into, const char *value, struct opt_why *why)
{
	struct analyze *analyze = into;

	analyze->tuned = true;
	return opt_count(value, 0, &analyze->options.max_unmatched, why);
}

static bool set_paper(void *into, const char *value, struct opt_why *why)
{
	((struct analyze *)into)->options.paper = true;
	return true;
}

/* Compiled here only to be refused here: with the option's name, before a large file is read. */
static bool set_marks(void *into, const char *value, struct opt_why *why)
{
	regex_t regex;
	int status = regcomp(&regex, value, REG_EXTENDED | REG_NOSUB);
	char text[100];

	if (status) {
		regerror(status, &regex, text, sizeof(text));
		return opt_refuse(why, "%s", text);
	}
	regfree(&regex);
	((struct analyze *)into)->options.marks = value;
	return true;
}

static bool set_ignore_marks(void *into, const char *value, struct opt_why *why)
{
	((struct analyze *)into)->options.ignore_marks = true;
	return true;
}

static const char *level_name(size_t index)
{
	static const char *const names[] = { "default", "outermost", "innermost", NULL };

	return names[index];
}

static bool set_level(void *into, const char *value, struct opt_why *why)
{
	struct analyze *analyze = into;

	analyze->options.level = value[0] == 'o'   ? DP_LEVEL_OUTERMOST
				 : value[0] == 'i' ? DP_LEVEL_INNERMOST
						   : DP_LEVEL_DEFAULT;
	return true;
}

static bool set_id(int64_t *id, const char *value, struct opt_why *why)
{
	uint64_t number;

	if (!opt_count(value, 0, &number, why))
		return false;
	if (number > INT64_MAX)
		return opt_refuse(why, "too large");
	*id = (int64_t)number;
	return true;
}

static bool set_device(void *into, const char *value, struct opt_why *why)
{
	return set_id(&((struct analyze *)into)->options.device, value, why);
}

static bool set_stream(void *into, const char *value, struct opt_why *why)
{
	return set_id(&((struct analyze *)into)->options.stream, value, why);
}

static bool set_range(void *into, const char *value, struct opt_why *why)
{
	struct dp_analysis_options *options = &((struct analyze *)into)->options;
	const char *colon = strchr(value, ':');
	char start[64];

	if (!colon || (size_t)(colon - value) >= sizeof(start))
		return opt_refuse(why, "START:END is needed, as in 1.5s:2s; either may be empty");
	snprintf(start, sizeof(start), "%.*s", (int)(colon - value), value);
	options->range_start_ns = INT64_MIN;
	options->range_end_ns = INT64_MAX;
	if (start[0] && !opt_time(start, &options->range_start_ns, why))
		return false;
	if (colon[1] && !opt_time(colon + 1, &options->range_end_ns, why))
		return false;
	if (options->range_start_ns >= options->range_end_ns)
		return opt_refuse(why, "the range is empty");
	return true;
}

static bool set_batch_size(void *into, const char *value, struct opt_why *why)
{
	return opt_count(value, 1, &((struct analyze *)into)->options.batch_size, why);
}

/* The metrics of an iteration, then those of a summary that are not also of an iteration. */
static const char *metric_name(size_t index)
{
	size_t count = 0;
	const struct dp_metric_info *metric;

	while (dp_metric(count))
		count++;
	metric = index < count ? dp_metric(index) : dp_summary_metric(index - count);
	return metric ? metric->name : NULL;
}

static bool set_metric(void *into, const char *value, struct opt_why *why)
{
	struct analyze *analyze = into;

	if (analyze->metrics_count == METRICS_MAX)
		return opt_refuse(why, "more than %d metrics", METRICS_MAX);
	analyze->metrics[analyze->metrics_count++] = value;
	return true;
}

static const char *format_name(size_t index)
{
	const struct dp_report_format *format = dp_report_format(index);

	return format ? format->name : NULL;
}

static const char *color_name(size_t index)
{
	static const char *const names[] = { "auto", "always", "never", NULL };

	return names[index];
}

static bool set_color(void *into, const char *value, struct opt_why *why)
{
	((struct analyze *)into)->color = !strcmp(value, "auto")     ? TTY_COLOR_AUTO
					  : !strcmp(value, "always") ? TTY_COLOR_ALWAYS
								     : TTY_COLOR_NEVER;
	return true;
}

static const struct opt options[] = {
	{ 'n', "iterations", "N[,N...]",
	  "how many iterations there are, one number per loop; without it they are found unaided",
	  set_iterations, .list = true },
	{ 0, "paper", NULL, "the published algorithm to the letter; needs -n", set_paper },
	{ 0, "epsilon", "E", "with --paper: where its tolerance of -n begins (1)", set_epsilon },
	{ 0, "max-unmatched", "K",
	  "with --paper: operations skipped at most inside an iteration (100)", set_max_unmatched },
	{ 0, "marks", "REGEX", "iterations are the annotations whose names match", set_marks },
	{ 0, "ignore-marks", NULL, "find iterations from kernels, whatever annotations say",
	  set_ignore_marks },
	{ 0, "level", "LEVEL", "of nested loops those shown first", set_level, level_name },
	{ 0, "device", "ID", "this device only", set_device },
	{ 0, "stream", "ID", "this stream instead of the one with most kernels", set_stream },
	{ 0, "range", "START:END",
	  "kernels that start in this time only, as in 1.5s:2s or 300ms:", set_range },
	{ 0, "batch-size", "N", "samples in an iteration, to tell the throughput", set_batch_size },
	{ 0, "metric", "NAME[,NAME...]", "these metrics only; 'deepprof info --build' lists them",
	  set_metric, metric_name, .list = true, .hide_choices = true },
	{ 0, "format", "FORMAT", "of the report", common_set_format, format_name },
	COMMON_INPUT_OPTIONS,
	COMMON_OUTPUT_OPTIONS,
	{ 0, "color", "WHEN", "when to use colours", set_color, color_name },
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

/* Without --format, the name of the file to write may tell it: -o report.json. */
static const char *format_by_extension(const char *path)
{
	const char *dot = path ? strrchr(path, '.') : NULL;
	const struct dp_report_format *format;

	for (size_t i = 0; dot && (format = dp_report_format(i)); i++)
		if (!strcmp(format->extension, dot + 1))
			return format->name;
	return "text";
}

/* Options that contradict each other. */
static const char *contradiction(const struct analyze *analyze)
{
	const struct dp_analysis_options *o = &analyze->options;

	if (o->paper && !o->iterations_count)
		return "--paper needs the number of iterations: -n N";
	if (analyze->tuned && !o->paper)
		return "--epsilon and --max-unmatched belong to --paper";
	if (o->marks && o->iterations_count)
		return "--marks and --iterations exclude each other";
	if (o->marks && o->ignore_marks)
		return "--marks and --ignore-marks exclude each other";
	return NULL;
}

static bool write_report(const struct analyze *analyze, const struct dp_analysis *analysis,
			 const char *path, struct output *output)
{
	struct dp_report_options report = DP_REPORT_OPTIONS_INIT;
	struct dp_sink sink = output_sink(output);
	struct dp_error error = DP_ERROR_INIT;
	int status;

	report.width = tty_width(output->fd);
	report.color = tty_color(output->fd, analyze->color);
	report.ascii = !tty_utf8();
	report.verbose = analyze->common.verbosity > 0;
	report.metrics = analyze->metrics_count ? analyze->metrics : NULL;
	report.metrics_count = analyze->metrics_count;
	status = dp_report_write(analysis, analyze->common.format, &report, &sink, &error);
	/* What went wrong with the output is told where the output is closed. */
	if (!status || output_failed(output))
		return !status;
	if (!error.path[0])
		snprintf(error.path, sizeof(error.path), "%s", path);
	message_error(&error);
	return false;
}

static bool analyze_file(const struct analyze *analyze, const char *path, struct output *output)
{
	struct dp_trace *trace = source_open(path, &analyze->common.source);
	struct dp_analysis *analysis = NULL;
	struct dp_error error = DP_ERROR_INIT;
	bool done = false;

	if (!trace)
		return false;
	progress_step("analyzing");
	if (dp_analysis_run(&analysis, trace, &analyze->options, &error)) {
		if (!error.path[0])
			snprintf(error.path, sizeof(error.path), "%s", path);
		progress_end();
		message_error(&error);
		goto out;
	}
	progress_end();
	done = write_report(analyze, analysis, path, output);
out:
	dp_analysis_free(analysis);
	dp_trace_free(trace);
	return done;
}

/* One report per file. What could be analyzed is written, whatever became of the others. */
static enum cmd_exit analyze_files(const struct analyze *analyze, int count, char **files)
{
	const struct dp_report_format *format = format_by_name(analyze->common.format);
	struct output output;
	int done = 0;
	bool failed;

	if (!output_open(&output, analyze->common.output, analyze->common.force,
			 !analyze->common.no_pager && format && !format->binary))
		return CMD_FAILED;
	if (format && format->binary && output_is_terminal(&output)) {
		output_close(&output, false);
		message("analyze: %s is binary and not for a terminal; use -o FILE", format->name);
		return CMD_USAGE;
	}
	for (int i = 0; i < count && !output_failed(&output); i++)
		done += analyze_file(analyze, files[i], &output);
	/* The reader of a pager may leave before the end: that is no failure. */
	failed = done < count && !output_failed(&output);
	if (!output_close(&output, done > 0) || failed)
		return CMD_FAILED;
	return CMD_DONE;
}

static enum cmd_exit run(const struct cmd *cmd, int argc, char **argv)
{
	struct analyze analyze = { .options = DP_ANALYSIS_OPTIONS_INIT };
	enum cmd_exit status = CMD_DONE;
	const char *why;

	analyze.common.source.verb = cmd->name;
	if (!cmd_parse(cmd, &analyze, &argc, &argv, &status))
		return status;
	why = contradiction(&analyze);
	if (why) {
		message("analyze: %s", why);
		return CMD_USAGE;
	}
	if (!common_finish(&analyze.common, &argc, &argv))
		return CMD_USAGE;
	if (!analyze.common.format)
		analyze.common.format = format_by_extension(analyze.common.output);
	if (analyze.options.iterations_count)
		analyze.options.iterations = analyze.iterations;
	analyze.options.log = message_log();
	return analyze_files(&analyze, argc, argv);
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
	.notes = "Without FILE, " SOURCE_DEFAULT " is read; - is standard input. The format of a "
		 "trace is told by its content, and it may be compressed with gzip.",
	.run = run,
};
