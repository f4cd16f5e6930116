/* The internals of a result, and the steps that fill it, in this order. */
#ifndef DP_RANKS_JOB_H
#define DP_RANKS_JOB_H

#include "base/strings.h"
#include "ranks/clock.h"
#include "ranks/summary.h"

#include <stdatomic.h>

/* A call that several ranks take part in. */
struct dp_instance {
	size_t first;	/* into members */
	uint32_t count; /* of members that are present, 2 or more */
	uint32_t group;
	uint32_t last;	/* the rank that it waited for; DP_NONE where it does not synchronize, or
			 * where two came within the clocks' resolution */
	int64_t own_ns; /* the shortest duration */
	uint64_t bytes;
	uint8_t kind;
};

struct dp_job_member {
	uint32_t rank;
	uint32_t call;
};

/* A process group, or a pair of ranks that send data to each other. */
struct dp_job_group {
	uint32_t name;	/* of groups' strings */
	uint32_t size;	/* members, 0: not known */
	uint32_t *ranks; /* that are present, ascending */
	size_t rank_count, rank_room;
	bool pair;
	bool synchronizes; /* it has calls that do */
	bool sends; /* it has sends and receives */
};

/* The median time of calls of a kind, size and size of group, of which all members have a trace. */
struct dp_usual {
	uint64_t bytes;
	int64_t own_ns;
	uint32_t size;
	uint8_t kind;
};

/* A rank of the job. */
struct dp_job_rank {
	struct dp_rank_summary *from;
	const char *file; /* borrowed from its summary */
	size_t file_ranks;
	int64_t rank;
	enum dp_rank_from rank_from;
	uint32_t *groups;	      /* per call: index of its struct dp_job_group */
	uint32_t *instances;	      /* per call: its instance, or DP_NONE */
	uint32_t *job_iteration;      /* per step; DP_NONE if unknown */
	double *wait_ns;	      /* per step: exposed waiting */
};

struct dp_job {
	struct dp_job_rank *ranks;
	size_t count;
	struct dp_strings names;
	struct dp_job_group *groups;
	size_t group_count, group_room;
	struct dp_instance *instances;
	size_t instance_count, instance_room;
	struct dp_job_member *members;
	size_t member_count, member_room;
	struct dp_rank_clock *clocks; /* per rank */
	struct dp_usual *usual;	      /* in order of kind, size and bytes */
	size_t usual_count;
	size_t iterations;
	bool untimed; /* all times are guessed: durations are all that is known */
};

void dp_job__fini(struct dp_job *job);

/* Finds groups, matches and clocks. Errors: DP_ERR_NOMEM. */
int dp_job__match(struct dp_job *job);

/*
 * Numbers the iterations of the job, and sums up each rank's waiting in them. Errors: DP_ERR_NOMEM.
 */
int dp_job__iterations(struct dp_job *job);

/* Fills what calls usually take from the instances. Errors: DP_ERR_NOMEM. */
int dp_job__find_usual(struct dp_job *job);

/*
 * What a call of a group usually takes, if that is less than it took itself: if a member has no
 * trace, or not of this call, all others may have waited for it.
 */
int64_t dp_job__usual(const struct dp_job *job, const struct dp_job_group *group, uint8_t kind,
		      uint64_t bytes, int64_t took_ns);

/* How long a rank's call waited for others: its duration minus the shortest of its instance. */
int64_t dp_job__wait(const struct dp_job *job, const struct dp_job_rank *rank, size_t call);

/* The part of that in which the rank did nothing else. */
double dp_job__exposed_wait(const struct dp_job *job, const struct dp_job_rank *rank, size_t call);

/* A step's period without exposed waiting; NaN if it has no period. */
double dp_job__own(const struct dp_job_rank *rank, size_t step);

/* A collective of a rank, on the clock of the first one. */
struct dp_ranks_call {
	int64_t start_ns, end_ns;
	int64_t wait_ns;
	uint64_t bytes;
	uint32_t group;	    /* of the result's groups */
	uint32_t instance;  /* or DP_NONE */
	uint32_t iteration; /* of the job, or DP_NONE */
	uint8_t kind;
};

struct dp_ranks {
	atomic_size_t more_owners; /* besides the first */
	struct dp_rank *ranks;
	size_t count;
	struct dp_left_out *left_out;
	size_t left_out_count, left_out_room;
	struct dp_rank_iteration *cells; /* per rank and iteration; period -1: the rank lacks it */
	bool *has;
	size_t iterations;
	struct dp_ranks_call **calls; /* per rank */
	struct dp_strings groups; /* their names, in the job's order */
	struct dp_ranks_matching matching;
	struct dp_ranks_collective *collectives;
	size_t collective_count, collective_room;
	struct dp_ranks_verdict verdict;
	uint32_t *blamed;
	struct dp_ranks_straggler *stragglers; /* that cost most first */
	size_t straggler_count;
	struct dp_ranks_pauses pauses; /* count is 0 if there are none */
	uint32_t *paused;
	struct dp_strings texts; /* all texts that the result lends */
};

/* other_jobs.c: how a rank's time differs from that of most others. */
enum dp_apart { DP_APART_NOT, DP_APART_BEFORE, DP_APART_AFTER, DP_APART_CLOCK };

/*
 * Sets apart of each of the ranks: what has collectives and was recorded long before or after most,
 * or by a clock that starts at another time. Errors: DP_ERR_NOMEM. Cost: n log n in the ranks.
 */
int dp_ranks__find_apart(enum dp_apart *apart, const struct dp_rank_summary *const *ranks,
			 size_t rank_count);

/*
 * If a group, whose name lists its members, has more of them: sets surplus to the group for those
 * ranks that are only counted, the last ones first, and to DP_NONE for all others. Errors:
 * DP_ERR_NOMEM. Cost: linear in the members of groups.
 */
int dp_job__find_surplus(uint32_t *surplus, const struct dp_job *job);

/*
 * absent.c: reads the list that ends a group's name, "0 [4, 5, 6, 7]". The caller frees the result.
 * NULL if memory runs out.
 */
int64_t *dp_job__listed(size_t *count, const char *name);

/*
 * Counts the ranks that are in groups, listed or by their size, and that no file has.
 * Errors: DP_ERR_NOMEM.
 */
int dp_job__count_absent(size_t *absent, const struct dp_job *job);

/* True if a rank (an index) is in this group, and a member is absent that not all ranks meet. */
bool dp_job__meets_absent(const struct dp_job *job, const struct dp_job_group *group, size_t r);

/*
 * Writes the numbers of those that a rank meets in such groups, "3, 5"; "" if they are not known,
 * or many. Errors: DP_ERR_NOMEM.
 */
int dp_job__name_absent(char *text, size_t size, const struct dp_job *job, size_t r);

/*
 * Returns true if some rank waits for at least this long per iteration in sends and receives
 * without recorded peers or groups: for nobody knows whom, so that neither own times nor stages are
 * known. Without iterations, per collective.
 */
bool dp_job__has_blind_sends(const struct dp_job *job, double least_ns, size_t collectives);

/* Puts the iterations of all ranks on one clock. Errors: DP_ERR_NOMEM. */
int dp_ranks__timeline(struct dp_ranks *ranks, const struct dp_job *job);

/* The same for collectives. Frees the job's own, rank by rank, so that few exist twice. */
int dp_ranks__calls(struct dp_ranks *ranks, struct dp_job *job);

/* Makes the collectives' table, and finds which are slow. Errors: DP_ERR_NOMEM. */
int dp_ranks__collectives(struct dp_ranks *ranks, const struct dp_job *job);

/* The verdict. Errors: DP_ERR_NOMEM. */
int dp_ranks__judge(struct dp_ranks *ranks, const struct dp_job *job);

/* Finds rare pauses of one rank if there is no verdict. Errors: DP_ERR_NOMEM. */
int dp_ranks__find_pauses(struct dp_ranks *ranks);

/* Copies a text for the lifetime of the result. NULL if memory runs out. */
const char *dp_ranks__text(struct dp_ranks *ranks, const char *text);

/* Sets which ranks are blamed. Errors: DP_ERR_NOMEM. */
int dp_ranks__blame(struct dp_ranks *ranks, const uint32_t *blamed, size_t count);

/*
 * communication.c: the collectives that have become, or always were, slower than similar ones;
 * cost_ns is 0 if there are none. Errors: DP_ERR_NOMEM.
 */
struct dp_slow_group {
	uint32_t group; /* of the job */
	int64_t since;	/* iteration */
	double cost_ns; /* per iteration */
	double p;
};

/*
 * Sets less_ns, per instance, to what those of that group, and of groups that are slow with it,
 * take longer; 0 for all others.
 */
int dp_job__slow_group(struct dp_slow_group *slow, double *less_ns, const struct dp_job *job);

#endif
