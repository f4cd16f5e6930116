/*
 * Evidence by offset: quartiles of numbers, and signs that most of a sample of iterations have. The
 * sample is spread over the sequence.
 *
 * Cost: one call per offset and sampled iteration, and a sort of the samples of each offset.
 */
#include "iterate/offsets.h"
#include "base/sort.h"
#include "base/parameters.h"

#include <math.h>
#include <string.h>

struct sampler {
	const struct dp_alignment *alignment;
	const struct dp_evidence *evidence;
	struct dp_offsets *offsets;
	uint32_t pattern;
	size_t m, samples;
	uint32_t *counts[DP_SIGNS];	    /* sampled iterations with each, by offset */
	int64_t *launch_gaps, *kernel_gaps; /* `samples` for each offset */
};

static void ask(struct sampler *s, size_t position, size_t o)
{
	size_t slot = o * s->samples + s->offsets->seen[o];
	struct dp_evidence_at at;

	if (s->offsets->seen[o] >= s->samples)
		return;
	at = dp_evidence__look(s->evidence, position);
	s->offsets->seen[o]++;
	s->offsets->interval_ns[o] += (double)DP_MAX(at.launch_interval_ns, 0);
	s->launch_gaps[slot] = at.launch_gap_ns;
	s->kernel_gaps[slot] = at.kernel_gap_ns;
	s->counts[DP_SIGN_UPLOAD][o] += at.after_upload;
	s->counts[DP_SIGN_DOWNLOAD][o] += at.after_download;
	s->counts[DP_SIGN_RESULT][o] += at.after_result;
	s->counts[DP_SIGN_SYNC][o] += at.after_sync;
	s->counts[DP_SIGN_OPTIMIZER][o] += at.kind == DP_KERNEL_FINISHES;
	s->counts[DP_SIGN_MOVES][o] += at.kind == DP_KERNEL_MOVES;
}

static void sample(struct sampler *s)
{
	const struct dp_alignment *al = s->alignment;
	size_t total = 0, index = 0, every;
	struct dp_walk walk;
	struct dp_walk_item item;

	for (size_t k = 0; k < al->span_count; k++)
		if (al->spans[k].pattern == s->pattern)
			total += dp_align__advance(al, k) / s->m + 1;
	every = DP_MAX(total / s->samples, 1);
	for (size_t k = 0; k < al->span_count; k++) {
		if (al->spans[k].pattern != s->pattern)
			continue;
		dp_walk__begin(&walk, al, k, s->m, 0);
		while (dp_walk__next(&walk, &item)) {
			index += item.offset == 0 && item.kind != DP_EDIT_INSERTED;
			if (item.kind != DP_WALK_MATCH || index % every)
				continue;
			for (size_t i = 0; i < item.length; i++)
				ask(s, item.at + i, item.offset + i);
		}
	}
}

/*
 * How far the lower quartile of each offset's gaps stands out, since the host pauses between all
 * iterations, if at all: 0 for one like most, 1 for the largest. The scale is logarithmic, since a
 * boundary's gap is rarely the very largest. One of m offsets has the largest gap by chance with
 * probability 1 / m, so the vote's log-odds, its weight, count up to log(m). If `same` gaps are
 * equally large, they share these: each offset has log(same) less.
 */
static void stand_out(const struct sampler *s, int64_t *gaps, double weight, double *scores,
		      double *sorted)
{
	size_t m = s->m, same = 0, rank = (size_t)((double)m * dp_param.gap_typical);
	double typical, range, limit = DP_MIN(log((double)m) / weight, 1), most;

	for (size_t o = 0; o < m; o++) {
		int64_t *own = gaps + o * s->samples;
		size_t n = s->offsets->seen[o];

		dp_sort__i64(own, n);
		scores[o] =
			log((double)(n ? DP_MAX(own[(n + 1) / 4], 0) : 0) + dp_param.gap_noise_ns);
	}
	memcpy(sorted, scores, m * sizeof(*sorted));
	dp_sort__double(sorted, m);
	/* at most the second largest, if there are two */
	typical = sorted[DP_MIN(rank, m - DP_MIN(m, 2))];
	range = sorted[m - 1] - typical;
	for (size_t o = 0; o < m; o++) {
		scores[o] =
			range < dp_param.gap_range ? 0 : DP_MAX((scores[o] - typical) / range, 0);
		same += scores[o] >= dp_param.gap_same;
	}
	most = same ? DP_MAX(limit - log((double)same) / weight, 0) : limit;
	for (size_t o = 0; o < m; o++)
		scores[o] = DP_MIN(scores[o] * limit, most);
}

static void conclude(const struct sampler *s, double *sorted)
{
	struct dp_offsets *offsets = s->offsets;

	for (size_t o = 0; o < s->m; o++) {
		double most = dp_param.recurs_share * offsets->seen[o];

		if (!offsets->seen[o])
			continue;
		offsets->interval_ns[o] /= offsets->seen[o];
		for (size_t sign = 0; sign < DP_SIGNS; sign++)
			offsets->has[sign][o] = s->counts[sign][o] >= most;
	}
	stand_out(s, s->launch_gaps, dp_param.weight_launch_gap, offsets->launch_gap, sorted);
	stand_out(s, s->kernel_gaps, dp_param.weight_kernel_gap, offsets->kernel_gap, sorted);
}

int dp_offsets__gather(struct dp_offsets *offsets, const struct dp_alignment *alignment,
		       uint32_t pattern, size_t m, const struct dp_evidence *evidence)
{
	size_t samples = DP_MIN(DP_MAX(dp_param.phase_calls / m, dp_param.samples_min),
				dp_param.samples_max);
	/* three arrays of struct dp_offsets and one for scratch; `seen` and the counts */
	double *reals = dp_alloc__zeroed(m, 4 * sizeof(*reals));
	uint32_t *counts = dp_alloc__zeroed(m, (1 + DP_SIGNS) * sizeof(*counts));
	bool *flags = dp_alloc__zeroed(m, DP_SIGNS * sizeof(*flags));
	int64_t *gaps = dp_alloc__array(dp_size__mul(samples, m), 2 * sizeof(*gaps));
	struct sampler s = { .alignment = alignment,
			     .evidence = evidence,
			     .offsets = offsets,
			     .pattern = pattern,
			     .m = m,
			     .samples = samples };

	*offsets = (struct dp_offsets){ .seen = counts, .launch_gap = reals, .has = { flags } };
	if (!reals || !counts || !flags || !gaps) {
		free(gaps);
		return DP_ERR_NOMEM;
	}
	offsets->kernel_gap = reals + m;
	offsets->interval_ns = reals + 2 * m;
	for (size_t sign = 0; sign < DP_SIGNS; sign++) {
		offsets->has[sign] = flags + sign * m;
		s.counts[sign] = counts + (1 + sign) * m;
	}
	s.launch_gaps = gaps;
	s.kernel_gaps = gaps + samples * m;
	sample(&s);
	conclude(&s, reals + 3 * m);
	free(gaps);
	return DP_OK;
}

void dp_offsets__fini(struct dp_offsets *offsets)
{
	free(offsets->seen);
	free(offsets->launch_gap);
	free(offsets->has[0]);
	*offsets = (struct dp_offsets){ 0 };
}

size_t dp_offsets__longest_gap(size_t *before, const bool *flags, size_t m)
{
	size_t last = SIZE_MAX, longest = 0;

	for (size_t o = 0; o < 2 * m; o++) {
		if (!flags[o % m])
			continue;
		if (last != SIZE_MAX && o - last > longest) {
			longest = o - last;
			*before = last % m;
		}
		last = o;
	}
	return longest;
}
