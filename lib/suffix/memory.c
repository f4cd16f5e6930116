/* Aligned allocation, and the hint that asks for huge pages. */
#include "suffix/memory.h"
#include "base/base.h"

#include <sys/mman.h>

#define HUGE_PAGE ((size_t)2 << 20)

void *dp_memory__alloc(size_t count, size_t size)
{
	size_t bytes = dp_size__mul(count, size);
	void *memory;

	if (bytes < 2 * HUGE_PAGE)
		return dp_alloc__array(count, size);
	if (bytes > SIZE_MAX - HUGE_PAGE)
		return NULL;
	bytes = (bytes + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
	memory = aligned_alloc(HUGE_PAGE, bytes);
#ifdef MADV_HUGEPAGE
	/* Only a hint: where it is refused, everything works, slower. */
	if (memory)
		(void)madvise(memory, bytes, MADV_HUGEPAGE);
#endif
	return memory;
}
