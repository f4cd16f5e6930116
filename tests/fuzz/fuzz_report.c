/*
 * Comparisons of saved reports. An input is one report, which is compared with itself, or two,
 * separated by a line. Output for a terminal must contain nothing that a terminal obeys.
 */
#define _GNU_SOURCE
#include "shown.h"

#include <deepprof/compare.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define AFTER "\n==== after\n"

#define HOLDS(condition) \
	((condition) ? (void)0 : (fprintf(stderr, "broken: %s\n", #condition), abort()))

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct dp_analysis *read_report(const uint8_t *data, size_t size)
{
	struct dp_error error = DP_ERROR_INIT;
	struct dp_analysis *analysis = NULL;
	char path[64];
	int fd = memfd_create("fuzz", MFD_CLOEXEC), status;

	HOLDS(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	status = dp_analysis_read(&analysis, path, &error);
	HOLDS(!status == !!analysis);
	HOLDS(!status || (error.status == status && error.message[0]));
	close(fd);
	return analysis;
}

static void compare(const struct dp_analysis *before, const struct dp_analysis *after)
{
	struct dp_report_options options = DP_REPORT_OPTIONS_INIT;
	struct dp_error error = DP_ERROR_INIT;
	struct dp_comparison *comparison = NULL;
	const struct dp_report_format *format;
	int status = dp_comparison_run(&comparison, before, after, NULL, &error);

	HOLDS(!status && comparison);
	options.verbose = true;
	for (size_t i = 0; (format = dp_comparison_format(i)); i++) {
		static struct fuzz_shown shown;
		struct dp_sink sink = { fuzz_show, &shown };

		status = dp_comparison_write(comparison, format->name, &options, &sink, &error);
		HOLDS(!status && shown.length);
		fuzz_check_shown(&shown);
		shown.length = 0;
	}
	dp_comparison_free(comparison);
}

/* The page shows what a report lacks, too. */
static void show(const struct dp_analysis *analysis)
{
	static struct fuzz_shown shown;
	struct dp_sink sink = { fuzz_show, &shown };
	struct dp_error error = DP_ERROR_INIT;

	HOLDS(!dp_report_write(analysis, "html", NULL, &sink, &error) && shown.length);
	shown.length = 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *line = size ? memmem(data, size, AFTER, sizeof(AFTER) - 1) : NULL;
	size_t first = line ? (size_t)(line - data) : size, skipped = sizeof(AFTER) - 1;
	struct dp_analysis *before = read_report(data, first), *after = NULL;

	if (line)
		after = read_report(line + skipped, size - first - skipped);
	if (before && (after || !line))
		compare(before, line ? after : before);
	if (before)
		show(before);
	dp_analysis_free(before);
	dp_analysis_free(after);
	return 0;
}
