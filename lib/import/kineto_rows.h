/*
 * Rows of a timeline written by deepprof whose number is not that of their thread. Labels in the
 * metadata give the thread: "thread 7", "row of thread 7" if the row's name is not the thread's, or
 * "no thread".
 */
#ifndef DP_IMPORT_KINETO_ROWS_H
#define DP_IMPORT_KINETO_ROWS_H

#include "import/chrome.h"
#include "base/strings.h"

struct dp_kineto_row {
	int64_t tid;
	bool known;   /* the row has a thread */
	bool unnamed; /* the row's name is not the thread's */
};

/* Zero it first. */
struct dp_kineto_rows {
	struct dp_strings keys;
	struct dp_kineto_row *rows;
	size_t room;
};

void dp_kineto_rows__fini(struct dp_kineto_rows *rows);

/* Notes the thread of a row that an event names. */
int dp_kineto_rows__note(struct dp_kineto_rows *rows, const struct dp_chrome_event *event);

/* Finds a row's thread: its own number unless the trace has another. Cost: constant, expected. */
int dp_kineto_rows__find(struct dp_kineto_rows *rows, int64_t pid, int64_t tid,
			 struct dp_kineto_row *found);

#endif
