/* Recognizes a trace by the file's first bytes. */
#include "import/chrome_event.h"
#include "import/kineto_rocprof.h"

#include <string.h>

/* Enough for the properties of 16 devices, and for the first rows of a timeline. */
#define LOOK_BYTES ((size_t)16 << 10)

/* Requests all args of every event. */
static uint32_t want_all(void *ctx, const char *category, size_t length)
{
	return DP_CHROME_ARGS;
}

static bool has_prefix(const struct dp_json_text *text, const char *prefix)
{
	size_t length = strlen(prefix);

	return text->length >= length && !memcmp(text->at, prefix, length);
}

/* XLA: "/device:GPU:0". TensorFlow 1: "/device:GPU:0/stream:all Compute". */
static bool is_xla(const struct dp_chrome_event *event)
{
	return event->phase == 'M' && event->has & DP_CHROME_ARG_NAME &&
	       (has_prefix(&event->arg_name, "/device:") ||
		has_prefix(&event->arg_name, "/host:")) &&
	       !memchr(event->arg_name.at, ' ', event->arg_name.length);
}

static bool is_tensorflow(const struct dp_chrome_event *event)
{
	static const char *const rows[] = { "/device:", "/job:", "/gpu:", "/cpu:", "Allocators" };

	if (event->has & DP_CHROME_CATEGORY && event->category.length == 2)
		return !memcmp(event->category.at, "Op", 2);
	if (!(event->has & DP_CHROME_ARG_NAME) || event->phase != 'M')
		return false;
	if (is_xla(event))
		return false;
	for (size_t i = 0; i < DP_COUNT(rows); i++)
		if (has_prefix(&event->arg_name, rows[i]))
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
		if (c != '{' || dp_chrome__parse_event(json, &all, &event) != DP_JSON_OK)
			return;
		look->events = look->events || event.has & DP_CHROME_PHASE;
		if (event.phase == 'M' && dp_kineto_rocprof__is_row(&event))
			look->rocprof = true;
		look->xla = look->xla || is_xla(&event);
		if (is_tensorflow(&event)) {
			look->tensorflow = true;
			return;
		}
	}
}

static void look_at_members(struct dp_chrome_look *look, struct dp_json *json)
{
	struct dp_json_text key;

	while (dp_json__member(json, &key) == DP_JSON_OK && key.at) {
		switch (dp_chrome__member(&key)) {
		case DP_CHROME_EVENTS:
			if (*json->at != '[')
				return;
			json->at++;
			look_at_events(look, json, true);
			return;
		case DP_CHROME_ROCPROFILER:
			look->rocprofiler = true;
			return;
		case DP_CHROME_DEVICES:
		case DP_CHROME_DISTRIBUTED:
		case DP_CHROME_BASE:
		case DP_CHROME_KINETO:
			look->kineto = true;
			break;
		case DP_CHROME_OTHER:
			break;
		}
		if (dp_json__skip(json, DP_JSON_IN_OBJECT) != DP_JSON_OK)
			return;
	}
}

void dp_chrome__look(struct dp_chrome_look *look, const struct dp_probe *probe)
{
	char copy[LOOK_BYTES + DP_JSON_PAD];
	size_t length = DP_MIN(probe->length, LOOK_BYTES);
	struct dp_json json = { copy, copy + length };
	char c;

	memset(look, 0, sizeof(*look));
	memcpy(copy, probe->head, length);
	memset(copy + length, 0, DP_JSON_PAD);
	if (length >= 3 && !memcmp(copy, "\xef\xbb\xbf", 3))
		json.at += 3;
	c = dp_json__peek(&json);
	look->json = c == '{' || c == '[';
	json.at += look->json;
	if (c == '{')
		look_at_members(look, &json);
	else if (c == '[')
		look_at_events(look, &json, false);
}
