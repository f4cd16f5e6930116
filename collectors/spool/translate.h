/*
 * Translates what CUPTI and NVTX left in the pool to records of the spool, for the writer inside
 * the program and for salvage outside it. Input outside is untrusted: nothing here follows an
 * address.
 */
#ifndef DP_SPOOL_TRANSLATE_H
#define DP_SPOOL_TRANSLATE_H

#include "spool/pool.h"

struct dp_translate {
	uint64_t correlation; /* the highest so far, unwrapped */
	void *owner;
	/* Return the id of a text, and of a text at an address (0: unavailable); name a number. */
	uint32_t (*text)(void *owner, const char *text, size_t bytes);
	uint32_t (*address)(void *owner, uint64_t address);
	void (*number)(void *owner, uint64_t number, const char *text, size_t bytes);
};

/* Returns the kind as which a record of CUPTI or NVTX is counted. */
uint32_t dp_spool__kind(const struct dp_spool_record *record);

/* Translates a CUPTI record of that many bytes, its measured size, at least 8. */
void dp_translate__activity(struct dp_translate *t, struct dp_spool_record *out, const void *raw,
			    size_t bytes);

/* Returns the size of the event at the start of the bytes, 0 if it is invalid. */
size_t dp_translate__event_bytes(const void *raw, size_t available);

/* Translates a valid event. Returns false if it only defined something. */
bool dp_translate__event(struct dp_translate *t, struct dp_spool_record *out, const void *raw,
			 uint32_t tid);

#endif
