/*
 * When a request matches nothing, reports what the trace has instead: devices and streams with
 * kernels, annotations that repeat, loops with other numbers of iterations. Cost: linear in streams
 * and ranges.
 */
#include "analysis_model.h"
#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

enum {
	NAMED_MOST = 8, /* devices or streams */
	MARKS_MOST = 3,
	MARKS_TRIED = 8,
	MARK_COLUMNS = 32,
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

/* The number of bytes of a name that a regex may use literally: up to the number in it. */
static int plain_length(const char *text, const char *name)
{
	size_t length = 0;

	/* the suggestion works as it is only without characters that are special in a regex */
	while (length < MARK_COLUMNS && text[length] && text[length] == name[length] &&
	       (unsigned char)text[length] >= ' ' && !strchr(".[]()*+?{}|^$\\", text[length]))
		length++;
	return (int)dp_utf8__cut(name, length + 1, length);
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

/* Returns true if the name is listed already: names may differ only in the part not shown. */
static bool is_listed(const char *text, const char *name, int length)
{
	char quoted[MARK_COLUMNS + 3];

	snprintf(quoted, sizeof(quoted), "'%.*s'", length, name);
	return strstr(text, quoted);
}

/* Adds ": there are 'train step ' (20 times), …", or nothing if no range repeats. */
static int say_marks(char *text, size_t size, const struct dp_trace *trace, bool operators)
{
	struct dp_range_keys keys = { 0 };
	int status = dp_range_keys__count(&keys, trace, operators);
	size_t used = 0, listed = 0;

	/* those that take most time are probably iterations: others are inside them */
	for (size_t i = 0; !status && i < DP_MIN(keys.count, MARKS_TRIED) && listed < MARKS_MOST;
	     i++) {
		const char *key = dp_strings__get(&keys.texts, keys.keys[i].id);
		const char *name = name_of(&keys, trace, &keys.keys[i]);
		int length = plain_length(key, name);

		if (keys.keys[i].count < 2 || !length || used >= size ||
		    is_listed(text, name, length))
			continue;
		used += (size_t)snprintf(text + used, size - used, "%s '%.*s' (%zu times)",
					 listed++    ? ","
					 : operators ? ": operators are"
						     : ": there are",
					 length, name, keys.keys[i].count);
	}
	dp_range_keys__fini(&keys);
	return status;
}

int dp_analysis__no_marks(const struct dp_trace *trace, const char *marks, struct dp_error *error)
{
	char there_are[200] = "";
	int status = DP_OK;

	if (!dp_trace_ranges(trace)->count)
		snprintf(there_are, sizeof(there_are), ": the trace has no annotations");
	for (int operators = 0; operators < 2 && !there_are[0] && !status; operators++)
		status = say_marks(there_are, sizeof(there_are), trace, operators);
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
 * there is none.
 */
static size_t nearest(const struct dp_analysis_options *options, uint64_t wanted,
		      const struct dp_loops *loops)
{
	size_t best = 0;

	for (size_t l = 0; l < loops->count; l++) {
		size_t complete = dp_loops__whole(&loops->loops[l]);

		if (!complete || loops->loops[l].matches_in_sequence ||
		    dp_analysis__is_requested(options, complete))
			continue;
		if (!best || ratio(complete, wanted) < ratio(best, wanted))
			best = complete;
	}
	return best;
}

/* Warns of a number of iterations that no loop has, or that fewer loops have than requested. */
static void missing_count(const struct dp_analysis_options *options, const struct dp_stream *stream,
			  uint64_t wanted, size_t before, const struct dp_loops *loops)
{
	const char *plural = wanted == 1 ? "" : "s";
	const struct dp_log *log = &options->log;
	size_t found, fitting = 0;

	for (size_t l = 0; l < loops->count; l++)
		fitting += dp_loops__whole(&loops->loops[l]) == wanted ||
			   loops->loops[l].matches_in_sequence;
	if (fitting > before || (fitting && !before))
		return;
	found = nearest(options, wanted, loops);
	if (fitting == before && fitting)
		dp_log__write(log, DP_LOG_WARNING,
			      "stream %lld has %zu loop%s of %llu iterations, fewer than requested",
			      (long long)stream->stream, fitting, fitting == 1 ? "" : "s",
			      (unsigned long long)wanted);
	else if (!fitting && !before && found)
		dp_log__write(log, DP_LOG_WARNING,
			      "stream %lld has no loop of %llu iteration%s; the nearest has %zu",
			      (long long)stream->stream, (unsigned long long)wanted, plural, found);
	else if (!fitting && !before)
		dp_log__write(log, DP_LOG_WARNING, "stream %lld has no loop of %llu iteration%s",
			      (long long)stream->stream, (unsigned long long)wanted, plural);
}

void dp_analysis__missing_counts(const struct dp_analysis_options *options,
				 const struct dp_stream *stream, const struct dp_loops *loops)
{
	for (size_t i = 0; i < options->iterations_count; i++) {
		size_t before = 0; /* requests of the same number need one loop each */

		for (size_t k = 0; k < i; k++)
			before += options->iterations[k] == options->iterations[i];
		missing_count(options, stream, options->iterations[i], before, loops);
	}
}
