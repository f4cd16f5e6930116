/*
 * When a thread was not on a processor, and why: perf_event_open(2) with software events only,
 * which a user may open for the own processes where kernel.perf_event_paranoid is at most 2.
 */
#ifndef DP_RECORD_SWITCHES_H
#define DP_RECORD_SWITCHES_H

#include "base/base.h"

#include <sys/types.h>

/* Why it was not: as off_cpu.kind in the trace file. */
enum { DP_SWITCHES_BLOCKED, DP_SWITCHES_PREEMPTED, DP_SWITCHES_FAULT };

/* CLOCK_MONOTONIC. */
struct dp_switches_off {
	int64_t start_ns;
	int64_t end_ns;
	uint32_t kind;
};

struct dp_switches;

/*
 * Follows a thread from now on. errno says why not: EACCES or EPERM (not allowed), ENOSYS,
 * ENOMEM; of threads that are gone, ESRCH. NULL where it can't.
 */
struct dp_switches *dp_switches__open(pid_t tid);
void dp_switches__close(struct dp_switches *switches);

/*
 * Takes up to `most` intervals that are over; fewer than that: there are no more yet. If finish,
 * also the last, which a page fault could still explain. Never waits. What the kernel had no room
 * for is left out.
 */
size_t dp_switches__take(struct dp_switches *switches, struct dp_switches_off *offs, size_t most,
			 bool finish);

#endif
