/* Shared by the files of the importer of deepprof's own trace file. */
#ifndef DP_IMPORT_DEEPPROF_PRIVATE_H
#define DP_IMPORT_DEEPPROF_PRIVATE_H

#include "base/strings.h"
#include "import/cupti.h"

/* An event recorded in a stream, or a wait for an event. */
struct deepprof_event {
	int64_t pid, context, stream, event;
	int64_t sync;  /* CUPTI's number of the record, 0: none */
	int64_t cause; /* the call's correlation id, with its epoch above 32 bits */
};

/* Which function a call stack counts for, and how well that suits. */
struct deepprof_place {
	uint32_t function; /* of dp_builder__string() */
	int rank;
};

struct deepprof {
	struct dp_cupti cupti;
	struct dp_lookup processes; /* from process to pid */
	struct dp_strings uuids;
	struct dp_lookup uuid_devices; /* from UUID number and 0, 1, … to device */
	struct dp_lookup nccl_rows;    /* from nvtx to the index in nccl */
	struct dp_collective *nccl;    /* without times and threads */
	size_t nccl_count, nccl_room;
	struct deepprof_event *events;
	size_t event_count, event_room;
	bool events_sorted;
	struct dp_lookup stacks; /* from call_stack to the index of a place */
	struct deepprof_place *places;
	size_t place_count, place_room;
};

static inline struct deepprof *dp_deepprof__of(struct dp_cupti *cupti)
{
	return (struct deepprof *)cupti;
}

/* Returns the pid of the row's process, -1 if the file lacks that process. */
int64_t dp_deepprof__pid(const struct dp_cupti *cupti, struct dp_rows *rows);

/* Adds a collective for a range that table nccl describes. */
int dp_deepprof__add_nccl(struct deepprof *deepprof, int64_t nvtx, const struct dp_range *range);

/* Sets which work a wait is for, if known. */
void dp_deepprof__link_wait(struct deepprof *deepprof, const struct deepprof_event *wait,
			    struct dp_sync *sync);

/* Tables of the recording and its processes; of events; of NCCL; of what operations ran on; of
 * samples of call stacks. */
extern const struct dp_cupti_table dp_deepprof__first[];
extern const struct dp_cupti_table dp_deepprof__events[];
extern const struct dp_cupti_table dp_deepprof__nccl[];
extern const struct dp_cupti_table dp_deepprof__labels[];
extern const struct dp_cupti_table dp_deepprof__stacks[];

#endif
