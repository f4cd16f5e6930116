/* Arrays of checked sizes: allocated, in huge pages, growing. */
#include "base/base.h"

#include <string.h>
#include <sys/mman.h>

#define HUGE_PAGE ((size_t)2 << 20)

void *dp_alloc__array(size_t count, size_t size)
{
	size_t bytes = dp_size__mul(count, size);

	if (bytes == SIZE_MAX)
		return NULL;
	return malloc(bytes ? bytes : 1);
}

void *dp_alloc__zeroed(size_t count, size_t size)
{
	return calloc(count ? count : 1, size ? size : 1);
}

void *dp_alloc__huge(size_t count, size_t size)
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

/* The array's pointer has the caller's type, so it is copied, never punned. */
static int resize(void *data, size_t *room, size_t count, size_t size)
{
	size_t bytes = dp_size__mul(count, size);
	void *old, *grown;

	if (bytes == SIZE_MAX)
		return DP_ERR_NOMEM;
	memcpy(&old, data, sizeof(old));
	grown = realloc(old, bytes ? bytes : 1);
	if (!grown)
		return DP_ERR_NOMEM;
	memcpy(data, &grown, sizeof(grown));
	*room = count;
	return DP_OK;
}

int dp_array__reserve(void *data, size_t *room, size_t need, size_t size)
{
	size_t want;

	if (need <= *room)
		return DP_OK;
	want = *room + *room / 2;
	if (want < need)
		want = need;
	if (want < 16)
		want = 16;
	return resize(data, room, want, size);
}

void dp_array__shrink(void *data, size_t *room, size_t count, size_t size)
{
	if (count < *room)
		(void)resize(data, room, count, size);
}
