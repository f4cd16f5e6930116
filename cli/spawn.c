/* Runs nsys. */
#define _GNU_SOURCE /* O_PATH */
#include "spawn.h"
#include "cleanup.h"
#include "message.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

bool spawn_find(const char *name, char *buf, size_t size)
{
	const char *path = getenv("PATH"), *end;
	char candidate[4096];

	for (; path; path = end ? end + 1 : NULL) {
		int length = (int)strcspn(path, ":");
		struct stat status;

		end = strchr(path, ':');
		if (snprintf(candidate, sizeof(candidate), "%.*s/%s", length ? length : 1,
			     length ? path : ".", name) >= (int)sizeof(candidate))
			continue;
		if (access(candidate, X_OK) || stat(candidate, &status) || !S_ISREG(status.st_mode))
			continue;
		if (buf)
			snprintf(buf, size, "%s", candidate);
		return true;
	}
	return false;
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n > m && !strcmp(text + n - m, end);
}

bool spawn_is_nsys_recording(const char *path)
{
	struct stat info;

	return (ends_with(path, ".nsys-rep") || ends_with(path, ".qdrep")) && !stat(path, &info) &&
	       S_ISREG(info.st_mode) && info.st_size > 0;
}

/* Names "NAME.sqlite" in the folder for "DIR/NAME.nsys-rep". Returns false without memory. */
static bool name_database(struct spawn_export *export, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	int stem = (int)(strrchr(base, '.') - base);
	size_t size = (size_t)stem + 64;

	export->database = malloc(size);
	export->journal = malloc(size);
	if (!export->database || !export->journal)
		return false;
	snprintf(export->database, size, "/proc/self/fd/%d/%.*s.sqlite", export->folder.fd, stem,
		 base);
	snprintf(export->journal, size, "%.*s.sqlite-journal", stem, base);
	return true;
}

static const char *name_in_folder(const struct spawn_export *export)
{
	return strrchr(export->database, '/') + 1;
}

static bool make_directory(struct spawn_export *export, const char *path)
{
	const char *top = folder_for_temporary();
	struct folder *folder = &export->folder;
	sigset_t before;
	bool made = false;
	int above, saved;

	above = open(top, O_PATH | O_DIRECTORY | O_CLOEXEC);
	cleanup_hold(&before);
	if (above >= 0)
		made = folder_make(folder, above, top, "deepprof");
	saved = errno;
	if (made)
		cleanup_add(folder->above, folder_name(folder));
	cleanup_release(&before);
	if (above >= 0)
		close(above);
	if (!made) {
		message("%s: %s", top, strerror(saved));
		return false;
	}
	if (!name_database(export, path)) {
		message("out of memory");
		return false;
	}
	cleanup_add(folder->fd, name_in_folder(export));
	cleanup_add(folder->fd, export->journal);
	return true;
}

/* Its output does not belong on standard output, but on standard error. */
static int run_nsys(const char *nsys, const struct spawn_export *export, const char *path)
{
	char output[NAME_MAX + 16];
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		dup2(STDERR_FILENO, STDOUT_FILENO);
		signal(SIGPIPE, SIG_DFL);
		/* A name that begins with a dash would be an option. */
		snprintf(output, sizeof(output), "./%s", name_in_folder(export));
		/* The folder's path may lead elsewhere by now. */
		if (!fchdir(export->folder.fd))
			execl(nsys, "nsys", "export", "--type=sqlite", "--force-overwrite=true",
			      "-o", output, path, (char *)NULL);
		_exit(127);
	}
	if (pid < 0)
		return -1;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static bool without_nsys(const char *path)
{
	char word[4500];

	message("%s: only nsys can read this format, and it is not on the PATH", path);
	message("where it is installed: nsys export --type=sqlite %s, then analyze the .sqlite",
		message_word(word, sizeof(word), path));
	return false;
}

/* It runs in another folder, so relative names must be resolved first. */
static int export_to(const struct spawn_export *export, const char *nsys, const char *path)
{
	char *tool = *nsys == '/' ? strdup(nsys) : realpath(nsys, NULL);
	char *recording = realpath(path, NULL);
	int status = -1;

	if (tool && recording)
		status = run_nsys(tool, export, recording);
	free(recording);
	free(tool);
	return status;
}

bool spawn_export_nsys(struct spawn_export *export, const char *path)
{
	char nsys[4096];
	int status;

	if (access(path, R_OK)) {
		message("%s: %s", path, strerror(errno));
		return false;
	}
	if (!spawn_find("nsys", nsys, sizeof(nsys)))
		return without_nsys(path);
	if (!make_directory(export, path))
		return false;
	message("%s: exporting with nsys to a temporary database", path);
	status = export_to(export, nsys, path);
	if (!status && !faccessat(export->folder.fd, name_in_folder(export), R_OK, 0))
		return true;
	message("%s: nsys export failed with status %d", path, status);
	return false;
}

void spawn_export_close(struct spawn_export *export)
{
	if (export->database && export->journal) {
		unlinkat(export->folder.fd, name_in_folder(export), 0);
		unlinkat(export->folder.fd, export->journal, 0);
		cleanup_forget(name_in_folder(export));
		cleanup_forget(export->journal);
	}
	if (export->folder.fd >= 0) {
		folder_remove(&export->folder);
		cleanup_forget(folder_name(&export->folder));
	}
	folder_close(&export->folder);
	free(export->database);
	free(export->journal);
	*export = (struct spawn_export)SPAWN_EXPORT_INIT;
}
