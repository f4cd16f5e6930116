/* What the host's evidence says about each symbol. */
#ifndef DP_LOOPS_TRAITS_H
#define DP_LOOPS_TRAITS_H

#include "loops/detection.h"

/*
 * Sets *traits to a new array with the enum dp_trait of each symbol of the detection's sequence, or
 * to NULL without evidence, and *rate to the share of symbols that uploads precede. Errors:
 * DP_ERR_NOMEM, after which *traits may be set.
 */
int dp_traits__ask(const struct dp_detection *detection, uint8_t **traits, double *rate);

#endif
