/*
 * Counts the iterations of a process while it runs.
 *
 * Records come in the order in which CUPTI returns buffers, and each thread of the program has its
 * own: kernels are held until the next flush must have arrived, and sorted by start.
 *
 * A loop counts after it has continued for a while since it was reported: the layers of a large
 * model look like a loop until the first iteration is over (deepprof/detector.h).
 *
 * Cost per kernel: reading and sorting it, and the detector's work. Memory: the kernels of HOLD_NS,
 * and a detector for each of LANES streams.
 */
#include "record/follow.h"
#include "record/clock.h"
#include "spool/spool.h"

#include <deepprof/detector.h>
#include <errno.h>
#include <string.h>

enum { LANES = 16, LOOPS = 64, HELD_MAX = 1 << 20, CHECK_EVERY = 1 << 12 };

/* Two periods of flushes, and the time to write them. */
#define HOLD_NS (INT64_C(3000000) * DP_FOLLOW_FLUSH_MS)

/* Starts of kernels that are kept, per stream: twice what a detector looks back. */
#define STARTS_MAX ((size_t)1 << 19)

/* How long a loop must continue until it counts: kernels, or time. */
#define BELIEF_KERNELS 8192
#define BELIEF_NS INT64_C(3000000000)

struct event {
	int64_t start;
	uint64_t order; /* of arrival: breaks ties */
	uint32_t symbol;
};

/* A loop that the detector reported. */
struct loop {
	uint32_t id;
	uint64_t iterations; /* complete ones */
	uint64_t kernels;    /* in them */
	uint64_t reported_at; /* kernels fed up to its report */
	int64_t reported_ns;  /* start of the last of those */
	int64_t cut_ns;	      /* start of the first kernel not wanted any more; 0: not yet */
};

/* A stream. */
struct lane {
	uint32_t device, context, stream;
	struct dp_detector *detector;
	struct event *held;
	size_t held_count;
	size_t held_room;
	uint32_t *symbols; /* to be fed */
	size_t symbol_room;
	uint64_t fed;
	int64_t last_ns; /* start of the last one fed */
	int64_t *starts; /* of the last ones fed, by number modulo start_room */
	size_t start_room;
	uint64_t target; /* complete iterations that are enough */
	/* Those that continue, the latest last. */
	struct loop loops[LOOPS];
	size_t loop_count;
};

struct dp_follow {
	struct dp_spool *spool;
	uint64_t wanted;
	struct lane *lanes[LANES];
	size_t lane_count;
	uint64_t order;
	int64_t newest_ns; /* the latest time known to have passed, on CUPTI's clock */
	bool pressed;	   /* more is held than intended */
	struct dp_follow_state state;
};

static void on_loop(void *ctx, const struct dp_detector_loop *found)
{
	struct lane *lane = ctx;

	if (lane->loop_count == LOOPS) {
		memmove(lane->loops, lane->loops + 1, (LOOPS - 1) * sizeof(*lane->loops));
		lane->loop_count--;
	}
	lane->loops[lane->loop_count++] = (struct loop){ .id = found->id,
							 .reported_at = found->at,
							 .reported_ns = lane->last_ns };
}

/* Returns when a kernel started; 0 if that is no longer known, or not yet. */
static int64_t start_of(const struct lane *lane, uint64_t number)
{
	bool known = number < lane->fed && lane->fed - number <= lane->start_room;

	return known ? lane->starts[number % lane->start_room] : 0;
}

static void on_iteration(void *ctx, const struct dp_detector_iteration *iteration)
{
	struct lane *lane = ctx;

	for (size_t i = lane->loop_count; i-- > 0;) {
		struct loop *loop = &lane->loops[i];

		if (loop->id != iteration->loop)
			continue;
		loop->iterations += !iteration->partial;
		loop->kernels += iteration->count;
		if (loop->iterations == lane->target && !loop->cut_ns)
			loop->cut_ns = start_of(lane, iteration->first + iteration->count);
		return;
	}
}

static void on_end(void *ctx, uint32_t loop)
{
	struct lane *lane = ctx;

	for (size_t i = 0; i < lane->loop_count; i++) {
		if (lane->loops[i].id != loop)
			continue;
		lane->loop_count--;
		memmove(&lane->loops[i], &lane->loops[i + 1],
			(lane->loop_count - i) * sizeof(*lane->loops));
		return;
	}
}

static void free_lane(struct lane *lane)
{
	if (!lane)
		return;
	dp_detector_free(lane->detector);
	free(lane->held);
	free(lane->symbols);
	free(lane->starts);
	free(lane);
}

int dp_follow__new(struct dp_follow **out, int fd, uint64_t wanted)
{
	struct dp_follow *follow = dp_alloc__zeroed(1, sizeof(*follow));
	int code;

	if (!follow)
		return DP_ERR_NOMEM;
	follow->wanted = wanted;
	code = dp_spool__open(&follow->spool, fd);
	if (code) {
		free(follow);
		return code == DP_SPOOL_NO_MEMORY ? DP_ERR_NOMEM : DP_ERR_UNSUPPORTED;
	}
	*out = follow;
	return DP_OK;
}

void dp_follow__free(struct dp_follow *follow)
{
	if (!follow)
		return;
	for (size_t i = 0; i < follow->lane_count; i++)
		free_lane(follow->lanes[i]);
	dp_spool__close(follow->spool);
	free(follow);
}

static struct lane *new_lane(const struct dp_spool_place *place)
{
	struct dp_detector_options options = DP_DETECTOR_OPTIONS_INIT;
	struct lane *lane = dp_alloc__zeroed(1, sizeof(*lane));

	if (!lane)
		return NULL;
	lane->device = place->device;
	lane->context = place->context;
	lane->stream = place->stream;
	options.ctx = lane;
	options.loop = on_loop;
	options.iteration = on_iteration;
	options.end = on_end;
	if (dp_detector_new(&lane->detector, &options, NULL)) {
		free_lane(lane);
		return NULL;
	}
	return lane;
}

/*
 * A detector's iterations may begin elsewhere than an analysis's: with one more than wanted, that
 * many are whole. If many are wanted, some may be excluded for their content.
 */
static uint64_t target_of(uint64_t wanted)
{
	return wanted + 1 + wanted / 50;
}

/* Returns the lane of a stream. A new one may replace the lane with the fewest kernels. */
static struct lane *lane_of(struct dp_follow *follow, const struct dp_spool_place *place)
{
	size_t least = 0;
	struct lane *made;

	for (size_t i = 0; i < follow->lane_count; i++) {
		struct lane *lane = follow->lanes[i];

		if (lane->stream == place->stream && lane->context == place->context &&
		    lane->device == place->device)
			return lane;
		if (lane->fed + lane->held_count <
		    follow->lanes[least]->fed + follow->lanes[least]->held_count)
			least = i;
	}
	made = new_lane(place);
	if (!made)
		return NULL;
	made->target = target_of(follow->wanted);
	if (follow->lane_count < LANES) {
		least = follow->lane_count++;
		follow->lanes[least] = NULL;
	}
	free_lane(follow->lanes[least]);
	follow->lanes[least] = made;
	return made;
}

static int hold(struct dp_follow *follow, const struct dp_spool_place *place, uint64_t start,
		uint32_t symbol)
{
	struct lane *lane = lane_of(follow, place);

	if (!lane || dp_array__reserve(&lane->held, &lane->held_room, lane->held_count + 1,
				       sizeof(*lane->held)))
		return DP_ERR_NOMEM;
	lane->held[lane->held_count++] = (struct event){ (int64_t)start, follow->order++, symbol };
	follow->newest_ns = DP_MAX(follow->newest_ns, (int64_t)start);
	follow->pressed |= lane->held_count >= HELD_MAX;
	return DP_OK;
}

/* Graphs and kernels are numbered separately. */
static int take(struct dp_follow *follow, const struct dp_spool_record *record)
{
	switch (record->type) {
	case DP_SPOOL_KERNEL:
		return record->kernel.start ? hold(follow, &record->kernel.place,
						   record->kernel.start, record->kernel.name << 1)
					    : DP_OK;
	case DP_SPOOL_GRAPH:
		return record->graph.start ? hold(follow, &record->graph.place, record->graph.start,
						  record->graph.graph << 1 | 1)
					   : DP_OK;
	case DP_SPOOL_CLOCK:
		/* The clock may have been set back, too. */
		if (record->clock.cupti)
			follow->newest_ns = (int64_t)record->clock.cupti;
		return DP_OK;
	default:
		return DP_OK;
	}
}

static int compare_events(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* Launches of a single thread are in order already. */
static void sort(struct lane *lane)
{
	for (size_t i = 1; i < lane->held_count; i++) {
		if (compare_events(&lane->held[i - 1], &lane->held[i]) <= 0)
			continue;
		qsort(lane->held, lane->held_count, sizeof(*lane->held), compare_events);
		return;
	}
}

/* Keeps the starts of the next count kernels, in addition to earlier ones. */
static int keep_starts(struct lane *lane, size_t count)
{
	size_t room = lane->start_room ? lane->start_room : 4096;
	int64_t *made;

	while (room < STARTS_MAX && room < lane->fed + count)
		room *= 2;
	if (room > lane->start_room) {
		made = dp_alloc__zeroed(room, sizeof(*made));
		if (!made)
			return DP_ERR_NOMEM;
		/* It is doubled before it is full, so the number of each is its index. */
		if (lane->starts)
			memcpy(made, lane->starts, lane->start_room * sizeof(*made));
		free(lane->starts);
		lane->starts = made;
		lane->start_room = room;
	}
	for (size_t i = 0; i < count; i++)
		lane->starts[(lane->fed + i) % room] = lane->held[i].start;
	return DP_OK;
}

/* Feeds the kernels that started before a time. */
static int feed(struct lane *lane, int64_t before_ns)
{
	size_t count = 0;

	sort(lane);
	while (count < lane->held_count && lane->held[count].start < before_ns)
		count++;
	if (!count)
		return DP_OK;
	if (dp_array__reserve(&lane->symbols, &lane->symbol_room, count, sizeof(*lane->symbols)))
		return DP_ERR_NOMEM;
	if (keep_starts(lane, count))
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < count; i++)
		lane->symbols[i] = lane->held[i].symbol;
	lane->last_ns = lane->held[count - 1].start;
	lane->held_count -= count;
	memmove(lane->held, lane->held + count, lane->held_count * sizeof(*lane->held));
	lane->fed += count;
	return dp_detector_feed(lane->detector, lane->symbols, count, NULL);
}

/* Returns true if most kernels since its report are in its iterations, and there are enough. */
static bool is_established(const struct lane *lane, const struct loop *loop)
{
	uint64_t kernels = lane->fed - loop->reported_at;

	int64_t since_ns;

	if (__builtin_sub_overflow(lane->last_ns, loop->reported_ns, &since_ns))
		since_ns = 0;
	return loop->kernels >= kernels / 2 && (kernels >= BELIEF_KERNELS || since_ns >= BELIEF_NS);
}

static void judge(struct dp_follow *follow, bool last)
{
	const struct lane *busiest = NULL;
	struct dp_follow_state *state = &follow->state;
	uint64_t kernels = 0;

	for (size_t i = 0; i < follow->lane_count; i++)
		if (!busiest || follow->lanes[i]->fed > busiest->fed)
			busiest = follow->lanes[i];
	state->looping = busiest && busiest->loop_count > 0;
	state->iterations = 0;
	for (size_t i = 0; busiest && i < busiest->loop_count; i++) {
		const struct loop *loop = &busiest->loops[i];

		state->iterations = DP_MAX(state->iterations, loop->iterations);
		if (loop->iterations < busiest->target || (!last && !is_established(busiest, loop)))
			continue;
		state->enough = true;
		/* Of several loops, also at the end, the one with most kernels. */
		if (loop->kernels > kernels)
			state->cut_ns = loop->cut_ns;
		kernels = DP_MAX(kernels, loop->kernels);
	}
}

static int feed_all(struct dp_follow *follow, bool last)
{
	int64_t before_ns = INT64_MAX;
	int status = DP_OK;

	if (!last && !follow->pressed &&
	    __builtin_sub_overflow(follow->newest_ns, HOLD_NS, &before_ns))
		before_ns = INT64_MIN;
	follow->pressed = false;
	for (size_t i = 0; i < follow->lane_count && !status; i++)
		status = feed(follow->lanes[i], before_ns);
	judge(follow, last);
	return status;
}

int dp_follow__read(struct dp_follow *follow, int64_t until_ns, bool last)
{
	struct dp_spool_record record;
	uint64_t count = 0;
	int code, status = DP_OK;

	while (!follow->state.enough && !status) {
		code = dp_spool__next(follow->spool, &record);
		if (code == DP_SPOOL_END)
			break;
		if (code)
			return code == DP_SPOOL_NO_MEMORY ? DP_ERR_NOMEM : DP_ERR_IO;
		status = take(follow, &record);
		if (!status && follow->pressed)
			status = feed_all(follow, false);
		if (++count % CHECK_EVERY == 0 && dp_clock__now(CLOCK_MONOTONIC) >= until_ns) {
			last = false;
			break;
		}
	}
	return status ? status : feed_all(follow, last);
}

struct dp_follow_state dp_follow__state(const struct dp_follow *follow)
{
	return follow->state;
}
