/* What the files of the importer of deepprof's own trace file share. */
#ifndef DP_IMPORT_DEEPPROF_PRIVATE_H
#define DP_IMPORT_DEEPPROF_PRIVATE_H

#include "base/strings.h"
#include "import/cupti.h"

/* An event's record in a stream, or what waits for one. */
struct deepprof_event {
	int64_t pid, context, stream, event;
	int64_t sync;  /* CUPTI's number of the record, 0: it has none */
	int64_t cause; /* the call's correlation id, above 32 bits its epoch */
};

struct deepprof {
	struct dp_cupti cupti;
	struct dp_lookup processes; /* process: the pid */
	struct dp_strings uuids;
	struct dp_lookup uuid_devices; /* UUID's number, 0 ...: the builder's device */
	struct dp_lookup nccl_rows;    /* nvtx: index in nccl */
	struct dp_collective *nccl;    /* without times and threads */
	size_t nccl_count, nccl_room;
	struct deepprof_event *events;
	size_t event_count, event_room;
	bool events_sorted;
};

static inline struct deepprof *dp_deepprof__of(struct dp_cupti *cupti)
{
	return (struct deepprof *)cupti;
}

/* The pid of the row's process; -1 where the file does not have that process. */
int64_t dp_deepprof__pid(const struct dp_cupti *cupti, struct dp_rows *rows);

/* As a collective, what table nccl says of a range. */
int dp_deepprof__add_nccl(struct deepprof *deepprof, int64_t nvtx, const struct dp_range *range);

/* For whose work a wait is, where that is known. */
void dp_deepprof__link_wait(struct deepprof *deepprof, const struct deepprof_event *wait,
			    struct dp_sync *sync);

/* Tables of the recording and its processes; of events and of NCCL; of what operations ran on. */
extern const struct dp_cupti_table dp_deepprof__first[];
extern const struct dp_cupti_table dp_deepprof__events[];
extern const struct dp_cupti_table dp_deepprof__nccl[];
extern const struct dp_cupti_table dp_deepprof__labels[];

#endif
