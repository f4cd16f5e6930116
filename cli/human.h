/* Numbers for people. */
#ifndef DP_CLI_HUMAN_H
#define DP_CLI_HUMAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for any of them. */
enum { HUMAN_SIZE = 48 };

/* "1,234,567" */
const char *human_count(char *buf, uint64_t count);
/* "12.34 ms": ns to s */
const char *human_time(char *buf, double ns, bool ascii);
/* "1.500 GiB" */
const char *human_bytes(char *buf, uint64_t bytes);
/* As a word of a shell's command line: quoted where it must be. "" where there is no room. */
const char *human_word(char *buf, size_t size, const char *text);
/* "2024-05-03 12:00:01.123456789 UTC" */
const char *human_date(char *buf, int64_t epoch_ns);

#endif
