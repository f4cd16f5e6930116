/* Converts spools to the trace file. */
#ifndef DP_RECORD_CONVERT_H
#define DP_RECORD_CONVERT_H

#include "base/strings.h"
#include "record/clock.h"
#include "record/db.h"
#include "record/facts.h"
#include "record/host.h"
#include "record/nvtx.h"
#include "spool/spool.h"
#include "spool/translate.h"

#include <deepprof/record.h>

struct dp_convert {
	struct dp_db db;
	struct dp_error *error;
	struct dp_strings strings;  /* ids in the file are one higher */
	struct dp_lookup functions; /* domain and number of functions that are in cbid */
	int64_t zero_realtime;	    /* time 0 of the trace */
	int64_t zero_monotonic;
	const struct dp_record_about *about;
	struct dp_record_result result;
	uint64_t spool_bytes; /* of all spools, read twice */
	uint64_t done_bytes;
	struct dp_host_process *processes; /* in order of their ids */
	size_t process_room;
	int64_t first_ns; /* the earliest and the latest time of all events */
	int64_t last_ns;
};

/* One spool: the recording of one process image. */
struct dp_source {
	struct dp_convert *convert;
	struct dp_spool *spool;
	int64_t process; /* its id in the file */
	bool ended;	 /* in an orderly way */
	struct dp_clock clock;
	/* The time of day and the monotonic clock when both were last noted. */
	int64_t noted_realtime;
	int64_t noted_monotonic;
	uint32_t *names; /* from the spool's string to the file's, 0: not yet */
	size_t name_room;
	struct dp_facts facts;
	struct dp_nvtx nvtx;
	int64_t cut_ns;			   /* records from then on are omitted; 0: none */
	uint64_t cut[DP_SPOOL_KINDS];	   /* those, by kind */
	uint64_t untimed;		   /* records without a time */
	bool graphs;			   /* an operation was in a CUDA graph, or was one */
	uint64_t failures;		   /* calls that returned CUDA_ERROR_LAUNCH_FAILED */
	uint64_t unknown;		   /* of kinds without a table */
	uint64_t left_out[DP_SPOOL_KINDS]; /* both, by kind */
	int64_t first_ns;
	int64_t last_ns;
};

/*
 * Converts the spool open as fd. pool_fd: the process's pool, or -1; it is salvaged if the spool
 * has no orderly end. cut_ns: when the recording was to end, on CUPTI's clock; 0: no earlier end.
 * If fd is not a spool, returns DP_OK and sets *unusable.
 */
int dp_convert__spool(struct dp_convert *convert, int fd, int pool_fd, int64_t cut_ns,
		      bool *unusable);

/* Start a file; write what all processes share and end it. */
int dp_convert__open(struct dp_convert *convert, const char *path, struct dp_error *error);
int dp_convert__finish(struct dp_convert *convert);
void dp_convert__fini(struct dp_convert *convert);

/*
 * facts.c, for records.c and nvtx.c. Sets *id to the file's id of a string of the spool, 0 for
 * none.
 */
int dp_source__string(struct dp_source *source, uint32_t string, int64_t *id);
int dp_source__text(struct dp_source *source, const char *text, size_t length, int64_t *id);

/* Converts a time of day to the trace's clock, even if the system's clock was set meanwhile. */
static inline int64_t dp_source__moment(const struct dp_source *source, int64_t realtime)
{
	uint64_t since = (uint64_t)realtime - (uint64_t)source->noted_realtime;

	return dp_clock__monotonic(&source->clock,
				   (int64_t)((uint64_t)source->noted_monotonic + since));
}

/* Updates the earliest and the latest time. */
static inline void dp_source__saw(struct dp_source *source, int64_t first, int64_t last)
{
	if (first < source->first_ns)
		source->first_ns = first;
	if (last > source->last_ns)
		source->last_ns = last;
}

/* Returns when it happened on CUPTI's clock: 0 if unknown, 1 if the record has no time. */
uint64_t dp_records__time(const struct dp_spool_record *record);

/* Writes a row that is neither a fact (facts.h) nor NVTX: operations, calls and so on. */
int dp_records__put(struct dp_source *source, const struct dp_spool_record *record);

#endif
