/* Buffered output of text, compressed or not, with numbers formatted by hand: for speed. */
#ifndef SIM_OUT_H
#define SIM_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct sim_out;

/* NULL with errno set if it cannot be opened. "-" is standard output. */
struct sim_out *sim_out_open(const char *path, bool gzip);
/* Returns 0, or -1 with errno set if anything could not be written. Frees out. */
int sim_out_close(struct sim_out *out);

/* Room for at least n more bytes: n is at most 64 KiB. */
char *sim_out_room(struct sim_out *out, size_t n);
void sim_out_advance(struct sim_out *out, char *end);

void sim_out_text(struct sim_out *out, const char *text, size_t length);

static inline void sim_out_str(struct sim_out *out, const char *text)
{
	sim_out_text(out, text, strlen(text));
}

void sim_out_u64(struct sim_out *out, uint64_t value);
/* value / 10^digits, with all its digits: 1234567 with 3 is "1234.567". */
void sim_out_fixed(struct sim_out *out, uint64_t value, unsigned digits);
/* A JSON string with its quotes. */
void sim_out_json(struct sim_out *out, const char *text);

#endif
