/*
 * Preloaded into the program: lets the collector finish before _exit(), by which the children that
 * Python forks leave without running atexit(). It does nothing else, and nothing at all where the
 * collector is not there.
 */
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT void (*deepprof_exit_hook)(void) = NULL;

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
