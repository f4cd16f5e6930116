/*
 * The trace.json.gz that JAX and TensorFlow 2 write next to an XPlane: Chrome events without
 * category, in rows named like the planes and lines. It ends after one or five million events.
 */
#ifndef DP_IMPORT_KINETO_XLA_H
#define DP_IMPORT_KINETO_XLA_H

#include "import/chrome.h"
#include "import/kineto_class.h"
#include "import/xla_name.h"
#include "base/lookup.h"

/* Zero it first. */
struct dp_kineto_xla {
	struct dp_lookup pids;	  /* from pid to the row's meaning, see kineto_xla.c */
	char step[DP_XLA_STEP_SIZE]; /* name of the step read last */
	struct dp_lookup threads; /* likewise from pid and tid */
	uint64_t events;	  /* events read */
};

void dp_kineto_xla__fini(struct dp_kineto_xla *xla);

/* Notes a row that a metadata event names. Errors: DP_ERR_NOMEM. */
int dp_kineto_xla__note(struct dp_kineto_xla *xla, const struct dp_chrome_event *event);

/* Like dp_kineto_rocprof__read(). */
enum dp_kineto_class dp_kineto_xla__read(struct dp_kineto_xla *xla, struct dp_chrome_event *event);

/* Returns true if the row is the host's; its events then have the pid -1. */
bool dp_kineto_xla__is_host(const struct dp_kineto_xla *xla, int64_t pid);

/* Returns true if the writer's limit was reached: later events are not in the file. */
bool dp_kineto_xla__is_capped(const struct dp_kineto_xla *xla);

#endif
