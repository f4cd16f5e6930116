/*
 * The document may be an object with traceEvents anywhere among its keys, or an array of events.
 * After broken JSON, the reader counts the damage and skips to the next object that begins like an
 * event. To stay linear, it rereads no more bytes than it has read successfully.
 */
#include "import/chrome_event.h"
#include "import/json_stream.h"

#include <string.h>

/* The keys by which an event is recognized; "id" is too common elsewhere. */
static const char *const event_keys[] = { "ph", "name", "cat",	"pid", "tid",
					  "ts", "dur",	"args", NULL };

struct place {
	uint64_t offset, line, column;
};

struct document {
	struct dp_chrome *chrome;
	struct dp_json_stream stream;
	struct dp_chrome_event event;
	struct dp_chrome_device device;
	uint64_t broken;
	struct place first_broken;
	bool truncated; /* the file ended inside the document … */
	bool inside;	/* … and inside an event */
	struct place end;
	bool has_events; /* there is a key traceEvents, or an array */
	bool is_list;	 /* the latter */
	bool has_others; /* there are objects in it that are no events */
	bool rocprofiler;
	bool not_json;
	int status; /* returned by a callback */
};

static enum dp_json_result parse_event(void *ctx, struct dp_json *json)
{
	struct document *doc = ctx;

	return dp_chrome__parse_event(json, doc->chrome, &doc->event);
}

static enum dp_json_result parse_device(void *ctx, struct dp_json *json)
{
	struct document *doc = ctx;

	return dp_chrome__parse_device(json, &doc->device);
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

/* Notes that the file ended too early. */
static void ran_out(struct document *doc, bool inside)
{
	doc->truncated = true;
	doc->inside = inside;
	doc->end = here(doc);
}

/*
 * Recovers from broken JSON at json.at: moves to the next event and returns true, or returns false
 * if there is none. Counts a broken place, or notes a truncated file if its end was met (inside an
 * event?) and no event follows.
 */
static bool recover(struct document *doc, bool met_end, bool inside)
{
	struct dp_json_stream *stream = &doc->stream;
	struct place place = { 0 };
	bool found;

	if (!doc->broken || met_end)
		place = here(doc);
	dp_json_stream__pass(stream);
	found = dp_json_stream__find_object(stream, event_keys);
	if (met_end && !found) {
		doc->truncated = true;
		doc->inside = inside;
		doc->end = place;
	} else {
		if (!doc->broken)
			doc->first_broken = place;
		doc->broken++;
	}
	return found;
}

/* Reads one event. Returns false if reading must stop. */
static bool one_event(struct document *doc)
{
	const struct dp_chrome_event *event = &doc->event;
	struct dp_chrome *chrome = doc->chrome;
	enum dp_json_result result = dp_json_stream__piece(&doc->stream, parse_event, doc);

	if (stopped(doc))
		return false;
	if (result != DP_JSON_OK)
		return recover(doc, result == DP_JSON_MORE, true);
	if (event->has & (DP_CHROME_PHASE | DP_CHROME_CATEGORY))
		chrome->events++;
	else
		doc->has_others = true;
	if (event->has & DP_CHROME_PHASE && !(event->has & DP_CHROME_SKIP))
		doc->status = chrome->event(chrome->ctx, event);
	return !doc->status;
}

/* Reads events up to the array's end. Returns false if reading must stop. */
static bool read_events(struct document *doc)
{
	struct dp_json_stream *stream = &doc->stream;

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
			if (!recover(doc, false, false))
				return false;
		}
	}
}

/* Reads the rank from distributedInfo, which can list thousands of ranks. */
static bool read_distributed(struct document *doc)
{
	struct dp_json_stream *stream = &doc->stream;
	struct dp_json_text key;
	int64_t value;
	bool known, rank;

	stream->json.at++;
	while (dp_json_stream__key(stream, &key)) {
		rank = key.length == 4 && !memcmp(key.at, "rank", 4);
		dp_json_stream__value(stream);
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
			if (dp_json_stream__piece(stream, parse_device, doc) != DP_JSON_OK)
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

/* Reads one member of the document. Returns false if it is broken or reading must stop. */
static bool read_member(struct document *doc, enum dp_chrome_member member, char first)
{
	struct dp_json_stream *stream = &doc->stream;
	struct dp_chrome *chrome = doc->chrome;
	int64_t value;
	bool known;

	if (member == DP_CHROME_EVENTS && first == '[') {
		doc->has_events = true;
		stream->json.at++;
		return read_events(doc);
	}
	if (member == DP_CHROME_DEVICES && first == '[')
		return read_devices(doc);
	if (member == DP_CHROME_DISTRIBUTED && first == '{')
		return read_distributed(doc);
	if (member != DP_CHROME_BASE)
		return dp_json_stream__skip(stream) == DP_JSON_OK;
	if (dp_json_stream__number(stream, DP_JSON_IN_OBJECT, &value, &known) != DP_JSON_OK)
		return false;
	if (known) {
		chrome->base_ns = value;
		chrome->base_known = true;
	}
	return true;
}

/* Reads the members up to the closing brace. Returns false if one is broken or the file ends. */
static bool read_members(struct document *doc)
{
	struct dp_json_stream *stream = &doc->stream;
	struct dp_json_text key;
	enum dp_chrome_member member;

	while (dp_json_stream__key(stream, &key)) {
		member = dp_chrome__member(&key);
		if (member == DP_CHROME_ROCPROFILER) {
			doc->rocprofiler = true;
			return false;
		}
		if (!read_member(doc, member, dp_json_stream__value(stream)) || doc->truncated)
			return false;
	}
	return dp_json_stream__peek(stream) == '}';
}

/*
 * Reads the events after a broken place outside of events, or after the document's end, so that one
 * flipped bracket does not lose them.
 */
static void read_rest(struct document *doc, bool good)
{
	struct dp_json_stream *stream = &doc->stream;
	uint64_t broken = doc->broken;
	bool met_end;

	while (!stopped(doc) && !doc->truncated && !doc->rocprofiler) {
		met_end = stream->cut;
		stream->cut = false;
		if (!dp_json_stream__peek(stream) && stream->json.at == stream->json.end)
			break;
		if (!recover(doc, met_end, false)) {
			/* Data without events after a complete document is no loss. */
			doc->broken = good ? broken : doc->broken;
			break;
		}
		good = read_events(doc) && read_members(doc);
		stream->json.at += good;
		broken = doc->broken;
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
		doc->has_events = doc->is_list = true;
		stream->json.at++;
		good = read_events(doc);
		break;
	case '{':
		stream->json.at++;
		good = read_members(doc);
		stream->json.at += good;
		break;
	default:
		doc->not_json = true;
		return;
	}
	if (!good && !stopped(doc) && !doc->truncated && stream->json.at == stream->json.end)
		ran_out(doc, false);
	read_rest(doc, good);
}

static int fail(const struct document *doc, const struct place *place, int status,
		const char *message)
{
	struct dp_error *error = doc->chrome->import->error;

	if (place && place->line)
		dp_error__where(error, NULL, NULL, place->line, place->column);
	return dp_error__set(error, status, "%s", message);
}

/* Reports why no event was read. */
static int no_events(const struct document *doc)
{
	if (doc->rocprofiler)
		return fail(doc, NULL, DP_ERR_UNSUPPORTED,
			    "rocprofv3's own JSON (rocprofiler-sdk-tool), not a Chrome trace: "
			    "read it with --input-format=rocprofv3");
	if (doc->not_json)
		return fail(doc, NULL, DP_ERR_FORMAT, "not JSON: begins with neither { nor [");
	if (doc->broken && doc->has_events)
		return fail(doc, &doc->first_broken, DP_ERR_DAMAGED,
			    "no trace event can be read: broken JSON, or a list of something "
			    "else");
	if (doc->truncated && !doc->broken)
		return fail(doc, &doc->end, DP_ERR_DAMAGED,
			    "file ends before the first trace event");
	if (!doc->has_events)
		return fail(doc, &doc->first_broken, DP_ERR_FORMAT,
			    "JSON, but not a trace: it has no traceEvents, which torch.profiler's "
			    "export_chrome_trace() writes");
	if (doc->is_list && !doc->has_others)
		return fail(doc, NULL, DP_ERR_FORMAT,
			    "JSON, but not a trace: an empty list; if a profiler wrote it, it "
			    "recorded nothing");
	if (doc->has_others)
		return fail(doc, NULL, DP_ERR_FORMAT,
			    "JSON, but not a trace: no object in its list has a phase (ph), as the "
			    "events of torch.profiler's export_chrome_trace() have");
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
		status = dp_builder__truncated(builder,
					       doc->inside ? "file ends inside an event"
							   : "file ends before its JSON does",
					       doc->inside, doc->end.offset);
	return status;
}

int dp_chrome__read(struct dp_chrome *chrome)
{
	struct document doc = { .chrome = chrome };
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
