/* A pager between the report and the terminal. */
#ifndef DP_CLI_PAGER_H
#define DP_CLI_PAGER_H

#include <stdbool.h>
#include <sys/types.h>

struct pager {
	int fd; /* write here; -1: none */
	pid_t pid;
	int terminal; /* the original stdout */
};

#define PAGER_INIT        \
	{                 \
		-1, 0, -1 \
	}

/*
 * Starts $DEEPPROF_PAGER, or $PAGER, or less, on standard output. An empty name, "cat" and a dumb
 * terminal mean no pager. If nothing can be started, fd stays -1.
 */
void pager_start(struct pager *pager);

/*
 * Start and end paging what is printed to stdout, if that is a terminal. The latter returns false
 * like pager_wait().
 */
void pager_take_stdout(struct pager *pager);
bool pager_return_stdout(struct pager *pager);

/*
 * Closes the pipe and waits for the pager to end. Returns false after printing the error if it
 * could not run.
 */
bool pager_wait(struct pager *pager);

#endif
