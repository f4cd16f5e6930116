/* The pager. */
#include "pager.h"
#include "message.h"
#include "spawn.h"
#include "tty.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Returns the command, or NULL. */
static const char *command(void)
{
	const char *name = getenv("DEEPPROF_PAGER");

	if (!name)
		name = getenv("PAGER");
	if (!name)
		name = spawn_find("less", NULL, 0) ? "less" : "";
	if (!*name || !strcmp(name, "cat") || tty_is_dumb())
		return NULL;
	return name;
}

static void run_child(const char *name, int in)
{
	dup2(in, STDIN_FILENO);
	signal(SIGPIPE, SIG_DFL);
	/*
	 * Quit if one screen, show colors, do not clear the screen: the user's LESS has priority.
	 */
	setenv("LESS", "FRX", 0);
	execl("/bin/sh", "sh", "-c", name, (char *)NULL);
	_exit(127);
}

void pager_start(struct pager *pager)
{
	const char *name = command();
	int ends[2];

	if (!name || pipe(ends))
		return;
	fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	fcntl(ends[1], F_SETFD, FD_CLOEXEC);
	pager->pid = fork();
	if (!pager->pid)
		run_child(name, ends[0]);
	close(ends[0]);
	if (pager->pid < 0) {
		close(ends[1]);
		return;
	}
	/* From here on, keys are for the pager. */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	pager->fd = ends[1];
}

bool pager_wait(struct pager *pager)
{
	int status = 0;

	close(pager->fd);
	pager->fd = -1;
	while (waitpid(pager->pid, &status, 0) < 0)
		if (errno != EINTR)
			return true;
	if (!WIFEXITED(status))
		return true;
	switch (WEXITSTATUS(status)) {
	case 126: /* the shell's status for a command that cannot be run or does not exist */
	case 127:
		message("the pager cannot be run; check PAGER, or use --no-pager");
		return false;
	case 1:
		message("the pager failed; check PAGER, or use --no-pager");
		return false;
	default:
		return true;
	}
}

void pager_take_stdout(struct pager *pager)
{
	if (!tty_is_terminal(STDOUT_FILENO))
		return;
	pager->terminal = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (pager->terminal < 0)
		return;
	pager_start(pager);
	if (pager->fd < 0) {
		close(pager->terminal);
		return;
	}
	dup2(pager->fd, STDOUT_FILENO);
}

bool pager_return_stdout(struct pager *pager)
{
	if (pager->fd < 0)
		return true;
	/* The reader may have quit. */
	if (fflush(stdout))
		clearerr(stdout);
	dup2(pager->terminal, STDOUT_FILENO);
	close(pager->terminal);
	return pager_wait(pager);
}
