/*
 * The ranks of a distributed job, each with a trace of its own: who holds the others up, in which
 * part of the iteration, since when, why, and what that costs.
 *
 * Each trace is analyzed by itself and reduced to a summary, which needs the trace no longer. Of
 * any number of summaries dp_ranks_run() makes one result, which is then only read, by any number of
 * threads. Collectives are matched by what they move and in which process group, never by the order
 * in which files were named; the result is the same for any order of summaries.
 *
 * Waiting is a collective's duration on a rank less the shortest one on any rank of its group: that
 * is the time which the collective takes by itself, and needs no clock. A rank's own time is its
 * iteration without such waiting, so whoever waits is not blamed for being late elsewhere.
 */
#ifndef DEEPPROF_RANKS_H
#define DEEPPROF_RANKS_H

#include <deepprof/analysis.h>
#include <deepprof/common.h>
#include <deepprof/report.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dp_summary;
struct dp_ranks;

/* What a rank's number is from. */
enum dp_rank_from {
	DP_RANK_FROM_TRACE, /* the trace states it */
	DP_RANK_FROM_NAME,  /* the file's name: "rank3.json", "host_3.pt.trace.json" */
	DP_RANK_FROM_ORDER, /* files in order of their names, ranks of a file in order of devices */
};

/* "trace", "name", "order". Static storage. */
DP_API const char *dp_rank_from_name(enum dp_rank_from from);

/*
 * What a summary was made from, to tell whether it is still up to date: none of it but the name
 * decides anything. Set to DP_SUMMARY_SOURCE_INIT, then change members. Strings are borrowed.
 */
struct dp_summary_source {
	size_t size;
	const char *name;    /* of the trace file, for messages and for the rank that it states */
	uint64_t bytes;	     /* the file's size; 0: not known */
	int64_t modified_ns; /* when it was last written, since 1970; 0: not known */
	const char *settings; /* how it was analyzed, in the caller's own words */
};

#define DP_SUMMARY_SOURCE_INIT                                \
	{                                                     \
		sizeof(struct dp_summary_source), "", 0, 0, "" \
	}

/*
 * Reduces an analysis to what dp_ranks_run() needs of it: for each GPU with kernels the iterations
 * of the loop that takes most time, with their parts, kernels by operator, and all collectives.
 * Neither the analysis nor its trace is needed afterwards. source is copied. *summary is the
 * caller's, to be freed with dp_summary_free(); on failure it is not written. The same analysis and
 * source give the same summary, byte for byte.
 *
 * Errors: DP_ERR_NOMEM. Cost: linear in the operations, n log n in the collectives; a summary takes
 * about 10 bytes per collective and 40 per iteration.
 */
DP_API int dp_summary_run(struct dp_summary **summary, const struct dp_analysis *analysis,
			  const struct dp_summary_source *source, struct dp_error *error);

/*
 * Writes summaries as one, in the format of deepprof-summary(5). Summaries that were merged so can be
 * merged again, in any order and any number of steps: the same traces give the same bytes. One that is
 * there twice is written once. No summaries are a valid file as well.
 *
 * Errors: DP_ERR_IO (the sink stopped), DP_ERR_LIMIT (one has 4 GiB), DP_ERR_NOMEM. Cost: linear in the
 * bytes.
 */
DP_API int dp_summary_write(struct dp_summary *const *summaries, size_t count,
			    const struct dp_sink *sink, struct dp_error *error);

/*
 * Reads what dp_summary_write() wrote, from memory or from a file; what was damaged on its way is
 * refused. *summary is the caller's, to be freed with dp_summary_free(); on failure it is not
 * written. The bytes are not needed afterwards.
 *
 * Errors: DP_ERR_FORMAT (something else), DP_ERR_UNSUPPORTED (another version), DP_ERR_DAMAGED,
 * DP_ERR_IO, DP_ERR_NOMEM. Cost: linear in the bytes.
 */
DP_API int dp_summary_read(struct dp_summary **summary, const void *bytes, size_t size,
			   struct dp_error *error);
DP_API int dp_summary_open(struct dp_summary **summary, const char *path, struct dp_error *error);

/* True where a file begins as a summary does. */
DP_API bool dp_summary_is_summary(const char *path);

/* What a summary was made from, of one that was merged by index; NULL beyond the end. Borrowed. */
DP_API const struct dp_summary_source *dp_summary_source(const struct dp_summary *summary,
							 size_t index);

DP_API void dp_summary_free(struct dp_summary *summary);

/* A file that is left out, and why, in one line without a full stop. Both are borrowed. */
struct dp_left_out {
	const char *file;
	const char *why;
};

/* Set to DP_RANKS_OPTIONS_INIT, then change members. Pointers are borrowed for the call. */
struct dp_ranks_options {
	size_t size;
	const struct dp_left_out *left_out; /* files that could not be read: for the report */
	size_t left_out_count;
};

#define DP_RANKS_OPTIONS_INIT                             \
	{                                                 \
		sizeof(struct dp_ranks_options), NULL, 0  \
	}

/*
 * Compares the ranks of a job; options may be NULL. The summaries are only read; names are copied.
 * Summaries that are equal count once.
 * *ranks is the caller's, to be freed with dp_ranks_free(); on failure it is not written. A rank
 * that another file has already (the one whose name comes first stays) and a file of another job
 * (no collective of which any other rank takes part in) are left out.
 *
 * Errors: DP_ERR_ARGUMENT (no summaries, or none with a GPU), DP_ERR_NOMEM. Cost: n log n in the
 * collectives, and ranks times iterations, up to 64 groups of which are shuffled 2000 times.
 */
DP_API int dp_ranks_run(struct dp_ranks **ranks, struct dp_summary *const *summaries, size_t count,
			const struct dp_ranks_options *options, struct dp_error *error);

DP_API void dp_ranks_free(struct dp_ranks *ranks);

/* What a rank's own time is made of, in this order. */
enum dp_rank_part {
	DP_RANK_COMPUTE,
	DP_RANK_COMMUNICATION, /* exposed, without waiting for other ranks */
	DP_RANK_COPY,	       /* exposed */
	DP_RANK_INPUT_WAIT,
	DP_RANK_HOST_WAIT, /* and launches and synchronizations that keep the GPU idle */
	DP_RANK_OTHER,
	DP_RANK_PARTS
};

/* "compute", "communication", "copy", "input-wait", "host-wait", "other". Static storage. */
DP_API const char *dp_rank_part_name(enum dp_rank_part part);

/* A rank. Times per iteration are means; NaN is what is not known. Strings are borrowed. */
struct dp_rank {
	int64_t rank;
	enum dp_rank_from rank_from;
	const char *host; /* "" where it is not recorded */
	const char *file;
	size_t iterations; /* whole ones */
	double period_ns;  /* median */
	double own_ns;	   /* per iteration, without waiting */
	double wait_ns;	   /* per iteration: exposed waiting for other ranks */
	double part_ns[DP_RANK_PARTS]; /* of own_ns */
	size_t collectives;
	size_t matched; /* of them, those with a counterpart on another rank */
	size_t shared;	/* of them, those that synchronize all members of their group */
	size_t last;	/* of shared: those that this rank was the last to reach */
	bool clock_known;
	double offset_ns;     /* its clock less that of the first rank, at the first collective */
	double drift_ppm;     /* its clock gains so much on that of the first rank */
	double resolution_ns; /* how well the ends of collectives agree after that */
};

/* In order of rank; NULL beyond the end. */
DP_API size_t dp_ranks_count(const struct dp_ranks *ranks);
DP_API const struct dp_rank *dp_ranks_rank(const struct dp_ranks *ranks, size_t index);

/* Files and ranks that are left out, those of the options first; NULL beyond the end. */
DP_API const struct dp_left_out *dp_ranks_left_out(const struct dp_ranks *ranks, size_t index);

/* Iterations of the job, those that any rank has, numbered from 0. */
DP_API size_t dp_ranks_iteration_count(const struct dp_ranks *ranks);

/* An iteration of a rank. Times are on the first rank's clock, from its first operation. */
struct dp_rank_iteration {
	int64_t start_ns;
	double period_ns; /* NaN for a rank's last one */
	double own_ns;
	double wait_ns;
	double part_ns[DP_RANK_PARTS];
};

/* NULL where the rank (an index) does not have the iteration. Constant cost. */
DP_API const struct dp_rank_iteration *
dp_ranks_iteration(const struct dp_ranks *ranks, size_t rank, size_t iteration);

/* A collective as one rank ran it. Times are on the first rank's clock, from its first operation. */
struct dp_rank_call {
	int64_t start_ns, end_ns;
	int64_t wait_ns;   /* of that: waiting for other ranks, at its beginning */
	uint64_t bytes;	   /* 0 where not recorded */
	enum dp_collective_kind kind;
	const char *group; /* as the traces name it; borrowed */
	int64_t iteration; /* of the job; -1: it is in none */
	int64_t instance;  /* the same number on all ranks that took part; -1: not matched */
};

/*
 * Fills *call with a rank's collective, in order of end. rank and index count from 0; false beyond the
 * last. Constant cost.
 */
DP_API bool dp_ranks_call(const struct dp_ranks *ranks, size_t rank, size_t index,
			  struct dp_rank_call *call);

/* How collectives were matched. */
struct dp_ranks_matching {
	size_t collectives;  /* of all ranks */
	size_t matched;
	size_t groups;	     /* process groups */
	size_t synchronizing; /* matched calls that no member can leave before all have come */
	size_t absent;	     /* ranks that groups list, or have room for, and no file has */
	bool clock_known;    /* at least two ranks share synchronizing collectives */
	double resolution_ns; /* the largest of the ranks'; NaN without clocks */
};

DP_API const struct dp_ranks_matching *dp_ranks_matching(const struct dp_ranks *ranks);

/* The collectives of one kind and size in one process group. */
struct dp_ranks_collective {
	enum dp_collective_kind kind;
	const char *group; /* as the traces name it */
	size_t group_size; /* members */
	size_t present;	   /* of them, those with a trace */
	size_t count;	   /* matched calls */
	uint64_t bytes;	   /* of one; 0 where not recorded */
	double own_ns;	   /* median time that one takes by itself */
	double wait_ns;	   /* per call and rank: mean waiting */
	double algorithm_bandwidth; /* bytes per second; NaN where not known */
	double bus_bandwidth;	    /* the same by the links' traffic, as nccl-tests have it */
	bool one_host; /* all members that are present are of one host */
};

/* Those that take most time first; NULL beyond the end. */
DP_API const struct dp_ranks_collective *dp_ranks_collective(const struct dp_ranks *ranks,
							     size_t index);

enum dp_ranks_verdict_kind {
	DP_VERDICT_NONE,
	DP_VERDICT_STRAGGLER,
	DP_VERDICT_SLOW_COMMUNICATION,
	DP_VERDICT_STAGE_IMBALANCE,
	DP_VERDICT_SEQUENCE_IMBALANCE,
};

/* "none", "straggler", "slow-communication", "stage-imbalance", "sequence-imbalance". */
DP_API const char *dp_verdict_name(enum dp_ranks_verdict_kind kind);

/* Who or what holds the job up. */
struct dp_ranks_verdict {
	enum dp_ranks_verdict_kind kind;
	const char *why; /* of DP_VERDICT_NONE where nothing can be judged: what is missing; else "" */
	size_t rank_count;	/* a straggler; the members of a slow group; a stage */
	const uint32_t *ranks;	/* indices for dp_ranks_rank() */
	int64_t since_iteration; /* of the job; 0: from the first on */
	size_t every;		 /* its period in iterations; 0: it is in all */
	enum dp_rank_part part; /* what takes longer than on other ranks */
	bool throttled;		/* its clock is held down */
	const char *operator_;	/* the operator, kernel or host range that takes longer; "" if none */
	double part_ns;		/* how much longer that part takes per iteration */
	double operator_ns;	/* and that operator */
	double cost_ns;		/* per iteration of the job: what it would be shorter without it, by
				 * a replay of what ranks depend on */
	double period_ns;	/* what that is a part of: the job's median period */
	double p_value;		/* of ranks that are alike; NaN where nothing was tested */
	size_t last, shared;	/* a straggler: it was last in this many of the shared collectives */
	const char *group;	/* the slow group, "" for others */
};

DP_API const struct dp_ranks_verdict *dp_ranks_verdict(const struct dp_ranks *ranks);

/* The formats that ranks can be written in, by index; NULL beyond the end. Static. */
DP_API const struct dp_report_format *dp_ranks_format(size_t index);

/*
 * Writes the result in a format. options may be NULL. The same ranks give the same bytes. Errors:
 * DP_ERR_ARGUMENT (no such format), DP_ERR_IO (the sink stopped), DP_ERR_NOMEM. Cost: linear in
 * ranks times iterations.
 */
DP_API int dp_ranks_write(const struct dp_ranks *ranks, const char *format,
			  const struct dp_report_options *options, const struct dp_sink *sink,
			  struct dp_error *error);

#ifdef __cplusplus
}
#endif

#endif
