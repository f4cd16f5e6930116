/*
 * Kineto's traces of Meta's accelerators (MTIA). Events of all kinds are in one category; their
 * args show their kind.
 */
#ifndef DP_IMPORT_KINETO_MTIA_H
#define DP_IMPORT_KINETO_MTIA_H

#include "import/chrome.h"
#include "import/kineto_class.h"

/* The args needed. */
#define DP_KINETO_MTIA_ARGS \
	(DP_CHROME_STREAM | DP_CHROME_CORRELATION | DP_CHROME_SIZE | DP_CHROME_OP | DP_CHROME_INDEX)

/* Classifies an event; renames copies and waits as Kineto does for other devices. */
enum dp_kineto_class dp_kineto_mtia__read(struct dp_chrome_event *event);

#endif
