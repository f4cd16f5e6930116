/*
 * Moves boundaries that lie at the end of a run because runs were collapsed.
 *
 * Cost: linear in iterations.
 */
#include "iterate/expand.h"
#include "base/sort.h"
#include "base/parameters.h"

enum { SAMPLES = 31 }; /* boundaries whose gaps are sampled */

/* A boundary between two whole iterations. */
struct boundary {
	size_t at;		      /* in the sequence */
	size_t run_before, run_after; /* symbols of the run before it, and after it */
};

struct expander {
	struct dp_sequence_iteration *iterations;
	size_t count;
	const uint32_t *position;
	const struct dp_evidence *evidence;
	struct boundary boundaries[SAMPLES];
	size_t boundary_count;
	long shift; /* of all boundaries */
};

static struct boundary boundary_at(const struct expander *u, size_t collapsed)
{
	size_t at = u->position[collapsed], before = at - u->position[collapsed - 1];
	size_t after = u->position[collapsed + 1] - at;

	return (struct boundary){ at, before > 1 ? before : 0, after > 1 ? after : 0 };
}

static void sample_boundaries(struct expander *u)
{
	const struct dp_sequence_iteration *s = u->iterations;
	size_t every = (u->count + SAMPLES - 1) / SAMPLES;

	for (size_t k = 1; k < u->count; k += every)
		if (s[k - 1].end == s[k].first && !s[k - 1].partial && !s[k].partial)
			u->boundaries[u->boundary_count++] = boundary_at(u, s[k].first);
}

/* The median of the host's gaps at boundaries moved by `shift`; -1 if they cannot be. */
static int64_t gap_at(const struct expander *u, long shift)
{
	int64_t gaps[SAMPLES];
	size_t fits = 0;

	for (size_t k = 0; k < u->boundary_count; k++) {
		const struct boundary *b = &u->boundaries[k];
		struct dp_evidence_at at = { 0 };

		if (shift < 0 ? (size_t)-shift >= b->run_before
			      : shift && (size_t)shift >= b->run_after)
			continue;
		u->evidence->at(u->evidence->ctx, (size_t)((long)b->at + shift), &at);
		if (at.has_launch)
			gaps[fits++] = at.launch_gap_ns;
	}
	if (fits < dp_param.samples_min ||
	    (double)fits < dp_param.recurs_share * (double)u->boundary_count)
		return -1;
	dp_sort__i64(gaps, fits);
	return gaps[fits / 2];
}

/* The shift with the largest gap; 0 if none stands out. */
static long by_gaps(const struct expander *u)
{
	long best = 0, reach = (long)dp_param.run_period;
	int64_t most = 0, next = 0;

	for (long shift = -reach; shift <= reach; shift++) {
		int64_t gap = gap_at(u, shift);

		if (gap > most) {
			next = most;
			most = gap;
			best = shift;
		} else if (gap > next) {
			next = gap;
		}
	}
	return (double)most + dp_param.gap_noise_ns > 2 * ((double)next + dp_param.gap_noise_ns)
		       ? best
		       : 0;
}

/*
 * Moves the boundary between two iterations, and maps it to the sequence. A partial iteration may
 * lose all its symbols to its neighbour.
 */
static void move_boundary(const struct expander *u, struct dp_sequence_iteration *left,
			  struct dp_sequence_iteration *right, size_t collapsed)
{
	struct boundary b = boundary_at(u, collapsed);
	size_t by = (size_t)(u->shift < 0 ? -u->shift : u->shift), at = b.at;
	bool may = u->shift < 0 ? by < b.run_before : by < b.run_after;

	if (u->shift < 0 && left->partial)
		may |= by == b.run_before && left->first == at - by;
	if (u->shift > 0 && right->partial)
		may |= by == b.run_after && u->position[right->end] == at + by;
	if (may)
		at = (size_t)((long)at + u->shift);
	left->end = right->first = at;
}

size_t dp_expand__iterations(struct dp_sequence_iteration *iterations, size_t count,
			     const uint32_t *position, const struct dp_evidence *evidence)
{
	struct expander u = {
		.iterations = iterations, .count = count, .position = position, .evidence = evidence
	};
	size_t before = SIZE_MAX, kept = 0; /* where the last one ends in the collapsed sequence */

	sample_boundaries(&u);
	if (u.boundary_count >= dp_param.samples_min && evidence->at && evidence->launches_recorded)
		u.shift = by_gaps(&u);
	for (size_t k = 0; k < count; k++) {
		struct dp_sequence_iteration *s = &iterations[k];
		size_t first = s->first, end = s->end;

		if (first == before)
			move_boundary(&u, &s[-1], s, first);
		else
			s->first = position[first];
		s->end = position[end];
		before = end;
	}
	for (size_t k = 0; k < count; k++)
		if (iterations[k].first < iterations[k].end)
			iterations[kept++] = iterations[k];
	return kept;
}
