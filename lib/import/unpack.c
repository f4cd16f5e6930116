/* A temporary file with the content of a compressed database. */
#define _GNU_SOURCE /* O_TMPFILE */
#include "import/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define CHUNK_BYTES ((size_t)256 << 10)

/* A larger database is refused once it takes more room than it leaves free on the disk. */
#define SMALL_BYTES ((uint64_t)64 << 20)

bool dp_unpack__is_database(const struct dp_probe *probe)
{
	return probe->length >= 16 && !memcmp(probe->head, "SQLite format 3", 16);
}

static int write_all(int fd, const char *folder, const char *buf, size_t length,
		     struct dp_error *error)
{
	while (length) {
		ssize_t n = write(fd, buf, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return dp_error__set(error, DP_ERR_IO,
					     "cannot unpack into a file in %.180s: %s", folder,
					     strerror(errno));
		buf += n;
		length -= (size_t)n;
	}
	return DP_OK;
}

/* Fails if the database takes more room on the disk than it leaves free. */
static int check_size(int fd, const char *folder, uint64_t bytes, struct dp_error *error)
{
	struct statvfs disk;

	if (bytes <= SMALL_BYTES)
		return DP_OK;
	if (fstatvfs(fd, &disk) == 0 && disk.f_bavail < bytes / DP_MAX(disk.f_frsize, 1))
		return dp_error__set(error, DP_ERR_LIMIT,
				     "a compressed database that needs more than half of the free "
				     "space in %.180s: unpack it elsewhere",
				     folder);
	return DP_OK;
}

static int copy_all(int fd, const char *folder, struct dp_input *input, char *buf,
		    struct dp_error *error)
{
	uint64_t bytes = 0;
	size_t got = 1;
	int status = DP_OK;

	while (!status && got) {
		status = dp_input__read(input, buf, CHUNK_BYTES, &got, error);
		bytes += got;
		if (!status)
			status = check_size(fd, folder, bytes, error);
		if (!status)
			status = write_all(fd, folder, buf, got, error);
	}
	return status;
}

/* Opens a file without a name or, if the file system has none, one that is unlinked at once. */
static int open_file(const char *folder)
{
	int fd = open(folder, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
	size_t size = strlen(folder) + sizeof("/deepprof-XXXXXX");
	char *path;

	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
		return fd;
	path = malloc(size);
	if (!path)
		return -1;
	snprintf(path, size, "%s/deepprof-XXXXXX", folder);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	free(path);
	return fd;
}

int dp_unpack__open(struct dp_unpacked *unpacked, struct dp_input *input, const char *folder,
		    struct dp_error *error)
{
	char *buf = malloc(CHUNK_BYTES);
	int status;

	if (!buf)
		return dp_error__nomem(error, CHUNK_BYTES);
	if (!folder)
		folder = "/tmp";
	unpacked->fd = open_file(folder);
	if (unpacked->fd < 0)
		status = dp_error__set(error, DP_ERR_IO, "cannot create a file in %.180s: %s",
				       folder, strerror(errno));
	else
		status = copy_all(unpacked->fd, folder, input, buf, error);
	snprintf(unpacked->path, sizeof(unpacked->path), "/proc/self/fd/%d", unpacked->fd);
	free(buf);
	return status;
}

void dp_unpack__close(struct dp_unpacked *unpacked)
{
	if (unpacked->fd >= 0)
		close(unpacked->fd);
	unpacked->fd = -1;
}
