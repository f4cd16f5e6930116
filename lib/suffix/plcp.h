/* LCP values in text order (plcp.inc.h), for each width of text and of index. */
#ifndef DP_SUFFIX_PLCP_H
#define DP_SUFFIX_PLCP_H

#include "base/base.h"

void dp_plcp__16_32(const uint16_t *text, const int32_t *sa, int32_t *plcp, size_t count);
void dp_plcp__32_32(const uint32_t *text, const int32_t *sa, int32_t *plcp, size_t count);
void dp_plcp__16_64(const uint16_t *text, const int64_t *sa, int64_t *plcp, size_t count);
void dp_plcp__32_64(const uint32_t *text, const int64_t *sa, int64_t *plcp, size_t count);

#endif
