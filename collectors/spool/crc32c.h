#ifndef DP_SPOOL_CRC32C_H
#define DP_SPOOL_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* CRC-32C (Castagnoli) of the bytes, going on from crc (0 to begin). */
uint32_t dp_crc32c(uint32_t crc, const void *data, size_t bytes);

#endif
