/* Errors, growing arrays, checked arithmetic: what every layer uses. */
#ifndef DP_BASE_BASE_H
#define DP_BASE_BASE_H

#include <deepprof/common.h>
#include <stdbool.h>
#include <stdlib.h>

#define DP_COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define DP_MIN(a, b) ((a) < (b) ? (a) : (b))
#define DP_MAX(a, b) ((a) > (b) ? (a) : (b))

/*
 * Sets error unless it is NULL or already set, and returns status, so that a failing function
 * can end with `return dp_error__set(error, DP_ERR_X, "…", …)`.
 */
int dp_error__set(struct dp_error *error, int status, const char *format, ...) DP_PRINTF(3, 4);

/* The same with DP_ERR_IO and the text of errno, after "what: " unless that is NULL. */
int dp_error__system(struct dp_error *error, const char *what);

/*
 * For a name that is none of those at() returns, by index up to NULL: "unknown metric 'x'; choose
 * …", with the nearest names first, as many as one reads. Returns DP_ERR_ARGUMENT.
 */
int dp_error__unknown(struct dp_error *error, const char *what, const char *name,
		      const char *(*at)(size_t index, const void *ctx), const void *ctx);

/* "out of memory", with how many bytes were asked for (0: not known). Returns DP_ERR_NOMEM. */
int dp_error__nomem(struct dp_error *error, size_t bytes);

/* Adds where it happened, each unless it is already known. table may be NULL. */
void dp_error__where(struct dp_error *error, const char *path, const char *table, uint64_t line,
		     uint64_t column);

void dp_log__write(const struct dp_log *log, enum dp_log_level level, const char *format, ...)
	DP_PRINTF(3, 4);

/* count * size, or SIZE_MAX where that overflows: no allocator gives that much. */
static inline size_t dp_size__mul(size_t count, size_t size)
{
	size_t bytes;

	return __builtin_mul_overflow(count, size, &bytes) ? SIZE_MAX : bytes;
}

/* a + b, or what is nearest to it: for sums of a file's values, which may be any. */
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

/* malloc() of count things; NULL on overflow too. Freed with free(). */
void *dp_alloc__array(size_t count, size_t size);

/* The same, zeroed. */
void *dp_alloc__zeroed(size_t count, size_t size);

/*
 * Makes room for need elements of size bytes in the array at *data (a pointer to the array's
 * pointer), of which *room are allocated; grows by half at least. On failure returns DP_ERR_NOMEM
 * and leaves both as they were.
 */
int dp_array__reserve(void *data, size_t *room, size_t need, size_t size);

/* Gives memory beyond count elements back. Never fails: at worst it keeps what it has. */
void dp_array__shrink(void *data, size_t *room, size_t count, size_t size);

#endif
