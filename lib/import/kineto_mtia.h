/*
 * Kineto's traces of Meta's accelerators (MTIA), whose events of all kinds are in one category:
 * what they have in args tells what they are.
 */
#ifndef DP_IMPORT_KINETO_MTIA_H
#define DP_IMPORT_KINETO_MTIA_H

#include "import/chrome.h"
#include "import/kineto_class.h"

/* The args that are needed. */
#define DP_KINETO_MTIA_ARGS \
	(DP_CHROME_STREAM | DP_CHROME_CORRELATION | DP_CHROME_SIZE | DP_CHROME_OP | DP_CHROME_INDEX)

/* What an event is; a copy's and a wait's name become those of Kineto's other devices. */
enum dp_kineto_class dp_kineto_mtia__read(struct dp_chrome_event *event);

#endif
