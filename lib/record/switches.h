/*
 * Records when a thread was off a processor, and why, and now and then its call stack while it is on
 * one: perf_event_open(2) with software events only, which users may open for their own processes
 * if kernel.perf_event_paranoid is at most 2.
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

/* Receives a call stack: addresses of code, the innermost first. CLOCK_MONOTONIC. */
struct dp_switches_sink {
	void (*stack)(void *ctx, int64_t time_ns, const uint64_t *addresses, size_t count);
	void *ctx;
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
 * takes one that a page fault could still explain. Passes all call stacks up to then to sink. Never
 * waits. What the kernel had no room for is lost.
 */
size_t dp_switches__take(struct dp_switches *switches, struct dp_switches_off *offs, size_t most,
			 bool finish, const struct dp_switches_sink *sink);

#endif
