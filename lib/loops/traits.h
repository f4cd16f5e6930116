/* What is known of each symbol besides where it comes. */
#ifndef DP_LOOPS_TRAITS_H
#define DP_LOOPS_TRAITS_H

#include "loops/driver.h"

/*
 * Sets *traits to a new array of enum dp_trait of each symbol of the driver's text, or NULL where
 * nothing is known, and *rate to the share of symbols that uploads come before. Errors:
 * DP_ERR_NOMEM, after which *traits may be set.
 */
int dp_traits__ask(const struct dp_driver *driver, uint8_t **traits, double *rate);

#endif
