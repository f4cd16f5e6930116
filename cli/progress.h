/* A progress line on standard error: only on a terminal, after one second. */
#ifndef DP_CLI_PROGRESS_H
#define DP_CLI_PROGRESS_H

#include <stdint.h>

/* Starts progress; name is borrowed until progress_end(). If allowed is 0, nothing is shown. */
void progress_begin(const char *name, int allowed);

/* For dp_open_options.progress; total is 0 if unknown. */
void progress_bytes(void *ctx, uint64_t done, uint64_t total);

/* Shows a step without progress of its own, once the second is over. */
void progress_step(const char *what);

/* Erases the line. */
void progress_clear(void);
void progress_end(void);

#endif
