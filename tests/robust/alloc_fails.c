/*
 * Preloaded: makes one allocation of a program fail, the one whose number, counted from 0 when
 * main() is about to begin, is in DEEPPROF_ALLOC_FAILS; the program's own or a library's. To
 * the descriptor in DEEPPROF_ALLOC_PLACES it writes the numbers of allocations that come from a
 * place for the first or the second time, each with which of the two it is and the place: who has
 * called whom, some functions deep, the same in each run. glibc alone.
 */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Deeper, each recursion is another place; and of the first two each is this file's. */
enum { DEPTH = 12, OWN = 2, PLACES = 1 << 16, TIMES = 2 };

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static atomic_size_t calls;
static atomic_size_t failing = SIZE_MAX;
static atomic_bool counting;
static int places_fd = -1;
static uint64_t places[PLACES];
static unsigned char times[PLACES];
static _Thread_local bool looking;

__attribute__((constructor)) static void begin(void)
{
	const char *number = getenv("DEEPPROF_ALLOC_FAILS"), *fd = getenv("DEEPPROF_ALLOC_PLACES");
	void *frames[1];

	/* The first time it allocates. */
	backtrace(frames, 1);
	places_fd = fd ? atoi(fd) : -1;
	if (number)
		atomic_store(&failing, (size_t)strtoull(number, NULL, 10));
	atomic_store(&counting, true);
}

/* Where it is in its library, wherever that has been loaded. */
static uintptr_t offset_of(void *address)
{
	Dl_info info;

	return (uintptr_t)address - (dladdr(address, &info) ? (uintptr_t)info.dli_fbase : 0);
}

/* Writes the number the first times that it is called from where it is called from. */
static void tell_new(size_t number)
{
	void *frames[DEPTH];
	uint64_t hash = 1;
	int depth;
	size_t at;

	looking = true;
	depth = backtrace(frames, DEPTH);
	for (int i = OWN; i < depth; i++)
		hash = (hash ^ offset_of(frames[i])) * UINT64_C(0x9e3779b97f4a7c15);
	for (at = hash >> 48; places[at] && places[at] != hash; at = (at + 1) % PLACES)
		;
	places[at] = hash;
	if (times[at] < TIMES)
		dprintf(places_fd, "%zu %d %" PRIx64 "\n", number, times[at]++, hash);
	looking = false;
}

static bool fails(void)
{
	size_t number;

	if (looking || !atomic_load(&counting))
		return false;
	number = atomic_fetch_add(&calls, 1);
	if (places_fd >= 0)
		tell_new(number);
	if (number != atomic_load(&failing))
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return fails() ? NULL : __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return fails() ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
	void *memory = fails() ? NULL : __libc_memalign(alignment, size);

	if (!memory)
		return ENOMEM;
	*out = memory;
	return 0;
}
