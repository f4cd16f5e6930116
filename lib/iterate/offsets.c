/*
 * Evidence by offset: quartiles and majorities over a sample of iterations, spread over the
 * sequence.
 *
 * Cost: one call per offset and sampled iteration, and a sort of the samples of each offset.
 */
#include "iterate/offsets.h"
#include "base/sort.h"
#include "base/parameters.h"

#include <math.h>
#include <string.h>

/* Arrays with one value per offset, by type: those of struct dp_offsets, and scratch. */
enum { REALS = 4, COUNTS = 6, FLAGS = 6 };

struct sampler {
	const struct dp_alignment *alignment;
	const struct dp_evidence *evidence;
	struct dp_offsets *offsets;
	uint32_t pattern;
	size_t m, samples;
	/* sampled iterations with one at this offset */
	uint32_t *uploads, *downloads, *results, *syncs, *optimizers;
	int64_t *launch_gaps, *kernel_gaps; /* `samples` for each offset */
};

static void ask(struct sampler *s, size_t position, size_t o)
{
	size_t slot = o * s->samples + s->offsets->seen[o];
	struct dp_evidence_at at;

	if (s->offsets->seen[o] >= s->samples)
		return;
	s->evidence->at(s->evidence->ctx, position, &at);
	s->offsets->seen[o]++;
	s->offsets->wait_ns[o] += (double)DP_MAX(at.launch_wait_ns, 0);
	s->offsets->moves_data[o] |= at.kind == DP_KERNEL_MOVES;
	s->launch_gaps[slot] = at.launch_gap_ns;
	s->kernel_gaps[slot] = at.kernel_gap_ns;
	s->uploads[o] += at.after_upload;
	s->downloads[o] += at.after_download;
	s->results[o] += at.after_result;
	s->syncs[o] += at.after_sync;
	s->optimizers[o] += at.kind == DP_KERNEL_FINISHES;
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
 * boundary's gap is rarely the very largest. If `same` gaps are equally large, the vote's log-odds,
 * its weight, are shared: each offset has log(same) less.
 */
static void stand_out(const struct sampler *s, int64_t *gaps, double weight, double *scores,
		      double *sorted)
{
	size_t m = s->m, same = 0, rank = (size_t)((double)m * dp_param.gap_typical);
	double typical, range, most;

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
	most = same ? DP_MAX(1 - log((double)same) / weight, 0) : 1;
	for (size_t o = 0; o < m; o++)
		scores[o] = DP_MIN(scores[o], most);
}

static void conclude(const struct sampler *s, double *sorted)
{
	struct dp_offsets *offsets = s->offsets;

	for (size_t o = 0; o < s->m; o++) {
		double most = dp_param.recurs_share * offsets->seen[o];

		if (!offsets->seen[o])
			continue;
		offsets->wait_ns[o] /= offsets->seen[o];
		offsets->upload[o] = s->uploads[o] >= most;
		offsets->download[o] = s->downloads[o] >= most;
		offsets->result[o] = s->results[o] >= most;
		offsets->sync[o] = s->syncs[o] >= most;
		offsets->optimizer[o] = s->optimizers[o] >= most;
	}
	stand_out(s, s->launch_gaps, dp_param.weight_launch_gap, offsets->launch_gap, sorted);
	stand_out(s, s->kernel_gaps, dp_param.weight_kernel_gap, offsets->kernel_gap, sorted);
}

int dp_offsets__gather(struct dp_offsets *offsets, const struct dp_alignment *alignment,
		       uint32_t pattern, size_t m, const struct dp_evidence *evidence)
{
	size_t samples = DP_MIN(DP_MAX(dp_param.phase_calls / m, dp_param.samples_min),
				dp_param.samples_max);
	double *reals = dp_alloc__zeroed(m, REALS * sizeof(*reals));
	uint32_t *counts = dp_alloc__zeroed(m, COUNTS * sizeof(*counts));
	bool *flags = dp_alloc__zeroed(m, FLAGS * sizeof(*flags));
	int64_t *gaps = dp_alloc__array(dp_size__mul(samples, m), 2 * sizeof(*gaps));
	struct sampler s = { .alignment = alignment,
			     .evidence = evidence,
			     .offsets = offsets,
			     .pattern = pattern,
			     .m = m,
			     .samples = samples };

	*offsets = (struct dp_offsets){ .seen = counts, .launch_gap = reals, .upload = flags };
	if (!reals || !counts || !flags || !gaps) {
		free(gaps);
		dp_offsets__fini(offsets);
		return DP_ERR_NOMEM;
	}
	offsets->kernel_gap = reals + m;
	offsets->wait_ns = reals + 2 * m;
	offsets->download = flags + m;
	offsets->sync = flags + 2 * m;
	offsets->optimizer = flags + 3 * m;
	offsets->moves_data = flags + 4 * m;
	offsets->result = flags + 5 * m;
	s.uploads = counts + m;
	s.downloads = counts + 2 * m;
	s.syncs = counts + 3 * m;
	s.optimizers = counts + 4 * m;
	s.results = counts + 5 * m;
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
	free(offsets->upload);
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
