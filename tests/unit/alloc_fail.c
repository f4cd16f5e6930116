/* The allocator's wrappers, see alloc_fail.h. */
#include "alloc_fail.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The linker's names for the original functions and for their replacements. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *memory);
char *__wrap_strdup(const char *text);

static atomic_size_t calls;
static atomic_size_t first_failure = SIZE_MAX;
static atomic_size_t last_failure;
static atomic_size_t failures;

static atomic_size_t held;
static atomic_size_t most_held;

static void start(size_t first, size_t last)
{
	atomic_store(&first_failure, SIZE_MAX);
	atomic_store(&calls, 0);
	atomic_store(&failures, 0);
	atomic_store(&last_failure, last);
	atomic_store(&first_failure, first);
}

void alloc_fail_after(size_t k)
{
	start(k, k);
}

void alloc_fail_from(size_t k)
{
	start(k, SIZE_MAX);
}

bool alloc_fail_stop(void)
{
	atomic_store(&first_failure, SIZE_MAX);
	return atomic_load(&failures) > 0;
}

size_t alloc_fail_count(void)
{
	return atomic_load(&calls);
}

static bool fails(void)
{
	size_t k = atomic_fetch_add(&calls, 1);

	if (k < atomic_load(&first_failure) || k > atomic_load(&last_failure))
		return false;
	atomic_fetch_add(&failures, 1);
	errno = ENOMEM;
	return true;
}

static void *hold(void *memory)
{
	size_t now, most = atomic_load(&most_held);

	if (!memory)
		return NULL;
	now = atomic_fetch_add(&held, malloc_usable_size(memory)) + malloc_usable_size(memory);
	while (now > most && !atomic_compare_exchange_weak(&most_held, &most, now))
		;
	return memory;
}

size_t alloc_held(void)
{
	atomic_store(&most_held, atomic_load(&held));
	return atomic_load(&held);
}

size_t alloc_most_held(void)
{
	return atomic_load(&most_held);
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : hold(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : hold(__real_calloc(count, size));
}

/* a large block must not exist twice: the kernel moves its pages */
void *__wrap_realloc(void *old, size_t size)
{
	size_t before = old ? malloc_usable_size(old) : 0;
	void *memory;

	if (fails())
		return NULL;
	memory = __real_realloc(old, size);
	if (memory || !size) {
		atomic_fetch_sub(&held, before);
		hold(memory);
	}
	return memory;
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
	return fails() ? NULL : hold(__real_aligned_alloc(alignment, size));
}

void __wrap_free(void *memory)
{
	if (memory)
		atomic_fetch_sub(&held, malloc_usable_size(memory));
	__real_free(memory);
}

char *__wrap_strdup(const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = __wrap_malloc(size);

	return copy ? memcpy(copy, text, size) : NULL;
}
