/*
 * Results as tables for data frames: Arrow C streams, which pandas, Polars, DuckDB, pyarrow and R
 * read without a copy. Arrow itself is not needed.
 *
 * Source: the Arrow C data interface and the Arrow C stream interface (arrow.apache.org). Their
 * structs have a stable ABI and are declared here, as Arrow recommends.
 */
#ifndef DEEPPROF_TABLE_H
#define DEEPPROF_TABLE_H

#include <deepprof/analysis.h>
#include <deepprof/common.h>
#include <deepprof/compare.h>
#include <deepprof/ranks.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
	const char *format;
	const char *name;
	const char *metadata;
	int64_t flags;
	int64_t n_children;
	struct ArrowSchema **children;
	struct ArrowSchema *dictionary;
	void (*release)(struct ArrowSchema *);
	void *private_data;
};

struct ArrowArray {
	int64_t length;
	int64_t null_count;
	int64_t offset;
	int64_t n_buffers;
	int64_t n_children;
	const void **buffers;
	struct ArrowArray **children;
	struct ArrowArray *dictionary;
	void (*release)(struct ArrowArray *);
	void *private_data;
};

#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
	int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
	int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
	const char *(*get_last_error)(struct ArrowArrayStream *);
	void (*release)(struct ArrowArrayStream *);
	void *private_data;
};

#endif

/* Set to DP_TABLE_OPTIONS_INIT, then change members. */
struct dp_table_options {
	size_t size;
	/*
	 * Leave missing values NaN. By default they become null, which takes one pass over each
	 * column of floating-point numbers.
	 */
	bool nan;
	int64_t loop; /* only rows of the loop with this id, in the column "loop"; -1: all */
};

#define DP_TABLE_OPTIONS_INIT                           \
	{                                               \
		sizeof(struct dp_table_options), false, -1 \
	}

/* A table: libdeepprof-table(3) has the columns of each. */
struct dp_table_info {
	const char *name; /* "iterations" */
	const char *of;	  /* "analysis", "comparison" or "ranks": which function makes it */
	const char *help; /* one line */
};

/* By index; NULL beyond the end. Static. */
DP_API const struct dp_table_info *dp_table(size_t index);

/*
 * Makes a table of an analysis. options may be NULL. Columns are int64, uint32, float64, bool, text
 * (large UTF-8) or a dictionary of text. The metadata of each field has a line of help under "help"
 * and, if it has a unit, this under "unit". A column without missing values is declared as not
 * nullable.
 *
 * Ownership: the caller releases *stream through its release(); on failure it is not written. The
 * stream and every array from it share ownership of the analysis, which is freed once all of them
 * have been released and dp_analysis_free() has been called, in any order. Arrays may be released
 * on any thread; a stream may be used by one thread at a time. Columns that are in memory in
 * Arrow's layout (metrics of iterations; times, names and sizes of operations) are not copied.
 *
 * Errors: DP_ERR_ARGUMENT (no such table of an analysis, no such loop, a loop of a table without
 * that column, or one that is not reported on and has no rows), DP_ERR_NOMEM. get_next() returns
 * ENOMEM if memory runs out. Cost: linear in the table.
 */
DP_API int dp_analysis_table(struct ArrowArrayStream *stream, const struct dp_analysis *analysis,
			     const char *table, const struct dp_table_options *options,
			     struct dp_error *error);

/*
 * The same of a comparison, of which the stream is an owner; its arrays need neither.
 */
DP_API int dp_comparison_table(struct ArrowArrayStream *stream,
			       const struct dp_comparison *comparison, const char *table,
			       const struct dp_table_options *options, struct dp_error *error);

/* The same of the ranks of a job, of which the stream is an owner; its arrays need neither. */
DP_API int dp_ranks_table(struct ArrowArrayStream *stream, const struct dp_ranks *ranks,
			  const char *table, const struct dp_table_options *options,
			  struct dp_error *error);

#ifdef __cplusplus
}
#endif

#endif
