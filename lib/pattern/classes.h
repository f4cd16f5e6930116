/* Kernels that replace each other: the same offset of the pattern, another name. */
#ifndef DP_PATTERN_CLASSES_H
#define DP_PATTERN_CLASSES_H

#include "pattern/search.h"

/*
 * Looks for iterations of one length in which some offsets vary (a kernel's name depends on the
 * shape of its input), and joins the symbols that replace each other. class_of[] receives the class
 * of each symbol of the alphabet, below *class_count; *class_count is alphabet if nothing was
 * joined. Errors: DP_ERR_NOMEM. Cost: that of dp_anchors__candidates(), and linear.
 */
int dp_classes__derive(uint32_t *class_of, uint32_t *class_count,
		       struct dp_search_sequence *sequence);

#endif
