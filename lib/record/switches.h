/*
 * Records when a thread was off a processor, and why: perf_event_open(2) with software events only,
 * which users may open for their own processes if kernel.perf_event_paranoid is at most 2.
 */
#ifndef DP_RECORD_SWITCHES_H
#define DP_RECORD_SWITCHES_H

#include "base/base.h"

#include <sys/types.h>

/* Why it was off: as off_cpu.kind in the trace file. */
enum { DP_SWITCHES_BLOCKED, DP_SWITCHES_PREEMPTED, DP_SWITCHES_FAULT };

/* CLOCK_MONOTONIC. */
struct dp_switches_off {
	int64_t start_ns;
	int64_t end_ns;
	uint32_t kind;
};

struct dp_switches;

/*
 * Follows a thread from now on. On failure returns NULL and sets errno: EACCES or EPERM (not
 * allowed), ENOSYS, ENOMEM, or ESRCH if the thread is gone.
 */
struct dp_switches *dp_switches__open(pid_t tid);
void dp_switches__close(struct dp_switches *switches);

/*
 * Returns true if the thread has been off a processor since all that was taken: nothing is left to
 * take, and the last that was taken is that it left.
 */
bool dp_switches__slept(const struct dp_switches *switches);

/*
 * Takes up to `most` finished intervals; if it returns fewer, there are no more yet. If finish, also
 * takes one that a page fault could still explain. Never waits. Intervals that the kernel had no
 * room for are lost.
 */
size_t dp_switches__take(struct dp_switches *switches, struct dp_switches_off *offs, size_t most,
			 bool finish);

#endif
