/*
 * The cheapest way from where a sequence and a repeated pattern differ to where they agree again:
 * the furthest-reaching diagonals of ever more edits (Ukkonen 1985; Landau and Vishkin 1989; Myers
 * 1986). Cost: the square of the edits, which a credit limits.
 */
#ifndef DP_ALIGN_WAVE_H
#define DP_ALIGN_WAVE_H

#include "base/base.h"
#include <deepprof/loop.h>

enum {
	DP_WAVE_EDITS = 32, /* most edits of a wave */
	DP_WAVE_MATCH = 16, /* most consecutive matches that may be demanded at its end */
	/* symbols of the pattern before and after its start that are read */
	DP_WAVE_REACH = 1280,
	/* of a diagonal: out of reach, with any number of edits */
	DP_WAVE_OUT = -4 * DP_WAVE_REACH,
};

/*
 * How far diagonal k gets with one edit more than a row has, before it slides: the best of a
 * substitution, an insertion and a deletion. Negative if it is out of reach.
 */
static inline int dp_wave__extend(const int *row, int k, int limit)
{
	int same = row[k] < limit ? row[k] + 1 : DP_WAVE_OUT;
	int inserted = row[k - 1] < limit ? row[k - 1] + 1 : DP_WAVE_OUT;

	return DP_MAX(DP_MAX(same, inserted), row[k + 1]);
}

/* The kind of the edit by which that gets there. Of equals, the first in that order. */
static inline uint32_t dp_wave__kind(const int *row, int k, int limit, int reached)
{
	if (row[k] < limit && row[k] + 1 == reached)
		return DP_EDIT_SUBSTITUTED;
	if (row[k - 1] < limit && row[k - 1] + 1 == reached)
		return DP_EDIT_INSERTED;
	return DP_EDIT_DELETED;
}

struct dp_wave {
	int reach[DP_WAVE_EDITS + 1][2 * DP_WAVE_EDITS + 5]; /* reach_row() */
	struct dp_edit edits[DP_WAVE_EDITS];		     /* the farthest first */
	size_t count;
};

/* Where a wave starts, and on success where it has arrived. */
struct dp_wave_front {
	const uint32_t *x, *y; /* the sequence and the pattern there */
	size_t at;	       /* of the sequence */
	size_t offset, length; /* of the pattern */
	size_t left;	       /* symbols of the sequence left in its direction */
	int most;	       /* edits, DP_WAVE_EDITS at most */
	int match;	       /* consecutive matches that end it, DP_WAVE_MATCH at most */
	int dir;	       /* 1: compares the symbols from there on; -1: those before */
};

/* Returns false if there is no such way, or the credit is used up: then front is as it was. */
bool dp_wave__run(struct dp_wave *wave, struct dp_wave_front *front, int64_t *credit);

#endif
