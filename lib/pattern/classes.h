/* Kernels that stand for each other: the same place in the iteration, another name. */
#ifndef DP_PATTERN_CLASSES_H
#define DP_PATTERN_CLASSES_H

#include "pattern/anchors.h"

/*
 * Looks for iterations of one length whose symbols differ from time to time at some places (a
 * kernel's name depends on the shape of its input), and joins the symbols that take each other's
 * place. class_of has an entry for each symbol of the alphabet and gets its class, below
 * *class_count; *class_count is alphabet where nothing was joined. tree is that of symbols[0..n).
 * Errors: DP_ERR_NOMEM. Cost: that of dp_anchors__candidates(), and linear.
 */
int dp_classes__derive(uint32_t *class_of, uint32_t *class_count,
		       const struct dp_anchor_tree *tree, const uint32_t *symbols, size_t n,
		       uint32_t alphabet);

#endif
