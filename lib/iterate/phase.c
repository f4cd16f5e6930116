/*
 * The phase of a loop. A cyclic pattern fits a trace under each rotation; which offset begins an
 * iteration is told by other things, each of which may be absent or mistaken. Every kind of
 * evidence gives every offset points; the sum decides, and the lead over the next best offset is
 * the confidence.
 *
 * Cost: O(length) memory and time beside one walk through the alignment.
 */
#include "iterate/phase.h"
#include "base/sort.h"
#include "iterate/cut.h"
#include "iterate/optimizer_run.h"

#include <math.h>
#include <string.h>

enum {
	KINDS = DP_PHASE_MARKS + 1,
	CALLS_MAX = 300000,
	SAMPLES_MAX = 32,
	SAMPLES_MIN = 3,
	END_SLACK = 8,	    /* symbols by which an end may be off */
	END_WIDE = 64,	    /* the same of a long pattern, between noise */
	RANK_MAX = 10,	    /* of a boundary's launch gap among all offsets */
	AFTER_UPDATES = 16, /* symbols that may follow an optimizer in a step */
	SHARED_MAX = 3,	    /* kernels that two loops end with by chance */
	NEAR_FIT = 2,	    /* symbols by which a sequence with edits may miss whole turns */
	HEAD_MAX = 1 << 20, /* kernels without a launch that are looked through */
	STEP_LONG = 128,    /* symbols that hardly a layer has */
};

/* Points; what they were set by is in the comments. They are sums of log-odds in spirit. */
static const double points_complete_lost = -1.5; /* per complete iteration fewer than the best */
static const double points_capture_begin = 1.0;	 /* profilers mostly start at a step … */
static const double points_capture_end = 1.5;	 /* … and wait for its end to stop */
static const double points_span_begin = 4.0;	 /* shared by the spans of the loop, and one */
static const double points_span_end = 3.0;
static const double points_first_launch = 3.5; /* at the most */
static const double points_hint = 8.0;	       /* shared by the hints */
static const double points_launch_gap = 3.0;
static const double points_upload = 1.5;
static const double points_agreement = 0.5; /* times the logarithm of the offsets for an upload */
static const double points_sync = 0.7;
static const double points_finish = 2.0;
static const double points_finish_last = 1.0;  /* behind the last kernel of that name, … */
static const double points_updates_last = 2.5; /* … and of a run for all parameters */
static const double share_one_off = 0.6;
static const double points_begin_to_finish = -3.0; /* a step does not begin with its end */
static const double points_kernel_gap = 1.0;
static const double gap_alike = 0.9; /* on the scale of gaps: as large as the largest */

struct weigher {
	const struct dp_alignment *alignment;
	const struct dp_evidence *evidence;
	size_t n, m;
	uint32_t pattern;
	double *points[KINDS]; /* per offset; one block */
	/* samples, per offset */
	int64_t *kernel_gap, *launch_gap; /* SAMPLES_MAX at most for each offset */
	uint32_t *seen, *uploads, *syncs, *finishes;
	int64_t *waits;
	bool *moves;
	size_t first_launch; /* position; 0: the first one's launch is known, or no one's is */
	size_t samples;
	bool beat;
};

static size_t back_by(size_t offset, size_t by, size_t m)
{
	return (offset + m - by % m) % m;
}

/* The number of iterations to have: the most there can be, or one less if that is what is wanted.
 */
static int64_t target(int64_t most, const struct dp_phase_hints *hints)
{
	bool less = false;

	for (size_t i = 0; hints && i < hints->wanted_count; i++) {
		if (hints->wanted[i] == (uint64_t)most)
			return most;
		less |= most > 1 && hints->wanted[i] == (uint64_t)most - 1;
	}
	return most - less;
}

/*
 * Symbols that a span lacks at the beginning of a sequence that goes on, if turns differ in as
 * many, or they are few: its first iteration is complete then. Where the sequence has an end, that
 * tells.
 */
static size_t lacks_at_begin(const struct weigher *w, const struct dp_align_span *s)
{
	size_t differ = DP_MIN(w->m * s->edit_count / (s->end - s->begin), (size_t)NEAR_FIT);
	size_t most = DP_MAX(differ, DP_MIN(w->m / 8, (size_t)END_SLACK));

	if (!w->evidence || !w->evidence->open_end || w->evidence->open_begin)
		return 0;
	return s->begin <= most ? s->begin : 0;
}

/*
 * Is it chance what the sequence begins with? So it is where kernels at the head have no launch:
 * what was still running when the capture was begun.
 */
static bool begins_by_chance(const struct weigher *w)
{
	return w->first_launch > 0 || (w->evidence && w->evidence->cut_begin);
}

/* Does chance decide what of a span is in the sequence, so that whole turns tell nothing? */
static bool is_cut(const struct weigher *w, const struct dp_align_span *s)
{
	return (begins_by_chance(w) && s->begin < w->m) ||
	       (w->evidence && w->evidence->cut_end && w->n - s->end < w->m);
}

/* For every rotation the complete iterations that it gives, less those there should be. */
static int weigh_complete(struct weigher *w, const struct dp_phase_hints *hints)
{
	double *points = w->points[DP_PHASE_COMPLETE];
	int64_t *change = dp_alloc__zeroed(w->m + 1, sizeof(*change)), count = 0, most = INT64_MIN;

	if (!change)
		return DP_ERR_NOMEM;
	for (size_t k = 0; k < w->alignment->span_count; k++) {
		const struct dp_align_span *s = &w->alignment->spans[k];
		size_t advance = dp_align__advance(w->alignment, k), begin, rest, last;

		if (s->pattern != w->pattern || advance < w->m || is_cut(w, s))
			continue;
		begin = lacks_at_begin(w, s);
		rest = (advance + begin) % w->m;
		begin = back_by(s->begin_offset, begin, w->m);
		last = begin + rest;
		change[begin]++;
		if (last < w->m) {
			change[last + 1]--;
		} else {
			change[0]++;
			change[last - w->m + 1]--;
		}
	}
	for (size_t o = 0; o < w->m; o++) {
		count += change[o];
		points[o] = (double)count;
		most = DP_MAX(most, count);
	}
	most = target(most, hints);
	for (size_t o = 0; o < w->m; o++)
		points[o] = points_complete_lost * DP_MIN(fabs((double)most - points[o]), 8.0);
	free(change);
	return DP_OK;
}

/*
 * Points for an offset, and fewer for those next to it: a span may begin a little early, and end a
 * little late, where what lies beyond happens to fit.
 */
static void give(struct weigher *w, size_t offset, double points, int direction)
{
	double *to = w->points[DP_PHASE_COMPLETE];

	for (size_t d = 0; d < END_SLACK && d < w->m; d++, points *= 0.8)
		to[direction > 0 ? (offset + d) % w->m : back_by(offset, d, w->m)] += points;
}

/*
 * Both ends of the capture, or of a span within it, fit whole turns: the logarithm of how seldom
 * that is chance, less what each end gets by itself.
 */
static double fit_points(size_t m, size_t near, double own)
{
	return DP_MAX(log1p((double)m / (double)(1 + 2 * near)) - own, 0.0);
}

static size_t apart_by(size_t m, size_t a, size_t b)
{
	return DP_MIN(back_by(a, b, m), back_by(b, a, m));
}

/*
 * A span behind another loop's begins early where both end alike, the capture's first one can't:
 * the offset that the capture begins with stands for those just in front of it.
 */
static size_t as_capture(const struct weigher *w, size_t offset)
{
	const struct dp_align_span *s = w->alignment->spans;
	bool open = begins_by_chance(w) || (w->evidence && w->evidence->open_begin);

	if (s->begin > 0 || s->pattern != w->pattern || open)
		return offset;
	return back_by(s->begin_offset, offset, w->m) <= SHARED_MAX ? s->begin_offset : offset;
}

/* The ends of the capture, and the ends of spans inside it. */
static void weigh_ends(struct weigher *w)
{
	const struct dp_align_span *spans = w->alignment->spans;
	size_t count = w->alignment->span_count, inside = 1;
	size_t slack = DP_MAX(DP_MIN(w->m / 8, (size_t)END_WIDE), (size_t)END_SLACK);
	bool open_begin = w->evidence && w->evidence->open_begin;
	bool open_end = w->evidence && w->evidence->open_end;
	bool cut_begin = begins_by_chance(w);
	bool cut_end = w->evidence && w->evidence->cut_end;
	bool loose = w->evidence && w->evidence->loose_begin;
	double own = (cut_begin ? 0 : points_capture_begin) + (cut_end ? 0 : points_capture_end),
	       both;

	for (size_t k = 0; k < count; k++)
		inside += spans[k].pattern == w->pattern && spans[k].end - spans[k].begin >= w->m;
	both = (points_span_begin + points_span_end) / (double)inside;
	for (size_t k = 0; k < count; k++) {
		const struct dp_align_span *s = &spans[k];
		size_t begin = s->begin_offset, end = s->end_offset, first, last, apart, near;
		bool from_start = s->begin < slack, to_end = w->n - s->end < slack, fits;

		if (s->pattern != w->pattern || s->end - s->begin < w->m)
			continue;
		if (k + 1 < count && spans[k + 1].begin < s->end)
			end = as_capture(w, back_by(end, s->end - spans[k + 1].begin, w->m));
		if (k > 0)
			begin = as_capture(w, begin);
		first = back_by(begin, s->begin, w->m);
		last = (end + w->n - s->end) % w->m;
		apart = apart_by(w->m, first, last);
		if (from_start && !open_begin && !cut_begin)
			give(w, first, points_capture_begin, 1);
		if (s->begin >= END_SLACK && !((loose || open_begin) && s->begin < w->m))
			give(w, begin, points_span_begin / (double)inside, 1);
		if (to_end && !open_end && !cut_end)
			give(w, last, points_capture_end, -1);
		/* at an open end what differs may be about to fit again: it may be what will be
		   folded with its next repetition, and longer than an iteration is then */
		if (w->n - s->end >= END_SLACK && !(open_end && (w->n - s->end) / 2 < w->m))
			give(w, end, points_span_end / (double)inside, -1);
		/* where turns lack some symbols the ends do, too */
		near = DP_MIN(w->m * s->edit_count / (8 * (s->end - s->begin)), (size_t)NEAR_FIT);
		/* the first turn may have names of its own, if it is as long as the others */
		fits = from_start ? apart <= near : s->begin < w->m && apart == 0 && k == 0;
		if (fits && to_end && !open_begin && !open_end && !w->first_launch)
			give(w, first, fit_points(w->m, near, own), 1);
		if (!from_start && !to_end && apart_by(w->m, begin, end) <= near)
			give(w, begin, fit_points(w->m, near, both) / (double)(inside - 1), 1);
	}
}

/* The offset at a position of the sequence, or SIZE_MAX where no span of the pattern has it. */
static size_t offset_at(const struct weigher *w, size_t position)
{
	struct dp_walk walk;
	struct dp_walk_step step;

	for (size_t k = 0; k < w->alignment->span_count; k++) {
		const struct dp_align_span *s = &w->alignment->spans[k];

		if (s->pattern != w->pattern || position < s->begin || position >= s->end)
			continue;
		dp_walk__begin(&walk, w->alignment, k, w->m, 0);
		while (dp_walk__next(&walk, &step))
			if (position >= step.at && position < step.at + step.length)
				return (step.offset + position - step.at) % w->m;
	}
	return SIZE_MAX;
}

/* May a step begin there? In real traces boundaries were among the first ten by launch gap. */
static bool may_begin(const struct weigher *w, size_t offset)
{
	const double *points = w->points[DP_PHASE_LAUNCH_GAP];
	size_t larger = 0, any = 0, room = DP_MAX(w->m / 50, DP_MIN(w->m / 8, (size_t)RANK_MAX));

	for (size_t o = 0; o < w->m; o++) {
		larger += points[o] > points[offset];
		any += points[o] > 0;
	}
	return any == 0 || (points[offset] > 0 && larger <= room);
}

/* Does the offset follow a step's optimizer? */
static bool follows_finish(const struct weigher *w, size_t offset)
{
	const double *points = w->points[DP_PHASE_FINISH_KERNEL];
	size_t o = 0;

	while (o < w->m && points[o] <= points[offset])
		o++;
	return o == w->m && points[offset] > 0;
}

/* Of the time that the host takes for an iteration, the share that it is at an offset. */
static double share_of_time(const struct weigher *w, size_t offset)
{
	double sum = 0, own = 0;

	for (size_t o = 0; o < w->m; o++) {
		double mean = w->seen[o] ? (double)w->waits[o] / w->seen[o] : 0;

		sum += mean;
		own = o == offset ? mean : own;
	}
	return sum > 0 ? DP_MAX(own / sum, 1e-6) : 1e-6;
}

/*
 * Kernels at the head without a launch were issued before the capture began: the first one with a
 * launch is a step's first, if it was begun between two. One begun by the clock finds the host
 * where it mostly is. As likely as not it is one or the other: the logarithm of the odds.
 */
static void weigh_first_launch(struct weigher *w)
{
	size_t offset = w->first_launch ? offset_at(w, w->first_launch) : SIZE_MAX;

	if (offset != SIZE_MAX && (may_begin(w, offset) || follows_finish(w, offset)))
		w->points[DP_PHASE_FIRST_LAUNCH][offset] +=
			DP_MIN(points_first_launch, log(1 + 1 / share_of_time(w, offset)));
}

/* The first kernel with a launch, behind others without: launches were recorded from there on. */
static size_t find_first_launch(const struct weigher *w)
{
	struct dp_evidence_at at;
	size_t first, with = 0, look;

	if (!w->evidence || !w->evidence->at || !w->evidence->launches_recorded)
		return 0;
	for (first = 0; first < w->n && first < HEAD_MAX; first++) {
		w->evidence->at(w->evidence->ctx, first, &at);
		if (at.has_launch)
			break;
	}
	if (first >= w->n || first >= HEAD_MAX)
		return 0;
	look = DP_MIN(w->n - first, 64);
	for (size_t i = 0; i < look; i++) {
		w->evidence->at(w->evidence->ctx, first + i, &at);
		with += at.has_launch;
	}
	return with * 10 >= look * 9 ? first : 0;
}

/* The first offset at or after each hint gets its share of the points. */
static void weigh_hints(struct weigher *w, const struct dp_phase_hints *hints)
{
	struct dp_walk walk;
	struct dp_walk_step step;
	size_t next = 0;

	for (size_t k = 0; k < w->alignment->span_count && next < hints->count; k++) {
		if (w->alignment->spans[k].pattern != w->pattern)
			continue;
		dp_walk__begin(&walk, w->alignment, k, w->m, 0);
		while (next < hints->count && hints->positions[next] < w->alignment->spans[k].begin)
			next++;
		while (next < hints->count && dp_walk__next(&walk, &step)) {
			while (step.kind == DP_WALK_RUN && next < hints->count &&
			       hints->positions[next] < step.at + step.length) {
				size_t skip = DP_MAX(hints->positions[next], step.at) - step.at;

				w->points[DP_PHASE_COMPLETE][(step.offset + skip) % w->m] +=
					points_hint / (double)hints->count;
				next++;
			}
		}
	}
}

/* Asks for the evidence at every offset of a number of iterations, spread over the sequence. */
static void sample(struct weigher *w)
{
	size_t total = 0, turn = 0, every;
	struct dp_evidence_at at;
	struct dp_walk walk;
	struct dp_walk_step step;

	for (size_t k = 0; k < w->alignment->span_count; k++)
		if (w->alignment->spans[k].pattern == w->pattern)
			total += dp_align__advance(w->alignment, k) / w->m + 1;
	every = DP_MAX(total / w->samples, 1);
	for (size_t k = 0; k < w->alignment->span_count; k++) {
		if (w->alignment->spans[k].pattern != w->pattern)
			continue;
		dp_walk__begin(&walk, w->alignment, k, w->m, 0);
		while (dp_walk__next(&walk, &step)) {
			turn += step.offset == 0 && step.kind != DP_EDIT_INSERTED;
			if (step.kind != DP_WALK_RUN || turn % every)
				continue;
			for (size_t i = 0; i < step.length; i++) {
				size_t o = step.offset + i, slot;

				if (w->seen[o] >= w->samples)
					continue;
				w->evidence->at(w->evidence->ctx, step.at + i, &at);
				slot = o * w->samples + w->seen[o]++;
				w->kernel_gap[slot] = at.kernel_gap_ns;
				w->launch_gap[slot] = at.launch_gap_ns;
				w->uploads[o] += at.after_upload;
				w->syncs[o] += at.after_sync;
				w->finishes[o] += at.finishes_step;
				w->moves[o] |= at.moves_data;
				w->waits[o] += DP_MAX(at.launch_wait_ns, 0);
			}
		}
	}
}

/* The median of an offset's samples; 0 where they are not known. */
static int64_t median(int64_t *values, size_t n)
{
	if (n == 0)
		return 0;
	dp_sort__i64(values, n);
	return DP_MAX(values[(n - 1) / 2], 0);
}

/*
 * Gaps on a logarithmic scale: full points for the largest, none for one like most. Gaps of the
 * same order score alike, since the boundary's is seldom the very largest.
 */
static int weigh_gaps(struct weigher *w, int64_t *samples, double *points, double full)
{
	int64_t *medians = dp_alloc__array(w->m, sizeof(*medians));
	int64_t *sorted = dp_alloc__array(w->m, sizeof(*sorted));
	double typical, largest;
	size_t large = 0;
	int status = DP_ERR_NOMEM;

	if (!medians || !sorted)
		goto out;
	status = DP_OK;
	for (size_t o = 0; o < w->m; o++)
		medians[o] = median(samples + o * w->samples, w->seen[o]);
	memcpy(sorted, medians, w->m * sizeof(*sorted));
	dp_sort__i64(sorted, w->m);
	typical = log((double)sorted[DP_MIN(w->m * 9 / 10, w->m - DP_MIN(w->m, 2))] + 1000.0);
	largest = log((double)sorted[w->m - 1] + 1000.0);
	if (largest - typical < 0.1)
		goto out;
	for (size_t o = 0; o < w->m; o++) {
		double x = (log((double)medians[o] + 1000.0) - typical) / (largest - typical);

		points[o] += full * DP_MAX(x, 0.0);
		large += x >= gap_alike;
	}
	/* of several that are as large none tells more than that it is one of them */
	for (size_t o = 0; o < w->m; o++)
		points[o] = DP_MIN(points[o], DP_MAX(full - log((double)large), 0.0));
out:
	free(sorted);
	free(medians);
	return status;
}

static bool recurs(const struct weigher *w, const uint32_t *hits, size_t o)
{
	return w->seen[o] > 0 && hits[o] * 5 >= w->seen[o] * 4;
}

/*
 * Something that happens at some offsets of every iteration: each gets some of the points, most
 * the one after the longest stretch without.
 */
static void weigh_recurring(struct weigher *w, const uint32_t *hits, double *points, double full)
{
	size_t last = SIZE_MAX, first = 0, longest = 0, hit_count = 0;

	for (size_t o = 0; o < 2 * w->m; o++) {
		if (!recurs(w, hits, o % w->m))
			continue;
		hit_count += o < w->m;
		if (last != SIZE_MAX && o - last > longest) {
			longest = o - last;
			first = o % w->m;
		}
		last = o;
	}
	if (!hit_count || (hit_count > 1 && hit_count * 4 > w->m) || hit_count == w->m)
		return;
	/* a layer may ask the device something, for each expert whether it has to do anything */
	w->beat |= hits != w->syncs || hit_count == 1 || w->m >= STEP_LONG;
	for (size_t o = 0; o < w->m; o++)
		if (recurs(w, hits, o))
			points[o] += full * 0.5 / (double)DP_MIN(hit_count, 4);
	points[first] += full * 0.5;
}

/*
 * A step ends with its optimizer: points for the symbol after it, and fewer over the fills and the
 * bookkeeping that may follow, `room` symbols at the most.
 */
static void end_with(struct weigher *w, size_t after, double last, size_t room)
{
	double *points = w->points[DP_PHASE_FINISH_KERNEL];

	points[after] += last;
	for (size_t i = 0; i < room; i++)
		points[(after + i) % w->m] +=
			points_finish * (1.0 - 0.7 * (double)i / (double)room);
}

/*
 * An optimizer that its kernels' names do not give away. Little follows it in a step, and what
 * seems to be its last kernel may by chance be one like it: the first of the next step.
 */
static void weigh_updates(struct weigher *w, const uint32_t *symbols)
{
	double *points = w->points[DP_PHASE_FINISH_KERNEL];
	size_t first, end, last;

	if (!dp_optimizer_run__find(&first, &end, symbols, w->m, w->moves))
		return;
	end_with(w, end, points_updates_last,
		 DP_MIN(back_by(first, end, w->m), (size_t)AFTER_UPDATES));
	last = back_by(end, 1, w->m);
	for (size_t o = first; o != last; o = (o + 1) % w->m)
		points[o] += points_begin_to_finish;
	points[last] += share_one_off * points[end];
}

/* After the last of an optimizer's kernels; false where no kernel is known to be one's. */
static bool weigh_finish(struct weigher *w, double *points)
{
	size_t last = SIZE_MAX, after = 0, longest = 0, hits = 0;

	for (size_t o = 0; o < 2 * w->m; o++) {
		if (!recurs(w, w->finishes, o % w->m))
			continue;
		hits += o < w->m;
		if (last != SIZE_MAX && o - last > longest) {
			longest = o - last;
			after = (last + 1) % w->m;
		}
		last = o;
	}
	w->beat |= hits > 0 && hits < w->m;
	if (!hits || hits == w->m || longest * 4 < w->m)
		return hits > 0;
	end_with(w, after, points_finish_last, DP_MIN(longest, DP_MAX(w->m / 16, 4)));
	for (size_t o = 0; o < w->m; o++) {
		/* but by the end of another, if the host paused in between: it clears gradients */
		bool goes_on = recurs(w, w->finishes, back_by(o, 1, w->m)) &&
			       w->points[DP_PHASE_LAUNCH_GAP][o] > 0.5 * points_launch_gap;

		if (recurs(w, w->finishes, o) && !goes_on)
			points[o] += points_begin_to_finish;
	}
	return true;
}

/* An upload where the host paused: by chance both would seldom be at one offset. */
static void weigh_agreement(struct weigher *w)
{
	const double *gap = w->points[DP_PHASE_LAUNCH_GAP];
	size_t hits = 0;

	for (size_t o = 0; o < w->m; o++)
		hits += recurs(w, w->uploads, o);
	for (size_t o = 0; o < w->m; o++)
		if (recurs(w, w->uploads, o) && gap[o] > gap_alike * points_launch_gap)
			w->points[DP_PHASE_INPUT_COPY][o] +=
				points_agreement * log((double)w->m / (double)hits);
}

static int weigh_all(struct weigher *w, const uint32_t *symbols, const struct dp_phase_hints *hints)
{
	int status;

	w->first_launch = find_first_launch(w);
	status = weigh_complete(w, hints);
	if (status)
		return status;
	weigh_ends(w);
	if (hints && hints->count > 0)
		weigh_hints(w, hints);
	/* a loop inside or outside another begins where that one does, whatever the host does */
	if (hints && hints->count > 0)
		return DP_OK;
	if (!w->evidence || !w->evidence->at) {
		weigh_updates(w, symbols);
		return DP_OK;
	}
	sample(w);
	weigh_recurring(w, w->uploads, w->points[DP_PHASE_INPUT_COPY], points_upload);
	weigh_recurring(w, w->syncs, w->points[DP_PHASE_SYNC], points_sync);
	status = weigh_gaps(w, w->launch_gap, w->points[DP_PHASE_LAUNCH_GAP], points_launch_gap);
	weigh_agreement(w);
	if (!weigh_finish(w, w->points[DP_PHASE_FINISH_KERNEL]))
		weigh_updates(w, symbols);
	if (!status)
		weigh_first_launch(w);
	/* the device's gaps follow from the host's: where these are known those tell no more */
	if (!status && !w->evidence->launches_recorded)
		status = weigh_gaps(w, w->kernel_gap, w->points[DP_PHASE_KERNEL_GAP],
				    points_kernel_gap);
	return status;
}

static double sum_at(const struct weigher *w, size_t o)
{
	double sum = 0;

	for (int kind = 0; kind < KINDS; kind++)
		sum += w->points[kind][o];
	return sum;
}

/* The offset that the first span begins with: of offsets that are alike the first one counts. */
static size_t begins_with(const struct weigher *w)
{
	const struct dp_align_span *spans = w->alignment->spans;

	for (size_t k = 0; k < w->alignment->span_count; k++)
		if (spans[k].pattern == w->pattern && spans[k].end - spans[k].begin >= w->m)
			return spans[k].begin_offset;
	return 0;
}

/* The kind that set the winner apart from the next best most. */
static void decide(struct weigher *w, struct dp_phase *phase)
{
	double best = -1e300, second = -1e300, lead = 0;
	size_t first = 0, other = 0, start = begins_with(w);

	for (size_t i = 0; i < w->m; i++) {
		size_t o = (start + i) % w->m;
		double sum = sum_at(w, o);

		if (sum > best + 1e-9) {
			second = best;
			other = first;
			best = sum;
			first = o;
		} else if (sum > second) {
			second = sum;
			other = o;
		}
	}
	phase->first = first;
	phase->beat = w->beat;
	phase->decided_by = DP_PHASE_NONE;
	phase->confidence = 1.0;
	if (w->m == 1)
		return;
	for (int kind = 0; kind < KINDS; kind++) {
		double d = w->points[kind][first] - w->points[kind][other];

		if (d >= lead && d > 0) {
			lead = d;
			phase->decided_by = (enum dp_phase_evidence)kind;
		}
	}
	phase->confidence = 1.0 - 0.6 * exp(-(best - second));
}

int dp_phase__find(struct dp_phase *phase, const struct dp_alignment *alignment, size_t n,
		   uint32_t pattern, const uint32_t *symbols, size_t length,
		   const struct dp_evidence *evidence, const struct dp_phase_hints *hints)
{
	struct weigher w = {
		.alignment = alignment,
		.evidence = evidence,
		.n = n,
		.m = length,
		.pattern = pattern,
	};
	bool ask = evidence && evidence->at;
	size_t samples = DP_MIN(DP_MAX(CALLS_MAX / length, SAMPLES_MIN), SAMPLES_MAX);
	size_t room = ask ? dp_size__mul(samples, length) : 1;
	double *block = dp_alloc__zeroed(length * KINDS, sizeof(*block));
	uint32_t *counts = dp_alloc__zeroed(length * 4, sizeof(*counts));
	int64_t *waits = dp_alloc__zeroed(length, sizeof(*waits));
	bool *moves = dp_alloc__zeroed(length, sizeof(*moves));
	int status = DP_ERR_NOMEM;

	w.kernel_gap = dp_alloc__array(room, sizeof(*w.kernel_gap));
	w.launch_gap = dp_alloc__array(room, sizeof(*w.launch_gap));
	if (!block || !counts || !waits || !moves || !w.kernel_gap || !w.launch_gap)
		goto out;
	for (int kind = 0; kind < KINDS; kind++)
		w.points[kind] = block + (size_t)kind * length;
	w.samples = samples;
	w.seen = counts;
	w.uploads = counts + length;
	w.syncs = counts + 2 * length;
	w.finishes = counts + 3 * length;
	w.waits = waits;
	w.moves = moves;
	status = weigh_all(&w, symbols, hints);
	if (!status)
		decide(&w, phase);
out:
	free(w.kernel_gap);
	free(w.launch_gap);
	free(moves);
	free(waits);
	free(counts);
	free(block);
	return status;
}
