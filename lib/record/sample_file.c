#define _GNU_SOURCE /* openat(), fdopen() */
#include "record/sample_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

FILE *dp_sample_file__open(int folder_fd, const char *name, int flags)
{
	int fd = openat(folder_fd, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | flags, 0600);
	struct stat info;
	FILE *file = NULL;

	if (fd >= 0 && !fstat(fd, &info) && S_ISREG(info.st_mode))
		file = fdopen(fd, "r+");
	if (!file && fd >= 0)
		close(fd);
	return file;
}
