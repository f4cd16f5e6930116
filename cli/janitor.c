/* Removes the temporary folder when the launcher is gone, even where it was killed. */
#include "record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pid_t janitor;
static int lifeline = -1; /* its other end is closed when this process is gone */

/* All that the folder holds are files. */
static bool remove_once(const char *folder)
{
	DIR *stream = opendir(folder);
	struct dirent *entry;

	if (!stream)
		return true;
	while ((entry = readdir(stream)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			unlinkat(dirfd(stream), entry->d_name, 0);
	closedir(stream);
	return !rmdir(folder);
}

/* A process may just have made one more file. */
static void remove_folder(const char *folder)
{
	const struct timespec pause = { 0, 10000000 };

	for (int i = 0; i < 200 && !remove_once(folder); i++)
		nanosleep(&pause, NULL);
}

/* What was inherited may be a pipe that somebody waits on. */
static void close_all_but(int keep)
{
	DIR *stream = opendir("/proc/self/fd");
	struct dirent *entry;

	if (!stream) {
		for (int fd = 0; fd < 1024; fd++)
			if (fd != keep)
				close(fd);
		return;
	}
	while ((entry = readdir(stream))) {
		int fd = atoi(entry->d_name);

		if (entry->d_name[0] != '.' && fd != keep && fd != dirfd(stream))
			close(fd);
	}
	closedir(stream);
}

/* In a session of its own: signals to the terminal's or the job's processes are not for it. */
static void tend(int fd, const char *folder)
{
	sigset_t all;
	char byte;

	setsid();
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	close_all_but(fd);
	if (write(fd, "", 1) != 1)
		_exit(1);
	/* A working directory keeps a file system from being unmounted. */
	if (chdir("/"))
		_exit(1);
	while (read(fd, &byte, 1) < 0 && errno == EINTR)
		continue;
	remove_folder(folder);
	_exit(0);
}

void janitor_start(const char *folder)
{
	int ends[2];
	char byte;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return;
	janitor = fork();
	if (!janitor) {
		close(ends[1]);
		tend(ends[0], folder);
	}
	close(ends[0]);
	lifeline = ends[1];
	/* Not before it is out of reach of what may kill us. */
	while (janitor > 0 && read(lifeline, &byte, 1) < 0 && errno == EINTR)
		continue;
}

void janitor_finish(const char *folder)
{
	if (lifeline >= 0)
		close(lifeline);
	lifeline = -1;
	if (janitor > 0)
		while (waitpid(janitor, NULL, 0) < 0 && errno == EINTR)
			continue;
	janitor = 0;
	/* Where there was none. */
	remove_folder(folder);
}
