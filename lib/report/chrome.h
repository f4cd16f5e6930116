/* What the two parts of the timeline renderer share: chrome.c writes the trace, chrome_loops.c what
 * was found in it. */
#ifndef DP_REPORT_CHROME_H
#define DP_REPORT_CHROME_H

#include "report/json_text.h"
#include "report/number.h"
#include "report/report.h"

/* The process that our own tracks belong to: above what systems give. */
#define DP_CHROME_OUR_PID 100000000

struct dp_chrome_out {
	const struct dp_trace *trace;
	int64_t zero_ns;   /* what times in the file count from */
	int64_t *devices;  /* the number of each device in the file */
	int64_t *streams;  /* the row of each stream */
	bool any;	   /* an event was written */
	bool steps;	   /* write them */
	int64_t next_step; /* their number */
};

/* An event's beginning, up to its name; its category and its time follow. */
void dp_chrome_out__begin(struct dp_render *render, const char *phase, const char *category,
			  const char *name);

/* Microseconds, with all digits of the nanoseconds. */
void dp_chrome_out__time(struct dp_render *render, const char *key, int64_t time_ns);

/* "ts" and, of a span, "dur". */
void dp_chrome_out__at(struct dp_render *render, int64_t start_ns);
void dp_chrome_out__span(struct dp_render *render, int64_t start_ns, int64_t end_ns);

/* "pid" and "tid". */
void dp_chrome_out__row(struct dp_render *render, int64_t pid, int64_t tid);
void dp_chrome_out__stream(struct dp_render *render, uint32_t stream);

/* A thread's; that of the trace's first process where it is DP_NONE. */
void dp_chrome_out__thread(struct dp_render *render, uint32_t thread);

/* Names a row. */
void dp_chrome_out__name(struct dp_render *render, const char *what, int64_t pid, int64_t tid,
			 const char *name);

/* One loop's tracks, and one finding's. */
void dp_chrome_out__loop(struct dp_render *render, size_t loop);
void dp_chrome_out__finding(struct dp_render *render, size_t finding);

/* Idle time of the devices that have loops, by cause. */
void dp_chrome_out__idle(struct dp_render *render);

/* ProfilerStep ranges over a loop's iterations, as Kineto writes them. */
void dp_chrome_out__steps(struct dp_render *render, size_t loop);

#endif
