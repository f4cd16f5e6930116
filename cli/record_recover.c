/*
 * Finishes the recording of a killed deepprof record: its options are stored in its folder, next to
 * the recording.
 */
#define _GNU_SOURCE /* O_PATH */
#include "cleanup.h"
#include "message.h"
#include "record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Texts, each ended by a NUL: this, how to place the file, its name in the parent folder, the
 * command, what had that name at the start, and the file's permissions.
 */
#define ABOUT_FILE "about"
#define ABOUT_MAGIC "deepprof record 1"
#define BEFORE_FORMAT "%ju %ju %jd %ld"
enum { MAGIC, PLACING, TARGET, COMMAND, BEFORE, MODE, TEXTS, ABOUT_BYTES_MAX = 1 << 20 };

static const char *placing(const struct record *record)
{
	return !record->output ? "rotate" : record->force ? "overwrite" : "new";
}

bool recover_note(const struct record *record)
{
	const struct stat *before = &record->place.info;
	int fd = openat(record->folder.fd, ABOUT_FILE, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
			0600);
	FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
	bool done;

	if (!file) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	done = fprintf(file, "%s%c%s%c%s%c%.*s%c" BEFORE_FORMAT "%c%o%c", ABOUT_MAGIC, 0,
		       placing(record), 0, place_name(&record->place), 0, ABOUT_BYTES_MAX / 2,
		       record->line ? record->line : "", 0, (uintmax_t)before->st_dev,
		       (uintmax_t)before->st_ino, (intmax_t)before->st_mtim.tv_sec,
		       before->st_mtim.tv_nsec, 0, (unsigned int)record->mode, 0) > 0;
	return !fclose(file) && done;
}

/* Returns the whole file with a NUL appended; NULL on failure. */
static char *read_about(const struct folder *folder, size_t *size)
{
	char *text = malloc(ABOUT_BYTES_MAX + 1);
	struct stat info;
	FILE *file;
	int fd;

	fd = openat(folder->fd, ABOUT_FILE, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	file = fd >= 0 ? fdopen(fd, "r") : NULL;
	if (!file || !text || fstat(fd, &info) || !S_ISREG(info.st_mode)) {
		free(text);
		text = NULL;
	} else {
		*size = fread(text, 1, ABOUT_BYTES_MAX, file);
		text[*size] = '\0';
	}
	if (file)
		fclose(file);
	else if (fd >= 0)
		close(fd);
	return text;
}

/* If this was not stored, nothing had the name. */
static void read_before(struct place *place, const char *text)
{
	struct stat *before = &place->info;
	uintmax_t device, inode;
	intmax_t seconds;
	long ns;

	if (sscanf(text, BEFORE_FORMAT, &device, &inode, &seconds, &ns) != 4)
		return;
	before->st_dev = (dev_t)device;
	before->st_ino = (ino_t)inode;
	before->st_mtim = (struct timespec){ (time_t)seconds, ns };
	place->taken = inode != 0;
}

/* The file belongs next to the folder, wherever that is now. */
static bool set_target(struct record *record, const char *name)
{
	const struct folder *folder = &record->folder;
	int above = (int)(folder_name(folder) - folder->path);
	size_t size = (size_t)above + strlen(name) + 1;

	if (!*name || strchr(name, '/') || !strcmp(name, ".") || !strcmp(name, ".."))
		return false;
	record->target = malloc(size);
	if (!record->target)
		return false;
	snprintf(record->target, size, "%.*s%s", above, folder->path, name);
	record->place.path = strdup(record->target);
	record->place.folder = fcntl(folder->above, F_DUPFD_CLOEXEC, 3);
	return record->place.path && record->place.folder >= 0;
}

static bool understand(struct record *record)
{
	const char *texts[TEXTS], *end, *at;
	size_t size = 0;
	char *about = read_about(&record->folder, &size);
	bool done = false;

	if (!about)
		return false;
	at = about;
	end = about + size;
	for (int i = 0; i < TEXTS; i++) {
		texts[i] = at;
		at = at < end ? at + strlen(at) + 1 : end;
	}
	if (texts[COMMAND] >= end || strcmp(texts[MAGIC], ABOUT_MAGIC))
		goto out;
	record->output = strcmp(texts[PLACING], "rotate") ? "" : NULL;
	record->force = !strcmp(texts[PLACING], "overwrite");
	record->line = strdup(texts[COMMAND]);
	if (texts[BEFORE] < end)
		read_before(&record->place, texts[BEFORE]);
	if (texts[MODE] < end)
		record->mode = (mode_t)strtoul(texts[MODE], NULL, 8) & 0777;
	done = record->line && set_target(record, texts[TARGET]);
out:
	free(about);
	return done;
}

enum state { NO_RECORDING, LEFT, IN_USE };

/* Returns whether a folder's recording is in use. Those of other users cannot be recovered. */
static enum state look_at(int above, const char *name)
{
	enum state found = NO_RECORDING;
	struct stat info;
	int fd = openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return NO_RECORDING;
	if (!fstat(fd, &info) && info.st_uid == geteuid() &&
	    !fstatat(fd, ABOUT_FILE, &info, AT_SYMLINK_NOFOLLOW))
		found = flock(fd, LOCK_SH | LOCK_NB) ? IN_USE : LEFT;
	close(fd);
	return found;
}

/*
 * Reports the folders of a target's recordings except own. above is where they are; its path, with
 * a final slash, is for messages. Returns how many are in use or left.
 */
static unsigned report_folders(int above, const char *above_path, const char *target,
			       const char *own)
{
	size_t stem = strnlen(target, FOLDER_STEM_MAX - 1) + 2;
	int fd = openat(above, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char path[4400], word[4500], name[FOLDER_STEM_MAX + 4];
	DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *entry;
	unsigned count = 0;
	enum state found;

	snprintf(name, sizeof(name), ".%.*s.", FOLDER_STEM_MAX - 1, target);
	while (stream && (entry = readdir(stream))) {
		if (strlen(entry->d_name) != stem + FOLDER_TAIL ||
		    strncmp(entry->d_name, name, stem) || !strcmp(entry->d_name, own))
			continue;
		snprintf(path, sizeof(path), "%.4000s%.255s", above_path, entry->d_name);
		found = look_at(fd, entry->d_name);
		if (found == LEFT)
			message_warning("an earlier recording was not finished; next: deepprof "
					"record --recover=%s",
					message_word(word, sizeof(word), path));
		else if (found == IN_USE && !*own)
			message("a recording is in progress here, and writes its file at the end");
		count += found != NO_RECORDING;
	}
	if (stream)
		closedir(stream);
	else if (fd >= 0)
		close(fd);
	return count;
}

void recover_hint(const struct record *record)
{
	const char *own = folder_name(&record->folder);
	char above[4096];

	snprintf(above, sizeof(above), "%.*s", (int)(own - record->folder.path),
		 record->folder.path);
	report_folders(record->folder.above, above, place_name(&record->place), own);
}

bool recover_suggest(const char *target)
{
	return report_folders(AT_FDCWD, "", target, "") > 0;
}

/* cleanup.c identifies it by its address. */
static const char trace[] = RECORD_TRACE;

static void close_other(struct folder *other)
{
	if (other->fd < 0)
		return;
	cleanup_forget(trace);
	folder_remove(other);
	cleanup_forget(folder_name(other));
	folder_close(other);
}

static void recover_fini(struct recovery *recovery)
{
	struct record *record = &recovery->record;

	dp_recording_free(record->recording);
	free(record->target);
	free(record->line);
	close_other(&record->other);
	place_close(&record->place);
	folder_close(&record->folder);
}

/* Returns why a folder cannot be recovered; NULL if it may be. */
static const char *refusal(const struct folder *folder)
{
	struct stat info;

	if (fstat(folder->fd, &info))
		return strerror(errno);
	/* Anyone who can put files there could have any file overwritten. */
	if (info.st_mode & (S_IWGRP | S_IWOTH))
		return "other users can write to it";
	return NULL;
}

bool recover_find(struct folder *folder, const char *path)
{
	char *absolute = realpath(path, NULL),
	     *above_path = absolute ? place_above(absolute) : NULL;
	int above = above_path ? open(above_path, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	const char *why = NULL;

	if (above < 0 || !folder_open(folder, above, above_path, strrchr(absolute, '/') + 1))
		why = errno == EPERM ? "belongs to another user" : strerror(errno);
	else
		why = refusal(folder);
	if (why) {
		message("%s: %s", path, why);
		if (above >= 0)
			folder_close(folder);
	}
	if (above >= 0)
		close(above);
	free(above_path);
	free(absolute);
	return !why;
}

bool recover_open(struct recovery *recovery, const struct folder *folder)
{
	struct record *record = &recovery->record;
	struct dp_error error = DP_ERROR_INIT;

	*record = (struct record)RECORD_INIT;
	record->folder = *folder;
	record->options.log = record_log(record);
	record->options.folder = folder->fd;
	if (dp_recording_recover(&record->recording, folder->path, &record->options, &error))
		message_error(&error);
	else if (!understand(record))
		message("%s: has no recording: deepprof record ended too early", folder->path);
	else
		return true;
	/* A recording that cannot be read is not removed. */
	record->folder = (struct folder)FOLDER_INIT;
	recover_fini(recovery);
	return false;
}

/*
 * Creates a private folder next to the target: it may be on another disk than the recording, and
 * others who may write there could replace a file by a link.
 */
static bool make_other(struct record *record)
{
	char *above = record_above(&record->place), stem[NAME_MAX + 2];
	struct folder *other = &record->other;
	sigset_t before;
	bool made;
	int saved;

	if (!above)
		return false;
	snprintf(stem, sizeof(stem), ".%s", place_name(&record->place));
	cleanup_hold(&before);
	made = folder_make(other, record->place.folder, above, stem);
	saved = errno;
	if (made) {
		cleanup_add(other->above, folder_name(other));
		cleanup_add(other->fd, trace);
	}
	cleanup_release(&before);
	free(above);
	if (!made)
		message("%s: %s", record->target, strerror(saved));
	return made;
}

bool recover_to(struct recovery *recovery, const struct record *args)
{
	struct record *record = &recovery->record;

	record->verbosity = args->verbosity;
	record->force |= args->force;
	record->mode = args->mode ? args->mode : record->mode;
	if (!args->output)
		return true;
	free(record->target);
	record->output = args->output;
	record->force = args->force;
	record->target = record_name(args->output);
	return record->target && record_target(record) && make_other(record);
}

bool recover_finish(struct recovery *recovery)
{
	struct record_end end = { .wait_status = -1, .recovered = true };
	struct record *record = &recovery->record;
	bool done;

	/* A limit on file sizes is then reported as an error. */
	signal(SIGXFSZ, SIG_IGN);
	done = record_keep(record, &end);

	/* If it could not be written, there may be space later. */
	if (record->unwritten) {
		record_say_kept(&record->folder);
		recover_leave(recovery);
		return done;
	}
	if (!folder_remove(&record->folder))
		janitor_say_stays(&record->folder);
	recover_fini(recovery);
	return done;
}

void recover_leave(struct recovery *recovery)
{
	if (recovery->record.recording)
		dp_recording_keep_folder(recovery->record.recording);
	recover_fini(recovery);
}
