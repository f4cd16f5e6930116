#include "spool/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Programs get the lowest free numbers; few programs use this many. */
#define FIRST_NUMBER 400
#define FIRST_AFTER_STANDARD 3

void dp_descriptor__note(struct dp_descriptor *out, int fd)
{
	struct stat info;

	*out = (struct dp_descriptor){ .fd = -1 };
	if (fd >= 0 && !fstat(fd, &info))
		*out = (struct dp_descriptor){ fd, info.st_dev, info.st_ino };
}

void dp_descriptor__take(struct dp_descriptor *out, int fd)
{
	int moved = -1;

	if (fd >= 0)
		moved = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_NUMBER);
	if (moved < 0 && fd >= 0 && fd < FIRST_AFTER_STANDARD)
		moved = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_AFTER_STANDARD);
	if (moved >= 0)
		close(fd);
	dp_descriptor__note(out, moved >= 0 ? moved : fd);
}

int dp_descriptor__get(const struct dp_descriptor *descriptor)
{
	struct stat info;

	if (descriptor->fd >= 0 && !fstat(descriptor->fd, &info) &&
	    info.st_dev == descriptor->device && info.st_ino == descriptor->inode)
		return descriptor->fd;
	errno = EBADF;
	return -1;
}

void dp_descriptor__close(struct dp_descriptor *descriptor)
{
	int fd = dp_descriptor__get(descriptor);

	if (fd >= 0)
		close(fd);
	descriptor->fd = -1;
}
