/*
 * Summary files: sections in order, each with its length and a checksum. Merging joins the sections
 * of all files: in whatever order files are merged, the same sections give the same bytes.
 */
#include "ranks/summary.h"

#include <deepprof/report.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

/* Like PNG's: bytes that no text begins with, and that a transfer as text changes. */
static const unsigned char magic[8] = { 0x89, 'd', 'p', 's', 'u', 'm', '\r', '\n' };

/* Version 1 lacks how long calls were queued, which is then unknown. Others are refused. */
enum { VERSION = 4 };

/* Magic, version, number of sections; length and checksum of one. Integers are little-endian. */
enum { HEAD = 16, SECTION_HEAD = 8 };

static void put32(unsigned char *at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		at[i] = (unsigned char)(value >> 8 * i);
}

static uint32_t get32(const unsigned char *at)
{
	return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static uint32_t checksum(const unsigned char *bytes, size_t size)
{
	return (uint32_t)crc32_z(crc32_z(0, NULL, 0), bytes, size);
}

int dp_section__compare(const struct dp_section *a, const struct dp_section *b)
{
	if (a->size != b->size)
		return a->size < b->size ? -1 : 1;
	return memcmp(a->bytes, b->bytes, a->size);
}

int dp_section__init(struct dp_section *section, unsigned char *bytes, size_t size)
{
	struct dp_file_summary file;
	int status;

	*section = (struct dp_section){ bytes, size, DP_SUMMARY_SOURCE_INIT };
	status = dp_summary__unpack(&file, bytes, size);
	if (!status)
		section->source = file.source;
	dp_file_summary__fini(&file);
	return status;
}

/* Reads the section in at most *size bytes; *size becomes its length with its head. */
static int read_section(struct dp_section *section, const unsigned char *bytes, size_t *size)
{
	unsigned char *copy;
	size_t length;

	if (*size < SECTION_HEAD)
		return DP_ERR_DAMAGED;
	length = get32(bytes);
	if (length > *size - SECTION_HEAD ||
	    checksum(bytes + SECTION_HEAD, length) != get32(bytes + 4))
		return DP_ERR_DAMAGED;
	copy = dp_alloc__array(length, 1);
	if (!copy)
		return DP_ERR_NOMEM;
	memcpy(copy, bytes + SECTION_HEAD, length);
	*size = length + SECTION_HEAD;
	return dp_section__init(section, copy, length);
}

/* Reads all sections, which must be sorted and unique, with nothing behind them. */
static int read_sections(struct dp_summary *summary, const unsigned char *bytes, size_t size)
{
	size_t count = get32(bytes + 12), at = HEAD;
	int status = DP_OK;

	if (count > (size - at) / SECTION_HEAD)
		return DP_ERR_DAMAGED;
	summary->sections = dp_alloc__array(count + 1, sizeof(*summary->sections));
	if (!summary->sections)
		return DP_ERR_NOMEM;
	while (summary->count < count && !status) {
		struct dp_section *section = &summary->sections[summary->count];
		size_t length = size - at;

		*section = (struct dp_section){ NULL, 0, DP_SUMMARY_SOURCE_INIT };
		status = read_section(section, bytes + at, &length);
		summary->count++;
		at += length;
		if (!status && summary->count > 1 && dp_section__compare(section - 1, section) >= 0)
			status = DP_ERR_DAMAGED;
	}
	return !status && at < size ? DP_ERR_DAMAGED : status;
}

int dp_summary_read(struct dp_summary **summary, const void *bytes, size_t size,
		    struct dp_error *error)
{
	struct dp_summary *made;
	uint32_t version;
	int status;

	if (size < sizeof(magic) || memcmp(bytes, magic, sizeof(magic)) != 0)
		return dp_error__set(error, DP_ERR_FORMAT, "not a summary of ranks");
	if (size < HEAD)
		return dp_error__set(error, DP_ERR_DAMAGED, "the summary is damaged");
	version = get32((const unsigned char *)bytes + 8);
	if (!version || version > VERSION)
		return dp_error__set(error, DP_ERR_UNSUPPORTED,
				     "a summary of version %u; versions 1 to %d can be read",
				     version, VERSION);
	made = dp_alloc__zeroed(1, sizeof(*made));
	status = made ? read_sections(made, bytes, size) : DP_ERR_NOMEM;
	if (status) {
		dp_summary_free(made);
		return status == DP_ERR_NOMEM
			       ? dp_error__nomem(error, 0)
			       : dp_error__set(error, status, "the summary is damaged");
	}
	*summary = made;
	return DP_OK;
}

/* Reads the whole file; one that changes its size meanwhile is damaged. */
static int load(unsigned char **bytes, size_t *size, const char *path, struct dp_error *error)
{
	FILE *file = fopen(path, "rb");
	size_t room = 0;
	int status = DP_OK;

	*bytes = NULL;
	*size = 0;
	if (!file)
		return dp_error__system(error, NULL);
	while (!status && !feof(file) && !ferror(file)) {
		if (dp_array__reserve(bytes, &room, *size + 65536, 1))
			status = dp_error__nomem(error, *size);
		else
			*size += fread(*bytes + *size, 1, room - *size, file);
		/* a file that is no summary, however large, is not read further */
		if (*size >= sizeof(magic) && memcmp(*bytes, magic, sizeof(magic)) != 0)
			break;
	}
	if (!status && ferror(file))
		status = dp_error__system(error, NULL);
	fclose(file);
	return status;
}

int dp_summary_open(struct dp_summary **summary, const char *path, struct dp_error *error)
{
	struct dp_error why = DP_ERROR_INIT;
	unsigned char *bytes;
	size_t size;
	int status = load(&bytes, &size, path, &why);

	if (!status)
		status = dp_summary_read(summary, bytes, size, &why);
	free(bytes);
	if (status) {
		dp_error__where(&why, path, NULL, 0, 0);
		if (error && !error->status)
			*error = why;
	}
	return status;
}

/* Only of a regular file: a pipe would lack what was read of it, or never have a writer. */
bool dp_summary_is_summary(const char *path)
{
	unsigned char head[sizeof(magic)];
	struct stat info;
	FILE *file = !stat(path, &info) && S_ISREG(info.st_mode) ? fopen(path, "rb") : NULL;
	bool is = file && fread(head, 1, sizeof(head), file) == sizeof(head) &&
		  !memcmp(head, magic, sizeof(magic));

	if (file)
		fclose(file);
	return is;
}

const struct dp_summary_source *dp_summary_source(const struct dp_summary *summary, size_t index)
{
	return index < summary->count ? &summary->sections[index].source : NULL;
}

static int compare_sections(const void *a, const void *b)
{
	return dp_section__compare(*(const struct dp_section *const *)a,
				   *(const struct dp_section *const *)b);
}

int dp_summaries__list(const struct dp_section ***sections, size_t *count,
		       struct dp_summary *const *summaries, size_t summary_count)
{
	const struct dp_section **listed;
	size_t all = 0, kept = 0;

	for (size_t i = 0; i < summary_count; i++)
		all += summaries[i]->count;
	listed = dp_alloc__array(all + 1, sizeof(*listed));
	if (!listed)
		return DP_ERR_NOMEM;
	all = 0;
	for (size_t i = 0; i < summary_count; i++)
		for (size_t k = 0; k < summaries[i]->count; k++)
			listed[all++] = &summaries[i]->sections[k];
	if (all)
		qsort(listed, all, sizeof(*listed), compare_sections);
	for (size_t i = 0; i < all; i++)
		if (!kept || dp_section__compare(listed[kept - 1], listed[i]))
			listed[kept++] = listed[i];
	*sections = listed;
	*count = kept;
	return DP_OK;
}

static int write_sections(const struct dp_section *const *sections, size_t count,
			  const struct dp_sink *sink)
{
	unsigned char head[HEAD];
	int stopped;

	memcpy(head, magic, sizeof(magic));
	put32(head + 8, VERSION);
	put32(head + 12, (uint32_t)count);
	stopped = sink->write(sink->ctx, head, sizeof(head));
	for (size_t i = 0; i < count && !stopped; i++) {
		put32(head, (uint32_t)sections[i]->size);
		put32(head + 4, checksum(sections[i]->bytes, sections[i]->size));
		stopped = sink->write(sink->ctx, head, SECTION_HEAD);
		if (!stopped)
			stopped = sink->write(sink->ctx, sections[i]->bytes, sections[i]->size);
	}
	return stopped ? DP_ERR_IO : DP_OK;
}

int dp_summary_write(struct dp_summary *const *summaries, size_t count,
		     const struct dp_sink *sink, struct dp_error *error)
{
	const struct dp_section **sections;
	size_t section_count;
	int status = dp_summaries__list(&sections, &section_count, summaries, count);

	if (status)
		return dp_error__nomem(error, 0);
	for (size_t i = 0; i < section_count && !status; i++)
		if (sections[i]->size > UINT32_MAX)
			status = dp_error__set(error, DP_ERR_LIMIT, "%.100s: over 4 GiB of summary",
					       sections[i]->source.name);
	if (!status && section_count > UINT32_MAX)
		status = dp_error__set(error, DP_ERR_LIMIT, "too many summaries for one file");
	if (!status) {
		status = write_sections(sections, section_count, sink);
		if (status)
			dp_error__set(error, status, "the summary could not be written");
	}
	free(sections);
	return status;
}

void dp_summary_free(struct dp_summary *summary)
{
	if (!summary)
		return;
	for (size_t i = 0; i < summary->count; i++)
		free(summary->sections[i].bytes);
	free(summary->sections);
	free(summary);
}
