/* The parameters of the detection, from their table. */
#include "base/parameters.h"

DP_PARAMETERS_CONST struct dp_parameters dp_param = {
#define DP_REAL(name, value, unit, tuned_on, why) value,
#define DP_WHOLE(name, value, unit, tuned_on, why) value,
#include "base/parameters.inc.h"
#undef DP_REAL
#undef DP_WHOLE
};
