/*
 * Finds the process of an event in a file merged from traces of several processes. Mergers write
 * one trace after the other. Some prefix each pid with a label, "[TP00] 41077" and, for GPU events,
 * "[TP00] 0": everything with one label is one process. Others leave pids unchanged: GPU events
 * then belong to the process of the host events before them.
 */
#ifndef DP_IMPORT_KINETO_MERGED_H
#define DP_IMPORT_KINETO_MERGED_H

#include "import/chrome.h"
#include "base/strings.h"

/* Zero it before the file is read. */
struct dp_kineto_merged {
	struct dp_strings labels;
	/* By label: the pid that it stands for in host events; -1: not read yet, -2: no process has it. */
	int64_t *numbers;
	size_t room;
	int64_t pid;	/* of the last host event */
	bool known;	/* there was a host event */
	bool has_gpu;	/* set by the caller if GPU events follow */
	bool mixed;	/* processes alternate, or one has no GPU events before the next */
	bool unordered; /* events are not sorted by start, but as written */
	int64_t last_ns;
};

void dp_kineto_merged__fini(struct dp_kineto_merged *merged);

/*
 * Replaces a pid that is a text with a label by a number, the same for everything with that label.
 * Cost: linear in the text, expected. Errors: DP_ERR_NOMEM.
 */
int dp_kineto_merged__label(struct dp_kineto_merged *merged, struct dp_chrome_event *event);

/* Notes a host event whose pid is not merged->pid. is_new: the pid was not met before. */
void dp_kineto_merged__host(struct dp_kineto_merged *merged, const struct dp_chrome_event *event,
			    bool is_new);

/* Notes that there is a process with this pid. */
void dp_kineto_merged__use(struct dp_kineto_merged *merged, int64_t pid);

/* Returns the pid in the source: for a label's number, the pid behind the label. */
int64_t dp_kineto_merged__pid(const struct dp_kineto_merged *merged, int64_t pid);

/* Notes when an event starts. */
static inline void dp_kineto_merged__start(struct dp_kineto_merged *merged,
					   const struct dp_chrome_event *event)
{
	if (!(event->has & DP_CHROME_START))
		return;
	merged->unordered |= event->start_ns < merged->last_ns;
	merged->last_ns = event->start_ns;
}

/* Sets *pid to that of a GPU event. Returns false if it is unknown. */
static inline bool dp_kineto_merged__owner(const struct dp_kineto_merged *merged,
					   const struct dp_chrome_event *event, int64_t *pid)
{
	bool labelled = event->pid_text.length && event->has & DP_CHROME_PID;

	*pid = labelled ? event->pid : merged->pid;
	return labelled || (merged->known && merged->unordered && !merged->mixed);
}

#endif
