/* Communication kernels with the recorded data of their calls. */
#ifndef DP_ACTIVITY_COLLECTIVE_H
#define DP_ACTIVITY_COLLECTIVE_H

#include <deepprof/analysis.h>

/* The kind by the name of a call or a kernel. Cost: linear in the name. */
enum dp_collective_kind dp_collective__kind(const char *name);

/* A link's traffic per byte of a message, as in nccl-tests (PERFORMANCE.md). */
double dp_collective__bus_factor(enum dp_collective_kind kind, double members);

/*
 * The record of dp_trace_collectives() for a communication kernel: its own, or that of the host's
 * call that launched it; DP_NONE if there is none. *at must be 0 for the first operation, and
 * operations must come in order. Cost: logarithmic.
 */
size_t dp_collective__record(const struct dp_trace *trace, uint32_t op, size_t *at);

struct dp_collective_stats {
	struct dp_collective_stat *rows;
	size_t count, room;
};

/*
 * The caller releases out with fini, also after a failure. Errors: DP_ERR_NOMEM. Cost: linear in
 * the operations, n log n in the communication kernels.
 */
int dp_collective_stats__init(struct dp_collective_stats *out, const struct dp_trace *trace,
			      struct dp_error *error);
void dp_collective_stats__fini(struct dp_collective_stats *stats);

#endif
