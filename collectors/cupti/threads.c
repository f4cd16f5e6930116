/*
 * Shared by the collector's threads and the program's: wakes and waits, what a thread begins with,
 * and when recording went off and on, from the thread that turns it to the one that stores.
 */
#include "cupti/collector.h"

#include <dlfcn.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* How long a moment waits for room. */
#define WAIT_MS 100

void dp_wake(_Atomic uint32_t *word)
{
	atomic_fetch_add(word, 1);
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

void dp_wait(_Atomic uint32_t *word, uint32_t value, uint64_t ms)
{
	struct timespec limit = { (time_t)(ms / 1000), (long)(ms % 1000) * 1000000 };

	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &limit, NULL, 0);
}

/*
 * A thread starts on the processors of its creator, which may be bound to one. exit_guard.c noted
 * the processors that the process was started on.
 */
void dp_threads__use_all_processors(void)
{
	const cpu_set_t *all = (const cpu_set_t *)dlsym(RTLD_DEFAULT, "deepprof_processors");

	if (all)
		(void)sched_setaffinity(0, sizeof(*all), all);
}

/*
 * Exit handlers run in reverse order, and CUPTI's objects are destroyed by handlers that it
 * registers when it is loaded and first called; libcuda has one as well. A handler registered after
 * those flushes while they exist. If this fails, finish_late() remains.
 */
void dp_threads__finish_first(void)
{
	(void)atexit(dp_collector.finish);
}

/* The writer may be waiting for a disk: moments that find no room after a while are dropped. */
static bool has_room(struct collector *c)
{
	int64_t limit = clock_ns(CLOCK_MONOTONIC) + (int64_t)WAIT_MS * 1000000;
	const struct timespec pause = { 0, 100000 };

	while (atomic_load(&c->switched) - atomic_load(&c->switches_taken) >= SWITCHES) {
		if (clock_ns(CLOCK_MONOTONIC) >= limit || atomic_load(&c->writer_done))
			return false;
		dp_wake(&c->writer_wake);
		nanosleep(&pause, NULL);
	}
	return true;
}

/*
 * The times matter: an unrecorded interval must not look like the program's. A capture range may be
 * as short as a call, so the writer, which looks every 20 ms, would miss it.
 */
void dp_switches__note(bool on, int64_t realtime_ns)
{
	struct collector *c = &dp_collector;
	uint32_t at = atomic_load(&c->switched);

	/* If a moment was dropped, two of a kind follow each other, and the first counts. */
	if (!has_room(c))
		return;
	c->switches[at % SWITCHES] = (struct moment){ realtime_ns, on };
	atomic_store(&c->switched, at + 1);
}

bool dp_switches__take(struct moment *out)
{
	struct collector *c = &dp_collector;
	uint32_t at = atomic_load(&c->switches_taken);

	if (at == atomic_load(&c->switched))
		return false;
	*out = c->switches[at % SWITCHES];
	atomic_store(&c->switches_taken, at + 1);
	return true;
}
