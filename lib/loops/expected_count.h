/* The iteration that the count requires and was not found, as it is unlike the others. */
#ifndef DP_LOOPS_EXPECTED_COUNT_H
#define DP_LOOPS_EXPECTED_COUNT_H

#include "loops/driver.h"

/*
 * Where loop `which` of the driver's has one whole iteration less than the `wanted` ones, looks
 * for it right before the first and right behind the last, and adds it. Anything else leaves the
 * loop as it is. Errors: DP_ERR_NOMEM. Cost: linear in the pattern's length, the iterations of all
 * loops and the edits; two calls of evidence->at for each iteration.
 */
int dp_expected_count__add(struct dp_driver *driver, size_t which, uint64_t wanted);

#endif
