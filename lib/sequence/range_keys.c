/* Annotations by name, ignoring numbers. Cost: linear in ranges, and in the bytes of their names.
 */
#include "sequence/range_keys.h"
#include "sequence/family.h"

#include <string.h>

void dp_range_keys__fini(struct dp_range_keys *keys)
{
	free(keys->of);
	free(keys->keys);
	free(keys->text);
	dp_strings__fini(&keys->texts);
}

/* Finds the key of a name, or makes a new one for its text. */
static int key_of(struct dp_range_keys *keys, const struct dp_trace *trace, uint32_t name)
{
	const char *text = dp_trace_string(trace, name);
	uint32_t id;

	if (keys->of[name] != DP_NONE)
		return DP_OK;
	if (dp_array__reserve(&keys->text, &keys->text_room, strlen(text) + 1, 1))
		return DP_ERR_NOMEM;
	id = dp_strings__intern(&keys->texts, keys->text,
				dp_family__without_numbers(keys->text, text));
	if (id == DP_NONE)
		return DP_ERR_NOMEM;
	if (id >= keys->count) {
		if (dp_array__reserve(&keys->keys, &keys->room, (size_t)id + 1,
				      sizeof(*keys->keys)))
			return DP_ERR_NOMEM;
		for (; keys->count <= id; keys->count++)
			keys->keys[keys->count] =
				(struct dp_range_key){ (uint32_t)keys->count, 0, 0 };
	}
	keys->of[name] = id;
	return DP_OK;
}

int dp_range_keys__count(struct dp_range_keys *keys, const struct dp_trace *trace, bool operators)
{
	const struct dp_ranges *ranges = dp_trace_ranges(trace);
	int status = DP_OK;

	keys->strings = dp_trace_string_count(trace);
	keys->of = dp_alloc__array(keys->strings, sizeof(*keys->of));
	if (!keys->of)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < keys->strings; i++)
		keys->of[i] = DP_NONE;
	for (size_t i = 0; i < ranges->count && !status; i++) {
		uint32_t name = ranges->name[i];
		struct dp_range_key *key;

		if ((ranges->kind[i] == DP_RANGE_OPERATOR) != operators || name >= keys->strings)
			continue;
		status = key_of(keys, trace, name);
		if (status)
			break;
		key = &keys->keys[keys->of[name]];
		key->count++;
		key->total_ns = dp_sum__i64(key->total_ns, ranges->end_ns[i] - ranges->start_ns[i]);
	}
	return status;
}
