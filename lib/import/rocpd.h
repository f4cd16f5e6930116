/*
 * A rocpd database: one process's tables, and what their rows refer to by id. The public versions
 * of its schema store a record's times and its place differently:
 *
 * 3: start, end; nid, pid, tid, agent_id, queue_id, stream_id. 4.0: start_id, end_id of
 * rocpd_timestamp; track_id of rocpd_track. 4.1: start, end; track_id of rocpd_track.
 *
 * In 4, rocpd_info_category has the names of categories; in 3, rocpd_string has them too. Some
 * files of 4 claim to be 3, so the columns decide, not the number.
 */
#ifndef DP_IMPORT_ROCPD_H
#define DP_IMPORT_ROCPD_H

#include "import/database.h"
#include "import/rocm.h"

struct dp_rocpd_event {
	uint32_t stack;
	uint32_t message; /* of a range: the builder's string + 1; 0: none */
	uint8_t region;	  /* enum dp_rocm_region */
};

/* The parts of a record's place: ids of other tables, -1: not recorded. */
enum {
	DP_ROCPD_PROCESS,
	DP_ROCPD_THREAD,
	DP_ROCPD_AGENT,
	DP_ROCPD_QUEUE,
	DP_ROCPD_STREAM,
	DP_ROCPD_PARTS
};

struct dp_rocpd_track {
	int64_t part[DP_ROCPD_PARTS];
};

/* Numbers by an id of the file. */
struct dp_rocpd_numbers {
	struct dp_lookup ids;
	int64_t *list;
	size_t count, room;
};

/* One set of tables; zero all but the first four members. */
struct dp_rocpd {
	const struct dp_import *import;
	struct dp_database *database;
	const char *suffix; /* of the tables' names */
	struct dp_rocm *rocm;
	struct dp_names *strings, *kernels;
	struct dp_rocpd_numbers processes; /* keys in rocm */
	struct dp_rocpd_numbers threads;   /* tids */
	struct dp_lookup track_ids;
	struct dp_rocpd_track *tracks;
	size_t track_count, track_room;
	bool by_queue; /* --group-by-queue: streams are not recorded */
	/* Of the current table: */
	bool by_track, by_timestamp;
	const struct dp_rocpd_track *track; /* of the row */
	/* From the last row, because the next one mostly has the same: */
	struct dp_rocpd_last {
		int64_t id;
		int64_t value;
		bool known;
	} process, agent, last_track;
	int64_t agent_process;
	int64_t *times; /* of rocpd_timestamp, by id */
	size_t time_count, time_room;
	struct dp_rocpd_event *events; /* by id */
	size_t event_count, event_room;
	struct dp_lookup categories; /* from the name's id to enum dp_rocm_region */
	int64_t last_category;
	uint32_t last_region;
};

/* The status of the import's error. */
int dp_rocpd__failed(const struct dp_rocpd *rocpd);
int dp_rocpd__nomem(const struct dp_rocpd *rocpd);

/* Returns the set's table with this name, given without rocpd_; or NULL. */
const char *dp_rocpd__table(const struct dp_rocpd *rocpd, const char *base);

/* Reads each row of a table. read() returns a status, or 1 to stop. */
int dp_rocpd__scan(struct dp_rocpd *rocpd, const char *base, const struct dp_column *columns,
		   size_t count, int (*read)(struct dp_rocpd *rocpd, struct dp_rows *rows));

/* Reads what records refer to: all tables except the records' own. */
int dp_rocpd__read_info(struct dp_rocpd *rocpd);
void dp_rocpd__fini(struct dp_rocpd *rocpd);

/* Sets *process to the key in rocm of a process's id. If it is not listed, its id is its pid. */
int dp_rocpd__process(struct dp_rocpd *rocpd, int64_t id, int64_t *process);

/* Returns the id that the operating system gave a thread. */
int64_t dp_rocpd__tid(const struct dp_rocpd *rocpd, int64_t id);

/* Returns the track of an id; one without parts if it is not listed. */
const struct dp_rocpd_track *dp_rocpd__track(struct dp_rocpd *rocpd, int64_t id);

static inline struct dp_rocpd_event dp_rocpd__event(const struct dp_rocpd *rocpd, int64_t id)
{
	if (id < 0 || (uint64_t)id >= rocpd->event_count)
		return (struct dp_rocpd_event){ 0 };
	return rocpd->events[id];
}

/* Stands for a missing time. */
#define DP_ROCPD_NO_TIME INT64_MIN

static inline int64_t dp_rocpd__time(const struct dp_rocpd *rocpd, int64_t id)
{
	if (id < 0 || (uint64_t)id >= rocpd->time_count)
		return DP_ROCPD_NO_TIME;
	return rocpd->times[id];
}

#endif
