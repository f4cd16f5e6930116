/*
 * XSpaces (tsl/profiler/protobuf/xplane.proto), written by JAX, TensorFlow 2 and PyTorch/XLA:
 * planes of lines of events. The names of a plane's events and stats lie behind its lines, so a
 * file is read twice: for the names, and for the events.
 */
#ifndef DP_IMPORT_XPLANE_H
#define DP_IMPORT_XPLANE_H

#include "base/lookup.h"
#include "import/import.h"
#include "import/lookup.h"
#include "import/wire.h"

/* Field numbers. */
enum {
	DP_XSPACE_PLANE = 1,
	DP_XPLANE_NAME = 2,
	DP_XPLANE_LINE = 3,
	DP_XPLANE_EVENT_NAME = 4,
	DP_XPLANE_STAT_NAME = 5,
	DP_XPLANE_STAT = 6,
	DP_XLINE_ID = 1,
	DP_XLINE_NAME = 2,
	DP_XLINE_START_NS = 3,
	DP_XLINE_EVENT = 4,
	DP_XEVENT_NAME = 1,
	DP_XEVENT_OFFSET_PS = 2,
	DP_XEVENT_DURATION_PS = 3,
	DP_XEVENT_STAT = 4,
	DP_XEVENT_OCCURRENCES = 5,
	DP_XSTAT_NAME = 1,
	DP_XSTAT_UINT64 = 3,
	DP_XSTAT_INT64 = 4,
	DP_XSTAT_TEXT = 5,
	DP_XSTAT_REFERENCE = 7,
};

enum dp_xplane_kind {
	DP_XPLANE_SKIP,
	DP_XPLANE_GPU,
	DP_XPLANE_TPU,
	DP_XPLANE_HOST,
	DP_XPLANE_ENVIRONMENT, /* "Task Environment": has the session's start */
};

/* The stats that are read. */
enum dp_xstat {
	DP_XSTAT_OTHER,
	DP_XSTAT_CORRELATION,
	DP_XSTAT_COPY,
	DP_XSTAT_MEMSET,
	DP_XSTAT_ALLOCATE,
	DP_XSTAT_FREE,
	DP_XSTAT_TF_OP,
	DP_XSTAT_HLO_OP,
	DP_XSTAT_STEP,
	DP_XSTAT_GRAPH,
	DP_XSTAT_START, /* of the session, since 1970 */
	DP_XSTAT_OP_NAME,
	DP_XSTAT_DEVICE_NAME,
	DP_XSTAT_DEVICE_BYTES,
};

/* Maps numbers to texts: small numbers by index, others by hash. Zero it first. */
struct dp_xplane_ids {
	uint32_t *list;
	size_t count, room;
	struct dp_lookup far;
	uint64_t seen;
};

/* Does the same as dp_xplane_ids__get for a number that is not in list. */
uint32_t dp_xplane_ids__get_far(const struct dp_xplane_ids *ids, int64_t id);

/* Returns the text of a number, DP_NONE if it has none. */
static inline uint32_t dp_xplane_ids__get(const struct dp_xplane_ids *ids, int64_t id)
{
	if ((uint64_t)id < ids->count && ids->list[id] != DP_NONE)
		return ids->list[id];
	return ids->far.count ? dp_xplane_ids__get_far(ids, id) : DP_NONE;
}

int dp_xplane_ids__set(struct dp_xplane_ids *ids, int64_t id, uint32_t value);
void dp_xplane_ids__fini(struct dp_xplane_ids *ids);

/* Stats whose names have smaller numbers are found without a lookup: their numbers fit a byte. */
enum { DP_XPLANE_NEAR = 128 };

struct dp_xplane {
	enum dp_xplane_kind kind;
	uint8_t near[DP_XPLANE_NEAR]; /* enum dp_xstat, by number of the name */
	bool has_ops;
	int64_t device;
	uint32_t device_name; /* text in stat_names, or DP_NONE */
	uint64_t device_bytes;
	struct dp_xplane_ids events; /* text in names */
	struct dp_xplane_ids stats;  /* text in stat_names */
};

/* What could not be read. */
struct dp_xdamage {
	uint64_t broken;    /* messages that could not be read to their end */
	uint64_t broken_at; /* the first of them */
	bool cut;	    /* the content ended inside a message … */
	uint64_t end;	    /* … there */
};

/* Notes that the rest of a message cannot be read. */
void dp_xdamage__note(struct dp_xdamage *damage, const struct dp_wire *wire,
		      enum dp_wire_result result);

struct dp_xspace {
	struct dp_xplane *planes;
	size_t count, room;
	struct dp_texts names;	    /* of events */
	struct dp_texts stat_names; /* and what stats refer to */
	uint8_t *stat_kinds;	    /* enum dp_xstat, by text in stat_names */
	size_t kind_room;
	int64_t start_ns; /* of the session, 0: unknown */
	struct dp_xdamage damage;
};

/* Returns what a stat of that plane is. */
static inline enum dp_xstat dp_xspace__stat(const struct dp_xspace *space,
					    const struct dp_xplane *plane, int64_t id)
{
	uint32_t text = dp_xplane_ids__get(&plane->stats, id);

	return text == DP_NONE ? DP_XSTAT_OTHER : (enum dp_xstat)space->stat_kinds[text];
}

/* Reads the names of the whole content. Errors: DP_ERR_NOMEM, DP_ERR_IO. */
int dp_xspace__read(struct dp_xspace *space, struct dp_input *input, struct dp_error *error);
void dp_xspace__fini(struct dp_xspace *space);

/* Returns true if the first bytes look like an XSpace: one with a plane whose name is known. */
bool dp_xspace__probe(const unsigned char *head, size_t length);

#endif
