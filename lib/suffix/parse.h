/*
 * A long sequence as a short one: phrases that are the same wherever they stand, so that the suffix
 * tree of their names answers for the whole.
 */
#ifndef DP_SUFFIX_PARSE_H
#define DP_SUFFIX_PARSE_H

#include "base/base.h"

enum { DP_PARSE_GRAM = 8 }; /* symbols of a phrase's beginning */

/*
 * Phrase i is symbols [begin[i], begin[i + 1]) and the gram that the next phrase begins with; the
 * first one begins at 0. Phrases have the same name if and only if they are equal; those that begin
 * with the same symbol have names in a row, and of these those that begin with the same gram.
 */
struct dp_parse {
	uint32_t *names;
	size_t *begin; /* of each phrase, and the end of the sequence */
	size_t count;
	uint32_t *grams;  /* of each name the gram that it begins with, ascending, */
	uint32_t *firsts; /* and the symbol */
};

/*
 * Parses symbols[0..n). A phrase begins 5/4 of a window, or less, after the one before it, half a
 * window on average; with a window of one at each symbol but the last few. Fewer symbols than a
 * gram give no phrase. Errors: DP_ERR_NOMEM, where there are 2^32 phrases too. Cost: some 3 ns per
 * symbol, `window` times that on input made for it; 52 bytes for each phrase at most.
 */
int dp_parse__make(struct dp_parse *parse, const uint32_t *symbols, size_t n, size_t window);
void dp_parse__fini(struct dp_parse *parse);

#endif
