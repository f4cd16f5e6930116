/* Parses the members of records by key. Cost: linear in the record's text. */
#include "import/rocprofv3_record.h"

#include <string.h>

enum { OTHER = DP_RV3_FIELDS, INSIDE };

#define IS(literal) (!memcmp(at, literal, sizeof(literal) - 1))

static inline unsigned short_field(const char *at, size_t length)
{
	switch (length) {
	case 2:
		return IS("id") ? DP_RV3_ID : OTHER;
	case 3:
		return IS("pid") ? DP_RV3_PID : IS("key") ? DP_RV3_KEY : OTHER;
	case 4:
		return IS("kind") ? DP_RV3_KIND : IS("type") ? DP_RV3_TYPE : OTHER;
	case 5:
		return IS("bytes") ? DP_RV3_BYTES : IS("value") ? DP_RV3_VALUE : OTHER;
	case 6:
		return IS("config") ? INSIDE : OTHER;
	case 7:
		return IS("address") ? DP_RV3_ADDRESS : OTHER;
	case 8:
		return IS("agent_id") ? DP_RV3_AGENT : IS("queue_id") ? DP_RV3_QUEUE : OTHER;
	case 9:
		return IS("stream_id")	 ? DP_RV3_STREAM
		       : IS("kernel_id") ? DP_RV3_KERNEL
		       : IS("thread_id") ? DP_RV3_THREAD
		       : IS("operation") ? DP_RV3_OPERATION
					 : OTHER;
	default:
		return OTHER;
	}
}

static inline unsigned long_field(const char *at, size_t length)
{
	switch (length) {
	case 10:
		return IS("operations") ? DP_RV3_OPERATIONS : OTHER;
	case 11:
		return IS("kernel_name") ? DP_RV3_MANGLED : OTHER;
	case 12:
		return IS("src_agent_id")   ? DP_RV3_SRC_AGENT
		       : IS("dst_agent_id") ? DP_RV3_DST_AGENT
		       : IS("product_name") ? DP_RV3_PRODUCT
					    : OTHER;
	case 13:
		return IS("end_timestamp")   ? DP_RV3_END
		       : IS("dispatch_info") ? DP_RV3_DISPATCH
					     : OTHER;
	case 14:
		return IS("correlation_id")   ? DP_RV3_CORRELATION
		       : IS("group_by_queue") ? DP_RV3_BY_QUEUE
					      : OTHER;
	case 15:
		return IS("start_timestamp")   ? DP_RV3_START
		       : IS("allocation_size") ? DP_RV3_ALLOCATED
					       : OTHER;
	case 20:
		return IS("logical_node_type_id") ? DP_RV3_TYPE_INDEX : OTHER;
	case 21:
		return IS("demangled_kernel_name") ? DP_RV3_DEMANGLED : OTHER;
	default:
		return OTHER;
	}
}

/* Reads a number, or the object whose first member it is: {"handle": 7}, {"internal": 1, …}. */
static enum dp_json_result number(struct dp_json *json, struct dp_rocprofv3_record *record,
				  unsigned field)
{
	bool wrapped = *json->at == '{', known;
	enum dp_json_result result = DP_JSON_OK;
	struct dp_json_text key;

	if (wrapped) {
		json->at++;
		result = dp_json__member(json, &key);
		if (result != DP_JSON_OK || !key.at)
			return result;
	}
	result = dp_json__number(json, DP_JSON_IN_OBJECT, 0, &record->number[field], &known);
	if (result != DP_JSON_OK)
		return result;
	record->has |= (uint32_t)known << field;
	return wrapped ? dp_json__leave(json, true) : DP_JSON_OK;
}

/* Reads a text or, for the names of a kind's operations, the text of their array. */
static enum dp_json_result text(struct dp_json *json, struct dp_rocprofv3_record *record,
				unsigned field)
{
	struct dp_json_text *text = &record->text[field - DP_RV3_NUMBERS];
	bool array = field == DP_RV3_OPERATIONS;
	enum dp_json_result result;

	if (*json->at != (array ? '[' : '"'))
		return dp_json__skip(json, DP_JSON_IN_OBJECT);
	record->has |= 1u << field;
	if (!array)
		return dp_json__string(json, DP_JSON_IN_OBJECT, text);
	*text = (struct dp_json_text){ .at = json->at };
	result = dp_json__skip(json, DP_JSON_IN_OBJECT);
	text->length = (size_t)(json->at - text->at);
	return result;
}

static enum dp_json_result members(struct dp_json *json, struct dp_rocprofv3_record *record,
				   bool inner);

static enum dp_json_result member(struct dp_json *json, struct dp_rocprofv3_record *record,
				  unsigned field, bool inner)
{
	enum dp_json_result result;

	if (field == DP_RV3_KIND && *json->at == '"')
		field = DP_RV3_KIND_NAME;
	if (field == DP_RV3_BY_QUEUE && *json->at == 't') {
		record->has |= 1u << field;
		record->number[field] = 1;
		field = OTHER;
	}
	if ((field == DP_RV3_DISPATCH || field == INSIDE) && *json->at == '{' && !inner) {
		if (field == DP_RV3_DISPATCH)
			record->has |= 1u << field;
		json->at++;
		return members(json, record, true);
	}
	if (field < DP_RV3_NUMBERS) {
		result = number(json, record, field);
		/* Only sizes of blocks and grids follow, which are not needed. */
		if (result == DP_JSON_OK && field == DP_RV3_KERNEL &&
		    record->has >> DP_RV3_DISPATCH & 1)
			record->has |= 1u << DP_RV3_FIELDS;
		return result;
	}
	if (field < DP_RV3_DISPATCH)
		return text(json, record, field);
	return dp_json__skip(json, DP_JSON_IN_OBJECT);
}

/* Reads the members of an object from behind its brace to its end. inner: a nested object. */
static enum dp_json_result members(struct dp_json *json, struct dp_rocprofv3_record *record,
				   bool inner)
{
	enum dp_json_result result;
	struct dp_json_text key;

	for (;;) {
		result = dp_json__member(json, &key);
		if (result != DP_JSON_OK || !key.at)
			return result;
		result = member(json, record,
				key.length < 10 ? short_field(key.at, key.length)
						: long_field(key.at, key.length),
				inner);
		if (result != DP_JSON_OK)
			return result;
		if (record->has >> DP_RV3_FIELDS & 1) {
			record->has &= ~(1u << DP_RV3_FIELDS);
			return dp_json__leave(json, true);
		}
	}
}

enum dp_json_result dp_rocprofv3__parse(void *ctx, struct dp_json *json)
{
	struct dp_rocprofv3_record *record = ctx;

	record->has = 0;
	json->at++;
	return members(json, record, false);
}
