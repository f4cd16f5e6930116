/*
 * A hash table from 128 bits to an id, in memory from the kernel: inside the profiled program
 * malloc() may be replaced, and its locks may be held by a thread that waits for the collector.
 */
#ifndef DP_SPOOL_TABLE_H
#define DP_SPOOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dp_spool_key {
	uint64_t a;
	uint64_t b;
};

struct dp_spool_table_entry {
	struct dp_spool_key key;
	uint32_t id; /* 0: empty */
	uint32_t pad;
};

struct dp_spool_table {
	struct dp_spool_table_entry *entries;
	size_t room; /* a power of two, or 0 */
	size_t count;
	size_t limit; /* the most entries; 0: none */
};

void dp_spool_table__fini(struct dp_spool_table *table);

/* Returns 0 if it is not there. */
uint32_t dp_spool_table__get(const struct dp_spool_table *table, struct dp_spool_key key);

/* Sets or replaces. Returns false if there is no room for another; the entry is then dropped. */
bool dp_spool_table__put(struct dp_spool_table *table, struct dp_spool_key key, uint32_t id);

/* Drops the entries for which keep() returns false; all if keep is NULL. */
void dp_spool_table__sift(struct dp_spool_table *table, bool (*keep)(struct dp_spool_key key));

/* Returns 128 bits for the bytes. An attacker who finds collisions only spoils his trace. */
struct dp_spool_key dp_spool_key__of(const void *data, size_t bytes);

/* Returns zeroed pages, NULL if there are none. */
void *dp_pages__new(size_t bytes);
void dp_pages__free(void *pages, size_t bytes);

#endif
