/* Makes a folder as a recording leaves it, with a process that has recorded one of everything. */
#ifndef DP_TEST_SPOOL_MAKER_H
#define DP_TEST_SPOOL_MAKER_H

#include "spool/pool.h"

/*
 * Time 0 of the trace is MAKER_ZERO of the monotonic clock; CUPTI's clock is MAKER_SHIFT ahead of
 * that. So CUPTI(t) is t nanoseconds after time 0.
 */
#define MAKER_ZERO INT64_C(5000000000)
#define MAKER_REALTIME INT64_C(1700000000000000000)
#define MAKER_SHIFT INT64_C(1000000000000)
#define MAKER_PID 4242
#define CUPTI(t) ((uint64_t)(MAKER_ZERO + MAKER_SHIFT + (t)))
#define MONOTONIC(t) ((uint64_t)(MAKER_ZERO + (t)))

/* Makes "begin" and "4242.0.spool"; ended: with all sums and the last record. */
void spool_make(const char *folder, bool ended);

/* The same folder with this many streams, and as many threads that each have a mark. */
void spool_make_many(const char *folder, uint32_t count);

/* The same folder with as many pushed ranges, started ranges and schemas, all open at once. */
void spool_make_open(const char *folder, uint32_t count);

/*
 * The same folder with this many environment variables, reported twice, and other facts about a
 * process after them.
 */
void spool_make_variables(const char *folder);

#endif
