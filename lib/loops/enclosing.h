/* Loops around others whose turns vary in number. */
#ifndef DP_LOOPS_ENCLOSING_H
#define DP_LOOPS_ENCLOSING_H

#include "loops/driver.h"

/*
 * Removes iterations of a cut that are something else: they lack more than a sixth of the pattern,
 * some in the same way as others do, and are few. A prefill between decoding steps is such.
 * aligned is what was aligned, symbols the exact names. Errors: DP_ERR_NOMEM. Cost: linear.
 */
int dp_enclosing__set_apart(struct dp_cut *cut, const struct dp_cut_pattern *pattern,
			const uint32_t *symbols, const uint32_t *aligned);

/*
 * Looks for loops around the first `count` of the driver's, which are the chosen ones: appends
 * those that it finds, and makes them parents. Errors: DP_ERR_NOMEM. Cost: a search of what is
 * left if each stretch of iterations is one symbol, and linear.
 */
int dp_enclosing__find(struct dp_driver *driver, size_t count);

#endif
