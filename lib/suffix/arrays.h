/* Suffix arrays of integer strings and their LCP values, for each width of text and of index. */
#ifndef DP_SUFFIX_ARRAYS_H
#define DP_SUFFIX_ARRAYS_H

#include "base/base.h"

/*
 * Induced sorting (sais.inc.h has the algorithm). The text has dense symbols in [0, alphabet), of
 * uint16_t or, if it is wide, uint32_t. The suffix array, which has no entry for the empty suffix,
 * and another array of the same size as work space have count entries of int32_t or, if the index
 * is wide, int64_t. Returns DP_OK or DP_ERR_NOMEM.
 */
int dp_arrays__sort(const void *text, bool wide_text, void *sa, void *work, bool wide_index,
		    size_t count, size_t alphabet);

/* LCP values in text order (plcp.inc.h). */
void dp_arrays__plcp(const void *text, bool wide_text, const void *sa, void *plcp, bool wide_index,
		     size_t count);

#endif
