/* Errors, growing arrays, checked arithmetic: used by every layer. */
#ifndef DP_BASE_BASE_H
#define DP_BASE_BASE_H

#include <deepprof/common.h>
#include <stdbool.h>
#include <stdlib.h>

#define DP_COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define DP_MIN(a, b) ((a) < (b) ? (a) : (b))
#define DP_MAX(a, b) ((a) > (b) ? (a) : (b))

/*
 * Sets error, unless it is NULL or already set, and returns status, so that a failing function can
 * end with `return dp_error__set(error, DP_ERR_X, "…", …)`.
 */
int dp_error__set(struct dp_error *error, int status, const char *format, ...) DP_PRINTF(3, 4);

/* Sets DP_ERR_IO and the text of errno, prefixed with "what: " unless that is NULL. */
int dp_error__system(struct dp_error *error, const char *what);

/*
 * Reports a name that at(), called with indexes until it returns NULL, does not return: "unknown
 * metric 'x'; choose …", with the nearest names first, up to a readable number. Returns
 * DP_ERR_ARGUMENT.
 */
int dp_error__unknown(struct dp_error *error, const char *what, const char *name,
		      const char *(*at)(size_t index, const void *ctx), const void *ctx);

/* Sets "out of memory", with the number of bytes requested (0: unknown). Returns DP_ERR_NOMEM. */
int dp_error__nomem(struct dp_error *error, size_t bytes);

/* Adds the place of the error, each part unless it is already known. table may be NULL. */
void dp_error__where(struct dp_error *error, const char *path, const char *table, uint64_t line,
		     uint64_t column);

void dp_log__write(const struct dp_log *log, enum dp_log_level level, const char *format, ...)
	DP_PRINTF(3, 4);

/* Returns count * size, or SIZE_MAX on overflow: no allocator provides that much. */
static inline size_t dp_size__mul(size_t count, size_t size)
{
	size_t bytes;

	return __builtin_mul_overflow(count, size, &bytes) ? SIZE_MAX : bytes;
}

/*
 * Times from files are within this limit of 0, also after they are moved to the first operation's,
 * and durations are shorter: so sums and differences of two times or durations fit in 64 bits. The
 * limit allows epoch times up to 2043, and any clock that counts from a start.
 */
#define DP_TIME_LIMIT (INT64_C(1) << 61)

/* Returns a + b, or the limit that it exceeds: for sums of values from a file, which may be any. */
static inline int64_t dp_sum__i64(int64_t a, int64_t b)
{
	int64_t sum;

	return !__builtin_add_overflow(a, b, &sum) ? sum : a < 0 ? INT64_MIN : INT64_MAX;
}

static inline uint64_t dp_sum__u64(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* Like malloc() for count elements; returns NULL on overflow too. The caller calls free(). */
void *dp_alloc__array(size_t count, size_t size);

/* The same, zeroed. */
void *dp_alloc__zeroed(size_t count, size_t size);

/*
 * The same, not zeroed, in huge pages where the system has them: for arrays that are accessed at
 * random and are larger than a TLB reaches.
 */
void *dp_alloc__huge(size_t count, size_t size);

/*
 * Makes room for need elements of size bytes in the array at *data (a pointer to the array's
 * pointer), which has room for *room; grows by at least half. On failure returns DP_ERR_NOMEM and
 * leaves both unchanged.
 */
int dp_array__reserve(void *data, size_t *room, size_t need, size_t size);

/* Releases memory beyond count elements. Never fails: at worst it keeps the memory. */
void dp_array__shrink(void *data, size_t *room, size_t count, size_t size);

#endif
