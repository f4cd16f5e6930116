/*
 * The Chrome traces of rocprof (v1 and v2, "results.json"): rows are named "GPU0", "COPY", "CPU HIP
 * API", "CPU HSA API" and "Markers and Ranges", and events have no category. A call and its
 * operation share "Index", which counts HIP calls from 0. Times in "ts" and "dur" are whole
 * microseconds, those in "BeginNs" and "EndNs" exact; their clocks differ by a constant, or do not.
 */
#ifndef DP_IMPORT_KINETO_ROCPROF_H
#define DP_IMPORT_KINETO_ROCPROF_H

#include "import/chrome.h"
#include "import/kineto_class.h"

enum { DP_KINETO_ROCPROF_ROWS = 64 };

/* Zero it first. */
struct dp_kineto_rocprof {
	struct dp_kineto_rocprof_row {
		int64_t pid;
		int64_t device; /* of "GPU0", else -1 */
		enum dp_kineto_class class;
		bool indexed; /* its Index is that of HIP calls */
	} rows[DP_KINETO_ROCPROF_ROWS];
	size_t count;
	int64_t offset_ns; /* of the exact times' clock, as the first event has it */
	bool offset_known;
};

/* Returns true for a metadata event that names a row as rocprof does; GPUs' rows are not counted.
 */
bool dp_kineto_rocprof__is_row(const struct dp_chrome_event *event);

/* Notes a row that a metadata event names; ignores rows that rocprof does not write. */
void dp_kineto_rocprof__note(struct dp_kineto_rocprof *rocprof,
			     const struct dp_chrome_event *event);

/*
 * Returns the class of an event in one of its rows, and rewrites the event as Kineto would;
 * DP_KINETO_NONE if it is in another row.
 */
enum dp_kineto_class dp_kineto_rocprof__read(struct dp_kineto_rocprof *rocprof,
					     struct dp_chrome_event *event);

#endif
