/*
 * Suffix arrays of integer strings by induced sorting (sais.inc.h has the algorithm), for each
 * width of text and of index. All take a text of dense symbols in [0, alphabet), an array for
 * the suffix array and another one of the same size as work space, both of count entries. The
 * suffix array has no entry for the empty suffix. Returns DP_OK or DP_ERR_NOMEM.
 */
#ifndef DP_SUFFIX_SAIS_H
#define DP_SUFFIX_SAIS_H

#include "base/base.h"

int dp_sais__16_32(const uint16_t *text, int32_t *sa, int32_t *work, size_t count, size_t alphabet);
int dp_sais__32_32(const uint32_t *text, int32_t *sa, int32_t *work, size_t count, size_t alphabet);
int dp_sais__16_64(const uint16_t *text, int64_t *sa, int64_t *work, size_t count, size_t alphabet);
int dp_sais__32_64(const uint32_t *text, int64_t *sa, int64_t *work, size_t count, size_t alphabet);

#endif
