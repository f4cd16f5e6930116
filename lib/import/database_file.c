/*
 * The file of a database: its header (SQLite's file format, 1.3), its length, and what lies next to
 * it. Cost: one read of the header each.
 */
#include "import/database_private.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { HEADER_BYTES = 100 };

static const char magic[16] = "SQLite format 3";

static uint32_t big_endian(const char *bytes)
{
	const unsigned char *b = (const unsigned char *)bytes;

	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

bool dp_database__is_sqlite(const char *head, size_t length)
{
	return length >= HEADER_BYTES && memcmp(head, magic, sizeof(magic)) == 0;
}

uint32_t dp_database__application_id(const char *head, size_t length)
{
	return dp_database__is_sqlite(head, length) ? big_endian(head + 68) : 0;
}

uint64_t dp_database__companion(const char *path, const char *suffix, bool *foreign)
{
	char name[PATH_MAX];
	int length = snprintf(name, sizeof(name), "%s%s", path, suffix);
	struct stat own, found;

	*foreign = false;
	if (length < 0 || (size_t)length >= sizeof(name) || lstat(name, &found) ||
	    stat(path, &own) || found.st_size <= 0 ||
	    !(S_ISREG(found.st_mode) || S_ISLNK(found.st_mode)))
		return 0;
	*foreign = S_ISLNK(found.st_mode) || found.st_uid != own.st_uid;
	return (uint64_t)found.st_size;
}

static size_t read_head(const char *path, char *head, size_t size)
{
	FILE *file = fopen(path, "rb");
	size_t n = file ? fread(head, 1, size, file) : 0;

	if (file)
		fclose(file);
	return n;
}

/* Returns the page size in the header (SQLite's file format, 1.3.2). */
static uint64_t page_size(const char *head)
{
	uint64_t page = (uint64_t)(unsigned char)head[16] << 8 | (unsigned char)head[17];

	return page == 1 ? 65536 : page;
}

uint64_t dp_database__page_bytes(const char *path)
{
	char head[HEADER_BYTES] = { 0 };

	read_head(path, head, sizeof(head));
	return DP_MAX(page_size(head), (uint64_t)512);
}

int dp_database__check_head(struct dp_database *database, const char *path)
{
	static const char zeros[HEADER_BYTES];
	char head[HEADER_BYTES];
	size_t n = read_head(path, head, sizeof(head));

	if (n < sizeof(head) || memcmp(head, zeros, sizeof(head)) != 0)
		return DP_OK;
	return dp_error__set(database->import->error, DP_ERR_DAMAGED,
			     "the first page of the database was never written: the export was "
			     "interrupted, export it again");
}

void dp_database__check_length(struct dp_database *database, const char *path)
{
	char head[HEADER_BYTES];
	uint64_t page, pages;
	size_t n = read_head(path, head, sizeof(head));

	if (!dp_database__is_sqlite(head, n) || memcmp(head + 24, head + 92, 4) != 0)
		return;
	page = page_size(head);
	pages = big_endian(head + 28);
	if (page * pages <= database->file_bytes)
		return;
	dp_database__damage(database, NULL, "the file is truncated: it has %llu of %llu pages",
			    (unsigned long long)(database->file_bytes / page),
			    (unsigned long long)pages);
	if (database->import->builder)
		dp_builder__truncated(database->import->builder, "pages missing at the file's end",
				      0, database->file_bytes);
}
