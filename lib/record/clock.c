/* Converts CUPTI's times to the trace's clock, piece by piece. */
#include "record/clock.h"

/* An oscillator drifts by less than 1 in 1000; more means that a clock was set. */
#define DRIFT_MAX 1000

/*
 * Two clocks cannot be read at the same moment. Between points this close to each other, the error
 * of reading exceeds the drift, and would look like a jump.
 */
#define NEAR_NS UINT64_C(100000000)
#define READING_NS UINT64_C(100000)

/* How many points a record may be from the one last passed: usually, and at most. */
enum { NEAR = 8, FAR = 4096 };

/* There is a point per second and one at the end: later times belong to another piece. */
#define LAST_NS UINT64_C(10000000000)

void dp_clock__fini(struct dp_clock *clock)
{
	free(clock->points);
	*clock = (struct dp_clock){ 0 };
}

static uint64_t size_of(int64_t value)
{
	return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

static int64_t apart_of(const struct dp_clock_point *p)
{
	return (int64_t)((uint64_t)p[1].monotonic - (uint64_t)p->monotonic -
			 ((uint64_t)p[1].cupti - (uint64_t)p->cupti));
}

/* Moves a point to where the previous one predicts it, if that is possible. */
static void straighten(struct dp_clock_point *p)
{
	uint64_t between = (uint64_t)p[1].cupti - (uint64_t)p->cupti;

	if (p[1].cupti >= p->cupti && between < NEAR_NS && size_of(apart_of(p)) < READING_NS)
		p[1].monotonic = (int64_t)((uint64_t)p->monotonic + between);
}

int dp_clock__add(struct dp_clock *clock, int64_t cupti, int64_t monotonic)
{
	if (dp_array__reserve(&clock->points, &clock->room, clock->count + 1,
			      sizeof(*clock->points)))
		return DP_ERR_NOMEM;
	if (!clock->count || cupti < clock->lowest)
		clock->lowest = cupti;
	clock->points[clock->count++] = (struct dp_clock_point){ cupti, monotonic };
	if (clock->count > 1)
		straighten(&clock->points[clock->count - 2]);
	return DP_OK;
}

/*
 * Up to the next point; as long as time passed if CUPTI's clock was set back; a while at the end.
 */
static bool covers(const struct dp_clock *clock, size_t at, int64_t time)
{
	const struct dp_clock_point *p = &clock->points[at];
	uint64_t length = LAST_NS;

	if (time < p->cupti)
		return false;
	if (at + 1 < clock->count)
		length = p[1].cupti < p->cupti ? (uint64_t)p[1].monotonic - (uint64_t)p->monotonic
					       : (uint64_t)p[1].cupti - (uint64_t)p->cupti;
	return (uint64_t)time - (uint64_t)p->cupti < length;
}

static bool jumps(const struct dp_clock_point *p)
{
	uint64_t most = ((uint64_t)p[1].monotonic - (uint64_t)p->monotonic) / DRIFT_MAX;

	return size_of(apart_of(p)) > most;
}

/*
 * Returns true for a time between a jump and the point after it: at most as long before that point
 * as the piece lasts, and closer to it than to the previous point.
 */
static bool leads(const struct dp_clock *clock, size_t at, int64_t time)
{
	const struct dp_clock_point *p = &clock->points[at];
	uint64_t before;

	if (at + 1 >= clock->count || time >= p[1].cupti || !jumps(p))
		return false;
	before = (uint64_t)p[1].cupti - (uint64_t)time;
	return before <= (uint64_t)p[1].monotonic - (uint64_t)p->monotonic &&
	       (time < p->cupti || before < (uint64_t)time - (uint64_t)p->cupti);
}

static uint64_t distance(const struct dp_clock *clock, size_t at, int64_t time)
{
	int64_t point = clock->points[at].cupti;

	return time < point ? (uint64_t)point - (uint64_t)time : (uint64_t)time - (uint64_t)point;
}

/* Of those near the middle, for a time in no piece: before the first point, or in a gap. */
static size_t nearest(const struct dp_clock *clock, size_t middle, int64_t time)
{
	size_t best = middle;

	for (size_t at = middle < NEAR ? 0 : middle - NEAR;
	     at < clock->count && at <= middle + NEAR; at++)
		if (distance(clock, at, time) < distance(clock, best, time))
			best = at;
	return best;
}

/* Returns true if one of the pieces at this distance from the middle has the time; *at is it. */
static bool is_at(const struct dp_clock *clock, size_t middle, size_t far, int64_t time, size_t *at)
{
	for (int side = 0; side < 2; side++) {
		if (side ? middle + far >= clock->count : far > middle)
			continue;
		*at = side ? middle + far : middle - far;
		if (covers(clock, *at, time) || (far <= NEAR && leads(clock, *at, time)))
			return true;
	}
	return false;
}

/*
 * Returns the piece that contains a time. If CUPTI's clock was set back there may be two: as
 * records are stored soon after they were made, the one nearest to the point last passed is meant.
 */
static size_t piece(const struct dp_clock *clock, int64_t time)
{
	size_t middle = clock->seen ? DP_MIN(clock->seen, clock->count) - 1 : 0, at;

	if (covers(clock, clock->at, time) && clock->at <= middle + NEAR &&
	    clock->at + NEAR >= middle)
		return clock->at;
	for (size_t far = 0; far <= NEAR; far++)
		if (is_at(clock, middle, far, time, &at))
			return at;
	at = nearest(clock, middle, time);
	if (distance(clock, at, time) <= LAST_NS || time < clock->lowest)
		return at;
	for (size_t far = NEAR + 1; far < FAR; far++)
		if (is_at(clock, middle, far, time, &at))
			return at;
	return nearest(clock, middle, time);
}

int64_t dp_clock__time(struct dp_clock *clock, uint64_t cupti)
{
	int64_t time = (int64_t)cupti, into, length, apart;
	const struct dp_clock_point *p;

	if (!clock->count)
		return dp_clock__monotonic(clock, (int64_t)(cupti + (uint64_t)clock->fallback));
	clock->at = piece(clock, time);
	p = &clock->points[clock->at];
	if (leads(clock, clock->at, time))
		p++;
	into = (int64_t)((uint64_t)time - (uint64_t)p->cupti);
	apart = 0;
	if (p + 1 < clock->points + clock->count && into > 0 && !jumps(p)) {
		length = (int64_t)((uint64_t)p[1].cupti - (uint64_t)p->cupti);
		if (length > 0 && into <= length)
			apart = (int64_t)((double)into / (double)length * (double)apart_of(p));
	}
	return dp_clock__monotonic(
		clock, (int64_t)((uint64_t)p->monotonic + (uint64_t)into + (uint64_t)apart));
}
