/* The wave of edits. Rows and diagonals are those of the edit graph. */
#include "align/wave.h"
#include "base/base.h"

#include <stdlib.h>

enum {
	SLIDE = 64,		     /* most symbols by which a diagonal is followed */
	FAR = DP_WAVE_REACH - SLIDE, /* no diagonal is followed from there on */
	/*
	 * At the end of the sequence there is no room for a long match. A way counts if matches
	 * outnumber edits by as much as chance hardly does: either the matches since the last edit,
	 * one of which may be missing, or all symbols.
	 */
	END_MATCHES = 2, /* for each edit */
	END_SYMBOLS = 4,
};

_Static_assert(DP_WAVE_REACH > (DP_WAVE_EDITS + 2) * (DP_WAVE_MATCH + 1) + SLIDE, "a wave's reach");

/* The symbols reached on each diagonal with e edits: row[k] for diagonal k, k symbols further. */
static int *reach_row(struct dp_wave *wave, int e)
{
	return wave->reach[e] + DP_WAVE_EDITS + 2;
}

/* Writes the edits on the way to diagonal k with e edits, those near the start last. */
static void backtrack(struct dp_wave *wave, const struct dp_wave_front *f, int e, int k, int limit)
{
	int64_t length = (int64_t)f->length;

	wave->count = 0;
	for (; e > 0; e--) {
		const int *row = reach_row(wave, e - 1);
		int s = dp_wave__extend(row, k, limit), t = s - k;
		uint32_t kind = dp_wave__kind(row, k, limit, s);
		struct dp_edit *edit = &wave->edits[wave->count++];
		int64_t at, offset;

		if (f->dir > 0) {
			at = (int64_t)f->at + s - (kind != DP_EDIT_DELETED);
			offset = (int64_t)f->offset + t - (kind != DP_EDIT_INSERTED);
		} else {
			at = (int64_t)f->at - s;
			offset = (int64_t)f->offset - t;
		}
		offset %= length;
		edit->position = (uint64_t)at;
		edit->offset = (uint32_t)(offset < 0 ? offset + length : offset);
		edit->kind = kind;
		k += kind == DP_EDIT_INSERTED ? -1 : kind == DP_EDIT_DELETED;
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
 * Computes a row from the one with an edit less. Returns true, and the best diagonal, if one of
 * them matches for long enough now.
 */
static bool advance(const struct dp_wave_front *f, int limit, const int *before, int *row, int e,
		    int *best_k)
{
	bool ends = f->left <= FAR;
	int best = -1;

	row[-e - 2] = row[-e - 1] = row[e + 1] = row[e + 2] = DP_WAVE_OUT;
	for (int k = -e; k <= e; k++) {
		int s = dp_wave__extend(before, k, limit), match;

		row[k] = DP_WAVE_OUT;
		if (s < 0 || s < k || s - k >= FAR)
			continue;
		match = slide(f, limit, s, s - k);
		s += match;
		row[k] = s;
		if (ends && s == limit && (e * END_MATCHES <= match + 1 || e * END_SYMBOLS <= s))
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
	int limit = (int)DP_MIN(front->left, (size_t)FAR), k = 0, e = 1;
	size_t m = front->length, s, t;
	bool found = false;

	for (int i = -2; i <= 2; i++)
		reach_row(wave, 0)[i] = i ? DP_WAVE_OUT : 0;
	for (; e <= front->most && *credit > 0; e++) {
		found = advance(front, limit, reach_row(wave, e - 1), reach_row(wave, e), e, &k);
		*credit -= 2 * e + 1;
		if (found)
			break;
	}
	if (!found)
		return false;
	backtrack(wave, front, e, k, limit);
	s = (size_t)reach_row(wave, e)[k];
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
