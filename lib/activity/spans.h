/* Unions of intervals of time. */
#ifndef DP_ACTIVITY_SPANS_H
#define DP_ACTIVITY_SPANS_H

#include <deepprof/trace.h>

/* Disjoint spans of time in ascending order, with the length of all before each. */
struct dp_spans {
	size_t count;
	int64_t *start_ns;
	int64_t *end_ns;
	int64_t *before_ns;
};

/*
 * Makes the union of operations rows[0..count), which are in order of start. The caller releases
 * *spans with fini. Errors: DP_ERR_NOMEM.
 */
int dp_spans__init(struct dp_spans *spans, const struct dp_ops *ops, const uint32_t *rows,
		   size_t count, struct dp_error *error);
void dp_spans__fini(struct dp_spans *spans);

/*
 * reserve makes room for this many spans in empty *spans. Errors: DP_ERR_NOMEM. add then adds each:
 * it begins no earlier than the last one, and extends that if they touch or overlap.
 */
int dp_spans__reserve(struct dp_spans *spans, size_t room);
void dp_spans__add(struct dp_spans *spans, int64_t start_ns, int64_t end_ns);

/* The length of the intersection of spans with [start, end). Cost: logarithmic. */
int64_t dp_spans__covered(const struct dp_spans *spans, int64_t start_ns, int64_t end_ns);

/* A cursor in spans, for queries with ascending times. Cost: constant, amortized. */
struct dp_spans_at {
	const struct dp_spans *spans;
	size_t at;
};

/* Returns true if a span contains a time. *next_ns is set to the next change, if that is earlier.
 */
bool dp_spans_at__inside(struct dp_spans_at *at, int64_t time_ns, int64_t *next_ns);

/* The length of the intersection with [start, end). */
int64_t dp_spans_at__covered(struct dp_spans_at *at, int64_t start_ns, int64_t end_ns);

/*
 * The length of the span that contains a time, or ended up to slack before it; 0 if there is none.
 */
int64_t dp_spans_at__length(struct dp_spans_at *at, int64_t time_ns, int64_t slack_ns);

#endif
