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

/* Zeroed storage is an empty recorder. */
struct dp_explain {
	struct dp_explanation *entries;
	size_t count, room;
	size_t first;	 /* entry of the current stream */
	size_t left_out; /* entries of it beyond DP_EXPLAIN_MOST */
	uint32_t stream; /* the current one */
	int status;	 /* DP_ERR_NOMEM once an entry could not be kept; the rest is then dropped */
};

/* The facts of an entry, as an argument. */
#define DP_FACTS(...) ((const struct dp_stage_fact[]){ __VA_ARGS__, { NULL, NULL, 0 } })

/*
 * Adds an entry unless explain is NULL. stage is static, and so are the names and units of the
 * facts, which end with one without a name. "{length}" in the text that results from the format
 * stands for the value of the fact "length", "{length:kernel}" for "1 kernel" or "5 kernels".
 * Failures are kept in explain->status: stages do not check. Cost: the length of the text.
 */
void dp_explain__add(struct dp_explain *explain, const char *stage,
		     const struct dp_stage_fact *facts, const char *format, ...) DP_PRINTF(4, 5);

/* The entries that follow are of this stream; dp_explain__end() adds how many were left out. */
void dp_explain__begin(struct dp_explain *explain, uint32_t stream);
void dp_explain__end(struct dp_explain *explain);

void dp_explain__fini(struct dp_explain *explain);

#endif
