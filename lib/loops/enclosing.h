/* Loops that enclose others which repeat a varying number of times. */
#ifndef DP_LOOPS_ENCLOSING_H
#define DP_LOOPS_ENCLOSING_H

#include "loops/detection.h"
#include "pattern/frame.h"

/*
 * Looks for loops around the first `count` loops of the detection, which are the chosen ones.
 * Appends what it finds and makes it their parent. frame is what separates two enclosing
 * iterations, or NULL if that is unknown. Errors: DP_ERR_NOMEM. Cost: a search of the sequence with
 * each run of iterations folded into one symbol, otherwise linear.
 */
int dp_enclosing__find(struct dp_detection *detection, size_t count, const struct dp_frame *frame);

#endif
