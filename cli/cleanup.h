/*
 * Temporary files: removed when a signal ends the program. What is registered here is unlinked
 * (directories: removed) in reverse order by the handlers of SIGINT, SIGTERM and SIGHUP, which
 * then let the signal do what it does.
 */
#ifndef DP_CLI_CLEANUP_H
#define DP_CLI_CLEANUP_H

#include <signal.h>
#include <stdbool.h>

/* Around making what is then registered: those signals wait. */
void cleanup_hold(sigset_t *before);
void cleanup_release(const sigset_t *before);

/*
 * The name in an open folder; both are borrowed until cleanup_forget(), which knows the name by its
 * address. False where there is no room for one more.
 */
bool cleanup_add(int folder, const char *name);
void cleanup_forget(const char *name);

/* Ends by SIGPIPE as a program would that never looked, or returns where that is ignored. */
void cleanup_die_of_pipe(void);

/* At start: writes to a closed pipe become EPIPE, and descriptors 0 to 2 are made sure of. */
void cleanup_init(void);

/* Undoes that, for a program that is run in this one's place. */
void cleanup_restore(void);

#endif
