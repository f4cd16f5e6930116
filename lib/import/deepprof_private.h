/* What the files of the importer of deepprof's own trace file share. */
#ifndef DP_IMPORT_DEEPPROF_PRIVATE_H
#define DP_IMPORT_DEEPPROF_PRIVATE_H

#include "base/strings.h"
#include "import/database.h"
#include "import/lookup.h"

/* An event's record in a stream, or what waits for one. */
struct deepprof_event {
	int64_t pid, context, stream, event;
	int64_t sync;  /* CUPTI's number of the record, 0: it has none */
	int64_t cause; /* the call's correlation id, above 32 bits its epoch */
};

struct deepprof {
	const struct dp_import *import;
	struct dp_database *database;
	struct dp_names *names;
	struct dp_places places;
	struct dp_gpus gpus;
	struct dp_lookup processes; /* process: the pid */
	struct dp_lookup calls;	    /* domain, cbid: the name's string */
	struct dp_strings uuids;
	struct dp_lookup uuid_devices; /* UUID's number, 0 …: the builder's device */
	struct dp_lookup nccl_rows; /* nvtx: index in nccl */
	struct dp_collective *nccl; /* without times and threads */
	size_t nccl_count, nccl_room;
	struct deepprof_event *events;
	size_t event_count, event_room;
	uint64_t untimed;	       /* operations */
};

static inline int dp_deepprof__failed(const struct deepprof *deepprof)
{
	return deepprof->import->error->status;
}

static inline int dp_deepprof__nomem(const struct deepprof *deepprof)
{
	return dp_error__nomem(deepprof->import->error, 0);
}

/* The pid of a process's id; -1 where the file does not have that process. */
static inline int64_t dp_deepprof__pid(const struct deepprof *deepprof, int64_t process)
{
	struct dp_key key = { { process } };
	uint32_t pid = dp_lookup__get(&deepprof->processes, &key);

	return pid == DP_NONE ? -1 : (int64_t)pid;
}

/* start, and start + dur_ns; an unknown length is 0 and *incomplete. False: no valid time. */
bool dp_deepprof__times(struct dp_rows *rows, size_t start, size_t duration, int64_t *start_ns,
			int64_t *end_ns, bool *incomplete);

/* Scans one table; read returns 0 or a status. */
int dp_deepprof__scan(struct deepprof *deepprof, const char *table, const struct dp_column *columns,
		      size_t count, int (*read)(struct deepprof *deepprof, struct dp_rows *rows));

static inline enum dp_memory_kind dp_deepprof__memory(struct dp_rows *rows, size_t column)
{
	return (enum dp_memory_kind)dp_rows__integer(rows, column, 0, DP_MEMORY_MANAGED_STATIC,
						     DP_MEMORY_UNKNOWN);
}

/* What table nccl says, before ranges are read; and as a collective, of one range. */
int dp_deepprof__scan_nccl(struct deepprof *deepprof);
int dp_deepprof__add_nccl(struct deepprof *deepprof, int64_t nvtx, const struct dp_range *range);

/* Events' records, before waits are read; and for whose work a wait is, where that is known. */
int dp_deepprof__scan_events(struct deepprof *deepprof);
void dp_deepprof__link_wait(struct deepprof *deepprof, const struct deepprof_event *wait,
			    struct dp_sync *sync);

/* Of the recording and its processes, before all else; of what operations ran on, behind them. */
int dp_deepprof__begin(struct deepprof *deepprof);
int dp_deepprof__label(struct deepprof *deepprof);

#endif
