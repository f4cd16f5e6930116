/* Each name once. Cost: linear in the texts, expected. */
#include "import/kineto_names.h"

#include <string.h>

void dp_kineto_names__fini(struct dp_kineto_names *names)
{
	dp_strings__fini(&names->texts.raw);
	dp_strings__fini(&names->kernels.raw);
	free(names->texts.ids);
	free(names->kernels.ids);
	free(names->scratch);
}

/* Returns the text without its escapes, NULL if memory runs out. */
static const char *decode(struct dp_kineto_names *names, const struct dp_json_text *text,
			  size_t *length)
{
	*length = text->length;
	if (!text->escaped)
		return text->at;
	if (dp_array__reserve(&names->scratch, &names->scratch_room, text->length + 1, 1))
		return NULL;
	*length = dp_json__unescape(text, names->scratch);
	return names->scratch;
}

static uint32_t build_name(struct dp_kineto_names *names, struct dp_builder *builder,
			   const struct dp_json_text *text, bool kernel, bool *short_of)
{
	size_t length;
	const char *plain = decode(names, text, &length);

	if (!plain) {
		*short_of = true;
		return DP_NONE;
	}
	return kernel ? dp_builder__kernel_name(builder, plain, length)
		      : dp_builder__string(builder, plain, length);
}

uint32_t dp_kineto_names__id(struct dp_kineto_names *names, struct dp_builder *builder,
			     const struct dp_json_text *text, bool kernel, bool *short_of)
{
	struct dp_kineto_ids *known = kernel ? &names->kernels : &names->texts;
	size_t before = known->raw.count;
	uint32_t raw, id;

	if (memchr(text->at, '\0', text->length))
		return build_name(names, builder, text, kernel, short_of);
	raw = dp_strings__intern(&known->raw, text->at, text->length);
	if (raw == DP_NONE ||
	    dp_array__reserve(&known->ids, &known->room, known->raw.count, sizeof(*known->ids))) {
		*short_of = true;
		return DP_NONE;
	}
	if (raw < before)
		return known->ids[raw];
	id = build_name(names, builder, text, kernel, short_of);
	known->ids[raw] = id;
	return id;
}
