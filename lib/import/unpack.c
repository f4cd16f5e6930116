/* A temporary file that holds what a compressed database holds. */
#include "import/unpack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define CHUNK_BYTES ((size_t)256 << 10)

/*
 * Databases of profilers shrink to a fifth, empty ones to a fiftieth: what shrinks to less is made
 * to fill a disk. What is small is no danger.
 */
#define RATIO_MOST 200
#define SMALL_BYTES ((uint64_t)64 << 20)
#define FREE_PERCENT 5
#define FREE_BYTES (UINT64_C(10) << 30)

bool dp_unpack__is_database(const struct dp_probe *probe)
{
	return probe->length >= 16 && !memcmp(probe->head, "SQLite format 3", 16);
}

static int write_all(int fd, const char *buf, size_t length, struct dp_error *error)
{
	while (length) {
		ssize_t n = write(fd, buf, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return dp_error__set(error, DP_ERR_IO,
					     "can't unpack into a file in /tmp: %s",
					     strerror(errno));
		buf += n;
		length -= (size_t)n;
	}
	return DP_OK;
}

/* Is it sane to go on after so many bytes? */
static int check_size(int fd, const struct dp_input *input, uint64_t bytes, struct dp_error *error)
{
	struct statvfs disk;

	if (bytes <= SMALL_BYTES)
		return DP_OK;
	if ((bytes - SMALL_BYTES) / RATIO_MOST > dp_input__position(input))
		return dp_error__set(error, DP_ERR_LIMIT,
				     "a compressed database that unpacks to more than %d times its "
				     "size: unpack it yourself if that is right",
				     RATIO_MOST);
	if (fstatvfs(fd, &disk) == 0 && disk.f_bavail < disk.f_blocks / 100 * FREE_PERCENT &&
	    disk.f_bavail < FREE_BYTES / DP_MAX(disk.f_frsize, 1))
		return dp_error__set(error, DP_ERR_LIMIT,
				     "a compressed database that would fill the disk of /tmp: "
				     "unpack it elsewhere");
	return DP_OK;
}

static int copy_all(int fd, struct dp_input *input, char *buf, struct dp_error *error)
{
	uint64_t bytes = 0;
	size_t got = 1;
	int status = DP_OK;

	while (!status && got) {
		status = dp_input__read(input, buf, CHUNK_BYTES, &got, error);
		bytes += got;
		if (!status)
			status = check_size(fd, input, bytes, error);
		if (!status)
			status = write_all(fd, buf, got, error);
	}
	return status;
}

int dp_unpack__open(struct dp_unpacked *unpacked, struct dp_input *input, struct dp_error *error)
{
	char *buf = malloc(CHUNK_BYTES);
	int fd, status;

	if (!buf)
		return dp_error__nomem(error, CHUNK_BYTES);
	strcpy(unpacked->path, "/tmp/deepprof-XXXXXX");
	fd = mkstemp(unpacked->path);
	if (fd < 0) {
		status = dp_error__set(error, DP_ERR_IO, "can't make a file in /tmp: %s",
				       strerror(errno));
	} else {
		unpacked->exists = true;
		status = copy_all(fd, input, buf, error);
		if (close(fd) && !status)
			status = dp_error__set(error, DP_ERR_IO, "can't unpack: %s",
					       strerror(errno));
	}
	free(buf);
	return status;
}

void dp_unpack__close(struct dp_unpacked *unpacked)
{
	if (unpacked->exists)
		unlink(unpacked->path);
	unpacked->exists = false;
}
