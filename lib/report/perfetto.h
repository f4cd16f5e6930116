/*
 * Declarations shared by the parts of the Perfetto renderers: perfetto.c decides the tracks of a
 * trace, perfetto_out.c writes packets.
 */
#ifndef DP_REPORT_PERFETTO_H
#define DP_REPORT_PERFETTO_H

#include "report/unique_ids.h"
#include "report/lanes.h"
#include "report/number.h"
#include "report/proto.h"
#include "report/timeline.h"

/* protos/perfetto/trace/track_event/track_event.proto */
enum dp_perfetto_type {
	DP_PERFETTO_BEGIN = 1,
	DP_PERFETTO_END = 2,
	DP_PERFETTO_INSTANT = 3,
	DP_PERFETTO_COUNTER = 4
};

struct dp_perfetto_event {
	enum dp_perfetto_type type;
	enum dp_timeline_category category;
	uint64_t track;
	int64_t time_ns;
	uint32_t string;  /* its name in the trace; DP_NONE: the next member */
	const char *name; /* NULL: none */
};

/* A track; members that do not apply are 0 or NULL. */
struct dp_perfetto_track {
	uint64_t parent;
	const char *name;
	int rank;	  /* its place among its siblings */
	const char *unit; /* of a counter */
	int64_t pid, tid; /* of a process and, if set, a thread; else -1 */
	bool process, thread;
};

/* The tracks of one stream or thread, or of results. */
struct dp_perfetto_lanes {
	struct dp_perfetto_track info; /* of each track; its name may be the label */
	char label[2 * DP_NUMBER_SIZE];
	struct dp_lanes lanes;
};

struct dp_perfetto {
	const struct dp_trace *trace; /* NULL if there is none: for the ranks of a job */
	int64_t zero_ns;	      /* the time that times in the file are relative to */
	struct dp_proto packet;
	size_t opened[2];		 /* the packet, and the event inside it */
	uint64_t tracks;		 /* their number: ids count from 1 */
	uint8_t *known;			 /* a bit per string: it has been written */
	uint64_t ours;			 /* the track that encloses all results */
	int rank;			 /* below it */
	uint64_t loop;			 /* the track above a loop's */
	struct dp_perfetto_lanes found;	 /* the open row of results */
	struct dp_perfetto_track curve;	 /* the open one */
	uint64_t curve_id;		 /* 0: not written yet */
	uint64_t *devices;		 /* tracks above the streams */
	struct dp_perfetto_lanes *syncs; /* per device */
	struct dp_perfetto_lanes *streams;
	struct dp_perfetto_lanes *threads; /* one more than the trace has, for unknown threads */
	uint64_t *processes;		   /* tracks above the threads */
	int64_t *pids, *tids;		   /* ids of processes and threads in the file */
	uint32_t *first_op;		   /* per call: the first of its list of operations */
	uint32_t *next_op;		   /* per operation */
};

/* The first packet: names, clocks. */
void dp_perfetto__head(struct dp_render *render);

/* Writes a track's packet. Returns its id. */
uint64_t dp_perfetto__track(struct dp_render *render, const struct dp_perfetto_track *track);

/* Opens and closes an event's packet; its contents are written in between. */
void dp_perfetto__begin(struct dp_render *render, const struct dp_perfetto_event *event);
void dp_perfetto__flow(struct dp_render *render, uint64_t id, bool ends);
/* Write an argument; keys that the format lacks are ignored. */
void dp_perfetto__integer(struct dp_render *render, enum dp_timeline_key key, int64_t value);
void dp_perfetto__text(struct dp_render *render, enum dp_timeline_key key, const char *value);
/* The same by name. */
void dp_perfetto__name(struct dp_render *render, const char *name, const char *value);
/* Writes a value by key, or by name if the key is 0; nothing for NaN. */
void dp_perfetto__value(struct dp_render *render, size_t key, const char *name, double value,
			const char *unit);
void dp_perfetto__end(struct dp_render *render);

/* Writes one value of a counter; nothing for NaN. */
void dp_perfetto__count(struct dp_render *render, uint64_t track, int64_t time_ns, double value,
			const char *unit);

/*
 * Begins a slice like dp_perfetto__begin(), in one of the lanes' tracks. Slices come in order of
 * start. A slice's end is written when a later slice begins after it, or by finish(), which frees
 * the lanes.
 */
void dp_perfetto_lanes__begin(struct dp_render *render, struct dp_perfetto_lanes *lanes,
			      struct dp_perfetto_event event, int64_t end_ns);
void dp_perfetto_lanes__finish(struct dp_render *render, struct dp_perfetto_lanes *lanes);

#endif
