/*
 * What CUPTI and NVTX left in the pool, as records of the spool: used by the writer inside of the
 * program and by salvage outside of it. Input outside is untrusted: nothing here follows an
 * address.
 */
#ifndef DP_SPOOL_TRANSLATE_H
#define DP_SPOOL_TRANSLATE_H

#include "spool/pool.h"

struct dp_translate {
	uint64_t correlation; /* the highest so far, unwrapped */
	void *owner;
	/* The id of a text, of one at an address (0: not to be had), and a name for a number. */
	uint32_t (*text)(void *owner, const char *text, size_t bytes);
	uint32_t (*address)(void *owner, uint64_t address);
	void (*number)(void *owner, uint64_t number, const char *text, size_t bytes);
};

/* The kind that a record of CUPTI or NVTX is counted as. */
uint32_t dp_spool__kind(const struct dp_spool_record *record);

/* Translates a record of CUPTI's of that many bytes, its size as measured, 8 at least. */
void dp_translate__activity(struct dp_translate *t, struct dp_spool_record *out, const void *raw,
			    size_t bytes);

/* The size of the event that starts at the bytes, 0 where it is not a valid one. */
size_t dp_translate__event_bytes(const void *raw, size_t available);

/* Translates a valid event; false where it only defined something. */
bool dp_translate__event(struct dp_translate *t, struct dp_spool_record *out, const void *raw,
			 uint32_t tid);

#endif
