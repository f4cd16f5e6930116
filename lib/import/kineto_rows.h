/*
 * Rows of a timeline that deepprof wrote which have another number than their thread has: labels in
 * the metadata that name them tell it, "thread 7", or "row of thread 7" where the name is none of
 * the thread's, or "no thread".
 */
#ifndef DP_IMPORT_KINETO_ROWS_H
#define DP_IMPORT_KINETO_ROWS_H

#include "import/chrome.h"
#include "base/strings.h"

struct dp_kineto_row {
	int64_t tid;
	bool known;   /* whose it is */
	bool unnamed; /* what names it does not name the thread */
};

/* Zeroed storage is one without rows. */
struct dp_kineto_rows {
	struct dp_strings keys;
	struct dp_kineto_row *rows;
	size_t room;
};

void dp_kineto_rows__fini(struct dp_kineto_rows *rows);

/* Takes note of whose row that is which an event names. */
int dp_kineto_rows__note(struct dp_kineto_rows *rows, const struct dp_chrome_event *event);

/* Whose row that is; its own unless the trace names another. Cost: constant, expected. */
int dp_kineto_rows__find(struct dp_kineto_rows *rows, int64_t pid, int64_t tid,
			 struct dp_kineto_row *found);

#endif
