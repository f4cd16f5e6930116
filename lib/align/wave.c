/* The wave of edits. Rows and diagonals are those of the edit graph. */
#include "align/wave.h"
#include "base/base.h"
#include "base/parameters.h"

#include <stdlib.h>

enum {
	SLIDE = 64,		     /* most symbols by which a diagonal is followed */
	FAR = DP_WAVE_REACH - SLIDE, /* no diagonal is followed from there on */
};

_Static_assert(DP_WAVE_REACH > (DP_WAVE_EDITS + 2) * (DP_WAVE_MATCH + 1) + SLIDE, "a wave's reach");

/* The kind of the edit by which a row extends to `reached`: of equals, the first in that order. */
static uint32_t edit_kind_of(const int *row, int k, int limit, int reached)
{
	if (row[k] < limit && row[k] + 1 == reached)
		return DP_EDIT_SUBSTITUTED;
	if (row[k - 1] < limit && row[k - 1] + 1 == reached)
		return DP_EDIT_INSERTED;
	return DP_EDIT_DELETED;
}

void dp_reach__trace(struct dp_edit *edits, const struct dp_reach *reach, int e, int k)
{
	for (; e > 0; e--) {
		const int *row = dp_reach__row(reach, e - 1);
		int s = dp_reach__extend(row, k, reach->limit), t = s - k;
		uint32_t kind = edit_kind_of(row, k, reach->limit, s);

		edits[e - 1] = (struct dp_edit){
			.position = (uint64_t)(s - (kind != DP_EDIT_DELETED)),
			.offset = (uint32_t)(t - (kind != DP_EDIT_INSERTED)),
			.kind = kind,
		};
		k += kind == DP_EDIT_INSERTED ? -1 : kind == DP_EDIT_DELETED;
	}
}

/* Moves an edit from the start of a wave to where that lies. */
static void move_edit(struct dp_edit *edit, const struct dp_wave_front *f)
{
	size_t s = edit->position, t = edit->offset;

	if (f->dir > 0) {
		edit->position = f->at + s;
		edit->offset = (uint32_t)((f->offset + t) % f->length);
	} else {
		s += edit->kind != DP_EDIT_DELETED;
		t += edit->kind != DP_EDIT_INSERTED;
		edit->position = f->at - s;
		edit->offset = (uint32_t)((f->offset + f->length - t % f->length) % f->length);
	}
}

static inline int slide(const struct dp_wave_front *f, int limit, int s, int t)
{
	int most = DP_MIN(limit - s, SLIDE), back = f->dir < 0, i = 0;

	while (i < most && f->x[(s + i) * f->dir - back] == f->y[(t + i) * f->dir - back])
		i++;
	return i;
}

/*
 * At the end of the sequence there is no room for a long match. A way of e edits counts if matches
 * outnumber edits by as much as chance hardly does: either the matches since the last edit, one of
 * which may be missing, or all symbols.
 */
static bool is_end(size_t e, int match, int symbols)
{
	return e * dp_param.end_matches <= (size_t)match + 1 ||
	       e * dp_param.end_symbols <= (size_t)symbols;
}

/*
 * Computes a row from the one with an edit less. Returns true, and the best diagonal, if one of
 * them matches for long enough now.
 */
static bool add_row(const struct dp_wave_front *f, const struct dp_reach *reach, int e, int *best_k)
{
	const int *before = dp_reach__row(reach, e - 1);
	bool ends = f->left <= FAR;
	int best = -1, limit = reach->limit, *row = dp_reach__begin(reach, e);

	for (int k = -e; k <= e; k++) {
		int s = dp_reach__extend(before, k, limit), match;

		row[k] = DP_WAVE_OUT;
		if (s < 0 || s < k || s - k >= FAR)
			continue;
		match = slide(f, limit, s, s - k);
		s += match;
		row[k] = s;
		if (ends && s == limit && is_end((size_t)e, match, s))
			match += DP_WAVE_MATCH;
		if (match >= f->match &&
		    (match > best || (match == best && abs(k) < abs(*best_k)))) {
			best = match;
			*best_k = k;
		}
	}
	return best >= 0;
}

bool dp_wave__run(struct dp_wave *wave, struct dp_wave_front *front, int64_t *credit)
{
	struct dp_reach reach = { wave->rows, DP_WAVE_EDITS,
				  (int)DP_MIN(front->left, (size_t)FAR) };
	size_t m = front->length, s, t;
	bool found = false;
	int k = 0, e = 0;

	dp_reach__begin(&reach, 0)[0] = 0;
	while (!found && *credit > 0 && front->most > e) {
		found = add_row(front, &reach, ++e, &k);
		*credit -= 2 * e + 1;
	}
	if (!found)
		return false;
	dp_reach__trace(wave->edits, &reach, e, k);
	wave->count = (size_t)e;
	for (size_t i = 0; i < wave->count; i++)
		move_edit(&wave->edits[i], front);
	s = (size_t)dp_reach__row(&reach, e)[k];
	t = (size_t)((int)s - k);
	if (front->dir > 0) {
		front->at += s;
		front->offset = (front->offset + t) % m;
	} else {
		front->at -= s;
		front->offset = (front->offset + m - t % m) % m;
	}
	return true;
}
