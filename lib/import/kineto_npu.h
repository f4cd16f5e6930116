/*
 * trace_view.json of Ascend's profiler: Chrome events without category, of which those with a "Task
 * Type" ran on an NPU. Other rows of the NPU repeat or sum up these: collectives by group and by
 * link, overlap, iterations.
 */
#ifndef DP_IMPORT_KINETO_NPU_H
#define DP_IMPORT_KINETO_NPU_H

#include "base/lookup.h"
#include "import/chrome.h"
#include "import/kineto_class.h"

/* Zero it first. */
struct dp_kineto_npu {
	struct dp_lookup devices; /* from pid to the device's number, in order */
	struct dp_lookup pids;	  /* pids of the NPU: only tasks of these are read */
};

void dp_kineto_npu__fini(struct dp_kineto_npu *npu);

/* Notes a row that a metadata event names. Errors: DP_ERR_NOMEM. */
int dp_kineto_npu__note(struct dp_kineto_npu *npu, const struct dp_chrome_event *event);

/*
 * Classifies an event without category and sets its device; DP_KINETO_NONE if it is not an NPU's.
 * Errors: DP_ERR_NOMEM.
 */
int dp_kineto_npu__read(struct dp_kineto_npu *npu, struct dp_chrome_event *event,
			enum dp_kineto_class *class);

#endif
