/* When and why a device is idle in the iterations that have timelines. */
#include "report/html.h"

/* Smaller uploads are not input. */
#define INPUT_BYTES 4096

struct gather {
	const struct dp_ops *ops;
	struct dp_html_idle *idles;
	size_t count;
};

/* Returns true if the host is late with the upload of an iteration's input, as in input_wait_ns. */
static bool is_input(const struct dp_ops *ops, const struct dp_idle *piece)
{
	return piece->cause == DP_IDLE_HOST && ops->kind[piece->op] == DP_OP_COPY &&
	       ops->copy_kind[piece->op] == DP_COPY_HTOD && ops->bytes[piece->op] >= INPUT_BYTES;
}

static int cause_of(const struct gather *gather, const struct dp_html_idle *idle,
		    const struct dp_idle *piece)
{
	return idle->input && is_input(gather->ops, piece) ? DP_HTML_IDLE_INPUT : (int)piece->cause;
}

static int add(const struct gather *gather, struct dp_html_idle *idle, struct dp_idle piece)
{
	piece.start_ns = DP_MAX(piece.start_ns, idle->start_ns);
	piece.end_ns = DP_MIN(piece.end_ns, idle->end_ns);
	if (piece.start_ns >= piece.end_ns)
		return DP_OK;
	if (dp_array__reserve(&idle->pieces, &idle->room, idle->count + 1, sizeof(piece)))
		return DP_ERR_NOMEM;
	idle->causes_ns[cause_of(gather, idle, &piece)] += piece.end_ns - piece.start_ns;
	piece.cause = (enum dp_idle_cause)cause_of(gather, idle, &piece);
	idle->pieces[idle->count++] = piece;
	return DP_OK;
}

static int add_to_all(void *ctx, const struct dp_idle *piece)
{
	struct gather *gather = ctx;

	for (size_t i = 0; i < gather->count; i++)
		if (add(gather, &gather->idles[i], *piece))
			return DP_ERR_NOMEM;
	return DP_OK;
}

int dp_html__idle(struct dp_render *render, uint32_t device, struct dp_html_idle *idles,
		  size_t count)
{
	struct gather gather = { dp_trace_ops(dp_analysis_trace(render->analysis)), idles, count };
	int64_t start_ns = INT64_MAX, end_ns = INT64_MIN;
	int status;

	for (size_t i = 0; i < count; i++) {
		start_ns = DP_MIN(start_ns, idles[i].start_ns);
		end_ns = DP_MAX(end_ns, idles[i].end_ns);
	}
	status = dp_analysis_foreach_idle(render->analysis, device, start_ns, end_ns, add_to_all,
					  &gather, render->error);
	/* the walk reports its own failure, but not that of the callback */
	return status ? dp_error__nomem(render->error, 0) : DP_OK;
}

/* The shortest stretch that a page has room for. */
static int64_t least_length(const struct dp_html_idle *idle)
{
	int64_t least_ns = 1;
	size_t fit;

	do {
		fit = 0;
		for (size_t i = 0; i < idle->count; i++)
			fit += idle->pieces[i].end_ns - idle->pieces[i].start_ns >= least_ns;
		least_ns *= 2;
	} while (fit > idle->most);
	return least_ns / 2;
}

void dp_html__idle_write(struct dp_render *render, const struct dp_html_idle *idle)
{
	int64_t least_ns = least_length(idle), sum_ns = 0;
	bool any = false;

	dp_render__text(render, ",\n\"gaps\":[");
	for (size_t i = 0; i < idle->count; i++) {
		const struct dp_idle *piece = &idle->pieces[i];
		int64_t length_ns = piece->end_ns - piece->start_ns;

		if (length_ns < least_ns)
			continue;
		dp_render__format(render, "%s%lld,%lld,%d", any ? "," : "",
				  (long long)(piece->start_ns - idle->start_ns),
				  (long long)length_ns, (int)piece->cause);
		any = true;
	}
	dp_render__text(render, "],\"causes\":[");
	for (size_t i = 0; i < DP_COUNT(idle->causes_ns); i++) {
		dp_render__format(render, "%s%lld", i ? "," : "", (long long)idle->causes_ns[i]);
		sum_ns += idle->causes_ns[i];
	}
	dp_render__format(render, "],\"idle\":%lld", (long long)sum_ns);
}
