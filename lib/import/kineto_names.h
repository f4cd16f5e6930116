/*
 * Maps texts to the builder's ids: each is decoded, checked and demangled once.
 */
#ifndef DP_IMPORT_KINETO_NAMES_H
#define DP_IMPORT_KINETO_NAMES_H

#include "import/json_scan.h"
#include "base/strings.h"
#include "trace/builder.h"

struct dp_kineto_ids {
	struct dp_strings raw;
	uint32_t *ids;
	size_t room;
};

/* Zero it first. */
struct dp_kineto_names {
	struct dp_kineto_ids texts, kernels;
	char *scratch;
	size_t scratch_room;
};

void dp_kineto_names__fini(struct dp_kineto_names *names);

/*
 * Returns a name's id; DP_NONE if memory runs out (*short_of) or the builder fails. Cost: linear in
 * the text, expected.
 */
uint32_t dp_kineto_names__id(struct dp_kineto_names *names, struct dp_builder *builder,
			     const struct dp_json_text *text, bool kernel, bool *short_of);

#endif
