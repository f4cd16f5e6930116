/*
 * Idle time is walked in order, with a stack of open ranges per thread. Ranges around a whole
 * iteration, such as a profiler's step, reveal nothing about its inside and are left out. Those of
 * annotations that differ in numbers only are added up. Typical and slow iterations have separate
 * sums, so that their difference can be computed.
 *
 * Cost: linear in the launching threads' ranges and in pieces of idle time, n log n in their calls
 * and in distinct pairs of names; and the iterations that each thread waits in.
 */
#include "activity/host_ranges.h"
#include "activity/periods.h"
#include "base/lookup.h"
#include "base/search.h"
#include "stats/stat.h"
#include "stats/trend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * A range is a whole iteration if it takes this share of the typical period and launches this share
 * of its kernels; a checkpoint may take as long.
 */
#define WHOLE_ITERATION 0.9
#define MOST_LAUNCHES 0.5

enum kind { NOT_COUNTED, TYPICAL, SLOW };

/* What may be open: ranges, or calls if the trace has no ranges. */
struct source {
	const struct dp_groups *by_thread;
	const int64_t *start_ns;
	const int64_t *end_ns;
	const uint32_t *name;
	const struct dp_range_names *names; /* that are joined; NULL: none are */
};

/* A range of a launching thread, in order of start, and as an entry of the stack. */
struct open {
	uint32_t range;
	uint32_t below; /* the one that encloses it, or DP_NONE */
	uint32_t outer; /* the outermost around it, or itself */
};

/* Where a thread is. */
struct thread {
	size_t first; /* of its ranges, in list[] */
	size_t end;
	size_t next;  /* not opened yet */
	uint32_t top; /* the innermost open one, or DP_NONE */
	const uint32_t *samples; /* of functions it ran */
	size_t sample_count;
	size_t sample; /* the next one */
	int64_t until_ns; /* the end of its calls so far */
};

struct dp_host_ranges_maker {
	const struct dp_device_timeline *timeline;
	const struct dp_iteration *iterations;
	size_t count;
	uint8_t *kinds;	  /* per iteration */
	double counts[2]; /* iterations: typical, slow */
	double middle;	  /* mean index of the typical ones */
	double squares;	  /* sum of squared distances of their indices from it */
	int64_t longest_ns;
	int64_t *launch_ns; /* launch times of kernels */
	size_t launch_count;
	double launches; /* per iteration */
	struct source source;
	struct dp_spans_at waits; /* calls that are no host wait: they synchronize or copy */
	struct open *list; /* by thread, in order of time */
	struct thread *threads; /* that launch, and a last one for all others: it has no ranges */
	struct dp_lookup index; /* by activity and names: index of an entry */
	struct dp_host_range *ranges;
	size_t used;
	size_t room;
};

static void choose_source(struct dp_host_ranges_maker *maker)
{
	const struct dp_trace_index *index = maker->timeline->index;
	const struct dp_ranges *ranges = dp_trace_ranges(maker->timeline->trace);
	const struct dp_calls *calls = dp_trace_calls(maker->timeline->trace);

	if (ranges->count)
		maker->source = (struct source){ &index->ranges, ranges->start_ns, ranges->end_ns,
						 ranges->name, &index->range_names };
	else
		maker->source = (struct source){ &index->calls, calls->start_ns, calls->end_ns,
						 calls->name, NULL };
}

static int find_launches(struct dp_host_ranges_maker *maker)
{
	const struct dp_calls *calls = dp_trace_calls(maker->timeline->trace);
	const struct dp_device_timeline *timeline = maker->timeline;

	maker->launch_ns = dp_alloc__array(timeline->call_count, sizeof(*maker->launch_ns));
	if (!maker->launch_ns)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < timeline->call_count; i++)
		if (calls->kind[timeline->calls[i]] == DP_CALL_LAUNCH)
			maker->launch_ns[maker->launch_count++] =
				calls->start_ns[timeline->calls[i]];
	return DP_OK;
}

/* The number of kernels launched in a time range. */
static double launches_in(const struct dp_host_ranges_maker *maker, int64_t start_ns,
			  int64_t end_ns)
{
	size_t from, to;

	DP_FIND(from, 0, maker->launch_count, maker->launch_ns[from] >= start_ns);
	DP_FIND(to, 0, maker->launch_count, maker->launch_ns[to] >= end_ns);
	return (double)to - (double)from;
}

/* Returns true if a range is a part of an iteration. */
static bool counts(const struct dp_host_ranges_maker *maker, size_t range)
{
	int64_t start_ns = maker->source.start_ns[range], end_ns = maker->source.end_ns[range];

	return end_ns - start_ns < maker->longest_ns ||
	       launches_in(maker, start_ns, end_ns) < MOST_LAUNCHES * maker->launches;
}

/* What the launching threads have, by thread: it comes in order of time. */
static int list_ranges(struct dp_host_ranges_maker *maker)
{
	const struct dp_groups *groups = maker->source.by_thread;
	const struct dp_device_timeline *timeline = maker->timeline;
	size_t count = 0, own;

	for (size_t t = 0; t < timeline->launcher_count; t++) {
		dp_groups__rows(groups, timeline->launchers[t], &own);
		count += own;
	}
	maker->threads = dp_alloc__zeroed(timeline->launcher_count + 1, sizeof(*maker->threads));
	maker->list = dp_alloc__array(count, sizeof(*maker->list));
	if (!maker->threads || !maker->list)
		return DP_ERR_NOMEM;
	count = 0;
	maker->threads[timeline->launcher_count].top = DP_NONE;
	for (size_t t = 0; t < timeline->launcher_count; t++) {
		struct thread *thread = &maker->threads[t];
		const uint32_t *rows = dp_groups__rows(groups, timeline->launchers[t], &own);

		thread->samples = dp_groups__rows(&timeline->index->functions,
						  timeline->launchers[t], &thread->sample_count);
		thread->first = thread->next = count;
		thread->top = DP_NONE;
		for (size_t i = 0; i < own; i++)
			if (counts(maker, rows[i]))
				maker->list[count++].range = rows[i];
		thread->end = count;
	}
	return DP_OK;
}

static double period_of(const struct dp_host_ranges_maker *maker, size_t k)
{
	/* with two, the second only marks the end of a stretch of time */
	bool whole =
		k + 1 < maker->count && (maker->count == 2 || !maker->iterations[k + 1].partial);

	return whole ? dp_period__steady_ns(maker->iterations, maker->count, k) : (double)NAN;
}

/* Finds which iterations are typical and which slow, as the rules do. */
static int find_kinds(struct dp_host_ranges_maker *maker)
{
	double *periods = dp_alloc__array(maker->count, sizeof(*periods)), limit;
	size_t used = 0;

	maker->kinds = dp_alloc__zeroed(maker->count, sizeof(*maker->kinds));
	if (!periods || !maker->kinds) {
		free(periods);
		return DP_ERR_NOMEM;
	}
	for (size_t k = 0; k < maker->count; k++)
		if (!isnan(period_of(maker, k)))
			periods[used++] = period_of(maker, k);
	maker->longest_ns =
		used ? (int64_t)(WHOLE_ITERATION * dp_stat__median(periods, used)) : INT64_MAX;
	limit = dp_outlier__limit(periods, used);
	for (size_t k = 0; k < maker->count; k++) {
		double period_ns = period_of(maker, k);

		if (isnan(period_ns))
			continue;
		maker->kinds[k] = period_ns > limit ? SLOW : TYPICAL;
		maker->counts[maker->kinds[k] - TYPICAL]++;
		maker->middle += maker->kinds[k] == TYPICAL ? (double)k : 0;
	}
	maker->middle /= DP_MAX(maker->counts[0], 1);
	for (size_t k = 0; k < maker->count; k++)
		if (maker->kinds[k] == TYPICAL)
			maker->squares += ((double)k - maker->middle) * ((double)k - maker->middle);
	free(periods);
	return DP_OK;
}

int dp_host_ranges__begin(struct dp_host_ranges_maker **maker,
			  const struct dp_device_timeline *timeline,
			  const struct dp_iteration *iterations, size_t count)
{
	struct dp_host_ranges_maker *made = dp_alloc__zeroed(1, sizeof(*made));

	if (!made)
		return DP_ERR_NOMEM;
	made->timeline = timeline;
	made->iterations = iterations;
	made->count = count;
	made->waits = (struct dp_spans_at){ &timeline->any, 0 };
	choose_source(made);
	if (find_kinds(made) || find_launches(made)) {
		dp_host_ranges__free(made);
		return DP_ERR_NOMEM;
	}
	if (count > 1)
		made->launches =
			launches_in(made, iterations[0].start_ns, iterations[count - 1].start_ns) /
			(double)(count - 1);
	if (list_ranges(made)) {
		dp_host_ranges__free(made);
		return DP_ERR_NOMEM;
	}
	*maker = made;
	return DP_OK;
}

void dp_host_ranges__free(struct dp_host_ranges_maker *maker)
{
	if (!maker)
		return;
	free(maker->kinds);
	free(maker->launch_ns);
	free(maker->list);
	free(maker->threads);
	free(maker->ranges);
	dp_lookup__fini(&maker->index);
	free(maker);
}

/* Closes what ends up to a time. */
static void close_until(const struct dp_host_ranges_maker *maker, struct thread *thread,
			int64_t time_ns)
{
	while (thread->top != DP_NONE &&
	       maker->source.end_ns[maker->list[thread->top].range] <= time_ns)
		thread->top = maker->list[thread->top].below;
}

/* Opens what begins up to a time, and closes what ends by then. */
static void move_to(struct dp_host_ranges_maker *maker, struct thread *thread, int64_t time_ns)
{
	close_until(maker, thread, time_ns);
	while (thread->next < thread->end) {
		uint32_t place = (uint32_t)thread->next;
		struct open *next = &maker->list[place];

		if (maker->source.start_ns[next->range] > time_ns)
			return;
		next->below = thread->top;
		next->outer = thread->top == DP_NONE ? place : maker->list[thread->top].outer;
		thread->top = place;
		thread->next++;
		close_until(maker, thread, time_ns);
	}
}

/* The innermost or outermost open range of a thread, or DP_NONE. */
static uint32_t innermost(const struct dp_host_ranges_maker *maker, const struct thread *thread)
{
	return thread->top == DP_NONE ? DP_NONE : maker->list[thread->top].range;
}

static uint32_t outermost(const struct dp_host_ranges_maker *maker, const struct thread *thread)
{
	return thread->top == DP_NONE ? DP_NONE : maker->list[maker->list[thread->top].outer].range;
}

static uint32_t name_of(const struct dp_host_ranges_maker *maker, uint32_t range)
{
	uint32_t name = range == DP_NONE ? DP_NONE : maker->source.name[range];

	return maker->source.names ? dp_range_names__common(maker->source.names, name) : name;
}

static const char *text_of(const struct dp_host_ranges_maker *maker, uint32_t name)
{
	const struct dp_trace *trace = maker->timeline->trace;

	return maker->source.names ? dp_range_names__text(maker->source.names, trace, name)
				   : dp_trace_string(trace, name);
}

/* The entry of a pair of names, or of an outer name's sum; NULL if memory runs out. */
static struct dp_host_range *entry(struct dp_host_ranges_maker *maker,
				   enum dp_host_activity activity, uint32_t outer, uint32_t inner,
				   bool sum)
{
	struct dp_key key = { { (int64_t)activity, outer, inner, sum } };
	uint32_t at = dp_lookup__get(&maker->index, &key);

	if (at != DP_NONE)
		return &maker->ranges[at];
	if (dp_array__reserve(&maker->ranges, &maker->room, maker->used + 1,
			      sizeof(*maker->ranges)) ||
	    dp_lookup__set(&maker->index, &key, (uint32_t)maker->used))
		return NULL;
	maker->ranges[maker->used] = (struct dp_host_range){
		.activity = activity,
		.outer = text_of(maker, outer),
		.inner = sum ? NULL : text_of(maker, inner),
	};
	return &maker->ranges[maker->used++];
}

/* Adds to the sum of an outer name, or to a pair of names. */
static int add_to(struct dp_host_ranges_maker *maker, enum dp_host_activity activity, size_t k,
		  uint32_t outer, uint32_t inner, bool sum, int64_t length_ns, size_t count)
{
	struct dp_host_range *at = entry(maker, activity, outer, sum ? DP_NONE : inner, sum);

	if (!at)
		return DP_ERR_NOMEM;
	*(maker->kinds[k] == SLOW ? &at->slow_ns : &at->typical_ns) += (double)length_ns;
	if (maker->kinds[k] == TYPICAL)
		at->rise_ns += ((double)k - maker->middle) * (double)length_ns;
	at->calls += (double)count;
	return DP_OK;
}

static int add(struct dp_host_ranges_maker *maker, enum dp_host_activity activity, size_t k,
	       uint32_t outer, uint32_t inner, int64_t length_ns, size_t count)
{
	int status = add_to(maker, activity, k, outer, inner, false, length_ns, count);

	return status ? status : add_to(maker, activity, k, outer, inner, true, length_ns, count);
}

/* Adds the functions that a thread ran in idle time. */
static int add_samples(struct dp_host_ranges_maker *maker, struct thread *thread,
		       enum dp_host_activity activity, size_t k, int64_t start_ns, int64_t end_ns)
{
	const struct dp_function_samples *samples =
		dp_trace_function_samples(maker->timeline->trace);
	int status = DP_OK;

	for (; !status && thread->sample < thread->sample_count; thread->sample++) {
		uint32_t row = thread->samples[thread->sample];

		if (samples->time_ns[row] >= end_ns)
			break;
		if (samples->time_ns[row] >= start_ns)
			status = add_to(maker,
					activity == DP_HOST_INPUT ? DP_HOST_INPUT_SAMPLED
								  : DP_HOST_WAIT_SAMPLED,
					k, samples->function[row], DP_NONE, true,
					samples->length_ns[row], 1);
	}
	return status;
}

/* The state of a thread, by its index in the trace. */
static struct thread *state_of(struct dp_host_ranges_maker *maker, uint32_t thread)
{
	const struct dp_device_timeline *timeline = maker->timeline;
	size_t at, end = timeline->launcher_count;

	DP_FIND(at, 0, end, timeline->launchers[at] >= thread);
	return &maker->threads[at < end && timeline->launchers[at] == thread ? at : end];
}

int dp_host_ranges__add(struct dp_host_ranges_maker *maker, enum dp_host_activity activity,
			size_t k, int64_t start_ns, int64_t end_ns, size_t op)
{
	const struct dp_ops *ops = dp_trace_ops(maker->timeline->trace);
	uint32_t call = ops->call[op], number;
	struct thread *thread;
	int64_t waits_end_ns; /* later, calls launch */

	if (call == DP_NONE || maker->kinds[k] == NOT_COUNTED)
		return DP_OK;
	number = dp_trace_calls(maker->timeline->trace)->thread[call];
	if (number >= dp_trace_thread_count(maker->timeline->trace))
		return DP_OK;
	thread = state_of(maker, number);
	waits_end_ns =
		ops->kind[op] == DP_OP_COPY
			? end_ns
			: DP_MIN(end_ns, dp_trace_calls(maker->timeline->trace)->start_ns[call]);
	while (start_ns < end_ns) {
		int64_t until_ns = end_ns, next_ns = waits_end_ns;
		bool waits = start_ns < waits_end_ns &&
			     dp_spans_at__inside(&maker->waits, start_ns, &next_ns);

		if (start_ns < waits_end_ns)
			until_ns = DP_MIN(until_ns, next_ns);
		if (waits) {
			start_ns = until_ns;
			continue;
		}
		if (add_samples(maker, thread, activity, k, start_ns, until_ns))
			return DP_ERR_NOMEM;
		move_to(maker, thread, start_ns);
		if (thread->top != DP_NONE)
			until_ns = DP_MIN(until_ns, maker->source.end_ns[innermost(maker, thread)]);
		if (thread->next < thread->end)
			until_ns = DP_MIN(until_ns,
					  maker->source.start_ns[maker->list[thread->next].range]);
		if (add(maker, activity, k, name_of(maker, outermost(maker, thread)),
			name_of(maker, innermost(maker, thread)), until_ns - start_ns, 1))
			return DP_ERR_NOMEM;
		start_ns = until_ns;
	}
	return DP_OK;
}

/*
 * Adds a call in which a thread waits for the device, from a time on, to the iterations that it
 * lasts in; it counts as one call of the first of them that counts.
 */
static int add_wait(struct dp_host_ranges_maker *maker, const struct thread *thread, size_t call,
		    int64_t start_ns)
{
	const struct dp_calls *calls = dp_trace_calls(maker->timeline->trace);
	int64_t end_ns = calls->end_ns[call], until_ns;
	/* if there are only calls, the innermost is this one */
	uint32_t outer =
		maker->source.names ? name_of(maker, innermost(maker, thread)) : calls->name[call];
	size_t count = 1, k;
	int status = DP_OK;

	DP_FIND(k, 1, maker->count, maker->iterations[k].start_ns > start_ns);
	k--;
	do {
		until_ns = k + 1 < maker->count ? DP_MIN(end_ns, maker->iterations[k + 1].start_ns)
						: end_ns;
		if (maker->kinds[k] != NOT_COUNTED) {
			status = add(maker, DP_HOST_SYNC, k, outer, calls->name[call],
				     until_ns - start_ns, count);
			count = 0;
		}
		start_ns = until_ns;
	} while (!status && start_ns < end_ns && ++k < maker->count);
	return status;
}

/*
 * Adds the calls in which launching threads wait for the device, in another walk. A call inside
 * another (a driver's inside the runtime's) belongs to the outer one.
 */
static int add_waits(struct dp_host_ranges_maker *maker)
{
	const struct dp_calls *calls = dp_trace_calls(maker->timeline->trace);
	const struct dp_device_timeline *timeline = maker->timeline;
	int status = DP_OK;

	for (size_t t = 0; t <= timeline->launcher_count; t++) {
		maker->threads[t].next = maker->threads[t].first;
		maker->threads[t].top = DP_NONE;
		maker->threads[t].until_ns =
			maker->count ? maker->iterations[0].start_ns : INT64_MAX;
	}
	for (size_t c = 0; c < timeline->call_count && !status; c++) {
		size_t i = timeline->calls[c];
		struct thread *thread = state_of(maker, calls->thread[i]);
		int64_t start_ns = DP_MAX(calls->start_ns[i], thread->until_ns);

		thread->until_ns = DP_MAX(thread->until_ns, calls->end_ns[i]);
		if (start_ns >= calls->end_ns[i] ||
		    (calls->kind[i] != DP_CALL_SYNC &&
		     !(dp_device_timeline__waited(timeline, i) & DP_WAITED_INSIDE)))
			continue;
		move_to(maker, thread, start_ns);
		status = add_wait(maker, thread, i, start_ns);
	}
	return status;
}

static int by_cost(const void *a, const void *b)
{
	const struct dp_host_range *x = a, *y = b;
	int names;

	if (x->activity != y->activity)
		return x->activity < y->activity ? -1 : 1;
	if (!x->inner != !y->inner)
		return x->inner ? 1 : -1;
	if (x->typical_ns < y->typical_ns || x->typical_ns > y->typical_ns)
		return x->typical_ns < y->typical_ns ? 1 : -1;
	if (x->slow_ns < y->slow_ns || x->slow_ns > y->slow_ns)
		return x->slow_ns < y->slow_ns ? 1 : -1;
	names = strcmp(x->outer, y->outer);
	return names || !x->inner ? names : strcmp(x->inner, y->inner);
}

/* Divides sums by iterations. */
static void make_means(struct dp_host_ranges_maker *maker)
{
	double all = maker->counts[0] + maker->counts[1];

	for (size_t i = 0; i < maker->used; i++) {
		struct dp_host_range *at = &maker->ranges[i];

		at->typical_ns = maker->counts[0] > 0 ? at->typical_ns / maker->counts[0] : 0;
		at->rise_ns = maker->squares > 0 ? at->rise_ns / maker->squares : 0;
		at->slow_ns = maker->counts[1] > 0 ? at->slow_ns / maker->counts[1] : 0;
		if (at->activity < DP_HOST_WAIT_SAMPLED)
			at->calls = at->activity == DP_HOST_SYNC && all > 0 ? at->calls / all : 0;
	}
	if (maker->used)
		qsort(maker->ranges, maker->used, sizeof(*maker->ranges), by_cost);
}

int dp_host_ranges__finish(struct dp_host_ranges *ranges, struct dp_host_ranges_maker *maker)
{
	int status = add_waits(maker);

	if (!status) {
		make_means(maker);
		*ranges = (struct dp_host_ranges){ maker->ranges, maker->used };
		maker->ranges = NULL;
	}
	dp_host_ranges__free(maker);
	return status;
}

void dp_host_ranges__fini(struct dp_host_ranges *ranges)
{
	free(ranges->ranges);
	*ranges = (struct dp_host_ranges){ NULL, 0 };
}
