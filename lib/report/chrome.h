/*
 * Declarations shared by the parts of the Chrome encoder: chrome.c writes events, chrome_rows.c
 * decides where.
 */
#ifndef DP_REPORT_CHROME_H
#define DP_REPORT_CHROME_H

#include "report/unique_ids.h"
#include "report/json_text.h"
#include "report/lanes.h"
#include "report/number.h"
#include "report/report.h"
#include "report/timeline.h"

/* The process of deepprof's own tracks: above the ids that systems assign. */
#define DP_CHROME_OUR_PID 100000000

/* The row of a stream's or a thread's slices, and further rows for slices that overlap. */
struct dp_chrome_row {
	struct dp_lanes lanes;
	struct dp_unique_ids *ids; /* source of ids for further rows */
	int64_t pid, tid;
	int64_t order;	  /* among the rows of its process; 0: unspecified */
	const char *name; /* NULL: none; may be the label */
	uint32_t thread;  /* of the trace; DP_NONE: no thread */
	bool host;	  /* holds host events, perhaps of an unknown thread */
	char label[DP_NUMBER_SIZE];
};

struct dp_chrome_out {
	const struct dp_trace *trace;
	int64_t zero_ns;    /* the time that times in the file are relative to */
	int64_t *devices;   /* the id of each device in the file */
	int64_t *gpus;	    /* the process that each is */
	int64_t *processes; /* the id of each process in the file */
	struct dp_chrome_row *streams;
	struct dp_chrome_row *threads; /* one more than the trace has, for unknown threads */
	struct dp_chrome_row *syncs;   /* of each device, and of no device */
	struct dp_chrome_row found;    /* the open row of results */
	struct dp_unique_ids stream_ids, thread_ids, found_ids;
	uint8_t *call_lanes;	   /* the row of each call, within its thread */
	bool cuts_names;	   /* of events: they are long, and repeated too often */
	size_t lane;		   /* of the slice that is being written */
	bool args;		   /* it has some */
	char title[DP_LABEL_SIZE]; /* of the open row or curve */
	bool any;		   /* an event was written */
	bool steps;		   /* write them */
	int64_t next_step;	   /* their number */
};

/* Assigns ids and names to all processes and rows. */
int dp_chrome_rows__init(struct dp_render *render, struct dp_chrome_out *out);
void dp_chrome_rows__fini(struct dp_chrome_out *out);
void dp_chrome_rows__name(struct dp_render *render);

/* The row of a thread, or that of unknown threads. */
struct dp_chrome_row *dp_chrome_rows__thread(struct dp_chrome_out *out, uint32_t thread);

/*
 * Writes a row's name and its place. For a row with another id than its thread, also writes that
 * id, and whether the name is the thread's: see import/kineto_rows.h.
 */
void dp_chrome_row__name(struct dp_render *render, const struct dp_chrome_row *row, int64_t tid);

/*
 * Finds a row for a slice, and returns its index. May write a new row, so call it before the
 * slice's begin().
 */
size_t dp_chrome_row__place(struct dp_render *render, struct dp_chrome_row *row, int64_t start_ns,
			    int64_t end_ns);

/* "pid" and "tid". */
void dp_chrome_row__write(struct dp_render *render, const struct dp_chrome_row *row, size_t lane);

/* Writes an event's beginning up to its name; its category and its time follow. */
void dp_chrome_out__begin(struct dp_render *render, const char *phase, const char *category,
			  const char *name);

void dp_chrome_out__number(struct dp_render *render, const char *key, int64_t value);

/* "pid" and "tid". */
void dp_chrome_out__row(struct dp_render *render, int64_t pid, int64_t tid);

/* Names a row. */
void dp_chrome_out__name(struct dp_render *render, const char *what, int64_t pid, int64_t tid,
			 const char *name);

/* Writes a sort index; what is "process_sort_index" or "thread_sort_index". */
void dp_chrome_out__order(struct dp_render *render, const char *what, int64_t pid, int64_t tid,
			  int64_t place);

#endif
