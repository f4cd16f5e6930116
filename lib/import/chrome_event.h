/* The pieces of a Chrome trace that are scanned where they lie. */
#ifndef DP_IMPORT_CHROME_EVENT_H
#define DP_IMPORT_CHROME_EVENT_H

#include "import/chrome.h"

/*
 * The event at json->at. One that nobody wants is left as soon as that is known, with
 * DP_CHROME_SKIP in has. A key that comes twice shows that a string swallowed the end of one
 * event and the beginning of the next: DP_JSON_BROKEN.
 */
enum dp_json_result dp_chrome__parse_event(struct dp_json *json, const struct dp_chrome *chrome,
					   struct dp_chrome_event *event);

/* One object of deviceProperties. */
enum dp_json_result dp_chrome__parse_device(struct dp_json *json, struct dp_chrome_device *device);

/* What a key of the document means. */
enum dp_chrome_member {
	DP_CHROME_OTHER,
	DP_CHROME_EVENTS,
	DP_CHROME_DEVICES,
	DP_CHROME_DISTRIBUTED,
	DP_CHROME_BASE,
	DP_CHROME_ROCPROFILER,
	DP_CHROME_KINETO, /* nothing to read, but only Kineto writes it */
};

enum dp_chrome_member dp_chrome__member(const struct dp_json_text *key);

#endif
