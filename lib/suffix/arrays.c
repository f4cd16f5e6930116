/* The instances of sais.inc.h and plcp.inc.h: a suffix array, and its LCP values. */
#include "suffix/arrays.h"

#include <string.h>

/* How many entries ahead symbols are prefetched, and the positions that follow from them. */
#define FAR 48
#define NEAR 24

/* From here on, the cache lines at the ends of all buckets are too many for the first cache. */
#define MANY_BUCKETS 1024

/* A dictionary may have this many entries, plus one per this many substrings of the text. */
#define MIN_ENTRIES 8192
#define ENTRY_RATIO 16
#define FIRST_BITS 10

/* Multiplicative hashing of symbol after symbol; the upper bits are kept, in 31. */
#define HASH_FACTOR 0x9e3779b97f4a7c15
#define HASH_START 0x7ab3c8d1
#define HASH_SHIFT 33

/* Marks an entry of a suffix array, by its complement, which is negative; without a branch. */
#define COMPLEMENT_IF(condition, entry) ((entry) ^ -(INDEX)(condition))

/* Runs a scan that is compiled for either value of `many`. */
#define SCAN(scan)                                        \
	(many ? SELF(scan)(text, sa, count, bucket, true) \
	      : SELF(scan)(text, sa, count, bucket, false))

/* How many random writes of LCP values are under way at once. */
#define AHEAD 32

static int sort_32_32(const uint32_t *text, int32_t *sa, int32_t *work, size_t count,
		      size_t alphabet, int32_t *counts, int32_t *bucket);
static int sort_64_64(const uint64_t *text, int64_t *sa, int64_t *work, size_t count,
		      size_t alphabet, int64_t *counts, int64_t *bucket);

#define INDEX int32_t
#define DEEPER(name) name##_32_32

#define CHAR uint32_t
#define SELF(name) name##_32_32
#include "suffix/sais.inc.h"
#include "suffix/plcp.inc.h"
#undef SELF
#undef CHAR

#define CHAR uint16_t
#define SELF(name) name##_16_32
#include "suffix/sais.inc.h"
#include "suffix/plcp.inc.h"
#undef SELF
#undef CHAR

#undef DEEPER
#undef INDEX

#define INDEX int64_t
#define DEEPER(name) name##_64_64

#define CHAR uint64_t
#define SELF(name) name##_64_64
#include "suffix/sais.inc.h"
#undef SELF
#undef CHAR

#define CHAR uint32_t
#define SELF(name) name##_32_64
#include "suffix/sais.inc.h"
#include "suffix/plcp.inc.h"
#undef SELF
#undef CHAR

#define CHAR uint16_t
#define SELF(name) name##_16_64
#include "suffix/sais.inc.h"
#include "suffix/plcp.inc.h"
#undef SELF
#undef CHAR

/* Calls the instance for the widths of text and index. */
#define CALL(function, ...)                                                                      \
	(wide_index  ? wide_text ? function##_32_64(__VA_ARGS__) : function##_16_64(__VA_ARGS__) \
	  : wide_text ? function##_32_32(__VA_ARGS__)                                            \
		     : function##_16_32(__VA_ARGS__))

int dp_arrays__sort(const void *text, bool wide_text, void *sa, void *work, bool wide_index,
		    size_t count, size_t alphabet)
{
	return CALL(sort, text, sa, work, count, alphabet, NULL, NULL);
}

void dp_arrays__plcp(const void *text, bool wide_text, const void *sa, void *plcp, bool wide_index,
		     size_t count)
{
	CALL(measure, text, sa, plcp, count);
}
