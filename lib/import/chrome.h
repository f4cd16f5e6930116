/*
 * The Chrome trace document ("Trace Event Format"), as Kineto and TensorFlow write it. It is read
 * event by event. The caller selects what it needs of each category; the rest of such events is
 * skipped.
 */
#ifndef DP_IMPORT_CHROME_H
#define DP_IMPORT_CHROME_H

#include "import/import.h"
#include "import/json_scan.h"

/* What an event has, as bits. Times and ids count only if they are numbers. */
enum {
	DP_CHROME_NAME = 1 << 0,
	DP_CHROME_CATEGORY = 1 << 1,
	DP_CHROME_PHASE = 1 << 2,
	DP_CHROME_START = 1 << 3,
	DP_CHROME_DURATION = 1 << 4,
	DP_CHROME_PID = 1 << 5,
	DP_CHROME_TID = 1 << 6,
	/* In args: */
	DP_CHROME_DETAILS = 1 << 7, /* of XLA's copies and memsets */
	DP_CHROME_DEVICE = 1 << 8,
	DP_CHROME_CONTEXT = 1 << 9,
	DP_CHROME_STREAM = 1 << 10,
	DP_CHROME_CORRELATION = 1 << 11,
	DP_CHROME_BYTES = 1 << 12,
	DP_CHROME_ARG_NAME = 1 << 13,
	DP_CHROME_LABELS = 1 << 14,
	DP_CHROME_OP = 1 << 15, /* or the direction of a copy */
	DP_CHROME_SIZE = 1 << 16,
	DP_CHROME_DEVICE_TYPE = 1 << 17,
	DP_CHROME_TASK = 1 << 18,
	DP_CHROME_INDEX = 1 << 19, /* or the row of a grid */
	DP_CHROME_ARGS = 0xfff80,
	/* A wait for an event has none of these, but the work waited for, with the same bits: */
	DP_CHROME_WAIT_STREAM = DP_CHROME_INDEX,
	DP_CHROME_WAIT_RECORD = DP_CHROME_SIZE, /* the correlation of the event's record */
	DP_CHROME_WAIT_EVENT = DP_CHROME_BYTES,
	/* In the args of communication kernels: */
	DP_CHROME_COLLECTIVE = 1 << 20,
	DP_CHROME_ELEMENTS_IN = 1 << 21,
	DP_CHROME_ELEMENTS_OUT = 1 << 22,
	DP_CHROME_DTYPE = 1 << 23,
	DP_CHROME_GROUP_NAME = 1 << 24,
	DP_CHROME_GROUP_RANKS = 1 << 25,
	DP_CHROME_GROUP_SIZE = 1 << 26,
	DP_CHROME_SEQUENCE = 1 << 27,
	DP_CHROME_PEER_SOURCE = 1 << 28,
	DP_CHROME_PEER_TARGET = 1 << 29,
	DP_CHROME_COMMUNICATION = 0x3ff00000,
	/* Returned by want() to skip the event. */
	DP_CHROME_SKIP = 1 << 30,
	/* Of args that have no bit of their own: keys, never in has. */
	DP_CHROME_EXACT_START = DP_CHROME_SKIP | DP_CHROME_START,
	DP_CHROME_EXACT_END = DP_CHROME_SKIP | DP_CHROME_DURATION,
};

/* In the args of kernels. A macro, because an enumeration cannot hold the highest bit. */
#define DP_CHROME_OCCUPANCY (UINT32_C(1) << 31)

/*
 * A member is valid if has contains its bit; texts are borrowed during the call of event().
 * pid_text and tid_text hold an id that is not a number ("stream 7"), and are empty otherwise.
 */
struct dp_chrome_event {
	uint32_t has;
	uint32_t wanted; /* what want() returned, or everything in args */
	char phase;
	struct dp_json_text name, category;
	int64_t start_ns, duration_ns;
	int64_t exact_start_ns, exact_end_ns; /* rocprof's, by its own clock; -1: not in args */
	int64_t pid, tid;
	struct dp_json_text pid_text, tid_text;
	int64_t device, context, stream, correlation, bytes, size, device_type, index, occupancy;
	struct dp_json_text arg_name, labels, op, task, details;
	struct dp_json_text collective, dtype, group_name, group_ranks;
	int64_t elements_in, elements_out, group_size, sequence, peer_source, peer_target;
};

struct dp_chrome_device {
	int64_t id; /* -1 if unknown */
	int64_t bytes;
	struct dp_json_text name; /* may be empty */
};

struct dp_chrome {
	const struct dp_import *import;
	void *ctx;
	/*
	 * Returns which args are needed from events of this category (the bits above), or
	 * DP_CHROME_SKIP. Args are read until these are found, so others may or may not be found.
	 * May be called more than once for an event.
	 */
	uint32_t (*want)(void *ctx, const char *category, size_t length);
	bool instants; /* events with phase i are read, too */
	/* Handles one event with phase X or M (or i). A status stops the reading. */
	int (*event)(void *ctx, const struct dp_chrome_event *event);
	/* Handles one entry of deviceProperties. May be NULL. */
	int (*device)(void *ctx, const struct dp_chrome_device *device);

	/* Results: */
	int64_t base_ns; /* baseTimeNanoseconds */
	bool base_known;
	int64_t rank; /* from distributedInfo, -1 if unknown */
	uint64_t events;
};

/*
 * Reads the input to its end. Damage is reported as loss; if no event could be read, it is an error
 * with its place (DP_ERR_DAMAGED, DP_ERR_FORMAT, DP_ERR_UNSUPPORTED).
 */
int dp_chrome__read(struct dp_chrome *chrome);

/* What the beginning of a file shows. */
struct dp_chrome_look {
	bool json;	  /* begins as a JSON object or array */
	bool events;	  /* has traceEvents, or is an array of events */
	bool kineto;	  /* has a key that only Kineto writes */
	bool rocprofiler; /* rocprofv3's own JSON */
	bool rocprof;	  /* names rows as rocprof does */
	bool tensorflow;  /* names processes as TensorFlow 1's timeline does */
	bool xla;	  /* names them as XLA's profiler does, of TensorFlow 2 and JAX */
};

void dp_chrome__look(struct dp_chrome_look *look, const struct dp_probe *probe);

/* Returns the number that a launch and its operation share, 0 if unknown or beyond 32 bits. */
uint32_t dp_chrome__correlation(const struct dp_chrome_event *event);

#endif
