#include "spool/table.h"

#include <string.h>
#include <sys/mman.h>

#define FIRST_ROOM ((size_t)1024)

void *dp_pages__new(size_t bytes)
{
	void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return pages == MAP_FAILED ? NULL : pages;
}

void dp_pages__free(void *pages, size_t bytes)
{
	if (pages)
		munmap(pages, bytes);
}

static uint64_t mix(uint64_t a, uint64_t b)
{
	__uint128_t product = (__uint128_t)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

struct dp_spool_key dp_spool_key__of(const void *data, size_t bytes)
{
	const uint8_t *p = data;
	struct dp_spool_key key = { bytes ^ 0x2d358dccaa6c78a5u, bytes ^ 0x8bb84b93962eacc9u };
	uint64_t word;

	for (; bytes >= 8; bytes -= 8, p += 8) {
		memcpy(&word, p, 8);
		key.a = mix(key.a ^ word, 0x4b33a62ed433d4a3u);
		key.b = mix(key.b + word, 0x9e3779b97f4a7c15u) ^ word;
	}
	word = 0;
	if (bytes)
		memcpy(&word, p, bytes);
	key.a = mix(key.a ^ word, 0xd6e8feb86659fd93u);
	key.b = mix(key.b + word, 0xa0761d6478bd642fu) + word;
	return key;
}

/* Returns the entry of the key, or the empty entry for it. */
static struct dp_spool_table_entry *find(const struct dp_spool_table *table,
					 struct dp_spool_key key)
{
	size_t i = (size_t)mix(key.a ^ 0x9e3779b97f4a7c15u, key.b ^ 0xe7037ed1a0b428dbu);

	for (;; i++) {
		struct dp_spool_table_entry *entry = &table->entries[i & (table->room - 1)];

		if (!entry->id || (entry->key.a == key.a && entry->key.b == key.b))
			return entry;
	}
}

void dp_spool_table__fini(struct dp_spool_table *table)
{
	dp_pages__free(table->entries, table->room * sizeof(*table->entries));
	table->entries = NULL;
	table->room = table->count = 0;
}

uint32_t dp_spool_table__get(const struct dp_spool_table *table, struct dp_spool_key key)
{
	return table->room ? find(table, key)->id : 0;
}

static bool rebuild(struct dp_spool_table *table, size_t room,
		    bool (*keep)(struct dp_spool_key key))
{
	struct dp_spool_table made = { .room = room, .limit = table->limit };

	made.entries = dp_pages__new(room * sizeof(*made.entries));
	if (!made.entries)
		return false;
	for (size_t i = 0; i < table->room; i++) {
		const struct dp_spool_table_entry *entry = &table->entries[i];

		if (!entry->id || (keep && !keep(entry->key)))
			continue;
		*find(&made, entry->key) = *entry;
		made.count++;
	}
	dp_spool_table__fini(table);
	*table = made;
	return true;
}

bool dp_spool_table__put(struct dp_spool_table *table, struct dp_spool_key key, uint32_t id)
{
	struct dp_spool_table_entry *entry;

	if (table->room) {
		entry = find(table, key);
		if (entry->id) {
			entry->id = id;
			return true;
		}
	}
	if (table->limit && table->count >= table->limit)
		return false;
	if (table->count >= table->room / 2 &&
	    !rebuild(table, table->room ? table->room * 2 : FIRST_ROOM, NULL))
		return false;
	*find(table, key) = (struct dp_spool_table_entry){ .key = key, .id = id };
	table->count++;
	return true;
}

void dp_spool_table__sift(struct dp_spool_table *table, bool (*keep)(struct dp_spool_key key))
{
	if (!table->room)
		return;
	if (!keep || !rebuild(table, table->room, keep)) {
		memset(table->entries, 0, table->room * sizeof(*table->entries));
		table->count = 0;
	}
}
