#ifndef DP_SPOOL_CRC32C_H
#define DP_SPOOL_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Returns the CRC-32C (Castagnoli) of the bytes, continuing from crc (0 to start). */
uint32_t dp_crc32c(uint32_t crc, const void *data, size_t bytes);

#endif
