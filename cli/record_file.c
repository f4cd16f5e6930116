/* The trace file's name, from the pattern to the file in its place. */
#define _GNU_SOURCE /* renameat2() */
#include "message.h"
#include "record.h"
#include "source.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* What two that write the same name at once wait for each other, in all. */
enum { LOCK_ROUNDS = 200, ROUND_NS = 10000000, LINKS_MAX = 40 };

/* Does a folder have a libcupti.so, or one with a version behind? */
static bool has_cupti(DIR *folder)
{
	const struct dirent *entry;
	bool found = false;

	while (!found && (entry = readdir(folder)))
		found = !strncmp(entry->d_name, "libcupti.so", strlen("libcupti.so"));
	return found;
}

const char *record_wrong_cupti(const char *path)
{
	DIR *folder = opendir(path);
	bool found = folder && has_cupti(folder);

	if (folder)
		closedir(folder);
	if (folder)
		return found ? NULL : "no libcupti.so is in that folder";
	/* A name without a folder is one that the program's loader looks for. */
	if (!*path)
		return "no name for a file";
	return access(path, R_OK) && strchr(path, '/') ? strerror(errno) : NULL;
}

/* A name that grows. */
struct name {
	char text[4096];
	size_t used;
	bool full;
};

static void append(struct name *name, const char *text, size_t length)
{
	if (length >= sizeof(name->text) - name->used) {
		name->full = true;
		return;
	}
	memcpy(name->text + name->used, text, length);
	name->used += length;
	name->text[name->used] = '\0';
}

/* A value becomes a part of a name: a slash in it would be a folder. */
static void append_value(struct name *name, const char *value)
{
	for (; *value; value++)
		append(name, *value == '/' ? "_" : value, 1);
}

/* "q{VAR}" at *at, which is moved to its end. */
static bool append_variable(struct name *name, const char **at)
{
	const char *end = strchr(*at, '}');
	char variable[256];
	const char *value;
	int length;

	if ((*at)[1] != '{' || !end || end - *at - 2 >= (int)sizeof(variable)) {
		message("record: %%q{NAME} in a file's name needs the name of a variable");
		return false;
	}
	length = (int)(end - *at - 2);
	snprintf(variable, sizeof(variable), "%.*s", length, *at + 2);
	value = getenv(variable);
	if (!value) {
		message("record: the file's name has %%q{%s}, which is not set", variable);
		return false;
	}
	append_value(name, value);
	*at = end;
	return true;
}

static bool append_special(struct name *name, const char **at)
{
	char text[256] = "";

	switch (**at) {
	case '%':
		append(name, "%", 1);
		return true;
	case 'p':
		snprintf(text, sizeof(text), "%ld", (long)getpid());
		append_value(name, text);
		return true;
	case 'h':
		if (gethostname(text, sizeof(text) - 1))
			snprintf(text, sizeof(text), "localhost");
		append_value(name, text);
		return true;
	case 'q':
		return append_variable(name, at);
	default:
		message("record: a file's name may have %%p, %%h, %%q{NAME} and %%%%, not %%%.1s",
			*at);
		return false;
	}
}

char *record_name(const char *pattern)
{
	struct name name = { .used = 0 };
	char *copy;

	for (const char *at = pattern; *at; at++) {
		if (*at != '%') {
			append(&name, at, 1);
			continue;
		}
		at++;
		if (!append_special(&name, &at))
			return NULL;
	}
	if (name.full) {
		message("record: the file's name is too long");
		return NULL;
	}
	copy = strdup(name.text);
	if (!copy)
		message("record: %s", strerror(ENOMEM));
	return copy;
}

static bool refuse(const char *path, const char *why)
{
	message("%s: %s", path, why);
	return false;
}

/* The folder that the target is in, "." where it has none; with a slash at its end or empty. */
static int folder_length(const char *target)
{
	const char *slash = strrchr(target, '/');

	return slash ? (int)(slash - target) + 1 : 0;
}

/* A link stays, and what it leads to is written, be it there or not: as open() would have it. */
static bool follow_links(struct record *record)
{
	char to[4096], name[8200];

	for (int i = 0; i < LINKS_MAX; i++) {
		ssize_t length = readlink(record->target, to, sizeof(to) - 1);
		int above = folder_length(record->target);

		if (length < 0)
			return true;
		to[length] = '\0';
		snprintf(name, sizeof(name), "%.*s%s", *to == '/' ? 0 : above, record->target, to);
		free(record->target);
		record->target = strdup(name);
		if (!record->target)
			return refuse(name, strerror(ENOMEM));
	}
	return refuse(record->target, strerror(ELOOP));
}

bool record_target(struct record *record)
{
	struct stat info;
	size_t length = strlen(record->target);

	if (!length || record->target[length - 1] == '/')
		return refuse(record->target, "no name for a file");
	if (!follow_links(record))
		return false;
	if (stat(record->target, &info))
		return errno == ENOENT || refuse(record->target, strerror(errno));
	if (S_ISDIR(info.st_mode))
		return refuse(record->target, "is a directory");
	if (!S_ISREG(info.st_mode))
		return refuse(record->target, "is not a regular file");
	if (record->output && !record->force)
		return refuse(record->target, "exists already; -f overwrites it");
	record->before = info;
	return true;
}

bool record_folder(struct record *record)
{
	int length = folder_length(record->target);
	char above[4096], made[8192];
	char *absolute;

	snprintf(above, sizeof(above), "%.*s", length ? length : 1, length ? record->target : ".");
	absolute = realpath(above, NULL);
	if (!absolute)
		return refuse(above, strerror(errno));
	/* A name near NAME_MAX has no room for more; its first bytes will do. */
	snprintf(made, sizeof(made), "%s/.%.200s.XXXXXX", strcmp(absolute, "/") ? absolute : "",
		 record->target + length);
	free(absolute);
	if (!janitor_start(made, &record->janitor)) {
		message("%s: nothing can be written there: %s", above, strerror(errno));
		return false;
	}
	record->folder = strdup(made);
	record->folder_fd = open(made, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (record->folder)
		return true;
	rmdir(made);
	return refuse(record->target, strerror(ENOMEM));
}

bool record_target_is_old(const struct record *record)
{
	const struct stat *before = &record->before;
	struct stat now;

	return !stat(record->target, &now) && now.st_ino == before->st_ino &&
	       now.st_dev == before->st_dev && now.st_mtim.tv_sec == before->st_mtim.tv_sec &&
	       now.st_mtim.tv_nsec == before->st_mtim.tv_nsec;
}

/* The names that both have in the folder above. */
static bool move(struct record *record, const char *folder)
{
	const char *slash = strrchr(record->target, '/');
	int above = (int)(strrchr(folder, '/') - folder) + 1;
	char target[8300];

	snprintf(target, sizeof(target), "%.*s%s", above, folder,
		 slash ? slash + 1 : record->target);
	free(record->folder);
	free(record->target);
	record->folder = strdup(folder);
	record->target = strdup(target);
	return (record->folder && record->target) || refuse(folder, strerror(ENOMEM));
}

bool record_find_folder(struct record *record)
{
	char link[64], now[4096];
	struct stat own, found;
	ssize_t length;

	if (record->folder_fd < 0 || fstat(record->folder_fd, &own))
		return true;
	if (!stat(record->folder, &found) && found.st_ino == own.st_ino &&
	    found.st_dev == own.st_dev)
		return true;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", record->folder_fd);
	length = readlink(link, now, sizeof(now) - 1);
	now[length > 0 ? length : 0] = '\0';
	if (!stat(now, &found) && found.st_ino == own.st_ino && found.st_dev == own.st_dev)
		return move(record, now);
	message("nothing that was recorded is left: %s was removed meanwhile", record->folder);
	return false;
}

/* The last recording of the default name is kept as .old. */
static bool rotate(const char *target)
{
	char old[4200];

	snprintf(old, sizeof(old), "%s.old", target);
	if (!rename(target, old) || errno == ENOENT)
		return true;
	message_warning("%s stays, as it can't become %s: %s", target, old, strerror(errno));
	return false;
}

/* Looks whether the name is free, and takes it, at once; errno is EEXIST where it is not. */
static bool put_new(const char *path, const char *name)
{
	struct stat info;

	if (!link(path, name))
		return true;
	if (errno == EEXIST)
		return false;
	/* A file system may have no links, and then may not know this either. */
	if (!renameat2(AT_FDCWD, path, AT_FDCWD, name, RENAME_NOREPLACE))
		return true;
	if (errno != EINVAL && errno != ENOSYS)
		return false;
	if (!lstat(name, &info)) {
		errno = EEXIST;
		return false;
	}
	return !rename(path, name);
}

/* "NAME.2" and on: the name is another's, and nothing is to be lost. */
static bool place_beside(struct record *record, const char *path)
{
	char name[4200];

	for (int i = 2; i < 100000; i++) {
		snprintf(name, sizeof(name), "%s.%d", record->target, i);
		if (!put_new(path, name)) {
			if (errno == EEXIST)
				continue;
			return refuse(name, strerror(errno));
		}
		free(record->target);
		record->target = strdup(name);
		return record->target != NULL;
	}
	return refuse(record->target, strerror(EEXIST));
}

/*
 * The folder that the file is to be in, locked: of several that end at once, as the ranks of a job
 * do, each must see what the one before has put there. -1 where it can't be locked, as on some
 * network file systems, or where somebody else holds it.
 */
static int open_folder(const char *target)
{
	const struct timespec pause = { 0, ROUND_NS };
	int length = folder_length(target), fd;
	char above[4096];

	snprintf(above, sizeof(above), "%.*s", length ? length : 1, length ? target : ".");
	fd = open(above, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	for (int i = 0; i < LOCK_ROUNDS && flock(fd, LOCK_EX | LOCK_NB); i++) {
		if (errno != EWOULDBLOCK)
			break;
		nanosleep(&pause, NULL);
	}
	return fd;
}

/* The name is had by force, or else must be free, or have what a recording of it may put aside. */
static bool place(struct record *record, const char *path)
{
	const char *taken = record->target;

	if (record->output && record->force) {
		if (!rename(path, record->target))
			return true;
		message_warning("%s can't be overwritten: %s", taken, strerror(errno));
		return place_beside(record, path);
	}
	if (!record->output && record_target_is_old(record)) {
		if (!rotate(record->target))
			return place_beside(record, path);
	}
	if (put_new(path, record->target))
		return true;
	if (errno != EEXIST)
		return refuse(record->target, strerror(errno));
	message_warning("%s appeared meanwhile, and stays", taken);
	return place_beside(record, path);
}

bool record_place(struct record *record, const char *path)
{
	int folder = open_folder(record->target);
	bool done = place(record, path);

	if (folder >= 0) {
		fsync(folder);
		close(folder);
	}
	return done;
}
