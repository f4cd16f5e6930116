/*
 * Works on diagonals of (a, b): a few windows of a find those that may be right, which are judged
 * by content, then by the times between calls; then calls are merged by time.
 */
#include "ranks/match.h"
#include "base/search.h"
#include "stats/stat.h"

#include <math.h>

/* Calls of the shorter sequence that shifts are judged by: some hundred iterations. */
#define JUDGED 2048
/*
 * With this share of equal calls, two sequences are the same except for a few calls that one rank
 * lacks: fewer than one per WINDOW; what follows one lies on another diagonal.
 */
#define ALIKE 0.9
enum { WINDOW = 16 };
/*
 * A shift with a smaller share of the shorter sequence in common is no candidate: the fewer calls,
 * the more easily they agree by chance.
 */
#define COMMON 0.34
/* Smaller differences are equal: clocks of GPUs tick in µs. */
#define EQUAL_NS 2000.0

/* The reference, and another rank's calls. */
struct sequences {
	const struct dp_match_call *a, *b;
	size_t n, m;
};

/* The calls that have a counterpart on the diagonal: a[first .. first + count). */
static size_t overlap(const struct sequences *at, int64_t shift, size_t *first)
{
	int64_t from = shift < 0 ? -shift : 0;
	int64_t to = DP_MIN((int64_t)at->n, (int64_t)at->m - shift);

	*first = (size_t)from;
	return to > from ? (size_t)(to - from) : 0;
}

/* The evidence for a shift. */
struct candidate {
	int64_t shift;
	size_t common; /* windows that fit */
	double spread; /* median disagreement of the times between calls */
	double offset; /* median of b's times minus a's */
};

/* Returns true if the next calls have the same content. */
static bool is_alike(const struct dp_match_call *a, const struct dp_match_call *b, size_t count)
{
	size_t alike = 0;

	for (size_t i = 0; i < count; i++)
		alike += a[i].symbol == b[i].symbol;
	return (double)alike >= ALIKE * (double)count;
}

/*
 * Computes the disagreement of the times between a window's calls, and the median of b's times
 * minus a's.
 */
static void judge_window(double *spread, double *offset, const struct dp_match_call *a,
			 const struct dp_match_call *b, size_t count)
{
	double room[WINDOW];

	for (size_t i = 1; i < count; i++)
		room[i - 1] = fabs((double)((b[i].end_ns - b[i - 1].end_ns) -
					    (a[i].end_ns - a[i - 1].end_ns)));
	*spread = count > 1 ? dp_stat__median(room, count - 1) : 0;
	for (size_t i = 0; i < count; i++)
		room[i] = (double)(b[i].end_ns - a[i].end_ns);
	*offset = dp_stat__median(room, count);
}

/*
 * Judges a diagonal. Returns false if the content matches nowhere. If a rank lacks calls, a
 * diagonal is right for only some of the windows: the best eighth of them counts.
 */
static bool judge(struct candidate *out, const struct sequences *at, int64_t shift)
{
	size_t first, count = overlap(at, shift, &first), windows = 0, good = 0;
	size_t judged = DP_MIN(count, JUDGED);
	const struct dp_match_call *a = at->a + first, *b = at->b + ((int64_t)first + shift);
	double spreads[JUDGED / WINDOW + 1], offsets[JUDGED / WINDOW + 1];
	double room[JUDGED / WINDOW + 1];

	if (!count || (double)count < COMMON * (double)DP_MIN(at->n, at->m))
		return false;
	for (size_t from = 0, end; from < judged; from = end) {
		end = DP_MIN(from + WINDOW, judged);
		/* the rest at the end agrees too easily, unless it is all there is */
		if ((!from || end - from == WINDOW) && is_alike(a + from, b + from, end - from)) {
			judge_window(&spreads[windows], &offsets[windows], a + from, b + from,
				     end - from);
			room[windows] = spreads[windows];
			windows++;
		}
	}
	if (!windows)
		return false;
	*out = (struct candidate){ .shift = shift, .common = windows };
	out->spread = dp_stat__select(room, windows, (windows - 1) / 8);
	for (size_t i = 0; i < windows; i++)
		if (spreads[i] <= out->spread + EQUAL_NS)
			room[good++] = offsets[i];
	out->offset = dp_stat__median(room, good);
	return true;
}

static bool is_better(const struct candidate *a, const struct candidate *b,
		      const struct dp_match_clock *clock)
{
	if (clock->known) {
		double one = fabs(a->offset - (double)clock->offset_ns);
		double two = fabs(b->offset - (double)clock->offset_ns);

		if (one != two)
			return one < two;
	}
	if (a->spread + EQUAL_NS < b->spread || b->spread + EQUAL_NS < a->spread)
		return a->spread < b->spread;
	if (a->common != b->common)
		return a->common > b->common;
	return llabs(a->shift) < llabs(b->shift);
}

/*
 * Windows of the first sequence that candidates are searched with, and what each keeps. Calls that
 * only one rank has spoil a few windows, never all.
 */
enum { LOOKS = 8, KEPT = 4 };
/* Shorter sequences are tried at every shift. */
enum { SHORT = LOOKS * WINDOW };

/* A shift at which one window matches, and how badly: less is better. */
struct look {
	int64_t shift;
	double misfit;
};

/* Times within EQUAL_NS are equal: of those the smaller shift comes first. */
static bool is_nearer(const struct look *a, const struct look *b)
{
	double one = floor(a->misfit / EQUAL_NS), two = floor(b->misfit / EQUAL_NS);

	return one != two ? one < two : llabs(a->shift) < llabs(b->shift);
}

/* The mean disagreement of the times between a window's calls, not computed far beyond limit. */
static double misfit_of(const struct dp_match_call *a, const struct dp_match_call *b, double limit)
{
	double sum = 0;

	for (size_t i = 1; i < WINDOW && sum <= limit * (WINDOW - 1); i++)
		sum += fabs((double)((b[i].end_ns - b[i - 1].end_ns) -
				     (a[i].end_ns - a[i - 1].end_ns)));
	return sum / (WINDOW - 1);
}

/* Keeps the shifts at which the window of a at a place matches best; returns their number. */
static size_t look_at(struct look *kept, const struct sequences *at, size_t place, int64_t from,
		      int64_t to, const struct dp_match_clock *clock)
{
	const struct dp_match_call *a = at->a + place;
	size_t count = 0;

	from = DP_MAX(from, -(int64_t)place);
	to = DP_MIN(to, (int64_t)at->m - WINDOW - (int64_t)place);
	for (int64_t shift = from; shift <= to; shift++) {
		const struct dp_match_call *b = at->b + ((int64_t)place + shift);
		struct look look = { shift, 0 };
		size_t k;

		look.misfit = clock->known
				      ? fabs((double)(b->end_ns - a->end_ns - clock->offset_ns))
				      : misfit_of(a, b,
						  count < KEPT ? INFINITY
							       : kept[KEPT - 1].misfit + EQUAL_NS);
		if (count == KEPT && !is_nearer(&look, &kept[KEPT - 1]))
			continue;
		if (!is_alike(a, b, WINDOW))
			continue;
		for (k = count < KEPT ? count++ : KEPT - 1; k && is_nearer(&look, &kept[k - 1]);
		     k--)
			kept[k] = kept[k - 1];
		kept[k] = look;
	}
	return count;
}

static void try_shift(struct candidate *best, bool *found, const struct sequences *at,
		      int64_t shift, const struct dp_match_clock *clock)
{
	struct candidate candidate;

	if (!judge(&candidate, at, shift))
		return;
	if (!*found || is_better(&candidate, best, clock))
		*best = candidate;
	*found = true;
}

static int compare_shifts(const void *a, const void *b)
{
	const struct look *one = a, *two = b;

	return one->shift < two->shift ? -1 : one->shift > two->shift;
}

static bool best_shift(struct candidate *best, const struct sequences *at,
		       const struct dp_match_clock *clock)
{
	/* shifts near those at which both begin, or end, together */
	int64_t ends = (int64_t)at->m - (int64_t)at->n;
	int64_t from = DP_MAX(DP_MIN(ends, 0) - DP_MATCH_SHIFTS / 2, -(int64_t)at->n);
	int64_t to = DP_MIN(DP_MAX(ends, 0) + DP_MATCH_SHIFTS / 2, (int64_t)at->m);
	struct look looks[LOOKS * KEPT];
	bool found = false;
	size_t count = 0;

	to = DP_MIN(to, from + 2 * DP_MATCH_SHIFTS);
	if (DP_MIN(at->n, at->m) < SHORT) {
		for (int64_t shift = from; shift <= to; shift++)
			try_shift(best, &found, at, shift, clock);
		return found;
	}
	for (size_t i = 0; i < LOOKS; i++)
		count += look_at(looks + count, at, (at->n - WINDOW) * i / (LOOKS - 1), from, to,
				 clock);
	if (count)
		qsort(looks, count, sizeof(*looks), compare_shifts);
	for (size_t i = 0; i < count; i++)
		if (!i || looks[i].shift != looks[i - 1].shift)
			try_shift(best, &found, at, looks[i].shift, clock);
	return found;
}

/* Less than half of the shortest typical distance between equal calls. */
static double tolerance_of(const struct dp_match_call *calls, size_t count)
{
	size_t used = 0, judged = DP_MIN(count, JUDGED);
	double room[JUDGED];

	for (size_t i = 0; i < judged; i++)
		for (size_t k = i + 1; k < DP_MIN(judged, i + 256); k++)
			if (calls[k].symbol == calls[i].symbol) {
				room[used++] = (double)(calls[k].end_ns - calls[i].end_ns);
				break;
			}
	return used ? dp_stat__median(room, used) * 0.4 : INFINITY;
}

static bool is_numbered(const struct dp_match_call *calls, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (calls[i].sequence < 0 || (i && calls[i].sequence <= calls[i - 1].sequence))
			return false;
	return true;
}

void dp_match__reference(struct dp_match_reference *reference, const struct dp_match_call *calls,
			 size_t count)
{
	*reference = (struct dp_match_reference){
		.calls = calls,
		.count = count,
		.numbered = is_numbered(calls, count),
		.tolerance_ns = tolerance_of(calls, count),
	};
}

static double lateness(const struct sequences *at, size_t i, size_t j, double offset)
{
	return (double)(at->b[j].end_ns - at->a[i].end_ns) - offset;
}

/*
 * Returns the first of a's calls from i on that ends at most `most` before b's call j. Cost: the
 * logarithm of the distance.
 */
static size_t pass_time(const struct sequences *at, size_t i, size_t j, double offset, double most)
{
	size_t step = 1, next, end;

	while (i + step < at->n && lateness(at, i + step, j, offset) > most)
		step *= 2;
	end = DP_MIN(at->n, i + step + 1);
	DP_FIND(next, i + step / 2, end, lateness(at, next, j, offset) <= most);
	return next;
}

/* The same for numbers: the first of a's calls from i on that does not precede b's call j. */
static size_t pass_number(const struct sequences *at, size_t i, size_t j)
{
	size_t step = 1, next, end;

	while (i + step < at->n && at->a[i + step].sequence < at->b[j].sequence)
		step *= 2;
	end = DP_MIN(at->n, i + step + 1);
	DP_FIND(next, i + step / 2, end, at->a[next].sequence >= at->b[j].sequence);
	return next;
}

static size_t merge(uint32_t *partner, const struct sequences *at, const struct candidate *from,
		    double most)
{
	double offset = from->offset;
	size_t i = 0, j = 0, matched = 0, unlike = 0;

	while (i < at->n && j < at->m) {
		double late = lateness(at, i, j, offset);

		if (fabs(late) <= most && at->a[i].symbol == at->b[j].symbol) {
			partner[j++] = (uint32_t)i++;
			offset += late / 8; /* follows a drifting clock, but not a single call */
			matched++;
			unlike = 0;
		} else if (late > most) {
			i = pass_time(at, i, j, offset, most);
		} else if (late > 0 && unlike++ < DP_MATCH_SHIFTS) {
			i++;
		} else {
			j++;
			unlike = 0;
		}
	}
	return matched;
}

static void clear(uint32_t *partner, size_t m)
{
	for (size_t j = 0; j < m; j++)
		partner[j] = DP_NONE;
}

static void by_diagonal(uint32_t *partner, const struct sequences *at, int64_t shift)
{
	size_t first, count = overlap(at, shift, &first);

	for (size_t i = first; i < first + count; i++) {
		size_t j = (size_t)((int64_t)i + shift);

		if (at->a[i].symbol == at->b[j].symbol)
			partner[j] = (uint32_t)i;
	}
}

/* Matches by number. Returns false if numbers are equal for different calls. */
static bool by_sequence(uint32_t *partner, const struct sequences *at)
{
	size_t i = 0, j = 0, equal = 0, matched = 0;

	while (i < at->n && j < at->m) {
		if (at->a[i].sequence == at->b[j].sequence) {
			equal++;
			if (at->a[i].symbol == at->b[j].symbol) {
				partner[j] = (uint32_t)i;
				matched++;
			}
			i++;
			j++;
		} else if (at->a[i].sequence < at->b[j].sequence) {
			i = pass_number(at, i, j);
		} else {
			j++;
		}
	}
	return equal && (double)matched >= ALIKE * (double)equal;
}

void dp_match__run(uint32_t *partner, const struct dp_match_reference *reference,
		   const struct dp_match_call *calls, size_t m, const struct dp_match_clock *clock)
{
	struct sequences at = { reference->calls, calls, reference->count, m };
	struct candidate best = { 0 };

	clear(partner, m);
	if (!at.n || !m ||
	    (reference->numbered && is_numbered(calls, m) && by_sequence(partner, &at)))
		return;
	clear(partner, m);
	if (best_shift(&best, &at, clock)) {
		size_t matched = merge(partner, &at, &best, reference->tolerance_ns);

		/* ends differ more than calls are apart: only the order is left */
		if (matched < best.common * WINDOW / 2) {
			clear(partner, m);
			by_diagonal(partner, &at, best.shift);
		}
	}
}
