/* deepprof compare: compares two runs of a program and checks limits. */
#include "cmd.h"
#include "output_format.h"
#include "limit.h"
#include "message.h"
#include "analyze_options.h"

#include <stdio.h>
#include <string.h>

enum { LIMITS_MAX = 64, RUNS = 2 };

struct compare {
	struct analyze_options args;
	struct dp_compare_options options;
	size_t loops[RUNS];
	struct limit limits[LIMITS_MAX];
	size_t limits_count;
};

/* The runs, their analyses and the comparison; all of it lives as long as the report. */
struct compared {
	const char *const *names; /* for messages */
	struct dp_trace *traces[RUNS];
	struct dp_analysis *analyses[RUNS];
	struct dp_comparison *comparison;
};

static const char *format_name(size_t index)
{
	const struct dp_report_format *format = dp_comparison_format(index);

	return format ? format->name : NULL;
}

static bool set_confidence(void *into, const char *value, struct opt_why *why)
{
	struct compare *compare = into;
	double percent;

	if (!opt_decimal(&value, &percent) || strcmp(value, "%") != 0 || percent <= 50 ||
	    percent >= 100)
		return opt_refuse(why, "expected a percentage above 50%% and below 100%%");
	compare->options.confidence = percent / 100;
	return true;
}

static bool set_loops(void *into, const char *value, struct opt_why *why)
{
	struct compare *compare = into;
	const char *colon = strchr(value, ':');
	uint64_t before, after;
	char first[32];

	if (!colon || (size_t)(colon - value) >= sizeof(first))
		return opt_refuse(why, "expected BEFORE:AFTER, the numbers of two loops, such as "
				       "0:1");
	snprintf(first, sizeof(first), "%.*s", (int)(colon - value), value);
	if (!opt_count(first, 0, &before, why) || !opt_count(colon + 1, 0, &after, why))
		return false;
	if (before > SIZE_MAX || after > SIZE_MAX)
		return opt_refuse(why, "too large");
	compare->loops[DP_RUN_BEFORE] = (size_t)before;
	compare->loops[DP_RUN_AFTER] = (size_t)after;
	compare->options.loops = compare->loops;
	return true;
}

static bool set_limit(void *into, const char *value, struct opt_why *why)
{
	struct compare *compare = into;

	if (compare->limits_count == LIMITS_MAX)
		return opt_refuse(why, "more than %d limits", LIMITS_MAX);
	return limit_parse(&compare->limits[compare->limits_count++], value, why);
}

static const struct opt options[] = {
	{ .name = "fail-on",
	  .argument = "METRIC=+P%[,...]",
	  .help = "exit with 3 if a metric rises (+) or falls (-) significantly by more than P% or "
		  "an amount, such as iteration_time=+5% or peak_bytes=+64M",
	  .set = set_limit,
	  .list = true },
	{ 0, "confidence", "P%", "confidence of intervals and significance (default: 95%)",
	  set_confidence },
	{ 0, "loops", "BEFORE:AFTER", "compare only this loop of each run, by number",
	  set_loops },
	ANALYZE_OPTIONS,
	{ 0, "format", "FORMAT", "report format (default: from the -o extension)",
	  common_set_format, format_name },
	COMMON_INPUT_OPTIONS,
	COMMON_OUTPUT_OPTIONS,
	COMMON_COLOR_OPTION,
	COMMON_MESSAGE_OPTIONS,
	{ .name = NULL },
};

/* Reads a saved report instead of analyzing a trace. */
static struct dp_analysis *read_report(const char *path)
{
	struct dp_analysis *analysis = NULL;
	struct dp_error error = DP_ERROR_INIT;

	if (!dp_analysis_read(&analysis, path, &error))
		return analysis;
	message_error(&error);
	return NULL;
}

static bool analyze_runs(const struct compare *compare, char *const *paths, struct compared *runs)
{
	for (int run = 0; run < RUNS; run++) {
		if (strcmp(paths[run], "-") != 0 && dp_analysis_is_report(paths[run])) {
			runs->analyses[run] = read_report(paths[run]);
			if (!runs->analyses[run])
				return false;
			continue;
		}
		runs->analyses[run] = analyze_file(&compare->args, paths[run], &runs->traces[run]);
		if (!runs->analyses[run] ||
		    !analyze_has_kernels(runs->traces[run], runs->names[run]))
			return false;
	}
	return true;
}

static bool compare_runs(const struct compare *compare, char *const *paths, struct compared *runs)
{
	struct dp_error error = DP_ERROR_INIT;

	if (!analyze_runs(compare, paths, runs))
		return false;
	if (!dp_comparison_run(&runs->comparison, runs->analyses[DP_RUN_BEFORE],
			       runs->analyses[DP_RUN_AFTER], &compare->options, &error))
		return true;
	message_error(&error);
	return false;
}

static void free_runs(struct compared *runs)
{
	dp_comparison_free(runs->comparison);
	for (int run = 0; run < RUNS; run++) {
		dp_analysis_free(runs->analyses[run]);
		dp_trace_free(runs->traces[run]);
	}
}

static bool has_loops(const struct dp_analysis *analysis)
{
	const struct dp_loop *loop;

	for (size_t i = 0; (loop = dp_analysis_loop(analysis, i)); i++)
		if (loop->selected)
			return true;
	return false;
}

/* Explains why there are no pairs. */
static void explain_no_pairs(char *buf, size_t size, const struct compared *runs)
{
	for (int run = 0; run < RUNS; run++)
		if (!has_loops(runs->analyses[run])) {
			snprintf(buf, size, "no iterations were found in %.200s; try -n or --marks",
				 runs->names[run]);
			return;
		}
	snprintf(buf, size, "the two runs have no similar loops; use --loops to compare any two");
}

static bool write_report(const struct compare *compare, const struct compared *runs,
			 struct output *output)
{
	struct dp_report_options report = DP_REPORT_OPTIONS_INIT;
	const char *format = compare->args.common.format;
	struct dp_sink sink = output_sink(output);
	struct dp_error error = DP_ERROR_INIT;
	int status;

	common_look(&compare->args.common, output, &report);
	report.metrics = compare->args.metrics_count ? compare->args.metrics : NULL;
	report.metrics_count = compare->args.metrics_count;
	status = dp_comparison_write(runs->comparison, format, &report, &sink, &error);
	return output_written(output, status, &error);
}

/* Limits kept in other loops show nothing about the main one. */
static bool is_judged(const struct compared *runs, int run)
{
	size_t main_loop = dp_analysis_main_loop(runs->analyses[run], DP_NONE);
	const struct dp_loop_pair *pair;
	size_t i;

	for (i = 0; (pair = dp_comparison_pair(runs->comparison, i)); i++)
		if (pair->loop[run] == main_loop)
			break;
	/* The first pair has the limits' own verdict. */
	if (pair && (!i || pair->comparable))
		return true;
	message("--fail-on cannot be checked: loop %zu, the main loop of the run %s, has no "
		"counterpart%s; try --loops",
		main_loop, run ? "after" : "before", pair ? " of the same work" : "");
	return false;
}

/* Returns true if standard output has the report that explains why nothing was compared. */
static bool is_explained(const struct common *common)
{
	return !strcmp(common->format, "text") && (!common->output || !strcmp(common->output, "-"));
}

/* Checks all limits, so that one run of a build reports all violations. */
static enum cmd_exit judge(const struct compare *compare, const struct compared *runs)
{
	enum limit_verdict worst = LIMIT_KEPT, verdict;
	char why[400];

	if (!dp_comparison_pair_count(runs->comparison)) {
		explain_no_pairs(why, sizeof(why), runs);
		if (compare->limits_count)
			message("--fail-on cannot be checked: %s", why);
		else if (is_explained(&compare->args.common))
			message("nothing was compared");
		else
			message("nothing was compared: %s", why);
		return CMD_FAILED;
	}
	for (size_t i = 0; i < compare->limits_count; i++) {
		verdict = limit_judge(&compare->limits[i], runs->comparison,
				      compare->args.common.verbosity > 0);
		if (verdict > worst)
			worst = verdict;
	}
	/* The first run's line advises the same as the second's. */
	if (compare->limits_count && !compare->options.loops &&
	    !(is_judged(runs, DP_RUN_BEFORE) && is_judged(runs, DP_RUN_AFTER)) &&
	    worst == LIMIT_KEPT)
		worst = LIMIT_UNKNOWN;
	return worst == LIMIT_CROSSED	? CMD_CROSSED
	       : worst == LIMIT_UNKNOWN ? CMD_FAILED
					: CMD_DONE;
}

static enum cmd_exit compare_files(const struct compare *compare, char *const *paths)
{
	const struct common *common = &compare->args.common;
	const char *names[RUNS];
	struct compared runs = { .names = names };
	enum cmd_exit status = CMD_FAILED;
	struct output output;
	bool done;

	for (int run = 0; run < RUNS; run++)
		names[run] = strcmp(paths[run], "-") != 0 ? paths[run] : "standard input";
	if (!common_open_output(common, &output, true))
		return CMD_FAILED;
	done = compare_runs(compare, paths, &runs);
	done = done && write_report(compare, &runs, &output);
	/* Messages about limits follow the report: on a terminal they appear below it. */
	done = output_close(&output, done) && done;
	if (runs.comparison)
		status = judge(compare, &runs);
	free_runs(&runs);
	return done ? status : CMD_FAILED;
}

/* Rejects operands and options that cannot be right. */
static bool check(const struct compare *compare, int argc, char *const *argv)
{
	if (argc != RUNS) {
		message("compare: expected two traces, BEFORE and AFTER, not %d", argc);
		return false;
	}
	if (!strcmp(argv[0], "-") && !strcmp(argv[1], "-")) {
		message("compare: only one trace can be standard input");
		return false;
	}
	return true;
}

static enum cmd_exit run(const struct cmd *cmd, int argc, char **argv)
{
	struct compare compare = { .args.options = DP_ANALYSIS_OPTIONS_INIT,
				   .args.needs_all = true,
				   .options = DP_COMPARE_OPTIONS_INIT };
	enum cmd_exit status = CMD_DONE;

	compare.args.common.source.verb = cmd->name;
	if (!cmd_parse(cmd, &compare, &argc, &argv, &status))
		return status;
	if (!check(&compare, argc, argv) || !analyze_options_finish(&compare.args, &argc, &argv))
		return CMD_USAGE;
	if (!output_format_choose(FORMAT_COMPARE, &compare.args.common, NULL))
		return CMD_USAGE;
	return compare_files(&compare, argv);
}

static const struct cmd_example examples[] = {
	{ "deepprof compare before.db after.db", "show what changed" },
	{ "deepprof compare --fail-on=iteration_time=+5% a.db b.db", "fail a build" },
	{ NULL, NULL },
};

const struct cmd cmd_compare = {
	.name = "compare",
	.summary = "show what got slower or faster between two runs",
	.operands = "BEFORE AFTER",
	.examples = examples,
	.options = options,
	.notes =
		"Either file may be - (standard input, one only) or a report saved by analyze "
		"--format=json. Their formats may differ. Options such as -n apply to both traces.",
	.run = run,
};
