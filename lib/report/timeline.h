/* What the timelines of all formats have in common. */
#ifndef DP_REPORT_TIMELINE_H
#define DP_REPORT_TIMELINE_H

#include "report/label.h"
#include "report/number.h"
#include "report/report.h"

/* Idle times under this are what launches take: a timeline has no room for them. */
#define DP_TIMELINE_IDLE_NS 30000

/* The earliest time of a trace: what times in a file count from, as viewers take none below 0. */
int64_t dp_timeline__zero(const struct dp_trace *trace);

/* The difference of times, at the type's limit where hostile ones do not fit. */
int64_t dp_timeline__since(int64_t time_ns, int64_t from_ns);

/* Of the metrics those that are drawn as curves. */
bool dp_timeline__is_counter(const struct dp_render *render, const struct dp_metric_info *info);

/* "loop 0: 50 x 1462 kernels, GPU 0 stream 7" */
void dp_timeline__loop_name(char name[DP_LABEL_SIZE], const struct dp_trace *trace,
			    const struct dp_loop *loop);

/* "GPU 0: Tesla V100", "GPU 0"; "GPU 0 (pid 7)" where there are several processes. */
void dp_timeline__device_name(char name[DP_LABEL_SIZE], const struct dp_trace *trace,
			      size_t device);

/* True where a device, whose first stream this is, has streams of several contexts. */
bool dp_timeline__has_contexts(const struct dp_trace *trace, size_t first);

/* "stream 7"; "stream 7, context 1" where there are several: viewers show rows of one name as one.
 */
void dp_timeline__stream_name(char name[DP_NUMBER_SIZE], const struct dp_trace *trace,
			      size_t stream, bool several);

/* "loop 0: period" and "ns": viewers that know no units show both in a row. */
void dp_timeline__counter_name(char name[2 * DP_NUMBER_SIZE], char unit[DP_NUMBER_SIZE],
			       const struct dp_loop *loop, const struct dp_metric_info *info);

/* "finding: host-bound (loop 0)" */
void dp_timeline__finding_name(char name[2 * DP_NUMBER_SIZE], const struct dp_finding *finding);

/* "idle by cause, GPU 0" */
void dp_timeline__idle_name(char name[DP_LABEL_SIZE], const struct dp_trace *trace, size_t device);

/* Neighbouring iterations of one kind: "warm-up", "steady", "cut off". */
struct dp_timeline_phase {
	const char *name;
	size_t first;
	size_t end;
	int64_t start_ns;
	int64_t end_ns;
};

/* The phase that begins with an iteration. False: there is no such iteration. */
bool dp_timeline__phase(struct dp_timeline_phase *phase, const struct dp_render *render,
			size_t loop, size_t iteration);

/* The wait before an iteration: false where there is none. */
bool dp_timeline__wait(const struct dp_render *render, const struct dp_loop *loop, size_t iteration,
		       int64_t *start_ns, int64_t *end_ns);

/* True where a device has a loop: others' idle time is nobody's. */
bool dp_timeline__has_loop(const struct dp_render *render, size_t device);

#endif
