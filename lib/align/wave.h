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

/* The symbols of the sequence reached on each diagonal with 0, 1 … `most` edits, in a row each. */
struct dp_reach {
	int *rows; /* DP_REACH_SIZE(most) of them */
	int most;
	int limit; /* symbols of the sequence */
};

#define DP_REACH_SIZE(most) ((size_t)((most) + 1) * (size_t)(2 * (most) + 5))

/* row[k] is for diagonal k: the pattern is k symbols behind. */
static inline int *dp_reach__row(const struct dp_reach *reach, int e)
{
	return reach->rows + (size_t)e * (size_t)(2 * reach->most + 5) + reach->most + 2;
}

/* Begins the row with e edits, for diagonals -e to e: the next ones are out of reach. */
static inline int *dp_reach__begin(const struct dp_reach *reach, int e)
{
	int *row = dp_reach__row(reach, e);

	row[-e - 2] = row[-e - 1] = row[e + 1] = row[e + 2] = DP_WAVE_OUT;
	return row;
}

/*
 * How far diagonal k gets with one edit more than a row has, before it slides: the best of a
 * substitution, an insertion and a deletion. Negative if it is out of reach.
 */
static inline int dp_reach__extend(const int *row, int k, int limit)
{
	int same = row[k] < limit ? row[k] + 1 : DP_WAVE_OUT;
	int inserted = row[k - 1] < limit ? row[k - 1] + 1 : DP_WAVE_OUT;

	return DP_MAX(DP_MAX(same, inserted), row[k + 1]);
}

/* Writes the e edits on the way to diagonal k. Positions and offsets count from the start. */
void dp_reach__trace(struct dp_edit *edits, const struct dp_reach *reach, int e, int k);

struct dp_wave {
	int rows[DP_REACH_SIZE(DP_WAVE_EDITS)];
	struct dp_edit edits[DP_WAVE_EDITS]; /* the nearest first */
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
