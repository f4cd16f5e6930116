/*
 * Memory for SQLite in the fuzzers. Most of a run's allocations are SQLite's, and under
 * AddressSanitizer those would take most of its time. Blocks are kept by size instead of being
 * freed, and all but the bytes in use is poisoned, so that reading beyond a value of SQLite's, or
 * after it was freed, is still found.
 */
#include <sqlite3.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ASAN 1
#endif
#endif

#ifdef HAS_ASAN
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#endif

/* Sizes are powers of two from 64 bytes to 512 KiB; what is larger goes to malloc(). */
enum { SMALLEST_SHIFT = 6, CLASSES = 14, REDZONE = 16 };

/* Before each block, in 16 bytes, so that blocks are aligned as those of malloc(). */
struct head {
	uint32_t bytes; /* that are in use */
	uint32_t class;
	struct head *next; /* among the free ones */
};

_Static_assert(sizeof(struct head) == 16, "blocks are aligned");

static struct head *free_blocks[CLASSES];

static struct head *head_of(void *block)
{
	return (struct head *)block - 1;
}

static size_t room_of(uint32_t class)
{
	return (size_t)1 << (SMALLEST_SHIFT + class);
}

static void *allocate(int bytes)
{
	uint32_t class = 0;
	struct head *head;
	size_t room;

	while (class < CLASSES && room_of(class) < (size_t)bytes + REDZONE)
		class ++;
	room = class < CLASSES ? room_of(class) : (size_t)bytes + REDZONE;
	head = class < CLASSES ? free_blocks[class] : NULL;
	if (head)
		free_blocks[class] = head->next;
	else
		head = malloc(sizeof(*head) + room);
	if (!head)
		return NULL;
	*head = (struct head){ (uint32_t)bytes, class, NULL };
	ASAN_POISON_MEMORY_REGION(head + 1, room);
	ASAN_UNPOISON_MEMORY_REGION(head + 1, (size_t)bytes);
	return head + 1;
}

static void release(void *block)
{
	struct head *head = block ? head_of(block) : NULL;

	if (!head)
		return;
	if (head->class == CLASSES) {
		ASAN_UNPOISON_MEMORY_REGION(block, head->bytes + REDZONE);
		free(head);
		return;
	}
	ASAN_POISON_MEMORY_REGION(block, room_of(head->class));
	head->next = free_blocks[head->class];
	free_blocks[head->class] = head;
}

static int size_of(void *block)
{
	return block ? (int)head_of(block)->bytes : 0;
}

static void *reallocate(void *block, int bytes)
{
	void *made = allocate(bytes);

	if (!made)
		return NULL;
	memcpy(made, block, (size_t)(size_of(block) < bytes ? size_of(block) : bytes));
	release(block);
	return made;
}

static int round_up(int bytes)
{
	return (bytes + 7) & ~7;
}

static int begin(void *ctx)
{
	return SQLITE_OK;
}

static void end(void *ctx)
{
}

/* Before main(), as SQLite wants this before its first use. The fuzzers have one thread. */
__attribute__((constructor)) static void give_memory(void)
{
	static const sqlite3_mem_methods methods = { allocate, release, reallocate, size_of,
						     round_up, begin,	end,	    NULL };

	sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
}
