/* Memory for arrays that are accessed at random and are larger than a TLB reaches. */
#ifndef DP_SUFFIX_MEMORY_H
#define DP_SUFFIX_MEMORY_H

#include <stddef.h>

/* An array of count things, not cleared, in huge pages where the system has them. free() it. */
void *dp_memory__alloc(size_t count, size_t size);

#endif
