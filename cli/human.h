/* Numbers and text for people. */
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
/* "2024-05-03 12:00:01.123456789 UTC" */
const char *human_date(char *buf, int64_t epoch_ns);

/*
 * Copies UTF-8 text so that it can't move a cursor (control characters become '?', as does what
 * is beyond ASCII where ascii is set) and is at most columns characters wide, with dots where it
 * was cut. Returns buf.
 */
const char *human_text(char *buf, size_t size, const char *text, size_t columns, bool ascii);

/*
 * The same for a kernel's name where columns are few: without its return type, and where that is
 * too long, without namespaces.
 */
const char *human_kernel(char *buf, size_t size, const char *name, size_t columns, bool ascii);

#endif
