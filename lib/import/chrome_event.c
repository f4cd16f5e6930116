/* Parses the members of events by key. Cost: linear in the event's text. */
#include "import/chrome_event.h"

#include <string.h>

enum key {
	KEY_OTHER,
	KEY_PHASE,
	KEY_CATEGORY,
	KEY_NAME,
	KEY_PID,
	KEY_TID,
	KEY_START,
	KEY_DURATION,
	KEY_ARGS,
};

#define IS(literal) (!memcmp(at, literal, sizeof(literal) - 1))

static inline enum key event_key(const char *at, size_t length)
{
	switch (length) {
	case 2:
		return IS("ph") ? KEY_PHASE : IS("ts") ? KEY_START : KEY_OTHER;
	case 3:
		return IS("cat")   ? KEY_CATEGORY
		       : IS("pid") ? KEY_PID
		       : IS("tid") ? KEY_TID
		       : IS("dur") ? KEY_DURATION
				   : KEY_OTHER;
	case 4:
		return IS("name") ? KEY_NAME : IS("args") ? KEY_ARGS : KEY_OTHER;
	default:
		return KEY_OTHER;
	}
}

static inline uint32_t arg_key(const char *at, size_t length)
{
	switch (length) {
	case 2:
		return IS("op") ? DP_CHROME_OP : 0;
	case 3:
		return IS("Seq") ? DP_CHROME_SEQUENCE : IS("row") ? DP_CHROME_INDEX : 0;
	case 4:
		return IS("name") ? DP_CHROME_ARG_NAME : IS("size") ? DP_CHROME_SIZE : 0;
	case 5:
		return IS("bytes") || IS("Bytes") ? DP_CHROME_BYTES
		       : IS("dtype")		  ? DP_CHROME_DTYPE
		       : IS("Index")		  ? DP_CHROME_INDEX
		       : IS("EndNs")		  ? DP_CHROME_EXACT_END
						  : 0;
	case 6:
		return IS("device")   ? DP_CHROME_DEVICE
		       : IS("stream") ? DP_CHROME_STREAM
		       : IS("labels") ? DP_CHROME_LABELS
		       : IS("dev-id") ? DP_CHROME_DEVICE
				      : 0;
	case 7:
		return IS("context")   ? DP_CHROME_CONTEXT
		       : IS("size(B)") ? DP_CHROME_BYTES
		       : IS("BeginNs") ? DP_CHROME_EXACT_START
				       : 0;
	case 9:
		return IS("Device Id")			    ? DP_CHROME_DEVICE
		       : IS("Task Type")		    ? DP_CHROME_TASK
		       : IS("Stream Id")		    ? DP_CHROME_STREAM
		       : IS("direction") || IS("operation") ? DP_CHROME_OP
							    : 0;
	case 11:
		return IS("correlation")   ? DP_CHROME_CORRELATION
		       : IS("Device Type") ? DP_CHROME_DEVICE_TYPE
					   : 0;
	case 8:
		return IS("Src Rank")	? DP_CHROME_PEER_SOURCE
		       : IS("Dst Rank") ? DP_CHROME_PEER_TARGET
					: 0;
	case 10:
		return IS("Group size") ? DP_CHROME_GROUP_SIZE : 0;
	case 13:
		return IS("In msg nelems") ? DP_CHROME_ELEMENTS_IN : 0;
	case 15:
		return IS("Collective name") ? DP_CHROME_COLLECTIVE : 0;
	case 21:
		return IS("wait_on_cuda_event_id") ? DP_CHROME_WAIT_EVENT : 0;
	case 33:
		return IS("wait_on_cuda_event_record_corr_id") ? DP_CHROME_WAIT_RECORD : 0;
	case 18:
		return IS("Process Group Name") ? DP_CHROME_GROUP_NAME : 0;
	case 19:
		return IS("Process Group Ranks") ? DP_CHROME_GROUP_RANKS : 0;
	case 14:
		return IS("Out msg nelems")			      ? DP_CHROME_ELEMENTS_OUT
		       : IS("wait_on_stream")			      ? DP_CHROME_WAIT_STREAM
		       : IS("correlation id") || IS("correlation_id") ? DP_CHROME_CORRELATION
		       : IS("memcpy_details") || IS("memset_details") || IS("Memset_details")
			       ? DP_CHROME_DETAILS
			       : 0;
	case 25:
		return IS("est. achieved occupancy %") ? DP_CHROME_OCCUPANCY : 0;
	}
	return 0;
}

static enum dp_json_result text_member(struct dp_json *json, struct dp_json_text *text,
				       uint32_t *has, uint32_t bit)
{
	if (*json->at != '"')
		return dp_json__skip(json, DP_JSON_IN_OBJECT);
	*has |= bit;
	return dp_json__string(json, DP_JSON_IN_OBJECT, text);
}

static enum dp_json_result number_member(struct dp_json *json, int scale, int64_t *value,
					 uint32_t *has, uint32_t bit)
{
	enum dp_json_result result;
	bool known;

	result = dp_json__number(json, DP_JSON_IN_OBJECT, scale, value, &known);
	if (known)
		*has |= bit;
	return result;
}

/* Reads a number, or a text that is not a number. */
static enum dp_json_result id_member(struct dp_json *json, int64_t *value,
				     struct dp_json_text *text, uint32_t *has, uint32_t bit)
{
	enum dp_json_result result;

	if (*json->at != '"')
		return number_member(json, 0, value, has, bit);
	result = dp_json__string(json, DP_JSON_IN_OBJECT, text);
	if (result == DP_JSON_OK && dp_json__decimal(text->at, text->length, 0, value)) {
		*has |= bit;
		text->length = 0;
	}
	return result;
}

static enum dp_json_result arg_member(struct dp_json *json, struct dp_chrome_event *event,
				      uint32_t key)
{
	uint32_t known = 0;

	switch (key) {
	case DP_CHROME_EXACT_START:
		return number_member(json, 0, &event->exact_start_ns, &known, 1);
	case DP_CHROME_EXACT_END:
		return number_member(json, 0, &event->exact_end_ns, &known, 1);
	case DP_CHROME_DEVICE:
		return number_member(json, 0, &event->device, &event->has, key);
	case DP_CHROME_CONTEXT:
		return number_member(json, 0, &event->context, &event->has, key);
	case DP_CHROME_STREAM:
		return number_member(json, 0, &event->stream, &event->has, key);
	case DP_CHROME_CORRELATION:
		return number_member(json, 0, &event->correlation, &event->has, key);
	case DP_CHROME_BYTES:
		return number_member(json, 0, &event->bytes, &event->has, key);
	case DP_CHROME_SIZE:
		return number_member(json, 0, &event->size, &event->has, key);
	case DP_CHROME_INDEX:
		return number_member(json, 0, &event->index, &event->has, key);
	case DP_CHROME_DEVICE_TYPE:
		return number_member(json, 0, &event->device_type, &event->has, key);
	case DP_CHROME_OCCUPANCY:
		return number_member(json, 0, &event->occupancy, &event->has, key);
	case DP_CHROME_ELEMENTS_IN:
		return number_member(json, 0, &event->elements_in, &event->has, key);
	case DP_CHROME_ELEMENTS_OUT:
		return number_member(json, 0, &event->elements_out, &event->has, key);
	case DP_CHROME_GROUP_SIZE:
		return number_member(json, 0, &event->group_size, &event->has, key);
	case DP_CHROME_SEQUENCE:
		return number_member(json, 0, &event->sequence, &event->has, key);
	case DP_CHROME_PEER_SOURCE:
		return number_member(json, 0, &event->peer_source, &event->has, key);
	case DP_CHROME_PEER_TARGET:
		return number_member(json, 0, &event->peer_target, &event->has, key);
	case DP_CHROME_COLLECTIVE:
		return text_member(json, &event->collective, &event->has, key);
	case DP_CHROME_DTYPE:
		return text_member(json, &event->dtype, &event->has, key);
	case DP_CHROME_GROUP_NAME:
		return text_member(json, &event->group_name, &event->has, key);
	case DP_CHROME_GROUP_RANKS:
		return text_member(json, &event->group_ranks, &event->has, key);
	case DP_CHROME_ARG_NAME:
		return text_member(json, &event->arg_name, &event->has, key);
	case DP_CHROME_LABELS:
		return text_member(json, &event->labels, &event->has, key);
	case DP_CHROME_OP:
		return text_member(json, &event->op, &event->has, key);
	case DP_CHROME_DETAILS:
		return text_member(json, &event->details, &event->has, key);
	case DP_CHROME_TASK:
		return text_member(json, &event->task, &event->has, key);
	default:
		return dp_json__skip(json, DP_JSON_IN_OBJECT);
	}
}

/* True for kernels of NCCL, RCCL, HCCL and MSCCL, whose args have the collective. Cheap. */
static bool communicates(const struct dp_json_text *name)
{
	const char *at = name->at;
	size_t length = name->length;

	if (length > 5 && IS("void ")) {
		at += 5;
		length -= 5;
	}
	return length > 5 && (!memcmp(at + 1, "ccl", 3) || IS("msccl"));
}

/* Reads the members of args until everything requested is found. */
static enum dp_json_result read_args(struct dp_json *json, struct dp_chrome_event *event)
{
	uint32_t wanted = event->wanted & (DP_CHROME_ARGS | DP_CHROME_OCCUPANCY);
	enum dp_json_result result;
	struct dp_json_text key;

	if (wanted && event->has & DP_CHROME_NAME && communicates(&event->name))
		wanted |= DP_CHROME_COMMUNICATION;
	if (!wanted || *json->at != '{')
		return dp_json__skip(json, DP_JSON_IN_OBJECT);
	json->at++;
	while ((event->has & wanted) != wanted) {
		result = dp_json__member(json, &key);
		if (result != DP_JSON_OK || !key.at)
			return result;
		result = arg_member(json, event, arg_key(key.at, key.length));
		if (result != DP_JSON_OK)
			return result;
	}
	return dp_json__leave(json, true);
}

/* Requests what the event's category needs. Returns false if that is nothing. */
static bool is_wanted(const struct dp_chrome *chrome, struct dp_chrome_event *event)
{
	event->wanted = chrome->want(chrome->ctx, event->category.at, event->category.length);
	return !(event->wanted & DP_CHROME_SKIP);
}

static enum dp_json_result event_member(struct dp_json *json, const struct dp_chrome *chrome,
					struct dp_chrome_event *event, enum key key)
{
	enum dp_json_result result;
	struct dp_json_text text;
	uint32_t *has = &event->has;

	switch (key) {
	case KEY_PHASE:
		result = text_member(json, &text, has, DP_CHROME_PHASE);
		event->phase = *has & DP_CHROME_PHASE ? *text.at : 0;
		if (event->phase != 'X' && event->phase != 'M' &&
		    !(event->phase == 'i' && chrome->instants))
			*has |= DP_CHROME_SKIP;
		return result;
	case KEY_CATEGORY:
		result = text_member(json, &event->category, has, DP_CHROME_CATEGORY);
		if (result == DP_JSON_OK && *has & DP_CHROME_CATEGORY && !is_wanted(chrome, event))
			*has |= DP_CHROME_SKIP;
		return result;
	case KEY_NAME:
		return text_member(json, &event->name, has, DP_CHROME_NAME);
	case KEY_PID:
		return id_member(json, &event->pid, &event->pid_text, has, DP_CHROME_PID);
	case KEY_TID:
		return id_member(json, &event->tid, &event->tid_text, has, DP_CHROME_TID);
	case KEY_START:
		return number_member(json, 3, &event->start_ns, has, DP_CHROME_START);
	case KEY_DURATION:
		return number_member(json, 3, &event->duration_ns, has, DP_CHROME_DURATION);
	case KEY_ARGS:
		return read_args(json, event);
	default:
		return dp_json__skip(json, DP_JSON_IN_OBJECT);
	}
}

enum dp_json_result dp_chrome__parse_event(struct dp_json *json, const struct dp_chrome *chrome,
					   struct dp_chrome_event *event)
{
	enum dp_json_result result;
	struct dp_json_text text;
	uint32_t seen = 0;
	enum key key;

	event->has = 0;
	event->wanted = DP_CHROME_ARGS;
	event->phase = 0;
	event->exact_start_ns = event->exact_end_ns = -1;
	event->pid_text = event->tid_text = (struct dp_json_text){ .at = "" };
	json->at++;
	do {
		result = dp_json__member(json, &text);
		if (result != DP_JSON_OK || !text.at)
			return result;
		key = event_key(text.at, text.length);
		if (key != KEY_OTHER && seen & 1u << key)
			return DP_JSON_BROKEN;
		seen |= 1u << key;
		result = event_member(json, chrome, event, key);
		if (result != DP_JSON_OK)
			return result;
	} while (!(event->has & DP_CHROME_SKIP));
	return dp_json__leave(json, true);
}

enum dp_json_result dp_chrome__parse_device(struct dp_json *json, struct dp_chrome_device *device)
{
	enum dp_json_result result;
	struct dp_json_text key;
	uint32_t has = 0;

	*device = (struct dp_chrome_device){ .id = -1 };
	json->at++;
	for (;;) {
		result = dp_json__member(json, &key);
		if (result != DP_JSON_OK || !key.at)
			return result;
		if (key.length == 2 && !memcmp(key.at, "id", 2))
			result = number_member(json, 0, &device->id, &has, 1);
		else if (key.length == 4 && !memcmp(key.at, "name", 4))
			result = text_member(json, &device->name, &has, 2);
		else if (key.length == 14 && !memcmp(key.at, "totalGlobalMem", 14))
			result = number_member(json, 0, &device->bytes, &has, 4);
		else
			result = dp_json__skip(json, DP_JSON_IN_OBJECT);
		if (result != DP_JSON_OK)
			return result;
		/* Device names contain no quotes: this string swallowed what follows it. */
		if (device->name.bare)
			return DP_JSON_BROKEN;
	}
}

enum dp_chrome_member dp_chrome__member(const struct dp_json_text *key)
{
	static const struct {
		const char *name;
		enum dp_chrome_member member;
	} known[] = {
		{ "traceEvents", DP_CHROME_EVENTS },
		{ "deviceProperties", DP_CHROME_DEVICES },
		{ "distributedInfo", DP_CHROME_DISTRIBUTED },
		{ "baseTimeNanoseconds", DP_CHROME_BASE },
		{ "rocprofiler-sdk-tool", DP_CHROME_ROCPROFILER },
		{ "schemaVersion", DP_CHROME_KINETO },
		{ "traceName", DP_CHROME_KINETO },
	};

	for (size_t i = 0; i < DP_COUNT(known); i++)
		if (dp_json__is(key, known[i].name))
			return known[i].member;
	return DP_CHROME_OTHER;
}

uint32_t dp_chrome__correlation(const struct dp_chrome_event *event)
{
	bool known = event->has & DP_CHROME_CORRELATION && event->correlation > 0 &&
		     event->correlation <= UINT32_MAX;

	return known ? (uint32_t)event->correlation : 0;
}
