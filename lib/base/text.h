/* Numbers as people read them. */
#ifndef DP_BASE_TEXT_H
#define DP_BASE_TEXT_H

#include "base/base.h"

/* Room for any of these texts. */
#define DP_TEXT_SIZE 48

/* "21,998". Returns buf. */
char *dp_text__count(char buf[DP_TEXT_SIZE], uint64_t count);

#endif
