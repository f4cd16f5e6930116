/*
 * What the processes of a recording shared, left in its folder for later: complete, also on file
 * systems that do not report holes, and never half of it under its name.
 */
#include "spool_maker.h"
#include "test_database.h"
#include "test.h"

#include <deepprof/record.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/wait.h>

#define POOL_BYTES ((size_t)1 << 20)

/* The linker's names for the real ones and for what is called instead of them. */
off_t __real_lseek(int fd, off_t offset, int whence);
off_t __wrap_lseek(int fd, off_t offset, int whence);
off64_t __real_lseek64(int fd, off64_t offset, int whence);
off64_t __wrap_lseek64(int fd, off64_t offset, int whence);
ssize_t __real_pwrite(int fd, const void *data, size_t bytes, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *data, size_t bytes, off_t offset);
ssize_t __real_pwrite64(int fd, const void *data, size_t bytes, off64_t offset);
ssize_t __wrap_pwrite64(int fd, const void *data, size_t bytes, off64_t offset);

static int no_holes;	/* errno for these, or 0: they are reported */
static int writes_left; /* then it is killed; 0: never */

static int refuses(int whence)
{
	if (whence != SEEK_DATA || !no_holes)
		return 0;
	errno = no_holes;
	return 1;
}

off_t __wrap_lseek(int fd, off_t offset, int whence)
{
	return refuses(whence) ? -1 : __real_lseek(fd, offset, whence);
}

off64_t __wrap_lseek64(int fd, off64_t offset, int whence)
{
	return refuses(whence) ? -1 : __real_lseek64(fd, offset, whence);
}

static void count_write(void)
{
	if (writes_left && !--writes_left)
		raise(SIGKILL);
}

ssize_t __wrap_pwrite(int fd, const void *data, size_t bytes, off_t offset)
{
	count_write();
	return __real_pwrite(fd, data, bytes, offset);
}

ssize_t __wrap_pwrite64(int fd, const void *data, size_t bytes, off64_t offset)
{
	count_write();
	return __real_pwrite64(fd, data, bytes, offset);
}

/* A pool of no slots and rings, with holes, and data in its middle and at its end. */
static int make_pool(void)
{
	static const size_t filled[][2] = { { 100000, 50000 }, { 700000, 16384 } };
	struct dp_pool_header head = { .magic = DP_POOL_MAGIC,
				       .version = DP_POOL_VERSION,
				       .bytes = sizeof(head),
				       .pool_bytes = POOL_BYTES,
				       .ring_bytes = 4096 };
	FILE *file = tmpfile();
	int fd;

	ck_assert_ptr_nonnull(file);
	fd = dup(fileno(file));
	fclose(file);
	ck_assert_int_eq(ftruncate(fd, (off_t)POOL_BYTES), 0);
	ck_assert_int_eq(__real_pwrite(fd, &head, sizeof(head), 0), sizeof(head));
	for (size_t i = 0; i < 2; i++) {
		for (size_t at = 0; at < filled[i][1]; at++) {
			uint8_t byte = (uint8_t)(at % 251 + 1);

			ck_assert_int_eq(__real_pwrite(fd, &byte, 1, (off_t)(filled[i][0] + at)),
					 1);
		}
	}
	ck_assert_int_eq(__real_pwrite(fd, "end", 3, (off_t)POOL_BYTES - 3), 3);
	return fd;
}

/* What was recorded is left, with this pool of the spool's process; dies after this many writes. */
static void leave_spool(const char *spool, int pool, int writes)
{
	struct dp_recording *recording;
	int fd = dup(pool);

	error = (struct dp_error)DP_ERROR_INIT;
	ck_assert_int_eq(dp_recording_recover(&recording, folder, NULL, &error), DP_OK);
	/* Refused where the folder has one. */
	if (dp_recording_take_memory(recording, spool, fd))
		close(fd);
	writes_left = writes;
	dp_recording_keep_folder(recording);
	writes_left = 0;
	dp_recording_free(recording);
}

static void leave(int pool, int writes)
{
	leave_spool("4242.0.spool", pool, writes);
}

/* Begin, spool and pool are there, and nothing else. */
static void check_left(int pool)
{
	unsigned char *bytes, *expected = malloc(POOL_BYTES);
	size_t size;

	ck_assert_ptr_nonnull(expected);
	bytes = read_file(&size);
	ck_assert_uint_eq(size, POOL_BYTES);
	ck_assert_int_eq(pread(pool, expected, POOL_BYTES, 0), (ssize_t)POOL_BYTES);
	ck_assert(!memcmp(bytes, expected, POOL_BYTES));
	ck_assert_int_eq(count_files(), 3);
	free(expected);
	free(bytes);
}

/* EINVAL: as if SEEK_DATA were unknown. */
static const int refusals[] = { 0, EINVAL, EOPNOTSUPP };

TEST_LOOP(left_whole, sizeof(refusals) / sizeof(refusals[0]))
{
	int pool = make_pool();

	make_folder("4242.0.pool");
	spool_make(folder, false);
	no_holes = refusals[_i];
	leave(pool, 0);
	check_left(pool);
	close(pool);
	remove_folder();
}

/* An existing file of that name is left alone. */
TEST(left_once)
{
	unsigned char *bytes;
	int pool = make_pool();
	size_t size;

	make_folder("4242.0.pool");
	spool_make(folder, false);
	write_file((const unsigned char *)"first", 5);
	leave(pool, 0);
	bytes = read_file(&size);
	ck_assert_uint_eq(size, 5);
	ck_assert(!memcmp(bytes, "first", 5));
	free(bytes);
	close(pool);
	remove_folder();
}

/*
 * Killed at its k-th write, for every k: the file does not exist, and later processes leave all as
 * it is.
 */
TEST(killed_midway)
{
	int pool = make_pool(), status = 0, killed = 0;

	make_folder("4242.0.pool");
	spool_make(folder, false);
	for (int k = 1;; k++) {
		pid_t child = fork();

		ck_assert_int_ge(child, 0);
		if (!child) {
			leave(pool, k);
			_exit(0);
		}
		ck_assert_int_eq(waitpid(child, &status, 0), child);
		if (!WIFSIGNALED(status))
			break;
		ck_assert_int_eq(WTERMSIG(status), SIGKILL);
		ck_assert_int_eq(access(path, F_OK), -1);
		killed++;
	}
	/* One block each of 16 KiB that is not all zeros. */
	ck_assert_int_ge(killed, 6);
	check_left(pool);
	close(pool);
	remove_folder();
}

/* A spool's name may be as long as a file's: its pool is kept like any other. */
TEST_LOOP(long_name, 6)
{
	char stem[NAME_MAX], from[400], to[400];
	int pool = make_pool();

	make_folder("4242.0.spool");
	spool_make(folder, false);
	snprintf(from, sizeof(from), "%s", path);
	memset(stem, 'x', sizeof(stem));
	stem[NAME_MAX - strlen(".spool") - (size_t)_i] = '\0';
	snprintf(to, sizeof(to), "%s/%s.spool", folder, stem);
	ck_assert_int_eq(rename(from, to), 0);
	leave_spool(strrchr(to, '/') + 1, pool, 0);
	/* By a name for which path has room. */
	snprintf(from, sizeof(from), "%s/%s.pool", folder, stem);
	snprintf(path, sizeof(path), "%s/pool", folder);
	ck_assert_int_eq(rename(from, path), 0);
	check_left(pool);
	close(pool);
	remove_folder();
}

static void make_file(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	write_file((const unsigned char *)"x", 1);
}

/*
 * Without file locks, another process may have begun to leave what is recorded here: whoever began
 * the recording removes that as well, complete or not, and nothing else.
 */
TEST(removed_whole)
{
	static const char *const names[] = { "4242.0.pool", "4242.0.new", "4243.0.spool",
					     "4243.0.new",  "4244.0.new", "libdeepprof-cupti.so" };
	struct dp_record_options options = DP_RECORD_OPTIONS_INIT;
	struct dp_recording *recording;

	make_folder("");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		make_file(names[i]);
	options.collector = folder;
	error = (struct dp_error)DP_ERROR_INIT;
	ck_assert_int_eq(dp_recording_new(&recording, folder, &options, &error), DP_OK);
	spool_make(folder, false);
	dp_recording_free(recording);
	/* The library, and what has no spool. */
	ck_assert_int_eq(count_files(), 2);
	for (size_t i = 4; i < 6; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		ck_assert_int_eq(access(path, F_OK), 0);
	}
	remove_folder();
}
