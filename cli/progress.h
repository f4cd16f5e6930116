/* A line on standard error that tells how far a slow thing is: on a terminal, after one second. */
#ifndef DP_CLI_PROGRESS_H
#define DP_CLI_PROGRESS_H

#include <stdint.h>

/* From now on; name is borrowed until progress_end(). Where allowed is 0, nothing is shown. */
void progress_begin(const char *name, int allowed);

/* For dp_open_options.progress; total is 0 where it is not known. */
void progress_bytes(void *ctx, uint64_t done, uint64_t total);

/* A step that can't tell how far it is; shown where the second is over. */
void progress_step(const char *what);

/* Takes the line off the screen. */
void progress_clear(void);
void progress_end(void);

#endif
