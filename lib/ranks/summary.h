/* What is kept of a trace for the comparison of ranks: see dp_summary_run(). */
#ifndef DP_RANKS_SUMMARY_H
#define DP_RANKS_SUMMARY_H

#include "base/base.h"

#include <deepprof/ranks.h>

/* A collective of one rank. Times are the trace's own. */
struct dp_call_summary {
	int64_t start_ns;
	int64_t end_ns;
	int64_t exposed_ns; /* of its time, that in which the rank neither computes nor runs an
			     * earlier collective */
	uint64_t bytes;
	int64_t sequence;   /* -1: not recorded */
	uint32_t group;	    /* index of a struct dp_group_summary */
	uint32_t iteration; /* index, or DP_NONE */
	int32_t peer;	    /* in the group, of a send or a receive; -1: not known */
	int32_t self;	    /* this rank in the group; -1: not known */
	uint8_t kind;	    /* enum dp_collective_kind */
	bool sends;
};

struct dp_group_summary {
	char *name;
	uint32_t size; /* members, 0: not known */
};

struct dp_step_summary {
	int64_t start_ns;
	int64_t end_ns;
	double period_ns;	       /* NaN where another does not follow */
	double part_ns[DP_RANK_PARTS]; /* of the period; communication with waiting */
	bool whole;
	bool warmup;
};

/* What the time of a part goes to. */
struct dp_share_summary {
	char *name;
	double ns; /* per iteration */
	uint8_t part;
	bool operator_; /* of compute: an operator, not a kernel */
};

struct dp_rank_summary {
	int64_t rank; /* -1: the trace does not state it */
	int64_t pid;
	int64_t t0_ns; /* time 0: since 1970, else on whatever clock the source has */
	bool is_epoch;
	char *host;
	size_t pattern; /* kernels of an iteration */
	double clock_mhz; /* mean of its multiprocessors; NaN where not recorded */
	double throttled; /* share of the iterations' time; NaN where not recorded */
	struct dp_group_summary *groups;
	size_t group_count, group_room;
	struct dp_call_summary *calls; /* in order of end */
	size_t call_count, call_room;
	struct dp_step_summary *steps; /* in order of time */
	size_t step_count;
	struct dp_share_summary *shares;
	size_t share_count, share_room;
};

struct dp_summary {
	char *name;
	struct dp_rank_summary *ranks;
	size_t count;
};


/* True where no member can leave before all have come. */
bool dp_collective__synchronizes(enum dp_collective_kind kind);

/* The rank that a file's name states, or -1. Cost: linear in the name. */
int64_t dp_rank_name__read(const char *path);

/* The collectives of a device, in order of end. Errors: DP_ERR_NOMEM. */
int dp_summary__calls(struct dp_rank_summary *rank, const struct dp_analysis *analysis,
		      uint32_t device);

#endif
