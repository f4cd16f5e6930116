/*
 * Boundaries that came to lie at the end of a repetition when the sequence was folded.
 *
 * Cost: linear in segments.
 */
#include "segment/unfold.h"

#include <string.h>

enum {
	REACH = 8,    /* symbols that one iteration has of the other's repetition, at most */
	SAMPLES = 31, /* boundaries whose gaps are asked for */
	SAMPLES_MIN = 3,
};

/* A boundary between two complete iterations. */
struct joint {
	size_t at;		      /* in the sequence */
	size_t run_before, run_after; /* symbols of the repetition in front of it, or behind */
};

static bool joins(const struct dp_segment *segments, size_t k)
{
	return segments[k - 1].end == segments[k].first && !segments[k - 1].partial &&
	       !segments[k].partial;
}

static struct joint joint_at(const uint32_t *position, size_t folded)
{
	size_t at = position[folded], before = at - position[folded - 1];
	size_t after = position[folded + 1] - at;

	return (struct joint){ at, before > 1 ? before : 0, after > 1 ? after : 0 };
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/* By the host's largest gap at boundaries moved by -REACH to REACH; 0 where none stands out. */
static long by_gaps(const struct joint *joints, size_t count, const struct dp_evidence *evidence)
{
	int64_t gaps[SAMPLES], median, most = 0, next = 0;
	long best = 0;

	for (long d = -REACH; d <= REACH; d++) {
		size_t fits = 0;

		for (size_t k = 0; k < count; k++) {
			struct dp_evidence_at at = { 0 };
			const struct joint *j = &joints[k];

			if (d < 0 ? (size_t)-d >= j->run_before
				  : (size_t)d >= DP_MAX(j->run_after, 1))
				continue;
			evidence->at(evidence->ctx, (size_t)((long)j->at + d), &at);
			if (at.has_launch)
				gaps[fits++] = at.launch_gap_ns;
		}
		if (fits < SAMPLES_MIN || fits * 10 < count * 9)
			continue;
		qsort(gaps, fits, sizeof(*gaps), by_value);
		median = gaps[fits / 2];
		if (median > most) {
			next = most;
			most = median;
			best = d;
		} else if (median > next) {
			next = median;
		}
	}
	return most > 2 * next ? best : 0;
}

/* By what lies in front of the first iteration, if all others have the same in front of them. */
static long by_head(const struct joint *joints, size_t count, const struct dp_segment *first,
		    const uint32_t *symbols, const uint32_t *position)
{
	size_t head = position[first->first], same = 0;

	if (first->partial || head > REACH)
		return 0;
	for (size_t k = 0; k < count; k++)
		same += joints[k].run_before > head &&
			!memcmp(symbols, symbols + joints[k].at - head, head * sizeof(*symbols));
	return same * 10 >= count * 9 ? -(long)head : 0;
}

static long find_shift(const struct dp_segment *segments, size_t count, const uint32_t *symbols,
		       const uint32_t *position, const struct dp_evidence *evidence)
{
	struct joint joints[SAMPLES];
	size_t step = DP_MAX(count / SAMPLES, 1), n = 0;

	for (size_t k = 1; k < count && n < SAMPLES; k += step)
		if (joins(segments, k))
			joints[n++] = joint_at(position, segments[k].first);
	if (n < SAMPLES_MIN)
		return 0;
	if (evidence->at && evidence->launches_recorded)
		return by_gaps(joints, n, evidence);
	return by_head(joints, n, segments, symbols, position);
}

void dp_unfold__segments(struct dp_segment *segments, size_t count, const uint32_t *symbols,
			 const uint32_t *position, const struct dp_evidence *evidence)
{
	long shift = find_shift(segments, count, symbols, position, evidence);
	size_t before = SIZE_MAX; /* where the last one ends in the folded sequence */

	for (size_t k = 0; k < count; k++) {
		struct dp_segment *s = &segments[k];
		struct joint j;
		size_t first = s->first;

		s->first = position[first];
		if (first == before) {
			j = joint_at(position, first);
			if (shift < 0 ? (size_t)-shift < j.run_before : (size_t)shift < j.run_after)
				s->first = (size_t)((long)s->first + shift);
			s[-1].end = s->first;
		} else if (!s->partial && shift < 0 && s->first == (size_t)-shift) {
			s->first = 0;
		}
		before = s->end;
		s->end = position[s->end];
	}
}
