/* Borders: what a string both begins and ends with. */
#ifndef DP_SUFFIX_BORDER_H
#define DP_SUFFIX_BORDER_H

#include "base/base.h"

/*
 * The length of the longest proper border of each prefix of p[0..m), m at least 1, by the prefix's
 * length; the caller frees it (Knuth, Morris, Pratt 1977). NULL where memory is short. Cost:
 * linear.
 */
size_t *dp_border__make(const uint32_t *p, size_t m);

#endif
