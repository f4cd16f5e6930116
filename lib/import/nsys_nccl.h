/* NCCL calls in nsys's exports: NVTX ranges with payloads. */
#ifndef DP_IMPORT_NSYS_NCCL_H
#define DP_IMPORT_NSYS_NCCL_H

#include "import/database.h"
#include "import/lookup.h"

/* Zero it first. */
struct dp_nsys_nccl {
	struct dp_lookup fields;  /* domain, schema, field: its offset in a payload and its size */
	struct dp_lookup members; /* from pid, communicator, RANK or RANKS to the value */
};

void dp_nsys_nccl__fini(struct dp_nsys_nccl *nccl);

/* Columns of NVTX_PAYLOAD_SCHEMA_ENTRIES and the reader of its rows. Errors: DP_ERR_NOMEM. */
enum {
	DP_NSYS_ENTRY_DOMAIN,
	DP_NSYS_ENTRY_SCHEMA,
	DP_NSYS_ENTRY_TYPE,
	DP_NSYS_ENTRY_NAME,
	DP_NSYS_ENTRY_OFFSET
};
int dp_nsys_nccl__read_entry(struct dp_nsys_nccl *nccl, struct dp_rows *rows);

/*
 * Reads the payload of a range: a collective of the range's thread, or a rank's place in a
 * communicator, which later payloads need. Ignores others. Errors: those of dp_builder.
 */
int dp_nsys_nccl__add(struct dp_nsys_nccl *nccl, struct dp_builder *builder, int64_t pid,
		      const struct dp_range *range, const char *payload, size_t length);

#endif
