/* Shared by the collector's threads and the program's. */
#include "cupti/collector.h"

#include <dlfcn.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

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
