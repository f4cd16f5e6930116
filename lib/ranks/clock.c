/*
 * Fits offsets first along a spanning tree of ranks that share events, then by polishing; then
 * drifts; then all at once.
 */
#include "ranks/clock.h"
#include "stats/stat.h"

#include <math.h>

/* Rounds of the polish, which stops when nothing moves by more than a clock's tick. */
enum { ROUNDS = 40, TICK_NS = 1 };
/* Rounds of drift, each of which moves the median that drift is measured against. */
enum { DRIFT_ROUNDS = 4 };
/* Slopes are computed from the medians of at most this many blocks: all pairs of them. */
enum { BLOCKS = 64 };
/* Fewer events show no drift. */
enum { DRIFT_EVENTS = 8 };
/* The standard deviation of a normal distribution, in MADs. */
#define MAD_SCALE 1.4826

struct fit {
	const struct dp_clock_sight *sights;
	size_t sight_count;
	struct dp_rank_clock *clocks;
	size_t count;
	double *time;	   /* per sight, since its rank's first, on the corrected clock */
	double *consensus; /* per event of a sight: when it ended */
	size_t *by_rank; /* sights in order of rank, then event */
	size_t *first;	 /* per rank, index in by_rank; count + 1 of them */
	double *room;	 /* for a value per sight */
	double *slopes;	 /* per rank */
	uint8_t *seen;	 /* per sight: all ranks of its event are known, or about to be */
};

static void release(struct fit *fit)
{
	free(fit->time);
	free(fit->consensus);
	free(fit->by_rank);
	free(fit->first);
	free(fit->room);
	free(fit->slopes);
	free(fit->seen);
}

static int prepare(struct fit *fit)
{
	size_t n = fit->sight_count;

	fit->time = dp_alloc__array(n + 1, sizeof(*fit->time));
	fit->consensus = dp_alloc__array(n + 1, sizeof(*fit->consensus));
	fit->by_rank = dp_alloc__array(n + 1, sizeof(*fit->by_rank));
	fit->first = dp_alloc__zeroed(fit->count + 2, sizeof(*fit->first));
	fit->room = dp_alloc__array(n + 1, sizeof(*fit->room));
	fit->slopes = dp_alloc__array(fit->count + 1, sizeof(*fit->slopes));
	fit->seen = dp_alloc__zeroed(n, sizeof(*fit->seen));
	if (!fit->time || !fit->consensus || !fit->by_rank || !fit->first || !fit->room ||
	    !fit->slopes || !fit->seen)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < n; i++)
		fit->first[fit->sights[i].rank + 2]++;
	for (size_t r = 2; r < fit->count + 2; r++)
		fit->first[r] += fit->first[r - 1];
	for (size_t i = 0; i < n; i++)
		fit->by_rank[fit->first[fit->sights[i].rank + 1]++] = i;
	for (size_t r = 0; r < fit->count; r++) {
		fit->clocks[r] = (struct dp_rank_clock){ .anchor = (uint32_t)r };
		if (fit->first[r] < fit->first[r + 1])
			fit->clocks[r].at_ns = fit->sights[fit->by_rank[fit->first[r]]].time_ns;
	}
	return DP_OK;
}

/* A sight's time since its rank's first event, which doubles represent exactly for 100 days. */
static double local(const struct fit *fit, size_t sight)
{
	const struct dp_clock_sight *at = &fit->sights[sight];

	return (double)(at->time_ns - fit->clocks[at->rank].at_ns);
}

struct edge {
	uint32_t rank;
	double difference;
};

static int compare_edges(const void *a, const void *b)
{
	const struct edge *one = a, *two = b;

	if (one->rank != two->rank)
		return one->rank < two->rank ? -1 : 1;
	return one->difference < two->difference ? -1 : one->difference > two->difference;
}

/* Initializes the clocks of ranks that share events with one whose clock is known. */
static int spread_from(struct fit *fit, uint32_t rank, uint32_t *queue, size_t *queued)
{
	struct edge *edges = NULL;
	size_t room = 0, count = 0;
	int status = DP_OK;

	for (size_t k = fit->first[rank]; k < fit->first[rank + 1] && !status; k++) {
		size_t sight = fit->by_rank[k], i = sight;

		if (fit->seen[sight])
			continue;
		while (i > 0 && fit->sights[i - 1].event == fit->sights[sight].event)
			i--;
		for (; i < fit->sight_count && fit->sights[i].event == fit->sights[sight].event;
		     i++) {
			fit->seen[i] = true;
			if (fit->clocks[fit->sights[i].rank].known)
				continue;
			status = dp_array__reserve(&edges, &room, count + 1, sizeof(*edges));
			if (status)
				break;
			edges[count++] = (struct edge){ fit->sights[i].rank,
							local(fit, i) - local(fit, sight) };
		}
	}
	if (count)
		qsort(edges, count, sizeof(*edges), compare_edges);
	for (size_t i = 0, end; i < count && !status; i = end) {
		struct dp_rank_clock *clock = &fit->clocks[edges[i].rank];

		for (end = i; end < count && edges[end].rank == edges[i].rank; end++)
			;
		clock->known = true;
		clock->anchor = fit->clocks[rank].anchor;
		clock->offset_ns =
			fit->clocks[rank].offset_ns + edges[i + (end - i) / 2].difference;
		queue[(*queued)++] = edges[i].rank;
	}
	free(edges);
	return status;
}

/* Meanwhile, offset_ns refers to times since each rank's first event. */
static int connect(struct fit *fit)
{
	uint32_t *queue = dp_alloc__array(fit->count + 1, sizeof(*queue));
	int status = queue ? DP_OK : DP_ERR_NOMEM;

	for (size_t r = 0; r < fit->count && !status; r++) {
		size_t queued = 0;

		if (fit->clocks[r].known || fit->first[r] == fit->first[r + 1])
			continue;
		fit->clocks[r].known = true;
		queue[queued++] = (uint32_t)r;
		for (size_t next = 0; next < queued && !status; next++)
			status = spread_from(fit, queue[next], queue, &queued);
		fit->clocks[r].known = queued > 1;
	}
	free(queue);
	return status;
}

/* Estimates when events ended, by the median of the ranks that saw them. */
static void find_consensus(struct fit *fit)
{
	for (size_t i = 0, end; i < fit->sight_count; i = end) {
		double middle;

		for (end = i;
		     end < fit->sight_count && fit->sights[end].event == fit->sights[i].event;
		     end++) {
			const struct dp_rank_clock *clock = &fit->clocks[fit->sights[end].rank];

			fit->time[end] = local(fit, end) * (1 - clock->drift) - clock->offset_ns;
			fit->room[end - i] = fit->time[end];
		}
		middle = dp_stat__median(fit->room, end - i);
		for (size_t k = i; k < end; k++)
			fit->consensus[k] = middle;
	}
}

/* Moves each rank's offset to the median of its residuals; returns the largest move. */
static double move_offsets(struct fit *fit)
{
	double most = 0;

	for (size_t r = 0; r < fit->count; r++) {
		size_t count = 0;
		double move;

		for (size_t k = fit->first[r]; k < fit->first[r + 1]; k++)
			fit->room[count++] = fit->time[fit->by_rank[k]] -
					     fit->consensus[fit->by_rank[k]];
		if (!count)
			continue;
		move = dp_stat__median(fit->room, count);
		fit->clocks[r].offset_ns += move;
		most = fmax(most, fabs(move));
	}
	return most;
}

static void polish(struct fit *fit)
{
	for (int round = 0; round < ROUNDS; round++) {
		find_consensus(fit);
		if (move_offsets(fit) <= TICK_NS)
			break;
	}
	find_consensus(fit);
}

/* Median residual and time of a block of a rank's sights. */
static void block_of(struct fit *fit, size_t from, size_t to, double *x, double *y)
{
	for (size_t k = from; k < to; k++)
		fit->room[k - from] = local(fit, fit->by_rank[k]);
	*x = dp_stat__median(fit->room, to - from);
	for (size_t k = from; k < to; k++)
		fit->room[k - from] =
			fit->time[fit->by_rank[k]] - fit->consensus[fit->by_rank[k]];
	*y = dp_stat__median(fit->room, to - from);
}

/* The slope of a rank's residuals over time. */
static double slope_of(struct fit *fit, size_t rank)
{
	size_t count = fit->first[rank + 1] - fit->first[rank], blocks = DP_MIN(count, BLOCKS);
	double x[BLOCKS], y[BLOCKS], slopes[BLOCKS * (BLOCKS - 1) / 2];
	size_t used = 0;

	for (size_t b = 0; b < blocks; b++)
		block_of(fit, fit->first[rank] + count * b / blocks,
			 fit->first[rank] + count * (b + 1) / blocks, &x[b], &y[b]);
	for (size_t i = 0; i < blocks; i++)
		for (size_t k = i + 1; k < blocks; k++)
			if (x[k] > x[i])
				slopes[used++] = (y[k] - y[i]) / (x[k] - x[i]);
	return used ? dp_stat__median(slopes, used) : 0;
}

static double residual_spread(struct fit *fit, size_t rank)
{
	size_t count = 0;

	for (size_t k = fit->first[rank]; k < fit->first[rank + 1]; k++)
		fit->room[count++] =
			fit->time[fit->by_rank[k]] - fit->consensus[fit->by_rank[k]];
	return count ? dp_stat__mad(fit->room, count) * MAD_SCALE : 0;
}

static double span_of(const struct fit *fit, size_t rank)
{
	size_t first = fit->first[rank], end = fit->first[rank + 1];

	return end > first
		       ? fabs(local(fit, fit->by_rank[end - 1]) - local(fit, fit->by_rank[first]))
		       : 0;
}

static void fit_drifts(struct fit *fit)
{
	for (int round = 0; round < DRIFT_ROUNDS; round++) {
		for (size_t r = 0; r < fit->count; r++)
			fit->slopes[r] = fit->first[r + 1] - fit->first[r] < DRIFT_EVENTS
					    ? 0
					    : slope_of(fit, r);
		for (size_t r = 0; r < fit->count; r++)
			fit->clocks[r].drift += fit->slopes[r];
		polish(fit);
	}
}

/*
 * Drops all drifts if none moves its rank by more than twice the resolution: such drifts would only
 * add their own error. Returns true then.
 */
static bool drop_hidden_drifts(struct fit *fit)
{
	for (size_t r = 0; r < fit->count; r++) {
		const struct dp_rank_clock *clock = &fit->clocks[r];
		double relative = clock->drift - fit->clocks[clock->anchor].drift;

		if (fabs(relative) * span_of(fit, r) >= 2 * residual_spread(fit, r) &&
		    r != clock->anchor)
			return false;
	}
	for (size_t r = 0; r < fit->count; r++)
		fit->clocks[r].drift = fit->clocks[fit->clocks[r].anchor].drift;
	polish(fit);
	return true;
}

/*
 * The polish moves one rank at a time: if two hosts share few events and the ranks of each many, it
 * stops early, as each rank is held by its neighbours. So all offsets and drifts are then solved
 * for at once: least squares over the sights without outliers, by conjugate gradients (Hestenes and
 * Stiefel 1952). Each rank has two unknowns, its offset and its drift over the capture.
 */
struct solver {
	struct fit *fit;
	double *weight;	 /* per sight: 1, for outliers 0 */
	double *x;	 /* per sight: its time in the capture, -1 to 1 */
	double *product; /* per sight */
	double *vectors; /* solution, residual, direction, image, diagonal; two values per rank each
			  */
	double span_ns;
	bool drifts;
};

/* In resolutions: a larger residual is an outlier, such as a call that some rank left early. */
#define OUTLIER 5.0
/* How often outliers are chosen again. */
enum { SOLVES = 3, STEPS = 200 };
/* As a share of the first residual: a hundredth of a nanosecond of some milliseconds. */
#define SOLVED 1e-8

/* Sums up, per rank, values of sights less the mean of their event. The solution makes them 0. */
static void gather(double *out, const struct solver *solver, double *values)
{
	const struct fit *fit = solver->fit;

	for (size_t i = 0; i < 2 * fit->count; i++)
		out[i] = 0;
	for (size_t i = 0, end; i < fit->sight_count; i = end) {
		double sum = 0, weight = 0;

		for (end = i;
		     end < fit->sight_count && fit->sights[end].event == fit->sights[i].event;
		     end++) {
			sum += solver->weight[end] * values[end];
			weight += solver->weight[end];
		}
		for (size_t k = i; k < end && weight > 0; k++) {
			double value = solver->weight[k] * (values[k] - sum / weight);
			uint32_t rank = fit->sights[k].rank;

			if (fit->clocks[rank].anchor == rank)
				continue;
			out[2 * rank] += value;
			out[2 * rank + 1] += solver->drifts ? value * solver->x[k] : 0;
		}
	}
}

static void apply(double *out, const struct solver *solver, const double *unknowns)
{
	const struct fit *fit = solver->fit;

	for (size_t i = 0; i < fit->sight_count; i++) {
		uint32_t rank = fit->sights[i].rank;

		solver->product[i] = unknowns[2 * rank] + unknowns[2 * rank + 1] * solver->x[i];
	}
	gather(out, solver, solver->product);
}

static double dot(const double *a, const double *b, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += a[i] * b[i];
	return sum;
}

/* Weighs sights by how well they agree, and computes the diagonal for preconditioning. */
static void weigh(struct solver *solver, double *diagonal)
{
	struct fit *fit = solver->fit;
	double cut = 0;

	for (size_t r = 0; r < fit->count; r++)
		cut = fmax(cut, OUTLIER * fmax(residual_spread(fit, r), TICK_NS));
	for (size_t i = 0; i < 2 * fit->count; i++)
		diagonal[i] = 1e-9;
	for (size_t i = 0; i < fit->sight_count; i++) {
		uint32_t rank = fit->sights[i].rank;

		solver->x[i] = 2 * local(fit, i) / solver->span_ns - 1;
		solver->weight[i] = fabs(fit->time[i] - fit->consensus[i]) <= cut;
		diagonal[2 * rank] += solver->weight[i];
		diagonal[2 * rank + 1] += solver->weight[i] * solver->x[i] * solver->x[i];
	}
}

static void solve(struct solver *solver)
{
	struct fit *fit = solver->fit;
	size_t n = 2 * fit->count;
	double *solution = solver->vectors, *residual = solution + n, *direction = residual + n;
	double *image = direction + n, *diagonal = image + n, *scaled = diagonal + n;
	double before, first;

	weigh(solver, diagonal);
	gather(residual, solver, fit->time);
	for (size_t i = 0; i < n; i++) {
		solution[i] = 0;
		direction[i] = residual[i] / diagonal[i];
	}
	first = before = dot(residual, direction, n);
	for (int step = 0; step < STEPS && before > SOLVED * SOLVED * first; step++) {
		double length, after;

		apply(image, solver, direction);
		length = dot(direction, image, n);
		if (!(length > 0))
			break;
		for (size_t i = 0; i < n; i++) {
			solution[i] += before / length * direction[i];
			residual[i] -= before / length * image[i];
			scaled[i] = residual[i] / diagonal[i];
		}
		after = dot(residual, scaled, n);
		for (size_t i = 0; i < n; i++)
			direction[i] = scaled[i] + after / before * direction[i];
		before = after;
	}
	for (size_t r = 0; r < fit->count; r++) {
		fit->clocks[r].offset_ns += solution[2 * r] - solution[2 * r + 1];
		fit->clocks[r].drift += 2 * solution[2 * r + 1] / solver->span_ns;
	}
	find_consensus(fit);
}

static int solve_all(struct fit *fit)
{
	struct solver solver = { .fit = fit, .span_ns = 1 };
	int status = DP_ERR_NOMEM;

	solver.weight = dp_alloc__array(fit->sight_count + 1, sizeof(double));
	solver.x = dp_alloc__array(fit->sight_count + 1, sizeof(double));
	solver.product = dp_alloc__array(fit->sight_count + 1, sizeof(double));
	solver.vectors = dp_alloc__array(12 * fit->count + 1, sizeof(double));
	for (size_t r = 0; r < fit->count; r++) {
		solver.span_ns = fmax(solver.span_ns, span_of(fit, r));
		solver.drifts |= fit->first[r + 1] - fit->first[r] >= DRIFT_EVENTS;
	}
	if (solver.weight && solver.x && solver.product && solver.vectors) {
		status = DP_OK;
		for (int i = 0; i < SOLVES; i++)
			solve(&solver);
		if (solver.drifts && drop_hidden_drifts(fit)) {
			solver.drifts = false;
			for (int i = 0; i < SOLVES; i++)
				solve(&solver);
		}
	}
	free(solver.weight);
	free(solver.x);
	free(solver.product);
	free(solver.vectors);
	return status;
}

/* Subtracts the offset and drift of each rank's anchor, which then has 0. */
static void anchor_all(struct fit *fit)
{
	for (size_t r = fit->count; r-- > 0;) {
		struct dp_rank_clock *clock = &fit->clocks[r];
		const struct dp_rank_clock *anchor = &fit->clocks[clock->anchor];

		clock->resolution_ns = residual_spread(fit, r);
		if (r == clock->anchor)
			continue;
		clock->offset_ns += (double)(clock->at_ns - anchor->at_ns) - anchor->offset_ns;
		clock->drift -= anchor->drift;
	}
	for (size_t r = 0; r < fit->count; r++)
		if (fit->clocks[r].anchor == r)
			fit->clocks[r].offset_ns = fit->clocks[r].drift = 0;
}

int dp_clock__fit(struct dp_rank_clock *clocks, size_t count, const struct dp_clock_sight *sights,
		  size_t sight_count)
{
	struct fit fit = { .sights = sights,
			   .sight_count = sight_count,
			   .clocks = clocks,
			   .count = count };
	int status = prepare(&fit);

	if (!status)
		status = connect(&fit);
	if (!status) {
		polish(&fit);
		fit_drifts(&fit);
		status = solve_all(&fit);
	}
	if (!status)
		anchor_all(&fit);
	release(&fit);
	return status;
}

int64_t dp_clock__limit(int64_t ns)
{
	return DP_MAX(-DP_CLOCK_LIMIT, DP_MIN(ns, DP_CLOCK_LIMIT));
}

int64_t dp_clock__round(double ns)
{
	double limit = (double)DP_CLOCK_LIMIT;

	/* the limit as a double is the next power of two */
	return dp_clock__limit((int64_t)llround(fmax(-limit, fmin(ns, limit))));
}

int64_t dp_clock__to_anchor(const struct dp_rank_clock *clock, int64_t time_ns)
{
	double since = (double)(time_ns - clock->at_ns);

	return dp_clock__limit(time_ns - dp_clock__round(clock->offset_ns + clock->drift * since));
}
