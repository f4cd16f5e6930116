/*
 * Summaries of ranks, and comparisons of them. Each section of an input is tried as a file of its
 * own with a valid checksum, since checksums guard against accidents, not attacks. What can be read
 * must be written with the same bytes, and is compared as a job.
 */
#include "ranks/summary.h"
#include "shown.h"

#include <deepprof/report.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#define HOLDS(condition) \
	((condition) ? (void)0 : (fprintf(stderr, "broken: %s\n", #condition), abort()))

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 16, SECTION_HEAD = 8, SECTIONS = 16 };

struct text {
	unsigned char *bytes;
	size_t size, room;
};

static int collect(void *ctx, const void *data, size_t size)
{
	struct text *text = ctx;

	HOLDS(!dp_array__reserve(&text->bytes, &text->room, text->size + size + 1, 1));
	memcpy(text->bytes + text->size, data, size);
	text->size += size;
	return 0;
}

static void put32(uint8_t *at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

/* A file of one section; NULL if it is refused. */
static struct dp_summary *read_section(const uint8_t *head, const uint8_t *data, size_t size)
{
	struct dp_error error = DP_ERROR_INIT;
	struct dp_summary *summary = NULL;
	struct text again = { NULL, 0, 0 };
	struct dp_sink sink = { collect, &again };
	uint8_t *file = malloc(HEAD + SECTION_HEAD + size);
	int status;

	HOLDS(file);
	memcpy(file, head, HEAD);
	put32(file + HEAD - 4, 1);
	put32(file + HEAD, (uint32_t)size);
	put32(file + HEAD + 4, (uint32_t)crc32_z(crc32_z(0, NULL, 0), data, size));
	memcpy(file + HEAD + SECTION_HEAD, data, size);
	status = dp_summary_read(&summary, file, HEAD + SECTION_HEAD + size, &error);
	HOLDS(!status == !!summary && error.status == status);
	if (summary) {
		HOLDS(!dp_summary_write(&summary, 1, &sink, NULL));
		/* Except for the version, which is the latest. */
		HOLDS(again.size == HEAD + SECTION_HEAD + size &&
		      !memcmp(again.bytes + HEAD, file + HEAD, again.size - HEAD));
	}
	free(again.bytes);
	free(file);
	return summary;
}

static void compare(struct dp_summary *const *summaries, size_t count)
{
	struct dp_report_options options = DP_REPORT_OPTIONS_INIT;
	struct dp_error error = DP_ERROR_INIT;
	const struct dp_report_format *format;
	struct dp_ranks *ranks = NULL;
	int status = dp_ranks_run(&ranks, summaries, count, NULL, &error);

	HOLDS(!status == !!ranks && (!status || status == DP_ERR_ARGUMENT));
	options.verbose = true;
	for (size_t i = 0; ranks && (format = dp_ranks_format(i)); i++) {
		static struct fuzz_shown shown;
		struct dp_sink sink = { fuzz_show, &shown };

		HOLDS(!dp_ranks_write(ranks, format->name, &options, &sink, &error));
		if (!format->binary)
			fuzz_check_shown(&shown);
		shown.length = 0;
	}
	dp_ranks_free(ranks);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dp_summary *summaries[SECTIONS], *whole = NULL;
	size_t count = 0;

	if (!dp_summary_read(&whole, data, size, NULL))
		dp_summary_free(whole);
	for (size_t at = HEAD; at + SECTION_HEAD < size && count < SECTIONS;) {
		size_t length = data[at] | (size_t)data[at + 1] << 8 | (size_t)data[at + 2] << 16;

		length = DP_MIN(length, size - at - SECTION_HEAD);
		summaries[count] = read_section(data, data + at + SECTION_HEAD, length);
		count += summaries[count] != NULL;
		at += SECTION_HEAD + length;
	}
	compare(summaries, count);
	while (count)
		dp_summary_free(summaries[--count]);
	return 0;
}
