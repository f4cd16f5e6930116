/* The program under test: words that create processes. */
#include "fake_app.h"

#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Before LLVM 18 AddressSanitizer does not take its locks around fork() (llvm-project pull request
 * 75290). Where a thread of the collector's allocated at that moment, threads of the child would
 * wait for such a lock for ever: the C library's allocator does not do that to them.
 */
#if defined(__clang__) && __clang_major__ < 18
#if __has_feature(address_sanitizer)
#define LOCKS_SANITIZER 1
#endif
#endif

#ifdef LOCKS_SANITIZER
void lock_threads(void) __asm__("_ZN6__lsan18LockThreadRegistryEv");
void lock_allocator(void) __asm__("_ZN6__lsan13LockAllocatorEv");
void lock_stacks(void) __asm__("_ZN11__sanitizer17StackDepotLockAllEv");
void unlock_threads(void) __asm__("_ZN6__lsan20UnlockThreadRegistryEv");
void unlock_allocator(void) __asm__("_ZN6__lsan15UnlockAllocatorEv");
void unlock_stacks(void) __asm__("_ZN11__sanitizer19StackDepotUnlockAllEv");

static void before_fork(void)
{
	lock_threads();
	lock_allocator();
	lock_stacks();
}

static void after_fork(void)
{
	unlock_stacks();
	unlock_allocator();
	unlock_threads();
}
#else
static void before_fork(void)
{
}

static void after_fork(void)
{
}
#endif

void app_prepare_forks(void)
{
	if (pthread_atfork(before_fork, after_fork, after_fork))
		abort();
}

void app_children(uint64_t count, int with_cuda)
{
	for (uint64_t i = 0; i < count; i++) {
		pid_t child = fork();

		if (child < 0)
			abort();
		if (!child) {
			if (with_cuda) {
				cuInit(0);
				app_find_fake(getenv("DEEPPROF_CUPTI"));
			} else if (app_fake) {
				app_fake->pretend();
			}
			app_launch(100);
			if (i % 2)
				exit(0);
			_exit(0);
		}
		if (waitpid(child, NULL, 0) != child)
			abort();
	}
}

/* Unlike fork(), it runs no handlers in the child. */
void app_clones(uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);

		if (child < 0)
			abort();
		if (!child) {
			app_fake->pretend();
			app_nvtx(10);
			if (i % 2)
				exit(0);
			_exit(0);
		}
		if (waitpid(child, NULL, 0) != child)
			abort();
	}
}

static pid_t vfork_one(void)
{
	pid_t child = vfork();

	if (!child)
		_exit(127);
	return child;
}

void app_vforks(uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		pid_t child = vfork_one();

		if (child < 0 || waitpid(child, NULL, 0) != child)
			abort();
	}
}

void app_leave(uint64_t ms)
{
	pid_t child = fork();

	if (child < 0)
		abort();
	if (child)
		return;
	/* Nobody waits for it, not even at the end of a pipe. */
	if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
		abort();
	usleep((useconds_t)ms * 1000);
	_exit(0);
}

/* All at once, each with 1,000 launches. */
void app_ranks(uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		pid_t child = fork();

		if (child < 0)
			abort();
		if (!child) {
			cuInit(0);
			app_find_fake(getenv("DEEPPROF_CUPTI"));
			app_launch(1000);
			exit(0);
		}
	}
	while (waitpid(-1, NULL, 0) > 0)
		;
}

void app_be_daemon(void)
{
	pid_t child = fork();

	if (child < 0)
		abort();
	if (child)
		_exit(0);
	setsid();
	child = fork();
	if (child < 0)
		abort();
	if (child)
		_exit(0);
	/* Like daemons, whose output goes nowhere. */
	if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
		abort();
	usleep(100000);
}

void app_spawn(uint64_t count)
{
	char name[] = "true", *const words[] = { name, NULL };
	pid_t child;

	for (uint64_t i = 0; i < count; i++)
		if (posix_spawnp(&child, "true", NULL, NULL, words, environ) ||
		    waitpid(child, NULL, 0) != child)
			abort();
}

void app_inherited(void)
{
	char name[] = "ls", option[] = "-l", folder[] = "/proc/self/fd";
	char *const words[] = { name, option, folder, NULL };
	pid_t child;

	if (posix_spawnp(&child, "ls", NULL, NULL, words, environ) ||
	    waitpid(child, NULL, 0) != child)
		abort();
}
