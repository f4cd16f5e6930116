/*
 * Preloaded into the program. Lets the collector finish before _exit(), with which children forked
 * by Python end without running atexit() handlers, and notes the processors that the process was
 * started on, before it binds its threads. Does nothing else.
 */
#include <sched.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT void (*deepprof_exit_hook)(void) = NULL;

/* For the collector's threads; empty if unknown. */
EXPORT extern cpu_set_t deepprof_processors;
cpu_set_t deepprof_processors;

__attribute__((constructor)) static void note_processors(void)
{
	/* Makes the system call, because the program may replace the C library's function. */
	syscall(SYS_sched_getaffinity, 0, sizeof(deepprof_processors), &deepprof_processors);
}

EXPORT _Noreturn void _exit(int status);
EXPORT _Noreturn void _Exit(int status);

_Noreturn void _exit(int status)
{
	void (*hook)(void) = __atomic_load_n(&deepprof_exit_hook, __ATOMIC_ACQUIRE);

	if (hook)
		hook();
	for (;;)
		syscall(SYS_exit_group, status);
}

_Noreturn void _Exit(int status)
{
	_exit(status);
}
