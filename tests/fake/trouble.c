/*
 * Preloaded into a program under test: what the collector asks of the system fails, or the clock
 * steps.
 *
 *   TROUBLE_CALL=K    the K-th call of the collector's fails, the first is 1; with TROUBLE_ON=1 all
 *                     from there on do
 *   TROUBLE_NAME=F    only calls of the function F count, and all of them fail
 *   TROUBLE_COUNT=F   a file of 8 bytes: how many calls there were
 *   TROUBLE_STEP=MS,S from MS milliseconds after the start on, the day's time is S seconds off;
 *                     with TROUBLE_STEP_AT=FILE, from when that file exists on
 *   TROUBLE_AGE=S     from the program's call of trouble_age() on the monotonic clock is S seconds
 *                     ahead
 *   TROUBLE_FAST=N    for the collector it runs N times as fast
 *   TROUBLE_LATE=MS   the collector's first look at the day's time takes so long
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static long chosen, step_ms, step_s, age_s, fast;
static _Atomic long late_ms;
static bool from_there_on, have_step;
static _Atomic bool aged, stepped;
static const char *only, *step_file;
static _Atomic uint64_t own_count, *count = &own_count;
static struct timespec began;

/* Directly from the kernel, past the functions here. */
static void now(clockid_t clock, struct timespec *out)
{
	syscall(SYS_clock_gettime, clock, out);
}

static void map_count(const char *path)
{
	int fd = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC) : -1;
	void *map;

	if (fd < 0)
		return;
	map = (void *)syscall(SYS_mmap, NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map != MAP_FAILED)
		count = map;
	syscall(SYS_close, fd);
}

__attribute__((constructor)) static void start(void)
{
	const char *call = getenv("TROUBLE_CALL"), *step = getenv("TROUBLE_STEP");
	const char *late = getenv("TROUBLE_LATE"), *age = getenv("TROUBLE_AGE");
	const char *times = getenv("TROUBLE_FAST");

	now(CLOCK_MONOTONIC, &began);
	only = getenv("TROUBLE_NAME");
	from_there_on = getenv("TROUBLE_ON") != NULL;
	have_step = step && sscanf(step, "%ld,%ld", &step_ms, &step_s) == 2;
	step_file = getenv("TROUBLE_STEP_AT");
	age_s = age ? atol(age) : 0;
	map_count(getenv("TROUBLE_COUNT"));
	chosen = call ? atol(call) : 0;
	late_ms = late ? atol(late) : 0;
	fast = times ? atol(times) : 0;
}

static bool is_collectors(const void *caller)
{
	Dl_info info;

	return dladdr(caller, &info) && info.dli_fname &&
	       strstr(info.dli_fname, "libdeepprof-cupti");
}

static bool fails(const void *caller, const char *name)
{
	uint64_t number;

	if ((!chosen && !only) || !is_collectors(caller))
		return false;
	if (only && strcmp(only, name))
		return false;
	number = atomic_fetch_add(count, 1) + 1;
	if (only)
		return true;
	return number == (uint64_t)chosen || (from_there_on && number > (uint64_t)chosen);
}

/* Calls the real function, or fails. */
#define WRAP(result, name, arguments, values, failure, why)                \
	EXPORT result name arguments;                                      \
	EXPORT result name arguments                                       \
	{                                                                  \
		static result(*real) arguments;                            \
                                                                           \
		if (fails(__builtin_return_address(0), #name)) {           \
			errno = why;                                       \
			return failure;                                    \
		}                                                          \
		if (!real)                                                 \
			*(void **)(void *)&real = dlsym(RTLD_NEXT, #name); \
		return real values;                                        \
	}

WRAP(void *, mmap64, (void *at, size_t bytes, int protection, int flags, int fd, off64_t offset),
     (at, bytes, protection, flags, fd, offset), MAP_FAILED, ENOMEM)
WRAP(int, fallocate64, (int fd, int mode, off64_t offset, off64_t bytes), (fd, mode, offset, bytes),
     -1, ENOSPC)
WRAP(int, ftruncate64, (int fd, off64_t bytes), (fd, bytes), -1, EFBIG)
WRAP(int, memfd_create, (const char *name, unsigned int flags), (name, flags), -1, ENOSYS)
WRAP(int, socket, (int domain, int type, int protocol), (domain, type, protocol), -1, EMFILE)
WRAP(int, connect, (int fd, __CONST_SOCKADDR_ARG address, socklen_t bytes), (fd, address, bytes),
     -1, ECONNREFUSED)
WRAP(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags), -1,
     ENOBUFS)
WRAP(ssize_t, write, (int fd, const void *data, size_t bytes), (fd, data, bytes), -1, EIO)
WRAP(ssize_t, read, (int fd, void *data, size_t bytes), (fd, data, bytes), -1, EIO)
WRAP(ssize_t, readlink, (const char *path, char *out, size_t room), (path, out, room), -1, EACCES)
WRAP(ssize_t, process_vm_readv,
     (pid_t pid, const struct iovec *to, unsigned long tos, const struct iovec *from,
      unsigned long froms, unsigned long flags),
     (pid, to, tos, from, froms, flags), -1, EPERM)
WRAP(int, madvise, (void *at, size_t bytes, int advice), (at, bytes, advice), -1, EINVAL)
WRAP(DIR *, opendir, (const char *path), (path), NULL, EMFILE)
WRAP(int, pthread_key_create, (pthread_key_t * key, void (*end)(void *)), (key, end), EAGAIN, 0)
WRAP(int, pthread_attr_init, (pthread_attr_t * attributes), (attributes), ENOMEM, 0)
WRAP(int, pthread_create,
     (pthread_t * thread, const pthread_attr_t *attributes, void *(*function)(void *),
      void *argument),
     (thread, attributes, function, argument), EAGAIN, 0)
WRAP(void *, dlopen, (const char *path, int flags), (path, flags), NULL, 0)
WRAP(int, dlinfo, (void *library, int request, void *out), (library, request, out), -1, 0)

/* What pthread_atfork(), atexit() and at_quick_exit() call in glibc; they do not set errno. */
WRAP(int, __register_atfork,
     (void (*before)(void), void (*after)(void), void (*in_child)(void), void *library),
     (before, after, in_child, library), ENOMEM, 0)
WRAP(int, __cxa_atexit, (void (*function)(void *), void *argument, void *library),
     (function, argument, library), -1, 0)
WRAP(int, __cxa_at_quick_exit, (void (*function)(void *), void *library), (function, library), -1,
     0)

EXPORT int open64(const char *path, int flags, ...);
EXPORT int open64(const char *path, int flags, ...)
{
	va_list arguments;
	int mode;

	va_start(arguments, flags);
	mode = flags & O_CREAT ? va_arg(arguments, int) : 0;
	va_end(arguments);
	if (fails(__builtin_return_address(0), "open64")) {
		errno = EMFILE;
		return -1;
	}
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static bool is_past(long ms)
{
	struct timespec time;

	now(CLOCK_MONOTONIC, &time);
	return (time.tv_sec - began.tv_sec) * 1000 + (time.tv_nsec - began.tv_nsec) / 1000000 >= ms;
}

static bool has_stepped(void)
{
	if (have_step && !atomic_load(&stepped) &&
	    (step_file ? !access(step_file, F_OK) : is_past(step_ms)))
		atomic_store(&stepped, true);
	return atomic_load(&stepped);
}

static void run_ahead(struct timespec *time)
{
	int64_t ns = (time->tv_sec - began.tv_sec) * INT64_C(1000000000) + time->tv_nsec;

	time->tv_sec = began.tv_sec + ns * fast / 1000000000;
	time->tv_nsec = ns * fast % 1000000000;
}

EXPORT void trouble_age(void);
EXPORT void trouble_age(void)
{
	atomic_store(&aged, true);
}

EXPORT int clock_gettime(clockid_t clock, struct timespec *out);
EXPORT int clock_gettime(clockid_t clock, struct timespec *out)
{
	struct timespec time;

	if (syscall(SYS_clock_gettime, clock, out))
		return -1;
	if (late_ms && clock == CLOCK_REALTIME && is_collectors(__builtin_return_address(0))) {
		time = (struct timespec){ late_ms / 1000, late_ms % 1000 * 1000000 };
		late_ms = 0;
		nanosleep(&time, NULL);
	}
	if (clock == CLOCK_REALTIME && has_stepped())
		out->tv_sec += step_s;
	if (clock == CLOCK_MONOTONIC && atomic_load(&aged))
		out->tv_sec += age_s;
	if (fast && clock == CLOCK_MONOTONIC && is_collectors(__builtin_return_address(0)))
		run_ahead(out);
	return 0;
}
