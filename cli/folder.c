#include "folder.h"
#include "cleanup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Names tried before giving up: of 62^6, hardly any are in use. */
enum { TRIES = 100 };

const char *folder_for_temporary(void)
{
	const char *folder = getenv("TMPDIR");

	return folder && *folder ? folder : "/tmp";
}

static void random_tail(char tail[FOLDER_TAIL + 1])
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	uint64_t number = 0;
	struct timespec now;

	if (getrandom(&number, sizeof(number), GRND_NONBLOCK) != (ssize_t)sizeof(number)) {
		/* Early after boot. Names are created with O_EXCL: guessing one gains nothing. */
		clock_gettime(CLOCK_MONOTONIC, &now);
		number = (uint64_t)now.tv_nsec * 6364136223846793005u ^ (uint64_t)getpid();
	}
	for (int i = 0; i < FOLDER_TAIL; i++, number /= sizeof(letters) - 1)
		tail[i] = letters[number % (sizeof(letters) - 1)];
	tail[FOLDER_TAIL] = '\0';
}

static void new_name(char *name, size_t size, const char *stem)
{
	char tail[FOLDER_TAIL + 1];

	random_tail(tail);
	snprintf(name, size, "%.*s.%s", FOLDER_STEM_MAX, stem, tail);
}

int folder_make_file(int above, const char *stem, char *name, size_t size)
{
	int fd = -1;

	for (int i = 0; i < TRIES && fd < 0; i++) {
		new_name(name, size, stem);
		fd = openat(above, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	return fd;
}

/*
 * On a file system without links, an empty file takes the name first, so that none is replaced.
 * A signal does not leave it behind.
 */
bool folder_put_new(int from, const char *file, int to, const char *name)
{
	sigset_t before;
	int fd, failure = 0;

	if (!linkat(from, file, to, name, 0)) {
		unlinkat(from, file, 0);
		return true;
	}
	if (errno == EEXIST)
		return false;
	cleanup_hold(&before);
	fd = openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || close(fd)) {
		failure = errno;
	} else if (renameat(from, file, to, name)) {
		failure = errno;
		unlinkat(to, name, 0);
	}
	cleanup_release(&before);
	errno = failure;
	return !failure;
}

static bool is_dot(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

/* Opens a separate stream, because a shared one has an arbitrary position. */
static DIR *open_stream(int fd)
{
	int again = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = again >= 0 ? fdopendir(again) : NULL;

	if (!stream && again >= 0)
		close(again);
	return stream;
}

/* On false, sets errno. */
static bool is_empty(int fd)
{
	DIR *stream = open_stream(fd);
	const struct dirent *entry;
	bool empty = true;

	if (!stream)
		return false;
	while (empty && (entry = readdir(stream)))
		empty = is_dot(entry->d_name);
	closedir(stream);
	errno = EBUSY;
	return empty;
}

/* Takes the opened folder. False with errno if it is not the caller's or memory runs out. */
static bool take(struct folder *folder, int above, const char *above_path, const char *name)
{
	size_t size = strlen(above_path) + strlen(name) + 2;
	struct stat info;

	if (fstat(folder->fd, &info))
		return false;
	if (info.st_uid != geteuid()) {
		errno = EPERM;
		return false;
	}
	folder->device = info.st_dev;
	folder->inode = info.st_ino;
	folder->above = fcntl(above, F_DUPFD_CLOEXEC, 3);
	folder->path = malloc(size);
	if (folder->above < 0 || !folder->path)
		return false;
	snprintf(folder->path, size, "%s/%s", strcmp(above_path, "/") != 0 ? above_path : "", name);
	return true;
}

static bool fail(struct folder *folder, int why)
{
	folder_close(folder);
	errno = why;
	return false;
}

static int open_folder(int above, const char *name)
{
	return openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

bool folder_make(struct folder *folder, int above, const char *above_path, const char *stem)
{
	char name[FOLDER_STEM_MAX + FOLDER_TAIL + 2];
	int made = -1;

	*folder = (struct folder)FOLDER_INIT;
	for (int i = 0; i < TRIES && made; i++) {
		new_name(name, sizeof(name), stem);
		made = mkdirat(above, name, 0700);
		if (made && errno != EEXIST)
			break;
	}
	if (made)
		return false;
	folder->fd = open_folder(above, name);
	/* A folder that replaced it meanwhile is another user's, or not empty. */
	if (folder->fd >= 0 && take(folder, above, above_path, name) && is_empty(folder->fd))
		return true;
	fail(folder, errno);
	made = errno;
	unlinkat(above, name, AT_REMOVEDIR);
	errno = made;
	return false;
}

bool folder_open(struct folder *folder, int above, const char *above_path, const char *name)
{
	*folder = (struct folder)FOLDER_INIT;
	folder->fd = open_folder(above, name);
	return (folder->fd >= 0 && take(folder, above, above_path, name)) || fail(folder, errno);
}

const char *folder_name(const struct folder *folder)
{
	return strrchr(folder->path, '/') + 1;
}

/* True for "<pid>.<n>.spool" and files next to it (collectors/spool/spool.h, lib/record). */
static bool is_of_process(const char *name)
{
	static const char digits[] = "0123456789";
	static const char *const ends[] = { ".spool", ".pool", ".new" };
	const char *at = name + strspn(name, digits), *last;

	if (at == name || *at != '.')
		return false;
	last = at + 1 + strspn(at + 1, digits);
	for (size_t i = 0; last > at + 1 && i < sizeof(ends) / sizeof(ends[0]); i++)
		if (!strcmp(last, ends[i]))
			return true;
	return false;
}

static bool is_of_recording(const char *name)
{
	static const char *const names[] = { "about", "begin",	 "gpu-metrics", "host",
					     "inner", "samples", "socket",	"trace.db" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	return is_of_process(name);
}

enum outcome { REMOVED, REFILLED, KEPT };

/* The folder's name may belong to another one by now. */
static enum outcome remove_folder(const struct folder *folder)
{
	struct stat info;

	if (fstatat(folder->above, folder_name(folder), &info, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? REMOVED : KEPT;
	if (info.st_dev != folder->device || info.st_ino != folder->inode)
		return KEPT;
	if (!unlinkat(folder->above, folder_name(folder), AT_REMOVEDIR))
		return REMOVED;
	return errno == ENOTEMPTY || errno == EEXIST ? REFILLED : KEPT;
}

static enum outcome remove_once(const struct folder *folder)
{
	DIR *stream = open_stream(folder->fd);
	const struct dirent *entry;
	bool foreign = false;

	while (stream && (entry = readdir(stream))) {
		/* NFS renames a removed file like this until its last user closes it. */
		if (is_dot(entry->d_name) || !strncmp(entry->d_name, ".nfs", 4))
			continue;
		foreign |= !is_of_recording(entry->d_name) ||
			   (unlinkat(folder->fd, entry->d_name, 0) && errno != ENOENT);
	}
	if (stream)
		closedir(stream);
	return foreign ? KEPT : remove_folder(folder);
}

/* Retries, because a process may just have created another file. */
bool folder_remove(const struct folder *folder)
{
	const struct timespec pause = { 0, 10000000 };
	enum outcome outcome = remove_once(folder);

	for (int i = 0; i < 200 && outcome == REFILLED; i++) {
		nanosleep(&pause, NULL);
		outcome = remove_once(folder);
	}
	return outcome == REMOVED;
}

void folder_close(struct folder *folder)
{
	if (folder->fd >= 0)
		close(folder->fd);
	if (folder->above >= 0)
		close(folder->above);
	free(folder->path);
	*folder = (struct folder)FOLDER_INIT;
}
