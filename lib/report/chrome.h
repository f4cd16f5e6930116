/* What the parts of the Chrome encoder share: chrome.c writes events, chrome_rows.c knows where. */
#ifndef DP_REPORT_CHROME_H
#define DP_REPORT_CHROME_H

#include "report/unique_ids.h"
#include "report/json_text.h"
#include "report/lanes.h"
#include "report/number.h"
#include "report/report.h"
#include "report/timeline.h"

/* The process that our own tracks belong to: above what systems give. */
#define DP_CHROME_OUR_PID 100000000

/* Where a stream's or a thread's slices are; those that overlap have rows of their own. */
struct dp_chrome_row {
	struct dp_lanes lanes;
	struct dp_unique_ids *ids; /* where numbers of further rows are from */
	int64_t pid, tid;
	int64_t order;	  /* among the rows of its process, 0: as it comes */
	const char *name; /* NULL: none; may be the label */
	uint32_t thread;  /* of the trace; DP_NONE: no thread */
	bool host;	  /* it has what threads did, even if not which */
	char label[DP_NUMBER_SIZE];
};

struct dp_chrome_out {
	const struct dp_trace *trace;
	int64_t zero_ns;    /* what times in the file count from */
	int64_t *devices;   /* the number of each device in the file */
	int64_t *gpus;	    /* the process that each is */
	int64_t *processes; /* the number of each process */
	struct dp_chrome_row *streams;
	struct dp_chrome_row *threads; /* one more than there are, for unknown ones */
	struct dp_chrome_row *syncs;   /* of each device, and of none */
	struct dp_chrome_row found;    /* the open one of what was found */
	struct dp_unique_ids stream_ids, thread_ids, found_ids;
	uint8_t *call_lanes;	   /* which row of its thread each call is in */
	bool cuts_names;	   /* of events: long ones, since they are repeated so often */
	size_t lane;		   /* of the slice that is being written */
	bool args;		   /* it has some */
	char title[DP_LABEL_SIZE]; /* of the open row or curve */
	bool any;		   /* an event was written */
	bool steps;		   /* write them */
	int64_t next_step;	   /* their number */
};

/* Numbers of all processes and rows, and their names. */
int dp_chrome_rows__init(struct dp_render *render, struct dp_chrome_out *out);
void dp_chrome_rows__fini(struct dp_chrome_out *out);
void dp_chrome_rows__name(struct dp_render *render);

/* The row of a thread, or of an unknown one's. */
struct dp_chrome_row *dp_chrome_rows__thread(struct dp_chrome_out *out, uint32_t thread);

/* A row's name and its place; of one that has another number than the thread, what that is, and
 * whether the name is the thread's: see import/kineto_rows.h. */
void dp_chrome_row__name(struct dp_render *render, const struct dp_chrome_row *row, int64_t tid);

/* Finds a place for a slice, which may be one in a row more: that is written, so that this is to be
 * called before the slice's begin(). Returns the index of the row. */
size_t dp_chrome_row__place(struct dp_render *render, struct dp_chrome_row *row, int64_t start_ns,
			    int64_t end_ns);

/* "pid" and "tid". */
void dp_chrome_row__write(struct dp_render *render, const struct dp_chrome_row *row, size_t lane);

/* An event's beginning, up to its name; its category and its time follow. */
void dp_chrome_out__begin(struct dp_render *render, const char *phase, const char *category,
			  const char *name);

void dp_chrome_out__number(struct dp_render *render, const char *key, int64_t value);

/* "pid" and "tid". */
void dp_chrome_out__row(struct dp_render *render, int64_t pid, int64_t tid);

/* Names a row. */
void dp_chrome_out__name(struct dp_render *render, const char *what, int64_t pid, int64_t tid,
			 const char *name);

/* Its place among others: what is "process_sort_index" or "thread_sort_index". */
void dp_chrome_out__order(struct dp_render *render, const char *what, int64_t pid, int64_t tid,
			  int64_t place);

#endif
