/*
 * A thread that follows (follow.h) all processes of a recording, and reports when they have had the
 * iterations that were wanted.
 */
#ifndef DP_RECORD_WATCH_H
#define DP_RECORD_WATCH_H

#include "record/follow.h"

struct dp_watch;

/* Starts the thread. Errors: DP_ERR_NOMEM, DP_ERR_IO. */
int dp_watch__start(struct dp_watch **out, uint64_t wanted);

/* Ends the thread; its results stay available. NULL is allowed here and in dp_watch__free(). */
void dp_watch__stop(struct dp_watch *watch);
void dp_watch__free(struct dp_watch *watch);

/* Readable after a change, until dp_watch__clear(). */
int dp_watch__fd(const struct dp_watch *watch);
void dp_watch__clear(struct dp_watch *watch);

/*
 * Follows another spool, and owns its descriptor if it returns DP_OK; *index is its number. Errors:
 * DP_ERR_NOMEM.
 */
int dp_watch__add(struct dp_watch *watch, int spool_fd, size_t *index);

/* Notes that the process of that spool is gone. */
void dp_watch__end(struct dp_watch *watch, size_t index);

struct dp_follow_state dp_watch__state(struct dp_watch *watch, size_t index);

/*
 * Returns true if at least one process has had enough for a while, and so has every other that has
 * a loop and still runs. Ranks of a job do the same, but not quite at the same time; helpers have
 * no loop.
 */
bool dp_watch__enough(struct dp_watch *watch);

#endif
