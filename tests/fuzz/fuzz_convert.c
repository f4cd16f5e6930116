/*
 * From a spool to the trace file, and from there through the importer. Creating a file with its
 * schema takes ten times as long as converting a spool. So every input becomes rows in a file that
 * is kept open and rolled back; the first ones, and one in 16 later, become a file of their own
 * that is finished and read.
 */
#include "mutate.h"
#include "record/bulk.h"
#include "record/convert.h"
#include "spool/crc32c.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* From fuzz.h, whose headers have a struct dp_fact that differs from the recorder's. */
struct dp_importer;
extern const struct dp_importer dp_importer__deepprof_db;
void fuzz_path(const struct dp_importer *importer, const char *path);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define HOLDS(condition) \
	((condition) ? (void)0 : (fprintf(stderr, "broken: %s\n", #condition), abort()))

static int convert(int spool, int pool, const char *path, struct dp_error *error)
{
	struct dp_record_about about = DP_RECORD_ABOUT_INIT;
	struct dp_convert convert = { .first_ns = INT64_MAX, .about = &about };
	bool unusable = false;
	int status = dp_convert__open(&convert, path, error);

	if (!status)
		status = dp_convert__spool(&convert, spool, pool, 0, &unusable);
	if (!status)
		status = dp_convert__finish(&convert);
	dp_convert__fini(&convert);
	return status;
}

/* More than a corpus has. An input that is run alone is the first one. */
enum { FIRST_INPUTS = 64, WHOLE_ONE_IN = 16 };

static void run_sql(sqlite3 *handle, const char *sql)
{
	HOLDS(!sqlite3_exec(handle, sql, NULL, NULL, NULL));
}

/* SQLite's tables refer to this one by its place, so it stays. */
static struct dp_convert *kept(void)
{
	static struct dp_convert convert;
	struct dp_error error = DP_ERROR_INIT;
	char path[64];

	if (!convert.db.handle) {
		snprintf(path, sizeof(path), "/dev/shm/deepprof-fuzz-%d.rows", (int)getpid());
		HOLDS(!dp_convert__open(&convert, path, &error));
		unlink(path);
		run_sql(convert.db.handle, "COMMIT; PRAGMA journal_mode = MEMORY");
	}
	return &convert;
}

static void convert_to_rows(int spool, int pool)
{
	const size_t first = offsetof(struct dp_convert, error);
	struct dp_record_about about = DP_RECORD_ABOUT_INIT;
	struct dp_error error = DP_ERROR_INIT;
	struct dp_convert *convert = kept();
	bool unusable = false;
	int status;

	memset((char *)convert + first, 0, sizeof(*convert) - first);
	convert->error = convert->db.error = &error;
	convert->about = &about;
	convert->first_ns = INT64_MAX;
	for (int i = 0; i < DP_BULK_COUNT; i++)
		convert->db.bulk[i].last_id = 0;
	run_sql(convert->db.handle, "BEGIN");
	status = dp_convert__spool(convert, spool, pool, 0, &unusable);
	if (!status)
		status = dp_bulk__flush(&convert->db);
	HOLDS(!status || error.message[0]);
	run_sql(convert->db.handle, "ROLLBACK");
	dp_strings__fini(&convert->strings);
	dp_lookup__fini(&convert->functions);
	free(convert->processes);
}

static void convert_to_file(int spool, int pool)
{
	struct dp_error error = DP_ERROR_INIT;
	char path[64];
	int status;

	snprintf(path, sizeof(path), "/dev/shm/deepprof-fuzz-%d.db", (int)getpid());
	status = convert(spool, pool, path, &error);
	HOLDS(!status || error.message[0]);
	if (!status)
		fuzz_path(&dp_importer__deepprof_db, path);
	unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int inputs;
	int spool, pool;

	fuzz_spool_files(data, size, &spool, &pool);
	if (inputs < FIRST_INPUTS)
		inputs++;
	if (inputs < FIRST_INPUTS || dp_crc32c(0, data, size) % WHOLE_ONE_IN == 0)
		convert_to_file(spool, pool);
	else
		convert_to_rows(spool, pool);
	if (pool >= 0)
		close(pool);
	close(spool);
	return 0;
}
