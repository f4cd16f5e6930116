#define _GNU_SOURCE /* O_PATH */
#include "place.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

/* As many links as the kernel follows. */
enum { LINKS_MAX = 40 };

const char *place_name(const struct place *place)
{
	const char *slash = strrchr(place->path, '/');

	return slash ? slash + 1 : place->path;
}

char *place_above(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return strdup(".");
	return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

/* Enters the folder of a path, relative to the current one. */
static const char *enter(struct place *place, const char *path)
{
	char *above = place_above(path);
	int from = place->folder >= 0 ? place->folder : AT_FDCWD;
	int folder = above ? openat(from, above, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	const char *why = folder >= 0	    ? NULL
			  : errno == ENOENT ? "its folder does not exist"
					    : strerror(errno);

	free(above);
	if (place->folder >= 0)
		close(place->folder);
	place->folder = folder;
	return why;
}

/*
 * Returns true for a file or link of the caller's, or one of root's in a folder that only root may
 * write to, such as /dev/stdout and /dev/null: elsewhere another user may have made or moved it.
 */
static bool is_trusted(int folder, const struct stat *info)
{
	struct stat above;

	if (info->st_uid == geteuid())
		return true;
	return !info->st_uid && !fstat(folder, &above) && !above.st_uid &&
	       !(above.st_mode & (S_IWGRP | S_IWOTH));
}

/* Returns true for a pipe in /proc/self/fd, for example: its link contains no path to follow. */
static bool is_descriptor(int folder, const char *name)
{
	struct statfs system;
	struct stat info;

	return !fstatfs(folder, &system) && system.f_type == PROC_SUPER_MAGIC &&
	       !fstatat(folder, name, &info, 0) && !S_ISREG(info.st_mode);
}

/* Replaces the name by the link's text. */
static const char *follow(struct place *place, int link)
{
	char to[4096], next[8200];
	ssize_t length = readlinkat(link, "", to, sizeof(to) - 1);
	int above = (int)(place_name(place) - place->path);

	if (length < 0)
		return strerror(errno);
	to[length] = '\0';
	snprintf(next, sizeof(next), "%.*s%s", *to == '/' ? 0 : above, place->path, to);
	free(place->path);
	place->path = strdup(next);
	return place->path ? enter(place, to) : strerror(ENOMEM);
}

/* Sets *link to the link to be followed, or to -1. */
static const char *look(struct place *place, bool keep_links, int *link)
{
	const char *name = place_name(place);
	int fd;

	*link = -1;
	if (!*name)
		return "expected a file name";
	fd = openat(place->folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	place->taken = fd >= 0 && !fstat(fd, &place->info);
	place->trusted = place->taken && is_trusted(place->folder, &place->info);
	if (place->taken && S_ISLNK(place->info.st_mode)) {
		if (is_descriptor(place->folder, name)) {
			place->taken = !fstatat(place->folder, name, &place->info, 0);
			place->trusted = true;
		} else if (place->trusted) {
			*link = fd;
			return NULL;
		} else if (!keep_links) {
			close(fd);
			return "is another user's symbolic link";
		}
	}
	if (fd >= 0)
		close(fd);
	return place->taken || errno == ENOENT ? NULL : strerror(errno);
}

const char *place_find(struct place *place, const char *path, bool keep_links)
{
	return place_find_in(place, -1, path, keep_links);
}

const char *place_find_in(struct place *place, int folder, const char *path, bool keep_links)
{
	const char *why;
	int link;

	*place = (struct place)PLACE_INIT;
	if (folder >= 0) {
		place->folder = fcntl(folder, F_DUPFD_CLOEXEC, 0);
		if (place->folder < 0)
			return strerror(errno);
	}
	place->path = strdup(path);
	why = place->path ? enter(place, path) : strerror(ENOMEM);
	for (int i = 0; !why && i < LINKS_MAX; i++) {
		why = look(place, keep_links, &link);
		if (!why && link < 0)
			return NULL;
		if (!why)
			why = follow(place, link);
		if (link >= 0)
			close(link);
	}
	place_close(place);
	return why ? why : strerror(ELOOP);
}

void place_close(struct place *place)
{
	if (place->folder >= 0)
		close(place->folder);
	free(place->path);
	*place = (struct place)PLACE_INIT;
}
