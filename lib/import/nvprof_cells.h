/* The texts in nvprof's cells: numbers with units, devices, kinds. Nothing here allocates. */
#ifndef DP_IMPORT_NVPROF_CELLS_H
#define DP_IMPORT_NVPROF_CELLS_H

#include "import/slice.h"
#include "trace/builder.h"

/* Reads a number of decimal digits only, at most 18. */
bool dp_nvprof__whole(struct dp_slice text, int64_t *value);

/* Reads the number in "GeForce GTX 950 (0)" or "0"; *name_length is that of the name before it. */
bool dp_nvprof__numbered(struct dp_slice text, int64_t *number, size_t *name_length);

/* Returns a unit in ns, or in bytes (binary: 0.000019 MB is 20 B; none is B); 0 if unknown. */
uint64_t dp_nvprof__time_unit(struct dp_slice text);
uint64_t dp_nvprof__size_unit(struct dp_slice text);

/* Returns the direction of "[CUDA memcpy HtoD]", or of a migration of unified memory. */
enum dp_copy_kind dp_nvprof__copy_kind(struct dp_slice name, bool unified);

/* Returns the kind of memory of "Pageable" or "Device". */
enum dp_memory_kind dp_nvprof__memory_kind(struct dp_slice text);

/*
 * Returns a kernel's name without the correlation id at its end, "name [218]", which it has if the
 * trace lacks that column. If *correlation is set already, only the same id is removed.
 */
struct dp_slice dp_nvprof__correlation(struct dp_slice name, uint32_t *correlation);

#endif
