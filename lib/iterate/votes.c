/*
 * The votes, as a table: each scores the offsets of a pattern as the first of an iteration. Cost of
 * each: linear in offsets and spans, and in the edits of those spans that are about one iteration;
 * of the fit votes, linear in the symbols.
 */
#include "iterate/votes.h"
#include "base/parameters.h"

#include <math.h>
#include <string.h>

/* From names alone: where the sequence begins and ends, and the spans in it. */

/* Returns true if a span goes through all of its pattern of m symbols. Mostly no edits are read. */
static bool is_iteration(const struct dp_alignment *al, size_t span, size_t m)
{
	const struct dp_align_span *s = &al->spans[span];

	return s->end - s->begin >= m + s->edit_count || dp_align__advance(al, span) >= m;
}

/*
 * Counts the whole iterations of each rotation. A span that goes through q * m + r symbols from
 * offset f on holds q of them if they begin at one of the offsets f to f + r, and q - 1 otherwise.
 * So each span adds 1 to a cyclic interval of offsets. change[o] is by how much the count at o
 * exceeds that at o - 1. Spans that the capture may clip are left out unless `clipped` is set.
 */
static void count_iterations(const struct dp_ballot *b, bool clipped, double *counts)
{
	int64_t *change = b->scratch, count = 0;
	size_t m = b->m;

	memset(change, 0, (m + 1) * sizeof(*change));
	for (size_t k = 0; k < b->alignment->span_count; k++) {
		const struct dp_align_span *s = &b->alignment->spans[k];
		size_t end = s->begin_offset;
		bool may_be_clipped =
			(b->clipped_begin && s->begin < m) ||
			((b->clipped_end || b->evidence.open_end) && b->n - s->end < m);

		if (s->pattern != b->pattern || (may_be_clipped && !clipped) ||
		    !is_iteration(b->alignment, k, m))
			continue;
		count += (int64_t)(dp_align__advance(b->alignment, k) / m) - 1;
		end += dp_offset__move(s->end_offset, s->begin_offset, m, -1) + 1;
		change[s->begin_offset]++;
		change[DP_MIN(end, m)]--;
		if (end > m) {
			change[0]++;
			change[end - m]--;
		}
	}
	for (size_t o = 0; o < m; o++) {
		count += change[o];
		counts[o] = (double)count;
	}
}

/* Scores each rotation by how many whole iterations fewer than the best it has. */
static void count_whole(const struct dp_ballot *b, double *score)
{
	double most = -INFINITY;

	count_iterations(b, false, score);
	for (size_t o = 0; o < b->m; o++)
		most = fmax(most, score[o]);
	for (size_t o = 0; o < b->m; o++)
		score[o] -= most;
}

/*
 * Scores the rotations with the most whole iterations if that is a known number. A smaller number
 * is no evidence: rotations that cut off an iteration at each end would have it.
 */
static void has_number(const struct dp_ballot *b, double *score)
{
	const struct dp_evidence *e = &b->evidence;
	double most = -INFINITY;
	bool known = false;

	if (!e->number_count)
		return;
	count_iterations(b, true, score);
	for (size_t o = 0; o < b->m; o++)
		most = fmax(most, score[o]);
	for (size_t i = 0; i < e->number_count; i++)
		known |= most == (double)e->numbers[i];
	for (size_t o = 0; o < b->m; o++)
		score[o] = known && score[o] >= most;
}

void dp_votes__span_ends(struct dp_ballot *b, struct dp_span_ends *spans)
{
	const struct dp_align_span *s = b->alignment->spans, *last = NULL;
	size_t m = b->m, symbols = 0, losses = 0;

	b->spans = spans;
	b->span_count = 0;
	for (size_t k = 0; k < b->alignment->span_count; k++, s++) {
		struct dp_span_ends *ends = &spans[b->span_count];

		if (s->pattern != b->pattern || s->end - s->begin < m)
			continue;
		symbols += s->end - s->begin;
		losses += dp_align__losses(b->alignment, k);
		if (last && last + 1 == s && dp_align__goes_on(last, s, m))
			ends--;
		else
			*ends = (struct dp_span_ends){
				.before = s->begin,
				.begin = s->begin_offset,
				.leads = k == 0,
			};
		b->span_count = (size_t)(ends - spans) + 1;
		last = s;
		ends->after = b->n - s->end;
		ends->end = s->end_offset;
		ends->meets = k + 1 < b->alignment->span_count && s[1].begin < s->end;
		if (ends->meets)
			ends->end = dp_offset__move(ends->end, s->end - s[1].begin, m, -1);
		ends->first = dp_offset__move(ends->begin, ends->before, m, -1);
		ends->last = dp_offset__move(ends->end, ends->after, m, 1);
	}
	b->loss = symbols ? (double)losses / (double)symbols : 0;
}

/*
 * Scores an offset, and adjacent ones less: if symbols beyond a span happen to match, it begins a
 * little early (dir 1) or ends a little late (-1), and one that begins after a set-up may begin a
 * little late (-1). In a short pattern these are few, or the vote would be for all of its offsets.
 */
static void score_near(const struct dp_ballot *b, double *score, size_t offset, double points,
		       int dir)
{
	size_t most = DP_MIN(dp_param.end_slack, b->m / dp_param.end_part);

	for (size_t d = 0; d < DP_MAX(most, 1); d++, points *= dp_param.end_decay)
		score[dp_offset__move(offset, d, b->m, dir)] += points;
}

/* Returns true if so few symbols before or after a span may be part of it under other names. */
static bool is_close(size_t symbols)
{
	return symbols < dp_param.end_slack;
}

/* Returns true if the pattern has a symbol at an offset, or an iteration has it there instead. */
static bool has_at(const struct dp_ballot *b, size_t offset, uint32_t symbol)
{
	const struct dp_alignment *al = b->alignment;
	bool found = b->symbols[offset] == symbol;

	for (size_t k = 0; k < al->span_count; k++) {
		const struct dp_align_span *s = &al->spans[k];

		for (size_t i = s->edits; i < s->edits + s->edit_count && !found; i++)
			found = s->pattern == b->pattern && al->edits[i].offset == offset &&
				al->edits[i].kind == DP_EDIT_SUBSTITUTED &&
				b->sequence[al->edits[i].position] == symbol;
	}
	return found;
}

/*
 * Returns true if the few symbols before a span are mostly ones that iterations have there: the
 * first one begins with them, only too much has changed for an alignment.
 */
static bool begins_before(const struct dp_ballot *b, const struct dp_span_ends *s)
{
	size_t same = 0;

	for (size_t i = 0; i < s->before; i++)
		same += has_at(b, (s->first + i) % b->m, b->sequence[i]);
	return 2 * same >= s->before;
}

static void capture_begins(const struct dp_ballot *b, double *score)
{
	const struct dp_span_ends *s = b->spans;

	if (!b->span_count || !s->leads || !is_close(s->before) || b->evidence.open_begin ||
	    b->clipped_begin)
		return;
	if (begins_before(b, s))
		score_near(b, score, s->first, 1, 1);
	else
		score_near(b, score, s->begin, 1, -1);
}

/* A few symbols after the last span are its end under other names, or were inserted after it. */
static void capture_ends(const struct dp_ballot *b, double *score)
{
	for (size_t k = 0; k < b->span_count; k++)
		if (is_close(b->spans[k].after) && !b->evidence.open_end && !b->clipped_end) {
			score_near(b, score, b->spans[k].last, 1, -1);
			score[b->spans[k].end] = DP_MAX(score[b->spans[k].end], 1);
		}
}

/* Returns true if symbols that are not the loop's precede a span: its beginning is evidence. */
static bool begins_after_others(const struct dp_ballot *b, const struct dp_span_ends *s)
{
	bool loose = b->evidence.loose_begin || b->evidence.open_begin;

	return s->before >= dp_param.end_slack && !(loose && s->before < b->m);
}

/* While the sequence grows, symbols that differ at its end may still turn out to match. */
static bool ends_before_others(const struct dp_ballot *b, const struct dp_span_ends *s)
{
	return s->after >= dp_param.end_slack && !(b->evidence.open_end && s->after / 2 < b->m);
}

/* What each span with such an end scores: half a point if it is the only one, nearly one in all. */
static double share_of(const struct dp_ballot *b,
		       bool (*has_end)(const struct dp_ballot *b, const struct dp_span_ends *s))
{
	size_t count = 1;

	for (size_t k = 0; k < b->span_count; k++)
		count += has_end(b, &b->spans[k]);
	return 1 / (double)count;
}

static void spans_begin(const struct dp_ballot *b, double *score)
{
	double share = share_of(b, begins_after_others);

	for (size_t k = 0; k < b->span_count; k++)
		if (begins_after_others(b, &b->spans[k]))
			score_near(b, score, b->spans[k].begin, share, 1);
}

/* A span ends where one that overlaps it begins, which is a little early rather than late. */
static void spans_end(const struct dp_ballot *b, double *score)
{
	double share = share_of(b, ends_before_others);

	for (size_t k = 0; k < b->span_count; k++)
		if (ends_before_others(b, &b->spans[k]))
			score_near(b, score, b->spans[k].end, share, b->spans[k].meets ? 1 : -1);
}

/*
 * The probability that a span lost the `count` symbols that it lacks, from its end (dir 1) or from
 * its beginning (-1). The first of them is at offset o, next to those that the span has. It is the
 * product over all of them of the probability that one is lost. Of k equal symbols in a row, it
 * does not show which one was lost, so the loss of one of them is k times as likely as that of a
 * symbol without equals next to it. Returns 0 if the product falls below 1 / m, the probability
 * that the offset fits by chance: the loss is then no explanation, and its remaining odds are not
 * to decide between offsets.
 */
static double lost_by_chance(const struct dp_ballot *b, size_t o, size_t count, int dir)
{
	size_t m = b->m, alike = 0;
	double probability = 1;

	while (alike < m && b->symbols[dp_offset__move(o, alike, m, -dir)] == b->symbols[o])
		alike++;
	for (size_t i = 0; i < count; i++) {
		size_t next = dp_offset__move(o, 1, m, dir);

		probability *= DP_MIN(b->loss * (double)alike, 1);
		if (probability * (double)m < 1)
			return 0;
		alike = b->symbols[next] == b->symbols[o] ? alike + 1 : 1;
		o = next;
	}
	return probability;
}

/*
 * The logarithm of how unlikely it is that a whole number of iterations fits by chance, minus what
 * the ends score by themselves. likely: the probability that it would if iterations began there.
 */
static double fit_odds(size_t m, double likely, double own)
{
	return DP_MAX(log1p((double)m * likely) - own, 0);
}

/*
 * Scores the offset at which a span begins if its end fits; if it lacks a few symbols, that offset
 * as if the end lost them, and the offset at its end as if the beginning did.
 */
static void fit(const struct dp_ballot *b, double *score, size_t begin, size_t end,
		double own_begin, double own_end, double share)
{
	size_t lack = dp_offset__move(begin, end, b->m, -1);
	size_t last = dp_offset__move(begin, 1, b->m, -1);

	if (lack == 0) {
		score_near(b, score, begin, share * fit_odds(b->m, 1, own_begin + own_end), 1);
		return;
	}
	score[begin] += share * fit_odds(b->m, lost_by_chance(b, end, lack, 1), own_begin);
	score[end] += share * fit_odds(b->m, lost_by_chance(b, last, lack, -1), own_end);
}

static void capture_fits(const struct dp_ballot *b, double *score)
{
	double own_begin = b->clipped_begin ? 0 : dp_param.weight_capture_begin;
	double own_end = b->clipped_end ? 0 : dp_param.weight_capture_end;
	bool open = b->evidence.open_begin || b->evidence.open_end || b->first_launch;

	for (size_t k = 0; k < b->span_count && !open; k++) {
		const struct dp_span_ends *s = &b->spans[k];
		/* the first iteration may have names of its own if it is as long as the others */
		bool begins = is_close(s->before) || (s->before < b->m && s->leads);

		if (begins && is_close(s->after))
			fit(b, score, s->first, s->last, own_begin, own_end, 1);
	}
}

static void spans_fit(const struct dp_ballot *b, double *score)
{
	double count = (double)b->span_count;
	double of_begin = dp_param.weight_span_begin * share_of(b, begins_after_others);
	double of_end = dp_param.weight_span_end * share_of(b, ends_before_others);

	for (size_t k = 0; k < b->span_count; k++) {
		const struct dp_span_ends *s = &b->spans[k];
		double own_begin = begins_after_others(b, s) ? of_begin : 0;
		double own_end = ends_before_others(b, s) ? of_end : 0;

		if (!is_close(s->before) && !is_close(s->after))
			fit(b, score, s->begin, s->end, own_begin, own_end, 1 / count);
	}
}

/*
 * A span that is a few symbols short of whole iterations lacks them at one end. Mostly the first
 * iteration begins differently, and the span ends with an iteration.
 */
static void first_differs(const struct dp_ballot *b, double *score)
{
	for (size_t k = 0; k < b->span_count; k++) {
		const struct dp_span_ends *s = &b->spans[k];
		size_t lack = dp_offset__move(s->begin, s->end, b->m, -1);

		if (lack > 0 && lack <= dp_param.first_renamed && b->m >= dp_param.step_long &&
		    !is_close(s->before) && !is_close(s->after))
			score[s->end] += 1 / (double)b->span_count;
	}
}

void dp_votes__hinted(const struct dp_ballot *b, double *hinted)
{
	const size_t *hint = b->hints.positions, *end = hint + b->hints.count;
	struct dp_walk walk;
	struct dp_walk_item item;

	for (size_t k = 0; k < b->alignment->span_count && hint < end; k++) {
		if (b->alignment->spans[k].pattern != b->pattern)
			continue;
		while (hint < end && *hint < b->alignment->spans[k].begin)
			hint++;
		dp_walk__begin(&walk, b->alignment, k, b->m, 0);
		while (hint < end && dp_walk__next(&walk, &item))
			for (; item.kind == DP_WALK_MATCH && hint < end &&
			       *hint < item.at + item.length;
			     hint++) {
				size_t skip = DP_MAX(*hint, item.at) - item.at;

				hinted[(item.offset + skip) % b->m] += 1 / (double)b->hints.count;
			}
	}
}

static void follows_hints(const struct dp_ballot *b, double *score)
{
	if (b->hinted)
		memcpy(score, b->hinted, b->m * sizeof(*score));
}

/* From launches, copies and pauses. Nothing is scored unless it was recorded. */

/* The offset at a position of the sequence. */
static size_t offset_at(const struct dp_ballot *b, size_t position)
{
	struct dp_walk walk;
	struct dp_walk_item item;

	for (size_t k = 0; k < b->alignment->span_count; k++) {
		const struct dp_align_span *s = &b->alignment->spans[k];

		if (s->pattern != b->pattern || position < s->begin || position >= s->end)
			continue;
		dp_walk__begin(&walk, b->alignment, k, b->m, 0);
		while (dp_walk__next(&walk, &item))
			if (position >= item.at && position < item.at + item.length)
				return (item.offset + position - item.at) % b->m;
	}
	return DP_NO_OFFSET;
}

/*
 * Returns true if an offset is among those with the largest launch gaps, as real boundaries are.
 * A gap that is no larger than the typical one, which nine in ten are, has a score of 0.
 */
static bool may_begin(const struct dp_ballot *b, size_t offset)
{
	const double *gap = b->offsets.launch_gap;
	size_t larger = 0, m = b->m;

	for (size_t o = 0; o < m; o++)
		larger += gap[o] > gap[offset];
	return gap[offset] > 0 && larger <= dp_param.gap_rank;
}

/*
 * The logarithm of how unlikely it is that one of `count` offsets has, by chance, a pause that
 * stands out as much as the one at this offset. Boundaries have both.
 */
static double pause_odds(const struct dp_ballot *b, size_t offset, size_t count)
{
	bool launches = b->evidence.launches_recorded;
	const double *gap = launches ? b->offsets.launch_gap : b->offsets.kernel_gap;
	size_t rank = 0;

	if (!b->observed || gap[offset] <= 0)
		return 0;
	for (size_t o = 0; o < b->m; o++)
		rank += gap[o] >= gap[offset];
	return DP_MAX(log((double)b->m / ((double)rank * (double)count)), 0);
}

static void capture_at_gap(const struct dp_ballot *b, double *score)
{
	for (size_t k = 0; k < b->span_count; k++) {
		const struct dp_span_ends *s = &b->spans[k];

		if (is_close(s->before) && !b->evidence.open_begin && !b->clipped_begin)
			score[s->first] += pause_odds(b, s->first, 1);
		if (is_close(s->after) && !b->evidence.open_end && !b->clipped_end)
			score[s->last] += pause_odds(b, s->last, 1);
	}
}

/*
 * The first kernel with a launch, after kernels without, is a step's first if recording began
 * between two steps; recording that began at some time finds the host where it mostly is. Both are
 * equally likely, so the odds follow from the offset's share of the host's time.
 */
static void first_launch(const struct dp_ballot *b, double *score)
{
	size_t offset =
		b->observed && b->first_launch ? offset_at(b, b->first_launch) : DP_NO_OFFSET;
	double sum = 0, odds;

	if (offset == DP_NO_OFFSET ||
	    !(may_begin(b, offset) || (b->optimizer.found && offset == b->optimizer.end)))
		return;
	for (size_t o = 0; o < b->m; o++)
		sum += b->offsets.interval_ns[o];
	/* an offset without an interval would have infinite odds; they are limited anyway */
	odds = sum / DP_MAX(b->offsets.interval_ns[offset], sum * 1e-6);
	/* the vote adds these log-odds themselves; its weight is their limit */
	score[offset] += DP_MIN(log(1 + odds) / dp_param.weight_first_launch, 1);
}

static void launch_gaps(const struct dp_ballot *b, double *score)
{
	for (size_t o = 0; o < b->m && b->observed; o++)
		score[o] = b->offsets.launch_gap[o];
}

static void kernel_gaps(const struct dp_ballot *b, double *score)
{
	for (size_t o = 0; o < b->m && b->observed && !b->evidence.launches_recorded; o++)
		score[o] = b->offsets.kernel_gap[o];
}

/* Returns true if something recurs from this offset on: what does at several in a row is one. */
static bool recurs_from(const struct dp_ballot *b, const bool *at, size_t offset)
{
	return at[offset] && !at[dp_offset__move(offset, 1, b->m, -1)];
}

/* How often something recurs per iteration; 0 if it is so frequent that it means nothing. */
static size_t recurrences(const struct dp_ballot *b, const bool *at)
{
	size_t count = 0, offsets = 0;

	for (size_t o = 0; o < b->m; o++) {
		count += recurs_from(b, at, o);
		offsets += at[o];
	}
	return offsets * 2 > b->m ? 0 : count;
}

/*
 * Gives half of the score to all offsets from which uploads recur, and half to the one after the
 * longest stretch without them.
 */
static void uploads(const struct dp_ballot *b, double *score)
{
	const bool *at = b->offsets.has[DP_SIGN_UPLOAD];
	size_t count = b->observed ? recurrences(b, at) : 0, before, longest;

	if (!count)
		return;
	for (size_t o = 0; o < b->m; o++)
		score[o] = recurs_from(b, at, o) ? 0.5 / (double)count : 0;
	longest = dp_offsets__longest_gap(&before, at, b->m);
	score[(before + longest) % b->m] += 0.5;
}

static void upload_at_gap(const struct dp_ballot *b, double *score)
{
	size_t count = b->observed ? recurrences(b, b->offsets.has[DP_SIGN_UPLOAD]) : 0;

	for (size_t o = 0; o < b->m && count && count <= dp_param.gap_rank; o++)
		if (recurs_from(b, b->offsets.has[DP_SIGN_UPLOAD], o))
			score[o] = pause_odds(b, o, count);
}

/* A step begins right after an optimizer, or after bookkeeping that may follow it. */
static void optimizer(const struct dp_ballot *b, double *score)
{
	const struct dp_optimizer *o = &b->optimizer;

	if (!o->found)
		return;
	for (size_t i = 0; i < o->bookkeeping; i++)
		score[(o->end + i) % b->m] += 1;
	score[o->end] += o->named ? dp_param.optimizer_last : dp_param.update_run_last;
}

/* Returns true if the host gets results as it does in a step: layers with experts query often. */
static bool gets_results(const struct dp_ballot *b, const bool *at)
{
	size_t count = recurrences(b, at);

	return count == 1 || (count && b->m >= dp_param.step_long);
}

bool dp_votes__has_data(const struct dp_ballot *b)
{
	bool *const *at = b->offsets.has;

	return b->observed &&
	       (recurrences(b, at[DP_SIGN_UPLOAD]) || recurrences(b, at[DP_SIGN_RESULT]));
}

bool dp_votes__is_step(const struct dp_ballot *b)
{
	bool *const *at = b->offsets.has;

	return dp_votes__has_data(b) ||
	       (b->observed &&
		(gets_results(b, at[DP_SIGN_SYNC]) || gets_results(b, at[DP_SIGN_DOWNLOAD]) ||
		 (b->optimizer.named && b->optimizer.found)));
}

const struct dp_vote dp_votes[] = {
	{ "whole-iterations", DP_PHASE_COMPLETE, &dp_param.weight_whole,
	  "this start leaves the most iterations whole", count_whole },
	{ "number", DP_PHASE_COMPLETE, &dp_param.weight_number,
	  "with this start, as many iterations are whole as -n gives", has_number },
	{ "capture-begin", DP_PHASE_COMPLETE, &dp_param.weight_capture_begin,
	  "captures usually begin at the start of a step", capture_begins },
	{ "capture-end", DP_PHASE_COMPLETE, &dp_param.weight_capture_end,
	  "captures usually end at the end of a step", capture_ends },
	{ "span-begin", DP_PHASE_COMPLETE, &dp_param.weight_span_begin,
	  "after other work, a loop starts with a whole iteration", spans_begin },
	{ "span-end", DP_PHASE_COMPLETE, &dp_param.weight_span_end,
	  "before other work, a loop ends with a whole iteration", spans_end },
	{ "capture-fit", DP_PHASE_COMPLETE, &dp_param.weight_fit,
	  "the capture holds a whole number of iterations, which is unlikely by chance",
	  capture_fits },
	{ "span-fit", DP_PHASE_COMPLETE, &dp_param.weight_fit,
	  "the loop fills the gap between other work with whole iterations, "
	  "which is unlikely by chance",
	  spans_fit },
	{ "first-differs", DP_PHASE_COMPLETE, &dp_param.weight_first_differs,
	  "first iterations start differently more often than last ones end differently",
	  first_differs },
	{ "hint", DP_PHASE_COMPLETE, &dp_param.weight_hint, NULL, follows_hints },
	{ "first-launch", DP_PHASE_FIRST_LAUNCH, &dp_param.weight_first_launch,
	  "profilers usually start to record launches at the start of a step", first_launch },
	{ "launch-gap", DP_PHASE_LAUNCH_GAP, &dp_param.weight_launch_gap,
	  "between steps, the host loads data and writes logs", launch_gaps },
	{ "upload", DP_PHASE_INPUT_COPY, &dp_param.weight_upload, "a step starts with its input",
	  uploads },
	{ "upload-at-gap", DP_PHASE_INPUT_COPY, &dp_param.weight_at_gap,
	  "an upload and a long pause rarely coincide by chance", upload_at_gap },
	{ "capture-at-gap", DP_PHASE_COMPLETE, &dp_param.weight_at_gap,
	  "a capture rarely begins or ends at a long pause by chance", capture_at_gap },
	{ "optimizer", DP_PHASE_FINISH_KERNEL, &dp_param.weight_optimizer,
	  "a step ends with its optimizer", optimizer },
	{ "kernel-gap", DP_PHASE_KERNEL_GAP, &dp_param.weight_kernel_gap,
	  "launches are not recorded, so the device's pauses stand for the host's", kernel_gaps },
};
const size_t dp_vote_count = DP_COUNT(dp_votes);
