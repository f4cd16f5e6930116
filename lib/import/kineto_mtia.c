/* A kernel runs on a grid of elements and names its element; a transfer has a direction. */
#include "import/kineto_mtia.h"
#include "base/base.h"

#include <string.h>

static struct dp_json_text text_of(const char *text)
{
	return (struct dp_json_text){ .at = text, .length = strlen(text) };
}

static const char *copy_name(const struct dp_json_text *direction)
{
	return dp_json__is(direction, "HOST_TO_DEVICE")	    ? "Memcpy HtoD"
	       : dp_json__is(direction, "DEVICE_TO_HOST")   ? "Memcpy DtoH"
	       : dp_json__is(direction, "DEVICE_TO_DEVICE") ? "Memcpy DtoD"
							    : "Memcpy";
}

enum dp_kineto_class dp_kineto_mtia__read(struct dp_chrome_event *event)
{
	if (!(event->has & DP_CHROME_NAME))
		return DP_KINETO_SKIP;
	if (dp_json__is(&event->name, "dma_request")) {
		event->name =
			text_of(copy_name(event->has & DP_CHROME_OP ? &event->op : &event->name));
		event->bytes = event->size;
		event->has |= event->has & DP_CHROME_SIZE ? DP_CHROME_BYTES : 0;
		return DP_KINETO_COPY;
	}
	if (dp_json__is(&event->name, "event_wait")) {
		event->name = text_of("Stream Wait Event");
		return DP_KINETO_SYNC;
	}
	return event->has & DP_CHROME_INDEX ? DP_KINETO_KERNEL : DP_KINETO_SKIP;
}
