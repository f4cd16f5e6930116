/* Unions of intervals: one pass to make, two binary searches to ask. */
#include "metric/spans.h"
#include "base/base.h"

int dp_spans__init(struct dp_spans *spans, const struct dp_ops *ops, const uint32_t *rows,
		   size_t count, struct dp_error *error)
{
	struct dp_spans made = {
		.start_ns = dp_alloc__array(count, sizeof(*made.start_ns)),
		.end_ns = dp_alloc__array(count, sizeof(*made.end_ns)),
		.before_ns = dp_alloc__array(count, sizeof(*made.before_ns)),
	};
	int64_t total_ns = 0;

	if (!made.start_ns || !made.end_ns || !made.before_ns) {
		dp_spans__fini(&made);
		return dp_error__nomem(error, dp_size__mul(count, sizeof(*made.start_ns)));
	}
	for (size_t i = 0; i < count; i++) {
		int64_t start_ns = ops->start_ns[rows[i]], end_ns = ops->end_ns[rows[i]];
		size_t last = made.count - 1;

		if (made.count && start_ns <= made.end_ns[last]) {
			made.end_ns[last] = DP_MAX(made.end_ns[last], end_ns);
			continue;
		}
		if (made.count)
			total_ns += made.end_ns[last] - made.start_ns[last];
		made.start_ns[made.count] = start_ns;
		made.end_ns[made.count] = end_ns;
		made.before_ns[made.count++] = total_ns;
	}
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

/* The first of ascending values that is time_ns or later, or count. */
static size_t first_from(const int64_t *values, size_t count, int64_t time_ns)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (values[middle] < time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Length of all spans before a time. */
static int64_t length_before(const struct dp_spans *spans, int64_t time_ns)
{
	size_t next = first_from(spans->start_ns, spans->count, time_ns);

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

/* To the first span that ends after a time. */
static void seek(struct dp_spans_at *at, int64_t time_ns)
{
	while (at->at < at->spans->count && at->spans->end_ns[at->at] <= time_ns)
		at->at++;
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
