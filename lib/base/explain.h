/*
 * What the stages of the detection saw and chose. A stage adds an entry where it decides, from the
 * numbers that it decides by; without a recorder nothing is recorded.
 */
#ifndef DP_BASE_EXPLAIN_H
#define DP_BASE_EXPLAIN_H

#include "base/base.h"

#include <deepprof/loop.h>

/* Entries of one stream at most: about ten screens, which no one reads to the end. */
#define DP_EXPLAIN_MOST 300

/* The names of a sequence's symbols, for texts. */
struct dp_explain_names {
	const char *noun; /* what one symbol is; NULL: a kernel */
	const char *(*at)(const void *ctx, size_t position); /* NULL: it has no name */
	const void *ctx;
};

/* Zeroed storage is an empty recorder. */
struct dp_explain {
	struct dp_explain_names names; /* of the sequence that is being searched */
	char shown[2][48];	       /* the last two names that were asked for */
	size_t shown_next;
	struct dp_explanation *entries;
	size_t count, room;
	size_t first;	 /* entry of the current stream */
	size_t left_out; /* entries of it beyond DP_EXPLAIN_MOST */
	uint32_t stream; /* the current one */
	int status; /* DP_ERR_NOMEM once an entry could not be kept; the rest is then dropped */
};

/* The facts of an entry, as an argument. */
#define DP_FACTS(...) ((const struct dp_stage_fact[]){ __VA_ARGS__, { NULL, NULL, 0 } })

/*
 * Adds an entry unless explain is NULL. stage is static, and so are the names and units of the
 * facts, which end with one without a name. "{length}" in the text that results from the format
 * stands for the value of the fact "length", "{length:iteration}" for "1 iteration" or "5
 * iterations"; "symbol" is replaced by what a symbol of the sequence is, a kernel mostly.
 * Failures are kept in explain->status: stages do not check. Cost: the length of the text.
 */
void dp_explain__add(struct dp_explain *explain, const char *stage,
		     const struct dp_stage_fact *facts, const char *format, ...) DP_PRINTF(4, 5);

/*
 * " (gemm)": the short name of the symbol at a position of the sequence, for "%s"; "" where it has
 * none. Valid until two more were asked for.
 */
const char *dp_explain__name(struct dp_explain *explain, size_t position);

/* The same of any name: " 'ProfilerStep#3'". */
const char *dp_explain__quote(struct dp_explain *explain, const char *name);

/*
 * Names of a sequence that was made of another: `before` are that one's, and position[i] is the
 * place in it of symbol i. For dp_explain__rename() with `at`, whose ctx is this.
 */
struct dp_explain_shortened {
	struct dp_explain_names before;
	const uint32_t *position;
};

const char *dp_explain__shortened_at(const void *ctx, size_t position);

/*
 * From now on the entries are of a sequence with other symbols. Returns the names until now, to go
 * back to them. explain may be NULL.
 */
struct dp_explain_names dp_explain__rename(struct dp_explain *explain,
					   struct dp_explain_names names);

/* The entries that follow are of this stream; dp_explain__end() adds how many were left out. */
void dp_explain__begin(struct dp_explain *explain, uint32_t stream);
void dp_explain__end(struct dp_explain *explain);

void dp_explain__fini(struct dp_explain *explain);

#endif
