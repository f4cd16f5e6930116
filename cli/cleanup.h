/*
 * Temporary files that are removed when a signal ends the program. The handlers of SIGINT, SIGTERM
 * and SIGHUP unlink registered files (and remove directories) in reverse order, and then let the
 * signal have its effect.
 */
#ifndef DP_CLI_CLEANUP_H
#define DP_CLI_CLEANUP_H

#include <signal.h>
#include <stdbool.h>

/* Delays those signals while something is created and registered. */
void cleanup_hold(sigset_t *before);
void cleanup_release(const sigset_t *before);

/*
 * Registers a name in an open folder; both are borrowed until cleanup_forget(), which compares the
 * name's address. Returns false if the list is full.
 */
bool cleanup_add(int folder, const char *name);
void cleanup_forget(const char *name);

/* Ends the program by SIGPIPE, like one without a handler; returns if SIGPIPE is ignored. */
void cleanup_die_of_pipe(void);

/* Call at the start: writes to a closed pipe return EPIPE, and descriptors 0 to 2 are open. */
void cleanup_init(void);

/* Undoes that before another program is executed. */
void cleanup_restore(void);

#endif
