/*
 * Gaps by cause, after HTA's idle-time classes (Holistic Trace Analysis, "host wait", "kernel
 * wait", "other"), made exact: a gap of the device, in which no operation of any stream runs, is
 * ended by one operation, and what its launching thread did until the launch is what the device
 * waited for.
 */
#include "metric/gaps.h"
#include "metric/parts.h"

/* Host and device clocks, and the way back from the device: what a wait's end may be off by. */
#define SLACK_NS 10000

/*
 * Without the last wait the host would be ahead by its length: gaps after it are that wait's fault
 * until they sum to more.
 */
static int64_t explain(struct dp_gap_walk *walk, int64_t host_ns, int64_t launch_ns)
{
	const struct dp_spans *waits = walk->waits.spans;
	int64_t after_ns;

	for (; walk->waited < waits->count && waits->end_ns[walk->waited] <= launch_ns;
	     walk->waited++)
		walk->credit_ns = waits->end_ns[walk->waited] - waits->start_ns[walk->waited];
	after_ns = DP_MIN(walk->credit_ns, host_ns);
	walk->credit_ns -= after_ns;
	return after_ns;
}

void dp_gap__split(struct dp_gap *gap, struct dp_gap_walk *walk, int64_t start_ns, size_t op)
{
	int64_t end_ns = walk->ops->start_ns[op], length_ns = end_ns - start_ns, until_ns;
	bool is_copy = walk->ops->kind[op] == DP_OP_COPY;
	uint32_t call = walk->ops->call[op];

	*gap = (struct dp_gap){ 0 };
	if (call == DP_NONE) {
		gap->other_ns = length_ns;
		return;
	}
	gap->late = walk->calls->start_ns[call] > start_ns;
	if (!gap->late && is_copy && walk->calls->end_ns[call] >= end_ns)
		gap->copy_ns = length_ns;
	else if (!gap->late && length_ns < DP_SHORT_GAP_NS)
		gap->launch_ns = length_ns;
	else if (!gap->late)
		gap->other_ns = length_ns;
	if (!gap->late)
		return;
	until_ns = is_copy ? end_ns : DP_MIN(end_ns, walk->calls->start_ns[call]);
	gap->waited_ns = dp_spans_at__length(&walk->waits, start_ns, SLACK_NS);
	gap->sync_ns = dp_spans_at__covered(&walk->syncs, start_ns, until_ns);
	gap->copy_ns = dp_spans_at__covered(&walk->any, start_ns, until_ns) - gap->sync_ns;
	gap->host_ns = length_ns - gap->sync_ns - gap->copy_ns;
	gap->after_ns = explain(walk, gap->host_ns, walk->calls->start_ns[call]);
	/* Of several threads one may wait meanwhile: that is counted already. */
	gap->stall_ns = DP_MIN(gap->host_ns, dp_spans_at__covered(&walk->stalls, start_ns, end_ns));
}
