/*
 * What the stages of the detection saw and chose. A stage adds an entry where it decides, with the
 * numbers that it decides by; without a recorder nothing is recorded.
 */
#ifndef DP_BASE_EXPLAIN_H
#define DP_BASE_EXPLAIN_H

#include "base/base.h"

#include <deepprof/loop.h>

/* Entries of one stream at most: some 50 screens. */
#define DP_EXPLAIN_MOST 1000

/* The names of a sequence's symbols, for texts. */
struct dp_explain_names {
	const char *noun; /* what one symbol is; NULL: a kernel */
	const char *(*at)(const void *ctx, size_t position); /* NULL if unnamed */
	const void *ctx;
};

/* Zero it for an empty recorder. */
struct dp_explain {
	struct dp_explain_names names; /* of the sequence being searched */
	char shown[2][48];	       /* the last two names requested */
	size_t shown_next;
	struct dp_explanation *entries;
	size_t count, room;
	size_t first;	 /* first entry of the current stream */
	size_t left_out; /* its entries beyond DP_EXPLAIN_MOST */
	uint32_t stream; /* the current one */
	int status;	 /* DP_ERR_NOMEM after an entry could not be kept; later ones are dropped */
};

/* The facts of an entry, as an argument. */
#define DP_FACTS(...) ((const struct dp_stage_fact[]){ __VA_ARGS__, { NULL, NULL, 0 } })

/*
 * Adds an entry unless explain is NULL. stage is static, and so are the names and units of the
 * facts, which end with one without a name. In the formatted text, "{length}" is replaced by the
 * value of the fact "length", and "{length:iteration}" by "1 iteration" or "5 iterations"; "symbol"
 * is replaced by what a symbol of the sequence is, mostly a kernel. A failure is kept in
 * explain->status, so stages need not check. Cost: the length of the text.
 */
void dp_explain__add(struct dp_explain *explain, const char *stage,
		     const struct dp_stage_fact *facts, const char *format, ...) DP_PRINTF(4, 5);

/*
 * Returns " (gemm)", the short name of the symbol at a position of the sequence, for "%s"; "" if it
 * has none. Valid until two more are requested.
 */
const char *dp_explain__name(struct dp_explain *explain, size_t position);

/* The same for any name: " 'ProfilerStep#3'". */
const char *dp_explain__quote(struct dp_explain *explain, const char *name);

/*
 * The names of a collapsed sequence: `before` has those of the one that it was made from, and
 * position[i] is the position of symbol i in it. For dp_explain__rename() with `at`, whose ctx is
 * this.
 */
struct dp_explain_collapsed {
	struct dp_explain_names before;
	const uint32_t *position;
};

const char *dp_explain__collapsed_at(const void *ctx, size_t position);

/*
 * The entries that follow are about a sequence with these names. Returns the previous names, to
 * restore them. explain may be NULL.
 */
struct dp_explain_names dp_explain__rename(struct dp_explain *explain,
					   struct dp_explain_names names);

/* The entries that follow are about this stream; dp_explain__end() adds how many were left out. */
void dp_explain__begin(struct dp_explain *explain, uint32_t stream);
void dp_explain__end(struct dp_explain *explain);

void dp_explain__fini(struct dp_explain *explain);

#endif
