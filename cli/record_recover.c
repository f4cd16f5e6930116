/*
 * Finishing what a killed deepprof record began: what it wanted to do is written down in its
 * folder, beside what was recorded.
 */
#include "message.h"
#include "record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Texts, each ended by a 0: this, how the file is to be placed, its name, the command. */
#define ABOUT_FILE "about"
#define ABOUT_MAGIC "deepprof record 1"
enum { MAGIC, PLACING, TARGET, COMMAND, TEXTS, ABOUT_BYTES_MAX = 1 << 20 };

static const char *placing(const struct record *record)
{
	return !record->output ? "rotate" : record->force ? "overwrite" : "new";
}

bool recover_note(const struct record *record, const char *command)
{
	const char *slash = strrchr(record->target, '/');
	int above = (int)(strrchr(record->folder, '/') - record->folder);
	char path[8300];
	FILE *file;
	bool done;

	snprintf(path, sizeof(path), "%s/" ABOUT_FILE, record->folder);
	file = fopen(path, "we");
	if (!file)
		return false;
	/* The folder lies where the file will, and its path is absolute. */
	done = fprintf(file, "%s%c%s%c%.*s/%s%c%.*s%c", ABOUT_MAGIC, 0, placing(record), 0, above,
		       record->folder, slash ? slash + 1 : record->target, 0, ABOUT_BYTES_MAX / 2,
		       command, 0) > 0;
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

static bool understand(struct recovery *recovery, const char *folder)
{
	const char *texts[TEXTS], *end;
	size_t size = 0;

	recovery->about = read_about(folder, &size);
	if (!recovery->about)
		return false;
	texts[0] = recovery->about;
	end = recovery->about + size;
	for (int i = 0; i + 1 < TEXTS; i++) {
		texts[i + 1] = texts[i] + strlen(texts[i]) + 1;
		if (texts[i + 1] >= end)
			return false;
	}
	if (strcmp(texts[MAGIC], ABOUT_MAGIC) || texts[TARGET][0] != '/')
		return false;
	recovery->record.output = strcmp(texts[PLACING], "rotate") ? texts[TARGET] : NULL;
	recovery->record.force = !strcmp(texts[PLACING], "overwrite");
	recovery->command = texts[COMMAND];
	recovery->record.target = strdup(texts[TARGET]);
	return recovery->record.target != NULL;
}

/* Nobody works in it, and there is something. */
static bool is_left(const char *above, const char *name)
{
	char path[8300];
	struct stat info;
	bool left;
	int fd;

	snprintf(path, sizeof(path), "%.4000s/%.255s", above, name);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return false;
	left = !fstatat(fd, ABOUT_FILE, &info, AT_SYMLINK_NOFOLLOW) &&
	       !flock(fd, LOCK_SH | LOCK_NB);
	close(fd);
	return left;
}

void recover_hint(const struct record *record)
{
	const char *own = strrchr(record->folder, '/') + 1;
	size_t stem = strlen(own) - strlen("XXXXXX");
	struct dirent *entry;
	char above[4096];
	DIR *stream;

	snprintf(above, sizeof(above), "%.*s", (int)(own - record->folder), record->folder);
	stream = opendir(above);
	while (stream && (entry = readdir(stream))) {
		if (strlen(entry->d_name) != strlen(own) || strncmp(entry->d_name, own, stem) ||
		    !strcmp(entry->d_name, own) || !is_left(above, entry->d_name))
			continue;
		message_warning("an earlier recording was not finished; next: deepprof record "
				"--recover=%s%s",
				above, entry->d_name);
	}
	if (stream)
		closedir(stream);
}

static void recover_fini(struct recovery *recovery)
{
	dp_recording_free(recovery->record.recording);
	free(recovery->record.target);
	free(recovery->record.folder);
	free(recovery->about);
}

bool recover_open(struct recovery *recovery, const char *folder)
{
	struct dp_error error = DP_ERROR_INIT;

	*recovery = (struct recovery){ .record = { .options = DP_RECORD_OPTIONS_INIT } };
	recovery->record.folder = realpath(folder, NULL);
	if (!recovery->record.folder) {
		message("%s: %s", folder, strerror(errno));
		return false;
	}
	recovery->record.options.log = record_log(&recovery->record);
	if (dp_recording_recover(&recovery->record.recording, recovery->record.folder,
				 &recovery->record.options, &error)) {
		message_error(&error);
	} else if (!understand(recovery, recovery->record.folder)) {
		message("%s: deepprof record has not come far enough there", folder);
	} else {
		return true;
	}
	/* What is not understood is not removed. */
	recover_fini(recovery);
	return false;
}

bool recover_finish(struct recovery *recovery)
{
	struct record_end end = { .wait_status = -1, .recovered = true };
	bool done = record_keep(&recovery->record, &end, recovery->command);

	/* Where it could not be written there may be room later. */
	if (recovery->record.unwritten) {
		dp_recording_leave(recovery->record.recording);
		record_say_left(&recovery->record);
	} else {
		janitor_remove(recovery->record.folder);
	}
	recover_fini(recovery);
	return done;
}
