/*
 * A thread that follows (follow.h) all processes of a recording, and tells when they have had the
 * iterations that were wanted.
 */
#ifndef DP_RECORD_WATCH_H
#define DP_RECORD_WATCH_H

#include "record/follow.h"

struct dp_watch;

/* Starts it. Errors: DP_ERR_NOMEM, DP_ERR_IO. */
int dp_watch__start(struct dp_watch **out, uint64_t wanted);

/* Ends the thread; what it has found can still be asked for. NULL is allowed, of the other too. */
void dp_watch__stop(struct dp_watch *watch);
void dp_watch__free(struct dp_watch *watch);

/* Readable when something is new, which dp_watch__clear() undoes. */
int dp_watch__fd(const struct dp_watch *watch);
void dp_watch__clear(struct dp_watch *watch);

/*
 * Follows one more spool, and owns its descriptor where that is DP_OK; *index is its number. Error:
 * DP_ERR_NOMEM.
 */
int dp_watch__add(struct dp_watch *watch, int spool_fd, size_t *index);

/* The process of that spool is gone. */
void dp_watch__end(struct dp_watch *watch, size_t index);

struct dp_follow_state dp_watch__state(struct dp_watch *watch, size_t index);

/*
 * Of all: at least one has had enough, for a while, and every other that has a loop and still runs
 * has as well. Ranks of a job do the same, but not quite at the same time; helpers have no loop.
 */
bool dp_watch__enough(struct dp_watch *watch);

#endif
