/*
 * Numbers for machines and for people, the same in every locale. Units are those of metrics: "ns",
 * "bytes", "count", "1" for a share; other units are appended to the number.
 */
#ifndef DP_REPORT_NUMBER_H
#define DP_REPORT_NUMBER_H

#include "base/base.h"

#define DP_NUMBER_SIZE 64

/* Returns true if a unit's values are whole numbers in reports for machines. */
bool dp_number__is_integer(const char *unit);

/* Writes the decimal digits of an integer. Returns their number. */
size_t dp_number__integer(char buf[DP_NUMBER_SIZE], int64_t value);

/* "+" or a minus sign. Static. */
const char *dp_number__sign(bool negative, bool ascii);

/* Writes a number for JSON, rounded if its unit has whole numbers; "null" if it is not finite. */
void dp_number__json(char buf[DP_NUMBER_SIZE], double value, const char *unit);

/*
 * "59.73 ms", "18.38 MiB", "33.9%", "8,772"; "-" for NaN. ascii: "us" for "µs". All functions
 * return buf.
 */
char *dp_human__value(char buf[DP_NUMBER_SIZE], double value, const char *unit, bool ascii);
char *dp_human__duration(char buf[DP_NUMBER_SIZE], double ns, bool ascii);

/* Two durations with as many digits as it takes to see that they differ. */
void dp_human__apart(char low[DP_NUMBER_SIZE], char high[DP_NUMBER_SIZE], double low_ns,
		     double high_ns, bool ascii);

/* Two values with a separator, "168.1–180.7 ms": the unit once if both share it. */
char *dp_human__two(char buf[3 * DP_NUMBER_SIZE], const double values[2], const char *unit,
		    const char *between, bool ascii);

/* "168.1–180.7 ms", "168.1 to 180.7 ms" in ASCII. */
char *dp_human__range(char buf[3 * DP_NUMBER_SIZE], double low_ns, double high_ns, bool ascii);

/* Two significant digits: "2.5 ms", of a spread. */
char *dp_human__rough(char buf[DP_NUMBER_SIZE], double ns, bool ascii);

/* A round duration without decimals: "1 ns", "1 ms". */
char *dp_human__step(char buf[DP_NUMBER_SIZE], int64_t ns, bool ascii);
char *dp_human__share(char buf[DP_NUMBER_SIZE], double share);
char *dp_human__bytes(char buf[DP_NUMBER_SIZE], double bytes);

#endif
