/* Running nsys. */
#include "spawn.h"
#include "cleanup.h"
#include "message.h"

#include <errno.h>
#include <fcntl.h>
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

/* "NAME.sqlite" for "DIR/NAME.nsys-rep", in a directory; NULL without memory. */
static char *database_name(const char *directory, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	size_t stem = (size_t)(strrchr(base, '.') - base);
	size_t size = strlen(directory) + 1 + stem + sizeof(".sqlite");
	char *name = malloc(size);

	if (name)
		snprintf(name, size, "%s/%.*s.sqlite", directory, (int)stem, base);
	return name;
}

static bool make_directory(struct spawn_export *export, const char *path)
{
	const char *top = getenv("TMPDIR");
	sigset_t before;
	size_t size;
	bool made;
	int saved;

	if (!top || !*top)
		top = "/tmp";
	size = strlen(top) + sizeof("/deepprof-XXXXXX");
	export->directory = malloc(size);
	if (!export->directory)
		return false;
	snprintf(export->directory, size, "%s/deepprof-XXXXXX", top);
	cleanup_hold(&before);
	made = mkdtemp(export->directory) != NULL;
	saved = errno;
	if (made)
		cleanup_add(export->directory);
	cleanup_release(&before);
	if (!made) {
		message("%s: %s", top, strerror(saved));
		free(export->directory);
		export->directory = NULL;
		return false;
	}
	export->database = database_name(export->directory, path);
	if (export->database)
		cleanup_add(export->database);
	return export->database != NULL;
}

/* What it prints is of no use on standard output; its errors are. */
static int run_nsys(const char *nsys, const char *database, const char *path)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		dup2(STDERR_FILENO, STDOUT_FILENO);
		signal(SIGPIPE, SIG_DFL);
		execl(nsys, "nsys", "export", "--type=sqlite", "--force-overwrite=true", "-o",
		      database, path, (char *)NULL);
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
	message("%s: only nsys reads this format, and there is none on the PATH", path);
	message("where it is installed: nsys export --type=sqlite '%s', then analyze the .sqlite",
		path);
	return false;
}

bool spawn_export_nsys(struct spawn_export *export, const char *path)
{
	char nsys[4096], absolute[4098];
	int status;

	if (access(path, R_OK)) {
		message("%s: %s", path, strerror(errno));
		return false;
	}
	if (!spawn_find("nsys", nsys, sizeof(nsys)))
		return without_nsys(path);
	if (!make_directory(export, path))
		return false;
	/* A name that begins with a dash would be an option. */
	snprintf(absolute, sizeof(absolute), "%s%s", path[0] == '-' ? "./" : "", path);
	message("%s: exporting with nsys to a temporary database", path);
	status = run_nsys(nsys, export->database, absolute);
	if (!status && !access(export->database, R_OK))
		return true;
	message("%s: nsys export failed with status %d", path, status);
	return false;
}

void spawn_export_close(struct spawn_export *export)
{
	if (export->database) {
		unlink(export->database);
		cleanup_forget(export->database);
	}
	if (export->directory) {
		rmdir(export->directory);
		cleanup_forget(export->directory);
	}
	free(export->database);
	free(export->directory);
	*export = (struct spawn_export)SPAWN_EXPORT_INIT;
}
