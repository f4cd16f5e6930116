/*
 * CRC-32C, by the processor's instruction if it has one, otherwise eight bytes at a time by tables
 * (Kounavis and Berry: "Novel table lookup-based algorithms for high-performance CRC generation",
 * IEEE Trans. Computers 57(11), 2008).
 */
#include "spool/crc32c.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#define POLYNOMIAL 0x82f63b78u

static uint32_t tables[8][256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void fill_tables(void)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t crc = i;

		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
		tables[0][i] = crc;
	}
	for (uint32_t i = 0; i < 256; i++)
		for (int t = 1; t < 8; t++)
			tables[t][i] = tables[t - 1][i] >> 8 ^ tables[0][tables[t - 1][i] & 0xff];
}

static uint32_t by_tables(uint32_t crc, const uint8_t *p, size_t bytes)
{
	uint64_t word;

	pthread_once(&once, fill_tables);
	for (; bytes >= 8; bytes -= 8, p += 8) {
		memcpy(&word, p, 8);
		word ^= crc;
		crc = tables[7][word & 0xff] ^ tables[6][word >> 8 & 0xff] ^
		      tables[5][word >> 16 & 0xff] ^ tables[4][word >> 24 & 0xff] ^
		      tables[3][word >> 32 & 0xff] ^ tables[2][word >> 40 & 0xff] ^
		      tables[1][word >> 48 & 0xff] ^ tables[0][word >> 56];
	}
	for (; bytes; bytes--, p++)
		crc = crc >> 8 ^ tables[0][(crc ^ *p) & 0xff];
	return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t by_instruction(uint32_t crc, const uint8_t *p,
								 size_t bytes)
{
	uint64_t word, wide = crc;

	for (; bytes >= 8; bytes -= 8, p += 8) {
		memcpy(&word, p, 8);
		wide = __builtin_ia32_crc32di(wide, word);
	}
	crc = (uint32_t)wide;
	for (; bytes; bytes--, p++)
		crc = __builtin_ia32_crc32qi(crc, *p);
	return crc;
}
#endif

uint32_t dp_crc32c(uint32_t crc, const void *data, size_t bytes)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("sse4.2"))
		return ~by_instruction(~crc, data, bytes);
#endif
	return ~by_tables(~crc, data, bytes);
}
