/* A sink for reports, and a check that a terminal may show them. */
#ifndef DP_FUZZ_SHOWN_H
#define DP_FUZZ_SHOWN_H

#include <stddef.h>

/* Made once for all inputs, since its pages cost more than writing to them; length is reset. */
struct fuzz_shown {
	char *text;
	size_t length;
	size_t room;
};

/* A struct dp_sink's write(), of a struct fuzz_shown. */
int fuzz_show(void *shown, const void *data, size_t size);

/* Aborts unless it is UTF-8 without anything that a terminal obeys. */
void fuzz_check_shown(const struct fuzz_shown *shown);

#endif
