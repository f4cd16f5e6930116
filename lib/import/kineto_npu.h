/*
 * trace_view.json, what Ascend's profiler writes: Chrome events without category, among which those
 * with a "Task Type" are what an NPU did.
 */
#ifndef DP_IMPORT_KINETO_NPU_H
#define DP_IMPORT_KINETO_NPU_H

#include "base/lookup.h"
#include "import/chrome.h"
#include "import/kineto_class.h"

/* Zero it. */
struct dp_kineto_npu {
	struct dp_lookup devices; /* pid: the device's number, in their order */
	struct dp_lookup derived; /* pids of rows that sum up others */
};

void dp_kineto_npu__fini(struct dp_kineto_npu *npu);

/* Takes note of a row that a metadata event names. Errors: DP_ERR_NOMEM. */
int dp_kineto_npu__note(struct dp_kineto_npu *npu, const struct dp_chrome_event *event);

/*
 * What an event without category is, and its device; DP_KINETO_NONE where it is not of an NPU.
 * Errors: DP_ERR_NOMEM.
 */
int dp_kineto_npu__read(struct dp_kineto_npu *npu, struct dp_chrome_event *event,
			enum dp_kineto_class *class);

#endif
