/* Helpers for the tests of database importers: a folder, a database in it, its trace. */
#ifndef DP_TEST_DATABASE_H
#define DP_TEST_DATABASE_H

#include <deepprof/trace.h>

#include <check.h>
#include <dirent.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64], path[256];
static struct dp_trace *trace;
static struct dp_error error;
static char reported[4096];
static const char *forced_format; /* for open_trace(), or NULL: by content */

static inline void make_folder(const char *name)
{
	strcpy(folder, "/tmp/deepprof-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/%s", folder, name);
}

/* Files in the folder. */
static inline int count_files(void)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int count = 0;

	ck_assert_ptr_nonnull(dir);
	while ((entry = readdir(dir)))
		count += entry->d_name[0] != '.';
	closedir(dir);
	return count;
}

static inline void remove_folder(void)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	char name[400];

	while (dir && (entry = readdir(dir))) {
		snprintf(name, sizeof(name), "%s/%s", folder, entry->d_name);
		if (entry->d_name[0] != '.')
			unlink(name);
	}
	if (dir)
		closedir(dir);
	rmdir(folder);
}

static inline void run_sql(sqlite3 *db, const char *sql)
{
	char *message = NULL;
	int rc = sqlite3_exec(db, sql, NULL, NULL, &message);

	ck_assert_msg(rc == SQLITE_OK, "%s: %s", sql, message);
}

/* Runs statements on the database at path; pages are small, so that there are many. */
static inline void make_database(const char *sql)
{
	sqlite3 *db;

	ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
	run_sql(db, "PRAGMA page_size = 512; PRAGMA journal_mode = off; PRAGMA synchronous = off");
	run_sql(db, sql);
	ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
}

static inline void tell(void *ctx, enum dp_log_level level, const char *message)
{
	size_t length = strlen(reported);

	snprintf(reported + length, sizeof(reported) - length, "%s\n", message);
}

/* Opens path as what its content says, or as forced_format. */
static inline int open_trace(bool allow_no_gpu)
{
	struct dp_open_options options = DP_OPEN_OPTIONS_INIT;

	reported[0] = '\0';
	memset(&error, 0, sizeof(error));
	options.log.write = tell;
	options.allow_no_gpu = allow_no_gpu;
	options.input_format = forced_format;
	trace = NULL;
	return dp_trace_open(&trace, path, &options, &error);
}

static inline const struct dp_ops *open_good(const char *format)
{
	int status = open_trace(false);

	ck_assert_msg(status == DP_OK, "%s: %s", error.table, error.message);
	ck_assert_str_eq(dp_trace_format(trace), format);
	return dp_trace_ops(trace);
}

/* A database of these statements, as a trace. */
static inline const struct dp_ops *good(const char *format, const char *sql)
{
	make_folder("trace.db");
	make_database(sql);
	return open_good(format);
}

static inline void done(void)
{
	dp_trace_free(trace);
	trace = NULL;
	remove_folder();
}

static inline const char *op_name(size_t index)
{
	return dp_trace_string(trace, dp_trace_ops(trace)->name[index]);
}

static inline const struct dp_stream *op_stream(size_t index)
{
	return dp_trace_stream(trace, dp_trace_ops(trace)->stream[index]);
}

/* Records lost for a reason that contains the text; -1 if there is none. */
static inline int64_t lost(const char *reason)
{
	const struct dp_loss *loss;

	for (size_t i = 0; (loss = dp_trace_loss(trace, i)); i++)
		if (strstr(loss->reason, reason))
			return (int64_t)loss->records;
	return -1;
}

/* The whole file at path; freed by the caller. */
static inline unsigned char *read_file(size_t *size)
{
	FILE *file = fopen(path, "rb");
	unsigned char *bytes;
	struct stat status;

	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(stat(path, &status), 0);
	*size = (size_t)status.st_size;
	bytes = malloc(*size + 1);
	ck_assert_ptr_nonnull(bytes);
	ck_assert_uint_eq(fread(bytes, 1, *size, file), *size);
	fclose(file);
	return bytes;
}

static inline void write_file(const unsigned char *bytes, size_t size)
{
	FILE *file = fopen(path, "wb");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
	ck_assert_int_eq(fclose(file), 0);
}

/*
 * Damages the file at path in `rounds` ways and opens it: a trace or one clear message, never
 * more operations than the whole file has. Ends with the file as it was.
 */
static inline void hurt(int rounds, size_t operations)
{
	size_t size;
	unsigned char *good_bytes = read_file(&size), *bytes = malloc(size);
	uint32_t state = 1;
	int survived = 0;

	ck_assert_ptr_nonnull(bytes);
	for (int round = 0; round < rounds; round++) {
		size_t length = size;

		memcpy(bytes, good_bytes, size);
		for (int flips = round % 3 ? 1 + round % 7 * 4 : 0; flips; flips--) {
			state = state * 1664525 + 1013904223;
			bytes[(state >> 4) % size] ^= (unsigned char)(1u << (state >> 29));
		}
		if (round % 3 == 0)
			length = size * (size_t)round / (size_t)rounds;
		write_file(bytes, length);
		if (open_trace(false) == DP_OK) {
			ck_assert_uint_le(dp_trace_ops(trace)->count, operations);
			survived++;
		} else {
			ck_assert_ptr_null(trace);
			ck_assert_str_ne(error.message, "");
		}
		dp_trace_free(trace);
		trace = NULL;
	}
	/* Most damage hits a part of the file that other parts can do without. */
	ck_assert_int_gt(survived, rounds / 3);
	write_file(good_bytes, size);
	free(good_bytes);
	free(bytes);
}

#endif
