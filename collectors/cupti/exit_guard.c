/*
 * Preloaded into the program: lets the collector finish before _exit(), by which the children that
 * Python forks leave without running atexit(), and notes the processors that the process was
 * started on, before it binds its threads. It does nothing else.
 */
#include <sched.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT void (*deepprof_exit_hook)(void) = NULL;

/* For the collector's threads; empty where it is not known. */
EXPORT extern cpu_set_t deepprof_processors;
cpu_set_t deepprof_processors;

__attribute__((constructor)) static void note_processors(void)
{
	/* The system call, as the C library's function may be the program's own. */
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
