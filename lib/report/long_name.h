/* Long names that a format would repeat very often: they are cut, and listed once in full. */
#ifndef DP_REPORT_LONG_NAME_H
#define DP_REPORT_LONG_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A format that repeats an event's name with each event turns a trace of a few MB with names of
 * 50,000 bytes into 500 MB. Such names are cut if their bytes beyond DP_LONG_NAME come to more than
 * DP_LONG_NAME_EXCESS times the trace in memory. Recorded kernel names have up to 5,000 bytes, and
 * few more than 1,024: their excess is less than the trace itself.
 */
enum { DP_LONG_NAME = 1024, DP_LONG_NAME_EXCESS = 16, DP_LONG_NAME_CUT = DP_LONG_NAME + 32 };

bool dp_long_name__is(const char *name);

/* Writes the beginning of a long name, made unique by its number, to cut, and returns cut. */
const char *dp_long_name__cut(char cut[DP_LONG_NAME_CUT], const char *name, uint32_t number);

#endif
