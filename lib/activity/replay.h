/*
 * Replays some iterations of a loop as a graph of dependencies, with a part removed or hidden: the
 * period that the program would have without it.
 */
#ifndef DP_ACTIVITY_REPLAY_H
#define DP_ACTIVITY_REPLAY_H

#include "activity/op_attribution.h"
#include "activity/device_timeline.h"
#include <deepprof/analysis.h>

/* What is removed or hidden. */
enum dp_replay_change {
	DP_REPLAY_NOTHING,
	DP_REPLAY_INPUT,       /* host time before uploads of input while the device waits */
	DP_REPLAY_HOST,	       /* host time in other gaps that it causes, beyond that of a launch */
	DP_REPLAY_LAUNCHES,    /* all launch overhead: calls, and host time between them */
	DP_REPLAY_WAITS,       /* waits for the device, by synchronizing calls and copies */
	DP_REPLAY_INNER_WAITS, /* of these, the ones inside an iteration */
	DP_REPLAY_STALLS,      /* calls that launch nothing while the device waits */
	/* Of what the device does; what precedes is of time in which it is idle. */
	DP_REPLAY_UPLOADS,  /* uploads, which a stream of their own makes at any time */
	DP_REPLAY_PAGEABLE, /* pageable memory: it becomes pinned, and uploads block nobody */
	DP_REPLAY_BLOCKING, /* the caller's wait for copies of other memory */
	DP_REPLAY_REPEATED, /* uploads, by the share of them that repeats */
	DP_REPLAY_DEVICE_COPIES,
	DP_REPLAY_COMMUNICATION, /* runs concurrently with everything else */
	DP_REPLAY_PEERS,	 /* communication takes no time: what the device needs by itself */
	DP_REPLAY_CHANGES,
};

/* A gap of the device, and the host's part of it. */
struct dp_replay_gap {
	int64_t start_ns;
	uint32_t op; /* that ends it */
	bool input;  /* most of the host's part is input wait */
	bool inside; /* it ends inside an iteration, and begins in a wait of the host */
};

struct dp_replay_gaps {
	struct dp_replay_gap *gaps; /* in order of time */
	size_t count;
	size_t room;
};

/* What is replayed. Arrays are borrowed for the call. */
struct dp_replay_input {
	const struct dp_device_timeline *timeline;
	const struct dp_iteration *iterations; /* of these, */
	size_t first;			       /* from this one */
	size_t end;			       /* to the start of that one */
	const struct dp_replay_gaps *gaps;
	const struct dp_attribution *attribution; /* NULL: they are not known */
	double repeated_share;			  /* of the uploads' time, for DP_REPLAY_REPEATED */
};

/* Pinned memory is copied this many times as fast as pageable: 25 against 10 GB/s over PCIe 4. */
#define DP_PINNED_SPEED 2.5

/* With more operations or calls nothing is replayed: more would show nothing new. */
#define DP_REPLAY_MOST 200000

/* NaN if it cannot be determined. */
struct dp_replay {
	double period_ns;		      /* unchanged, the mean of these iterations: */
	size_t measured_first, measured_end;
	double without_ns[DP_REPLAY_CHANGES]; /* the period with the change, at least work_ns */
	double work_ns[DP_REPLAY_CHANGES];    /* how long its busiest stream is busy per period */
	double moved_ns[DP_REPLAY_CHANGES];   /* the host's time per period that others must take */
	double idle_ns[DP_REPLAY_CHANGES];    /* how long nothing runs, but what is hidden */
	struct dp_path_stat *path;	      /* the longest first; a mean of these iterations: */
	size_t path_first, path_end;
	size_t path_count;
};

/*
 * Chooses the iterations of a loop to replay: some consecutive typical ones. Returns false if none
 * have a period. Cost: linear in the iterations.
 */
bool dp_replay__choose(size_t *first, size_t *end, const struct dp_iteration *iterations,
		       size_t count, double *scratch);

/* Nothing is known. */
void dp_replay__init(struct dp_replay *replay);

/*
 * The caller releases replay with fini, also after a failure. Errors: DP_ERR_NOMEM. Cost: n log n
 * in the operations and calls of the iterations.
 */
int dp_replay__run(struct dp_replay *replay, const struct dp_replay_input *input);
void dp_replay__fini(struct dp_replay *replay);

#endif
