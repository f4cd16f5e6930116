/* Texts by number; each becomes the builder's once. */
#include "import/texts.h"

#include <string.h>

void dp_texts__fini(struct dp_texts *texts)
{
	dp_strings__fini(&texts->raw);
	free(texts->ids);
}

uint32_t dp_texts__keep(struct dp_texts *texts, const char *text, size_t length)
{
	size_t before = texts->raw.count;
	uint32_t raw = dp_strings__intern(&texts->raw, text, strnlen(text, length));

	if (raw == DP_NONE ||
	    dp_array__reserve(&texts->ids, &texts->room, texts->raw.count, sizeof(*texts->ids)))
		return DP_NONE;
	if (raw == before)
		texts->ids[raw] = DP_NONE;
	return raw;
}

const char *dp_texts__get(const struct dp_texts *texts, uint32_t text)
{
	return dp_strings__get(&texts->raw, text);
}

uint32_t dp_texts__use(struct dp_texts *texts, struct dp_builder *builder, uint32_t text)
{
	const char *raw = dp_strings__get(&texts->raw, text);

	if (texts->ids[text] == DP_NONE)
		texts->ids[text] = texts->kernels
					   ? dp_builder__kernel_name(builder, raw, strlen(raw))
					   : dp_builder__string(builder, raw, strlen(raw));
	return texts->ids[text];
}
