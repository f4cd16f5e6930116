/* Suffix arrays of integer strings and their LCP values, for each width of text and of index. */
#ifndef DP_SUFFIX_ARRAYS_H
#define DP_SUFFIX_ARRAYS_H

#include "base/base.h"

/*
 * Induced sorting (sais.inc.h has the algorithm). All take a text of dense symbols in
 * [0, alphabet), an array for the suffix array and another one of the same size as work space, both
 * of count entries. The suffix array has no entry for the empty suffix. Returns DP_OK or
 * DP_ERR_NOMEM.
 */
int dp_sais__16_32(const uint16_t *text, int32_t *sa, int32_t *work, size_t count, size_t alphabet);
int dp_sais__32_32(const uint32_t *text, int32_t *sa, int32_t *work, size_t count, size_t alphabet);
int dp_sais__16_64(const uint16_t *text, int64_t *sa, int64_t *work, size_t count, size_t alphabet);
int dp_sais__32_64(const uint32_t *text, int64_t *sa, int64_t *work, size_t count, size_t alphabet);

/* LCP values in text order (plcp.inc.h). */
void dp_plcp__16_32(const uint16_t *text, const int32_t *sa, int32_t *plcp, size_t count);
void dp_plcp__32_32(const uint32_t *text, const int32_t *sa, int32_t *plcp, size_t count);
void dp_plcp__16_64(const uint16_t *text, const int64_t *sa, int64_t *plcp, size_t count);
void dp_plcp__32_64(const uint32_t *text, const int64_t *sa, int64_t *plcp, size_t count);

#endif
