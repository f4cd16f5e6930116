/*
 * What the parts of the Perfetto renderers share: perfetto.c knows the tracks of a trace,
 * perfetto_out.c writes packets.
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
	uint32_t string;  /* its name, of the trace; DP_NONE: the next */
	const char *name; /* NULL: none */
};

/* A track; what it is not is 0 or NULL. */
struct dp_perfetto_track {
	uint64_t parent;
	const char *name;
	int rank;	  /* its place among its siblings */
	const char *unit; /* of a counter */
	int64_t pid, tid; /* of a process and, if set, a thread; else -1 */
	bool process, thread;
};

/* Tracks of one stream or thread, or of what was found. */
struct dp_perfetto_lanes {
	struct dp_perfetto_track info; /* of each track; its name may be the label */
	char label[2 * DP_NUMBER_SIZE];
	struct dp_lanes lanes;
};

struct dp_perfetto {
	const struct dp_trace *trace; /* NULL where it is of none: of the ranks of a job */
	int64_t zero_ns; /* what times in the file count from */
	struct dp_proto packet;
	size_t opened[2];		 /* the packet, and the event in it */
	uint64_t tracks;		 /* how many there are: their ids count from 1 */
	uint8_t *known;			 /* a bit per string: it has been written */
	uint64_t ours;			 /* the track above all of what was found */
	int rank;			 /* below it */
	uint64_t loop;			 /* the track above a loop's */
	struct dp_perfetto_lanes found;	 /* the open row of what was found */
	struct dp_perfetto_track curve;	 /* the open one */
	uint64_t curve_id;		 /* 0: not written yet */
	uint64_t *devices;		 /* tracks above the streams */
	struct dp_perfetto_lanes *syncs; /* per device */
	struct dp_perfetto_lanes *streams;
	struct dp_perfetto_lanes *threads; /* one more than there are, for unknown ones */
	uint64_t *processes;		   /* tracks above the threads */
	int64_t *pids, *tids;		   /* numbers of processes and threads in the file */
	uint32_t *first_op;		   /* per call: the operations that it launched, a list */
	uint32_t *next_op;		   /* per operation */
};

/* The first packet: names, clocks. */
void dp_perfetto__head(struct dp_render *render);

/* Writes a track's packet. Returns its id. */
uint64_t dp_perfetto__track(struct dp_render *render, const struct dp_perfetto_track *track);

/* An event's packet, and what is in it, in between. */
void dp_perfetto__begin(struct dp_render *render, const struct dp_perfetto_event *event);
void dp_perfetto__flow(struct dp_render *render, uint64_t id, bool ends);
/* Nothing of keys that are not in the format. */
void dp_perfetto__integer(struct dp_render *render, enum dp_timeline_key key, int64_t value);
void dp_perfetto__text(struct dp_render *render, enum dp_timeline_key key, const char *value);
/* The same by name. */
void dp_perfetto__name(struct dp_render *render, const char *name, const char *value);
/* By key, or by name where that is 0; of NaN nothing is written. */
void dp_perfetto__value(struct dp_render *render, size_t key, const char *name, double value,
			const char *unit);
void dp_perfetto__end(struct dp_render *render);

/* One value of a counter; of NaN nothing is written. */
void dp_perfetto__count(struct dp_render *render, uint64_t track, int64_t time_ns, double value,
			const char *unit);

/*
 * Begins a slice: as begin(), of event's track the lanes'. Slices come in order of start. Its end
 * follows with the next that lies behind it, or in finish(), which frees the lanes.
 */
void dp_perfetto_lanes__begin(struct dp_render *render, struct dp_perfetto_lanes *lanes,
			      struct dp_perfetto_event event, int64_t end_ns);
void dp_perfetto_lanes__finish(struct dp_render *render, struct dp_perfetto_lanes *lanes);

#endif
