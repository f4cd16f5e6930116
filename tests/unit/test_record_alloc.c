/*
 * A recording survives the failure of every allocation, SQLite's own included: the trace file is
 * whole, or there is none and "out of memory" is reported.
 */
#include "alloc_fail_sqlite.h"
#include "record/follow.h"
#include "spool_maker.h"
#include "test_database.h"
#include "test.h"

#include <deepprof/record.h>
#include <fcntl.h>
#include <time.h>

static int convert(void)
{
	struct dp_record_about about = DP_RECORD_ABOUT_INIT;
	struct dp_recording *recording = NULL;
	struct dp_record_result result = DP_RECORD_RESULT_INIT;
	int status;

	error = (struct dp_error)DP_ERROR_INIT;
	about.command = "python train.py";
	status = dp_recording_recover(&recording, folder, NULL, &error);
	if (status) {
		ck_assert_ptr_null(recording);
		return status;
	}
	status = dp_recording_write(recording, path, &about, &result, &error);
	dp_recording_free(recording);
	return status;
}

static void check_file(void)
{
	sqlite3 *db;
	sqlite3_stmt *rows;

	ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
	ck_assert_int_eq(sqlite3_prepare_v2(db,
					    "SELECT (SELECT count(*) FROM kernel), "
					    "(SELECT count(*) FROM nvtx), "
					    "(SELECT count(*) FROM count)",
					    -1, &rows, NULL),
			 SQLITE_OK);
	ck_assert_int_eq(sqlite3_step(rows), SQLITE_ROW);
	ck_assert_int_eq(sqlite3_column_int(rows, 0), 4);
	ck_assert_int_eq(sqlite3_column_int(rows, 1), 9);
	ck_assert_int_eq(sqlite3_column_int(rows, 2), 19);
	sqlite3_finalize(rows);
	ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
}

/* step: in percent of k, added to 1. */
static size_t sweep(size_t step)
{
	size_t more = 1, failed = 0;

	for (size_t k = 0; more; k += 1 + k * step / 100) {
		int status;

		alloc_fail_after(k);
		status = convert();
		more = alloc_fail_stop();
		ck_assert_msg(status == DP_OK || status == DP_ERR_NOMEM, "%zu: %d %s", k, status,
			      error.message);
		ck_assert_int_eq(error.status, status);
		failed += status != DP_OK;
		if (status)
			ck_assert_int_eq(access(path, F_OK), -1);
		else
			check_file();
		unlink(path);
	}
	return failed;
}

TEST(conversion)
{
	make_folder("trace.db");
	spool_make(folder, true);
	ck_assert_uint_gt(sweep(0), 30);
	remove_folder();
}

/* SQLite allocates by the thousand. */
TEST(database)
{
	take_over_sqlite();
	make_folder("trace.db");
	spool_make(folder, true);
	ck_assert_uint_gt(sweep(1), 100);
	remove_folder();
}

/* What is made for a program, and what it leaves. */
TEST(begin)
{
	struct dp_record_options options = DP_RECORD_OPTIONS_INIT;
	struct dp_recording *recording;
	size_t more = 1;

	make_folder("collector");
	ck_assert_int_eq(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/collector/libdeepprof-cupti.so", folder);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	snprintf(path, sizeof(path), "%s/collector", folder);
	options.collector = path;
	options.nvml = "/no/such.so";
	options.iterations = 5;
	for (size_t k = 0; more; k++) {
		int status;

		recording = NULL;
		error = (struct dp_error)DP_ERROR_INIT;
		alloc_fail_after(k);
		status = dp_recording_new(&recording, folder, &options, &error);
		if (!status)
			status = dp_recording_serve(recording);
		more = alloc_fail_stop();
		ck_assert_int_eq(status, more ? DP_ERR_NOMEM : DP_OK);
		dp_recording_free(recording);
		/* The collector's folder is what there was. */
		ck_assert_int_eq(count_files(), 1);
	}
	snprintf(path, sizeof(path), "%s/collector/libdeepprof-cupti.so", folder);
	unlink(path);
	*strrchr(path, '/') = '\0';
	rmdir(path);
	remove_folder();
}

TEST(following)
{
	size_t more = 1, failed = 0;
	int fd;

	make_folder("4242.0.spool");
	spool_make(folder, true);
	fd = open(path, O_RDONLY);
	for (size_t k = 0; more; k++) {
		struct dp_follow *follow = NULL;
		int status;

		alloc_fail_after(k);
		status = dp_follow__new(&follow, fd, 3);
		if (!status)
			status = dp_follow__read(follow, INT64_MAX, true);
		more = alloc_fail_stop();
		ck_assert_int_eq(status, more ? DP_ERR_NOMEM : DP_OK);
		failed += more;
		dp_follow__free(follow);
	}
	ck_assert_uint_gt(failed, 10);
	close(fd);
	remove_folder();
}
