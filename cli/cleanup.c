/* Temporary files and the signals that could leave them behind. */
#include "cleanup.h"

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { NAMES = 8 };

static struct {
	volatile int folder;
	const char *volatile name;
} temporary[NAMES];
static struct sigaction pipe_action;
static bool held[3]; /* descriptors that had been closed */

static const int fatal[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU };

/* Makes only calls that are safe in a handler (POSIX 2.4.3). */
static void on_signal(int number)
{
	for (size_t i = NAMES; i-- > 0;) {
		const char *name = temporary[i].name;

		if (name && unlinkat(temporary[i].folder, name, 0))
			unlinkat(temporary[i].folder, name, AT_REMOVEDIR);
	}
	/* SA_RESETHAND: this one ends the process. */
	raise(number);
}

static void catch_fatal(void)
{
	struct sigaction action, old;

	memset(&action, 0, sizeof(action));
	action.sa_handler = on_signal;
	action.sa_flags = (int)(SA_RESETHAND | SA_RESTART);
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++)
		/* Ignored signals stay ignored: nohup. */
		if (!sigaction(fatal[i], NULL, &old) && old.sa_handler == SIG_DFL)
			sigaction(fatal[i], &action, NULL);
}

void cleanup_hold(sigset_t *before)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++)
		sigaddset(&set, fatal[i]);
	sigprocmask(SIG_BLOCK, &set, before);
}

void cleanup_release(const sigset_t *before)
{
	sigprocmask(SIG_SETMASK, before, NULL);
}

bool cleanup_add(int folder, const char *name)
{
	catch_fatal();
	for (size_t i = 0; i < NAMES; i++) {
		if (temporary[i].name)
			continue;
		temporary[i].folder = folder;
		temporary[i].name = name;
		return true;
	}
	return false;
}

void cleanup_forget(const char *name)
{
	for (size_t i = 0; i < NAMES; i++)
		if (temporary[i].name == name)
			temporary[i].name = NULL;
}

void cleanup_die_of_pipe(void)
{
	if (pipe_action.sa_handler != SIG_DFL)
		return;
	sigaction(SIGPIPE, &pipe_action, NULL);
	raise(SIGPIPE);
}

/* Occupies a closed standard descriptor, so that no file gets it; writes still fail with EBADF. */
static void hold(int fd)
{
	int other;

	if (fcntl(fd, F_GETFD) >= 0)
		return;
	held[fd] = true;
	other = open("/dev/null", fd ? O_RDONLY : O_WRONLY);
	if (other >= 0 && other != fd) {
		dup2(other, fd);
		close(other);
	}
}

static void do_nothing(int number)
{
	(void)number;
}

/* A file that becomes larger than allowed is an error. Unlike SIG_IGN, this ends with exec(). */
static void survive_size_limit(void)
{
	struct sigaction action, old;

	memset(&action, 0, sizeof(action));
	action.sa_handler = do_nothing;
	sigemptyset(&action.sa_mask);
	if (!sigaction(SIGXFSZ, NULL, &old) && old.sa_handler == SIG_DFL)
		sigaction(SIGXFSZ, &action, NULL);
}

void cleanup_init(void)
{
	struct sigaction ignore;

	for (int fd = 0; fd <= 2; fd++)
		hold(fd);
	memset(&ignore, 0, sizeof(ignore));
	ignore.sa_handler = SIG_IGN;
	sigemptyset(&ignore.sa_mask);
	sigaction(SIGPIPE, &ignore, &pipe_action);
	survive_size_limit();
}

void cleanup_restore(void)
{
	sigaction(SIGPIPE, &pipe_action, NULL);
	for (int fd = 0; fd <= 2; fd++)
		if (held[fd])
			close(fd);
}
