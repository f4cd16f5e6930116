/*
 * The parameters of the detection, all in one place: parameters.inc.h has the table. They are in
 * base/ because sequence/, pattern/, align/, iterate/, loops/ and the facade all read them.
 */
#ifndef DP_BASE_PARAMETERS_H
#define DP_BASE_PARAMETERS_H

#include <stddef.h>

/* Constant, except in a program that varies them: tests/bench/eval_parameters.c. */
#ifndef DP_PARAMETERS_CONST
#define DP_PARAMETERS_CONST const
#endif

struct dp_parameters {
#define DP_REAL(name, value, unit, tuned_on, why) double name;
#define DP_WHOLE(name, value, unit, tuned_on, why) size_t name;
#include "base/parameters.inc.h"
#undef DP_REAL
#undef DP_WHOLE
};

extern DP_PARAMETERS_CONST struct dp_parameters dp_param;

#endif
