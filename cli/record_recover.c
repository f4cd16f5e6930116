/*
 * Finishing what a killed deepprof record began: what it wanted to do is written down in its
 * folder, beside what was recorded.
 */
#include "cleanup.h"
#include "human.h"
#include "message.h"
#include "record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Texts, each ended by a 0: this, how the file is to be placed, its name in the folder that this
 * one is in, the command, what had that name in the beginning, and the file's permissions.
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
	const char *slash = strrchr(record->target, '/');
	const struct stat *before = &record->before;
	char path[8300];
	FILE *file;
	bool done;
	int fd;

	snprintf(path, sizeof(path), "%s/" ABOUT_FILE, record->folder);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	file = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (!file)
		return false;
	done = fprintf(file, "%s%c%s%c%s%c%.*s%c" BEFORE_FORMAT "%c%o%c", ABOUT_MAGIC, 0,
		       placing(record), 0, slash ? slash + 1 : record->target, 0,
		       ABOUT_BYTES_MAX / 2, record->line ? record->line : "", 0,
		       (uintmax_t)before->st_dev, (uintmax_t)before->st_ino,
		       (intmax_t)before->st_mtim.tv_sec, before->st_mtim.tv_nsec, 0,
		       (unsigned int)record->mode, 0) > 0;
	return !fclose(file) && done;
}

/* All of the file, with a 0 behind it; NULL where it can't be had. */
static char *read_about(const char *folder, size_t *size)
{
	char path[8300], *text = malloc(ABOUT_BYTES_MAX + 1);
	struct stat info;
	FILE *file;
	int fd;

	snprintf(path, sizeof(path), "%.8000s/" ABOUT_FILE, folder);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
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

/* Where it is not written down nothing had the name. */
static void read_before(struct stat *before, const char *text)
{
	uintmax_t device, inode;
	intmax_t seconds;
	long ns;

	if (sscanf(text, BEFORE_FORMAT, &device, &inode, &seconds, &ns) != 4)
		return;
	before->st_dev = (dev_t)device;
	before->st_ino = (ino_t)inode;
	before->st_mtim = (struct timespec){ (time_t)seconds, ns };
}

/* The file is to lie where the folder does, wherever that is now. */
static bool set_target(struct record *record, const char *name)
{
	int above = (int)(strrchr(record->folder, '/') - record->folder) + 1;
	char target[8300];

	if (!*name || strchr(name, '/'))
		return false;
	snprintf(target, sizeof(target), "%.*s%s", above, record->folder, name);
	record->target = strdup(target);
	return record->target != NULL;
}

static bool understand(struct record *record)
{
	const char *texts[TEXTS], *end, *at;
	size_t size = 0;
	char *about = read_about(record->folder, &size);
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
		read_before(&record->before, texts[BEFORE]);
	if (texts[MODE] < end)
		record->mode = (mode_t)strtoul(texts[MODE], NULL, 8) & 0777;
	done = record->line && set_target(record, texts[TARGET]);
out:
	free(about);
	return done;
}

enum folder { NO_FOLDER, LEFT, IN_USE };

/* Of a recording: does somebody work in it? */
static enum folder look_at(const char *path)
{
	enum folder found = NO_FOLDER;
	struct stat info;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return NO_FOLDER;
	if (!fstatat(fd, ABOUT_FILE, &info, AT_SYMLINK_NOFOLLOW))
		found = flock(fd, LOCK_SH | LOCK_NB) ? IN_USE : LEFT;
	close(fd);
	return found;
}

/*
 * Tells of folders of a target's recordings, but not of its own; above is where they are, with a
 * slash at its end. How many there were that are in use or left.
 */
static unsigned tell_folders(const char *above, const char *target, const char *own)
{
	size_t stem = strnlen(target, 200) + 2;
	char path[4400], word[4500], name[204];
	DIR *stream = opendir(*above ? above : ".");
	struct dirent *entry;
	unsigned count = 0;
	enum folder found;

	snprintf(name, sizeof(name), ".%.200s.", target);
	while (stream && (entry = readdir(stream))) {
		if (strlen(entry->d_name) != stem + strlen("XXXXXX") ||
		    strncmp(entry->d_name, name, stem) || !strcmp(entry->d_name, own))
			continue;
		snprintf(path, sizeof(path), "%.4000s%.255s", above, entry->d_name);
		found = look_at(path);
		if (found == LEFT)
			message_warning("an earlier recording was not finished; next: deepprof "
					"record --recover=%s",
					human_word(word, sizeof(word), path));
		else if (found == IN_USE && !*own)
			message("a recording is going on here; its file comes when that ends");
		count += found != NO_FOLDER;
	}
	if (stream)
		closedir(stream);
	return count;
}

void recover_hint(const struct record *record)
{
	const char *own = strrchr(record->folder, '/') + 1;
	const char *slash = strrchr(record->target, '/');
	char above[4096];

	snprintf(above, sizeof(above), "%.*s", (int)(own - record->folder), record->folder);
	tell_folders(above, slash ? slash + 1 : record->target, own);
}

bool recover_suggest(const char *target)
{
	return tell_folders("", target, "") > 0;
}

static void recover_fini(struct recovery *recovery)
{
	dp_recording_free(recovery->record.recording);
	free(recovery->record.target);
	free(recovery->record.folder);
	free(recovery->record.line);
	if (recovery->record.temporary) {
		unlink(recovery->record.temporary);
		cleanup_forget(recovery->record.temporary);
		free(recovery->record.temporary);
	}
}

bool recover_open(struct recovery *recovery, const char *folder)
{
	struct dp_error error = DP_ERROR_INIT;

	*recovery = (struct recovery){ .record = { .options = DP_RECORD_OPTIONS_INIT,
						   .folder_fd = -1 } };
	recovery->record.folder = realpath(folder, NULL);
	if (!recovery->record.folder) {
		message("%s: %s", folder, strerror(errno));
		return false;
	}
	recovery->record.options.log = record_log(&recovery->record);
	if (dp_recording_recover(&recovery->record.recording, recovery->record.folder,
				 &recovery->record.options, &error)) {
		message_error(&error);
	} else if (!understand(&recovery->record)) {
		message("%s: deepprof record has not come far enough there", folder);
	} else {
		return true;
	}
	/* What is not understood is not removed. */
	recover_fini(recovery);
	return false;
}

/* ".NAME.XXXXXX" beside the target: it may be on another disk than the folder. */
static bool write_beside(struct record *record)
{
	const char *slash = strrchr(record->target, '/');
	int above = slash ? (int)(slash - record->target) + 1 : 0, fd;
	size_t size = strlen(record->target) + sizeof("..XXXXXX");
	char *path = malloc(size);

	if (!path)
		return false;
	snprintf(path, size, "%.*s.%.200s.XXXXXX", above, record->target, record->target + above);
	fd = mkstemp(path);
	if (fd < 0) {
		free(path);
		return false;
	}
	close(fd);
	cleanup_add(path);
	record->temporary = path;
	return true;
}

bool recover_to(struct recovery *recovery, const struct record *wish)
{
	struct record *record = &recovery->record;

	record->verbosity = wish->verbosity;
	record->force |= wish->force;
	record->mode = wish->mode ? wish->mode : record->mode;
	if (!wish->output)
		return true;
	free(record->target);
	record->output = wish->output;
	record->force = wish->force;
	record->target = record_name(wish->output);
	if (!record->target || !record_target(record))
		return false;
	if (write_beside(record))
		return true;
	message("%s: %s", record->target, strerror(errno));
	return false;
}

bool recover_finish(struct recovery *recovery)
{
	struct record_end end = { .wait_status = -1, .recovered = true };
	bool done;

	/* A limit on the size of files is then an error to tell of. */
	signal(SIGXFSZ, SIG_IGN);
	done = record_keep(&recovery->record, &end);

	/* Where it could not be written there may be room later. */
	if (recovery->record.unwritten) {
		record_say_kept(recovery->record.folder);
		recover_leave(recovery);
		return done;
	}
	janitor_remove(recovery->record.folder);
	recover_fini(recovery);
	return done;
}

void recover_leave(struct recovery *recovery)
{
	if (recovery->record.recording)
		dp_recording_leave(recovery->record.recording);
	recover_fini(recovery);
}
