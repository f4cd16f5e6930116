/* The words that text, Markdown and HTML use for the ranks of a job. Each function appends to
 * words. */
#ifndef DP_REPORT_RANKS_WORDS_H
#define DP_REPORT_RANKS_WORDS_H

#include "report/number.h"
#include "report/ranks_rows.h"
#include "report/text.h"

/* "4 ranks, 3 iterations, median period 44.79 ms" */
void dp_ranks_words__head(struct dp_words *words, const struct dp_render *render,
			  const struct dp_ranks *ranks);

/* "host wait". Static storage. */
const char *dp_ranks_words__part(const struct dp_ranks *ranks, enum dp_rank_part part);

/*
 * Where a rank runs: its host or, if that is not recorded, its file, in at most this many columns;
 * "GPU 5 of merged.json" if the file has several ranks. Returns buf.
 */
char *dp_ranks_words__place(char buf[DP_LABEL_SIZE], const struct dp_rank *rank, size_t columns,
			    bool ascii);

/* "Straggler: rank 3 holds the others up"; "rank 3 (GPU 5)" if the file has several ranks. */
void dp_ranks_words__headline(struct dp_words *words, const struct dp_ranks *ranks, bool ascii);

/* What to do about it; "" without a verdict. Static storage. */
const char *dp_ranks_words__advice(const struct dp_ranks *ranks);

/*
 * "7.681 ms per iteration (16.7%), since iteration 5", and how much of a straggler's cause costs
 * nothing if that is most of it.
 */
void dp_ranks_words__cost(struct dp_words *words, const struct dp_render *render,
			  const struct dp_ranks *ranks);

/*
 * "host wait, 8.10 ms longer per iteration than on the other ranks; mostly X (3.1 ms)", with X in
 * at most this many columns.
 */
void dp_ranks_words__cause(struct dp_words *words, const struct dp_render *render,
			   const struct dp_ranks *ranks, size_t columns);

/*
 * "has a longer own time than its peers, unlikely to be chance (p <= 0.0005); last to reach
 * 15 of 15 synchronizing collectives"
 */
void dp_ranks_words__evidence(struct dp_words *words, const struct dp_ranks *ranks);

/*
 * If nobody is blamed: that one rank takes longer now and then, or that communication without any
 * waiting takes a tenth of the period or more, so that links may be slow all the same. Otherwise
 * nothing.
 */
void dp_ranks_words__note(struct dp_words *words, const struct dp_render *render,
			  const struct dp_ranks *ranks);

/* How many calls matched, and how well the clocks agree. */
void dp_ranks_words__matching(struct dp_words *words, const struct dp_render *render,
			      const struct dp_ranks *ranks);

/* Where the ranks' numbers come from; nothing if the traces state them. */
void dp_ranks_words__sources(struct dp_words *words, const struct dp_ranks *ranks);

/* "1,016 more ranks, own time 3.70 to 3.87 ms", if not all ranks have a row. */
void dp_ranks_words__rest(struct dp_words *words, const struct dp_render *render,
			  const struct dp_ranks *ranks, const struct dp_rank_rows *rows);

/* "4 x 16 ranks", or a single group's name if its size is unknown. Returns buf. */
char *dp_ranks_words__groups(char buf[DP_LABEL_SIZE], const struct dp_collective_row *row,
			     size_t columns, bool ascii);

#endif
