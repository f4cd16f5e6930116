/*
 * Intervals in which the program ran without being recorded. A pause matters only between two
 * launches of a process: before the first and after the last, nothing can be mistaken for a wait.
 * Pauses are compared with launches, not with operations, which may run in a pause if they were
 * launched before it. The middle of a pause divides the launches, because a launch near its ends
 * may or may not have been recorded. Cost: n log n in the pauses, linear in the operations.
 */
#include "base/base.h"
#include "base/search.h"
#include "trace/builder_model.h"
#include "trace/model.h"

int dp_builder__add_pause(struct dp_builder *builder, uint32_t process, int64_t start_ns,
			  int64_t end_ns)
{
	if (builder->status)
		return builder->status;
	if (!dp_builder__good_times(builder, start_ns, &end_ns) ||
	    process >= builder->process_count)
		return builder->status;
	if (dp_array__reserve(&builder->pauses, &builder->pause_room, builder->pause_count + 1,
			      sizeof(*builder->pauses)))
		return dp_builder__fail(builder, DP_ERR_NOMEM);
	builder->pauses[builder->pause_count++] = (struct dp_pause){ process, start_ns, end_ns };
	return DP_OK;
}

static int compare_pauses(const void *a, const void *b)
{
	const struct dp_pause *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return (x->end_ns > y->end_ns) - (x->end_ns < y->end_ns);
}

/* When a process launched its first and its last operation. */
struct lives {
	int64_t first_ns;
	int64_t last_ns;
};

static int64_t launched_ns(const struct dp_trace *trace, size_t op)
{
	uint32_t call = trace->ops.call[op];

	return call == DP_NONE ? trace->ops.start_ns[op]
			       : DP_MIN(trace->ops.start_ns[op], trace->calls.start_ns[call]);
}

static struct lives *find_lives(const struct dp_trace *trace)
{
	struct lives *lives = dp_alloc__array(trace->process_count, sizeof(*lives));

	for (size_t i = 0; lives && i < trace->process_count; i++)
		lives[i] = (struct lives){ INT64_MAX, INT64_MIN };
	for (size_t i = 0; lives && i < trace->ops.count; i++) {
		uint32_t process = trace->streams[trace->ops.stream[i]].process;
		int64_t time_ns = launched_ns(trace, i);

		lives[process].first_ns = DP_MIN(lives[process].first_ns, time_ns);
		lives[process].last_ns = DP_MAX(lives[process].last_ns, time_ns);
	}
	return lives;
}

static bool matters(const struct dp_pause *pause, const struct lives *lives)
{
	int64_t middle_ns = pause->start_ns + (pause->end_ns - pause->start_ns) / 2;

	return pause->end_ns > pause->start_ns && middle_ns > lives[pause->process].first_ns &&
	       middle_ns < lives[pause->process].last_ns;
}

int dp_trace__take_pauses(struct dp_trace *trace, struct dp_builder *builder, int64_t zero_ns)
{
	struct dp_pause *pauses = builder->pauses, *last = NULL;
	struct lives *lives;

	if (!builder->pause_count)
		return DP_OK;
	lives = find_lives(trace);
	if (!lives)
		return dp_error__nomem(builder->error, trace->process_count);
	qsort(pauses, builder->pause_count, sizeof(*pauses), compare_pauses);
	for (size_t i = 0; i < builder->pause_count; i++) {
		struct dp_pause pause = pauses[i];

		pause.start_ns -= zero_ns;
		pause.end_ns -= zero_ns;
		if (!matters(&pause, lives))
			continue;
		if (last && last->process == pause.process && pause.start_ns <= last->end_ns) {
			last->end_ns = DP_MAX(last->end_ns, pause.end_ns);
			continue;
		}
		last = &pauses[trace->pause_count++];
		*last = pause;
	}
	trace->pauses = pauses;
	builder->pauses = NULL;
	free(lives);
	return DP_OK;
}

size_t dp_trace_pause_count(const struct dp_trace *trace)
{
	return trace->pause_count;
}

const struct dp_pause *dp_trace_pause(const struct dp_trace *trace, size_t index)
{
	return index < trace->pause_count ? &trace->pauses[index] : NULL;
}

/* Returns the first pause of a process, or of a later one. */
static size_t first_of(const struct dp_trace *trace, uint32_t process)
{
	size_t first;

	DP_FIND(first, 0, trace->pause_count, trace->pauses[first].process >= process);
	return first;
}

int64_t dp_trace_paused_ns(const struct dp_trace *trace, uint32_t process)
{
	const struct dp_pause *pause;
	int64_t sum_ns = 0;

	for (size_t i = first_of(trace, process);
	     (pause = dp_trace_pause(trace, i)) && pause->process == process; i++)
		sum_ns += DP_MIN(pause->end_ns, trace->duration_ns) - DP_MAX(pause->start_ns, 0);
	return sum_ns;
}
