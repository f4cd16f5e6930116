/* Kernel families: names without what depends on shapes. */
#ifndef DP_SEQUENCE_FAMILY_H
#define DP_SEQUENCE_FAMILY_H

#include "base/base.h"

/*
 * Writes the family of a kernel's name into family, which has room for strlen(name) + 1 bytes.
 * Libraries choose matrix-product, convolution and attention kernels by shape, and say so in
 * digits (tile sizes, stages, alignments): each run of digits becomes '#'. Other names are
 * their own family. Returns the length.
 */
size_t dp_family__name(char *family, const char *name);

/* True for the kernels of an optimizer's step. */
bool dp_family__finishes_step(const char *name);

#endif
