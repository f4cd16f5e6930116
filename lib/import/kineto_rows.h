/*
 * Rows of a timeline that deepprof wrote which have another number than their thread has: metadata
 * named deepprof_thread and deepprof_overlap tell it.
 */
#ifndef DP_IMPORT_KINETO_ROWS_H
#define DP_IMPORT_KINETO_ROWS_H

#include "import/chrome.h"
#include "base/strings.h"

struct dp_kineto_row {
	int64_t tid;
	bool known;   /* whose it is */
	bool further; /* not the first of its thread */
};

/* Zeroed storage is one without rows. */
struct dp_kineto_rows {
	struct dp_strings keys;
	struct dp_kineto_row *rows;
	size_t room;
};

void dp_kineto_rows__fini(struct dp_kineto_rows *rows);

/* Takes note of metadata that name a row's thread. *taken: it did. */
int dp_kineto_rows__note(struct dp_kineto_rows *rows, const struct dp_chrome_event *event,
			 bool *taken);

/* Whose row that is; its own where nothing else is told. Cost: constant, expected. */
int dp_kineto_rows__find(struct dp_kineto_rows *rows, int64_t pid, int64_t tid,
			 struct dp_kineto_row *found);

#endif
