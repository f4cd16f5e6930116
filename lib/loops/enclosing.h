/* Loops around others that repeat a varying number of times. */
#ifndef DP_LOOPS_ENCLOSING_H
#define DP_LOOPS_ENCLOSING_H

#include "loops/driver.h"

/*
 * Looks for loops around the first `count` of the driver's, which are the chosen ones: appends
 * those that it finds, and makes them parents. Errors: DP_ERR_NOMEM. Cost: a search of what is
 * left if each stretch of iterations is one symbol, and linear.
 */
int dp_enclosing__find(struct dp_driver *driver, size_t count);

#endif
