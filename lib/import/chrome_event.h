/* The objects of a Chrome trace that are parsed in place. */
#ifndef DP_IMPORT_CHROME_EVENT_H
#define DP_IMPORT_CHROME_EVENT_H

#include "import/chrome.h"

/*
 * Parses the event at json->at. Stops as soon as the event turns out to be unwanted, with
 * DP_CHROME_SKIP in has. A repeated key shows that a string swallowed the end of one event and the
 * beginning of the next: returns DP_JSON_BROKEN.
 */
enum dp_json_result dp_chrome__parse_event(struct dp_json *json, const struct dp_chrome *chrome,
					   struct dp_chrome_event *event);

/* Parses one object of deviceProperties. */
enum dp_json_result dp_chrome__parse_device(struct dp_json *json, struct dp_chrome_device *device);

/* The keys of the document. */
enum dp_chrome_member {
	DP_CHROME_OTHER,
	DP_CHROME_EVENTS,
	DP_CHROME_DEVICES,
	DP_CHROME_DISTRIBUTED,
	DP_CHROME_BASE,
	DP_CHROME_ROCPROFILER,
	DP_CHROME_KINETO, /* ignored, but only Kineto writes it */
};

enum dp_chrome_member dp_chrome__member(const struct dp_json_text *key);

#endif
