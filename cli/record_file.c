/* The trace file's name and place, from the pattern to the final file. */
#include "message.h"
#include "record.h"
#include "source.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* How long two processes writing the same name wait for each other, in all. */
enum { LOCK_TRIES = 200, TRY_NS = 10000000 };

/* Returns true if a folder has a libcupti.so, with or without a version. */
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
		return found ? NULL : "the folder has no libcupti.so";
	/* The program's loader searches for a name without a folder. */
	if (!*path)
		return "expected a file name";
	return access(path, R_OK) && strchr(path, '/') ? strerror(errno) : NULL;
}

/* A growing name. */
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

/* Appends a value, with slashes replaced: they would create folders. */
static void append_value(struct name *name, const char *value)
{
	for (; *value; value++)
		append(name, *value == '/' ? "_" : value, 1);
}

/* Appends the variable "q{VAR}" at *at, and moves *at to its end. */
static bool append_variable(struct name *name, const char **at)
{
	const char *end = strchr(*at, '}');
	char variable[256];
	const char *value;
	int length;

	if ((*at)[1] != '{' || !end || end - *at - 2 >= (int)sizeof(variable)) {
		message("record: %%q{NAME} in a file name needs the name of a variable");
		return false;
	}
	length = (int)(end - *at - 2);
	snprintf(variable, sizeof(variable), "%.*s", length, *at + 2);
	value = getenv(variable);
	if (!value) {
		message("record: the file name has %%q{%s}, which is not set", variable);
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
		message("record: a file name may contain %%p, %%h, %%q{NAME} and %%%%, not %%%.1s",
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
		message("record: the file name is too long");
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

/* An untrusted link at the default name is renamed like any file. */
bool record_target(struct record *record)
{
	struct place *place = &record->place;
	struct stat input;
	const char *why;
	char *path;

	place_close(place);
	why = place_find(place, record->target, !record->output);
	if (why)
		return refuse(record->target, why);
	path = strdup(place->path);
	if (!path)
		return refuse(record->target, strerror(ENOMEM));
	free(record->target);
	record->target = path;
	if (!place->taken)
		return true;
	if (S_ISLNK(place->info.st_mode))
		message_warning("%s: is another user's symbolic link, and is not followed", path);
	else if (S_ISDIR(place->info.st_mode))
		return refuse(path, "is a directory");
	else if (!S_ISREG(place->info.st_mode))
		return refuse(path, "is not a regular file");
	if (record->output && !record->force)
		return refuse(path, "already exists; -f overwrites it");
	if (!fstat(STDIN_FILENO, &input) && S_ISREG(input.st_mode) &&
	    input.st_dev == place->info.st_dev && input.st_ino == place->info.st_ino)
		return refuse(path,
			      "is also the standard input of the command; choose another name");
	return true;
}

/* Returns the path of an open folder; NULL if it no longer has one. */
static char *name_of(int folder)
{
	struct stat own, found;
	char link[64], now[4096];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", folder);
	length = readlink(link, now, sizeof(now) - 1);
	now[length > 0 ? length : 0] = '\0';
	if (fstat(folder, &own) || lstat(now, &found) || found.st_ino != own.st_ino ||
	    found.st_dev != own.st_dev)
		return NULL;
	return strdup(now);
}

char *record_above(const struct place *place)
{
	char *above = name_of(place->folder);

	if (!above)
		refuse(place->path, strerror(errno));
	return above;
}

bool record_folder(struct record *record)
{
	char *above = record_above(&record->place), stem[NAME_MAX + 2];
	bool made;

	if (!above)
		return false;
	snprintf(stem, sizeof(stem), ".%s", place_name(&record->place));
	made = janitor_start(&record->folder, record->place.folder, above, stem, &record->janitor);
	if (!made)
		message("%s: cannot write there: %s", above, strerror(errno));
	free(above);
	return made;
}

bool record_target_is_old(const struct record *record)
{
	const struct stat *before = &record->place.info;
	struct stat now;

	return record->place.taken &&
	       !fstatat(record->place.folder, place_name(&record->place), &now,
			AT_SYMLINK_NOFOLLOW) &&
	       now.st_ino == before->st_ino && now.st_dev == before->st_dev &&
	       now.st_mtim.tv_sec == before->st_mtim.tv_sec &&
	       now.st_mtim.tv_nsec == before->st_mtim.tv_nsec;
}

/* Replaces the folder of a path. */
static void rename_above(char **path, const char *above)
{
	const char *slash = strrchr(*path, '/');
	const char *name = slash ? slash + 1 : *path;
	size_t size = strlen(above) + strlen(name) + 2;
	char *now = malloc(size);

	if (!now)
		return;
	snprintf(now, size, "%s/%s", strcmp(above, "/") != 0 ? above : "", name);
	free(*path);
	*path = now;
}

/* Returns true if the path still leads to the target's folder. */
static bool leads_there(const struct record *record)
{
	char *above = place_above(record->target);
	struct stat own, found;
	bool leads = above && !stat(above, &found) && !fstat(record->place.folder, &own) &&
		     found.st_ino == own.st_ino && found.st_dev == own.st_dev;

	free(above);
	return leads;
}

bool record_find_folder(struct record *record)
{
	struct stat own;
	char *above;

	if (fstat(record->folder.fd, &own) || !own.st_nlink) {
		message("the recording is lost: %s was removed in the meantime",
			record->folder.path);
		return false;
	}
	if (leads_there(record))
		return true;
	above = name_of(record->place.folder);
	if (above) {
		rename_above(&record->target, above);
		/* With --recover -o, the two are in different folders. */
		if (record->other.fd < 0)
			rename_above(&record->folder.path, above);
	}
	free(above);
	return true;
}

/* Keeps the last recording of the default name as .old. */
static bool rotate(const struct record *record)
{
	int folder = record->place.folder;
	const char *name = place_name(&record->place);
	char old[NAME_MAX + sizeof(".old")];

	snprintf(old, sizeof(old), "%s.old", name);
	if (!renameat(folder, name, folder, old) || errno == ENOENT)
		return true;
	message_warning("%s was kept, because it cannot be renamed to %s.old: %s", record->target,
			record->target, strerror(errno));
	return false;
}

/* Tries "NAME.2" and on: the name is in use, and nothing may be lost. */
static bool place_numbered(struct record *record, const struct folder *from)
{
	char end[16], name[NAME_MAX + sizeof(end)], *target;
	size_t size = strlen(record->target) + sizeof(end);

	for (int i = 2; i < 100000; i++) {
		snprintf(end, sizeof(end), ".%d", i);
		snprintf(name, sizeof(name), "%s%s", place_name(&record->place), end);
		if (folder_put_new(from->fd, RECORD_TRACE, record->place.folder, name)) {
			target = realloc(record->target, size);
			if (target)
				record->target = strcat(target, end);
			return target != NULL;
		}
		if (errno != EEXIST)
			return refuse(name, strerror(errno));
	}
	return refuse(record->target, strerror(EEXIST));
}

/*
 * Opens and locks the target's folder: of several recordings that end at once, such as the ranks of
 * a job, each must see what the previous one put there. Some network file systems cannot lock, and
 * another process may hold the lock: then continues without it. Returns -1 if it cannot be opened.
 */
static int lock_folder(const struct record *record)
{
	const struct timespec pause = { 0, TRY_NS };
	int fd = openat(record->place.folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -1;
	for (int i = 0; i < LOCK_TRIES && flock(fd, LOCK_EX | LOCK_NB); i++) {
		if (errno != EWOULDBLOCK)
			break;
		nanosleep(&pause, NULL);
	}
	return fd;
}

/* With force any name may be taken; otherwise it must be free, or hold a file to be rotated. */
static bool place(struct record *record, const struct folder *from)
{
	const char *taken = record->target, *name = place_name(&record->place);

	if (record->output && record->force) {
		if (!renameat(from->fd, RECORD_TRACE, record->place.folder, name))
			return true;
		message_warning("%s cannot be overwritten: %s", taken, strerror(errno));
		return place_numbered(record, from);
	}
	if (!record->output && record_target_is_old(record)) {
		if (!rotate(record))
			return place_numbered(record, from);
	}
	if (folder_put_new(from->fd, RECORD_TRACE, record->place.folder, name))
		return true;
	if (errno != EEXIST)
		return refuse(record->target, strerror(errno));
	message_warning("%s appeared in the meantime, and was kept", taken);
	return place_numbered(record, from);
}

bool record_place(struct record *record, const struct folder *from)
{
	int folder = lock_folder(record);
	bool done = place(record, from);

	if (folder >= 0) {
		fsync(folder);
		close(folder);
	}
	return done;
}
