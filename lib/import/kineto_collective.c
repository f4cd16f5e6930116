/* PyTorch records the number and type of elements, and the process group by name and ranks. */
#include "import/kineto_collective.h"

#include <stdio.h>
#include <string.h>

/* Returns the size of a c10 scalar type by its name in dtype; 0 for others. */
static uint64_t element_bytes(const struct dp_json_text *dtype)
{
	static const struct {
		const char *name;
		uint64_t bytes;
	} known[] = {
		{ "Byte", 1 }, { "Char", 1 },	  { "Bool", 1 },	 { "Short", 2 },
		{ "Half", 2 }, { "BFloat16", 2 }, { "Int", 4 },		 { "Float", 4 },
		{ "Long", 8 }, { "Double", 8 },	  { "ComplexFloat", 8 }, { "ComplexDouble", 16 },
	};

	for (size_t i = 0; i < DP_COUNT(known); i++)
		if (dp_json__is(dtype, known[i].name))
			return known[i].bytes;
	return dtype->length > 6 && !memcmp(dtype->at, "Float8", 6) ? 1 : 0;
}

static uint64_t bytes_of(const struct dp_chrome_event *event)
{
	int64_t in = event->has & DP_CHROME_ELEMENTS_IN ? event->elements_in : 0;
	int64_t out = event->has & DP_CHROME_ELEMENTS_OUT ? event->elements_out : 0;
	uint64_t size = event->has & DP_CHROME_DTYPE ? element_bytes(&event->dtype) : 0;
	int64_t most = DP_MAX(in, out);
	uint64_t bytes;

	if (most <= 0 || __builtin_mul_overflow((uint64_t)most, size, &bytes))
		return 0;
	return bytes;
}

/* Returns a text like "0 [0, 1, 2, 3]"; PyTorch itself shortens lists of thousands of ranks. */
static uint32_t group_of(struct dp_builder *builder, const struct dp_chrome_event *event)
{
	static const struct dp_json_text none = { .at = "" };
	const struct dp_json_text *name =
		event->has & DP_CHROME_GROUP_NAME ? &event->group_name : &none;
	const struct dp_json_text *ranks =
		event->has & DP_CHROME_GROUP_RANKS ? &event->group_ranks : &none;
	char text[2048];
	int length;

	if (!name->length && !ranks->length)
		return DP_NONE;
	length = snprintf(text, sizeof(text), "%.*s%s%.*s", (int)DP_MIN(name->length, 500),
			  name->at, name->length && ranks->length ? " " : "",
			  (int)DP_MIN(ranks->length, 1500), ranks->at);
	return dp_builder__string(builder, text, (size_t)length);
}

/* Returns the rank in the group at one end of a send or a receive, -1 if unknown. */
static int32_t end_of(const struct dp_chrome_event *event, bool target)
{
	uint32_t need = target ? DP_CHROME_PEER_TARGET : DP_CHROME_PEER_SOURCE;
	int64_t rank = target ? event->peer_target : event->peer_source;

	return event->has & need && rank >= 0 && rank <= INT32_MAX ? (int32_t)rank : -1;
}

int dp_kineto_collective__add(struct dp_builder *builder, const struct dp_chrome_event *event,
			      const struct dp_op *op)
{
	bool sends = event->collective.length >= 4 && !memcmp(event->collective.at, "send", 4);
	struct dp_collective made = {
		.start_ns = op->start_ns,
		.end_ns = op->end_ns,
		.bytes = bytes_of(event),
		.sequence = event->has & DP_CHROME_SEQUENCE ? event->sequence : -1,
		.stream = op->stream,
		.thread = DP_NONE,
		.group = group_of(builder, event),
		.peer = end_of(event, sends),
		.self = end_of(event, !sends),
	};

	if (event->has & DP_CHROME_GROUP_SIZE && event->group_size > 0 &&
	    event->group_size < UINT32_MAX)
		made.group_size = (uint32_t)event->group_size;
	made.name = dp_builder__string(builder, event->collective.at, event->collective.length);
	if (made.name == DP_NONE)
		return DP_ERR_NOMEM;
	return dp_builder__add_collective(builder, &made);
}
