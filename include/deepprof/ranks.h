/*
 * The ranks of a distributed job, each with a trace of its own: who holds the others up, in which
 * part of the iteration, since when, why, and what that costs.
 *
 * Each trace is analyzed separately and reduced to a summary, which no longer needs the trace.
 * dp_ranks_run() makes one result of any number of summaries; the result never changes, so any
 * number of threads may read it. Collectives are matched by what they move and by process group.
 * The order of the summaries does not matter.
 *
 * Waiting is a collective's duration on a rank minus the shortest one on any rank of its group,
 * which is the time that the collective itself takes; no clock is needed. A rank's own time is its
 * iteration without such waiting, so that a rank that waits is not blamed for being late elsewhere.
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

/* Where a rank's number comes from. */
enum dp_rank_from {
	DP_RANK_FROM_TRACE, /* the trace states it */
	DP_RANK_FROM_NAME,  /* the file's name: "rank3.json", "host_3.pt.trace.json" */
	DP_RANK_FROM_ORDER, /* files in order of their names, ranks of a file in order of devices */
};

/* "trace", "name", "order". Static storage. */
DP_API const char *dp_rank_from_name(enum dp_rank_from from);

/*
 * What a summary was made from, to decide whether it is up to date. Only the name affects results.
 * Set to DP_SUMMARY_SOURCE_INIT, then change members. Strings are borrowed.
 */
struct dp_summary_source {
	size_t size;
	const char *name;    /* of the trace file, for messages and for the rank that it states */
	uint64_t bytes;	     /* the file's size; 0: unknown */
	int64_t modified_ns; /* its modification time since 1970; 0: unknown */
	const char *settings; /* how it was analyzed, as the caller describes it */
};

#define DP_SUMMARY_SOURCE_INIT                                \
	{                                                     \
		sizeof(struct dp_summary_source), "", 0, 0, "" \
	}

/*
 * Reduces an analysis to what dp_ranks_run() needs: for each GPU with kernels, the iterations of
 * its main loop (dp_analysis_main_loop()) and their parts, kernels by operator, and all
 * collectives. The summary needs neither the analysis nor its trace afterwards. source is copied.
 * The caller frees *summary with dp_summary_free(); on failure it is not written. The same analysis
 * and source give the same summary, byte for byte.
 *
 * Errors: DP_ERR_ARGUMENT (an analysis of named metrics, see dp_analysis_is_diagnosed()),
 * DP_ERR_NOMEM. Cost: linear in the operations, n log n in the collectives; a summary takes about
 * 12 bytes per collective and 40 per iteration.
 */
DP_API int dp_summary_run(struct dp_summary **summary, const struct dp_analysis *analysis,
			  const struct dp_summary_source *source, struct dp_error *error);

/*
 * Writes summaries as one file in the format of deepprof-summary(5). Merged summaries can be merged
 * again, in any order and any number of steps: the same traces give the same bytes. Duplicates are
 * written once. A file without summaries is valid.
 *
 * Errors: DP_ERR_IO (the sink stopped), DP_ERR_LIMIT (a summary of 4 GiB), DP_ERR_NOMEM. Cost:
 * linear in the bytes.
 */
DP_API int dp_summary_write(struct dp_summary *const *summaries, size_t count,
			    const struct dp_sink *sink, struct dp_error *error);

/*
 * Reads what dp_summary_write() wrote, from memory or from a file, and verifies its checksum. The
 * caller frees *summary with dp_summary_free(); on failure it is not written. The bytes are not
 * needed afterwards.
 *
 * Errors: DP_ERR_FORMAT (no summary), DP_ERR_UNSUPPORTED (another version), DP_ERR_DAMAGED,
 * DP_ERR_IO, DP_ERR_NOMEM. Cost: linear in the bytes.
 */
DP_API int dp_summary_read(struct dp_summary **summary, const void *bytes, size_t size,
			   struct dp_error *error);
DP_API int dp_summary_open(struct dp_summary **summary, const char *path, struct dp_error *error);

/* Whether a file starts as a summary does; false if it cannot be read. */
DP_API bool dp_summary_is_summary(const char *path);

/* What each summary in a file was made from, by index; NULL beyond the last. Borrowed. */
DP_API const struct dp_summary_source *dp_summary_source(const struct dp_summary *summary,
							 size_t index);

/* Frees a summary; NULL is allowed. */
DP_API void dp_summary_free(struct dp_summary *summary);

/* A file that is left out, and the reason in one line without a full stop. Both are borrowed. */
struct dp_left_out {
	const char *file;
	const char *why;
};

/* Set to DP_RANKS_OPTIONS_INIT, then change members. Pointers are borrowed for the call. */
struct dp_ranks_options {
	size_t size;
	const struct dp_left_out *left_out; /* files that could not be read, for the report */
	size_t left_out_count;
};

#define DP_RANKS_OPTIONS_INIT                             \
	{                                                 \
		sizeof(struct dp_ranks_options), NULL, 0  \
	}

/*
 * Compares the ranks of a job; options may be NULL. The summaries are only read; names are copied.
 * Equal summaries count once. The caller frees *ranks with dp_ranks_free(); on failure it is not
 * written. If two files have the same rank, the one whose name comes first is used; a file none of
 * whose collectives involves another rank belongs to another job. Such files are left out.
 *
 * Errors: DP_ERR_ARGUMENT (no summaries, or none with a GPU), DP_ERR_LIMIT (ranks times iterations
 * are more than 16 million, and fewer than one in 16 of these pairs are recorded), DP_ERR_NOMEM.
 * Cost: O(n log n) in the collectives, plus ranks times iterations, of which up to 64 groups are
 * permuted 2,000 to 20,000 times.
 */
DP_API int dp_ranks_run(struct dp_ranks **ranks, struct dp_summary *const *summaries, size_t count,
			const struct dp_ranks_options *options, struct dp_error *error);

/* Releases one owner's reference; the last one frees the result. NULL is allowed. */
DP_API void dp_ranks_free(struct dp_ranks *ranks);

/*
 * Adds an owner, who must call dp_ranks_free() as well. Returns the result. Any thread may call
 * these two functions. Constant cost.
 */
DP_API struct dp_ranks *dp_ranks_retain(const struct dp_ranks *ranks);

/* The parts of a rank's own time, in this order. */
enum dp_rank_part {
	DP_RANK_COMPUTE,
	DP_RANK_COMMUNICATION, /* exposed, without waiting for other ranks */
	DP_RANK_COPY,	       /* exposed */
	DP_RANK_INPUT_WAIT,
	DP_RANK_HOST_WAIT, /* including launches and synchronizations that keep the GPU idle */
	DP_RANK_OTHER,
	DP_RANK_PARTS
};

/* "compute", "communication", "copy", "input-wait", "host-wait", "other". Static storage. */
DP_API const char *dp_rank_part_name(enum dp_rank_part part);

/* A rank. Times per iteration are means; NaN if unknown. Strings are borrowed. */
struct dp_rank {
	int64_t rank;
	enum dp_rank_from rank_from;
	const char *host; /* "" if not recorded */
	const char *file;
	size_t iterations; /* whole ones */
	double period_ns;  /* median */
	double own_ns;	   /* per iteration, without waiting */
	double wait_ns;	   /* per iteration: exposed waiting for other ranks */
	double part_ns[DP_RANK_PARTS]; /* of own_ns */
	size_t collectives;
	size_t matched; /* of the collectives: with a counterpart on another rank */
	size_t shared;	/* of these: those that synchronize all members of their group */
	size_t last;	/* of these: those that this rank reached last */
	bool clock_known;
	double offset_ns;     /* its clock minus the first rank's, at the first collective */
	double drift_ppm;     /* its clock relative to the first rank's */
	double resolution_ns; /* how well the ends of collectives then agree */
	int64_t device;	      /* number of its GPU in the file; -1: unknown */
	size_t file_ranks;    /* ranks that the file holds */
};

/* In order of rank; NULL beyond the end. */
DP_API size_t dp_ranks_count(const struct dp_ranks *ranks);
DP_API const struct dp_rank *dp_ranks_rank(const struct dp_ranks *ranks, size_t index);

/* Files and ranks that are left out, those of the options first; NULL beyond the last. */
DP_API const struct dp_left_out *dp_ranks_left_out(const struct dp_ranks *ranks, size_t index);

/* The number of iterations of the job: those of any rank, numbered from 0. */
DP_API size_t dp_ranks_iteration_count(const struct dp_ranks *ranks);

/* An iteration of a rank. Times are on the first rank's clock, from its first operation. */
struct dp_rank_iteration {
	int64_t start_ns;
	double period_ns; /* NaN for a rank's last iteration */
	double own_ns;
	double wait_ns;
	double part_ns[DP_RANK_PARTS];
};

/* NULL if the rank (an index) lacks the iteration. Constant cost. */
DP_API const struct dp_rank_iteration *
dp_ranks_iteration(const struct dp_ranks *ranks, size_t rank, size_t iteration);

/*
 * A collective on one rank. Times are on the first rank's clock, from its first operation. Set to
 * DP_RANK_CALL_INIT before use.
 */
struct dp_rank_call {
	size_t size;
	int64_t start_ns, end_ns;
	int64_t wait_ns;   /* the part of it spent waiting for other ranks, at its start */
	uint64_t bytes;	   /* 0 if not recorded */
	enum dp_collective_kind kind;
	const char *group; /* as the traces name it; borrowed */
	int64_t iteration; /* of the job; -1: none */
	int64_t instance;  /* the same on all ranks that took part; -1: not matched */
};

#define DP_RANK_CALL_INIT                                                                  \
	{                                                                                  \
		sizeof(struct dp_rank_call), 0, 0, 0, 0, DP_COLLECTIVE_OTHER, NULL, -1, -1 \
	}

/*
 * Writes a rank's collective, in order of end, to *call. rank and index count from 0. Returns false
 * beyond the last, and if call->size is 0 or unknown. Constant cost.
 */
DP_API bool dp_ranks_call(const struct dp_ranks *ranks, size_t rank, size_t index,
			  struct dp_rank_call *call);

/* How collectives were matched. */
struct dp_ranks_matching {
	size_t collectives;  /* of all ranks */
	size_t matched;
	size_t groups;	     /* process groups */
	size_t synchronizing; /* matched calls that no member can leave before all arrive */
	size_t absent;	     /* ranks in groups, listed or by their size, that no file has */
	bool clock_known;    /* two ranks or more share synchronizing collectives */
	double resolution_ns; /* the largest of all ranks; NaN without clocks */
	/* No collectives are shared, and not all files state ranks: they may be of several jobs. */
	bool unrelated;
};

DP_API const struct dp_ranks_matching *dp_ranks_matching(const struct dp_ranks *ranks);

/* The collectives of one kind and size in one process group. */
struct dp_ranks_collective {
	enum dp_collective_kind kind;
	const char *group; /* as the traces name it */
	size_t group_size; /* members */
	size_t present;	   /* members with a trace */
	size_t count;	   /* matched calls */
	uint64_t bytes;	   /* of one call; 0 if not recorded */
	double own_ns;	   /* median time of a call without waiting */
	double wait_ns;	   /* mean waiting per call and rank */
	double algorithm_bandwidth; /* bytes per second; NaN if unknown */
	double bus_bandwidth;	    /* the same, by the traffic that nccl-tests count */
	bool one_host; /* all members with a trace run on one host */
};

/* Most expensive first; NULL beyond the last. */
DP_API const struct dp_ranks_collective *dp_ranks_collective(const struct dp_ranks *ranks,
							     size_t index);

enum dp_ranks_verdict_kind {
	DP_VERDICT_NONE,
	DP_VERDICT_STRAGGLER,
	DP_VERDICT_SLOW_COMMUNICATION,
	DP_VERDICT_STAGE_IMBALANCE,
	DP_VERDICT_SEQUENCE_IMBALANCE,
};

/*
 * "none", "straggler", "slow-communication", "stage-imbalance", "sequence-imbalance". Static
 * storage.
 */
DP_API const char *dp_verdict_name(enum dp_ranks_verdict_kind kind);

/* Who or what holds the job up. */
struct dp_ranks_verdict {
	enum dp_ranks_verdict_kind kind;
	const char *why; /* DP_VERDICT_NONE: what is missing if nothing can be judged; else "" */
	size_t rank_count;	/* of stragglers, of the members of a slow group or of a stage */
	const uint32_t *ranks;	/* indices for dp_ranks_rank() */
	int64_t since_iteration; /* of the job; 0: from the start */
	size_t every;		/* its period in iterations; 0: it is in all of them */
	enum dp_rank_part part; /* what takes longer than on other ranks */
	bool throttled;		/* its clock is reduced */
	const char *operator_;	/* operator, kernel or host range that takes longer, or "" */
	double part_ns;		/* how much longer that part takes per iteration */
	double operator_ns;	/* and that operator */
	double cost_ns;		/* per iteration: how much shorter it would be without the
				 * problem, by a replay of the dependencies between ranks; if
				 * by_compute, at most that much. Per collective if the member
				 * of that name is not 0 */
	double cost_least_ns;	/* bounds of the cost, which differ from it if traces do not show */
	double cost_most_ns;	/* all that ranks wait for, or clocks are not known */
	double period_ns;	/* the median of the ranks' median periods */
	double p_value;		/* of a permutation test: how often a rank is as slow as the
				 * straggler that costs most when equal ranks trade their own
				 * times in each iteration; NaN if not tested */
	size_t last, shared;	/* the same straggler was last in this many shared collectives,
				 * by more than the clocks' resolution; 0 if it was found by
				 * other times, or if several are equally slow */
	const char *group;	/* the slow group; "" otherwise */
	bool by_compute;	/* a straggler found by what ranks compute while others are
				 * idle, since their calls do not show waits */
	size_t collectives;	/* 0 if the job has iterations. Otherwise, ranks are compared
				 * between collectives that they all share: the number of
				 * times from one to the next */
	double collective_ns;	/* the mean of these; NaN if they are unknown or unused */
};

DP_API const struct dp_ranks_verdict *dp_ranks_verdict(const struct dp_ranks *ranks);

/* A rank that is late on its own, whatever other ranks do. Its cost is in the verdict's unit. */
struct dp_ranks_straggler {
	size_t rank;	      /* index for dp_ranks_rank() */
	double cost_ns;	      /* if this rank alone were as fast as its peers */
	double cost_least_ns; /* bounds, as in the verdict */
	double cost_most_ns;
	double p_value;		 /* likewise: among the ranks that are not named before it */
	int64_t since_iteration; /* of the job; 0: from the start */
	size_t every;		 /* its period in iterations; 0: it is in all of them */
	size_t last;		 /* shared collectives that it was last to reach */
};

/*
 * The stragglers of a verdict, the one that costs most first; NULL beyond the last. There are none
 * if the verdict is another one, or if several ranks are equally slow: then none costs anything as
 * long as the others are slow.
 */
DP_API const struct dp_ranks_straggler *dp_ranks_straggler(const struct dp_ranks *ranks,
							   size_t index);

/*
 * Iterations in which one rank takes longer than it usually does while the others do not, as with a
 * checkpoint: too few for a verdict.
 */
struct dp_ranks_pauses {
	size_t rank;		    /* index for dp_ranks_rank() */
	size_t count;
	const uint32_t *iterations; /* of the job, ascending */
	enum dp_rank_part part;	    /* what takes longer in them, mostly */
	double longer_ns;	    /* how much longer they take than usual; mean */
	double cost_ns; /* how much longer the job takes, at most, per iteration of all */
};

/*
 * NULL unless the verdict is that nobody holds the job up, and pauses cost it at least 1% of the
 * period.
 */
DP_API const struct dp_ranks_pauses *dp_ranks_pauses(const struct dp_ranks *ranks);

/* The formats of a result, by index; NULL beyond the last. Static. */
DP_API const struct dp_report_format *dp_ranks_format(size_t index);

/*
 * Writes the result in a format. options may be NULL. The same ranks give the same bytes. Errors:
 * DP_ERR_ARGUMENT (no such format or metric), DP_ERR_IO (the sink stopped), DP_ERR_NOMEM. Cost:
 * linear in ranks times iterations.
 */
DP_API int dp_ranks_write(const struct dp_ranks *ranks, const char *format,
			  const struct dp_report_options *options, const struct dp_sink *sink,
			  struct dp_error *error);

#ifdef __cplusplus
}
#endif

#endif
