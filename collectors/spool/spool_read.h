/* Shared by the reader of spools (spool_read.c) and salvage (salvage.c). */
#ifndef DP_SPOOL_READ_H
#define DP_SPOOL_READ_H

#include "spool/codec.h"
#include "spool/pool.h"
#include "spool/translate.h"

#include <sys/types.h>

struct dp_string {
	const char *text;
	uint32_t bytes;
	bool defined;
};

/* An address (or number) of the program, and the string that was there. */
struct dp_address {
	uint64_t address;
	uint32_t id;
};

/* How much of a slot's use, or of a ring, has been stored. */
struct dp_progress {
	uint64_t sequence;
	uint64_t position;
};

struct dp_salvage;

struct dp_spool {
	int fd;
	int failed; /* a permanent status */
	struct dp_spool_header header;
	struct dp_spool_health health;
	uint64_t offset; /* of the next chunk */
	uint64_t file_bytes;
	uint64_t vain_bytes; /* read for invalid chunks */
	/* The current chunk. */
	uint8_t *chunk;
	size_t chunk_room;
	const uint8_t *at;
	const uint8_t *end;
	struct dp_codec_state codec;
	/* Dictionaries: the entry of id is at id - 1. */
	struct dp_string *strings;
	size_t string_count, string_room;
	struct dp_spool_place *places;
	size_t place_count, place_room;
	struct dp_spool_shape *shapes;
	size_t shape_count, shape_room;
	struct dp_address *addresses;
	size_t address_count, address_room;
	char **texts; /* blocks of strings */
	size_t text_count, text_room;
	size_t text_left;
	/* For salvage. */
	uint64_t correlation;
	struct dp_progress *slots, *rings;
	size_t slot_room, ring_room;
	uint64_t last_chunk; /* its sequence, and its records by kind */
	uint64_t last_counts[DP_SPOOL_KINDS];
	struct dp_salvage *salvage;
};

/* Reads up to bytes at the offset, fewer at the file's end. Returns how many, or -1 and errno. */
ssize_t dp_read__at(int fd, void *out, size_t bytes, uint64_t offset);

/* Grows an array to count entries, new ones 0. Returns false if memory runs out. */
bool dp_read__grow(void **array, size_t *room, size_t count, size_t entry_bytes);

/* Stores a text as the string of the id. */
bool dp_read__define(struct dp_spool *spool, uint32_t id, const char *text, size_t bytes);
bool dp_read__bind(struct dp_spool *spool, uint64_t address, uint32_t id);

/* dp_spool__next() and dp_spool__close() of a salvage. */
int dp_salvage__next(struct dp_spool *spool, struct dp_spool_record *out);
void dp_salvage__free(struct dp_salvage *salvage);

#endif
