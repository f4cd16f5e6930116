/*
 * The Chrome traces of rocprof (v1 and v2, "results.json"): rows are named "GPU0", "COPY", "CPU HIP
 * API", "CPU HSA API" and "Markers and Ranges", and events have no category. A call and what it
 * launched share "Index", which counts the calls of HIP from 0.
 */
#ifndef DP_IMPORT_KINETO_ROCPROF_H
#define DP_IMPORT_KINETO_ROCPROF_H

#include "import/chrome.h"
#include "import/kineto_class.h"

enum { DP_KINETO_ROCPROF_ROWS = 64 };

/* Zero it. */
struct dp_kineto_rocprof {
	struct dp_kineto_rocprof_row {
		int64_t pid;
		int64_t device; /* of "GPU0", else -1 */
		enum dp_kineto_class class;
		bool indexed; /* its Index is that of calls of HIP */
	} rows[DP_KINETO_ROCPROF_ROWS];
	size_t count;
};

/* Takes note of a row that a metadata event names; those of others are none. */
void dp_kineto_rocprof__note(struct dp_kineto_rocprof *rocprof,
			     const struct dp_chrome_event *event);

/*
 * The class of an event of one of its rows, which is changed to what Kineto's would be;
 * DP_KINETO_NONE where it is of no such row.
 */
enum dp_kineto_class dp_kineto_rocprof__read(const struct dp_kineto_rocprof *rocprof,
					     struct dp_chrome_event *event);

#endif
