/* Unions of intervals: made in one pass, queried with two binary searches. */
#include "activity/spans.h"
#include "base/base.h"
#include "base/search.h"

int dp_spans__reserve(struct dp_spans *spans, size_t room)
{
	spans->start_ns = dp_alloc__array(room, sizeof(*spans->start_ns));
	spans->end_ns = dp_alloc__array(room, sizeof(*spans->end_ns));
	spans->before_ns = dp_alloc__array(room, sizeof(*spans->before_ns));
	return spans->start_ns && spans->end_ns && spans->before_ns ? DP_OK : DP_ERR_NOMEM;
}

void dp_spans__add(struct dp_spans *spans, int64_t start_ns, int64_t end_ns)
{
	size_t next = spans->count, last = next - 1;

	if (next && start_ns <= spans->end_ns[last]) {
		spans->end_ns[last] = DP_MAX(spans->end_ns[last], end_ns);
		return;
	}
	spans->before_ns[next] =
		next ? spans->before_ns[last] + spans->end_ns[last] - spans->start_ns[last] : 0;
	spans->start_ns[next] = start_ns;
	spans->end_ns[next] = end_ns;
	spans->count++;
}

int dp_spans__init(struct dp_spans *spans, const struct dp_ops *ops, const uint32_t *rows,
		   size_t count, struct dp_error *error)
{
	struct dp_spans made = { 0 };

	if (dp_spans__reserve(&made, count)) {
		dp_spans__fini(&made);
		return dp_error__nomem(error, dp_size__mul(count, sizeof(*made.start_ns)));
	}
	for (size_t i = 0; i < count; i++)
		dp_spans__add(&made, ops->start_ns[rows[i]], ops->end_ns[rows[i]]);
	*spans = made;
	return DP_OK;
}

void dp_spans__fini(struct dp_spans *spans)
{
	free(spans->start_ns);
	free(spans->end_ns);
	free(spans->before_ns);
	*spans = (struct dp_spans){ 0 };
}

/* The length of all spans before a time. */
static int64_t length_before(const struct dp_spans *spans, int64_t time_ns)
{
	size_t next;

	DP_FIND(next, 0, spans->count, spans->start_ns[next] >= time_ns);
	if (!next)
		return 0;
	return spans->before_ns[next - 1] + DP_MIN(spans->end_ns[next - 1], time_ns) -
	       spans->start_ns[next - 1];
}

int64_t dp_spans__covered(const struct dp_spans *spans, int64_t start_ns, int64_t end_ns)
{
	if (end_ns <= start_ns)
		return 0;
	return length_before(spans, end_ns) - length_before(spans, start_ns);
}

/* Moves to the first span that ends after a time. */
static void seek(struct dp_spans_at *at, int64_t time_ns)
{
	while (at->at < at->spans->count && at->spans->end_ns[at->at] <= time_ns)
		at->at++;
}

bool dp_spans_at__inside(struct dp_spans_at *at, int64_t time_ns, int64_t *next_ns)
{
	const struct dp_spans *spans = at->spans;

	seek(at, time_ns);
	if (at->at == spans->count)
		return false;
	if (spans->start_ns[at->at] > time_ns) {
		*next_ns = DP_MIN(*next_ns, spans->start_ns[at->at]);
		return false;
	}
	*next_ns = DP_MIN(*next_ns, spans->end_ns[at->at]);
	return true;
}

int64_t dp_spans_at__covered(struct dp_spans_at *at, int64_t start_ns, int64_t end_ns)
{
	const struct dp_spans *spans = at->spans;
	int64_t covered_ns = 0;

	seek(at, start_ns);
	for (size_t i = at->at; i < spans->count && spans->start_ns[i] < end_ns; i++)
		covered_ns +=
			DP_MIN(spans->end_ns[i], end_ns) - DP_MAX(spans->start_ns[i], start_ns);
	return covered_ns;
}

int64_t dp_spans_at__length(struct dp_spans_at *at, int64_t time_ns, int64_t slack_ns)
{
	const struct dp_spans *spans = at->spans;

	seek(at, time_ns);
	if (at->at < spans->count && spans->start_ns[at->at] <= time_ns)
		return spans->end_ns[at->at] - spans->start_ns[at->at];
	if (at->at && time_ns - spans->end_ns[at->at - 1] <= slack_ns)
		return spans->end_ns[at->at - 1] - spans->start_ns[at->at - 1];
	return 0;
}
