/* Texts of a file, few of which may be used: they become the trace's strings when used. */
#ifndef DP_IMPORT_TEXTS_H
#define DP_IMPORT_TEXTS_H

#include "base/base.h"
#include "base/strings.h"
#include "trace/builder.h"

#include <string.h>

/* Zero it first. */
struct dp_texts {
	struct dp_strings raw;
	uint32_t *ids; /* by text: the builder's string, DP_NONE before it is used */
	size_t room;
	bool kernels; /* names of kernels */
};

void dp_texts__fini(struct dp_texts *texts);

/* Keeps length bytes, up to a NUL. DP_NONE if memory runs out. Cost: O(length), expected. */
uint32_t dp_texts__keep(struct dp_texts *texts, const char *text, size_t length);

/* Returns a kept text. */
const char *dp_texts__get(const struct dp_texts *texts, uint32_t text);

/*
 * Returns the length of a text's beginning, in which words and numbers are searched for each record
 * that refers to it: many records may share a long text. What tools write there is shorter.
 */
static inline size_t dp_texts__head(const char *text)
{
	return strnlen(text, 128);
}

/* Returns the builder's string; DP_NONE and the builder's error on failure. */
uint32_t dp_texts__use(struct dp_texts *texts, struct dp_builder *builder, uint32_t text);

#endif
