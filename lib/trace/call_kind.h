/* Classifies API calls by name. */
#ifndef DP_TRACE_CALL_KIND_H
#define DP_TRACE_CALL_KIND_H

#include "base/base.h"
#include <deepprof/trace.h>

enum dp_call_kind dp_call__kind(const char *name);

#endif
