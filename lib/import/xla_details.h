/*
 * XLA's description of a copy, a memset or an allocation as text: "kind_src:pinned kind_dst:device
 * size:64 dest:0 async:1", "kind:device num_bytes:64". XPlanes have it as a stat, trace.json as an
 * argument.
 */
#ifndef DP_IMPORT_XLA_DETAILS_H
#define DP_IMPORT_XLA_DETAILS_H

#include "trace/builder.h"

/* Returns the number after key, as in "size:"; 0 if key is missing. */
uint64_t dp_xla_details__number(const char *text, size_t length, const char *key);

/* Returns the kind of memory after key; DP_MEMORY_UNKNOWN if it is missing or unknown. */
enum dp_memory_kind dp_xla_details__memory(const char *text, size_t length, const char *key);

/* Sets the bytes and the kinds of memory of a copy or a memset. */
void dp_xla_details__describe(struct dp_op *op, const char *text, size_t length);

#endif
