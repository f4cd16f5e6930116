/* The texts in nvprof's cells: numbers with units, devices, kinds. Nothing here allocates. */
#ifndef DP_IMPORT_NVPROF_CELLS_H
#define DP_IMPORT_NVPROF_CELLS_H

#include "trace/builder.h"

/* Borrowed, without a NUL. */
struct dp_slice {
	const char *at;
	size_t length;
};

bool dp_slice__is(struct dp_slice text, const char *word);
bool dp_slice__starts(struct dp_slice text, const char *word);
bool dp_slice__has(struct dp_slice text, const char *word);

/* Without the blanks and line ends around it. */
struct dp_slice dp_slice__trim(struct dp_slice text);

/* Decimal digits only, 18 at the most. */
bool dp_nvprof__whole(struct dp_slice text, int64_t *value);

/*
 * A decimal number times unit (2^30 at the most), rounded to the nearest whole, halves away from 0.
 * Nine fraction digits count: of a second that is a nanosecond, of a GB one byte. *digits is
 * how many there were, up to nine; it may be NULL. *value is below 2^62 on either side.
 */
bool dp_nvprof__scaled(struct dp_slice text, uint64_t unit, int64_t *value, unsigned *digits);

/* "GeForce GTX 950 (0)" or "0": the number, and the length of the name before it (0: none). */
bool dp_nvprof__numbered(struct dp_slice text, int64_t *number, size_t *name_length);

/* Of one unit in ns, or in bytes (binary: 0.000019 MB is 20 B; no unit is B); 0 for others. */
uint64_t dp_nvprof__time_unit(struct dp_slice text);
uint64_t dp_nvprof__size_unit(struct dp_slice text);

/* "[CUDA memcpy HtoD]", or the same direction of a migration of unified memory. */
enum dp_copy_kind dp_nvprof__copy_kind(struct dp_slice name, bool unified);

/* "Pageable", "Device". */
enum dp_memory_kind dp_nvprof__memory_kind(struct dp_slice text);

/*
 * A kernel's name without the correlation id that it ends in where the trace has no column for it:
 * "name [218]". Where *correlation is set already, only that one is taken off.
 */
struct dp_slice dp_nvprof__correlation(struct dp_slice name, uint32_t *correlation);

#endif
