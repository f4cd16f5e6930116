/* A pager between the report and the terminal. */
#ifndef DP_CLI_PAGER_H
#define DP_CLI_PAGER_H

#include <stdbool.h>
#include <sys/types.h>

struct pager {
	int fd; /* write here; -1: there is none */
	pid_t pid;
	int terminal; /* what stdout was */
};

#define PAGER_INIT        \
	{                 \
		-1, 0, -1 \
	}

/*
 * Starts $DEEPPROF_PAGER, or $PAGER, or less, on standard output. An empty name and "cat" stand for
 * none, as does a dumb terminal. Where nothing can be started, fd stays -1.
 */
void pager_start(struct pager *pager);

/*
 * What is printed to stdout from here on is for the pager, where stdout is a terminal; and the end
 * of that. False as that of pager_wait().
 */
void pager_take_stdout(struct pager *pager);
bool pager_return_stdout(struct pager *pager);

/*
 * Closes the pipe and waits until the reader is done. Returns false after printing the error if it
 * could not run.
 */
bool pager_wait(struct pager *pager);

#endif
