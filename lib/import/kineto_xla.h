/*
 * The trace.json.gz that JAX and TensorFlow 2 write next to an XPlane: Chrome events without
 * category, whose rows are named as the planes and lines are. It ends after one or five million
 * events.
 */
#ifndef DP_IMPORT_KINETO_XLA_H
#define DP_IMPORT_KINETO_XLA_H

#include "import/chrome.h"
#include "import/kineto_class.h"
#include "base/lookup.h"

/* Zero it. */
struct dp_kineto_xla {
	struct dp_lookup pids;	  /* pid: what it stands for, as kineto_xla.c says */
	struct dp_lookup threads; /* pid, tid: the same */
	uint64_t events;	  /* that were read */
};

void dp_kineto_xla__fini(struct dp_kineto_xla *xla);

/* Takes note of a row that a metadata event names. Errors: DP_ERR_NOMEM. */
int dp_kineto_xla__note(struct dp_kineto_xla *xla, const struct dp_chrome_event *event);

/* As dp_kineto_rocprof__read(). */
enum dp_kineto_class dp_kineto_xla__read(struct dp_kineto_xla *xla, struct dp_chrome_event *event);

/* The row is the host's, whose events have -1 as their pid then. */
bool dp_kineto_xla__is_host(const struct dp_kineto_xla *xla, int64_t pid);

/* The writer's limit was reached: events after it are not in the file. */
bool dp_kineto_xla__is_capped(const struct dp_kineto_xla *xla);

#endif
