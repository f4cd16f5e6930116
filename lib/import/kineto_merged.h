/*
 * Which process an event is of, in a file that was merged from traces of several. Mergers write
 * one trace after the other. Some put a label before each pid, "[TP00] 41077" and, of a GPU's
 * events, "[TP00] 0": all of a label is one process. Others leave pids as they are: then a GPU's
 * events are of the process that the host events before them name.
 */
#ifndef DP_IMPORT_KINETO_MERGED_H
#define DP_IMPORT_KINETO_MERGED_H

#include "import/chrome.h"
#include "base/strings.h"

/* Zeroed storage is a file of which nothing was read. */
struct dp_kineto_merged {
	struct dp_strings labels;
	/* By label: the pid behind it in host events, -1: none was read, -2: no process is its. */
	int64_t *numbers;
	size_t room;
	int64_t pid;	/* of the host events that were read last */
	bool known;	/* there were some */
	bool has_gpu;	/* set it where GPU events follow them */
	bool mixed;	/* processes take turns, or one has no GPU events before the next */
	bool unordered; /* events are not sorted by their starts: as they were written */
	int64_t last_ns;
};

void dp_kineto_merged__fini(struct dp_kineto_merged *merged);

/* Gives an event whose pid is a text with a label a number as pid, the same for all of the label.
 * Cost: linear in the text, expected. Errors: DP_ERR_NOMEM. */
int dp_kineto_merged__label(struct dp_kineto_merged *merged, struct dp_chrome_event *event);

/* Takes note of a host event of another pid than merged->pid; is_new: of one not met before. */
void dp_kineto_merged__host(struct dp_kineto_merged *merged, const struct dp_chrome_event *event,
			    bool is_new);

/* Says that there is a process of this pid. */
void dp_kineto_merged__use(struct dp_kineto_merged *merged, int64_t pid);

/* The pid that the source has: of a label's number, what stood behind the label. */
int64_t dp_kineto_merged__pid(const struct dp_kineto_merged *merged, int64_t pid);

/* Takes note of when an event starts. */
static inline void dp_kineto_merged__start(struct dp_kineto_merged *merged,
					   const struct dp_chrome_event *event)
{
	if (!(event->has & DP_CHROME_START))
		return;
	merged->unordered |= event->start_ns < merged->last_ns;
	merged->last_ns = event->start_ns;
}

/* The pid whose GPU event that is; false where nothing tells. */
static inline bool dp_kineto_merged__owner(const struct dp_kineto_merged *merged,
					   const struct dp_chrome_event *event, int64_t *pid)
{
	bool labelled = event->pid_text.length && event->has & DP_CHROME_PID;

	*pid = labelled ? event->pid : merged->pid;
	return labelled || (merged->known && merged->unordered && !merged->mixed);
}

#endif
