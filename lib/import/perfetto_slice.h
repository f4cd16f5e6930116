/*
 * Slices of a Perfetto trace as rocprofv3 and rocprof-sys write them: categories show what they
 * are, track names where they ran, and this adds them to the trace.
 *
 * Devices have the numbers of agents in the file. A copy from or to the host belongs to the other
 * agent.
 */
#ifndef DP_IMPORT_PERFETTO_SLICE_H
#define DP_IMPORT_PERFETTO_SLICE_H

#include "import/lookup.h"
#include "import/rocm.h"
#include "import/wire.h"

/* STREAM: a kernel or a copy; OWN: from a timeline that deepprof exported. */
enum dp_slice_kind {
	DP_SLICE_OTHER,
	DP_SLICE_KERNEL,
	DP_SLICE_COPY,
	DP_SLICE_STREAM,
	DP_SLICE_CALL,
	DP_SLICE_MARKER,
	DP_SLICE_OPERATOR,
	DP_SLICE_OWN
};

/* The debug annotations that are read. */
enum dp_slice_note {
	DP_NOTE_CORRELATION,
	DP_NOTE_AGENT,
	DP_NOTE_SRC_AGENT,
	DP_NOTE_DST_AGENT,
	DP_NOTE_QUEUE,
	DP_NOTE_STREAM,
	DP_NOTE_TID,
	DP_NOTE_BYTES,
	DP_NOTES
};

struct dp_perfetto_slice {
	uint64_t track, flow;
	int64_t note[DP_NOTES]; /* -1 if missing */
	int64_t start_ns;
	uint32_t name;	/* in texts, or DP_NONE */
	uint32_t below; /* the enclosing slice, or DP_NONE */
	enum dp_slice_kind kind;
};

struct dp_slice_track {
	uint64_t parent;			/* 0: none */
	int64_t pid, tid, agent, stream, queue; /* -1: unknown */
};

/* Zero it first, then call dp_slices__init(). */
struct dp_slices {
	const struct dp_import *import;
	struct dp_places places;
	struct dp_texts texts;
	struct dp_lookup track_ids;
	struct dp_slice_track *tracks;
	size_t track_count, track_room;
	int64_t pid; /* of the last process described */
};

void dp_slices__init(struct dp_slices *slices, const struct dp_import *import);
void dp_slices__fini(struct dp_slices *slices);

/* Returns the kind of a slice by a category. */
enum dp_slice_kind dp_slice__kind(const char *category, size_t length);

/* Returns an annotation by its name; DP_NOTES if it is not read. */
enum dp_slice_note dp_slice__note(const char *name, size_t length);

/* Returns the first number behind a word, in any case: "STREAM [7]", "Queue 7", "GPU-0"; or -1. */
int64_t dp_slice__number(const char *text, size_t length, const char *word);

/* Returns the index of a number in an array, appending a new one; DP_NONE if memory runs out. */
uint32_t dp_slices__place(struct dp_lookup *places, uint64_t id, void *data, size_t *room,
			  size_t *count, size_t size);

/* Reads a TrackDescriptor. Errors: DP_ERR_NOMEM. */
int dp_slices__track(struct dp_slices *slices, struct dp_wire_cursor cursor);

/* Passes a slice that has ended to the builder. */
int dp_slices__push(struct dp_slices *slices, const struct dp_perfetto_slice *slice,
		    int64_t end_ns);

#endif
