/* Converts NVTX events to ranges and marks, and NCCL's payloads to rows. */
#ifndef DP_RECORD_NVTX_H
#define DP_RECORD_NVTX_H

#include "base/base.h"
#include "base/communication.h"
#include "base/lookup.h"
#include "spool/spool.h"

struct dp_source;

/* What NCCL reports about an operation; a bit of has for each. */
struct dp_nccl {
	uint32_t has;
	int64_t comm;
	int64_t bytes;
	int64_t reduction;
	int64_t root;
	int64_t peer;
	int64_t rank;
	int64_t ranks;
};

/* An open range. */
struct dp_open_range {
	int64_t start_ns;
	uint64_t range; /* of a start and its end */
	uint64_t payload;
	uint32_t payload_type;
	uint32_t domain;
	uint32_t name;
	uint32_t tid;
	uint32_t depth; /* open ranges of the thread when it was pushed */
	bool started;	/* by a start, not a push */
	bool nccl;
	struct dp_nccl params;
	uint32_t hidden; /* the one with the same key that it hides, or DP_NONE */
	uint32_t before; /* 1 + the range opened before, 0: none */
	uint32_t after; /* 1 + the range opened after; of a free slot: the next free one; 0: none */
};

/* What NCCL's payload schema says about each field that nccl.c knows; a bit of has for each. */
struct dp_nccl_layout {
	uint32_t has;
	struct dp_spool_schema fields[DP_NCCL_FIELDS];
};

/* Zero it first. The cost of an event does not depend on the number of open ranges and schemas. */
struct dp_nvtx {
	struct dp_open_range *open; /* slots, some of them free */
	size_t count;
	size_t room;
	uint32_t free;		 /* 1 + the first free slot, 0: none */
	uint32_t first;		 /* 1 + the range open for longest, 0: none */
	uint32_t last;		 /* 1 + the range opened last */
	struct dp_lookup latest; /* type, and thread and domain or number: index in open */
	struct dp_lookup depths; /* thread: number of its pushed ranges that are open */
	struct dp_lookup places; /* schema and domain: index in layouts */
	struct dp_nccl_layout *layouts;
	size_t layout_count;
	size_t layout_room;
};

void dp_nvtx__fini(struct dp_nvtx *nvtx);

int dp_nvtx__event(struct dp_source *source, const struct dp_spool_nvtx *event);
int dp_nvtx__schema(struct dp_source *source, const struct dp_spool_schema *schema);

/* Writes ranges that never ended. */
int dp_nvtx__finish(struct dp_source *source);

/* nccl.c: returns the field of a schema's entry with this name, below DP_NCCL_FIELDS, or -1. */
int dp_nccl__field(const struct dp_spool_schema *entry, const char *name);

/* nccl.c: reads a payload. Returns false if it is not one of NCCL's. */
bool dp_nccl__read(const struct dp_source *source, const struct dp_spool_nvtx *event,
		   struct dp_nccl *out);
int dp_nccl__write(struct dp_source *source, int64_t nvtx, const char *name,
		   const struct dp_nccl *params);

#endif
