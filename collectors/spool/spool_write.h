/*
 * Writes a spool: gathers records into a chunk, and writes a chunk by one write(). One thread. Uses
 * no malloc(), and never touches a file that it was not given.
 *
 * After a write has failed nothing more is written, because definitions would be missing;
 * everything is still counted.
 */
#ifndef DP_SPOOL_WRITE_H
#define DP_SPOOL_WRITE_H

#include "spool/codec.h"
#include "spool/descriptor.h"
#include "spool/pool.h"
#include "spool/table.h"

/* Shapes whose numbers are compared instead of looked up. */
#define DP_WRITER_RECENT 64u

struct dp_writer_recent {
	struct dp_spool_shape shape;
	uint32_t id; /* 0: none */
};

struct dp_spool_writer {
	struct dp_descriptor file;
	bool failed;
	unsigned int fail_reason; /* DP_LOSS_… */
	int fail_errno;
	uint64_t file_bytes;
	uint64_t limit; /* 0: none */
	uint64_t chunks;
	uint8_t *buffer; /* a chunk's header and payload */
	size_t used;	 /* of the payload */
	uint32_t records;
	uint32_t source;
	uint64_t slot_sequence;
	uint64_t position;
	struct dp_codec_state codec;
	struct dp_spool_table strings;
	struct dp_spool_table addresses;
	struct dp_spool_table places;
	struct dp_spool_table shapes;
	uint32_t string_count;
	uint32_t place_count;
	uint32_t shape_count;
	struct dp_spool_place last_place;
	uint32_t last_place_id;
	struct dp_writer_recent recent[DP_WRITER_RECENT]; /* by a sum of some of its numbers */
	/* Not in the banks yet. */
	uint64_t pending[DP_SPOOL_KINDS];
	uint64_t pending_lost[DP_SPOOL_KINDS];
	uint64_t pending_lost_records[DP_LOSS_REASONS];
	uint64_t pending_lost_bytes[DP_LOSS_REASONS];
	bool lost_some;
	struct dp_pool_header *pool;
	/* Reads a text at an address of the program into out. Returns its length, or -1. */
	long (*read_text)(void *owner, uint64_t address, char *out, size_t room);
	void *owner;
	char *scratch; /* DP_SPOOL_STRING_LIMIT bytes */
};

/*
 * Starts a spool in an empty file. The sums go to the pool's banks. Returns false if memory runs
 * out or the header cannot be written.
 */
bool dp_writer__open(struct dp_spool_writer *w, int fd, const struct dp_spool_header *header,
		     struct dp_pool_header *pool);
void dp_writer__fini(struct dp_spool_writer *w);

/* Ends it and empties the file: nobody will read it. */
void dp_writer__empty(struct dp_spool_writer *w);

/* Adds a record; counted: it came from CUPTI or a ring, and counts as one of dp_spool__kind(). */
void dp_writer__add(struct dp_spool_writer *w, const struct dp_spool_record *record, bool counted);

/*
 * Sets where the next records come from (struct dp_spool_chunk), and that everything before
 * position has been added: the next chunk will say so, whenever it is written.
 */
static inline void dp_writer__source(struct dp_spool_writer *w, uint32_t source, uint64_t sequence,
				     uint64_t position)
{
	w->source = source;
	w->slot_sequence = sequence;
	w->position = position;
}

/* Writes the chunk, if it is not empty, and updates the sums. */
void dp_writer__flush(struct dp_spool_writer *w);

/* Counts records that were completed but are lost. */
void dp_writer__lose(struct dp_spool_writer *w, unsigned int reason, uint32_t kind,
		     uint64_t records, uint64_t bytes);

/* Return ids of texts; they match dp_translate's callbacks, with the writer as owner. */
uint32_t dp_writer__text(void *writer, const char *text, size_t bytes);
uint32_t dp_writer__address(void *writer, uint64_t address);
void dp_writer__number(void *writer, uint64_t number, const char *text, size_t bytes);

/* Notes that texts at addresses may have changed: a module was unloaded. */
void dp_writer__forget(struct dp_spool_writer *w);

/* Writes the final sums: LOSS and COUNT records, from the pool's current bank. */
void dp_writer__sums(struct dp_spool_writer *w, int64_t realtime_ns);

#endif
