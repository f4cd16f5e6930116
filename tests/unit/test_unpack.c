/*
 * A compressed database is unpacked only if the disk has room. The test decides what the disk
 * reports: the linker redirects fstatvfs.
 */
#include "import/unpack.h"
#include "test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* More than is unpacked whatever the disk says. */
#define LARGE_BYTES ((off_t)66 << 20)

static struct statvfs disk;
static int answer, asked;

int __wrap_fstatvfs(int fd, struct statvfs *out);
int __wrap_fstatvfs64(int fd, struct statvfs *out);

int __wrap_fstatvfs(int fd, struct statvfs *out)
{
	asked++;
	*out = disk;
	return answer;
}

int __wrap_fstatvfs64(int fd, struct statvfs *out)
{
	return __wrap_fstatvfs(fd, out);
}

/* Unpacks a file with this many zeros; the copy must be gone afterwards. */
static int unpack(off_t bytes, struct dp_error *error)
{
	struct dp_unpacked unpacked = DP_UNPACKED_INIT;
	char path[] = "/tmp/test_unpack-XXXXXX", folder[] = "/tmp/test_unpack-XXXXXX";
	struct dp_input *input;
	int fd = mkstemp(path), status;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, bytes), 0);
	ck_assert_int_eq(close(fd), 0);
	ck_assert_int_eq(dp_input__open(&input, path, error), DP_OK);
	unlink(path);
	asked = 0;
	ck_assert_ptr_nonnull(mkdtemp(folder));
	status = dp_unpack__open(&unpacked, input, folder, error);
	dp_input__close(input);
	/* The file has no name, so that the folder is empty. */
	ck_assert_int_eq(rmdir(folder), 0);
	ck_assert_int_eq(access(unpacked.path, R_OK), 0);
	dp_unpack__close(&unpacked);
	ck_assert_int_ne(access(unpacked.path, R_OK), 0);
	return status;
}

static int unpack_large(fsblkcnt_t available, unsigned long block_bytes)
{
	struct dp_error error = DP_ERROR_INIT;
	int status;

	disk = (struct statvfs){ .f_bavail = available, .f_frsize = block_bytes };
	status = unpack(LARGE_BYTES, &error);
	ck_assert_int_gt(asked, 0);
	ck_assert_int_eq(error.status, status);
	if (status)
		ck_assert_ptr_nonnull(strstr(error.message, "more than half of the free space"));
	return status;
}

/* The copy takes at most as much as it leaves free. */
TEST(half_of_the_room_stays_free)
{
	fsblkcnt_t taken = (fsblkcnt_t)LARGE_BYTES / 4096;

	answer = 0;
	ck_assert_int_eq(unpack_large(taken, 4096), DP_OK);
	ck_assert_int_eq(unpack_large(taken - 1, 4096), DP_ERR_LIMIT);
	ck_assert_int_eq(unpack_large(0, 4096), DP_ERR_LIMIT);
	ck_assert_int_eq(unpack_large(taken - 1, 65536), DP_OK);
	/* a size that is missing divides nothing */
	ck_assert_int_eq(unpack_large(0, 0), DP_ERR_LIMIT);
}

/* Small files are not refused, nor those on a disk that reports nothing. */
TEST(a_disk_that_says_nothing)
{
	struct dp_error error = DP_ERROR_INIT;

	answer = -1;
	ck_assert_int_eq(unpack_large(0, 4096), DP_OK);
	answer = 0;
	ck_assert_int_eq(unpack(1 << 20, &error), DP_OK);
	ck_assert_int_eq(asked, 0);
}
