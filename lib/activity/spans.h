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
 * The union of operations rows[0..count), which are in order of start. *spans is the caller's, to
 * be released with fini. Errors: DP_ERR_NOMEM.
 */
int dp_spans__init(struct dp_spans *spans, const struct dp_ops *ops, const uint32_t *rows,
		   size_t count, struct dp_error *error);
void dp_spans__fini(struct dp_spans *spans);

/*
 * Room for that many, in empty spans. Errors: DP_ERR_NOMEM. Then each is added: it begins no
 * earlier than the last one, and extends it where it begins no later than that ends.
 */
int dp_spans__reserve(struct dp_spans *spans, size_t room);
void dp_spans__add(struct dp_spans *spans, int64_t start_ns, int64_t end_ns);

/* Length of the intersection of spans with [start, end). Cost: logarithmic. */
int64_t dp_spans__covered(const struct dp_spans *spans, int64_t start_ns, int64_t end_ns);

/* A place in spans, for questions whose times go up. Constant cost, amortized. */
struct dp_spans_at {
	const struct dp_spans *spans;
	size_t at;
};

/* Length of the intersection with [start, end). */
int64_t dp_spans_at__covered(struct dp_spans_at *at, int64_t start_ns, int64_t end_ns);

/* Length of the span that a time is in, or up to slack after; 0 where there is none. */
int64_t dp_spans_at__length(struct dp_spans_at *at, int64_t time_ns, int64_t slack_ns);

#endif
