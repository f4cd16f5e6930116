/*
 * What the parts of the Perfetto renderer share: perfetto.c writes the trace, perfetto_loops.c what
 * was found in it, perfetto_out.c the packets of both.
 */
#ifndef DP_REPORT_PERFETTO_H
#define DP_REPORT_PERFETTO_H

#include "report/claims.h"
#include "report/lanes.h"
#include "report/number.h"
#include "report/proto.h"
#include "report/report.h"

/* Names that are written once, by number. */
enum dp_perfetto_category {
	DP_PERFETTO_NO_CATEGORY,
	DP_PERFETTO_KERNEL,
	DP_PERFETTO_COPY,
	DP_PERFETTO_SET,
	DP_PERFETTO_CALL,
	DP_PERFETTO_NVTX,
	DP_PERFETTO_ANNOTATION,
	DP_PERFETTO_OPERATOR,
	DP_PERFETTO_SYNC,
	DP_PERFETTO_FOUND, /* "deepprof" */
	DP_PERFETTO_CATEGORIES
};

enum dp_perfetto_key {
	DP_PERFETTO_NO_KEY,
	DP_PERFETTO_BYTES,
	DP_PERFETTO_DURATION,
	DP_PERFETTO_STREAM,
	DP_PERFETTO_KERNELS,
	DP_PERFETTO_INSERTED,
	DP_PERFETTO_DELETED,
	DP_PERFETTO_SUBSTITUTED,
	DP_PERFETTO_VARIANT,
	DP_PERFETTO_ITERATIONS,
	DP_PERFETTO_FOREIGN,
	DP_PERFETTO_ADVICE,
	DP_PERFETTO_API_CALL,
	DP_PERFETTO_SEVERITY,
	DP_PERFETTO_CONFIDENCE,
	DP_PERFETTO_RECOVERABLE,
	DP_PERFETTO_METRICS /* this one's and those of the other metrics, in order */
};

/* protos/perfetto/trace/track_event/track_event.proto */
enum dp_perfetto_type {
	DP_PERFETTO_BEGIN = 1,
	DP_PERFETTO_END = 2,
	DP_PERFETTO_INSTANT = 3,
	DP_PERFETTO_COUNTER = 4
};

struct dp_perfetto_event {
	enum dp_perfetto_type type;
	enum dp_perfetto_category category;
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
void dp_perfetto__integer(struct dp_render *render, enum dp_perfetto_key key, int64_t value);
void dp_perfetto__text(struct dp_render *render, enum dp_perfetto_key key, const char *value);
/* The same by name. */
void dp_perfetto__name(struct dp_render *render, const char *name, const char *value);
/* By key, or by name where that is not NULL; of NaN nothing is written. */
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

/* What was found: tracks of one loop, one finding, the devices' idle time. */
void dp_perfetto__loop(struct dp_render *render, size_t loop);
void dp_perfetto__finding(struct dp_render *render, size_t finding);
void dp_perfetto__idle(struct dp_render *render);

#endif
