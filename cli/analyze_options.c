/* What to analyze, from the command line. */
#include "analyze_options.h"
#include "message.h"
#include "progress.h"

#include <regex.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

bool analyze_set_iterations(void *into, const char *value, struct opt_why *why)
{
	struct analyze_options *args = into;

	if (args->options.iterations_count == ANALYZE_LOOPS_MAX)
		return opt_refuse(why, "more than %d loops", ANALYZE_LOOPS_MAX);
	if (!*value)
		return opt_refuse(why, "expected a number of 1 or more");
	if (!opt_count(value, 1, &args->iterations[args->options.iterations_count], why))
		return false;
	args->options.iterations_count++;
	return true;
}

bool analyze_set_epsilon(void *into, const char *value, struct opt_why *why)
{
	struct analyze_options *args = into;

	args->tuned = true;
	return opt_count(value, 1, &args->options.epsilon, why);
}

bool analyze_set_max_unmatched(void *into, const char *value, struct opt_why *why)
{
	struct analyze_options *args = into;

	args->tuned = true;
	return opt_count(value, 0, &args->options.max_unmatched, why);
}

bool analyze_set_paper(void *into, const char *value, struct opt_why *why)
{
	((struct analyze_options *)into)->options.paper = true;
	return true;
}

/* Compiled only to reject errors early: with the option's name, before a large file is read. */
bool analyze_set_marks(void *into, const char *value, struct opt_why *why)
{
	regex_t regex;
	int status = *value ? regcomp(&regex, value, REG_EXTENDED | REG_NOSUB) : 0;
	char text[100];

	if (!*value)
		return opt_refuse(why, "an empty expression matches everything");
	if (status) {
		regerror(status, &regex, text, sizeof(text));
		return opt_refuse(why, "%s", text);
	}
	regfree(&regex);
	((struct analyze_options *)into)->options.marks = value;
	return true;
}

bool analyze_set_ignore_marks(void *into, const char *value, struct opt_why *why)
{
	((struct analyze_options *)into)->options.ignore_marks = true;
	return true;
}

bool analyze_set_explain(void *into, const char *value, struct opt_why *why)
{
	((struct analyze_options *)into)->options.explain = true;
	return true;
}

const char *analyze_level_name(size_t index)
{
	static const char *const names[] = { "default", "outermost", "innermost", NULL };

	return names[index];
}

bool analyze_set_level(void *into, const char *value, struct opt_why *why)
{
	struct analyze_options *args = into;

	args->options.level = value[0] == 'o'	? DP_LEVEL_OUTERMOST
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

bool analyze_set_device(void *into, const char *value, struct opt_why *why)
{
	return set_id(&((struct analyze_options *)into)->options.device, value, why);
}

bool analyze_set_stream(void *into, const char *value, struct opt_why *why)
{
	return set_id(&((struct analyze_options *)into)->options.stream, value, why);
}

bool analyze_set_range(void *into, const char *value, struct opt_why *why)
{
	struct dp_analysis_options *options = &((struct analyze_options *)into)->options;
	const char *colon = strchr(value, ':');
	char start[64];

	if (!colon || (size_t)(colon - value) >= sizeof(start))
		return opt_refuse(why, "expected START:END, such as 1.5s:2s; either may be empty");
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

bool analyze_set_batch_size(void *into, const char *value, struct opt_why *why)
{
	return opt_count(value, 1, &((struct analyze_options *)into)->options.batch_size, why);
}

/* Reads "3.2T" or "3.2e12" and moves *at after it. */
static bool read_large(const char **at, double *number)
{
	static const char suffixes[] = "kMGTPE";
	const char *suffix;
	double exponent;

	if (!opt_decimal(at, number))
		return false;
	if (**at == 'e') {
		*at += (*at)[1] == '+' ? 2 : 1;
		if (!opt_decimal(at, &exponent))
			return false;
		for (; exponent >= 1 && *number < 1e300; exponent--)
			*number *= 10;
		return *number > 0 && exponent == 0;
	}
	suffix = **at ? strchr(suffixes, **at) : NULL;
	for (const char *s = suffixes; suffix && s <= suffix; s++)
		*number *= 1000;
	*at += suffix != NULL;
	return *number > 0;
}

/*
 * Forward and backward passes take 6 operations for each parameter and token (Kaplan et al.,
 * Scaling Laws for Neural Language Models, section 2.1).
 */
bool analyze_set_flops(void *into, const char *value, struct opt_why *why)
{
	double *flops = &((struct analyze_options *)into)->options.flops;
	double tokens;

	if (!read_large(&value, flops))
		return opt_refuse(why, "expected a number above 0, such as 3.2T or 7G,8192");
	if (!*value)
		return true;
	if (*value++ != ',' || !read_large(&value, &tokens) || *value)
		return opt_refuse(why, "expected a number such as 3.2T or 3.2e12, or PARAMETERS,TOKENS "
				       "such as 7G,8192");
	*flops *= 6 * tokens;
	return true;
}

/* Reads "12.5%" as a share. */
static bool read_percent(const char *text, double *share)
{
	double percent;

	if (!opt_decimal(&text, &percent) || strcmp(text, "%") != 0)
		return false;
	*share = percent / 100;
	return *share > 0 && *share <= 1;
}

/* Returns the rule whose name the value begins with, before a "=". */
static const struct dp_rule_info *rule_of(const char *value)
{
	const struct dp_rule_info *rule;
	size_t length = strcspn(value, "=");

	for (size_t i = 0; (rule = dp_rule(i)); i++)
		if (strlen(rule->id) == length && !memcmp(rule->id, value, length) &&
		    rule->threshold > 0)
			return rule;
	return NULL;
}

/* The rules with a threshold, by index; NULL beyond the last. */
static const char *threshold_rule(size_t index)
{
	const struct dp_rule_info *rule;

	for (size_t i = 0; (rule = dp_rule(i)); i++)
		if (rule->threshold > 0 && !index--)
			return rule->id;
	return NULL;
}

/* Reports a value that begins with the name of no rule that has a threshold. */
static bool refuse_rule(struct opt_why *why, const char *value)
{
	char word[24];
	const char *name;

	snprintf(word, sizeof(word), "%.*s", (int)strcspn(value, "="), value);
	name = opt_nearest(threshold_rule, word);
	if (name)
		return opt_refuse(why,
				  "no rule with a threshold is called '%s'; did you mean '%s'?",
				  word, name);
	return opt_refuse(why,
			  "no rule with a threshold is called '%s'; 'deepprof info --build' "
			  "lists them",
			  word);
}

bool analyze_set_threshold(void *into, const char *value, struct opt_why *why)
{
	struct analyze_options *args = into;
	const struct dp_rule_info *rule = rule_of(value);
	struct dp_threshold *threshold;

	if (args->options.thresholds_count == ANALYZE_THRESHOLDS_MAX)
		return opt_refuse(why, "more than %d thresholds", ANALYZE_THRESHOLDS_MAX);
	if (!rule && strchr(value, '='))
		return refuse_rule(why, value);
	if (!rule)
		return opt_refuse(why, "expected RULE=P%% and a rule with a threshold, such as "
				       "host-bound=10%%");
	threshold = &args->thresholds[args->options.thresholds_count++];
	threshold->rule = rule->id;
	if (!read_percent(value + strcspn(value, "=") + (value[strcspn(value, "=")] == '='),
			  &threshold->share))
		return opt_refuse(why,
				  "expected a percentage above 0 and at most 100%%, such as "
				  "%s=10%%",
				  rule->id);
	return true;
}

bool analyze_set_metric(void *into, const char *value, struct opt_why *why)
{
	struct analyze_options *args = into;

	if (args->metrics_count == ANALYZE_METRICS_MAX)
		return opt_refuse(why, "more than %d metrics", ANALYZE_METRICS_MAX);
	args->metrics[args->metrics_count++] = value;
	return true;
}

/* Reports options that contradict each other. */
static const char *contradiction(const struct analyze_options *args)
{
	const struct dp_analysis_options *o = &args->options;

	if (o->paper && !o->iterations_count)
		return "--paper requires the number of iterations: -n N";
	if (args->tuned && !o->paper)
		return "--epsilon and --max-unmatched require --paper";
	if (o->marks && o->iterations_count)
		return "--marks and --iterations cannot be combined";
	if (o->marks && o->ignore_marks)
		return "--marks and --ignore-marks cannot be combined";
	return NULL;
}

static bool is_file(const char *path)
{
	struct stat info;

	return !stat(path, &info) && S_ISREG(info.st_mode);
}

/*
 * Returns true if the expression of --marks was probably left out, and is the trace's name. With a
 * default trace, it may as well be an expression that a file happens to have as its name.
 */
static bool marks_is_file(const struct analyze_options *args, int argc)
{
	return args->options.marks && !argc && is_file(args->options.marks) &&
	       !is_file(SOURCE_DEFAULT);
}

bool analyze_options_finish(struct analyze_options *args, int *argc, char ***argv)
{
	const char *why = contradiction(args);

	if (marks_is_file(args, *argc)) {
		message("%s: --marks needs a regular expression before the file: "
			"--marks=REGEX %s",
			args->common.source.verb, args->options.marks);
		return false;
	}
	if (why) {
		message("%s: %s", args->common.source.verb, why);
		return false;
	}
	if (!common_finish(&args->common, argc, argv))
		return false;
	if (args->options.iterations_count)
		args->options.iterations = args->iterations;
	if (args->options.thresholds_count)
		args->options.thresholds = args->thresholds;
	args->options.log = message_log();
	return true;
}

struct dp_analysis *analyze_file(const struct analyze_options *args, const char *path,
				 struct dp_trace **trace)
{
	struct dp_analysis_options options = args->options;
	struct dp_analysis *analysis = NULL;
	struct dp_error error = DP_ERROR_INIT;

	/* A CSV report has only metrics; others have findings, which need all metrics. */
	if (args->metrics_count && !args->needs_all && !strcmp(args->common.format, "csv")) {
		options.metrics = args->metrics;
		options.metrics_count = args->metrics_count;
	}
	*trace = source_open(path, &args->common.source);
	if (!*trace)
		return NULL;
	progress_step("analyzing");
	/* Warnings of the import must not suppress those of the analysis. */
	message_subject(path);
	if (dp_analysis_run(&analysis, *trace, &options, &error)) {
		if (!error.path[0])
			snprintf(error.path, sizeof(error.path), "%s", path);
		progress_end();
		message_error(&error);
		dp_trace_free(*trace);
		*trace = NULL;
		return NULL;
	}
	progress_end();
	message_tell_hidden();
	return analysis;
}

bool analyze_has_kernels(const struct dp_trace *trace, const char *path)
{
	const struct dp_stream *stream;
	bool sets = false;

	for (size_t i = 0; (stream = dp_trace_stream(trace, i)); i++) {
		if (stream->kernels)
			return true;
		sets |= stream->memsets > 0;
	}
	message("%s: no kernels, only copies%s ('deepprof info' shows them)", path,
		sets ? " and memsets" : "");
	return false;
}

bool analyze_write(const struct analyze_options *args, const struct dp_analysis *analysis,
		   const char *path, const struct dp_report_options *options, struct output *output)
{
	struct dp_report_options report = *options;
	struct dp_sink sink = output_sink(output);
	struct dp_error error = DP_ERROR_INIT;
	int status;

	report.metrics = args->metrics_count ? args->metrics : NULL;
	report.metrics_count = args->metrics_count;
	status = dp_report_write(analysis, args->common.format, &report, &sink, &error);
	/* Errors of the output are reported when it is closed. */
	if (!status || output_failed(output))
		return !status;
	if (!error.path[0])
		snprintf(error.path, sizeof(error.path), "%s", path);
	message_error(&error);
	return false;
}
