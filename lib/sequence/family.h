/* Kernel families: names without the parts that depend on shapes. */
#ifndef DP_SEQUENCE_FAMILY_H
#define DP_SEQUENCE_FAMILY_H

#include "base/evidence.h"

/*
 * Writes the family of a kernel's name into family, which has room for strlen(name) + 1 bytes.
 * Libraries choose matrix-product, convolution and attention kernels by shape, and encode it in
 * digits (tile sizes, stages, alignments): each run of digits becomes '#'. Other names are their
 * own family. Returns the length.
 */
size_t dp_family__name(char *family, const char *name);

/* What a kernel does, judged by its name; never unknown. */
enum dp_kernel_kind dp_family__kind(const char *name);

#endif
