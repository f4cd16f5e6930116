/*
 * When a request matches nothing, reports what the trace has instead: devices and streams with
 * kernels, annotations that repeat, loops with other numbers of iterations. Cost: linear in streams
 * and ranges.
 */
#include "analysis_model.h"
#include "base/text.h"
#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

enum {
	NAMED_MOST = 8, /* devices or streams */
	MARKS_MOST = 3,
	MARKS_TRIED = 8,
	/* of a name: MARKS_MOST regexes of MARK_SIZE, their counts and --marks fit in a message */
	MARK_COLUMNS = 40,
	/* a regex of as many characters that all need a backslash, with "^", "[0-9]+" and "$" */
	MARK_SIZE = 2 * MARK_COLUMNS + 16,
};

/* Distinct numbers in order of first appearance. */
struct numbers {
	int64_t list[NAMED_MOST];
	size_t count;
	bool more;
};

static void note(struct numbers *numbers, int64_t id)
{
	if (id < 0)
		return;
	for (size_t i = 0; i < numbers->count; i++)
		if (numbers->list[i] == id)
			return;
	if (numbers->count == NAMED_MOST)
		numbers->more = true;
	else
		numbers->list[numbers->count++] = id;
}

/* ": the only stream with kernels is 7", ": devices with kernels are 1, 2". */
static void say(char *text, size_t size, const char *what, const struct numbers *numbers)
{
	size_t used;

	text[0] = '\0';
	if (!numbers->count)
		return;
	used = (size_t)snprintf(text, size,
				numbers->count == 1 ? ": the only %s with kernels is"
						    : ": %ss with kernels are",
				what);
	for (size_t i = 0; i < numbers->count && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s %lld", i ? "," : "",
					 (long long)numbers->list[i]);
	if (numbers->more && used < size)
		snprintf(text + used, size - used, " and others");
}

int dp_analysis__nothing_wanted(const struct dp_trace *trace,
				const struct dp_analysis_options *options, struct dp_error *error)
{
	struct numbers devices = { .count = 0 }, streams = { .count = 0 };
	const struct dp_stream *stream;
	char there_are[200];

	for (size_t s = 0; (stream = dp_trace_stream(trace, s)); s++) {
		int64_t device = dp_trace_device(trace, stream->device)->id;

		if (!stream->kernels)
			continue;
		note(&devices, device);
		if (options->device < 0 || options->device == device)
			note(&streams, stream->stream);
	}
	if (options->stream >= 0 && streams.count)
		say(there_are, sizeof(there_are), "stream", &streams);
	else
		say(there_are, sizeof(there_are), "device", &devices);
	if (options->device >= 0 && options->stream >= 0)
		return dp_error__set(
			error, DP_ERR_ARGUMENT, "no kernels on stream %lld of device %lld%s",
			(long long)options->stream, (long long)options->device, there_are);
	if (options->device >= 0)
		return dp_error__set(error, DP_ERR_ARGUMENT, "no kernels on device %lld%s",
				     (long long)options->device, there_are);
	if (options->stream >= 0)
		return dp_error__set(error, DP_ERR_ARGUMENT, "no kernels on stream %lld%s",
				     (long long)options->stream, there_are);
	return DP_OK;
}

/* The number of bytes of a name that all names of its key begin with: up to a number in it. */
static size_t plain_length(const char *text, const char *name)
{
	size_t length = 0;

	while (length < MARK_COLUMNS && text[length] && text[length] == name[length] &&
	       (unsigned char)text[length] >= ' ')
		length++;
	return dp_utf8__cut(name, length + 1, length);
}

/*
 * Writes a regex for the first bytes of a name or, if whole, for names that differ in numbers only.
 * It can be quoted for a shell. Returns false if it is too long to be shown.
 */
static bool write_regex(char text[MARK_SIZE], const char *name, size_t length, bool whole)
{
	static const char special[] = ".[]()*+?{}|^$\\", number[] = "[0-9]+", digits[] = "0123456789";
	size_t used = 0;

	if (whole)
		text[used++] = '^';
	for (size_t i = 0; i < length && used + sizeof(number) + 1 < MARK_SIZE; i++) {
		if (whole && strchr(digits, name[i])) {
			used += (size_t)sprintf(text + used, "%s", number);
			i += strspn(name + i, digits) - 1;
			continue;
		}
		if (strchr(special, name[i]))
			text[used++] = '\\';
		/* what neither a shell's quotes nor a terminal shows */
		text[used++] = name[i] == '\'' || (unsigned char)name[i] < ' ' ? '.' : name[i];
	}
	if (whole)
		text[used++] = '$';
	text[used] = '\0';
	return used + sizeof(number) + 1 < MARK_SIZE;
}

/* A name that the key stands for. */
static const char *name_of(const struct dp_range_keys *keys, const struct dp_trace *trace,
			   const struct dp_range_key *key)
{
	for (size_t i = 0; i < keys->strings; i++)
		if (keys->of[i] == key->id)
			return dp_trace_string(trace, (uint32_t)i);
	return "";
}

/* Operators and all other ranges, by name. */
enum { OTHERS, OPERATORS, KINDS };

/* Returns true if these bytes are also in the name of a range that does not have the key. */
static bool is_in_others(const struct dp_range_keys *kinds, int kind, uint32_t key,
			 const struct dp_trace *trace, const char *name, size_t length)
{
	char part[MARK_COLUMNS + 1];

	snprintf(part, sizeof(part), "%.*s", (int)length, name);
	for (size_t i = 0; i < kinds[kind].strings; i++) {
		bool other = kinds[!kind].of[i] != DP_NONE ||
			     (kinds[kind].of[i] != DP_NONE && kinds[kind].of[i] != key);

		if (other && strstr(dp_trace_string(trace, (uint32_t)i), part))
			return true;
	}
	return false;
}

/* Adds ": there are, for example, 'train step ' (20 times), …", or nothing if no range repeats. */
static void say_marks(char *text, size_t size, const struct dp_trace *trace,
		      const struct dp_range_keys *kinds, int kind)
{
	const struct dp_range_keys *keys = &kinds[kind];
	size_t used = 0, listed = 0, tried = 0;
	char regex[MARK_SIZE], number[DP_TEXT_SIZE];

	/* those that take most time are probably iterations: others are inside them */
	for (size_t i = 0; i < keys->count && tried < MARKS_TRIED && listed < MARKS_MOST; i++) {
		const char *name, *key = dp_strings__get(&keys->texts, keys->keys[i].id);
		size_t length;
		bool whole;

		if (keys->keys[i].count < 2)
			continue;
		tried++;
		name = name_of(keys, trace, &keys->keys[i]);
		length = plain_length(key, name);
		/* what is suggested must find these ranges only */
		whole = !length ||
			is_in_others(kinds, kind, keys->keys[i].id, trace, name, length);
		if (!write_regex(regex, name, whole ? strlen(name) : length, whole) || used >= size)
			continue;
		used += (size_t)snprintf(text + used, size - used, "%s '%s' (%s times)",
					 listed++	     ? ","
					 : kind == OPERATORS ? ": operators are, for example,"
							     : ": there are, for example,",
					 regex, dp_text__count(number, keys->keys[i].count));
	}
}

int dp_analysis__no_marks(const struct dp_trace *trace, const char *marks, struct dp_error *error)
{
	struct dp_range_keys kinds[KINDS] = { 0 };
	char there_are[MARKS_MOST * (MARK_SIZE + 40)] = "";
	int status = DP_OK;

	if (!dp_trace_ranges(trace)->count)
		snprintf(there_are, sizeof(there_are), ": the trace has no annotations");
	for (int kind = 0; kind < KINDS && !status; kind++)
		status = dp_range_keys__count(&kinds[kind], trace, kind == OPERATORS);
	for (int kind = 0; kind < KINDS && !there_are[0] && !status; kind++)
		say_marks(there_are, sizeof(there_are), trace, kinds, kind);
	for (int kind = 0; kind < KINDS; kind++)
		dp_range_keys__fini(&kinds[kind]);
	if (status)
		return status;
	return dp_error__set(error, DP_ERR_ARGUMENT,
			     "no range with kernels matches the marks '%.60s'%s", marks, there_are);
}

/* The larger number divided by the smaller one. */
static double ratio(uint64_t a, uint64_t b)
{
	return (double)DP_MAX(a, b) / (double)DP_MIN(a, b);
}

/*
 * The number of iterations found that is nearest to a requested one and not requested itself; 0 if
 * there is none. Loops that reports show by default come first.
 */
static size_t nearest(const struct dp_analysis_options *options, uint64_t wanted,
		      const struct dp_loops *loops)
{
	bool chosen = false;
	size_t best = 0;

	for (size_t l = 0; l < loops->count; l++) {
		const struct dp_sequence_loop *loop = &loops->loops[l];
		size_t complete = dp_loops__whole(loop);

		if (!complete || loop->matches_in_sequence || (chosen && !loop->chosen) ||
		    dp_analysis__is_requested(options, complete))
			continue;
		if (!best || loop->chosen > chosen ||
		    ratio(complete, wanted) < ratio(best, wanted))
			best = complete;
		chosen |= loop->chosen;
	}
	return best;
}

/* Adds what there is instead: "; the nearest has 6; annotations, which -n overrides, mark 5". */
static void add_instead(char *text, size_t size, size_t found, size_t marked)
{
	char number[DP_TEXT_SIZE];
	size_t used = strlen(text);

	if (found)
		used += (size_t)snprintf(text + used, size - used, "; the nearest has %s",
					 dp_text__count(number, found));
	if (marked && marked == found && used < size)
		snprintf(text + used, size - used, ", as many as annotations mark");
	else if (marked && used < size)
		snprintf(text + used, size - used, "; annotations, which -n overrides, mark %s",
			 dp_text__count(number, marked));
}

/* Warns of a number of iterations that no loop has, or that fewer loops have than requested. */
static void missing_count(const struct dp_analysis_options *options, const struct dp_stream *stream,
			  uint64_t wanted, size_t before, const struct dp_loops *loops,
			  size_t marked)
{
	const struct dp_log *log = &options->log;
	char number[DP_TEXT_SIZE], text[200];
	size_t fitting = 0;

	for (size_t l = 0; l < loops->count; l++)
		fitting += dp_loops__whole(&loops->loops[l]) == wanted ||
			   loops->loops[l].matches_in_sequence;
	if (fitting > before || (fitting && !before))
		return;
	dp_text__count(number, wanted);
	if (fitting == before && fitting) {
		dp_log__write(log, DP_LOG_WARNING,
			      "stream %lld has %zu loop%s of %s iterations, fewer than requested",
			      (long long)stream->stream, fitting, fitting == 1 ? "" : "s", number);
	} else if (!fitting && !before) {
		snprintf(text, sizeof(text), "stream %lld has no loop of %s iteration%s",
			 (long long)stream->stream, number, wanted == 1 ? "" : "s");
		add_instead(text, sizeof(text), nearest(options, wanted, loops), marked);
		dp_log__write(log, DP_LOG_WARNING, "%s", text);
	}
}

void dp_analysis__missing_counts(const struct dp_analysis_options *options,
				 const struct dp_stream *stream, const struct dp_loops *loops,
				 size_t marked)
{
	for (size_t i = 0; i < options->iterations_count; i++) {
		size_t before = 0; /* requests of the same number need one loop each */

		for (size_t k = 0; k < i; k++)
			before += options->iterations[k] == options->iterations[i];
		missing_count(options, stream, options->iterations[i], before, loops, marked);
	}
}
