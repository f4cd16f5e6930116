/*
 * Works on diagonals of (a, b): a few windows of a find those that may be right, which are judged
 * by content, then by the times between calls; then calls are merged by time.
 */
#include "ranks/match.h"
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

struct sequences {
	const struct dp_match_call *a, *b;
	size_t n, m;
	double *room; /* for JUDGED values */
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
	double spreads[JUDGED / WINDOW + 1], offsets[JUDGED / WINDOW + 1], *room = at->room;

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

/* How far times may differ: less than half of the shortest typical distance between equal calls. */
static double tolerance(const struct sequences *at)
{
	size_t used = 0, judged = DP_MIN(at->n, JUDGED);

	for (size_t i = 0; i < judged; i++)
		for (size_t k = i + 1; k < DP_MIN(judged, i + 256); k++)
			if (at->a[k].symbol == at->a[i].symbol) {
				at->room[used++] = (double)(at->a[k].end_ns - at->a[i].end_ns);
				break;
			}
	return used ? dp_stat__median(at->room, used) * 0.4 : INFINITY;
}

static size_t merge(uint32_t *partner, const struct sequences *at, const struct candidate *from)
{
	double offset = from->offset, most = tolerance(at);
	size_t i = 0, j = 0, matched = 0;

	while (i < at->n && j < at->m) {
		double late = (double)(at->b[j].end_ns - at->a[i].end_ns) - offset;

		if (fabs(late) <= most && at->a[i].symbol == at->b[j].symbol) {
			partner[i++] = (uint32_t)j++;
			offset += late / 8; /* follows a drifting clock, but not a single call */
			matched++;
		} else if (late > 0) {
			i++;
		} else {
			j++;
		}
	}
	return matched;
}

static void clear(uint32_t *partner, size_t n)
{
	for (size_t i = 0; i < n; i++)
		partner[i] = DP_NONE;
}

static size_t by_diagonal(uint32_t *partner, const struct sequences *at, int64_t shift)
{
	size_t first, count = overlap(at, shift, &first), matched = 0;

	for (size_t i = first; i < first + count; i++) {
		size_t j = (size_t)((int64_t)i + shift);

		if (at->a[i].symbol == at->b[j].symbol) {
			partner[i] = (uint32_t)j;
			matched++;
		}
	}
	return matched;
}

/*
 * Matches by number. Returns false if numbers are missing, not ascending, or equal for different
 * calls.
 */
static bool by_sequence(uint32_t *partner, const struct sequences *at)
{
	size_t i = 0, j = 0, equal = 0, matched = 0;

	for (size_t k = 0; k < at->n; k++)
		if (at->a[k].sequence < 0 || (k && at->a[k].sequence <= at->a[k - 1].sequence))
			return false;
	for (size_t k = 0; k < at->m; k++)
		if (at->b[k].sequence < 0 || (k && at->b[k].sequence <= at->b[k - 1].sequence))
			return false;
	while (i < at->n && j < at->m) {
		if (at->a[i].sequence == at->b[j].sequence) {
			equal++;
			if (at->a[i].symbol == at->b[j].symbol) {
				partner[i] = (uint32_t)j;
				matched++;
			}
			i++;
			j++;
		} else if (at->a[i].sequence < at->b[j].sequence) {
			i++;
		} else {
			j++;
		}
	}
	return equal && (double)matched >= ALIKE * (double)equal;
}

int dp_match__run(uint32_t *partner, const struct dp_match_call *a, size_t n,
		  const struct dp_match_call *b, size_t m, const struct dp_match_clock *clock)
{
	struct sequences at = { a, b, n, m, NULL };
	struct candidate best = { 0 };

	clear(partner, n);
	if (!n || !m || by_sequence(partner, &at))
		return DP_OK;
	clear(partner, n);
	at.room = dp_alloc__array(JUDGED, sizeof(*at.room));
	if (!at.room)
		return DP_ERR_NOMEM;
	if (best_shift(&best, &at, clock)) {
		size_t matched = merge(partner, &at, &best);

		/* ends differ more than calls are apart: only the order is left */
		if (matched < best.common * WINDOW / 2) {
			clear(partner, n);
			by_diagonal(partner, &at, best.shift);
		}
	}
	free(at.room);
	return DP_OK;
}
