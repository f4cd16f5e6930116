/*
 * The document may be an object with traceEvents anywhere among its keys, or an array of events.
 * Broken places are survived: the reader looks for the next object that begins as an event does,
 * and counts. To stay linear, what is read twice that way is limited to what was read well.
 */
#include "import/chrome.h"
#include "import/json_stream.h"

#include <string.h>

/* The first keys of events; "id" is too common elsewhere. */
static const char *const event_keys[] = { "ph", "name", "cat",	"pid", "tid",
					  "ts", "dur",	"args", NULL };

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

struct place {
	uint64_t offset, line, column;
};

struct document {
	struct dp_chrome *chrome;
	struct dp_json_stream stream;
	struct dp_chrome_event event;
	struct dp_chrome_device device;
	const char *failed; /* where a piece that is broken could not be read on */
	uint64_t credit;    /* how many bytes may be read again */
	uint64_t broken;
	struct place first_broken;
	bool truncated; /* the file ended inside the document … */
	bool inside;	/* … and inside an event */
	struct place end;
	bool has_events; /* there was a key traceEvents, or an array */
	bool rocprofiler;
	int status; /* of a callback */
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
	case 4:
		return IS("name") ? DP_CHROME_ARG_NAME : IS("size") ? DP_CHROME_SIZE : 0;
	case 5:
		return IS("bytes") ? DP_CHROME_BYTES : 0;
	case 6:
		return IS("device")   ? DP_CHROME_DEVICE
		       : IS("stream") ? DP_CHROME_STREAM
		       : IS("labels") ? DP_CHROME_LABELS
				      : 0;
	case 7:
		return IS("context") ? DP_CHROME_CONTEXT : 0;
	case 11:
		return IS("correlation") ? DP_CHROME_CORRELATION : 0;
	case 14:
		return IS("correlation id") ? DP_CHROME_CORRELATION : 0;
	default:
		return 0;
	}
}

/* A character was expected at json->at: is it not there, or is there none? */
static inline enum dp_json_result missing(const struct dp_json *json)
{
	return json->at >= json->end ? DP_JSON_MORE : DP_JSON_BROKEN;
}

/* The next member of an object: json->at is then at its value. key->at is NULL at the end. */
static inline enum dp_json_result next_member(struct dp_json *json, struct dp_json_text *key)
{
	enum dp_json_result result;
	char c = dp_json__peek(json);

	if (c == ',') {
		json->at++;
		c = dp_json__peek(json);
	}
	if (c == '}') {
		json->at++;
		key->at = NULL;
		return DP_JSON_OK;
	}
	if (c != '"')
		return missing(json);
	result = dp_json__string(json, DP_JSON_KEY, key);
	if (result != DP_JSON_OK)
		return result;
	if (key->bare)
		return DP_JSON_BROKEN;
	dp_json__peek(json);
	json->at++; /* the colon that made it a key */
	dp_json__peek(json);
	return json->at >= json->end ? DP_JSON_MORE : DP_JSON_OK;
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

/* A number, or a text that is none. */
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
	switch (key) {
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
	case DP_CHROME_ARG_NAME:
		return text_member(json, &event->arg_name, &event->has, key);
	case DP_CHROME_LABELS:
		return text_member(json, &event->labels, &event->has, key);
	case DP_CHROME_OP:
		return text_member(json, &event->op, &event->has, key);
	default:
		return dp_json__skip(json, DP_JSON_IN_OBJECT);
	}
}

/* The members of args, until everything that is wanted is there. */
static enum dp_json_result read_args(struct dp_json *json, struct dp_chrome_event *event)
{
	uint32_t wanted = event->wanted & DP_CHROME_ARGS;
	enum dp_json_result result;
	struct dp_json_text key;
	size_t depth = 1;

	if (!wanted || *json->at != '{')
		return dp_json__skip(json, DP_JSON_IN_OBJECT);
	json->at++;
	while ((event->has & wanted) != wanted) {
		result = next_member(json, &key);
		if (result != DP_JSON_OK || !key.at)
			return result;
		result = arg_member(json, event, arg_key(key.at, key.length) & wanted);
		if (result != DP_JSON_OK)
			return result;
	}
	return dp_json__leave(json, &depth);
}

/* Asks what is wanted of the category; false: nothing. */
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
		if (event->phase != 'X' && event->phase != 'M')
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

/*
 * The event at json->at. One that nobody wants is left as soon as that is known, with
 * DP_CHROME_SKIP in has. A key that comes twice shows that a string swallowed the end of one
 * event and the beginning of the next.
 */
static enum dp_json_result read_event(struct dp_json *json, const struct dp_chrome *chrome,
				      struct dp_chrome_event *event)
{
	enum dp_json_result result;
	struct dp_json_text text;
	uint32_t seen = 0;
	size_t depth = 1;
	enum key key;

	event->has = 0;
	event->wanted = DP_CHROME_ARGS;
	event->phase = 0;
	event->pid_text.length = 0;
	event->tid_text.length = 0;
	json->at++;
	do {
		result = next_member(json, &text);
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
	return dp_json__leave(json, &depth);
}

static enum dp_json_result parse_event(struct document *doc, struct dp_json *json)
{
	return read_event(json, doc->chrome, &doc->event);
}

/* One object of deviceProperties. */
static enum dp_json_result parse_device(struct document *doc, struct dp_json *json)
{
	struct dp_chrome_device *device = &doc->device;
	enum dp_json_result result;
	struct dp_json_text key;
	uint32_t has = 0;

	*device = (struct dp_chrome_device){ .id = -1 };
	json->at++;
	for (;;) {
		result = next_member(json, &key);
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
	}
}

/* Reads what must lie in one piece, and moves behind it. DP_JSON_MORE: the file ends in it. */
static enum dp_json_result piece(struct document *doc,
				 enum dp_json_result (*parse)(struct document *, struct dp_json *))
{
	struct dp_json_stream *stream = &doc->stream;
	enum dp_json_result result;
	struct dp_json json;

	do {
		json = stream->json;
		result = parse(doc, &json);
	} while (result == DP_JSON_MORE && dp_json_stream__more(stream) == DP_JSON_OK);
	if (result == DP_JSON_OK) {
		doc->credit += (uint64_t)(json.at - stream->json.at);
		stream->json.at = json.at;
	} else if (result == DP_JSON_MORE) {
		doc->failed = stream->json.end;
		if (!stream->last)
			result = DP_JSON_BROKEN;
	} else {
		doc->failed = json.at;
	}
	return result;
}

static bool stopped(const struct document *doc)
{
	return doc->status || doc->stream.status;
}

static struct place here(const struct document *doc)
{
	struct place place = { .offset =
				       dp_json_stream__offset(&doc->stream, doc->stream.json.at) };

	dp_json_stream__place(&doc->stream, &place.line, &place.column);
	return place;
}

/* The file ended where it should not. */
static void ran_out(struct document *doc, bool inside)
{
	doc->truncated = true;
	doc->inside = inside;
	doc->end = here(doc);
}

/*
 * After a broken place at json.at, which could not be read beyond failed: to where the next event
 * begins, and true. Where there is none, the file's end is to blame if it was met.
 */
static bool recover(struct document *doc, const char *failed, bool met_end)
{
	struct dp_json_stream *stream = &doc->stream;
	uint64_t again = (uint64_t)(failed - stream->json.at);
	struct place place = { 0 };
	bool found;

	if (!doc->broken || met_end)
		place = here(doc);
	if (again && again <= doc->credit) {
		doc->credit -= again;
		stream->json.at++;
	} else {
		stream->json.at = failed;
	}
	found = dp_json_stream__find_object(stream, event_keys);
	if (met_end && !found) {
		doc->truncated = doc->inside = true;
		doc->end = place;
	} else {
		if (!doc->broken)
			doc->first_broken = place;
		doc->broken++;
	}
	return found;
}

/* One event; false where no other follows. */
static bool one_event(struct document *doc)
{
	const struct dp_chrome_event *event = &doc->event;
	struct dp_chrome *chrome = doc->chrome;
	enum dp_json_result result = piece(doc, parse_event);

	if (stopped(doc))
		return false;
	if (result != DP_JSON_OK)
		return recover(doc, doc->failed, result == DP_JSON_MORE);
	chrome->events += (event->has & (DP_CHROME_PHASE | DP_CHROME_CATEGORY)) != 0;
	if (event->has & DP_CHROME_PHASE && !(event->has & DP_CHROME_SKIP))
		doc->status = chrome->event(chrome->ctx, event);
	return !doc->status;
}

/* Events up to the array's end; false where nothing more is to be read. */
static bool read_events(struct document *doc)
{
	struct dp_json_stream *stream = &doc->stream;

	doc->has_events = true;
	for (;;) {
		switch (dp_json_stream__peek(stream)) {
		case ',':
			stream->json.at++;
			break;
		case ']':
			stream->json.at++;
			return true;
		case '{':
			if (!one_event(doc))
				return false;
			break;
		default:
			if (stopped(doc))
				return false;
			if (stream->json.at == stream->json.end) {
				ran_out(doc, false);
				return false;
			}
			if (!recover(doc, stream->json.at + 1, false))
				return false;
		}
	}
}

/* The next key of an object of any size, json.at at its value. False: end or broken. */
static bool next_key(struct document *doc, struct dp_json_text *key)
{
	struct dp_json_stream *stream = &doc->stream;
	char c = dp_json_stream__peek(stream);

	if (c == ',') {
		stream->json.at++;
		c = dp_json_stream__peek(stream);
	}
	return c == '"' && dp_json_stream__string(stream, DP_JSON_KEY, key) == DP_JSON_OK;
}

/* Over the colon, to the value; its first character. */
static char to_value(struct document *doc)
{
	struct dp_json_stream *stream = &doc->stream;

	dp_json_stream__peek(stream);
	if (stream->json.at < stream->json.end)
		stream->json.at++;
	return dp_json_stream__peek(stream);
}

/* distributedInfo, which can list thousands of ranks. */
static bool read_distributed(struct document *doc)
{
	struct dp_json_stream *stream = &doc->stream;
	struct dp_json_text key;
	int64_t value;
	bool known, rank;

	stream->json.at++;
	while (next_key(doc, &key)) {
		rank = key.length == 4 && !memcmp(key.at, "rank", 4);
		to_value(doc);
		if (!rank) {
			if (dp_json_stream__skip(stream) != DP_JSON_OK)
				return false;
			continue;
		}
		if (dp_json_stream__number(stream, DP_JSON_IN_OBJECT, &value, &known) != DP_JSON_OK)
			return false;
		if (known && value >= 0)
			doc->chrome->rank = value;
	}
	if (dp_json_stream__peek(stream) != '}')
		return false;
	stream->json.at++;
	return true;
}

static bool read_devices(struct document *doc)
{
	struct dp_json_stream *stream = &doc->stream;
	struct dp_chrome *chrome = doc->chrome;
	char c;

	stream->json.at++;
	for (;;) {
		c = dp_json_stream__peek(stream);
		if (c == '{') {
			if (piece(doc, parse_device) != DP_JSON_OK)
				return false;
			if (chrome->device)
				doc->status = chrome->device(chrome->ctx, &doc->device);
			if (doc->status)
				return false;
		} else if (c == ',') {
			stream->json.at++;
		} else {
			break;
		}
	}
	if (c != ']')
		return false;
	stream->json.at++;
	return true;
}

enum member { OTHER, EVENTS, DEVICES, DISTRIBUTED, BASE, ROCPROFILER, KINETO };

static enum member which(const struct dp_json_text *key)
{
	static const struct {
		const char *name;
		enum member member;
	} known[] = {
		{ "traceEvents", EVENTS },
		{ "deviceProperties", DEVICES },
		{ "distributedInfo", DISTRIBUTED },
		{ "baseTimeNanoseconds", BASE },
		{ "rocprofiler-sdk-tool", ROCPROFILER },
		{ "schemaVersion", KINETO },
		{ "traceName", KINETO },
	};

	for (size_t i = 0; i < DP_COUNT(known); i++)
		if (key->length == strlen(known[i].name) &&
		    !memcmp(key->at, known[i].name, key->length))
			return known[i].member;
	return OTHER;
}

/* One member of the document. False: it is broken, or nothing more is to be read. */
static bool read_member(struct document *doc, enum member member, char first)
{
	struct dp_json_stream *stream = &doc->stream;
	struct dp_chrome *chrome = doc->chrome;
	int64_t value;
	bool known;

	if (member == EVENTS && first == '[') {
		stream->json.at++;
		return read_events(doc);
	}
	if (member == DEVICES && first == '[')
		return read_devices(doc);
	if (member == DISTRIBUTED && first == '{')
		return read_distributed(doc);
	if (member != BASE)
		return dp_json_stream__skip(stream) == DP_JSON_OK;
	if (dp_json_stream__number(stream, DP_JSON_IN_OBJECT, &value, &known) != DP_JSON_OK)
		return false;
	if (known) {
		chrome->base_ns = value;
		chrome->base_known = true;
	}
	return true;
}

/* The members up to the closing brace; false where one is broken or the file ends. */
static bool read_members(struct document *doc)
{
	struct dp_json_text key;
	enum member member;

	while (next_key(doc, &key)) {
		member = which(&key);
		if (member == ROCPROFILER) {
			doc->rocprofiler = true;
			return false;
		}
		if (!read_member(doc, member, to_value(doc)) || doc->truncated)
			return false;
	}
	return dp_json_stream__peek(&doc->stream) == '}';
}

/*
 * After a broken place outside of events, and after the document's end: events that follow are
 * read all the same, so that one flipped bracket doesn't lose them.
 */
static void read_rest(struct document *doc)
{
	struct dp_json_stream *stream = &doc->stream;

	while (!stopped(doc) && !doc->truncated && !doc->rocprofiler) {
		if (!dp_json_stream__peek(stream) && stream->json.at == stream->json.end)
			break;
		if (!recover(doc, stream->json.at + 1, false))
			break;
		if (read_events(doc) && read_members(doc))
			stream->json.at++;
	}
}

static void read_document(struct document *doc)
{
	struct dp_json_stream *stream = &doc->stream;
	bool good = false;

	if (stream->json.end - stream->json.at >= 3 && !memcmp(stream->json.at, "\xef\xbb\xbf", 3))
		stream->json.at += 3;
	switch (dp_json_stream__peek(stream)) {
	case '[':
		stream->json.at++;
		good = read_events(doc);
		break;
	case '{':
		stream->json.at++;
		good = read_members(doc);
		stream->json.at += good;
		break;
	default:
		break;
	}
	if (!good && !stopped(doc) && !doc->truncated && stream->json.at == stream->json.end)
		ran_out(doc, false);
	read_rest(doc);
}

static int fail(const struct document *doc, const struct place *place, int status,
		const char *message)
{
	struct dp_error *error = doc->chrome->import->error;

	if (place && place->line)
		dp_error__where(error, NULL, NULL, place->line, place->column);
	return dp_error__set(error, status, "%s", message);
}

/* Nothing was read: why. */
static int no_events(const struct document *doc)
{
	if (doc->rocprofiler)
		return fail(doc, NULL, DP_ERR_UNSUPPORTED,
			    "rocprofv3's own JSON (rocprofiler-sdk-tool), which is not supported: "
			    "a Chrome trace has traceEvents");
	if (doc->broken)
		return fail(doc, &doc->first_broken, DP_ERR_DAMAGED,
			    "broken JSON, and no trace event can be read");
	if (doc->truncated)
		return fail(doc, &doc->end, DP_ERR_DAMAGED,
			    "file ends before the first trace event");
	if (!doc->has_events)
		return fail(doc, NULL, DP_ERR_FORMAT, "JSON, but no trace: it has no traceEvents");
	return DP_OK;
}

static int report(const struct document *doc)
{
	struct dp_builder *builder = doc->chrome->import->builder;
	int status = DP_OK;

	if (!doc->chrome->events)
		return no_events(doc);
	if (doc->broken)
		status = dp_builder__loss(builder, "broken JSON events", doc->broken,
					  doc->first_broken.offset);
	if (!status && doc->truncated)
		status = dp_builder__loss(builder,
					  doc->inside ? "file ends inside an event"
						      : "file ends before its JSON does",
					  doc->inside, doc->end.offset);
	return status;
}

int dp_chrome__read(struct dp_chrome *chrome)
{
	struct document doc = { .chrome = chrome, .credit = 1 << 20 };
	int status;

	chrome->rank = -1;
	status = dp_json_stream__open(&doc.stream, chrome->import);
	if (!status)
		read_document(&doc);
	if (!status)
		status = doc.stream.status;
	if (!status)
		status = doc.status;
	if (!status)
		status = report(&doc);
	dp_json_stream__close(&doc.stream);
	return status;
}

/* Everything in args of everything. */
static uint32_t want_all(void *ctx, const char *category, size_t length)
{
	return DP_CHROME_ARGS;
}

static bool has_prefix(const struct dp_json_text *text, const char *prefix)
{
	size_t length = strlen(prefix);

	return text->length >= length && !memcmp(text->at, prefix, length);
}

static bool is_tensorflow(const struct dp_chrome_event *event)
{
	static const char *const rows[] = { "/device:", "/job:", "/gpu:", "/cpu:", "Allocators" };

	if (event->has & DP_CHROME_CATEGORY && event->category.length == 2)
		return !memcmp(event->category.at, "Op", 2);
	for (size_t i = 0; event->has & DP_CHROME_ARG_NAME && i < DP_COUNT(rows); i++)
		if (event->phase == 'M' && has_prefix(&event->arg_name, rows[i]))
			return true;
	return false;
}

static void look_at_events(struct dp_chrome_look *look, struct dp_json *json, bool known)
{
	const struct dp_chrome all = { .want = want_all };
	struct dp_chrome_event event;
	char c;

	look->events = known;
	for (;;) {
		c = dp_json__peek(json);
		if (c == ',') {
			json->at++;
			continue;
		}
		if (c != '{' || read_event(json, &all, &event) != DP_JSON_OK)
			return;
		look->events = look->events || event.has & DP_CHROME_PHASE;
		if (is_tensorflow(&event)) {
			look->tensorflow = true;
			return;
		}
	}
}

static void look_at_members(struct dp_chrome_look *look, struct dp_json *json)
{
	struct dp_json_text key;

	while (next_member(json, &key) == DP_JSON_OK && key.at) {
		switch (which(&key)) {
		case EVENTS:
			if (*json->at != '[')
				return;
			json->at++;
			look_at_events(look, json, true);
			return;
		case ROCPROFILER:
			look->rocprofiler = true;
			return;
		case DEVICES:
		case DISTRIBUTED:
		case BASE:
		case KINETO:
			look->kineto = true;
			break;
		case OTHER:
			break;
		}
		if (dp_json__skip(json, DP_JSON_IN_OBJECT) != DP_JSON_OK)
			return;
	}
}

void dp_chrome__look(struct dp_chrome_look *look, const struct dp_probe *probe)
{
	struct dp_json json;
	char *copy, c;

	memset(look, 0, sizeof(*look));
	if (!probe->length || !memchr("{[ \t\r\n\xef", probe->head[0], 7))
		return;
	copy = dp_alloc__zeroed(probe->length + DP_JSON_PAD, 1);
	if (!copy)
		return;
	memcpy(copy, probe->head, probe->length);
	json = (struct dp_json){ copy, copy + probe->length };
	if (probe->length >= 3 && !memcmp(copy, "\xef\xbb\xbf", 3))
		json.at += 3;
	c = dp_json__peek(&json);
	look->json = c == '{' || c == '[';
	json.at += look->json;
	if (c == '{')
		look_at_members(look, &json);
	else if (c == '[')
		look_at_events(look, &json, false);
	free(copy);
}
