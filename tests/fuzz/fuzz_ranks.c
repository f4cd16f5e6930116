/*
 * The ranks of a job. An input is a Kineto trace for each rank, separated by a line. Output for a
 * terminal must contain nothing that a terminal obeys. A mutation leaves most ranks of a job as
 * they were, so summaries are cached by their bytes.
 */
#define _GNU_SOURCE
#include "fuzz.h"
#include "shown.h"

#include <deepprof/analysis.h>
#include <deepprof/ranks.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define NEXT "\n==== rank\n"

#define HOLDS(condition) \
	((condition) ? (void)0 : (fprintf(stderr, "broken: %s\n", #condition), abort()))

enum { RANKS_MOST = 8 };

extern const struct dp_importer dp_importer__kineto;

static struct dp_summary *make_summary(const uint8_t *data, size_t size, size_t rank)
{
	struct dp_trace *trace = fuzz_trace(&dp_importer__kineto, data, size);
	struct dp_summary_source source = DP_SUMMARY_SOURCE_INIT;
	struct dp_analysis *analysis = NULL;
	struct dp_summary *summary = NULL;
	struct dp_error error = DP_ERROR_INIT;
	char name[32];

	if (!trace)
		return NULL;
	snprintf(name, sizeof(name), "rank%zu.json", rank);
	source.name = name;
	HOLDS(!dp_analysis_run(&analysis, trace, NULL, &error));
	HOLDS(!dp_summary_run(&summary, analysis, &source, &error));
	dp_analysis_free(analysis);
	dp_trace_free(trace);
	return summary;
}

/* The bytes of a rank, and its summary, or NULL if they have none. */
struct kept {
	uint8_t *data;
	size_t size;
	struct dp_summary *summary;
};

/* Returns the summary kept for these bytes, or makes it; valid until the next input. */
static struct dp_summary *summarize(const uint8_t *data, size_t size, size_t rank)
{
	enum { KEPT = 1024 };
	static struct kept all[RANKS_MOST][KEPT];
	struct kept *kept = &all[rank][crc32_z(0, data, size) % KEPT];

	if (kept->data && kept->size == size && !memcmp(kept->data, data, size))
		return kept->summary;
	dp_summary_free(kept->summary);
	free(kept->data);
	kept->summary = make_summary(data, size, rank);
	kept->data = malloc(size + 1);
	HOLDS(kept->data);
	memcpy(kept->data, data, size);
	kept->size = size;
	return kept->summary;
}

static void compare(struct dp_summary *const *summaries, size_t count)
{
	struct dp_report_options options = DP_REPORT_OPTIONS_INIT;
	const struct dp_report_format *format;
	struct dp_error error = DP_ERROR_INIT;
	struct dp_ranks *ranks = NULL;
	int status = dp_ranks_run(&ranks, summaries, count, NULL, &error);

	HOLDS(status == DP_OK || (status == DP_ERR_ARGUMENT && error.message[0] && !ranks));
	options.verbose = true;
	for (size_t i = 0; ranks && (format = dp_ranks_format(i)); i++) {
		static struct fuzz_shown shown;
		struct dp_sink sink = { fuzz_show, &shown };

		HOLDS(!dp_ranks_write(ranks, format->name, &options, &sink, &error));
		HOLDS(shown.length);
		if (!format->binary)
			fuzz_check_shown(&shown);
		shown.length = 0;
	}
	dp_ranks_free(ranks);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dp_summary *summaries[RANKS_MOST];
	size_t count = 0, length = sizeof(NEXT) - 1;

	for (size_t at = 0, rank = 0, end; at < size && rank < RANKS_MOST; at = end + length) {
		const uint8_t *next = memmem(data + at, size - at, NEXT, length);

		end = next ? (size_t)(next - data) : size;
		summaries[count] = summarize(data + at, end - at, rank++);
		count += summaries[count] != NULL;
	}
	if (count)
		compare(summaries, count);
	return 0;
}
