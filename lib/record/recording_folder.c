/* The folder of a recording, and files in it. */
#include "record/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int dp_recording__open_folder(struct dp_recording *recording, struct dp_error *error)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int given = recording->options.folder, status = DP_OK;
	struct stat info;

	/* Opened again: the lock belongs to the open file description, which must not be shared. */
	recording->folder_fd =
		given >= 0 ? openat(given, ".", flags) : open(recording->folder, flags);
	if (recording->folder_fd < 0 || fstat(recording->folder_fd, &info))
		status = dp_error__system(error, NULL);
	else if (info.st_uid != geteuid())
		status = dp_error__set(error, DP_ERR_ARGUMENT, "belongs to another user");
	if (status)
		dp_error__where(error, recording->folder, NULL, 0, 0);
	return status;
}

uint64_t dp_recording__spool_bytes(const struct dp_recording *recording)
{
	uint64_t bytes = 0;
	struct stat info;

	for (size_t i = 0; i < recording->member_count; i++)
		if (!fstatat(recording->folder_fd, recording->members[i].name, &info,
			     AT_SYMLINK_NOFOLLOW) &&
		    info.st_size > 0)
			bytes += (uint64_t)info.st_size;
	return bytes;
}

int dp_recording_folder__open(int folder_fd, const char *name, int flags)
{
	int fd = openat(folder_fd, name, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	struct stat info;

	if (fd >= 0 && (fstat(fd, &info) || !S_ISREG(info.st_mode))) {
		close(fd);
		errno = EINVAL;
		return -1;
	}
	return fd;
}

FILE *dp_recording_folder__open_samples(int folder_fd, const char *name, int flags)
{
	int fd = dp_recording_folder__open(folder_fd, name, O_RDWR | flags);
	FILE *file = fd >= 0 ? fdopen(fd, "r+") : NULL;

	if (!file && fd >= 0)
		close(fd);
	return file;
}
