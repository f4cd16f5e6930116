/* NVTX events to ranges and marks, and NCCL's payloads to rows. */
#ifndef DP_RECORD_NVTX_H
#define DP_RECORD_NVTX_H

#include "base/base.h"
#include "base/lookup.h"
#include "spool/spool.h"

struct dp_source;

/* What NCCL tells of an operation; a bit of has for each. */
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

/* A range that is open. */
struct dp_open_range {
	int64_t start_ns;
	uint64_t range; /* of start and end */
	uint64_t payload;
	uint32_t payload_type;
	uint32_t domain;
	uint32_t name;
	uint32_t tid;
	bool nccl;
	struct dp_nccl params;
};

struct dp_ranges {
	struct dp_open_range *open;
	size_t count;
	size_t room;
	uint32_t tid;
};

struct dp_nvtx {
	struct dp_ranges *threads; /* pushed, by thread */
	size_t thread_count;
	size_t thread_room;
	size_t last_thread;
	struct dp_lookup places;  /* tid: in threads */
	struct dp_ranges started; /* of all threads */
	struct dp_spool_schema *schemas;
	size_t schema_count;
	size_t schema_room;
};

void dp_nvtx__fini(struct dp_nvtx *nvtx);

int dp_nvtx__event(struct dp_source *source, const struct dp_spool_nvtx *event);
int dp_nvtx__schema(struct dp_source *source, const struct dp_spool_schema *schema);

/* Ranges that never ended. */
int dp_nvtx__finish(struct dp_source *source);

/* nccl.c: what a payload says; false where it is none of NCCL's. */
bool dp_nccl__read(const struct dp_source *source, const struct dp_spool_nvtx *event,
		   struct dp_nccl *out);
int dp_nccl__write(struct dp_source *source, int64_t nvtx, const char *name,
		   const struct dp_nccl *params);

#endif
